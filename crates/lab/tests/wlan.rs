//! WLANs whose throughput a closed form gives: frame errors, and rates that differ between stations.

use airfair_lab::{Experiment, Outcome, StationRecord};
use airfair_scenario::Override;

/// Payload of a datagram; the next constant is the bytes of its IP packet.
const PAYLOAD: f64 = 1472.0;
const PACKET: f64 = 1500.0;
/// Times in microseconds of 802.11b with the long preamble.
const DIFS: f64 = 50.0;
const SIFS: f64 = 10.0;
const SLOT: f64 = 20.0;
/// Time until a sender knows that no ACK comes: SIFS, a slot and the preamble of the ACK; DIFS is part of it.
const ACK_RETRY: f64 = 10.0 + 20.0 + 192.0;

/// Returns the duration of a data frame at a rate in Mb/s: 36 bytes around the packet, a whole number of microseconds.
fn data(mbps: f64) -> f64 {
    192.0 + ((PACKET + 36.0) * 8.0 / mbps).ceil()
}

/// Returns the duration of the ACK of such a frame, at 2 Mb/s or else 1 Mb/s.
fn ack(mbps: f64) -> f64 {
    192.0 + 14.0 * 8.0 / mbps.min(2.0)
}

/// Returns the duration of an exchange from the first bit to the end of the ACK.
fn exchange(mbps: f64) -> f64 {
    data(mbps) + SIFS + ack(mbps)
}

/// Returns the mean backoff of the attempt with this number, plus DIFS, for a station without contention.
fn access(attempt: u32) -> f64 {
    DIFS + SLOT * f64::from((32 << attempt.min(5)) - 1) / 2.0
}

/// Runs a server behind a fast wire and a WLAN of 802.11b with these lines and these flows.
fn run(wlan: &str, flows: &str) -> Outcome {
    let text = format!(
        "[run]\nwarmup = \"1 s\"\nduration = \"100 s\"\n[[node]]\nname = \"server\"\n\
         [[link]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"100 Mb/s\"\ndelay = \"1 ms\"\n\
         [[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11b\"\n{wlan}\n{flows}"
    );
    Experiment::parse(&text, "wlan.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[])
}

/// Returns a flow that always has a datagram waiting.
fn saturating(from: &str, to: &str) -> String {
    format!(
        "[[flow]]\nname = \"{from}-{to}\"\nfrom = \"{from}\"\nto = \"{to}\"\nudp = {{ rate = \"10 Mb/s\" }}\n"
    )
}

/// Returns the share of broadcasts that each television of the example misses at this rate, and the download's throughput in Mb/s.
fn television(rate: &str) -> (Vec<f64>, f64) {
    let text = include_str!("../../../docs/examples/multicast.toml");
    let set = [Override { name: "rate".to_owned(), value: rate.to_owned() }];
    let run =
        Experiment::parse(text, "multicast.toml", &set).unwrap_or_else(|error| panic!("{error}")).run(1, &[]);
    let missed = |name| {
        let counts = &station(&run, name).counts;
        counts.broadcasts_lost as f64 / (counts.broadcasts + counts.broadcasts_lost) as f64
    };
    (["parlour", "bedroom", "attic"].map(missed).to_vec(), run.flows[0].throughput / 1e6)
}

#[test]
fn slow_multicast_reaches_far_and_leaves_less_for_others() {
    let [(slow, with_slow), (fast, with_fast)] = ["6 Mb/s", "54 Mb/s"].map(television);
    assert!(slow.iter().all(|missed| *missed < 0.2), "{slow:?}");
    assert!(fast[0] < 0.2 && fast[2] > 0.5, "{fast:?}");
    assert!(with_fast > 1.5 * with_slow, "{with_fast} and {with_slow}");
}

/// Datagrams go to one station of 802.11ax at 2.4 GHz, beside a station of 802.11b that may send as well. By hand, in microseconds: 3 + 7.5 slots of
/// 20 and SIFS, a CTS of 14 bytes at 11 Mb/s, SIFS, 1542 bytes with MCS 7 (12,358 bits in 11 symbols of 13.6 behind 20 + 16 + 7.2, and 6 of silence),
/// SIFS, and the ACK (28, and 6 of silence). If nobody has 802.11b, there are slots of 9 and no CTS; if only a neighbour has, there is the CTS. A
/// short preamble lasts 96.
#[test]
fn a_silent_station_of_802_11b_costs_its_network_long_slots_and_protection() {
    let network = |preamble: &str, beside: &str, standard: &str| {
        let wlan = |name: &str, lines: &str| {
            format!(
                "[[wlan]]\nname = \"{name}\"\nap = \"ap-{name}\"\nchannel = \"1\"\nphy = \"802.11ax\"\nband = \"2.4 GHz\"\n\
                 ampdu = \"0 B\"\ntxop = \"0 s\"\n{lines}"
            )
        };
        let beside = if beside.is_empty() { String::new() } else { wlan(beside, "") };
        let text = format!(
            "[run]\nwarmup = \"1 s\"\nduration = \"20 s\"\n{}[[wlan.station]]\nname = \"new\"\n\
             {beside}[[wlan.station]]\nname = \"old\"\nstandard = \"{standard}\"\n\
             [[flow]]\nname = \"down\"\nfrom = \"ap-w\"\nto = \"new\"\nudp = {{ rate = \"50 Mb/s\" }}\n",
            wlan("w", preamble)
        );
        let run =
            Experiment::parse(&text, "old.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[]);
        run.flows[0].throughput
    };
    let data = 20.0 + 16.0 + 7.2 + 11.0 * 13.6 + 6.0;
    let exchange = 10.0 + data + 10.0 + 34.0;
    let close = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 0.005, "{found} instead of {expected}");
    };
    close(network("", "", "802.11b"), bits(1.0 / (10.5 * 20.0 + 203.0 + 10.0 + exchange)));
    close(network("", "", "802.11g"), bits(1.0 / (10.5 * 9.0 + exchange)));
    close(network("", "neighbour", "802.11b"), bits(1.0 / (10.5 * 9.0 + 203.0 + 10.0 + exchange)));
    let short = "dsss_preamble = \"short\"\n";
    close(network(short, "", "802.11b"), bits(1.0 / (10.5 * 20.0 + 107.0 + 10.0 + exchange)));
}

