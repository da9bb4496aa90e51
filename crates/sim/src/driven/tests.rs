//! Pauses change nothing, and the same actions at the same times give the same record in both engines.

use super::*;
use crate::flow::Side;
use crate::random_networks;
use crate::trace::Quantity;
use airfair_core::schema::Value;
use airfair_core::{LossModel, Rate, Span, Stream};
use airfair_net::{LinkLoss, LossPosition, QueueLimit};
use airfair_queue::discipline::DISCIPLINES;
use airfair_queue::{Discipline, PolicerConfig, WindowControlConfig};
use airfair_scenario::resolved::{Flow, Gap, Traffic, Transport};
use airfair_tcp::Settings;
use airfair_wifi::{BssConfig, FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames};
use proptest::prelude::*;
use std::sync::Arc;

fn loaded(text: &str) -> Scenario {
    let loaded = airfair_scenario::parse(text, "test.toml", &[]);
    loaded.unwrap_or_else(|error| panic!("{error}\n{text}")).scenario
}

fn to(driven: &mut Driven, until: Time) {
    while !driven.run_until(until, 1000) {}
}

const ALL: Recordings<'_> = Recordings {
    traces: &Quantity::ALL,
    average_cwnds: true,
    ap_queue_delays: true,
    delays: true,
    frames: false,
};

/// Returns ascending instants of a run of some five seconds. At some of them flows act.
fn instants(stream: &mut Stream, count: u64) -> Vec<Time> {
    let mut instant = || match stream.below(3) {
        0 => Time(20_000_000 * stream.below(275)),
        _ => Time(stream.below(5_500_000_000)),
    };
    let mut instants: Vec<_> = (0..count).map(|_| instant()).collect();
    instants.sort_unstable();
    instants
}

/// Returns a scenario that differs from `scenario` in a few changeable settings.
fn changed(scenario: &Scenario, stream: &mut Stream) -> Scenario {
    let mut changed = scenario.clone();
    for link in &mut changed.links {
        let config = if stream.below(2) == 0 { &mut link.forward } else { &mut link.backward };
        match stream.below(7) {
            0 => config.rate = Rate::new(500_009 + stream.below(20_000_000)).expect("above zero"),
            1 => config.delay = Span(stream.below(40_000_000)),
            2 => {
                let model = LossModel::bernoulli(stream.below(10) as f64 / 100.0);
                config.loss = Some(Box::new(LinkLoss { model, position: LossPosition::AfterQueue }));
            }
            3 => config.queue = limit(stream),
            4 => config.discipline = Some(Box::new(discipline(stream))),
            5 => config.discipline = Some(Box::new(shaped(stream))),
            _ => {}
        }
    }
    for wlan in &mut changed.wlans {
        match stream.below(4) {
            0 => {
                let rate = Rate::new(50_003 + stream.below(900_000)).expect("above zero");
                wlan.policer = Some(PolicerConfig { rate, burst_bytes: 2000 + stream.below(30_000) });
            }
            1 => wlan.policer = None,
            2 => {
                let flow_timeout = Span(1_000_003 + stream.below(900_000_000));
                wlan.window_control =
                    Some(WindowControlConfig { buffer_packets: 1 + stream.below(40) as u32, flow_timeout });
            }
            _ => {}
        }
        change_air(&mut wlan.bss, stream);
        let queue = &mut wlan.bss.stations[0].queue;
        match stream.below(4) {
            0 => queue.limit = limit(stream),
            1 => queue.discipline = discipline(stream),
            _ => {}
        }
        for station in &mut wlan.bss.stations[1..] {
            if stream.below(4) == 0
                && let QueueLimit::Packets(limit) = &mut station.queue.limit
            {
                *limit = 1 + stream.below(40) as u32;
            }
        }
    }
    changed.flows.iter_mut().for_each(|flow| change_flow(flow, stream));
    changed
}

