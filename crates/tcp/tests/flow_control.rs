//! A receive window that changes in flight: smaller, larger, closed (RFC 9293, section 3.8.6; RFC 1122, section 4.2.2.17).

use airfair_core::{Span, Time};
use airfair_tcp::profile::{Profile, TcpName, settings};
use airfair_tcp::settings::Handshake;
use airfair_tcp::{Ack, SackBlocks, Segment, Sender, Settings};
use std::collections::VecDeque;

/// A sender of ns-2's Reno (timeout 3 s at first, 0.2 s at least) with ten segments of 1000 bytes on their way and more to send.
struct Connection {
    sender: Sender,
    now: Time,
}

fn connection() -> Connection {
    let usual = settings(Profile::Ns2, TcpName::named("reno"));
    let handshake = Handshake::None;
    let mut sender = Sender::new(&Settings { handshake, initial_window: 10.0, ..usual });
    sender.write(Time::ZERO, 100_000);
    let mut connection = Connection { sender, now: Time::ZERO };
    assert_eq!(connection.sent().len(), 10);
    connection
}

impl Connection {
    fn sent(&mut self) -> Vec<Segment> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
    }

    /// Delivers an ACK of `segments` segments that advertises `window` more. Returns the numbers of the segments then sent.
    fn ack(&mut self, segments: u64, window: u32) -> Vec<u64> {
        let (sack, echo) = (SackBlocks::NONE, Time::ZERO);
        let ack = Ack { ack: 1000 * segments, window, sack, echo, syn: true, ece: false, ace: 0 };
        self.sender.on_ack(self.now, &ack);
        self.numbers()
    }

    fn numbers(&mut self) -> Vec<u64> {
        self.sent().iter().map(|segment| segment.seq / 1000).collect()
    }

    /// Goes to the next deadline. Returns the numbers of the segments then sent.
    fn wait(&mut self) -> Vec<u64> {
        self.now = self.sender.next_deadline();
        self.sender.on_timer(self.now);
        self.numbers()
    }
}

#[test]
fn only_acks_that_advertise_the_same_window_are_duplicates() {
    for (windows, retransmitted) in [([20, 20, 20], true), ([19, 18, 17], false)] {
        let mut connection = connection();
        for window in windows {
            connection.ack(0, window);
        }
        assert_eq!(connection.sender.stats().fast_retransmits, u64::from(retransmitted), "{windows:?}");
    }
}

#[test]
fn an_ack_that_opens_the_window_alone_lets_segments_out() {
    let mut connection = connection();
    // Slow start would allow 10 to 15; the receive window ends with the outstanding segments.
    assert_eq!(connection.ack(5, 5), []);
    assert_eq!(connection.ack(5, 6), [10]);
    assert_eq!(connection.ack(5, 20), [11, 12, 13, 14, 15]);
}

#[test]
fn a_shrinking_window_takes_nothing_back_and_lets_nothing_new_out() {
    let mut connection = connection();
    assert_eq!(connection.ack(2, 3), []);
    assert_eq!((connection.sender.sent_to(), connection.sender.acked_to()), (10_000, 2000));
    // Five of eight segments are beyond the right edge; resent segments after a timeout stay within it.
    assert_eq!(connection.wait(), [2]);
    assert_eq!(connection.ack(4, 3), [4, 5]);
    assert_eq!(connection.ack(10, 1), [10]);
}

#[test]
fn an_overtaken_ack_does_not_change_the_window() {
    let mut connection = connection();
    connection.ack(5, 20);
    assert_eq!(connection.ack(3, 0), []);
    assert_eq!(connection.ack(6, 20), [16, 17], "the window is what it was");
}

#[test]
fn a_closed_window_is_probed_ever_more_seldom_and_opens_again() {
    let mut connection = connection();
    connection.now += Span::from_millis(100);
    assert_eq!(connection.ack(10, 0), []);
    let (timeout, window) = (connection.sender.rto(), connection.sender.cwnd());
    let mut since = connection.now;
    for doublings in 0..12 {
        // The first probe brings a new segment; while it stays unanswered it is sent again.
        assert_eq!(connection.wait(), [10]);
        let expected = Span(timeout.0 << doublings).min(Span::from_secs(60));
        assert_eq!(connection.now.since(since), expected, "probe {doublings}");
        since = connection.now;
    }
    let stats = connection.sender.stats();
    assert_eq!((stats.probes, stats.timeouts, stats.window_cuts), (12, 0, 0));
    assert_eq!((connection.sender.cwnd(), connection.sender.rto()), (window, timeout), "nothing was lost");
    assert_eq!(connection.ack(11, 3), [11, 12, 13]);
    assert_eq!(connection.sender.next_deadline().since(connection.now), timeout, "no probe's interval");
}

