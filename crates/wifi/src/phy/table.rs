//! The numbers of the standards' PHYs, and of ns-2's.

use std::fmt;

use airfair_core::schema::{Kind, Range, Refused};
use airfair_core::{Rate, Span, settings, words};

use super::mode::{Band, Standard};
use super::{
    AccessRules, AfterCollision, Countdown, Dsss, FirstAccess, Framing, MOST_MSDU_BYTES, Phy, Plcp, Retry,
    SLOW_RATE,
};

const fn mbps(tenths: u64) -> Rate {
    Rate::from_hundred_kbps(tenths)
}

const fn us(micros: u64) -> Span {
    Span::from_micros(micros)
}

/// Rates of IEEE 802.11-1997 DSSS.
const DSSS_RATES: &[Rate] = &[mbps(10), mbps(20)];
/// Rates of IEEE 802.11b HR/DSSS.
pub(crate) const HR_RATES: &[Rate] = &[mbps(10), mbps(20), mbps(55), mbps(110)];
/// Rates of IEEE 802.11a OFDM with 20 MHz channels, and of IEEE 802.11g.
const OFDM_RATES: &[Rate] =
    &[mbps(60), mbps(90), mbps(120), mbps(180), mbps(240), mbps(360), mbps(480), mbps(540)];
/// Rates every OFDM station can receive (IEEE 802.11-2012, clause 18): control frames use these.
const OFDM_MANDATORY: &[Rate] = &[mbps(60), mbps(120), mbps(240)];

/// Whether `rate` is one of DSSS or CCK: of 802.11b.
pub fn is_dsss(rate: Rate) -> bool {
    HR_RATES.contains(&rate)
}

/// Returns the duration rule of HR/DSSS frames. TXTIME is a whole number of microseconds (17.3.4).
pub(crate) const fn serial(preamble: Preamble) -> Plcp {
    let slow_preamble = Preamble::Long.duration();
    Plcp::Serial { preamble: preamble.duration(), slow_rate: SLOW_RATE, slow_preamble, unit: us(1) }
}

/// Kind of a setting that counts bits at the PLCP rate.
const BITS: Kind = Kind::Count(Range::between(0.0, 10_000.0), "bits");
/// Kind of a setting that is a contention window.
const SLOTS: Kind = Kind::Count(Range::between(1.0, 65_535.0), "slots");

settings! {
    /// Changes to the numbers of a PHY; none: the standard's number.
    #[derive(Clone, Copy, Debug)]
    pub struct PhySettings[usual] {
        /// Rate of RTS, CTS and ACK frames; by default the standard's usual one, with `ns2` 1 Mb/s.
        "basic_rate" basic_rate: Option<Rate>, Kind::Rate, [None];
        /// `ns2` alone: rate of the PLCP header (1 Mb/s).
        "plcp_rate" plcp_rate: Option<Rate>, Kind::Rate, [None];
        /// `ns2` alone: bits of the preamble (`PreambleLength_`, 144, the long preamble's).
        "preamble_bits" preamble_bits: Option<u32>, BITS, [None];
        /// `ns2` alone: bits of the PLCP header (`PLCPHeaderLength_`, 48).
        "plcp_header_bits" plcp_header_bits: Option<u32>, BITS, [None];
        /// Smallest contention window, by default the standard's.
        "cw_min" cw_min: Option<u32>, SLOTS, [None];
        /// Largest contention window, by default the standard's.
        "cw_max" cw_max: Option<u32>, SLOTS, [None];
    }
}

words! {
    /// Length of the HR/DSSS preamble.
    pub enum Preamble {
        /// 144 bits and a 48-bit header at 1 Mb/s: 192 us.
        Long = "long",
        /// 72 bits at 1 Mb/s and a 48-bit header at 2 Mb/s: 96 us. Frames at 1 Mb/s have the long preamble.
        Short = "short",
    }
}

impl Preamble {
    const fn duration(self) -> Span {
        match self {
            Preamble::Long => us(192),
            Preamble::Short => us(96),
        }
    }
}

