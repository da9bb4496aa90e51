//! The ends of the allowed ranges: long runs, slow links, long queues. Sums over packets and time must not overflow.

use airfair_lab::{Experiment, Outcome};

/// Runs two hosts on a link with these lines, and a flow with these lines, for 1e9 s, the longest time allowed.
fn run(link: &str, flow: &str) -> Outcome {
    let text = format!(
        "[run]\nduration = \"1000000000 s\"\nmetrics = [\"throughput_total\"]\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\n{link}\n[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n{flow}"
    );
    Experiment::parse(&text, "extreme.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[])
}

#[test]
fn a_full_queue_for_the_longest_time_is_integrated() {
    let link = "rate = \"1 b/s\"\ndelay = \"10 ms\"\nqueue = 50";
    // More than 18.4 packets held for 1e9 s overflow 64 bits of nanoseconds; RED keeps the mean between its thresholds.
    for (discipline, least, most) in [
        ("", 18.5, 50.0),
        ("\ndiscipline = { kind = \"red\", min_threshold = 5, max_threshold = 15 }", 5.0, 15.0),
    ] {
        let outcome = run(
            &format!("{link}{discipline}"),
            "tcp = { profile = \"ns2\", window = 60, rto_min = \"1000000 s\", rto_max = \"1000000000 s\" }\n",
        );
        let forward = &outcome.links[0];
        assert!(forward.queue_mean > least && forward.queue_mean <= most, "{}", forward.queue_mean);
        assert!(forward.utilisation > 0.99 && forward.utilisation <= 1.0, "{}", forward.utilisation);
        assert!(
            outcome.flows[0].rtt_mean.is_some_and(|mean| mean > 1000.0),
            "{:?}",
            outcome.flows[0].rtt_mean
        );
    }
}

/// The last of these packets would leave the queue after 1,268 years.
#[test]
fn a_queue_may_last_longer_than_time_itself() {
    let link = "rate = \"1 b/s\"\ndelay = \"1000000000 s\"\nqueue = 4294967295";
    for discipline in ["", "\ndiscipline = { kind = \"fq_codel\" }"] {
        let flow = "udp = { rate = \"40 b/s\", datagram_bytes = \"65507 B\" }\n";
        let outcome = run(&format!("{link}{discipline}"), flow);
        let forward = &outcome.links[0];
        assert!(forward.counts.offered > 76_000 && forward.utilisation == 1.0, "{forward:?}");
        assert_eq!(outcome.flows[0].counts.delivered_bytes, 0);
    }
}

#[test]
fn times_and_sizes_at_their_ends_are_run() {
    let longest = "1000000000 s";
    let link = "rate = \"1000000 Gb/s\"\ndelay = \"1000000 s\"\nqueue = \"9007199 GB\"";
    for flow in [
        format!("start = \"{longest}\"\nspread = \"{longest}\"\n"),
        format!("start = \"{longest}\"\nspread = \"{longest}\"\nudp = {{ rate = \"1 b/s\" }}\n"),
        format!("traffic = \"intermittent\"\nsession_bytes = \"1 B\"\nperiod = \"{longest}\"\ngap = \"exponential\"\n"),
        "traffic = \"intermittent\"\nsession_bytes = \"9007199254740992 B\"\nperiod = \"100000 s\"\n\
         udp = { rate = \"1 b/s\" }\n"
            .to_owned(),
        "traffic = \"intermittent\"\nsession_bytes = \"9007199254740992 B\"\nperiod = \"100000 s\"\n\
         tcp = { segment_bytes = \"1 B\", window = 1, rto_min = \"1000000000 s\", rto_max = \"1000000000 s\" }\n"
            .to_owned(),
        "udp = { rate = \"1 b/s\", datagram_bytes = \"65507 B\", header_bytes = \"65535 B\" }\n".to_owned(),
    ] {
        let outcome = run(link, &flow);
        let full = |share: f64| (0.0..=1.0).contains(&share);
        assert!(outcome.links.iter().all(|link| full(link.utilisation)), "{flow}");
    }
}

/// A timer backs off for the longest time, over a link that loses everything.
#[test]
fn the_longest_timers_back_off() {
    let link = "rate = \"1 Mb/s\"\ndelay = \"1 s\"\nloss = { model = \"bernoulli\", probability = 1 }";
    for profile in ["ns2", "rfc", "linux"] {
        for (least, most) in
            [("1000000 s", "1000000000 s"), ("1000000000 s", "1000000000 s"), ("500000000 s", "1000000000 s")]
        {
            let tcp =
                format!("tcp = {{ profile = \"{profile}\", rto_min = \"{least}\", rto_max = \"{most}\" }}\n");
            assert_eq!(run(link, &tcp).flows[0].counts.delivered_bytes, 0);
        }
    }
}
