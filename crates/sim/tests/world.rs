//! Whole worlds, small enough to reason about.

use airfair_core::{Span, Time};
use airfair_queue::QueueLimit;
use airfair_scenario::resolved::Scenario;
use airfair_scenario::{Override, parse};
use airfair_sim::{Engine, Quantity, Record, Recordings};
use proptest::prelude::*;

fn scenario(text: &str) -> Scenario {
    parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}")).scenario
}

fn packaged(name: &str, set: &[(&str, &str)]) -> Scenario {
    let overrides: Vec<_> =
        set.iter().map(|(name, value)| Override { name: (*name).into(), value: (*value).into() }).collect();
    airfair_scenario::load(name, &overrides).unwrap_or_else(|error| panic!("{error}")).scenario
}

fn run(scenario: &Scenario, seed: u64) -> Record {
    traced(scenario, seed, &[])
}

fn traced(scenario: &Scenario, seed: u64, traces: &[Quantity]) -> Record {
    Engine::Fast.run(scenario, seed, Recordings { traces, ..Recordings::default() })
}

const WIRE: &str = r#"
[run]
warmup = "1 s"
duration = "9 s"

[[node]]
name = "a"
[[node]]
name = "b"

[[link]]
from = "a"
to = "b"
rate = "8 Mb/s"
delay = "5 ms"
queue = 20
"#;

#[test]
fn udp_faster_than_its_link_fills_the_link_and_the_queue() {
    let text = format!(
        "{WIRE}[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nudp = {{ rate = \"16 Mb/s\", datagram_bytes = \"972 B\" }}\n"
    );
    let record = run(&scenario(&text), 1);
    let (flow, link) = (record.counts.flows[0], record.counts.links[0]);
    // 1000 bytes on the wire a millisecond, of which 972 are payload.
    assert_eq!(flow.delivered_bytes, 9000 * 972);
    assert_eq!(link.packets.offered - link.packets.dropped, 9000);
    let held = link.queue_integral.as_secs() / 9.0;
    assert!((19.0..=20.0).contains(&held), "the queue is always full: {held}");
}

#[test]
fn a_lone_tcp_flow_fills_its_link() {
    let text = format!("{WIRE}[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n");
    let record = run(&scenario(&text), 1);
    let goodput = record.counts.flows[0].acked_bytes as f64 * 8.0 / 9.0;
    assert!((7.3e6..8e6).contains(&goodput), "{goodput}");
}

#[test]
fn a_call_goes_on_to_where_the_last_one_was_to_end() {
    let text = format!("{WIRE}[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n");
    let (scenario, second) = (scenario(&text), |s| Time::ZERO + Span::from_secs(s));
    let records = [Engine::Fast, Engine::Plain].map(|engine| {
        let mut run = engine.start(&scenario, 1, Recordings::default());
        // Interrupted before the end of the warm-up.
        assert!(!run.run_until(second(5), 3));
        assert!(run.run_until(Time::ZERO, u64::MAX));
        assert_eq!(run.progress(), 0.5);
        assert!(run.run_until(second(2), u64::MAX));
        assert_eq!(run.progress(), 0.5, "a run does not go back");
        run.into_record()
    });
    assert_eq!(records[0], records[1]);
}

/// Returns the frames that the station of an upload holds on average, and the upload's goodput in Mb/s.
fn upload(from: &str, small_queue: bool) -> (f64, f64) {
    let scenario = scenario(&format!(
        r#"
        [run]
        warmup = "2 s"
        duration = "8 s"
        [[node]]
        name = "server"
        [[link]]
        from = "server"
        to = "ap"
        rate = "1 Gb/s"
        delay = "10 ms"
        [[wlan]]
        name = "air"
        ap = "ap"
        phy = "802.11ax"
        queue = 1000
        [[wlan.station]]
        name = "station"
        queue = 1000
        [[flow]]
        name = "f"
        from = "{from}"
        to = "{to}"
        tcp = {{ profile = "linux", variant = "cubic", small_queue = {small_queue} }}
        "#,
        to = if from == "station" { "server" } else { "station" },
    ));
    let [fast, plain] = Engine::ALL.map(|engine| engine.run(&scenario, 1, Recordings::default()));
    assert!(fast == plain, "the engines differ");
    let stations = &fast.counts.stations[0];
    let held = stations.iter().map(|station| station.held_integral.as_secs() / 8.0).fold(0.0, f64::max);
    (held, fast.counts.flows[0].acked_bytes as f64 * 8e-6 / 8.0)
}

