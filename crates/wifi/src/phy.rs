//! A physical layer: interframe spaces, contention windows, rates and the duration of a frame. Data, not code: the
//! standards' own numbers are in [`table`](crate::table).

use airfair_core::{Rate, Span, words};

/// Most bytes of an MSDU, the LLC and SNAP headers before the IP packet included (IEEE 802.11-2012, 8.2.3).
pub const MOST_MSDU_BYTES: u32 = 2304;

/// PHY and MAC constants of a standard.
#[derive(Clone, Debug, PartialEq)]
pub struct Phy {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Slot time.
    pub slot: Span,
    /// Short interframe space, before a CTS, a data frame that follows a CTS, and an ACK.
    pub sifs: Span,
    /// DCF interframe space: idle time before slots count.
    pub difs: Span,
    /// Idle time before slots count after a frame that was heard but not decoded.
    pub eifs: Span,
    /// From the end of an RTS that no CTS follows until its sender's slots count again, on idle air.
    pub cts_retry: Span,
    /// From the end of a data frame that no ACK follows until its sender's slots count again, on idle air.
    pub ack_retry: Span,
    /// First contention window.
    pub cw_min: u32,
    /// Largest contention window.
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
    /// Basic rate set, lowest first, not empty: a CTS or ACK goes at the highest of these that is not above the
    /// rate of the frame it answers, else at the lowest (IEEE 802.11-2012, 9.7.6.5.2).
    pub basic_rates: Vec<Rate>,
    /// Where implementations of the access procedure differ.
    pub access: AccessRules,
}

/// How long a frame lasts on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plcp {
    /// DSSS and HR/DSSS: a preamble and header of fixed length, then the bits one after the other.
    Serial {
        /// Preamble and PLCP header.
        preamble: Span,
        /// Frames at this rate or below carry `slow_preamble` instead (the short preamble needs 2 Mb/s).
        slow_rate: Rate,
        /// Preamble and PLCP header of slow frames.
        slow_preamble: Span,
        /// The bits' time is rounded up to a multiple of this.
        unit: Span,
    },
    /// OFDM: whole symbols.
    Ofdm {
        /// Preamble and SIGNAL field.
        preamble: Span,
        /// Symbol duration.
        symbol: Span,
        /// SERVICE and tail bits that share the symbols with the frame.
        extra_bits: u32,
        /// Silence that ends a frame (ERP-OFDM's signal extension).
        extension: Span,
    },
}

/// Bytes around an MSDU and in control frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// MAC header of a data frame.
    pub header: u32,
    /// LLC and SNAP headers between the MAC header and the IP packet.
    pub llc: u32,
    /// Frame check sequence of a data frame.
    pub fcs: u32,
    /// A whole RTS.
    pub rts: u32,
    /// A whole CTS.
    pub cts: u32,
    /// A whole ACK.
    pub ack: u32,
}

/// Where implementations of the access procedure differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRules {
    /// Access of a frame that finds the air idle and no countdown under way.
    pub first_access: FirstAccess,
    /// Whether a backoff is uniform on `0..=cw` (the standard) or on `0..cw`.
    pub backoff_includes_cw: bool,
    /// The NAV that a frame announces is rounded to the nearest multiple of this.
    pub nav_unit: Span,
    /// Who waits EIFS after a collision.
    pub after_collision: AfterCollision,
    /// Whether EIFS less DIFS is a NAV, which a frame decoded meanwhile does not end (in the standard it does: 9.3.7).
    pub eifs_is_nav: bool,
    /// A station whose CTS is not followed by a data frame takes the air for busy until the end of that frame, plus
    /// this; `None`: it knows nothing of the frame.
    pub cts_patience: Option<Span>,
}

words! {
    /// Who waits EIFS after a collision. A sender that hears nothing else waits for its answer's timeout.
    pub enum AfterCollision {
        /// Nobody: receivers that could not decode any of the preambles heard noise, which is followed by DIFS.
        Nobody = "nobody",
        /// Every station that did not transmit: it began to receive a frame with a wrong check sequence (IEEE
        /// 802.11-2012, 9.3.7).
        Listeners = "listeners",
        /// Senders, too, if they hear another frame end at or after the end of their own.
        Everybody = "everybody",
    }
}

words! {
    /// Access of a frame that finds the air idle and no countdown under way.
    pub enum FirstAccess {
        /// At once, or when the air has been idle for DIFS (IEEE 802.11-2012, 9.3.4.2).
        AfterIdle = "after-idle",
        /// DIFS and a random backoff after its arrival.
        Backoff = "backoff",
    }
}

impl AccessRules {
    /// IEEE 802.11-2012, clause 9.3.
    pub const STANDARD: AccessRules = AccessRules {
        first_access: FirstAccess::AfterIdle,
        backoff_includes_cw: true,
        nav_unit: Span(1),
        after_collision: AfterCollision::Listeners,
        eifs_is_nav: false,
        cts_patience: None,
    };
}

impl Framing {
    /// A data frame between a station and its access point (three addresses) with LLC/SNAP (IEEE 802.11-2012, 8.3).
    pub const STANDARD: Framing = Framing { header: 24, llc: 8, fcs: 4, rts: 20, cts: 14, ack: 14 };

    /// Bytes on the air of a data frame that carries an MSDU of `bytes`.
    pub fn data(&self, bytes: u32) -> u32 {
        self.header + self.llc + bytes + self.fcs
    }
}

impl Plcp {
    /// Duration of a frame of `bytes`, MAC header and FCS included, at `rate`.
    pub fn duration(&self, bytes: u32, rate: Rate) -> Span {
        match *self {
            Plcp::Serial { preamble, slow_rate, slow_preamble, unit } => {
                let preamble = if rate <= slow_rate { slow_preamble } else { preamble };
                // ceil(bits / rate / unit), in integers.
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
    /// Whether data frames may go at `rate`.
    pub fn allows(&self, rate: Rate) -> bool {
        self.data_rates.is_empty() || self.data_rates.contains(&rate)
    }

    /// Rate of the CTS or ACK that answers a frame sent at `rate`.
    pub fn response_rate(&self, rate: Rate) -> Rate {
        let below = self.basic_rates.iter().rev().find(|&&basic| basic <= rate);
        *below.unwrap_or(&self.basic_rates[0])
    }

    /// Duration of a data frame that carries an MSDU of `bytes` at `rate`.
    pub fn data(&self, bytes: u32, rate: Rate) -> Span {
        self.plcp.duration(self.framing.data(bytes), rate)
    }

    /// Duration of an RTS.
    pub fn rts(&self) -> Span {
        self.plcp.duration(self.framing.rts, self.rts_rate)
    }

    /// Duration of the CTS that answers an RTS.
    pub fn cts(&self) -> Span {
        self.plcp.duration(self.framing.cts, self.response_rate(self.rts_rate))
    }

    /// Duration of the ACK that answers a data frame sent at `rate`.
    pub fn ack(&self, rate: Rate) -> Span {
        self.plcp.duration(self.framing.ack, self.response_rate(rate))
    }

    /// `span` as a NAV carries it.
    pub(crate) fn nav(&self, span: Span) -> Span {
        let unit = self.access.nav_unit;
        if unit.0 <= 1 { span } else { unit * (span.0 + unit.0 / 2).div_euclid(unit.0) }
    }

    /// The contention window after `cw` slots led to no answer.
    pub(crate) fn wider(&self, cw: u32) -> u32 {
        (2 * cw + 1).min(self.cw_max)
    }
}
