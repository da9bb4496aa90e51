//! A link's utilisation is the share of the window in which its transmitter sends.

use airfair_lab::Experiment;

/// Returns the utilisation of a link of 1 Mb/s by datagrams of 65,535 bytes on the wire, one for each 65,507 bytes at `rate`.
fn utilisation(rate: &str, warmup: &str, link: &str) -> f64 {
    let text = format!(
        "[run]\nwarmup = \"{warmup}\"\nduration = \"20 s\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"10 ms\"\nqueue = 50\n{link}\n\
         [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n\
         udp = {{ rate = \"{rate}\", datagram_bytes = \"65507 B\" }}\n"
    );
    let experiment = Experiment::parse(&text, "link.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = experiment.run(1, &[]);
    assert_eq!(outcome.links[1].utilisation, 0.0, "nothing goes back");
    outcome.links[0].utilisation
}

/// A packet that waits has not been sent.
#[test]
fn an_overloaded_link_is_fully_used_and_no_more() {
    for discipline in ["", "discipline = { kind = \"codel\" }"] {
        assert_eq!(utilisation("2 Mb/s", "0 s", discipline), 1.0);
        assert_eq!(utilisation("2 Mb/s", "3 s", discipline), 1.0);
    }
}

/// A packet each 1048.112 ms takes 524.28 ms: the parts of the first and last packet outside the window do not count.
#[test]
fn packets_on_the_transmitter_at_either_end_count_by_the_part_inside() {
    let (period, lasts) = (1.048_112, 0.524_28);
    for warmup in [0.0, 0.1, 0.5, 0.7, 3.4] {
        let (begin, end) = (warmup, warmup + 20.0);
        let inside = |packet: u32| {
            let start = f64::from(packet) * period;
            ((start + lasts).min(end) - start.max(begin)).max(0.0)
        };
        let expected = (0..30).map(inside).sum::<f64>() / 20.0;
        for discipline in ["", "discipline = { kind = \"codel\" }"] {
            let measured = utilisation("0.5 Mb/s", &format!("{warmup} s"), discipline);
            assert!((measured - expected).abs() < 1e-9, "{warmup} s: {measured} instead of {expected}");
        }
    }
}

/// During an outage from 2 s to 6 s the link holds arriving packets and sends nothing.
#[test]
fn a_link_that_is_down_sends_nothing() {
    let outage = "outage = { start = \"2 s\", duration = \"4 s\", packets = \"held\" }";
    for discipline in ["", "\ndiscipline = { kind = \"codel\" }"] {
        let measured = utilisation("2 Mb/s", "1 s", &format!("{outage}{discipline}"));
        // A packet whose transmission would not end before the outage waits: three of 524.28 ms are sent before.
        let expected = (3.0 * 0.524_28 - 1.0 + 15.0) / 20.0;
        assert!((measured - expected).abs() < 1e-9, "{measured} instead of {expected}");
    }
}
