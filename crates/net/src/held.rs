//! The packets that a link holds: what waits, and what it sends.
//!
//! Most links of a large network hold one packet at a time, if any. The newest one is kept in place, so that they need
//! no memory elsewhere, and none is looked at.

use airfair_core::{SpanSum, Time};
use std::collections::VecDeque;

/// Packets in the order of their departures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// When the newest one has left: the transmitter is free then.
    free_at: Time,
    newest_bytes: u32,
    /// How many `earlier` holds; when there are none, it need not be looked at.
    earlier_packets: u32,
    earlier: Option<Box<Earlier>>,
}

/// Those before the newest; and what seldom happens where there are none.
#[derive(Clone, Debug, Default)]
struct Earlier {
    /// When each has left, and its length.
    packets: VecDeque<(Time, u32)>,
    bytes: u64,
    refused: u64,
    residence_carries: u64,
}

impl Held {
    /// When all have left.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Forgets those that have left by `now`.
    #[inline]
    pub fn release(&mut self, now: Time) {
        if self.earlier_packets > 0 {
            self.release_earlier(now);
        }
    }

    #[inline(never)]
    fn release_earlier(&mut self, now: Time) {
        let Some(earlier) = &mut self.earlier else { return };
        while let Some(&(departs, bytes)) = earlier.packets.front() {
            if departs > now {
                break;
            }
            earlier.bytes -= u64::from(bytes);
            earlier.packets.pop_front();
        }
        self.earlier_packets = earlier.packets.len() as u32;
    }

    /// How many are held at `now`; those that have left by then are released.
    #[inline]
    pub fn packets(&self, now: Time) -> u32 {
        self.earlier_packets + u32::from(self.free_at > now)
    }

    /// Their bytes, likewise.
    pub fn bytes(&self, now: Time) -> u64 {
        let newest = if self.free_at > now { u64::from(self.newest_bytes) } else { 0 };
        newest + self.earlier.as_ref().map_or(0, |earlier| earlier.bytes)
    }

    /// Time until their departures, all added up, likewise.
    pub fn residence_to_come(&self, now: Time) -> SpanSum {
        let mut sum = SpanSum::from(self.free_at.since(now));
        let earlier = self.earlier.iter().flat_map(|earlier| &earlier.packets);
        earlier.for_each(|&(departs, _)| sum += departs - now);
        sum
    }

    /// Takes a packet at `now` that leaves at `departs`, after all others.
    #[inline]
    pub fn push(&mut self, now: Time, departs: Time, bytes: u32) {
        if self.free_at > now {
            let earlier = self.earlier.get_or_insert_default();
            earlier.packets.push_back((self.free_at, self.newest_bytes));
            earlier.bytes += u64::from(self.newest_bytes);
            self.earlier_packets += 1;
        }
        self.free_at = departs;
        self.newest_bytes = bytes;
    }

    /// A packet finds no room.
    pub fn refuse(&mut self) {
        self.earlier.get_or_insert_default().refused += 1;
    }

    /// Packets refused because the queue was full.
    pub fn refused(&self) -> u64 {
        self.earlier.as_ref().map_or(0, |earlier| earlier.refused)
    }

    /// The 64-bit sum of residence times, which the link keeps in its cache line, has wrapped around.
    #[cold]
    pub fn carry_residence(&mut self) {
        self.earlier.get_or_insert_default().residence_carries += 1;
    }

    /// The whole sum, of which `low` is left after the wraps.
    pub fn residence(&self, low: u64) -> SpanSum {
        let carries = self.earlier.as_ref().map_or(0, |earlier| earlier.residence_carries);
        SpanSum(u128::from(carries) << 64 | u128::from(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_held_until_they_have_left() {
        let mut held = Held::default();
        held.push(Time(0), Time(10), 100);
        assert!(held.earlier.is_none(), "one packet needs no memory elsewhere");
        held.push(Time(0), Time(30), 50);
        held.push(Time(5), Time(60), 70);
        let seen = |held: &mut Held, now: u64| {
            held.release(Time(now));
            (held.packets(Time(now)), held.bytes(Time(now)), held.residence_to_come(Time(now)).0)
        };
        assert_eq!(seen(&mut held, 9), (3, 220, 1 + 21 + 51));
        assert_eq!(seen(&mut held, 10), (2, 120, 20 + 50));
        assert_eq!(seen(&mut held, 59), (1, 70, 1));
        assert_eq!(seen(&mut held, 60), (0, 0, 0));
        assert_eq!(held.free_at(), Time(60));
        held.push(Time(70), Time(80), 5);
        assert_eq!(seen(&mut held, 75), (1, 5, 5));
    }
}
