//! Tests the fast engine against the plain one: both give one record of any scenario.

use crate::engine::{Engine, Recordings};
use crate::random_networks;
use crate::record::Record;
use crate::trace::Quantity;
use proptest::prelude::*;

fn assert_exact(text: &str, seed: u64) {
    let scenario = airfair_scenario::parse(text, "test.toml", &[]);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}")).scenario;
    // Without series, nothing watches interface queues, and the fast engine schedules arrivals at them. Without averages of windows, nothing
    // watches senders either, and they take rows of ACKs.
    for (traces, average_cwnds) in [(&Quantity::ALL[..], true), (&[], true), (&[], false)] {
        let recordings =
            Recordings { traces, average_cwnds, ap_queue_delays: true, delays: true, frames: false };
        let [fast, plain]: [Record; _] = Engine::ALL.map(|engine| engine.run(&scenario, seed, recordings));
        assert!(
            fast == plain,
            "the engines differ, with {} traces, averages {average_cwnds}:\n{text}",
            traces.len()
        );
    }
}

/// Asserts that a network gives the same counts with a queue at every link as with arithmetic. The counts may differ for packets
/// that are held at the end of the warm-up or of the run.
fn assert_queues_are_arithmetic(text: &str, seed: u64) {
    let scenario = airfair_scenario::parse(text, "test.toml", &[]);
    let mut scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}")).scenario;
    for link in &mut scenario.links {
        (link.forward.discipline, link.backward.discipline) = (None, None);
        (link.forward.tx_ring, link.backward.tx_ring) = (None, None);
    }
    let recordings = Recordings { traces: &Quantity::ALL, ..Recordings::default() };
    let arithmetic = Engine::Fast.run(&scenario, seed, recordings);
    for link in &mut scenario.links {
        link.forward.discipline = Some(Box::default());
        link.backward.discipline = Some(Box::default());
    }
    let queued = Engine::Fast.run(&scenario, seed, recordings);
    let comparable = |mut record: Record| {
        for link in &mut record.counts.links {
            (link.packets.lost_errors, link.packets.lost_outage) = (0, 0);
        }
        record
    };
    assert!(
        comparable(arithmetic) == comparable(queued),
        "drop-tail in a queue differs from arithmetic:\n{text}"
    );
}

/// Returns a network of three hosts in a row, with one flow from the first to the last.
fn row(warmup: &str, flow: &str) -> String {
    let mut text = format!("[run]\nwarmup = \"{warmup}\"\nduration = \"3 s\"\n");
    for node in ["a", "b", "c"] {
        text += &format!("[[node]]\nname = \"{node}\"\n");
    }
    for (from, to, delay) in [("a", "b", "3001 us"), ("b", "c", "8009 us")] {
        text += &format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1234567 b/s\"\ndelay = \"{delay}\"\nqueue = 9\n"
        );
    }
    text + "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"c\"\n" + flow
}

/// The end of the warm-up finds packets on each part of a path that one flow has to itself.
#[test]
fn what_was_held_at_the_end_of_the_warm_up_keeps_its_order() {
    for profile in ["ns2", "rfc", "linux"] {
        for millis in (100..400).step_by(7) {
            let flow = format!("tcp = {{ profile = \"{profile}\", window = 8 }}\n");
            assert_exact(&row(&format!("{millis} ms"), &flow), 1);
        }
    }
}

/// The measured window ends before packets held at its beginning would have gone on.
#[test]
fn what_is_held_until_after_the_end_never_goes_on() {
    for duration in ["1 ns", "1 ms", "12 ms"] {
        for millis in (100..400).step_by(7) {
            let text = row(&format!("{millis} ms"), "tcp = { window = 8 }\n");
            assert_exact(&text.replace("\"3 s\"", &format!("\"{duration}\"")), 1);
        }
    }
}

/// Data and ACKs of one flow are both held at the end of the warm-up: answers to the data must not enter a link
/// before ACKs that arrive earlier.
#[test]
fn what_is_held_goes_on_in_the_order_of_time() {
    let text = r#"
        [run]
        warmup = "569268 us"
        duration = "3 s"
        [[node]]
        name = "h0"
        [[node]]
        name = "h1"
        [[node]]
        name = "h2"
        [[link]]
        from = "h1"
        to = "h0"
        rate = "7000187 b/s"
        delay = "15001593 ns"
        queue = 8
        reverse = { rate = "1001797 b/s" }
        [[link]]
        from = "h2"
        to = "h0"
        rate = "90000791 b/s"
        delay = "15000251 ns"
        queue = 3
        reverse = { rate = "90001055 b/s" }
        [[flow]]
        name = "f0"
        from = "h1"
        to = "h2"
        start = "264668030 ns"
        traffic = "intermittent"
        session_bytes = "42660 B"
        period = "14142908 ns"
        gap = "exponential"
        tcp = { profile = "linux", variant = "westwood-plus", connection = "reuse", window = 4, rto_min = "1 ms", rto_initial = "10 ms" }
    "#;
    assert_exact(text, 890_824_487);
}

/// Timeouts shorter than the round trip: copies of delivered segments are under way when a new connection starts.
#[test]
fn a_connection_may_start_while_segments_of_the_last_one_are_on_their_way() {
    for millis in [20, 60, 100] {
        let flow = format!(
            "traffic = \"intermittent\"\nsession_bytes = \"1 kB\"\nperiod = \"{millis} ms\"\n\
             tcp = {{ connection = \"fresh\", rto_min = \"1 ms\", rto_initial = \"10 ms\", delayed_ack = false }}\n"
        );
        assert_exact(&row("0 s", &flow), 1);
    }
}

