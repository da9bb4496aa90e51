//! Rate control: the mode of each PPDU that a station sends to one receiver.

mod minstrel;

use airfair_core::{Stream, Time};

use super::{Link, LinkTimes};
use crate::config::RateControl;
use crate::phy::error_rate::ErrorRate;
use crate::phy::mode::Mode;
use crate::phy::signal::Signal;
use minstrel::Minstrel;

/// Bytes of the MPDU by which modes are compared: a packet of 1500 bytes.
const MPDU_BYTES: u32 = 1538;

/// Chooses the mode of each PPDU among those of a link, which are sorted from the slowest on.
#[derive(Debug)]
pub(crate) enum RateController {
    /// The only mode.
    Fixed,
    /// The best mode at the present signal-to-noise ratio.
    Ideal(Box<Ideal>),
    /// The choice of Linux's minstrel_ht.
    Minstrel(Box<Minstrel>),
}

/// The mode of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Place of the mode among the link's modes.
    pub mode: usize,
    /// Whether the mode is only tried: one MPDU is enough.
    pub is_probe: bool,
}

impl RateController {
    /// Returns a controller for a link with these `modes`, the slowest first. `stream` must belong to it alone.
    ///
    /// # Panics
    /// If rate control is ideal and the link has no signal.
    pub fn new(link: &Link, modes: &[LinkTimes], stream: Stream) -> RateController {
        match link.rate_control {
            RateControl::Fixed => RateController::Fixed,
            RateControl::Ideal => {
                let signal = link.signal.clone().expect("an ideal controller knows the signal");
                let modes = modes.iter().map(|times| times.mode).collect();
                RateController::Ideal(Box::new(Ideal { signal, modes, snr: f64::NAN, best: 0 }))
            }
            RateControl::Minstrel => RateController::Minstrel(Box::new(Minstrel::new(modes, stream))),
        }
    }

    /// Chooses the mode of the PPDU that is planned at `now`. Without `may_probe` the choice is no probe. That is for a PPDU that has to fit
    /// the rest of a TXOP: perhaps only fast modes fit, and a PPDU that does not fit is not sent, so that the other modes would never be
    /// tried.
    pub fn choose(&mut self, now: Time, may_probe: bool) -> Choice {
        match self {
            RateController::Fixed => Choice { mode: 0, is_probe: false },
            RateController::Ideal(ideal) => Choice { mode: ideal.choose(now), is_probe: false },
            RateController::Minstrel(minstrel) => minstrel.choose(now, may_probe),
        }
    }

    /// Sets the signal-to-noise ratio of the link, in dB. It varies about this ratio, or below it.
    pub fn set_snr(&mut self, snr: f64) {
        match self {
            RateController::Ideal(ideal) => ideal.signal.set(snr),
            RateController::Fixed | RateController::Minstrel(_) => {}
        }
    }

    /// Returns the place of the mode by which airtimes are estimated.
    pub fn usual(&self) -> usize {
        match self {
            RateController::Fixed => 0,
            RateController::Ideal(ideal) => ideal.best,
            RateController::Minstrel(minstrel) => minstrel.best(),
        }
    }

    /// Reports how many MPDUs were sent in this mode, and how many of them were acknowledged; `None`: no answer came.
    pub fn report(&mut self, mode: usize, sent: u32, acknowledged: Option<u32>) {
        match self {
            RateController::Fixed | RateController::Ideal(_) => {}
            RateController::Minstrel(minstrel) => minstrel.report(mode, sent, acknowledged),
        }
    }
}

/// Rate control that knows the signal. It takes the mode that carries the most: its rate times the chance that an MPDU arrives.
#[derive(Debug)]
pub(crate) struct Ideal {
    signal: Signal,
    modes: Vec<Mode>,
    /// Signal-to-noise ratio in dB at which `best` is the best mode.
    snr: f64,
    best: usize,
}

impl Ideal {
    fn choose(&mut self, now: Time) -> usize {
        let snr = self.signal.at(now);
        if snr != self.snr {
            let carried = |mode: &Mode| {
                let lost = ErrorRate::of_data(mode, snr).frame(MPDU_BYTES);
                mode.rate().bits_per_second() as f64 * (1.0 - lost)
            };
            (self.snr, self.best) = (snr, best(self.modes.iter().map(carried)).unwrap_or(0));
        }
        self.best
    }
}

/// Returns the place of the largest of these numbers that is above zero, the first of several; `None` if there is none.
fn best(values: impl Iterator<Item = f64>) -> Option<usize> {
    let mut found: Option<(usize, f64)> = None;
    for (place, value) in values.enumerate() {
        if value > found.map_or(0.0, |(_, most)| most) {
            found = Some((place, value));
        }
    }
    found.map(|(place, _)| place)
}
