//! Whatever a network does to segments and ACKs, short of losing all of them (it may mark them, and rewrite the windows that ACKs
//! advertise): every byte arrives once and in order, and nobody waits for something that will not come.

mod world;

use airfair_core::{Rate, Span, Stream, Time};
use airfair_tcp::congestion::{Control, Kind, Value};
use airfair_tcp::profile::{NAMES, Profile, TcpName, settings};
use airfair_tcp::settings::{EcnEcho, Handshake, Pacing, Recovery, Restart};
use airfair_tcp::{Receiver, Sender, Settings};
use proptest::prelude::*;
use world::{Fate, Meddling, World};

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        2 => Just(Fate::Lost),
        10 => Just(Fate::Late(10_000)),
        2 => (5_000u64..60_000).prop_map(Fate::Late),
        1 => (5_000u64..60_000).prop_map(Fate::Twice),
    ];
    prop::collection::vec(fate, 1..400)
}

fn meddling() -> impl Strategy<Value = Meddling> {
    // Closed for a while, nearly closed, or open.
    let window = prop_oneof![2 => Just(0u32), 3 => 1u32..4, 2 => Just(1000)];
    let windows = prop_oneof![Just(Vec::new()), prop::collection::vec(window, 1..200)];
    let marks = prop::collection::vec(prop::bool::weighted(0.2), 0..200);
    (fates(), windows, marks).prop_map(|(fates, windows, marks)| Meddling { fates, windows, marks })
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let profile = prop::sample::select(&Profile::ALL[..]);
    let tcp = prop::sample::select(NAMES.iter().copied().filter_map(TcpName::from_name).collect::<Vec<_>>());
    let recovery = prop::option::of(prop::sample::select(&Recovery::ALL[..]));
    let restart = prop::option::of(prop::sample::select(&Restart::ALL[..]));
    let handshake = prop::option::of(prop::sample::select(&Handshake::ALL[..]));
    let ecn = (any::<bool>(), prop::sample::select(&EcnEcho::ALL[..]));
    let jitter = prop_oneof![Just(Span::ZERO), (1u64..50_000).prop_map(Span::from_micros)];
    let pacing = (prop::sample::select(&Pacing::ALL[..]), prop::option::of(1u32..10));
    (
        profile,
        tcp,
        recovery,
        restart,
        handshake,
        1u32..40,
        ecn,
        any::<[bool; 4]>(),
        (jitter, pacing),
        any::<u64>(),
    )
        .prop_map(
            |(
                profile,
                tcp,
                recovery,
                restart,
                handshake,
                window,
                ecn,
                [prr, dsack, frto, timestamps],
                (send_jitter, pacing),
                seed,
            )| {
                let usual = settings(profile, tcp);
                Settings {
                    control: with_random_parameters(&usual.control, seed),
                    recovery: recovery.unwrap_or(usual.recovery),
                    restart: restart.unwrap_or(usual.restart),
                    handshake: handshake.unwrap_or(usual.handshake),
                    receive_window: window,
                    ecn: ecn.0,
                    ecn_echo: ecn.1,
                    prr,
                    undo: prr,
                    dsack,
                    frto,
                    timestamps,
                    send_jitter,
                    pacing: pacing.0,
                    pacing_quantum: pacing.1,
                    ..usual
                }
            },
        )
}

/// `control` with some of its parameters set to random allowed values.
fn with_random_parameters(control: &Control, seed: u64) -> Control {
    let mut control = control.clone();
    let mut draws = Stream::new(seed, "parameters");
    for parameter in control.parameters() {
        // From a thousandth to a thousand, as evenly in its logarithm as needed.
        let number = draws.uniform(1.0, 10.0) * [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0][draws.below(6) as usize];
        let value = match parameter.kind {
            Kind::Number(_) | Kind::Fraction | Kind::Segments(_) => Value::Number(number),
            Kind::Time(_) => Value::Time(Span::from_secs_f64(number)),
            Kind::Bytes(_) => Value::Bytes(draws.below(100_000)),
            Kind::Rate => Value::Rate(Rate::from_hundred_kbps(1 + draws.below(1000))),
            Kind::Count(..) => Value::Count(number as u64),
            Kind::Word(words) => Value::Word(words[draws.below(words.len() as u64) as usize]),
            Kind::Length(_) => Value::Length(number),
            Kind::Level(_) => Value::Level(number),
            Kind::Power(_) => Value::Power(number),
            Kind::Flag => Value::Flag(draws.below(2) == 1),
        };
        // Out of range, or against the others: left as it is.
        let _ = control.set(&[(parameter.name, value)]);
    }
    control
}

#[test]
fn random_parameters_reach_every_parameter_of_every_control() {
    for tcp in NAMES.iter().copied().map(TcpName::named) {
        let usual = settings(Profile::Rfc, tcp).control;
        for parameter in usual.parameters() {
            let differs = |seed| {
                let random = with_random_parameters(&usual, seed);
                random.value(parameter.name) != usual.value(parameter.name)
            };
            assert!((0..100).any(differs), "{tcp:?}: {}", parameter.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_transfer_completes(
        settings in any_settings(),
        meddling in meddling(),
        writes in prop::collection::vec((1u64..60_000, 0u64..3000), 1..4),
    ) {
        let mut world = World::new(&settings, &meddling);
        for (bytes, pause) in writes {
            world.write(bytes);
            // The next write may come in the middle of it or after a pause.
            let until = world.now + Span::from_millis(pause);
            while world.now < until && world.step() {}
            world.now = world.now.max(until);
        }
        world.run_until_idle();
        prop_assert_eq!(world.receiver.delivered_to(), world.written);
        prop_assert_eq!(world.sender.acked_to(), world.written);
        prop_assert!(world.sender.cwnd() >= 0.0 && world.sender.cwnd().is_finite());
    }
}

/// The timer of an idle sender runs only where the restart rule wants it, whatever the recovery.
#[test]
fn an_idle_sender_keeps_a_timer_only_to_restart_by_it() {
    for recovery in Recovery::ALL {
        for restart in [Restart::None, Restart::IdleTimeout, Restart::Rfc5681] {
            let handshake = Handshake::None;
            let settings = Settings {
                recovery,
                restart,
                handshake,
                delayed_ack: false,
                ..settings(Profile::Ns2, TcpName::named("westwood"))
            };
            let (mut sender, mut receiver) = (Sender::new(&settings), Receiver::new(&settings));
            sender.write(Time::ZERO, 10 * u64::from(settings.segment_bytes));
            let mut now = Time::ZERO;
            while !sender.is_idle() {
                let segments: Vec<_> = std::iter::from_fn(|| sender.poll_transmit(now)).collect();
                assert!(!segments.is_empty(), "{recovery:?}, {restart:?}: nothing is lost, so nothing stops");
                now += Span::from_millis(10);
                for segment in segments {
                    receiver.on_segment(now, &segment);
                    while let Some(ack) = receiver.poll_transmit() {
                        sender.on_ack(now, &ack);
                    }
                }
            }
            let runs = sender.next_deadline() < Time::NEVER;
            assert_eq!(runs, restart == Restart::IdleTimeout, "{recovery:?}, {restart:?}");
        }
    }
}
