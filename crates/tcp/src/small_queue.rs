//! TCP small queues: a connection holds segments back while enough of it waits in its own host (Linux's `tcp_small_queue_check`).

use crate::pacing::carried;
use crate::settings::Settings;
use airfair_core::{Rate, Span, Time};

/// A connection's share of its host's queue.
#[derive(Debug)]
pub(crate) struct SmallQueue {
    /// The queue holds at most what the pacing rate carries in this time, but two bursts at any rate, and never more than `most`.
    time: Span,
    most: u64,
    /// Bytes in the queue. Those that left at `left_at` count until that instant is over, so that the order of events within it changes
    /// nothing.
    queued: u64,
    left: u64,
    left_at: Time,
    /// Until when a segment waited for room; [`Time::NEVER`] while one waits.
    waits_until: Time,
}

impl SmallQueue {
    /// Returns `None` if these settings hold nothing back.
    pub fn new(settings: &Settings) -> Option<Box<SmallQueue>> {
        settings.small_queue.then(|| {
            Box::new(SmallQueue {
                time: settings.small_queue_time,
                most: u64::from(settings.small_queue_limit),
                queued: 0,
                left: 0,
                left_at: Time::ZERO,
                waits_until: Time::ZERO,
            })
        })
    }

    /// A packet of `bytes` goes out.
    pub fn on_send(&mut self, now: Time, bytes: u32) {
        self.settle(now);
        self.queued += u64::from(bytes);
    }

    /// A packet of `bytes` has left the queue. Returns whether a segment waits, for which there may be room when this instant is over.
    pub fn on_departure(&mut self, now: Time, bytes: u32) -> bool {
        self.settle(now);
        (self.left, self.left_at) = (self.left + u64::from(bytes), now);
        now <= self.waits_until
    }

    /// Whether another segment may go out at this pacing rate, where a burst has `burst` bytes on the wire. If not, it waits: for the end of this
    /// instant, if the error says so, or for a departure.
    pub fn room(&mut self, now: Time, rate: Option<Rate>, burst: u64) -> Result<(), bool> {
        self.settle(now);
        if self.queued > self.limit(rate, burst) {
            self.waits_until = Time::NEVER;
            return Err(self.left > 0);
        }
        self.waits_until = self.waits_until.min(now);
        Ok(())
    }

    /// Bytes that may be in the queue when another segment goes out.
    fn limit(&self, rate: Option<Rate>, burst: u64) -> u64 {
        let carried = rate.map_or(u64::MAX, |rate| carried(rate, self.time.as_secs()));
        carried.max(2 * burst).min(self.most)
    }

    /// What left before `now` no longer counts.
    fn settle(&mut self, now: Time) {
        if now > self.left_at {
            self.queued -= self.left;
            self.left = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};

    const NOW: Time = Time(1_000);
    const BURST: u64 = 1500;

    fn small_queue() -> SmallQueue {
        let linux = settings(Profile::Linux, TcpName::named("cubic"));
        *SmallQueue::new(&linux).expect("Linux has small queues")
    }

    /// Segments of 1500 bytes that go out at once.
    fn burst(queue: &mut SmallQueue, now: Time, rate: u64) -> usize {
        let segment = |_: &usize| {
            let room = queue.room(now, Rate::new(rate), BURST).is_ok();
            if room {
                queue.on_send(now, 1500);
            }
            room
        };
        (0..10_000).take_while(segment).count()
    }

    /// mac80211: 1 s >> 7 at the pacing rate. As in Linux the segment that goes over the limit goes out.
    #[test]
    fn the_queue_takes_what_the_rate_carries_in_its_time() {
        for (rate, segments) in [(1_000_000, 3), (10_000_000, 7), (100_000_000, 66), (u64::MAX, 2797)] {
            assert_eq!(burst(&mut small_queue(), NOW, rate), segments, "{rate}");
        }
        let mut before_the_first_round_trip = small_queue();
        before_the_first_round_trip.on_send(NOW, 4_194_304);
        assert_eq!(before_the_first_round_trip.room(NOW, None, BURST), Ok(()));
        before_the_first_round_trip.on_send(NOW, 1);
        assert_eq!(before_the_first_round_trip.room(NOW, None, BURST), Err(false));
    }

    /// `tcp_small_queue_check`: `2 * skb->truesize`.
    #[test]
    fn the_queue_takes_two_bursts_at_any_rate() {
        for (burst, segments) in [(1, 3), (10, 21), (40, 81)] {
            let mut queue = small_queue();
            let fits = |_: &u64| {
                let room = queue.room(NOW, Rate::new(10_000_000), burst * 1500).is_ok();
                queue.on_send(NOW, 1500);
                room
            };
            assert_eq!((0..1000).take_while(fits).count(), segments.max(7), "{burst}");
        }
    }

    #[test]
    fn a_departure_makes_room_when_its_instant_is_over() {
        let mut queue = small_queue();
        let rate = Rate::new(1_000_000);
        assert!(!queue.on_departure(NOW, 0), "nothing waits");
        assert_eq!(burst(&mut queue, NOW, 1_000_000), 3);
        let later = NOW + Span(1);
        assert!(queue.on_departure(later, 1500));
        assert_eq!(queue.room(later, rate, BURST), Err(true));
        assert_eq!(burst(&mut queue, later + Span(1), 1_000_000), 1);
        assert_eq!(queue.room(later + Span(1), rate, BURST), Err(false));
    }

    /// Whether a segment is asked for before or after a departure, somebody is told that there may be room after it.
    #[test]
    fn the_order_within_an_instant_changes_nothing() {
        for (rate, waits) in [(1_000_000, true), (10_000_000, false)] {
            let rate = Rate::new(rate);
            let [mut before, mut after] = [small_queue(), small_queue()];
            for queue in [&mut before, &mut after] {
                (0..3).for_each(|_| queue.on_send(NOW, 1500));
                assert_eq!(queue.room(NOW, Rate::new(1_000_000), BURST), Err(false));
            }
            let later = NOW + Span(5);
            assert_eq!(before.room(later, rate, BURST).is_err(), waits);
            assert!(before.on_departure(later, 1500));
            assert!(after.on_departure(later, 1500));
            assert_eq!(after.room(later, rate, BURST).is_err(), waits);
            assert_eq!(before.room(later + Span(1), rate, BURST), Ok(()));
            assert_eq!(after.room(later + Span(1), rate, BURST), Ok(()));
            assert!(!after.on_departure(later + Span(2), 1500), "nothing waits any longer");
        }
    }
}