#[test]
fn while_the_window_stays_closed_probes_carry_the_stream_on() {
    let mut connection = connection();
    let mut acked = 10;
    connection.ack(acked, 0);
    while !connection.sender.is_idle() {
        assert_eq!(connection.wait(), [acked]);
        acked += 1;
        assert_eq!(connection.ack(acked, 0), []);
    }
    assert_eq!((acked, connection.sender.stats().probes), (100, 90));
    assert_eq!(connection.sender.stats().retransmissions, 0);
}

/// Segments outside a window that shrank to zero may have been lost: the probe retransmits them.
#[test]
fn probes_carry_segments_outstanding_when_the_window_closed() {
    let mut connection = connection();
    assert_eq!(connection.ack(4, 0), []);
    assert_eq!(connection.wait(), [4]);
    assert_eq!(connection.ack(10, 0), []);
    assert_eq!(connection.wait(), [10]);
    assert_eq!(connection.sender.stats().timeouts, 0);
    // Open again, the timer finds losses as before.
    assert_eq!(connection.ack(10, 1), []);
    assert_eq!(connection.wait(), [10]);
    assert_eq!(connection.sender.stats().timeouts, 1);
}

#[test]
fn there_is_nothing_to_probe_for_without_data() {
    for profile in [Profile::Rfc, Profile::Linux] {
        let usual = settings(profile, TcpName::named("newreno"));
        let mut sender = Sender::new(&Settings { handshake: Handshake::None, ..usual });
        sender.write(Time::ZERO, 1);
        assert!(sender.poll_transmit(Time::ZERO).is_some());
        let closes = Ack {
            ack: 1,
            window: 0,
            sack: SackBlocks::NONE,
            echo: Time::ZERO,
            syn: true,
            ece: false,
            ace: 0,
        };
        sender.on_ack(Time(1), &closes);
        assert_eq!(sender.next_deadline(), Time::NEVER, "{profile:?}");
        sender.write_unbounded(Time(2));
        assert!(sender.poll_transmit(Time(2)).is_none());
        assert_eq!(sender.next_deadline(), Time(2) + sender.rto(), "{profile:?}");
        sender.stop(Time(3));
        assert_eq!(sender.next_deadline(), Time::NEVER, "{profile:?}");
    }
}

/// Linux (`tcp_is_cwnd_limited`): in slow start up to twice what is outstanding. Segments that a pacing rate lets out later count as well.
#[test]
fn a_window_that_the_receiver_keeps_from_being_used_stays_small() {
    const ROUND_TRIP: Span = Span::from_millis(20);
    for name in ["cubic", "prague"] {
        let linux = settings(Profile::Linux, TcpName::named(name));
        let receive_window = 20;
        let settings = Settings {
            handshake: Handshake::None,
            segment_bytes: 1000,
            receive_window,
            first_window: None,
            ..linux
        };
        let mut sender = Sender::new(&settings);
        sender.write_unbounded(Time::ZERO);
        let (mut now, mut flying) = (Time::ZERO, VecDeque::<Segment>::new());
        while sender.acked_to() < 4_000_000 {
            flying.extend(std::iter::from_fn(|| sender.poll_transmit(now)));
            let due = flying.front().map_or(Time::NEVER, |segment| segment.sent_at + ROUND_TRIP);
            now = due.min(sender.next_deadline());
            if now < due {
                sender.on_timer(now);
            } else if let Some(Segment { seq, sent_at: echo, .. }) = flying.pop_front() {
                let (window, sack) = (receive_window, SackBlocks::NONE);
                sender
                    .on_ack(now, &Ack { ack: seq + 1000, window, sack, echo, syn: true, ece: false, ace: 5 });
            }
        }
        assert_eq!(sender.cwnd(), 40.0, "{name}");
    }
}
