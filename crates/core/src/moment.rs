//! The order of events within a nanosecond.
//!
//! Things that depend on each other often fall on the very same nanosecond. An ACK-clocked packet that begins a busy period of a
//! queue leaves after one transmission time, and the packet behind it, whose ACK came one transmission time later, arrives at that
//! instant: at any rates, each round trip. On real hosts something is always first, because no host takes exactly equally long
//! for each packet. So an instant has a [`Phase`]: how much later than the nanosecond says, in the limit in which the random
//! times that hosts take become small beside everything else. It never adds up to a nanosecond.
//!
//! - A sender takes a random while to answer: it adds a phase of its own to the phase of the packet that it answers.
//! - All packets of a busy period leave their queue with the phase of the one that began it.
//! - A wireless medium acts behind all that reaches it at the same instant. A frame that it delivers to a host without a delay of its
//!   own goes on behind everything that happened at that instant before, whatever its phase: all that leaves a wire at that instant has left
//!   when the frame comes to the wire. Frames of one aggregate go on in their order, each behind the answers to the one before.
//! - Links' delays, receivers and timers take exactly as long as they say: a phase goes on unchanged.
//!
//! The order then depends on the run's seed and on who caused an event, never on the order of computation.

use crate::time::Time;
use std::cmp::Ordering;

/// Number of low bits of a phase that order packets of different flows with otherwise equal phases.
const RANK_BITS: u32 = 16;
/// Number of bits of a phase, above the rank, that a sender adds at random. The bits above these take 2^33 round trips to overflow.
const DRAW_BITS: u32 = 16;

/// A position within an instant: see the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Phase(u64);

impl Phase {
    /// The phase before everything else.
    pub const FIRST: Phase = Phase(0);
    /// The phase after everything else.
    pub const LAST: Phase = Phase(u64::MAX);

    /// Returns the first phase of a flow with these random `bits`.
    pub fn of_flow(bits: u64) -> Phase {
        Phase(bits >> (u64::BITS - RANK_BITS))
    }

    /// Returns a phase that is later by these random `bits`.
    #[inline]
    #[must_use]
    pub fn after(self, bits: u64) -> Phase {
        Phase(self.0.wrapping_add(bits >> (u64::BITS - DRAW_BITS) << RANK_BITS))
    }

    /// Returns the next phase after this one.
    #[inline]
    #[must_use]
    pub fn next(self) -> Phase {
        Phase(self.0.saturating_add(1))
    }

    /// Returns a phase behind `other` and all phases in which senders answer it, with the rank of this phase's flow.
    #[must_use]
    pub fn behind(self, other: Phase) -> Phase {
        let next = other.of_any_flow().0.saturating_add(1 << (RANK_BITS + DRAW_BITS));
        Phase(next | self.0 & ((1 << RANK_BITS) - 1))
    }

    /// Returns this phase with the lowest rank in place of its flow's.
    #[inline]
    #[must_use]
    pub fn of_any_flow(self) -> Phase {
        Phase(self.0 >> RANK_BITS << RANK_BITS)
    }

    /// Returns the phase `other`, but with the rank of this phase's flow.
    #[inline]
    #[must_use]
    pub fn moved_to(self, other: Phase) -> Phase {
        Phase(other.of_any_flow().0 | self.0 & ((1 << RANK_BITS) - 1))
    }
}

/// A position in time: an instant, and a phase within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The nanosecond.
    pub at: Time,
    /// Phase within the nanosecond.
    pub phase: Phase,
}

impl Moment {
    /// A moment later than anything that happens: "no deadline".
    pub const NEVER: Moment = Moment { at: Time::NEVER, phase: Phase::LAST };

    /// Returns the moment of an instant and a phase.
    #[inline]
    pub const fn new(at: Time, phase: Phase) -> Moment {
        Moment { at, phase }
    }

    /// Returns the moment as one number, which compares without branches.
    #[inline]
    fn key(self) -> u128 {
        u128::from(self.at.0) << 64 | u128::from(self.phase.0)
    }
}

/// Converts an instant to its first moment.
impl From<Time> for Moment {
    #[inline]
    fn from(at: Time) -> Moment {
        Moment { at, phase: Phase::FIRST }
    }
}

impl Ord for Moment {
    #[inline]
    fn cmp(&self, other: &Moment) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Moment {
    #[inline]
    fn partial_cmp(&self, other: &Moment) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Moment) -> bool {
        self.key() < other.key()
    }

    #[inline]
    fn le(&self, other: &Moment) -> bool {
        self.key() <= other.key()
    }
}

/// Random bits for the phases that a sender adds: SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014), because each flow has a generator and this one takes eight bytes.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// Returns the draws that start from random `bits`.
    pub fn new(bits: u64) -> Draws {
        Draws(bits)
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_comes_before_its_phase() {
        let moments = [(1, 0), (1, 7), (2, 3), (2, 4)].map(|(at, phase)| Moment::new(Time(at), Phase(phase)));
        assert!(moments.is_sorted());
        assert!(moments[3] < Moment::NEVER && Moment::from(Time(1)) == moments[0]);
    }

    #[test]
    fn a_phase_moves_and_keeps_its_flow() {
        let [first, second] = [Phase::of_flow(1 << 48), Phase::of_flow(2 << 48)];
        let busy = first.after(5 << 48);
        assert!(first < second && second < busy);
        assert_eq!(second.moved_to(busy), second.after(5 << 48));
        assert!(busy.of_any_flow() < busy && busy.of_any_flow() > second);
        assert_eq!(busy.of_any_flow(), second.moved_to(busy).of_any_flow());
    }

    /// The first numbers of the reference implementation with the seed 1234567.
    #[test]
    fn draws_are_those_of_splitmix() {
        let mut draws = Draws::new(1_234_567);
        let found = [draws.next_bits(), draws.next_bits(), draws.next_bits()];
        assert_eq!(found, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
