//! The mean window under regular losses, where it is known: RFC 9438, section 5.1, tables 1 and 2.
//!
//! The RFC's own assumption: exactly one segment in 1/p is lost, every segment is acknowledged, the round trip is constant, and each loss
//! comes where the cubic function is flat. A path without a queue gives that, once a first loss has come at such a window. (The
//! equations do not lead there in haste: each loss changes the window of the next one by the third power of how early or late it comes, so
//! that ten losses after one at twice that window the mean is still a quarter above the tables'.)

use airfair_core::schema::Value;
use airfair_core::{Span, Time};
use airfair_tcp::profile::settings;
use airfair_tcp::{Ack, Profile, Receiver, Segment, Sender, Settings, TcpName};
use std::collections::VecDeque;

/// A sender and a receiver that are half a round trip apart.
struct Loop {
    now: Time,
    delay: Span,
    sender: Sender,
    receiver: Receiver,
    segments: VecDeque<(Time, Segment)>,
    acks: VecDeque<(Time, Ack)>,
    sent: u64,
    /// The next segment to be lost, and how far apart they are.
    lost_next: u64,
    lost_every: u64,
}

impl Loop {
    fn new(settings: &Settings, rtt: Span, lost_every: u64) -> Loop {
        Loop {
            now: Time::ZERO,
            delay: rtt / 2,
            sender: Sender::new(settings),
            receiver: Receiver::new(settings),
            segments: VecDeque::new(),
            acks: VecDeque::new(),
            sent: 0,
            lost_next: u64::MAX,
            lost_every,
        }
    }

    fn drain(&mut self) {
        let due = self.now + self.delay;
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.sent += 1;
            if self.sent == self.lost_next {
                self.lost_next += self.lost_every;
            } else {
                self.segments.push_back((due, segment));
            }
        }
        while let Some(ack) = self.receiver.poll_transmit() {
            self.acks.push_back((due, ack));
        }
    }

    fn step(&mut self) {
        let front = |at: Option<Time>| at.unwrap_or(Time::NEVER);
        let (segment, ack) =
            (front(self.segments.front().map(|two| two.0)), front(self.acks.front().map(|two| two.0)));
        let timer = self.sender.next_deadline();
        self.now = segment.min(ack).min(timer);
        if segment == self.now {
            let (_, segment) = self.segments.pop_front().expect("it is due");
            self.receiver.on_segment(self.now, &segment);
        } else if ack == self.now {
            let (_, ack) = self.acks.pop_front().expect("it is due");
            self.sender.on_ack(self.now, &ack);
        } else {
            self.sender.on_timer(self.now);
        }
        self.drain();
    }

    fn run_until_sent(&mut self, segments: u64) {
        while self.sent < segments {
            self.step();
        }
    }
}

/// Segments delivered in a round trip, on average over five losses, after one at a window of `peak` and another five.
fn mean_window(c: f64, rtt: Span, lost_every: u64, peak: f64) -> f64 {
    let mut settings = Settings {
        segment_bytes: 1000,
        receive_window: 1 << 20,
        initial_ssthresh: Some(peak),
        delayed_ack: false,
        ..settings(Profile::Rfc, TcpName::named("cubic"))
    };
    let values =
        [("c", Value::Number(c)), ("fast_convergence", Value::Flag(false)), ("hystart", Value::Word("off"))];
    settings.control.set(&values).expect("allowed");
    let mut path = Loop::new(&settings, rtt, lost_every);
    path.sender.write_unbounded(Time::ZERO);
    path.drain();
    while path.sender.cwnd() < peak {
        path.step();
    }
    let first = path.sent + 1;
    path.lost_next = first;
    path.run_until_sent(first + 5 * lost_every);
    let (began, before) = (path.now, path.receiver.delivered_to());
    path.run_until_sent(first + 10 * lost_every);
    let stats = path.sender.stats();
    assert_eq!((stats.window_cuts, stats.timeouts), (10, 0));
    let rounds = path.now.since(began).as_secs() / rtt.as_secs();
    (path.receiver.delivered_to() - before) as f64 / 1000.0 / rounds
}

#[test]
fn cubics_mean_window_is_that_of_the_rfcs_tables() {
    let mut wrong = Vec::new();
    for (millis, c, lost_every, wanted) in [
        (100, 0.4, 1000, 38.0),
        (100, 0.4, 10_000, 187.0),
        (100, 0.4, 100_000, 1054.0),
        (100, 0.04, 10_000, 120.0),
        (100, 0.04, 100_000, 593.0),
        (100, 4.0, 1000, 59.0),
        (100, 4.0, 10_000, 333.0),
        (100, 4.0, 100_000, 1874.0),
        (10, 0.4, 1000, 38.0),
        (10, 0.4, 10_000, 120.0),
        (10, 0.4, 100_000, 379.0),
    ] {
        // From 7/10 of it to the peak the function's mean is 92.5 % of it.
        let mean = mean_window(c, Span::from_millis(millis), lost_every, wanted / 0.925);
        println!(
            "{millis} ms, C = {c}, 1/p = {lost_every}: {mean:.1}, in the RFC {wanted} ({:.3})",
            mean / wanted
        );
        if (mean / wanted - 1.0).abs() > 0.1 {
            wrong.push((millis, c, lost_every, mean));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The first row of table 1 is missed: its model has neither the round trip of each recovery, one of nine here, in which the window does
/// not grow, nor windows of whole segments. With both, a window that grows by 9/17 of a segment in a round trip and falls to 7/10 has a mean
/// of 10.9, where the table has 12.
#[test]
fn with_small_windows_the_round_trips_of_recovery_count() {
    let (lost_every, growth, left) = (100.0, 9.0 / 17.0, 0.7);
    // Segments of a cycle: those of the rising window, and three quarters of the peak in recovery.
    let rounds = (1.0 - left) / growth;
    let (squared, linear) = (rounds * (1.0 + left) / 2.0, 0.75);
    let peak = (f64::sqrt(linear * linear + 4.0 * squared * lost_every) - linear) / (2.0 * squared);
    let wanted = lost_every / (rounds * peak + 1.0) - 0.5;
    assert!((wanted - 10.9).abs() < 0.1, "{wanted}");
    let mean = mean_window(0.4, Span::from_millis(100), 100, 12.0 / 0.925);
    assert!((mean / wanted - 1.0).abs() < 0.05, "{mean}");
    assert!(mean < 0.9 * 12.0, "{mean}");
}