/// Flows that share a link, with equal delay to it: its packets enter ahead of events at the other end.
fn dumbbell(flows: usize, warmup: &str, flow: &str) -> String {
    let mut text = format!("[run]\nwarmup = \"{warmup}\"\nduration = \"2 s\"\n");
    let mut node = |name: &str, count: usize| {
        text += &format!("[[node]]\nname = \"{name}\"\ncount = {count}\n");
    };
    node("r{i}", 2);
    node("s{i}", flows);
    node("d{i}", flows);
    text +=
        "[[link]]\nfrom = \"r0\"\nto = \"r1\"\nrate = \"4000187 b/s\"\ndelay = \"5001593 ns\"\nqueue = 12\n";
    for (from, to, delay) in [("s{i}", "r0", "1000251 ns"), ("r1", "d{i}", "2000473 ns")] {
        text += &format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncount = {flows}\nrate = \"20001797 b/s\"\ndelay = \"{delay}\"\n"
        );
    }
    text + &format!(
        "[[flow]]\nname = \"f{{i}}\"\ncount = {flows}\nfrom = \"s{{i}}\"\nto = \"d{{i}}\"\nstart = \"17293547 ns * i\"\n{flow}"
    )
}

#[test]
fn a_line_may_lead() {
    for profile in ["ns2", "rfc", "linux"] {
        for (flows, warmup) in [(2, "0 s"), (5, "700 ms"), (12, "1000003 us")] {
            let tcp = format!("tcp = {{ profile = \"{profile}\" }}\n");
            assert_exact(&dumbbell(flows, warmup, &tcp), 1);
            let sessions = "traffic = \"intermittent\"\nsession_bytes = \"42660 B\"\nperiod = \"141429081 ns\"\ngap = \"exponential\"\n";
            assert_exact(&dumbbell(flows, warmup, &(sessions.to_owned() + &tcp)), 2);
        }
    }
}

/// The sender with a small queue gets reports of segments that leave while an ACK climbs the stack of its host, and of those that
/// other traffic crowds out.
#[test]
fn a_host_hears_of_its_packets_in_time() {
    for phy in ["802.11b", "802.11ax"] {
        for discipline in ["drop_tail", "codel", "mac80211"] {
            for (host_delay, queue) in [("5 ms", 100), ("25 us", 8), ("0 s", 8)] {
                let text = format!(
                    r#"
                    [run]
                    duration = "2 s"
                    [[node]]
                    name = "server"
                    [[link]]
                    from = "server"
                    to = "ap"
                    rate = "20001797 b/s"
                    delay = "1000251 ns"
                    [[wlan]]
                    name = "w"
                    ap = "ap"
                    phy = "{phy}"
                    host_delay = "{host_delay}"
                    [[wlan.station]]
                    name = "s{{i}}"
                    count = 2
                    queue = {queue}
                    discipline = {{ kind = "{discipline}" }}
                    [[flow]]
                    name = "up{{i}}"
                    count = 2
                    from = "s{{i}}"
                    to = "server"
                    tcp = {{ profile = "linux", variant = "cubic", small_queue_time = "2 ms" }}
                    [[flow]]
                    name = "datagrams"
                    from = "s0"
                    to = "server"
                    udp = {{ rate = "3 Mb/s" }}
                    "#
                );
                assert_exact(&text, 1);
            }
        }
    }
}

/// Pages whose parts wait for each other, on hosts that acknowledge a whole part at once.
#[test]
fn pages_are_exact() {
    for profile in ["ns2", "rfc", "linux"] {
        for http in ["http2", "http1"] {
            let flow = format!(
                "traffic = \"web\"\nperiod = \"241429081 ns\"\ngap = \"exponential\"\nobjects = 9\npage_bytes = \"60 kB\"\nround_trips = 2\n\
                 http = \"{http}\"\ntcp.profile = \"{profile}\"\n"
            );
            assert_exact(&dumbbell(4, "300 ms", &flow), 1);
            assert_exact(&row("200 ms", &flow), 2);
        }
    }
}

/// A segment is given up, which leaves a block ack request to its station. The next segment comes among broadcasts, which are long
/// enough to keep the air busy.
#[test]
fn a_frame_behind_a_block_ack_request_goes_before_later_broadcasts() {
    let text = r#"
        [run]
        duration = "2 s"
        [[node]]
        name = "host"
        [[link]]
        from = "host"
        to = "ap"
        rate = "1 Mb/s"
        delay = "15 ms"
        [[wlan]]
        name = "w"
        ap = "ap"
        phy = "802.11n"
        band = "2.4 GHz"
        ap_x = "0 m"
        wall_spacing = "5 m"
        broadcast_interval = "3 ms"
        [[wlan.station]]
        name = "old"
        x = "28 m"
        standard = "802.11b"
        [[wlan.station]]
        name = "far"
        x = "27 m"
        [[flow]]
        name = "f"
        from = "host"
        to = "far"
    "#;
    assert_exact(text, 8952);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ahead_of_time_is_exact(number in 0u64..1_000_000_000) {
        assert_exact(&random_networks::random(number), number);
    }

    #[test]
    fn ahead_of_time_is_exact_with_ties(number in 0u64..1_000_000_000) {
        assert_exact(&random_networks::with_ties(number), number);
    }

    #[test]
    fn drop_tail_in_a_queue_is_what_arithmetic_says(number in 0u64..1_000_000_000) {
        assert_queues_are_arithmetic(&random_networks::random(number), number);
    }

    #[test]
    fn drop_tail_in_a_queue_is_what_arithmetic_says_with_ties(number in 0u64..1_000_000_000) {
        assert_queues_are_arithmetic(&random_networks::with_ties(number), number);
    }
}
