//! Rate control: the mode of each PPDU that a station sends to one receiver.

mod minstrel;

use airfair_core::{Stream, Time};

use super::LinkTimes;
use crate::config::RateControl;
use crate::phy::error_rate::ErrorRate;
use minstrel::Minstrel;

/// The MPDU that rates are compared with: a packet of 1500 bytes.
const MPDU_BYTES: u32 = 1538;

/// Chooses among the modes of a link, the slowest first.
#[derive(Debug)]
pub(crate) enum RateController {
    /// One mode.
    Fixed(usize),
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
    /// For a link with these `modes`, the slowest first, at this signal-to-noise ratio; `stream` belongs to it alone.
    pub fn new(
        control: RateControl,
        modes: &[LinkTimes],
        snr: Option<f64>,
        stream: Stream,
    ) -> RateController {
        match (control, snr) {
            (RateControl::Fixed, _) | (RateControl::Ideal, None) => RateController::Fixed(modes.len() - 1),
            (RateControl::Ideal, Some(snr)) => RateController::Fixed(ideal(modes, snr)),
            (RateControl::Minstrel, _) => RateController::Minstrel(Box::new(Minstrel::new(modes, stream))),
        }
    }

    /// The mode of the PPDU that is planned at `now`.
    pub fn choose(&mut self, now: Time) -> Choice {
        match self {
            RateController::Fixed(mode) => Choice { mode: *mode, is_probe: false },
            RateController::Minstrel(minstrel) => minstrel.choose(now),
        }
    }

    /// The mode by which airtimes are estimated.
    pub fn usual(&self) -> usize {
        match self {
            RateController::Fixed(mode) => *mode,
            RateController::Minstrel(minstrel) => minstrel.best(),
        }
    }

    /// So many MPDUs were sent in this mode; so many are acknowledged, `None`: no answer came.
    pub fn report(&mut self, mode: usize, sent: u32, acknowledged: Option<u32>) {
        match self {
            RateController::Fixed(_) => {}
            RateController::Minstrel(minstrel) => minstrel.report(mode, sent, acknowledged),
        }
    }
}

/// The mode that carries the most: its rate times the chance that an MPDU arrives.
fn ideal(modes: &[LinkTimes], snr: f64) -> usize {
    let carried = |times: &LinkTimes| {
        let lost = ErrorRate::of_data(&times.mode, snr).frame(MPDU_BYTES);
        times.mode.rate().bits_per_second() as f64 * (1.0 - lost)
    };
    best(modes.iter().map(carried)).unwrap_or(0)
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
