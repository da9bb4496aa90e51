//! How long a frame lasts on the air.

use airfair_core::{Rate, Span};

use super::Phy;
use super::table::{is_dsss, serial};

/// How the bytes of a frame become time on the air: preamble, PLCP header and coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plcp {
    /// DSSS and HR/DSSS: a preamble and header of fixed length, then the bits one after the other.
    Serial {
        /// Duration of the preamble and the PLCP header.
        preamble: Span,
        /// Frames at this rate or below carry `slow_preamble` instead (the short preamble needs 2 Mb/s).
        slow_rate: Rate,
        /// Duration of the preamble and the PLCP header of slow frames.
        slow_preamble: Span,
        /// The time of the bits is rounded up to a multiple of this.
        unit: Span,
    },
    /// OFDM: whole symbols.
    Ofdm {
        /// Duration of the preamble and the SIGNAL field.
        preamble: Span,
        /// Duration of a symbol.
        symbol: Span,
        /// Number of SERVICE and tail bits, which share the symbols with the frame.
        extra_bits: u32,
        /// Duration of the silence that ends a frame (ERP-OFDM's signal extension).
        extension: Span,
    },
}

/// Numbers of bytes around an MSDU and in control frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Bytes of the MAC header of a data frame.
    pub header: u32,
    /// Bytes of the LLC and SNAP headers between the MAC header and the IP packet.
    pub llc: u32,
    /// Bytes of the frame check sequence of a data frame.
    pub fcs: u32,
    /// Bytes of a whole RTS.
    pub rts: u32,
    /// Bytes of a whole CTS.
    pub cts: u32,
    /// Bytes of a whole ACK.
    pub ack: u32,
}

impl Framing {
    /// The framing of data frames between a station and its access point (three addresses) with LLC/SNAP (IEEE 802.11-2012, 8.3).
    pub const STANDARD: Framing = Framing { header: 24, llc: 8, fcs: 4, rts: 20, cts: 14, ack: 14 };

    /// Returns the bytes on the air of a data frame that carries an MSDU of `bytes` bytes.
    pub fn data(&self, bytes: u32) -> u32 {
        self.header + self.llc + bytes + self.fcs
    }
}

impl Plcp {
    /// Returns the duration at `rate` of a frame of `bytes` bytes, MAC header and FCS included.
    pub fn duration(&self, bytes: u32, rate: Rate) -> Span {
        match *self {
            Plcp::Serial { preamble, slow_rate, slow_preamble, unit } => {
                let preamble = if rate <= slow_rate { slow_preamble } else { preamble };
                // The number of units is ceil(bits / rate / unit), in integers.
                let per_unit = rate.bits_per_second() * unit.0;
                preamble + unit * (u64::from(bytes) * 8 * 1_000_000_000).div_ceil(per_unit)
            }
            Plcp::Ofdm { preamble, symbol, extra_bits, extension } => {
                let bits = u64::from(bytes) * 8 + u64::from(extra_bits);
                let bits_per_symbol = rate.bits_per_second() * symbol.0 / 1_000_000_000;
                preamble + symbol * bits.div_ceil(bits_per_symbol) + extension
            }
        }
    }
}

impl Phy {
    /// Returns the rate of the CTS or ACK that answers a frame sent at `rate`. DSSS frames are answered by DSSS frames, OFDM frames by OFDM
    /// frames.
    pub fn response_rate(&self, rate: Rate) -> Rate {
        let rates = match &self.dsss {
            Some(dsss) if is_dsss(rate) => &dsss.basic_rates,
            _ => &self.basic_rates,
        };
        highest_up_to(rates, rate)
    }

    /// Returns the rate with EDCA of an RTS, or of a CTS-to-self, before a data frame whose reference rate is `rate`. All stations decode this
    /// rate, and where the data frame can arrive, so can the RTS or CTS.
    pub fn opening_rate(&self, rate: Rate) -> Rate {
        highest_up_to(self.common_rates(), rate)
    }

    /// Returns the lowest basic rate that all stations decode.
    pub fn lowest_rate(&self) -> Rate {
        self.common_rates()[0]
    }

    /// Returns the basic rates that all stations decode.
    fn common_rates(&self) -> &[Rate] {
        self.dsss.as_ref().map_or(&self.basic_rates, |dsss| &dsss.basic_rates)
    }

    /// Returns how frames at `rate` become time. Where stations of 802.11b are to decode, frames at their rates are DSSS.
    pub fn plcp_at(&self, rate: Rate) -> Plcp {
        match &self.dsss {
            Some(dsss) if is_dsss(rate) => serial(dsss.preamble),
            _ => self.plcp,
        }
    }

    /// Returns the duration of a control frame or a beacon of `bytes` bytes at `rate`.
    pub fn control(&self, bytes: u32, rate: Rate) -> Span {
        self.plcp_at(rate).duration(bytes, rate)
    }

    /// Returns the duration of a data frame at `rate` that carries an MSDU of `bytes` bytes.
    pub fn data(&self, bytes: u32, rate: Rate) -> Span {
        self.plcp.duration(self.framing.data(bytes), rate)
    }

    /// Returns the duration of an RTS.
    pub fn rts(&self) -> Span {
        self.control(self.framing.rts, self.rts_rate)
    }

    /// Returns the duration of the CTS that answers an RTS.
    pub fn cts(&self) -> Span {
        self.control(self.framing.cts, self.response_rate(self.rts_rate))
    }

    /// Returns the duration of the ACK that answers a data frame sent at `rate`.
    pub fn ack(&self, rate: Rate) -> Span {
        self.control(self.framing.ack, self.response_rate(rate))
    }

    /// Returns the time from the end of a data frame at `rate` that no ACK follows until its sender's slots count again, on idle air.
    pub fn ack_retry_after(&self, rate: Rate) -> Span {
        self.ack_retry.of(self.response_rate(rate))
    }

    /// Returns `span` as a NAV carries it: rounded to the nearest multiple of [`AccessRules::nav_unit`](super::AccessRules::nav_unit).
    pub(crate) fn nav(&self, span: Span) -> Span {
        let unit = self.access.nav_unit;
        if unit.0 <= 1 { span } else { unit * (span.0 + unit.0 / 2).div_euclid(unit.0) }
    }
}

/// Returns the highest of these rates, which are sorted, that is not above `rate`; if there is none, the lowest.
fn highest_up_to(rates: &[Rate], rate: Rate) -> Rate {
    *rates.iter().rev().find(|&&basic| basic <= rate).unwrap_or(&rates[0])
}