/// Why there is no such PHY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhyError {
    /// No PHY has this name; see [`Phy::NAMES`].
    UnknownName,
    /// Control frames cannot be sent at this rate, but at the rates given here.
    ControlRate(&'static [Rate]),
}

impl fmt::Display for PhyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PhyError::UnknownName => write!(f, "no such PHY; known are {}", Phy::NAMES.join(", ")),
            PhyError::ControlRate(allowed) => {
                let shown = |rate: &Rate| format!("{} Mb/s", rate.bits_per_second() as f64 / 1e6);
                let allowed: Vec<String> = allowed.iter().map(shown).collect();
                write!(f, "not a rate for control frames: {} are allowed", allowed.join(", "))
            }
        }
    }
}

impl std::error::Error for PhyError {}

impl Phy {
    /// The names that [`Phy::by_name`] knows.
    pub const NAMES: &[&str] = &[
        "802.11",
        "802.11b",
        "802.11b-short",
        "802.11a",
        "802.11g",
        "802.11n",
        "802.11ac",
        "802.11ax",
        "802.11be",
        "ns2",
    ];

    /// Returns the PHY of this name. `control_rate` is the rate of RTS frames and the highest rate of CTS and ACK frames. Without it this is 1 Mb/s
    /// for "802.11" and "ns2", 2 Mb/s for "802.11b" and "802.11b-short", and 24 Mb/s for the others. "ns2" has ns-2's default preamble (192 bits at
    /// 1 Mb/s, with the PLCP header).
    ///
    /// # Errors
    /// When the name is unknown or the standard has no such control rate.
    pub fn by_name(name: &str, control_rate: Option<Rate>) -> Result<Phy, PhyError> {
        let rate = |default: u64, allowed: &'static [Rate]| {
            let rate = control_rate.unwrap_or(mbps(default));
            if allowed.contains(&rate) { Ok(rate) } else { Err(PhyError::ControlRate(allowed)) }
        };
        Ok(match name {
            "802.11" => Phy::ieee80211dsss(rate(10, DSSS_RATES)?),
            "802.11b" => Phy::ieee80211b(Preamble::Long, rate(20, HR_RATES)?),
            "802.11b-short" => Phy::ieee80211b(Preamble::Short, rate(20, HR_RATES)?),
            "802.11a" => Phy::ieee80211a(rate(240, OFDM_MANDATORY)?),
            "802.11g" => Phy::ieee80211g(rate(240, OFDM_MANDATORY)?),
            "ns2" => Phy::ns2(control_rate.unwrap_or(mbps(10)), mbps(10), 144, 48),
            _ => {
                let standard = Standard::from_word(name).ok_or(PhyError::UnknownName)?;
                Phy::with_modes(standard, standard.bands()[0], rate(240, OFDM_MANDATORY)?)
            }
        })
    }

    /// Returns the PHY of this name with these changes.
    ///
    /// # Errors
    /// When the name is unknown, the standard fixes a number, or a change makes no sense.
    pub fn with(name: &str, settings: &PhySettings) -> Result<Phy, Refused> {
        let refused = |key: &str, reason| Refused { parameter: key.to_owned(), reason };
        let PhySettings { basic_rate, plcp_rate, preamble_bits, plcp_header_bits, cw_min, cw_max } =
            *settings;
        let mut phy = if name == "ns2" {
            let usual = mbps(10);
            let (basic_rate, plcp_rate) = (basic_rate.unwrap_or(usual), plcp_rate.unwrap_or(usual));
            Phy::ns2(basic_rate, plcp_rate, preamble_bits.unwrap_or(144), plcp_header_bits.unwrap_or(48))
        } else {
            let ns2_alone = [
                ("plcp_rate", plcp_rate.is_some()),
                ("preamble_bits", preamble_bits.is_some()),
                ("plcp_header_bits", plcp_header_bits.is_some()),
            ];
            if let Some((key, _)) = ns2_alone.iter().find(|(_, set)| *set) {
                let reason = format!("the standard fixes it for `{name}`: it is for `ns2` alone");
                return Err(refused(key, reason));
            }
            Phy::by_name(name, basic_rate).map_err(|error| match error {
                PhyError::UnknownName => refused("phy", error.to_string()),
                PhyError::ControlRate(_) => refused("basic_rate", format!("it is {error}")),
            })?
        };
        (phy.cw_min, phy.cw_max) = (cw_min.unwrap_or(phy.cw_min), cw_max.unwrap_or(phy.cw_max));
        if phy.cw_min > phy.cw_max {
            let (least, most) = (phy.cw_min, phy.cw_max);
            return Err(refused(
                "cw_min",
                format!("the smallest window, {least}, is above the largest, {most}"),
            ));
        }
        Ok(phy)
    }

    /// Returns the PHY of DSSS at 1 and 2 Mb/s (IEEE 802.11-2012, clause 16).
    pub fn ieee80211dsss(control_rate: Rate) -> Phy {
        Phy {
            name: "802.11",
            data_rates: DSSS_RATES,
            ..hr_dsss(Preamble::Long, control_rate, up_to(DSSS_RATES, control_rate))
        }
    }

    /// Returns the PHY of HR/DSSS up to 11 Mb/s (IEEE 802.11-2012, clause 17).
    pub fn ieee80211b(preamble: Preamble, control_rate: Rate) -> Phy {
        hr_dsss(preamble, control_rate, up_to(HR_RATES, control_rate))
    }

    /// Returns the PHY of OFDM in the 5 GHz band (IEEE 802.11-2012, clause 18; 20 MHz channels, table 18-17).
    pub fn ieee80211a(control_rate: Rate) -> Phy {
        Phy {
            name: "802.11a",
            slot: us(9),
            sifs: us(16),
            difs: us(34),
            // SIFS, DIFS and an ACK at 6 Mb/s (9.3.7).
            eifs: us(16 + 34 + 44),
            // SIFS, slot and aPHY-RX-START-Delay (9.3.2.8).
            cts_retry: us(16 + 9 + 25),
            ack_retry: Retry::always(us(16 + 9 + 25)),
            cw_min: 15,
            cw_max: 1023,
            plcp: Plcp::Ofdm { preamble: us(20), symbol: us(4), extra_bits: 16 + 6, extension: Span::ZERO },
            framing: Framing::STANDARD,
            most_packet_bytes: Some(MOST_MSDU_BYTES - Framing::STANDARD.llc),
            data_rates: OFDM_RATES,
            rts_rate: control_rate,
            basic_rates: up_to(OFDM_MANDATORY, control_rate),
            dsss: None,
            access: AccessRules::STANDARD,
        }
    }

    /// Returns the PHY of ERP-OFDM in the 2.4 GHz band with the short slot, without 802.11b stations nearby (IEEE 802.11-2012, clause 19).
    pub fn ieee80211g(control_rate: Rate) -> Phy {
        Phy {
            name: "802.11g",
            slot: us(9),
            sifs: us(10),
            difs: us(28),
            // The lowest mandatory rate of an ERP station is 1 Mb/s, so EIFS has a long-preamble ACK (9.3.7).
            eifs: us(10 + 28 + 304),
            cts_retry: us(10 + 9 + 24),
            ack_retry: Retry::always(us(10 + 9 + 24)),
            // 6 us of silence give the decoder the time that SIFS = 10 us takes away (clause 19).
            plcp: Plcp::Ofdm { preamble: us(20), symbol: us(4), extra_bits: 16 + 6, extension: us(6) },
            ..Phy::ieee80211a(control_rate)
        }
    }

    /// Returns a PHY whose data frames have [modes](super::mode) instead of rates. Control frames are those of 802.11a, and at 2.4 GHz those of
    /// 802.11g.
    pub fn with_modes(standard: Standard, band: Band, control_rate: Rate) -> Phy {
        let control = match band {
            Band::Ghz2_4 => Phy::ieee80211g(control_rate),
            Band::Ghz5 | Band::Ghz6 => Phy::ieee80211a(control_rate),
        };
        Phy {
            name: standard.word(),
            data_rates: if standard.has_rates() { control.data_rates } else { &[] },
            ..control
        }
    }

    /// Returns this PHY, which is that of `standard`, in another band. The contention windows stay.
    pub fn in_band(self, standard: Standard, band: Band) -> Phy {
        Phy { cw_min: self.cw_min, cw_max: self.cw_max, ..Phy::with_modes(standard, band, self.rts_rate) }
    }

    /// Returns this PHY, at 2.4 GHz, where stations of 802.11b are to decode (IEEE 802.11-2020, clause 18): RTS, CTS and answers to DSSS frames have
    /// basic rates of DSSS, `highest` at most.
    ///
    /// # Errors
    /// When 802.11b has no such rate.
    pub fn beside_dsss(self, highest: Rate, preamble: Preamble) -> Result<Phy, PhyError> {
        if !HR_RATES.contains(&highest) {
            return Err(PhyError::ControlRate(HR_RATES));
        }
        let dsss = Phy::ieee80211b(preamble, highest);
        let in_own_slots = |timeout: Span| timeout - dsss.slot + self.slot;
        Ok(Phy {
            cts_retry: in_own_slots(dsss.cts_retry),
            rts_rate: dsss.rts_rate,
            dsss: Some(Dsss {
                basic_rates: dsss.basic_rates,
                preamble,
                ack_retry: dsss.ack_retry.map(in_own_slots),
            }),
            ..self
        })
    }

    /// Returns this PHY with the slots of 802.11b, which a network with a station of 802.11b has (IEEE 802.11-2020, 9.4.1.4). The window stays
    /// (table 18-5, aCWmin(1)).
    pub fn with_long_slots(self) -> Phy {
        let Phy { slot, difs, .. } = Phy::ieee80211dsss(mbps(10));
        let longer = slot - self.slot;
        Phy {
            slot,
            difs,
            eifs: self.eifs - self.difs + difs,
            cts_retry: self.cts_retry + longer,
            ack_retry: self.ack_retry.map(|retry| retry + longer),
            dsss: self
                .dsss
                .map(|dsss| Dsss { ack_retry: dsss.ack_retry.map(|retry| retry + longer), ..dsss }),
            ..self
        }
    }

    /// Returns the numbers and rules of ns-2.35's `Mac/802_11`, with its `basicRate_`, `PLCPDataRate_`, `PreambleLength_` and `PLCPHeaderLength_`.
    /// Its other defaults (slot 20 us, SIFS 10 us, CW 31..1023) are plain fields.
    pub fn ns2(basic_rate: Rate, plcp_rate: Rate, preamble_bits: u32, plcp_header_bits: u32) -> Phy {
        let framing = Framing { header: 30, llc: 0, fcs: 4, rts: 20, cts: 14, ack: 14 };
        let plcp_bits = u64::from(preamble_bits) + u64::from(plcp_header_bits);
        let preamble = plcp_rate.span_of_bits(plcp_bits);
        let plcp = Plcp::Serial { preamble, slow_rate: basic_rate, slow_preamble: preamble, unit: Span(1) };
        let (slot, sifs) = (us(20), us(10));
        let difs = sifs + slot * 2;
        // DSSS_MaxPropagationDelay there and back, then DIFS once the timer has run out.
        let answer = us(2) + sifs + plcp.duration(framing.ack, basic_rate) + us(2);
        let mut phy = Phy {
            name: "ns2",
            slot,
            sifs,
            difs,
            // EIFS is a NAV of whole microseconds, in which even the ACK's bits count at the PLCP rate, and then DIFS.
            eifs: Span::ZERO,
            cts_retry: answer + difs,
            ack_retry: Retry::always(answer + difs),
            cw_min: 31,
            cw_max: 1023,
            plcp,
            framing,
            // ns-2 sends frames of any length.
            most_packet_bytes: None,
            data_rates: &[],
            rts_rate: basic_rate,
            basic_rates: vec![basic_rate],
            dsss: None,
            access: AccessRules {
                first_access: FirstAccess::Backoff,
                backoff_includes_cw: false,
                nav_unit: us(1),
                after_collision: AfterCollision::Everybody,
                eifs_is_nav: true,
                // DSSS_MaxPropagationDelay, twice.
                cts_patience: Some(us(4)),
                countdown: Countdown::Dcf,
            },
        };
        let ack_bits = plcp_bits / 8 * 8 + u64::from(framing.ack) * 8;
        phy.eifs = phy.nav(sifs + difs + plcp_rate.span_of_bits(ack_bits)) + difs;
        phy
    }
}