fn station<'a>(outcome: &'a Outcome, name: &str) -> &'a StationRecord {
    outcome.stations.iter().find(|station| station.name == name).expect("it is in the WLAN")
}

/// Returns the throughput in bit/s of `frames` per microsecond.
fn bits(frames: f64) -> f64 {
    frames * PAYLOAD * 8.0 * 1e6
}

#[track_caller]
fn assert_near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured / expected - 1.0).abs() < tolerance, "{measured} instead of {expected}");
}

/// With 10 % of a WLAN's frames in error, 10 % of the frames are lost in both directions, and a frame is tried up to seven times.
#[test]
fn a_wlans_frame_errors_are_the_share_of_frames_lost() {
    let p: f64 = 0.1;
    let wlan = "loss = { model = \"bernoulli\", probability = \"10 %\" }\n[[wlan.station]]\nname = \"s\"\n";
    let lasts = data(11.0) + (1.0 - p) * (SIFS + ack(11.0)) + p * (ACK_RETRY - DIFS);
    let (mut time, mut fails_so_far) = (0.0, 1.0);
    for attempt in 0..7 {
        time += fails_so_far * (access(attempt) + lasts);
        fails_so_far *= p;
    }
    let expected = bits((1.0 - fails_so_far) / time);
    for (from, to, sender) in [("s", "server", "s"), ("server", "s", "ap")] {
        let outcome = run(wlan, &saturating(from, to));
        let sender = station(&outcome, sender);
        let lost = 1.0 - sender.counts.delivered as f64 / sender.counts.attempts as f64;
        // Among some 50,000 attempts, this is four standard deviations of a share of 10 %.
        assert!(sender.counts.attempts > 40_000 && (lost - p).abs() < 0.006, "{lost}");
        assert_near(outcome.flows[0].throughput, expected, 0.005);
    }
}

/// The frame errors of a station replace those of the WLAN.
#[test]
fn a_stations_own_frame_errors_stand_in_place_of_the_wlans() {
    let constant = |probability| format!("loss = {{ model = \"bernoulli\", probability = {probability} }}\n");
    let wlan = format!(
        "{}[[wlan.station]]\nname = \"own\"\n{}[[wlan.station]]\nname = \"s\"\n",
        constant(0.3),
        constant(0.05)
    );
    for (name, p) in [("own", 0.05), ("s", 0.3)] {
        let outcome = run(&wlan, &saturating(name, "server"));
        let sender = station(&outcome, name);
        let lost = 1.0 - sender.counts.delivered as f64 / sender.counts.attempts as f64;
        assert!((lost - p).abs() < 0.01, "{name}: {lost}");
    }
}