#[test]
fn a_small_queue_keeps_little_in_the_station_and_the_air_busy() {
    let ((small, goodput), (full, most)) = (upload("station", true), upload("station", false));
    assert!(small < full / 2.0, "{small} frames instead of {full}");
    assert!(goodput > 0.98 * most, "{goodput} of {most}");
}

/// A flow from an access point stands for one from a server, which has no queue on the air.
#[test]
fn a_flow_from_an_access_point_fills_its_queue() {
    assert_eq!(upload("ap", true), upload("ap", false));
}

#[test]
fn sessions_are_sent_then_delivered_then_acknowledged() {
    for connection in ["reuse", "fresh", "renewed"] {
        let scenario = packaged("jung/mixed", &[("connection", connection), ("duration", "60 s")]);
        let record = run(&scenario, 3);
        let finite: Vec<_> = record.sessions.iter().flatten().filter(|s| s.bytes.is_some()).collect();
        assert!(finite.len() >= 8, "{connection}: {}", finite.len());
        for session in finite.into_iter().filter(|session| session.acked < Time::NEVER) {
            assert!(session.start <= session.sent, "{connection}");
            assert!(session.sent < session.delivered && session.delivered < session.acked, "{connection}");
        }
    }
}

#[test]
fn a_session_queues_behind_the_one_before() {
    let set = [("session_bytes", "4 MB"), ("period", "10 s"), ("duration", "60 s"), ("stations", "2")];
    for connection in ["reuse", "fresh"] {
        let record = run(&packaged("jung/mixed", &[&set[..], &[("connection", connection)]].concat()), 1);
        let sessions = record.sessions.iter().find(|sessions| sessions[0].bytes.is_some()).unwrap();
        let overtaken = sessions.windows(2).filter(|pair| pair[1].start < pair[0].acked).count();
        assert!(overtaken > 2, "{connection}: sessions last longer than a period");
        for pair in sessions.windows(2) {
            assert!(pair[1].acked == Time::NEVER || pair[1].acked > pair[0].acked, "{connection}");
        }
    }
}

#[test]
fn another_station_shifts_nobody_elses_draws() {
    let first_starts = |stations: &str| {
        let record = run(&packaged("jung/table1", &[("stations", stations), ("duration", "1 s")]), 5);
        record.sessions.iter().map(|sessions| sessions[0].start).take(4).collect::<Vec<_>>()
    };
    assert_eq!(first_starts("4"), first_starts("8"));
}