/// Returns the PHY of HR/DSSS with these basic rates (IEEE 802.11-2012, tables 16-2 and 17-5).
fn hr_dsss(preamble: Preamble, control_rate: Rate, basic_rates: Vec<Rate>) -> Phy {
    let name = match preamble {
        Preamble::Long => "802.11b",
        Preamble::Short => "802.11b-short",
    };
    // SIFS, slot and aPHY-RX-START-Delay, which is the preamble and header (9.3.2.8).
    let timeout = |preamble: Preamble| us(10 + 20) + preamble.duration();
    let ack_retry = Retry { usual: timeout(preamble), slow: timeout(Preamble::Long) };
    Phy {
        name,
        slot: us(20),
        sifs: us(10),
        difs: us(50),
        // SIFS, DIFS and an ACK at 1 Mb/s, which has the long preamble (9.3.7).
        eifs: us(10 + 50 + 192 + 112),
        // A CTS is sent at the rate of its RTS.
        cts_retry: ack_retry.of(control_rate),
        ack_retry,
        cw_min: 31,
        cw_max: 1023,
        plcp: serial(preamble),
        framing: Framing::STANDARD,
        most_packet_bytes: Some(MOST_MSDU_BYTES - Framing::STANDARD.llc),
        data_rates: HR_RATES,
        rts_rate: control_rate,
        basic_rates,
        dsss: None,
        access: AccessRules::STANDARD,
    }
}

