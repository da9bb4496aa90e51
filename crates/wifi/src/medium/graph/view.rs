//! What a station perceives of the air.

use airfair_core::{Span, Time};

use super::hearing::{Ears, Sensitivity};
use crate::mac::qos::Idle;
use crate::phy::mode::Standard;

/// No network.
const NONE: u32 = u32::MAX;

/// A station's view of the air.
#[derive(Debug)]
pub(super) struct View {
    /// The first station of its network; [`NONE`]: it is a crowd's.
    pub first: u32,
    /// The newest standard that it decodes.
    pub standard: Standard,
    eifs_less_difs: Span,
    pub ears: Ears,
    pub transmitting: bool,
    /// It has transmitted since the air was last quiet: it hears energy, but no frame that it could decode.
    is_deaf: bool,
    /// The last end of a frame that it heard or sent, of its NAV, and of its EIFS less DIFS.
    quiet_since: Time,
    pub nav_until: Time,
    pub eifs_until: Time,
    /// The idle period under way: slots count.
    pub idle: Option<Idle>,
}

impl View {
    /// Of a station of this network and standard, before anything has happened.
    pub fn new(first: u32, standard: Standard, eifs_less_difs: Span, sensitivity: Sensitivity) -> View {
        View {
            first,
            standard,
            eifs_less_difs,
            ears: Ears::new(sensitivity),
            transmitting: false,
            is_deaf: false,
            quiet_since: Time::ZERO,
            nav_until: Time::ZERO,
            eifs_until: Time::ZERO,
            idle: Some(Idle::ALWAYS),
        }
    }

    /// That of a crowd of such stations.
    pub fn of_crowd(&self) -> View {
        View::new(NONE, self.standard, self.eifs_less_difs, Sensitivity::ALL)
    }

    /// Whether it senses the air busy, or makes it so.
    pub fn is_busy(&self) -> bool {
        self.transmitting || self.ears.sense()
    }

    /// It transmits from now on.
    pub fn begin_transmission(&mut self) {
        (self.transmitting, self.is_deaf) = (true, true);
        self.ears.deafen();
    }

    /// The end of a frame may have left the air quiet, which was busy for it.
    pub fn note_quiet(&mut self, now: Time) {
        if !self.is_busy() {
            self.quiet_since = now;
            self.is_deaf = false;
        }
    }

    /// It has not decoded a frame whose beginning it has heard.
    pub fn note_garbled(&mut self, now: Time) {
        if !self.is_deaf {
            self.eifs_until = now + self.eifs_less_difs;
        }
    }

    /// Slots count from now on if the air is not busy. It last gave up waiting for an answer at `timeout`.
    pub fn begin_idle(&mut self, timeout: Time) {
        if !self.is_busy() {
            let since = self.quiet_since.max(self.nav_until);
            self.idle = Some(Idle { since: Some(since), aifs_from: since.max(self.eifs_until), timeout });
        }
    }

    /// Whether stations of these views have their hearing in common where all frames are as strong.
    pub fn hears_like(&self, other: &View) -> bool {
        (self.standard, self.eifs_less_difs) == (other.standard, other.eifs_less_difs)
    }

    /// Whether the air is idle for both views, and they will stay alike from now on.
    pub fn agrees_with(&self, other: &View) -> bool {
        let (Some(own), Some(other)) = (self.idle, other.idle) else { return false };
        // What came before the idle period has no effect any more.
        (own.since, own.aifs_from) == (other.since, other.aifs_from) && own.since >= Some(own.timeout)
    }

    /// The same as `other` perceives, from now on.
    pub fn follow(&mut self, other: &View) {
        self.ears.follow(&other.ears);
        (self.transmitting, self.is_deaf) = (other.transmitting, other.is_deaf);
        (self.quiet_since, self.nav_until, self.eifs_until) =
            (other.quiet_since, other.nav_until, other.eifs_until);
        self.idle = other.idle;
    }
}
