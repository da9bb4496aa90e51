//! Networks that share a channel: throughputs depend on who hears whom.

use airfair_lab::{Experiment, Outcome};
use airfair_scenario::Override;

/// Settings that bring timings close to Komondor's: its mean backoff of 8.5 slots, and packets that make an exchange as long as its own (its HE
/// preamble is 48 us longer and its ACK 12 us shorter than the standard's).
const LIKE_KOMONDOR: [(&str, &str); 3] = [("cw_min", "17"), ("payload", "2100 B"), ("duration", "50 s")];

fn run(settings: &[(&str, &str)]) -> Outcome {
    let usual = LIKE_KOMONDOR.iter().filter(|(name, _)| settings.iter().all(|(given, _)| given != name));
    let all = usual.chain(settings);
    let set: Vec<_> =
        all.map(|&(name, value)| Override { name: name.to_owned(), value: value.to_owned() }).collect();
    Experiment::load("wifi/overlap", &set).unwrap_or_else(|error| panic!("{error}")).run(1, &[])
}

fn throughputs(settings: &[(&str, &str)]) -> Vec<f64> {
    run(settings).flows.iter().map(|flow| flow.throughput).collect()
}

/// Returns the throughput of a network that has the channel for itself.
fn alone(mcs: &str) -> f64 {
    throughputs(&[("bss", "1"), ("mcs", mcs)])[0]
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < tolerance, "{what}: {found:.4} is not {expected:.4}");
}

/// Compares with Komondor (wn-upf/Komondor, commit 5471b36e, Code/validate.sh; 100 s, seed 1), scenarios 2b, 2c and 2d: throughputs over that of a
/// network alone, 24.31 Mb/s, and 22.80 Mb/s at MCS 9. Komondor's highest scheme is 4096-QAM, which 802.11ax does not have: it is MCS 11 here.
#[test]
fn three_networks_in_a_row_share_as_in_komondor() {
    let full = alone("11");
    let flow_in_the_middle = throughputs(&[("spacing", "4 m"), ("carrier_sense", "-70 dBm")]);
    for (network, komondor) in [21.69 / 24.31, 3.50 / 24.31, 21.69 / 24.31].into_iter().enumerate() {
        close(flow_in_the_middle[network] / full, komondor, 0.05, &format!("2b, network {network}"));
    }
    let partly_hidden = throughputs(&[
        ("spacing", "4.5 m"),
        ("carrier_sense", "-68 dBm"),
        ("middle_distance", "3 m"),
        ("middle_mcs", "9"),
    ]);
    close(partly_hidden[0] / full, 1.0, 0.01, "2c, left");
    close(partly_hidden[1] / alone("9"), 18.46 / 22.80, 0.05, "2c, middle");
    close(partly_hidden[2] / full, 1.0, 0.01, "2c, right");
    for share in throughputs(&[("spacing", "10 m"), ("carrier_sense", "-68 dBm")]) {
        close(share / full, 1.0, 0.01, "2d");
    }
}

/// Compares with Komondor's scenario 4 with the model of capture of its other scenarios. Of two networks whose access points hear each other at -77
/// dBm, each has 21.13 Mb/s of the 39.64 of a network alone. With `obss_pd` above that level it has all of them: then neither the beginning of a
/// frame nor the energy of all frames counts.
#[test]
fn networks_ignore_each_other_below_obss_pd() {
    let setup = [
        ("spacing", "5 m"),
        ("station_distance", "4 m"),
        ("tx_power", "15 dBm"),
        ("mcs", "4"),
        ("carrier_sense", "-82 dBm"),
        ("ampdu", "64"),
        ("payload", "1466 B"),
    ];
    let with = |more: &[(&str, &str)]| throughputs(&[&setup, more].concat());
    let full = with(&[("bss", "1")])[0];
    close(full / 1e6, 39.64, 0.02, "alone");
    for share in with(&[("bss", "2")]) {
        close(share / full, 21.13 / 39.64, 0.03, "without obss_pd");
    }
    for share in with(&[("bss", "2"), ("obss_pd", "-76 dBm")]) {
        close(share, full, 0.01, "with obss_pd");
    }
}

