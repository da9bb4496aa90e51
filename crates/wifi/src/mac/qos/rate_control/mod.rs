//! Rate control: the mode of each PPDU that a station sends to one receiver.

mod minstrel;

use airfair_core::{Stream, Time};

use super::{Link, LinkTimes};
use crate::config::RateControl;
use crate::phy::error_rate::ErrorRate;
use crate::phy::mode::Mode;
use crate::phy::signal::Signal;
use minstrel::Minstrel;

/// The MPDU that rates are compared with: a packet of 1500 bytes.
const MPDU_BYTES: u32 = 1538;

/// Chooses among the modes of a link, the slowest first.
#[derive(Debug)]
pub(crate) enum RateController {
    /// One mode.
    Fixed,
    /// The best at the present signal-to-noise ratio.
    Ideal(Box<Ideal>),
    /// As Linux's minstrel_ht.
    Minstrel(Box<Minstrel>),
}

/// The mode of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Its place among the link's modes.
    pub mode: usize,
    /// It is only tried: one MPDU is enough.
    pub is_probe: bool,
}

impl RateController {
    /// For a link with these `modes`, the slowest first; `stream` belongs to it alone.
    ///
    /// # Panics
    /// If it is to be ideal and the link has no signal.
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

    /// The mode of the PPDU that is planned at `now`. It may not be a probe where the PPDU has to fit the rest of a TXOP: only fast modes may
    /// fit, and one that does not is not sent, so that the others would never be tried.
    pub fn choose(&mut self, now: Time, may_probe: bool) -> Choice {
        match self {
            RateController::Fixed => Choice { mode: 0, is_probe: false },
            RateController::Ideal(ideal) => Choice { mode: ideal.choose(now), is_probe: false },
            RateController::Minstrel(minstrel) => minstrel.choose(now, may_probe),
        }
    }

    /// The link has another signal-to-noise ratio, in dB.
    pub fn set_snr(&mut self, snr: f64) {
        match self {
            RateController::Ideal(ideal) => ideal.signal.set(snr),
            RateController::Fixed | RateController::Minstrel(_) => {}
        }
    }

    /// The mode by which airtimes are estimated.
    pub fn usual(&self) -> usize {
        match self {
            RateController::Fixed => 0,
            RateController::Ideal(ideal) => ideal.best,
            RateController::Minstrel(minstrel) => minstrel.best(),
        }
    }

    /// Reports the number of MPDUs that were sent in this mode, and of those acknowledged; `None`: no answer came.
    pub fn report(&mut self, mode: usize, sent: u32, acknowledged: Option<u32>) {
        match self {
            RateController::Fixed | RateController::Ideal(_) => {}
            RateController::Minstrel(minstrel) => minstrel.report(mode, sent, acknowledged),
        }
    }
}

/// Knows the signal, and takes the mode that carries the most: its rate times the chance that an MPDU arrives.
#[derive(Debug)]
pub(crate) struct Ideal {
    signal: Signal,
    modes: Vec<Mode>,
    /// The ratio at which `best` is the best.
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

/// The place of the largest of these numbers that is above zero; of several the first.
fn best(values: impl Iterator<Item = f64>) -> Option<usize> {
    let mut found: Option<(usize, f64)> = None;
    for (place, value) in values.enumerate() {
        if value > found.map_or(0.0, |(_, most)| most) {
            found = Some((place, value));
        }
    }
    found.map(|(place, _)| place)
}
