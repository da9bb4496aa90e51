//! Whatever a network does to segments and ACKs, short of losing all of them: every byte arrives once and in
//! order, and nobody waits for something that will not come.

use airfair_core::{Span, Stream, Time};
use airfair_tcp::congestion::{Control, Kind, Value};
use airfair_tcp::profile::{Profile, TcpName, names, settings};
use airfair_tcp::settings::{Handshake, Recovery, Restart};
use airfair_tcp::{Ack, Receiver, Segment, Sender, Settings};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What becomes of a packet.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Lost,
    /// Delivered after this many microseconds (later ones may overtake it).
    Late(u64),
    Twice(u64),
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        2 => Just(Fate::Lost),
        10 => Just(Fate::Late(10_000)),
        2 => (5_000u64..60_000).prop_map(Fate::Late),
        1 => (5_000u64..60_000).prop_map(Fate::Twice),
    ];
    prop::collection::vec(fate, 1..400)
}

const RECOVERIES: [Recovery; 7] = [
    Recovery::Tahoe,
    Recovery::Reno,
    Recovery::NewReno,
    Recovery::Sack,
    Recovery::SackPipe,
    Recovery::Fack,
    Recovery::Vegas,
];

fn any_settings() -> impl Strategy<Value = Settings> {
    let profile = prop::sample::select(vec![Profile::Ns2, Profile::Rfc, Profile::Linux]);
    let tcp = prop::sample::select(names().filter_map(TcpName::from_name).collect::<Vec<_>>());
    let recovery = prop::option::of(prop::sample::select(RECOVERIES.to_vec()));
    let restart = prop::option::of(prop::sample::select(vec![
        Restart::None,
        Restart::IdleTimeout,
        Restart::IdleTimeoutIsLoss,
        Restart::Rfc5681,
        Restart::Rfc2861,
        Restart::Rfc7661,
    ]));
    let handshake = prop::option::of(prop::sample::select(vec![
        Handshake::None,
        Handshake::FirstSegment,
        Handshake::OneWay,
        Handshake::Overlapped,
        Handshake::ThreeWay,
    ]));
    let jitter = prop_oneof![Just(Span::ZERO), (1u64..50_000).prop_map(Span::from_micros)];
    (profile, tcp, recovery, restart, handshake, 1u32..40, jitter, any::<u64>()).prop_map(
        |(profile, tcp, recovery, restart, handshake, window, send_jitter, seed)| {
            let usual = settings(profile, tcp);
            Settings {
                control: with_random_parameters(&usual.control, seed),
                recovery: recovery.unwrap_or(usual.recovery),
                restart: restart.unwrap_or(usual.restart),
                handshake: handshake.unwrap_or(usual.handshake),
                receive_window: window,
                send_jitter,
                ..usual
            }
        },
    )
}

/// `control` with some of what it says can be set set to what it says is allowed.
fn with_random_parameters(control: &Control, seed: u64) -> Control {
    let mut control = control.clone();
    let mut draws = Stream::new(seed, "parameters");
    for parameter in control.parameters() {
        // From a thousandth to a thousand, as evenly in its logarithm as needed.
        let number = draws.uniform(1.0, 10.0) * [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0][draws.below(6) as usize];
        let value = match parameter.kind {
            Kind::Number(_) | Kind::Segments(_) => Value::Number(number),
            Kind::Time(_) => Value::Time(Span::from_secs_f64(number)),
            Kind::Bytes(_) => Value::Bytes(draws.below(100_000)),
            Kind::Word(words) => Value::Word(words[draws.below(words.len() as u64) as usize]),
        };
        // Out of range, or against the others: left as it is.
        let _ = control.set(&[(parameter.name, value)]);
    }
    control
}