/// Within earshot and if frames that collide are lost, three networks share a channel evenly. The channel is idle for less time than with one
/// network, whose backoff nobody shortens.
#[test]
fn networks_that_all_hear_each_other_share_evenly() {
    let near = throughputs(&[("spacing", "1 m"), ("reception", "alone")]);
    let total: f64 = near.iter().sum();
    near.iter().for_each(|share| close(*share, total / 3.0, 0.02, "one of three"));
    let full = alone("11");
    assert!(total > 0.9 * full && total < 1.15 * full, "{total} of {full}");
}

/// Places near each other change nothing: the outcome is that of a network without places.
#[test]
fn where_all_hear_each_other_places_change_nothing() {
    let outcome = |places: bool| {
        let (ap, station) = if places {
            ("ap_x = \"0 m\"\nreception = \"alone\"\n", "x = \"1 m\"\ny = \"1 m * i\"\n")
        } else {
            ("", "")
        };
        let text = format!(
            "[run]\nduration = \"2 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11n\"\n{ap}\
             [[wlan.station]]\nname = \"s{{i}}\"\ncount = 5\n{station}\
             [[flow]]\nname = \"up{{i}}\"\ncount = 5\nfrom = \"s{{i}}\"\nto = \"ap\"\ntcp = {{ variant = \"reno\" }}\n"
        );
        let outcome =
            Experiment::parse(&text, "near.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[]);
        (outcome.flows, outcome.stations)
    };
    assert_eq!(format!("{:?}", outcome(true)), format!("{:?}", outcome(false)));
}

/// Returns the throughput up of two stations with a window that does not grow: 20 m on either side of their access point, where they cannot hear each
/// other, or 1 m apart.
fn uplinks(far: bool, rts: bool) -> f64 {
    let x = if far { "40 m * i - 20 m" } else { "20 m + 1 m * i" };
    let rts = if rts { "rts_threshold = \"0 B\"\n" } else { "" };
    let text = format!(
        "[run]\nwarmup = \"1 s\"\nduration = \"10 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11n\"\nampdu = \"0 B\"\n\
         ap_x = \"0 m\"\nwall_spacing = \"10 m\"\ncarrier_sense = \"-75 dBm\"\ncw_max = 15\n{rts}\
         [[wlan.station]]\nname = \"s{{i}}\"\ncount = 2\nx = \"{x}\"\n\
         [[flow]]\nname = \"up{{i}}\"\ncount = 2\nfrom = \"s{{i}}\"\nto = \"ap\"\n\
         udp = {{ rate = \"40 Mb/s\", datagram_bytes = \"1472 B\" }}\n"
    );
    let outcome = Experiment::parse(&text, "hidden.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    outcome.run(1, &[]).flows.iter().map(|flow| flow.throughput).sum()
}

/// Tobagi & Kleinrock 1975: stations that do not hear each other may collide for as long as a frame lasts, and a reservation helps.
#[test]
fn hidden_stations_lose_most_and_rts_cts_gives_it_back() {
    let [near, hidden, reserved] = [uplinks(false, false), uplinks(true, false), uplinks(true, true)];
    assert!(hidden < 0.5 * near, "{hidden} of {near}");
    assert!(reserved > 1.5 * hidden, "{reserved} after {hidden}");
}

/// Returns the share of attempts that fail, for each of two stations that hear each other, 2 m and 25 m from their access point, with a window that
/// does not grow.
fn failures(reception: &str) -> Vec<f64> {
    let text = format!(
        "[run]\nwarmup = \"1 s\"\nduration = \"10 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11n\"\nampdu = \"0 B\"\nmcs = 0\n\
         cw_max = 15\nap_x = \"0 m\"\ncarrier_sense = \"-90 dBm\"\nreception = \"{reception}\"\n\
         [[wlan.station]]\nname = \"s{{i}}\"\ncount = 2\nx = \"2 m + 23 m * i\"\n\
         [[flow]]\nname = \"up{{i}}\"\ncount = 2\nfrom = \"s{{i}}\"\nto = \"ap\"\n\
         udp = {{ rate = \"40 Mb/s\", datagram_bytes = \"1472 B\" }}\n"
    );
    let outcome =
        Experiment::parse(&text, "capture.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[]);
    let stations = outcome.stations.iter().filter(|station| !station.access_point);
    stations.map(|station| 1.0 - station.counts.delivered as f64 / station.counts.attempts as f64).collect()
}

/// A frame that is 10 dB stronger than the frames that collide with it arrives if receivers can capture it.
#[test]
fn the_nearer_of_two_stations_wins_collisions() {
    let [alone, sinr] = ["alone", "sinr"].map(failures);
    assert!(alone.iter().all(|share| *share > 0.04), "{alone:?}");
    assert!(sinr[0] < 0.002 && sinr[1] > 0.04, "{sinr:?}");
}

/// Returns the share of MPDUs that a download of long aggregates over 30 m loses beside a network whose access point does not hear it and sends a
/// short frame each 5 ms.
fn lost_under_short_frames() -> f64 {
    let network = |name: &str, ap: &str, station: &str| {
        format!(
            "[[wlan]]\nname = \"{name}\"\nap = \"{name}-ap\"\nchannel = \"one\"\nphy = \"802.11ax\"\nmcs = 3\nampdu = \"65535 B\"\n\
             path_loss = \"log-distance\"\nap_x = \"{ap}\"\n[[wlan.station]]\nname = \"{name}-sta\"\nx = \"{station}\"\n"
        )
    };
    let flow = |name: &str, rate: &str, bytes: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"{name}-ap\"\nto = \"{name}-sta\"\nudp = {{ rate = \"{rate}\", datagram_bytes = \"{bytes}\" }}\n"
        )
    };
    let text = [
        "[run]\nwarmup = \"1 s\"\nduration = \"5 s\"\n".to_owned(),
        network("long", "0 m", "30 m"),
        network("short", "75 m", "78 m"),
        flow("long", "100 Mb/s", "1460 B"),
        flow("short", "320 kb/s", "200 B"),
    ]
    .concat();
    let outcome =
        Experiment::parse(&text, "short.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[]);
    let sender = outcome.stations.iter().find(|station| station.name == "long-ap").expect("it is there");
    sender.counts.mpdus_lost as f64 / sender.counts.mpdus as f64
}

/// A frame of some 0.1 ms and its ACK destroy two or three of 15 MPDUs of 0.35 ms, not the whole aggregate.
#[test]
fn a_short_frame_spoils_the_mpdus_of_an_aggregate_under_it() {
    let lost = lost_under_short_frames();
    assert!((0.1..0.2).contains(&lost), "{lost}");
}

/// The scenario reports each of its networks, including those without a listed metric.
#[test]
fn every_network_has_its_throughput() {
    for (networks, last) in [("2", "throughput_bss1"), ("10", "throughput_bss9")] {
        let set = [("bss", networks), ("duration", "100 ms")]
            .map(|(name, value)| Override { name: name.into(), value: value.into() });
        let experiment = Experiment::load("wifi/overlap", &set).unwrap();
        let outcome = experiment.run(1, &[]);
        let of_networks = outcome.metrics.iter().filter(|metric| metric.name.starts_with("throughput_bss"));
        let of_networks: Vec<_> = of_networks.collect();
        assert_eq!(of_networks.len().to_string(), networks);
        assert_eq!(of_networks.last().unwrap().name, last);
        assert!(of_networks.iter().all(|metric| metric.value.is_some_and(|rate| rate > 0.0)));
        let jain = experiment.measuring(Some(&["jain".to_owned()])).unwrap().run(1, &[]);
        assert!(jain.lacks(&[last.to_owned()]).is_empty());
    }
}
