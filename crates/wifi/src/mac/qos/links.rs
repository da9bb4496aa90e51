//! How a station sends to each receiver: its mode, and the durations that follow from it.

use airfair_core::{Rate, Span, Stream};

use super::Body;
use crate::config::{Aggregation, LinkSnr, QosConfig, RateControl, StationConfig};
use crate::phy::Phy;
use crate::phy::edca::AccessCategory;
use crate::phy::mode::{Coding, LONGEST_PPDU, Mode};
use crate::phy::signal::Signal;

/// Bytes of the QoS Control field (9.2.4.5).
const QOS_CONTROL: u32 = 2;
/// Bytes of a compressed block ack without its bitmap (IEEE 802.11-2020, 9.3.1.8.2).
const BLOCK_ACK: u32 = 24;
/// Bytes of a compressed block ack request (9.3.1.7.2).
pub(crate) const BLOCK_ACK_REQUEST: u32 = 24;

/// How a station sends to each receiver.
#[derive(Debug)]
pub(crate) struct Links {
    /// Modes for each receiver, or one entry for all receivers: the slowest first. A fixed rate has one mode.
    modes: Vec<Vec<LinkTimes>>,
    aggregations: Vec<Aggregation>,
    all_have_qos: bool,
}

impl Links {
    /// Returns the links of a station. `links` has one for each receiver, or one for all.
    pub fn new(links: &[Link], phy: &Phy) -> Links {
        let of = |link: &Link| {
            let modes = link.modes().into_iter();
            modes.map(|mode| LinkTimes::new(mode, &link.aggregation, phy)).collect()
        };
        let aggregations = links.iter().map(|link| link.aggregation).collect();
        let all_have_qos = links.iter().all(|link| link.mode.standard.has_qos());
        Links { modes: links.iter().map(of).collect(), aggregations, all_have_qos }
    }

    /// Returns the modes in which the station sends to this receiver, the slowest first.
    pub fn modes(&self, receiver: u32) -> &[LinkTimes] {
        self.modes.get(receiver as usize).unwrap_or(&self.modes[0])
    }

    /// Returns how the station aggregates frames for this receiver.
    pub fn aggregation(&self, receiver: u32) -> Aggregation {
        *self.aggregations.get(receiver as usize).unwrap_or(&self.aggregations[0])
    }

    /// Returns the access category of a packet for this receiver that asks for `category`. Frames without QoS are best effort, as
    /// in Linux.
    pub fn category(&self, receiver: u32, category: AccessCategory) -> AccessCategory {
        let has_qos = self.all_have_qos || self.to(receiver).mode.standard.has_qos();
        if has_qos { category } else { AccessCategory::BestEffort }
    }

    /// Returns the fastest mode in which the station sends to this receiver.
    pub fn to(&self, receiver: u32) -> LinkTimes {
        *self.modes(receiver).last().expect("a link has a mode")
    }
}

/// How a station sends to one receiver.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// The mode, or the fastest one that rate control may choose.
    pub mode: Mode,
    pub aggregation: Aggregation,
    pub rate_control: RateControl,
    /// Signal at the receiver; `None`: noise destroys nothing.
    pub signal: Option<Signal>,
}

impl Link {
    /// Returns the link from this station to its access point, or with `down` the link from the access point to the station.
    pub fn new(station: &StationConfig, qos: &QosConfig, down: bool, seed: u64) -> Link {
        let mode = if down { qos.ap_mode } else { qos.mode };
        let QosConfig { aggregation, rate_control, .. } = *qos;
        Link { mode, aggregation, rate_control, signal: signal(station, down, seed) }
    }

    fn modes(&self) -> Vec<Mode> {
        let slowest = if self.rate_control == RateControl::Fixed { self.mode.mcs } else { 0 };
        let all = (slowest..=self.mode.mcs).map(|mcs| Mode { mcs, ..self.mode });
        all.filter(|mode| mode.check().is_ok()).collect()
    }
}

