//! What a station perceives of the air.

use airfair_core::{Span, Time};

use super::hearing::{Ears, Sensitivity};
use crate::mac::qos::Idle;
use crate::phy::mode::Standard;

/// Value of [`View::first`] for the view of a crowd, which has no network.
const NONE: u32 = u32::MAX;

/// A station's view of the air.
#[derive(Debug)]
pub(super) struct View {
    /// The first station of the network; [`NONE`]: this is the view of a crowd.
    pub first: u32,
    /// The newest standard that the station decodes.
    pub standard: Standard,
    eifs_less_difs: Span,
    pub ears: Ears,
    pub transmitting: bool,
    /// Whether the station has transmitted since the air was last quiet: it hears energy, but no frame that
    /// it could decode.
    is_deaf: bool,
    /// The last end of a frame that the station heard or sent.
    quiet_since: Time,
    /// End of the station's NAV.
    pub nav_until: Time,
    /// End of EIFS less DIFS after a frame that the station could not decode.
    pub eifs_until: Time,
    /// The idle period under way, in which slots count; `None`: they do not.
    pub idle: Option<Idle>,
}

impl View {
    /// Returns the view of a station of this network and standard, before anything has happened.
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

    /// Returns the view of a crowd of stations with views like this one.
    pub fn of_crowd(&self) -> View {
        View::new(NONE, self.standard, self.eifs_less_difs, Sensitivity::ALL)
    }

    /// Whether the station senses the air busy, or makes it so.
    pub fn is_busy(&self) -> bool {
        self.transmitting || self.ears.sense()
    }

    /// Notes that the station transmits from now on.
    pub fn begin_transmission(&mut self) {
        (self.transmitting, self.is_deaf) = (true, true);
        self.ears.deafen();
    }

    /// Notes the end of a frame for which the air was busy, if the air is quiet now.
    pub fn note_quiet(&mut self, now: Time) {
        if !self.is_busy() {
            self.quiet_since = now;
            self.is_deaf = false;
        }
    }

    /// Begins EIFS after a frame whose beginning the station has heard and which it has not decoded.
    pub fn note_garbled(&mut self, now: Time) {
        if !self.is_deaf {
            self.eifs_until = now + self.eifs_less_difs;
        }
    }

    /// Begins an idle period, in which slots count, if the air is not busy. The station last gave up
    /// waiting for an answer at `timeout`.
    pub fn begin_idle(&mut self, timeout: Time) {
        if !self.is_busy() {
            let since = self.quiet_since.max(self.nav_until);
            self.idle = Some(Idle { since: Some(since), aifs_from: since.max(self.eifs_until), timeout });
        }
    }

    /// Whether stations of these views hear the same where all frames are equally strong.
    pub fn hears_like(&self, other: &View) -> bool {
        (self.standard, self.eifs_less_difs) == (other.standard, other.eifs_less_difs)
    }

    /// Whether the air is idle for both views, and they will stay alike from now on.
    pub fn agrees_with(&self, other: &View) -> bool {
        let (Some(own), Some(other)) = (self.idle, other.idle) else { return false };
        // What came before the idle period has no effect any more.
        (own.since, own.aifs_from) == (other.since, other.aifs_from) && own.since >= Some(own.timeout)
    }

    /// Copies what `other` perceives. From now on both views may differ.
    pub fn follow(&mut self, other: &View) {
        self.ears.follow(&other.ears);
        (self.transmitting, self.is_deaf) = (other.transmitting, other.is_deaf);
        (self.quiet_since, self.nav_until, self.eifs_until) =
            (other.quiet_since, other.nav_until, other.eifs_until);
        self.idle = other.idle;
    }
}