/// Returns the `rates` that are not above `limit`; if there are none, the lowest.
fn up_to(rates: &[Rate], limit: Rate) -> Vec<Rate> {
    let below: Vec<Rate> = rates.iter().copied().filter(|&rate| rate <= limit).collect();
    if below.is_empty() { vec![rates[0]] } else { below }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dsss_frames_last_as_clause_16_says() {
        let phy = Phy::ieee80211dsss(mbps(10));
        // Frames last 192 us and 1036 bytes, 20 or 14 bytes, at 1 Mb/s.
        assert_eq!(phy.data(1000, mbps(10)), us(192 + 8288));
        assert_eq!((phy.rts(), phy.cts(), phy.ack(mbps(20))), (us(192 + 160), us(192 + 112), us(192 + 112)));
        assert_eq!((phy.slot, phy.sifs, phy.difs, phy.eifs), (us(20), us(10), us(50), us(10 + 50 + 304)));
        assert_eq!((phy.cw_min, phy.cw_max, phy.ack_retry), (31, 1023, Retry::always(us(10 + 20 + 192))));
        // At 2 Mb/s frames are half as long behind the same preamble; basic rates are 1 and 2 Mb/s.
        let faster = Phy::ieee80211dsss(mbps(20));
        assert_eq!(faster.data(1000, mbps(20)), us(192 + 4144));
        assert_eq!((faster.rts(), faster.ack(mbps(20)), faster.ack(mbps(10))), (us(272), us(248), us(304)));
        assert!(phy.allows(mbps(20)) && !phy.allows(mbps(55)));
    }

    /// Durations of both kinds of frames, and what stays of 802.11g's numbers.
    #[test]
    fn beside_dsss_slots_are_long_and_frames_for_all_stations_go_at_its_rates() {
        let alone = Phy::ieee80211g(mbps(240));
        let phy = alone.clone().beside_dsss(mbps(55), Preamble::Long).unwrap().with_long_slots();
        assert_eq!((phy.slot, phy.sifs, phy.difs, phy.eifs), (us(20), us(10), us(50), us(10 + 50 + 304)));
        assert_eq!((phy.cw_min, phy.cw_max), (15, 1023));
        // 20 and 14 bytes at 5.5 Mb/s, behind 192 us.
        assert_eq!((phy.rts(), phy.cts()), (us(192 + 30), us(192 + 21)));
        assert_eq!((phy.ack(mbps(110)), phy.ack(mbps(10))), (us(192 + 21), us(192 + 112)));
        assert_eq!((phy.ack(mbps(540)), phy.lowest_rate()), (alone.ack(mbps(540)), mbps(10)));
        let waits = [phy.ack_retry, phy.dsss.unwrap().ack_retry];
        assert_eq!(waits, [10 + 20 + 24, 10 + 20 + 192].map(us).map(Retry::always));
        let short = alone.clone().beside_dsss(mbps(55), Preamble::Short).unwrap().dsss.unwrap();
        assert_eq!(short.ack_retry, Retry { usual: us(10 + 9 + 96), slow: us(10 + 9 + 192) });
        assert_eq!(alone.beside_dsss(mbps(60), Preamble::Long), Err(PhyError::ControlRate(HR_RATES)));
    }

    /// ns-2's defaults: data and control at 1 Mb/s behind 192 bits at 1 Mb/s.
    #[test]
    fn ns2_at_1_mbps_lasts_as_long_as_its_bits() {
        let phy = Phy::by_name("ns2", None).unwrap();
        assert_eq!(phy.data(1040, mbps(10)), us(192 + 8 * 1074));
        assert_eq!((phy.rts(), phy.cts(), phy.ack(mbps(10))), (us(352), us(304), us(304)));
        assert_eq!((phy.eifs, phy.cts_retry), (us(364 + 50), us(2 + 10 + 304 + 2 + 50)));
    }

    #[test]
    fn hr_dsss_frames_last_as_clause_17_says() {
        let phy = Phy::ieee80211b(Preamble::Long, mbps(10));
        // 1500 + 36 bytes are 1117.1 us at 11 Mb/s: 1118 whole ones.
        assert_eq!(phy.data(1500, mbps(110)), us(192 + 1118));
        assert_eq!((phy.rts(), phy.cts(), phy.ack(mbps(110))), (us(352), us(304), us(304)));
        let short = Phy::ieee80211b(Preamble::Short, mbps(20));
        assert_eq!(short.data(1500, mbps(110)), us(96 + 1118));
        assert_eq!(short.ack(mbps(110)), us(96 + 56));
        // A 1 Mb/s frame has no short preamble.
        assert_eq!(short.data(100, mbps(10)), us(192 + 1088));
    }

    /// A sender that expects a CTS or an ACK at 1 Mb/s waits for the long preamble (IEEE 802.11-2020, 16.2.2.3).
    #[test]
    fn with_short_preambles_an_answer_at_1_mbps_has_longer_to_come() {
        let waits = |control, data| {
            let phy = Phy::ieee80211b(Preamble::Short, mbps(control));
            (phy.cts_retry, phy.ack_retry_after(mbps(data)))
        };
        let (short, long) = (us(10 + 20 + 96), us(10 + 20 + 192));
        assert_eq!(waits(110, 110), (short, short));
        assert_eq!(waits(20, 10), (short, long));
        assert_eq!(waits(10, 110), (long, long));
    }

    /// ns-3's test counts bytes of the whole frame, header and check sequence included, as `Plcp` does. A payload has no preamble.
    #[test]
    fn dsss_frames_last_as_in_ns3() {
        let mut rows = 0;
        for line in include_str!("ns3_dsss_durations.txt").lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(' ').collect();
            let [kind, bytes, rate, preamble, expected] = fields[..] else { panic!("{line}") };
            let number = |text: &str| text.parse::<u64>().unwrap();
            let preamble = if preamble == "long" { Preamble::Long } else { Preamble::Short };
            let phy = Phy::ieee80211b(preamble, mbps(10));
            let whole = |bytes: u64| phy.plcp.duration(bytes as u32, mbps(number(rate)));
            let before = if kind == "payload" { whole(0) } else { Span::ZERO };
            assert_eq!(whole(number(bytes)), before + us(number(expected)), "{line}");
            rows += 1;
        }
        assert_eq!(rows, 30);
    }

    #[test]
    fn ofdm_frames_are_whole_symbols() {
        let phy = Phy::ieee80211a(mbps(240));
        // 22 + 8 x 1536 bits in symbols of 216: 57.
        assert_eq!(phy.data(1500, mbps(540)), us(20 + 57 * 4));
        assert_eq!(phy.ack(mbps(540)), us(28));
        assert_eq!(phy.data(1500, mbps(60)), us(20 + 513 * 4));
        assert_eq!(phy.ack(mbps(90)), us(44));
        assert_eq!(Phy::ieee80211g(mbps(240)).ack(mbps(540)), us(34));
    }

    /// EIFS has the time of an ACK at the lowest mandatory rate (IEEE 802.11-2012, 9.3.7). A timeout has SIFS, a slot and the PHY's delay before it
    /// reports a frame (9.3.2.8).
    #[test]
    fn ofdm_intervals_are_those_of_clauses_18_and_19() {
        let (a, g) = (Phy::ieee80211a(mbps(240)), Phy::ieee80211g(mbps(240)));
        assert_eq!((a.slot, a.sifs, a.difs, a.ack(mbps(60))), (us(9), us(16), us(16 + 2 * 9), us(44)));
        assert_eq!((a.eifs, a.cts_retry, a.ack_retry), (us(94), us(50), Retry::always(us(50))));
        assert_eq!((g.slot, g.sifs, g.difs), (us(9), us(10), us(10 + 2 * 9)));
        let slowest_ack = Phy::ieee80211dsss(mbps(10)).ack(mbps(10));
        assert_eq!((g.eifs, g.cts_retry), (g.sifs + g.difs + slowest_ack, us(43)));
        assert_eq!(g.ack_retry, Retry::always(us(43)));
    }

    /// IEEE 802.11-2012, 8.2.3: an MSDU has up to 2304 bytes, 8 of which are LLC's and SNAP's.
    #[test]
    fn packets_of_up_to_2296_bytes_fit_a_frame() {
        for name in ["802.11", "802.11b", "802.11b-short", "802.11a", "802.11g"] {
            assert_eq!(Phy::by_name(name, None).unwrap().most_packet_bytes, Some(2296), "{name}");
        }
    }

    #[test]
    fn windows_double_up_to_the_largest() {
        let phy = Phy::ieee80211b(Preamble::Long, mbps(20));
        assert_eq!([0, 31, 511, 1023].map(|cw| phy.wider(cw)), [1, 63, 1023, 1023]);
        assert_eq!(phy.cts_retry, us(10 + 20 + 192));
    }

    #[test]
    fn answers_go_at_the_highest_basic_rate_not_above_the_frame() {
        let phy = Phy::ieee80211a(mbps(240));
        assert_eq!(phy.response_rate(mbps(540)), mbps(240));
        assert_eq!(phy.response_rate(mbps(180)), mbps(120));
        let ns2 = Phy::ns2(mbps(110), mbps(110), 144, 48);
        assert_eq!(ns2.response_rate(mbps(10)), mbps(110));
    }

    #[test]
    fn ns2_counts_the_preamble_at_the_plcp_rate() {
        let fast = Phy::ns2(mbps(110), mbps(110), 144, 48);
        assert_eq!(fast.data(1500, mbps(110)), Span(17_455 + 1_115_637));
        // SIFS + DIFS + 304 bits at 11 Mb/s are 87.6 us, so a NAV of 88 us, then DIFS.
        assert_eq!(fast.eifs, us(88 + 50));
        assert_eq!(Phy::ns2(mbps(20), mbps(10), 144, 48).eifs, us(364 + 50));
    }

    #[test]
    fn names_lead_to_their_phy() {
        for name in Phy::NAMES {
            assert_eq!(Phy::by_name(name, None).unwrap().name, *name);
        }
        assert_eq!(Phy::by_name("802.11bn", None), Err(PhyError::UnknownName));
        assert_eq!(Phy::by_name("802.11a", Some(mbps(110))), Err(PhyError::ControlRate(OFDM_MANDATORY)));
        assert!(Phy::by_name("802.11b", None).unwrap().allows(mbps(55)));
        assert!(!Phy::by_name("802.11b", None).unwrap().allows(mbps(60)));
    }
}
