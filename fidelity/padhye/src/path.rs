//! A path of constant delay that loses segments, and nothing else: no queue, no rate, no lost ACKs.

use airfair_core::{Span, Stream, Time};
use airfair_tcp::{Ack, Receiver, Segment, Sender, SenderStats, Settings};
use std::collections::VecDeque;

/// Which segments are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Losses {
    /// Each with the same probability, whatever happens to others.
    Independent,
    /// As the model assumes: after a loss all later segments of the round are lost too. Without a bottleneck a
    /// round leaves at one instant.
    RestOfRound,
}

/// Which segments are lost, and how often.
#[derive(Debug)]
pub struct Loss {
    kind: Losses,
    probability: f64,
    stream: Stream,
    last_lost_at: Option<Time>,
}

impl Loss {
    /// The draws of this `seed`.
    pub fn new(kind: Losses, probability: f64, seed: u64) -> Loss {
        Loss { kind, probability, stream: Stream::new(seed, "loss"), last_lost_at: None }
    }

    fn takes(&mut self, now: Time) -> bool {
        let round_is_lost = self.kind == Losses::RestOfRound && self.last_lost_at == Some(now);
        let lost = round_is_lost || self.stream.chance(self.probability);
        if lost {
            self.last_lost_at = Some(now);
        }
        lost
    }
}

/// One greedy connection over the path for `duration`.
pub fn send(settings: &Settings, round_trip: Span, duration: Span, mut loss: Loss) -> SenderStats {
    let one_way = Span(round_trip.0 / 2);
    let end = Time::ZERO + duration;
    let mut sender = Sender::new(settings);
    let mut receiver = Receiver::new(settings);
    let mut segments: VecDeque<(Time, Segment)> = VecDeque::new();
    let mut acks: VecDeque<(Time, Ack)> = VecDeque::new();
    sender.write_unbounded(Time::ZERO);
    let mut now = Time::ZERO;
    while now < end {
        while let Some(segment) = sender.poll_transmit(now) {
            if !loss.takes(now) {
                segments.push_back((now + one_way, segment));
            }
        }
        while let Some(ack) = receiver.poll_transmit(now) {
            acks.push_back((now + one_way, ack));
        }
        let arrival = segments.front().map_or(Time::NEVER, |&(at, _)| at);
        let answer = acks.front().map_or(Time::NEVER, |&(at, _)| at);
        let timers = sender.next_deadline().min(receiver.next_deadline());
        now = arrival.min(answer).min(timers);
        if arrival == now {
            segments.pop_front().inspect(|(_, segment)| receiver.on_segment(now, segment));
        } else if answer == now {
            acks.pop_front().inspect(|(_, ack)| sender.on_ack(now, ack));
        } else if sender.next_deadline() == now {
            sender.on_timer(now);
        } else {
            receiver.on_timer(now);
        }
    }
    *sender.stats()
}
