//! The ring of a link's transmitter, which takes packets from the queue ahead of time: of a fixed size, or bounded by Linux's byte
//! queue limits (BQL; `lib/dynamic_queue_limits.c`).

use crate::config::TxRing;
use airfair_core::{Span, Time};
use airfair_queue::Queued;
use airfair_queue::occupancy::Occupancy;
use std::collections::VecDeque;

/// A ring: packets that have left the queue, first in, first out, the one in transmission included.
#[derive(Clone, Debug)]
pub(crate) struct Ring<P> {
    waiting: VecDeque<P>,
    /// Packets and bytes held, the packet in transmission included.
    held: Occupancy,
    sending: Occupancy,
    limit: Limit,
}

#[derive(Clone, Debug)]
enum Limit {
    Packets(u32),
    Bytes(u64),
    Adapting(ByteLimit),
}

impl<P: Queued> Ring<P> {
    pub fn new(config: TxRing) -> Ring<P> {
        let limit = match config {
            TxRing::Packets(limit) => Limit::Packets(limit),
            TxRing::Bytes(limit) => Limit::Bytes(limit),
            TxRing::Bql => Limit::Adapting(ByteLimit::default()),
        };
        Ring { waiting: VecDeque::new(), held: Occupancy::default(), sending: Occupancy::default(), limit }
    }

    /// Whether the ring takes another packet, of any length: drivers stop the queue once they hold as much as the limit.
    pub fn has_room(&self) -> bool {
        match &self.limit {
            Limit::Packets(limit) => self.held.packets < *limit,
            Limit::Bytes(limit) => self.held.bytes < *limit,
            Limit::Adapting(limit) => limit.has_room(),
        }
    }

    /// Returns the number of packets held, the one in transmission included.
    pub fn packets(&self) -> u32 {
        self.held.packets
    }

    pub fn push(&mut self, packet: P) {
        self.held += Occupancy::of(&packet);
        if let Limit::Adapting(limit) = &mut self.limit {
            limit.on_queued(u64::from(packet.bytes()));
        }
        self.waiting.push_back(packet);
    }

    /// Removes and returns the packet that is sent next.
    pub fn pop(&mut self) -> Option<P> {
        let packet = self.waiting.pop_front()?;
        self.sending = Occupancy::of(&packet);
        Some(packet)
    }

    /// Notes that the packet in transmission has left.
    pub fn on_sent(&mut self, now: Time) {
        let sent = std::mem::take(&mut self.sending);
        self.held -= sent;
        if let Limit::Adapting(limit) = &mut self.limit {
            limit.on_completed(now, sent.bytes);
        }
    }
}

/// Linux's dynamic queue limit: as many bytes as keep the transmitter busy from one completion to the next, and little more. The
/// limit grows when the ring ran empty though the queue was stopped. It shrinks by the least excess seen over a period of
/// [`ByteLimit::HOLD`].
#[derive(Clone, Debug, Default)]
struct ByteLimit {
    limit: u64,
    /// Bytes put into the ring since the start. The next two fields: bytes sent since the start, and bytes of the latest packet.
    queued: u64,
    completed: u64,
    latest: u64,
    /// At the last completion, bytes queued since the start. The next two fields: by how much the bytes in the ring exceeded the
    /// limit then, and the bytes of the packet that was the latest then.
    queued_before: u64,
    over_before: u64,
    latest_before: u64,
    /// The least excess seen since `slack_since`.
    slack: Option<u64>,
    slack_since: Time,
}

impl ByteLimit {
    /// Linux's `slack_hold_time`.
    const HOLD: Span = Span::from_secs(1);

    fn has_room(&self) -> bool {
        self.queued <= self.completed + self.limit
    }

    fn on_queued(&mut self, bytes: u64) {
        self.queued += bytes;
        self.latest = bytes;
    }

    fn on_completed(&mut self, now: Time, bytes: u64) {
        let completed = self.completed + bytes;
        let over = (self.queued - self.completed).saturating_sub(self.limit);
        let is_empty = self.queued == completed;
        let had_any = self.queued_before > self.completed;
        // All that was in the ring at the last completion has been sent: the ring may have run empty in between.
        let all_sent = completed >= self.queued_before;
        let before = self.limit;
        if over > 0 && is_empty || self.over_before > 0 && all_sent {
            self.limit += completed.saturating_sub(self.queued_before) + self.over_before;
            (self.slack, self.slack_since) = (None, now);
        } else if !is_empty && had_any && !all_sent {
            // Twice what is sent at a time is enough. Of the latest packet, the part beyond the limit was too much.
            let excess = (self.limit + self.over_before).saturating_sub(2 * bytes);
            let part =
                if self.over_before > 0 { self.latest_before.saturating_sub(self.over_before) } else { 0 };
            let slack = self.slack.unwrap_or(u64::MAX).min(excess.max(part));
            self.slack = Some(slack);
            if now.since(self.slack_since) > ByteLimit::HOLD {
                self.limit = self.limit.saturating_sub(slack);
                (self.slack, self.slack_since) = (None, now);
            }
        }
        self.over_before = if self.limit == before { over } else { 0 };
        (self.latest_before, self.queued_before, self.completed) = (self.latest, self.queued, completed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes held after each of a number of completions of packets of 1000 bytes, `gap` apart, from a queue that is
    /// never empty.
    fn held(limit: &mut ByteLimit, completions: u64, gap: Span) -> Vec<u64> {
        let mut held = Vec::new();
        for number in 1..=completions {
            while limit.has_room() {
                limit.on_queued(1000);
            }
            held.push(limit.queued - limit.completed);
            limit.on_completed(Time::ZERO + gap * number, 1000);
        }
        held
    }

    /// By hand: the first packet alone, and two, each ran empty; with three the first completion finds the second waiting.
    #[test]
    fn the_limit_grows_until_the_ring_does_not_run_empty() {
        let mut limit = ByteLimit::default();
        assert_eq!(
            held(&mut limit, 8, Span::from_millis(1)),
            [1000, 2000, 2000, 3000, 3000, 3000, 3000, 3000]
        );
        assert_eq!(limit.limit, 2000);
    }

    /// 2000 bytes and 1000 beyond them, less twice the 1000 that are sent at a time, are 1000 too many.
    #[test]
    fn the_least_excess_of_a_second_comes_off_the_limit() {
        let mut limit = ByteLimit::default();
        let held = held(&mut limit, 1010, Span::from_millis(1));
        let fell = held.iter().skip(4).position(|&bytes| bytes == 2000).expect("it falls");
        assert!((990..=1005).contains(&fell), "{fell}");
        assert_eq!(held.iter().skip(4).filter(|&&bytes| bytes < 2000).count(), 0);
    }

    /// A batch of ten completions at a time needs ten packets and as many more.
    #[test]
    fn completions_that_come_in_batches_need_a_longer_ring() {
        let mut limit = ByteLimit::default();
        for number in 1..200 {
            while limit.has_room() {
                limit.on_queued(1000);
            }
            let sent = (limit.queued - limit.completed).min(10_000);
            limit.on_completed(Time::ZERO + Span::from_millis(10) * number, sent);
        }
        assert!((10_000..=20_000).contains(&limit.limit), "{}", limit.limit);
    }
}
