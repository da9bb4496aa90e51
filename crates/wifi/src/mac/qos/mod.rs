//! A QoS station (IEEE 802.11-2020, 10.2.3.2 and 10.23.2): its access categories, the aggregates that it builds, and the frames that it
//! puts back into order.
//!
//! As in [`super`], a station knows itself and the rules that all stations share. A frame goes through it in this order: the interface
//! queue of its access category with any discipline ([`edcaf`]), the driver's queue for its receiver ([`outbox`]), an MPDU with a
//! sequence number, an aggregate; at its receiver, the reorder buffer ([`reorder`]).

mod announcer;
mod backoff;
mod edcaf;
mod estimate;
mod links;
mod outbox;
mod rate_control;
mod reorder;
mod station;

use airfair_core::Span;

use crate::config::{BssConfig, MacSettings, Protection};
use crate::phy::mode::{Coding, OLDEST, Standard};
use crate::phy::{Countdown, Retry};

/// How long a receiver waits for a missing MPDU, as in Linux's mac80211 (`HT_RX_REORDER_BUF_TIMEOUT`).
const REORDER_TIMEOUT: Span = Span::from_millis(100);

pub(crate) use announcer::Announcer;
pub(crate) use backoff::Backoff;
#[cfg(test)]
pub(crate) use edcaf::BROADCAST_BUFFER;
pub(crate) use edcaf::{Edcaf, Entered};
pub(crate) use estimate::Estimate;
pub(crate) use links::{BLOCK_ACK_REQUEST, Codings, Link, LinkTimes, Links, signal};
pub(crate) use outbox::{Arrived, Outbox, begin_of_subframe};
pub(crate) use rate_control::RateController;
pub(crate) use reorder::Reorder;
pub(crate) use station::{Body, Idle, Plan, Prelude, QosStation};

/// The rules that all stations on a channel share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QosRules {
    pub slot: Span,
    pub sifs: Span,
    pub countdown: Countdown,
    /// Time from the end of a frame until its sender takes it for unanswered: SIFS, a slot and aRxPHYStartDelay (IEEE 802.11-2020,
    /// 10.3.2.11).
    answer_timeout: Span,
    /// Like `answer_timeout`, where the answer is a DSSS frame.
    dsss_answer_timeout: Retry,
    /// EIFS less DIFS: SIFS and an ACK at the lowest basic rate (10.3.7).
    pub eifs_less_difs: Span,
    /// What goes before PPDUs that stations of the `oldest` standard, of this network or of a neighbour's, cannot decode.
    pub protection: Protection,
    pub oldest: Standard,
    /// PPDUs of this number of bytes or more follow an RTS/CTS exchange.
    pub rts_threshold: Option<u32>,
    /// Attempts of an MPDU before it is given up.
    pub retry_limit: u32,
    /// How long a receiver waits for a missing MPDU.
    pub reorder_timeout: Span,
}

impl QosRules {
    pub fn new(config: &BssConfig) -> QosRules {
        let BssConfig { phy, mac, protection, .. } = config;
        QosRules {
            protection: *protection,
            oldest: match phy.dsss {
                Some(_) => Standard::B,
                None => config.oldest_standard().unwrap_or(OLDEST),
            },
            slot: phy.slot,
            sifs: phy.sifs,
            countdown: phy.access.countdown,
            answer_timeout: phy.ack_retry.usual,
            dsss_answer_timeout: phy.dsss.as_ref().map_or(phy.ack_retry, |dsss| dsss.ack_retry),
            eifs_less_difs: phy.eifs - phy.difs,
            rts_threshold: mac.rts_threshold,
            retry_limit: mac.short_retry_limit,
            reorder_timeout: REORDER_TIMEOUT,
        }
    }

    /// Returns the rules for a station of this standard.
    pub fn of(self, standard: Standard) -> QosRules {
        let countdown = if standard.has_qos() { self.countdown } else { Countdown::Dcf };
        QosRules { countdown, ..self }
    }

    /// Returns the standard of frames that all stations of the network decode.
    pub fn common(&self) -> Standard {
        self.oldest.older(OLDEST)
    }

    /// Returns the time from the end of a frame until its sender takes it for unanswered, if the answer has this coding.
    pub fn answer_timeout(&self, answer: Coding) -> Span {
        match answer {
            Coding::Ofdm(_) => self.answer_timeout,
            Coding::Dsss(0) => self.dsss_answer_timeout.slow,
            Coding::Dsss(_) => self.dsss_answer_timeout.usual,
        }
    }

    /// Returns what is sent before a PPDU of this standard with this number of bytes.
    pub fn protection_of(&self, standard: Standard, bytes: u32) -> Protection {
        if self.rts_threshold.is_some_and(|threshold| bytes >= threshold) {
            Protection::RtsCts
        } else if self.protects(standard) {
            self.protection
        } else {
            Protection::None
        }
    }

    /// Whether something is sent before a frame of this standard, because a station is too old to decode it.
    pub fn protects(&self, standard: Standard) -> bool {
        self.protection != Protection::None && !self.oldest.decodes(standard)
    }

    /// Adopts the RTS threshold and the retry limit of `mac` from now on.
    pub fn take(&mut self, mac: &MacSettings) {
        (self.rts_threshold, self.retry_limit) = (mac.rts_threshold, mac.short_retry_limit);
    }
}