/// Changes a flow's sessions and settings of its transport.
fn change_flow(flow: &mut Flow, stream: &mut Stream) {
    if let Traffic::Intermittent { bytes, gap, .. } = &mut flow.traffic
        && stream.below(3) == 0
    {
        *bytes = 1 + stream.below(60_000);
        *gap = Gap::Exponential(Span(1_000_003 + stream.below(400_000_000)));
    }
    let settings = match &mut flow.transport {
        Transport::Udp { rate, .. } => {
            *rate = Rate::new(10_007 + stream.below(4_000_000)).expect("above zero");
            return;
        }
        Transport::Tcp { settings, .. } => settings,
    };
    let mut other = Settings::clone(settings);
    match stream.below(9) {
        0 => other.receive_window = 1 + stream.below(60) as u32,
        1 => other.max_window = Some(1.0 + 40.0 * stream.unit()),
        2 => other.rto_min = Span(stream.below(1_000_000_000)),
        3 => other.rto_max = Span(1_000_000_000 + stream.below(1_000_000_000)),
        4 => other.delayed_ack = !other.delayed_ack,
        5 => other.delayed_ack_segments = 1 + stream.below(4) as u32,
        6 => other.limited_transmit = !other.limited_transmit,
        7 => {
            for parameter in other.control.parameters() {
                if let Some(Value::Number(number)) = other.control.value(parameter.name) {
                    // Some values contradict others.
                    let _ =
                        other.control.set(&[(parameter.name, Value::Number(number * (0.5 + stream.unit())))]);
                }
            }
        }
        _ => {}
    }
    *settings = Arc::new(settings.with_changeable_of(&other));
}

fn limit(stream: &mut Stream) -> QueueLimit {
    match stream.below(3) {
        0 => QueueLimit::Bytes(1500 + stream.below(50_000)),
        _ => QueueLimit::Packets(1 + stream.below(40) as u32),
    }
}

/// Returns a discipline with a shaper, which is seldom faster than the link.
fn shaped(stream: &mut Stream) -> Discipline {
    let mut shapers = DISCIPLINES.iter().filter_map(|discipline| Some((discipline.name, discipline.shaper?)));
    let (name, shaper) = shapers.next().expect("one of the list");
    let mut discipline = Discipline::named(name).expect("one of the list");
    let rate = Rate::new(200_003 + stream.below(2_000_000)).expect("above zero");
    discipline.set(&[(shaper.name, Value::Rate(rate))]).expect("allowed");
    discipline
}

/// Returns a random discipline, with its defaults or with parameters that make it drop or mark packets even in a small network.
fn discipline(stream: &mut Stream) -> Discipline {
    let named = &DISCIPLINES[stream.below(DISCIPLINES.len() as u64) as usize];
    let mut discipline = Discipline::named(named.name).expect("one of the list");
    for (name, value) in [
        ("min_threshold", Value::Number(1.0 + stream.unit())),
        ("max_threshold", Value::Number(3.0 + stream.unit())),
        ("target", Value::Time(Span(1_000_000 + stream.below(9_000_000)))),
        ("interval", Value::Time(Span(10_000_000 + stream.below(90_000_000)))),
        ("flows", Value::Number(1.0 + stream.below(3) as f64)),
    ] {
        if discipline.value(name).is_some() && stream.below(2) == 0 {
            discipline.set(&[(name, value)]).expect("allowed");
        }
    }
    discipline
}

/// Changes settings of medium access, and rates and losses of a few stations.
fn change_air(bss: &mut BssConfig, stream: &mut Stream) {
    let any = [10, 20, 55, 110].map(Rate::from_hundred_kbps);
    let rates = if bss.phy.data_rates.is_empty() { &any } else { bss.phy.data_rates };
    let rate = |stream: &mut Stream| rates[stream.below(rates.len() as u64) as usize];
    match stream.below(6) {
        0 => bss.mac.rts_threshold = Some(stream.below(2000) as u32),
        1 => bss.mac.rts_threshold = None,
        2 => bss.mac.short_retry_limit = 1 + stream.below(8) as u32,
        3 => bss.mac.long_retry_limit = 1 + stream.below(8) as u32,
        4 => bss.mac.capture = stream.below(3) as f64 / 2.0,
        _ => {}
    }
    for station in &mut bss.stations {
        if let Some(qos) = &mut station.qos {
            let edca = &mut qos.edca[stream.below(4) as usize];
            edca.aifsn = 2 + stream.below(8) as u8;
            edca.cw_min = stream.below(32) as u32;
            edca.cw_max = edca.cw_min + stream.below(100) as u32;
            edca.txop = Span(stream.below(3) * 2_000_000);
            if let Some(snr) = &mut qos.snr {
                (snr.up, snr.down) = (30.0 * stream.unit(), 30.0 * stream.unit());
            }
        }
        match stream.below(6) {
            0 if station.qos.is_none() => station.data_rate = rate(stream),
            1 if station.qos.is_none() => station.ap_data_rate = rate(stream),
            2 => station.loss = None,
            3 => {
                station.loss = Some(FrameLoss {
                    position: FrameLossPosition::ALL[stream.below(2) as usize],
                    frames: LossyFrames::ALL[stream.below(2) as usize],
                    direction: FrameLossDirection::ALL[stream.below(2) as usize],
                    ..FrameLoss::of(LossModel::bernoulli(stream.below(30) as f64 / 100.0))
                });
            }
            _ => {}
        }
    }
}