#[test]
fn tracing_changes_nothing_and_notes_the_queue() {
    let scenario = packaged("jung/mixed", &[("duration", "20 s"), ("tcp", "reno")]);
    let plain = run(&scenario, 2);
    let traced = traced(&scenario, 2, &Quantity::ALL);
    assert_eq!(plain.counts, traced.counts);
    assert_eq!(plain.sessions, traced.sessions);
    let names: Vec<_> = traced.series.iter().map(|s| (s.quantity, s.subject.as_str())).collect();
    assert!(names.contains(&(Quantity::Queue, "ap")), "{names:?}");
    for series in &traced.series {
        assert!(series.points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
        assert!(series.points[0].0 >= traced.warmup && series.points.last().unwrap().0 < traced.end);
    }
}

/// Traces of the air, the queues and their drops agree with the counts. Scheduled arrivals and links that add up
/// residence are for runs without traces: a run with some traces sees the same as a run with all.
#[test]
fn each_series_is_the_same_by_itself() {
    let scenario = packaged("jung/mixed", &[("stations", "4"), ("queue", "10"), ("duration", "5 s")]);
    let all = traced(&scenario, 2, &Quantity::ALL).series;
    for quantity in Quantity::ALL {
        let alone = traced(&scenario, 2, &[quantity]).series;
        assert!(alone.iter().eq(all.iter().filter(|series| series.quantity == quantity)), "{quantity:?}");
    }
}

#[test]
fn traces_add_up_to_the_counts() {
    for (name, set) in [
        ("jung/mixed", vec![("duration", "10 s"), ("window", "64")]),
        ("blefari/hotspot", vec![("duration", "5 s"), ("policy", "fq_codel")]),
        ("mamatas/dumbbell", vec![("flows", "20"), ("duration", "5 s")]),
    ] {
        let scenario = packaged(name, &set);
        let record =
            traced(&scenario, 1, &[Quantity::Queue, Quantity::Drops, Quantity::Backlog, Quantity::Air]);
        let of = |quantity: Quantity, subject: &str| {
            record.series.iter().find(|series| series.quantity == quantity && series.subject == subject)
        };
        let grown = |subject: &str| {
            let points = of(Quantity::Drops, subject).map_or(&[][..], |series| &series.points);
            points.last().map_or(0.0, |last| last.1) - points.first().map_or(0.0, |first| first.1)
        };
        // Drops at the very end of the warm-up belong to the series' first value.
        let near = |found: f64, counted: u64| (counted as f64 - found).abs() <= 1.0;
        let mut dropped = 0;
        for (config, counts) in scenario.link_directions().zip(&record.counts.links) {
            assert!(near(grown(&config.name), counts.packets.dropped), "{name}: {}", config.name);
            dropped += counts.packets.dropped;
        }
        for (wlan, (counts, turns)) in
            scenario.wlans.iter().zip(record.counts.stations.iter().zip(&record.air))
        {
            for (index, (station, counts)) in wlan.bss.stations.iter().zip(counts).enumerate() {
                let drops = counts.frames.queue.dropped();
                assert!(near(grown(&station.name), drops), "{name}: {}", station.name);
                dropped += drops;
                let own = || turns.iter().filter(|turn| turn.from as usize == index);
                let airtime: f64 = own().map(|turn| (turn.end - turn.start).as_secs()).sum();
                assert!((airtime - counts.frames.airtime.as_secs()).abs() < 5e-3, "{name}: {}", station.name);
                assert!(
                    counts.frames.attempts.abs_diff(own().count() as u64) <= 1,
                    "{name}: {}",
                    station.name
                );
            }
            let ap = &wlan.bss.stations[0].name;
            for &(at, held) in &of(Quantity::Queue, ap).unwrap().points {
                let backlog = wlan.bss.stations.iter().filter_map(|station| {
                    let points = &of(Quantity::Backlog, &station.name)?.points;
                    points.partition_point(|point| point.0 <= at).checked_sub(1).map(|last| points[last].1)
                });
                assert_eq!(backlog.sum::<f64>(), held, "{name} at {at:?}");
            }
        }
        assert!(dropped > 10, "{name}");
    }
}

#[test]
fn a_window_is_noted_when_the_ack_arrives() {
    let text = WIRE.replace("warmup = \"1 s\"", "warmup = \"0 s\"");
    let text = format!("{text}[tcp]\nprofile = \"ns2\"\n[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n");
    let record = traced(&scenario(&text), 1, &[Quantity::Cwnd]);
    // A SYN and its answer, 40 bytes each: 40 us and 5 ms each way. They open the window from one segment to two.
    let opened = Time::ZERO + Span::from_micros(10_080);
    assert_eq!(record.series[0].points[1], (opened, 2.0));
}

/// Packets travel ahead of time, but never across an instant at which counts are read: the run in two windows
/// counts the same as the run in one.
#[test]
fn windows_add_up() {
    for (name, set) in [
        ("bench/wlan", vec![("stations", "3")]),
        ("bench/dumbbell", vec![("flows", "5")]),
        ("bench/dumbbell", vec![("flows", "5"), ("profile", "rfc")]),
        ("jung/mixed", vec![("direction", "both"), ("tcp", "vegas")]),
        ("jung/mixed", vec![("direction", "download"), ("profile", "linux"), ("connection", "fresh")]),
    ] {
        let window = |warmup: u64, duration: u64| {
            let mut scenario = packaged(name, &set);
            scenario.warmup = Span::from_millis(warmup);
            scenario.duration = Span::from_millis(duration);
            run(&scenario, 1).counts
        };
        let whole = window(0, 14_003);
        for split in [2_501, 11_117] {
            let (first, second) = (window(0, split), window(split, 14_003 - split));
            assert_eq!(whole.clone().since(&first), second, "{name} split at {split} ms");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Invariants of the counts of any mixed network.
    #[test]
    fn counts_are_consistent(
        stations in 1u32..6, tcp in prop::sample::select(vec!["reno", "vegas", "westwood", "sack", "tahoe"]),
        direction in prop::sample::select(vec!["download", "upload", "both"]),
        profile in prop::sample::select(vec!["ns2", "rfc", "linux"]),
        held in 2u32..30, session in 1u32..200, seed in 0u64..1000,
    ) {
        let (stations, queue, session) = ((2 * stations).to_string(), held.to_string(), format!("{session} kB"));
        let scenario = packaged("jung/mixed", &[
            ("stations", &stations), ("tcp", tcp), ("direction", direction), ("profile", profile), ("queue", &queue),
            ("session_bytes", &session), ("warmup", "0 s"), ("duration", "25 s"),
        ]);
        let record = run(&scenario, seed);
        for flow in &record.counts.flows {
            prop_assert!(flow.acked_bytes <= flow.delivered_bytes);
            prop_assert!(flow.sender.retransmissions <= flow.sender.segments);
            // A SYN that is lost costs nothing in Linux.
            let is_cut = profile == "linux" || flow.sender.timeouts == 0 || flow.sender.window_cuts > 0;
            prop_assert!(is_cut);
        }
        for station in &record.counts.stations[0] {
            let frames = &station.frames;
            let ended = frames.delivered + frames.queue.dropped_full + frames.dropped_retries;
            prop_assert!(ended <= frames.queue.offered);
            prop_assert_eq!(scenario.wlans[0].bss.stations[0].queue.limit, QueueLimit::Packets(held));
            prop_assert!(frames.queue.offered - ended <= u64::from(held));
            prop_assert!(frames.collisions <= frames.attempts);
        }
        for link in &record.counts.links {
            prop_assert!(link.packets.dropped <= link.packets.offered);
        }
        prop_assert!(record.counts.medium_busy[0] <= scenario.duration);
        prop_assert_eq!(run(&scenario, seed).counts, record.counts);
    }
}

/// A datagram a millisecond, over links that lose in every way: offered, dropped and lost packets of each link add up
/// along the path, and only the seed decides.
#[test]
fn losses_add_up_along_a_path() {
    let link = |from, to, what| {
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"10 Mb/s\"\ndelay = \"1 ms\"\nqueue = 2\n{what}\n"
        )
    };
    let bursts = "loss = { model = \"gilbert-elliott\", bad = 0.5, mean_good = \"1 s\", mean_bad = \"0.5 s\", position = \"after-queue\" }";
    let lost = "outage = { duration = \"0.5 s\", repeat = \"random\", period = \"5 s\" }";
    let held =
        "outage = { duration = \"0.5 s\", repeat = \"periodic\", period = \"5 s\", packets = \"held\" }";
    let text = "[run]\nduration = \"100 s\"\n[[node]]\nname = \"n{i}\"\ncount = 4\n".to_owned()
        + &link("n0", "n1", held)
        + &link("n1", "n2", bursts)
        + &link("n2", "n3", lost)
        + "[[flow]]\nname = \"f\"\nfrom = \"n0\"\nto = \"n3\"\n\
           udp = { rate = \"1 Mb/s\", datagram_bytes = \"125 B\", header_bytes = \"0 B\" }\n";
    let scenario = scenario(&text);
    let record = run(&scenario, 1);
    let packets: Vec<_> = record.counts.links.iter().map(|link| link.packets).collect();
    let [held, _, errors, _, outage, _] = packets.as_slice() else { panic!("three links") };
    assert_eq!(held.offered, record.counts.flows[0].sender.segments);
    // Of the 501 that come from the start of an outage up to its end, two find room. There are 20 outages.
    assert_eq!(held.dropped, 20 * 499);
    // The last few datagrams are still under way when the run ends.
    let passed = held.offered - held.dropped;
    assert!((passed - 2..=passed).contains(&errors.offered), "{held:?} {errors:?}");
    let passed = errors.offered - errors.lost_errors;
    assert!((passed - 2..=passed).contains(&outage.offered), "{errors:?} {outage:?}");
    let passed = outage.offered - outage.lost_outage;
    assert!((passed - 2..=passed).contains(&(record.counts.flows[0].delivered_bytes / 125)), "{outage:?}");
    assert_eq!([held.lost_errors, held.lost_outage, errors.lost_outage, outage.lost_errors], [0; 4]);
    assert!(errors.lost_errors > 0 && outage.lost_outage > 0);
    assert_eq!(run(&scenario, 1).counts, record.counts);
    assert_ne!(run(&scenario, 2).counts.links[2], record.counts.links[2]);
}

/// A timer that is due before a packet gets to its side needs no event of its own, nor does the packet: two events for each segment are
/// left, one where data meet other data and one where ACKs do, and few timers with no packet on its way.
#[test]
fn the_timers_of_paced_senders_take_few_events() {
    let paced = [("flows", "20"), ("rate", "20 Mb/s"), ("queue", "40"), ("profile", "linux"), ("tcp", "bbr")];
    let bbr = packaged("bench/dumbbell", &[&paced[..], &[("duration", "5 s")]].concat());
    let mut run = Engine::Fast.start(&bbr, 1, Recordings::default());
    while !run.run_until(Time::NEVER, u64::MAX) {}
    let (events, record) = (run.events(), run.into_record());
    let segments: u64 = record.counts.flows.iter().map(|flow| flow.sender.segments).sum();
    assert!(events < 9 * segments / 4, "{events} events for {segments} segments");
}
