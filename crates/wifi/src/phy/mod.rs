//! The physical layer: the numbers of a standard as data, and pure functions of them.
//!
//! This layer knows rates, interframe spaces, contention windows, how long a frame lasts on the air ([`duration`]), how weak it arrives
//! ([`propagation`], [`signal`]) and whether noise destroys it ([`error_rate`], [`errors`]). It knows no station, no queue and no clock. The
//! standards' numbers are in [`table`].

mod dsss;
pub mod duration;
pub mod edca;
pub mod error_rate;
pub mod errors;
pub mod mode;
pub mod propagation;
pub mod signal;
pub mod table;

pub use duration::{Framing, Plcp};
pub use table::{PhyError, PhySettings, Preamble, is_dsss};

use airfair_core::{Rate, Span, words};

/// Most bytes of an MSDU, the LLC and SNAP headers before the IP packet included (IEEE 802.11-2012, 8.2.3).
pub const MOST_MSDU_BYTES: u32 = 2304;

/// Frames at this rate or below have the long preamble.
const SLOW_RATE: Rate = Rate::from_hundred_kbps(10);

/// PHY and MAC constants of a standard.
#[derive(Clone, Debug, PartialEq)]
pub struct Phy {
    /// Name of the PHY in scenario files.
    pub name: &'static str,
    /// Slot time.
    pub slot: Span,
    /// Short interframe space, before a CTS, a data frame that follows a CTS, and an ACK.
    pub sifs: Span,
    /// DCF interframe space: idle time before slots count.
    pub difs: Span,
    /// Idle time before slots count after a frame that was heard but not decoded.
    pub eifs: Span,
    /// Time from the end of an RTS that no CTS follows until its sender's slots count again, on idle air.
    pub cts_retry: Span,
    /// Time from the end of a data frame that is not acknowledged until its sender's slots count again, on idle air.
    pub ack_retry: Retry,
    /// First contention window, in slots.
    pub cw_min: u32,
    /// Largest contention window, in slots.
    pub cw_max: u32,
    /// Preamble, PLCP header and how bits become time.
    pub plcp: Plcp,
    /// Bytes around an MSDU and in control frames.
    pub framing: Framing,
    /// Most bytes of an IP packet in one frame; `None`: any.
    pub most_packet_bytes: Option<u32>,
    /// Rates allowed for data frames, lowest first; empty: any.
    pub data_rates: &'static [Rate],
    /// Rate of RTS frames.
    pub rts_rate: Rate,
    /// Basic rate set, lowest first, not empty: a CTS or ACK is sent at the highest of these that is not above the rate of the frame it answers, else
    /// at the lowest (IEEE 802.11-2012, 9.7.6.5.2).
    pub basic_rates: Vec<Rate>,
    /// DSSS frames beside OFDM ones; `None`: all frames are OFDM, or all are DSSS.
    pub dsss: Option<Dsss>,
    /// Where implementations of the access procedure differ.
    pub access: AccessRules,
}

/// DSSS frames in a network of OFDM stations that also has stations of 802.11b, or shares a channel with some.
#[derive(Clone, Debug, PartialEq)]
pub struct Dsss {
    /// Basic rates of DSSS, lowest first, not empty: an RTS, a CTS-to-self and a beacon are sent at one of these, which all stations decode.
    pub basic_rates: Vec<Rate>,
    /// Preamble of DSSS frames above 1 Mb/s.
    pub preamble: Preamble,
    /// Like [`Phy::ack_retry`], if the answer is a DSSS frame.
    pub ack_retry: Retry,
}

/// How long a sender waits for an answer, which depends on the answer's preamble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Time for an answer with the usual preamble.
    pub usual: Span,
    /// Time for an answer at 1 Mb/s, which has the long preamble whatever others have (IEEE 802.11-2020, 16.2.2.3).
    pub slow: Span,
}

/// Where implementations of the access procedure differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRules {
    /// When a frame that finds the air idle and no countdown under way is sent.
    pub first_access: FirstAccess,
    /// Whether a backoff is uniform on `0..=cw` (the standard) or on `0..cw`.
    pub backoff_includes_cw: bool,
    /// The NAV that a frame announces is rounded to the nearest multiple of this.
    pub nav_unit: Span,
    /// Who waits EIFS after a collision.
    pub after_collision: AfterCollision,
    /// Whether EIFS less DIFS is a NAV, which a frame decoded meanwhile does not end (in the standard it does: 9.3.7).
    pub eifs_is_nav: bool,
    /// If no data frame follows a station's CTS, the station takes the air for busy until the end of that frame, plus this time; `None`: it knows
    /// nothing of the frame.
    pub cts_patience: Option<Span>,
    /// When a slot of a backoff counts.
    pub countdown: Countdown,
}

words! {
    /// When a slot of a backoff counts. This decides whether a slot in which the air falls busy counts.
    pub enum Countdown {
        /// When the slot begins, the first one as AIFS ends. Frames are sent at the beginnings of slots (IEEE 802.11-2020, 10.23.2.4).
        Edca = "edca",
        /// When the slot is over. A frame that finds the air idle is sent at once (IEEE 802.11-2020, 10.3.4.2, 10.3.4.3).
        Dcf = "dcf",
    }
}

words! {
    /// Who waits EIFS after a collision. A sender that hears nothing else waits for its answer's timeout.
    pub enum AfterCollision {
        /// Nobody: receivers that could not decode any of the preambles heard noise, which is followed by DIFS.
        Nobody = "nobody",
        /// Every station that did not transmit: it began to receive a frame with a wrong check sequence (IEEE 802.11-2012, 9.3.7).
        Listeners = "listeners",
        /// Every station that did not transmit, and senders if they hear another frame end at or after the end of their own.
        Everybody = "everybody",
    }
}

words! {
    /// When a frame that finds the air idle and no countdown under way is sent.
    pub enum FirstAccess {
        /// At once, or when the air has been idle for DIFS (IEEE 802.11-2012, 9.3.4.2).
        AfterIdle = "after-idle",
        /// DIFS and a random backoff after its arrival.
        Backoff = "backoff",
    }
}

impl AccessRules {
    /// The rules of IEEE 802.11-2012, clause 9.3.
    pub const STANDARD: AccessRules = AccessRules {
        first_access: FirstAccess::AfterIdle,
        backoff_includes_cw: true,
        nav_unit: Span(1),
        after_collision: AfterCollision::Listeners,
        eifs_is_nav: false,
        cts_patience: None,
        countdown: Countdown::Dcf,
    };
}

impl Retry {
    /// Returns a wait of `span` for every answer.
    pub const fn always(span: Span) -> Retry {
        Retry { usual: span, slow: span }
    }

    /// Returns the wait for an answer at `rate`.
    pub fn of(self, rate: Rate) -> Span {
        if rate <= SLOW_RATE { self.slow } else { self.usual }
    }

    fn map(self, change: impl Fn(Span) -> Span) -> Retry {
        Retry { usual: change(self.usual), slow: change(self.slow) }
    }
}

impl Phy {
    /// Whether data frames may be sent at `rate`.
    pub fn allows(&self, rate: Rate) -> bool {
        self.data_rates.is_empty() || self.data_rates.contains(&rate)
    }

    /// Returns the contention window that follows the window `cw` after an attempt without an answer.
    pub(crate) fn wider(&self, cw: u32) -> u32 {
        (2 * cw + 1).min(self.cw_max)
    }
}