const FAST_AND_SLOW: &str =
    "[[wlan.station]]\nname = \"fast\"\n[[wlan.station]]\nname = \"slow\"\ndata_rate = \"1 Mb/s\"\n";

/// A lone station at 1 Mb/s gets the same throughput in both directions.
#[test]
fn a_slow_station_is_as_slow_both_ways() {
    for (from, to) in [("slow", "server"), ("server", "slow")] {
        let outcome = run(FAST_AND_SLOW, &saturating(from, to));
        assert_near(outcome.flows[0].throughput, bits(1.0 / (access(0) + exchange(1.0))), 0.005);
    }
    // The rates of the two directions differ only if the file says so.
    let lines = format!("ap_data_rate = \"11 Mb/s\"\n{FAST_AND_SLOW}");
    let outcome = run(&lines, &saturating("server", "slow"));
    assert_near(outcome.flows[0].throughput, bits(1.0 / (access(0) + exchange(11.0))), 0.005);
}

/// The anomaly of M. Heusse et al. ("Performance anomaly of 802.11b", INFOCOM 2003), downlink: if stations get equally many packets, the fast one
/// gets no more than the slow one. FQ-CoDel gives equal bytes.
#[test]
fn equal_bytes_hold_the_fast_station_down_to_the_slow_one() {
    let lines = format!("ap_discipline = {{ kind = \"fq_codel\" }}\n{FAST_AND_SLOW}");
    let outcome = run(&lines, &(saturating("server", "fast") + &saturating("server", "slow")));
    let expected = bits(1.0 / (2.0 * access(0) + exchange(11.0) + exchange(1.0)));
    for flow in &outcome.flows {
        assert_near(flow.throughput, expected, 0.01);
    }
}

/// `airtime_drr` gives equal airtime: the exchanges of both stations take the same total time.
#[test]
fn equal_airtime_lets_the_fast_station_be_fast() {
    let lines = format!("ap_discipline = {{ kind = \"airtime_drr\" }}\n{FAST_AND_SLOW}");
    let outcome = run(&lines, &(saturating("server", "fast") + &saturating("server", "slow")));
    let more = exchange(1.0) / exchange(11.0);
    let slow = 1.0 / (access(0) + exchange(1.0) + more * (access(0) + exchange(11.0)));
    assert_near(outcome.flows[0].throughput, bits(slow * more), 0.01);
    assert_near(outcome.flows[1].throughput, bits(slow), 0.01);
}

/// Stations to which the access point sends get airtime by their weights, with DCF and with EDCA.
#[test]
fn weights_share_the_airtime() {
    let edca = "phy = \"802.11ax\"\nmcs = 3\ndriver_aggregates = 1";
    for (network, discipline) in
        [("phy = \"802.11a\"", "airtime_drr"), (edca, "airtime_drr"), (edca, "mac80211")]
    {
        let text = format!(
            "[run]\nwarmup = \"1 s\"\nduration = \"20 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\n{network}\nap_queue = 1000\n\
             ap_discipline = {{ kind = \"{discipline}\" }}\n[[wlan.station]]\nname = \"s{{i}}\"\ncount = 2\n\
             airtime_weight = \"256 if i == 0 else 768\"\n\
             [[flow]]\nname = \"down{{i}}\"\ncount = 2\nfrom = \"ap\"\nto = \"s{{i}}\"\n\
             udp = {{ rate = \"60 Mb/s\", datagram_bytes = \"1472 B\" }}\n"
        );
        let outcome = Experiment::parse(&text, "weights.toml", &[])
            .unwrap_or_else(|error| panic!("{error}"))
            .run(1, &[]);
        let ratio = outcome.flows[1].throughput / outcome.flows[0].throughput;
        assert!((ratio / 3.0 - 1.0).abs() < 0.03, "{network}, {discipline}: {ratio}");
    }
}

/// A station's airtime never exceeds the measured window, however short: a frame at 1 Mb/s lasts 12.5 ms.
#[test]
fn airtime_is_no_more_than_the_window() {
    for millis in 1..30 {
        let text = format!(
            "[run]\nwarmup = \"{millis} ms\"\nduration = \"7 ms\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11\"\n\
             data_rate = \"1 Mb/s\"\n[[wlan.station]]\nname = \"s\"\n{}",
            saturating("s", "ap")
        );
        let outcome =
            Experiment::parse(&text, "short.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[]);
        let station = station(&outcome, "s");
        assert!(station.airtime <= 1.0 && station.airtime > 0.0, "{millis} ms: {}", station.airtime);
        assert!(station.queue_mean <= 50.0, "{millis} ms: {}", station.queue_mean);
    }
}
