//! Settings that change while a connection is open.

use airfair_core::schema::Value;
use airfair_core::{Span, Time};
use airfair_tcp::profile::settings;
use airfair_tcp::{Profile, Receiver, Sender, Settings, TcpName};
use std::sync::Arc;

fn rfc(name: &str) -> Settings {
    settings(Profile::Rfc, TcpName::from_name(name).expect("a name of the list"))
}

fn ms(millis: u64) -> Span {
    Span::from_millis(millis)
}

/// A connection over a path of 100 ms that loses nothing.
struct Path {
    sender: Sender,
    receiver: Receiver,
    now: Time,
}

impl Path {
    fn new(settings: &Settings) -> Path {
        let mut sender = Sender::new(settings);
        sender.write_unbounded(Time::ZERO);
        Path { sender, receiver: Receiver::new(settings), now: Time::ZERO }
    }

    fn adopt(&mut self, settings: &Settings) {
        self.sender.adopt(Arc::new(settings.clone()));
        self.receiver.adopt(settings);
    }

    /// A round trip: the segments that go out, and the acknowledgements that come back.
    fn round(&mut self) -> (usize, usize) {
        let segments: Vec<_> = std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect();
        self.now += ms(50);
        let mut acks = Vec::new();
        for segment in &segments {
            self.receiver.on_segment(self.now, segment);
            acks.extend(self.receiver.poll_transmit());
        }
        self.receiver.on_timer(self.receiver.next_deadline().min(self.now + ms(1000)));
        acks.extend(self.receiver.poll_transmit());
        self.now += ms(50);
        for ack in &acks {
            self.sender.on_ack(self.now, ack);
        }
        (segments.len(), acks.len())
    }
}

impl Path {
    fn rounds(&mut self, rounds: u32) {
        for _ in 0..rounds {
            self.round();
        }
    }
}

#[test]
fn the_receiver_advertises_a_new_window_with_its_next_acknowledgement() {
    for profile in [Profile::Ns2, Profile::Rfc] {
        let mut changed = settings(profile, TcpName::named("newreno"));
        let mut path = Path::new(&changed);
        path.rounds(40);
        for window in [changed.receive_window, 10, 15] {
            changed.receive_window = window;
            path.adopt(&changed);
            path.rounds(10);
            assert_eq!(path.round().0, window as usize, "{profile:?}");
        }
    }
}

#[test]
fn the_timeout_is_as_the_new_bounds_say() {
    let mut changed = rfc("newreno");
    let mut path = Path::new(&changed);
    path.rounds(3);
    assert_eq!(path.sender.rto(), ms(1000));
    let armed = path.sender.next_deadline();
    (changed.rto_min, changed.rto_max) = (ms(3000), ms(4000));
    path.adopt(&changed);
    assert_eq!(
        (path.sender.rto(), path.sender.next_deadline()),
        (ms(3000), armed),
        "a timer that runs stays"
    );
    (changed.rto_min, changed.rto_max) = (ms(10), ms(20));
    path.adopt(&changed);
    assert_eq!(path.sender.rto(), ms(20));
}

#[test]
fn acknowledgements_are_delayed_from_now_on_or_no_longer() {
    let mut changed = rfc("newreno");
    let mut path = Path::new(&changed);
    path.rounds(12);
    assert_eq!(path.round(), (44, 22));
    changed.delayed_ack = false;
    path.adopt(&changed);
    assert_eq!(path.round(), (44, 44));
    (changed.delayed_ack, changed.delayed_ack_segments) = (true, 4);
    path.adopt(&changed);
    assert_eq!(path.round(), (44, 11));
}

#[test]
fn a_constant_window_changes_with_the_next_acknowledgement() {
    let mut changed = rfc("constant");
    let mut path = Path::new(&changed);
    path.rounds(5);
    assert_eq!(path.round().0, 8);
    for cwnd in [12.0, 3.0] {
        changed.control.set(&[("cwnd", Value::Number(cwnd))]).expect("allowed");
        path.adopt(&changed);
        path.round();
        path.round();
        assert_eq!(path.round().0, cwnd as usize);
    }
}

#[test]
fn all_else_stays_and_so_does_the_window_of_a_ring() {
    for (profile, name, window) in
        [(Profile::Rfc, "vegas", 7), (Profile::Ns2, "reno", 7), (Profile::Ns2, "vegas", 20)]
    {
        let before = settings(profile, TcpName::from_name(name).expect("a name of the list"));
        let other = Settings { receive_window: 7, segment_bytes: 99, ecn: true, ..before.clone() };
        let allowed = before.with_changeable_of(&other);
        let wanted =
            Settings { receive_window: if window == 7 { 7 } else { before.receive_window }, ..before };
        assert_eq!(allowed, wanted, "{profile:?} {name}");
    }
}