#[test]
fn random_parameters_reach_every_parameter_of_every_control() {
    for tcp in names().map(TcpName::named) {
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

enum Packet {
    Data(Segment),
    Ack(Ack),
}

/// A sender and a receiver with a network of fates in between.
struct World<'a> {
    settings: &'a Settings,
    sender: Sender,
    receiver: Receiver,
    now: Time,
    flying: BinaryHeap<Reverse<(Time, u64)>>,
    packets: Vec<Packet>,
    fates: &'a [Fate],
    written: u64,
    /// The furthest byte that a segment carried, and that the sender said it sent, got acknowledged or
    /// delivered.
    carried: u64,
    progress: [u64; 3],
}

impl World<'_> {
    fn launch(&mut self, packet: Packet) {
        let number = self.packets.len();
        // After the listed fates the network behaves.
        let fate = self.fates.get(number).copied().unwrap_or(Fate::Late(10_000));
        self.packets.push(packet);
        let mut fly = |micros| {
            let at = self.now + Span::from_micros(micros);
            self.flying.push(Reverse((at, number as u64)));
        };
        match fate {
            Fate::Lost => {}
            Fate::Late(micros) => fly(micros),
            Fate::Twice(micros) => {
                fly(10_000);
                fly(micros);
            }
        }
    }

    fn drain(&mut self) {
        let mut burst = 0;
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.check_segment(&segment);
            self.launch(Packet::Data(segment));
            burst += 1;
            assert!(burst < 1000, "an endless burst");
        }
        while let Some(ack) = self.receiver.poll_transmit(self.now) {
            assert!(ack.ack <= self.carried && ack.ack == self.receiver.delivered_to());
            for (start, end) in ack.sack.iter(ack.ack) {
                // Only what waits for the SYN may begin at the ACK itself.
                let beyond = start > ack.ack || !ack.syn;
                assert!(beyond && start < end && end <= self.carried, "{ack:?}");
            }
            self.launch(Packet::Ack(ack));
        }
        self.check_progress();
    }

    fn check_segment(&mut self, segment: &Segment) {
        let end = segment.seq + u64::from(segment.len);
        assert!(segment.syn == (segment.len == 0), "{segment:?}");
        assert!(segment.len <= self.settings.segment_bytes && end <= self.written, "{segment:?}");
        if !segment.syn {
            assert_eq!(segment.retransmission, segment.seq < self.carried, "{segment:?}");
            assert!(segment.seq <= self.carried, "a gap in what was sent: {segment:?}");
        }
        self.carried = self.carried.max(end);
        if self.settings.window_edge {
            let window = u64::from(self.settings.receive_window) * u64::from(self.settings.segment_bytes);
            // A window kept in segments may begin one within its edge.
            let edge = self.sender.acked_to() + window + u64::from(self.settings.segment_bytes) - 1;
            assert!(end <= edge, "beyond the receive window: {segment:?}");
        }
    }

    fn check_progress(&mut self) {
        let now = [self.sender.sent_to(), self.sender.acked_to(), self.receiver.delivered_to()];
        for (before, after) in self.progress.iter().zip(now) {
            assert!(*before <= after, "progress was undone");
        }
        let [sent, acked, delivered] = now;
        assert!(acked <= delivered && delivered <= sent && sent == self.carried, "{now:?}");
        self.progress = now;
    }

    /// One input; false when nothing is left to happen.
    fn step(&mut self) -> bool {
        let timer = self.sender.next_deadline().min(self.receiver.next_deadline());
        let flight = self.flying.peek().map_or(Time::NEVER, |Reverse((at, _))| *at);
        if timer == Time::NEVER && flight == Time::NEVER {
            return false;
        }
        self.now = self.now.max(timer.min(flight));
        if flight <= timer {
            let Some(Reverse((_, number))) = self.flying.pop() else { return false };
            match &self.packets[number as usize] {
                Packet::Data(segment) => self.receiver.on_segment(self.now, segment),
                Packet::Ack(ack) => self.sender.on_ack(self.now, ack),
            }
        } else {
            self.sender.on_timer(self.now);
            self.receiver.on_timer(self.now);
        }
        self.drain();
        true
    }

    fn write(&mut self, bytes: u64) {
        self.written += bytes;
        self.sender.write(self.now, bytes);
        self.drain();
    }

    fn run_until_idle(&mut self) {
        for _ in 0..200_000 {
            if self.sender.is_idle() {
                return;
            }
            assert!(self.step(), "stuck without a timer at {:?}", self.progress);
        }
        panic!("no end: {:?} of {}", self.progress, self.written);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_transfer_completes(
        settings in any_settings(),
        fates in fates(),
        writes in prop::collection::vec((1u64..60_000, 0u64..3000), 1..4),
    ) {
        let mut world = World {
            settings: &settings,
            sender: Sender::new(&settings).with_jitter(Stream::new(1, "jitter")),
            receiver: Receiver::new(&settings),
            now: Time::ZERO,
            flying: BinaryHeap::new(),
            packets: Vec::new(),
            fates: &fates,
            written: 0,
            carried: 0,
            progress: [0; 3],
        };
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
    for recovery in RECOVERIES {
        for restart in [Restart::None, Restart::IdleTimeout, Restart::Rfc5681] {
            let handshake = Handshake::None;
            let settings = Settings {
                recovery,
                restart,
                handshake,
                delayed_ack: None,
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
                    while let Some(ack) = receiver.poll_transmit(now) {
                        sender.on_ack(now, &ack);
                    }
                }
            }
            let runs = sender.next_deadline() < Time::NEVER;
            assert_eq!(runs, restart == Restart::IdleTimeout, "{recovery:?}, {restart:?}");
        }
    }
}