/// Returns the record of a run that pauses at six random instants, and the egress at each, with the counts if it `looks`. At the first
/// `acts` pauses it changes settings and injects packets.
fn story(
    engine: Engine,
    scenario: &Scenario,
    number: u64,
    acts: usize,
    looks: bool,
) -> (Record, Vec<String>) {
    // Without series the fast engine schedules arrivals at interface queues.
    let recordings = if number.is_multiple_of(2) { ALL } else { Recordings::default() };
    let stream = &mut Stream::new(number, "actions");
    let external: Vec<_> = (0..scenario.flows.len()).filter(|_| stream.below(3) == 0).collect();
    let mut driven = Driven::start(engine, scenario, number, recordings, &external);
    let mut seen = Vec::new();
    let mut now = scenario.clone();
    for (act, at) in instants(stream, 6).into_iter().enumerate() {
        to(&mut driven, at);
        let counts = looks.then(|| driven.counts());
        seen.push(format!("{counts:?} {:?}", driven.take_egress()));
        if act >= acts {
            continue;
        }
        now = changed(&now, stream);
        driven.change(&now).expect("only what can change has changed");
        for &flow in &external {
            let side = if stream.below(2) == 0 { Side::Sender } else { Side::Receiver };
            let bytes = 40 + stream.below(1460) as u32;
            (0..stream.below(20))
                .for_each(|_| driven.inject(ForeignPacket { flow, to: side, bytes, id: act as u64 }));
        }
    }
    to(&mut driven, Time::NEVER);
    seen.push(format!("{:?}", driven.take_egress()));
    (driven.record(), seen)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pauses_change_nothing(number in 0u64..1_000_000_000) {
        let text = random_networks::random(number);
        let scenario = loaded(&text);
        for engine in Engine::ALL {
            // `whole` and `paused` compute links by arithmetic; `driven` and `steps` have queues.
            let mut whole = engine.start(&scenario, number, ALL);
            let mut paused = engine.start(&scenario, number, ALL);
            let mut driven = Driven::start(engine, &scenario, number, ALL, &[]);
            let mut steps = Driven::start(engine, &scenario, number, ALL, &[]);
            for at in instants(&mut Stream::new(number, "pauses"), 8) {
                while !paused.run_until(at, 1000) {}
                to(&mut steps, at);
                let record = steps.record();
                prop_assert_eq!(record.end, steps.now());
                prop_assert_eq!(paused.record().end, record.end);
            }
            while !whole.run_until(Time::NEVER, u64::MAX) {}
            while !paused.run_until(Time::NEVER, u64::MAX) {}
            to(&mut driven, Time::NEVER);
            to(&mut steps, Time::NEVER);
            prop_assert!(whole.into_record() == paused.into_record(), "pauses matter:\n{}", text);
            prop_assert!(driven.record() == steps.record(), "pauses matter where queues are:\n{}", text);
        }
    }

    #[test]
    fn the_same_actions_give_the_same_record(number in 0u64..1_000_000_000) {
        let text = random_networks::random(number);
        let scenario = loaded(&text);
        let [fast, plain] = Engine::ALL.map(|engine| story(engine, &scenario, number, 6, true));
        prop_assert!(fast == plain, "the engines differ:\n{}", text);
        // A reading of counts brings everything up to the instant; without one, a change must do so.
        let (unseen, _) = story(Engine::Fast, &scenario, number, 6, false);
        prop_assert!(fast.0 == unseen, "to look changes something:\n{}", text);
        let (_, seen) = story(Engine::Fast, &scenario, number, 3, true);
        prop_assert!(fast.1[..=3] == seen[..=3], "the fourth action changed the time before it:\n{}", text);
    }

    /// A change is complete: nothing of the settings before it stays. A connection begins with the settings that it was made with.
    #[test]
    fn a_change_at_the_start_is_as_good_as_a_setting(number in 0u64..1_000_000_000) {
        let text = random_networks::random(number);
        let scenario = loaded(&text);
        let stream = &mut Stream::new(number, "changes");
        let mut to_be = (0..4).fold(scenario.clone(), |scenario, _| changed(&scenario, stream));
        for (flow, before) in to_be.flows.iter_mut().zip(&scenario.flows) {
            if matches!(flow.transport, Transport::Tcp { .. }) {
                flow.transport.clone_from(&before.transport);
            }
        }
        for engine in Engine::ALL {
            let mut changed = Driven::start(engine, &scenario, number, Recordings::default(), &[]);
            changed.change(&to_be).expect("only what can change has changed");
            to(&mut changed, Time::NEVER);
            let mut set = Driven::start(engine, &to_be, number, Recordings::default(), &[]);
            to(&mut set, Time::NEVER);
            prop_assert!(changed.record() == set.record(), "{engine:?}:\n{}", text);
        }
    }
}

