//! The bits that tell an ordinary segment and an ordinary ACK from others.

use crate::settings::{Restart, Settings, WindowUnit};

/// What a sender does beyond the ordinary, as bits: one read shows an ordinary segment or ACK that none of it applies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked(u16);

impl Marked {
    /// [`WindowUnit::Segment`].
    pub const IN_SEGMENTS: u16 = 1;
    pub const TIMESTAMPS: u16 = 1 << 1;
    /// [`Settings::grow_only_when_limited`].
    pub const GROWS_WHEN_LIMITED: u16 = 1 << 2;
    pub const ECN: u16 = 1 << 3;
    /// The control or the recovery follows single segments.
    pub const MEASURES: u16 = 1 << 4;
    /// Segments wait for a [pacing rate](crate::paced::Paced).
    pub const PACED: u16 = 1 << 12;
    /// Single segments matter: those that go out, those that an ACK completes, or the marks that it echoes.
    pub const OBSERVED: u16 = Marked::ECN | Marked::MEASURES | Marked::PACED;
    /// The use of the window is validated (RFC 7661).
    pub const VALIDATES: u16 = 1 << 5;
    /// The recovery has little or nothing to add to an ACK of new data without SACK blocks, and sends segments in order
    /// ([`Recovery::rests`](crate::recovery::Recovery::rests)).
    pub const RESTS: u16 = 1 << 6;
    /// There may be other segments to hand out than whole new ones in order.
    pub const IRREGULAR: u16 = 1 << 7;
    /// [`Settings::grow_to_twice_used`].
    pub const REMEMBERS_USE: u16 = 1 << 8;
    /// The pacing rate holds everything back until the next input.
    pub const HELD: u16 = 1 << 9;
    /// [`Settings::tso`].
    pub const BUNDLES: u16 = 1 << 10;
    /// [`Settings::push_ack`].
    pub const PUSHES: u16 = 1 << 11;
    /// Segments may wait for a random delay, or for room in their host's queue.
    pub const WAITS: u16 = 1 << 13;
    /// A mark brings the window down, ACK by ACK.
    pub const REDUCES: u16 = 1 << 14;

    pub fn new(settings: &Settings, measures: bool) -> Marked {
        let bits = [
            (Marked::IN_SEGMENTS, settings.window_unit == WindowUnit::Segment),
            (Marked::TIMESTAMPS, settings.timestamps),
            (Marked::GROWS_WHEN_LIMITED, settings.grow_only_when_limited),
            (Marked::REMEMBERS_USE, settings.grow_to_twice_used),
            (Marked::BUNDLES, settings.tso),
            (Marked::PUSHES, settings.push_ack),
            (Marked::ECN, settings.ecn),
            (Marked::MEASURES, measures),
            (Marked::PACED, settings.is_paced()),
            (Marked::VALIDATES, settings.restart == Restart::Rfc7661),
            // The first segment is not an ordinary one.
            (Marked::IRREGULAR, true),
        ];
        Marked(bits.iter().filter(|bit| bit.1).map(|bit| bit.0).sum())
    }

    #[inline]
    pub fn is(self, any: u16) -> bool {
        self.0 & any != 0
    }

    /// Whether exactly `bits` are set among `these` bits.
    #[inline]
    pub fn is_only(self, bits: u16, these: u16) -> bool {
        self.0 & these == bits
    }

    #[inline]
    pub fn set(&mut self, bits: u16, on: bool) {
        self.0 = if on { self.0 | bits } else { self.0 & !bits };
    }
}