/// Returns the signal from this station at its access point, or with `down` the access point's at the station; `None`: noise
/// destroys nothing. Both directions vary together, and each call returns the same signal.
pub(crate) fn signal(station: &StationConfig, down: bool, seed: u64) -> Option<Signal> {
    let qos = station.qos.as_ref()?;
    let stream = || Stream::new(seed, &format!("wlan signal {}", station.name));
    if !qos.snr_trace.is_empty() {
        return Some(Signal::traced(&qos.snr_trace, stream()));
    }
    let LinkSnr { up, down: at_station, variation } = qos.snr?;
    Some(Signal::new(if down { at_station } else { up }, variation, stream()))
}

/// The codings of an exchange's frames, and the bytes of its control frames. They determine how likely noise destroys each frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Codings {
    pub data: Coding,
    pub rts: (Coding, u32),
    pub cts: (Coding, u32),
    /// Coding and bytes of the answer: an ACK or a block ack.
    pub answer: (Coding, u32),
}

/// Durations of the frames that a station exchanges with one receiver, other than data, and limits on its PPDUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkTimes {
    pub mode: Mode,
    pub rts: Span,
    pub cts: Span,
    pub ack: Span,
    pub block_ack: Span,
    pub block_ack_request: Span,
    /// Codings of an exchange whose answer is an ACK.
    codings: Codings,
    block_ack_bytes: u32,
    pub rates: ControlRates,
    /// Most bytes of a PSDU: its PPDU lasts at most 5.484 ms (IEEE 802.11-2020, table 19-25).
    pub most_psdu: u32,
    /// Most bytes of an A-MPDU, whose PPDU may have to be shorter ([`Aggregation::duration`]).
    pub most_ampdu: u32,
    /// Whether even a single MPDU has a delimiter, as the PPDUs of VHT and later have it (10.12.5).
    pub always_delimited: bool,
    /// Bytes of the MAC header of a data frame between a station and its access point (IEEE 802.11-2020, 9.3.2.1).
    pub header: u32,
}

/// Rates of control frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ControlRates {
    pub rts: Rate,
    pub cts: Rate,
    /// Rate of ACKs, block acks and block ack requests.
    pub answer: Rate,
}

impl LinkTimes {
    fn new(mode: Mode, aggregation: &Aggregation, phy: &Phy) -> LinkTimes {
        let reference = mode.reference_rate();
        let rts = phy.opening_rate(reference);
        let rates = ControlRates { rts, cts: phy.response_rate(rts), answer: phy.response_rate(reference) };
        let answer = |bytes| phy.control(bytes, rates.answer);
        let block_ack_bytes = BLOCK_ACK + aggregation.bitmap_bits() / 8;
        LinkTimes {
            mode,
            rts: phy.control(phy.framing.rts, rates.rts),
            cts: phy.control(phy.framing.cts, rates.cts),
            ack: answer(phy.framing.ack),
            block_ack: answer(block_ack_bytes),
            block_ack_request: answer(BLOCK_ACK_REQUEST),
            codings: Codings {
                data: mode.coding(),
                rts: (Coding::of_rate(rates.rts), phy.framing.rts),
                cts: (Coding::of_rate(rates.cts), phy.framing.cts),
                answer: (Coding::of_rate(rates.answer), phy.framing.ack),
            },
            block_ack_bytes,
            rates,
            most_psdu: mode.most_psdu(LONGEST_PPDU),
            most_ampdu: mode.most_psdu(aggregation.duration.unwrap_or(LONGEST_PPDU)),
            always_delimited: mode.standard.always_aggregates(),
            header: phy.framing.header + if mode.standard.has_qos() { QOS_CONTROL } else { 0 },
        }
    }

    /// Returns the codings of an exchange with this body.
    pub fn codings(&self, body: Body) -> Codings {
        let control = self.codings.answer.0;
        match body {
            Body::Single => self.codings,
            Body::Aggregate => Codings { answer: (control, self.block_ack_bytes), ..self.codings },
            Body::Request => {
                Codings { data: control, answer: (control, self.block_ack_bytes), ..self.codings }
            }
        }
    }
}