const LINE: &str = r#"
    [run]
    warmup = "0 s"
    duration = "10 s"
    [[node]]
    name = "a"
    [[node]]
    name = "b"
    [[link]]
    from = "a"
    to = "b"
    rate = "8 Mb/s"
    delay = "10 ms"
    queue = 50
    [[flow]]
    name = "f"
    from = "a"
    to = "b"
"#;

const SECOND: u64 = 1_000_000_000;

/// Packets of 1000 bytes take 1 ms each. After 2.5 of them the rate is halved: the third ends as it began, two more take 2 ms.
#[test]
fn a_new_rate_holds_from_the_next_transmission_on() {
    for engine in Engine::ALL {
        let scenario = loaded(LINE);
        let mut driven = Driven::start(engine, &scenario, 1, Recordings::default(), &[0]);
        for id in 0..5 {
            driven.inject(ForeignPacket { flow: 0, to: Side::Receiver, bytes: 1000, id });
        }
        to(&mut driven, Time(2_500_000));
        let mut slower = scenario.clone();
        slower.links[0].forward.rate = Rate::new(4_000_000).expect("above zero");
        assert_eq!(driven.change(&slower), Ok(()));
        to(&mut driven, Time(SECOND));
        let micros: Vec<_> = driven.take_egress().iter().map(|(at, _)| at.0 / 1000).collect();
        assert_eq!(micros, [11_000, 12_000, 13_000, 15_000, 17_000]);
        assert_eq!(driven.counts().flows[0].delivered_bytes, 5000);
    }
}

#[test]
fn a_shorter_delay_lets_no_packet_overtake_another() {
    let scenario = loaded(LINE);
    let mut driven = Driven::start(Engine::Fast, &scenario, 1, Recordings::default(), &[0]);
    let send = |driven: &mut Driven, id| {
        driven.inject(ForeignPacket { flow: 0, to: Side::Receiver, bytes: 1000, id });
    };
    send(&mut driven, 1);
    to(&mut driven, Time(2_000_000));
    let mut nearer = scenario.clone();
    nearer.links[0].forward.delay = Span(1000);
    assert_eq!(driven.change(&nearer), Ok(()));
    send(&mut driven, 2);
    to(&mut driven, Time(SECOND));
    let egress: Vec<_> = driven.take_egress().iter().map(|(at, packet)| (at.0, packet.id)).collect();
    assert_eq!(egress, [(11_000_000, 1), (11_000_000, 2)]);
}

#[test]
fn what_a_run_rests_on_cannot_change() {
    let scenario = loaded(LINE);
    let mut driven = Driven::start(Engine::Fast, &scenario, 1, Recordings::default(), &[]);
    for change in [
        |scenario: &mut Scenario| scenario.duration = Span(1),
        |scenario: &mut Scenario| scenario.links.clear(),
    ] {
        let mut other = scenario.clone();
        change(&mut other);
        assert!(driven.change(&other).is_err());
    }
    to(&mut driven, Time::NEVER);
    let whole = Engine::Fast.run(&scenario, 1, Recordings::default());
    assert!(driven.record() == whole, "refused changes leave no trace");
}
