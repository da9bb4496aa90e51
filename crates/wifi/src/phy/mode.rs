//! Modes of data frames from 802.11b to 802.11be: their rates, and how long their PPDUs last.
//!
//! A [`Mode`] is a standard, a band, a channel width, a number of spatial streams, a modulation and coding scheme (MCS) and a
//! guard interval. Clauses are those of IEEE 802.11-2020; clause 27 (HE) is IEEE 802.11ax-2021's, and clause 36 (EHT) IEEE 802.11be-2024's.
//!
//! Assumptions: one user (HT-mixed, VHT SU, HE SU, EHT MU without OFDMA), no STBC, as many training fields as streams need, binary
//! convolutional coding with its tail bits, no packet extension, EHT-SIG at its lowest rate.

use std::fmt;

use airfair_core::{Rate, Span, words};

use super::table::{HR_RATES, Preamble, serial};

/// Longest PPDU (aPPDUMaxTime; tables 19-25, 21-29, 27-54 and 36-70).
pub const LONGEST_PPDU: Span = Span::from_micros(5484);

/// Number of SERVICE bits before a PSDU.
const SERVICE_BITS: u64 = 16;
/// Number of tail bits of one encoder behind a PSDU.
const TAIL_BITS: u64 = 6;

words! {
    /// A standard whose stations a network with EDCA may have.
    pub enum Standard {
        /// HR/DSSS at 2.4 GHz (clause 16).
        B = "802.11b",
        /// OFDM at 5 GHz (clause 17).
        A = "802.11a",
        /// ERP-OFDM at 2.4 GHz (clause 18).
        G = "802.11g",
        /// High throughput, HT (clause 19).
        N = "802.11n",
        /// Very high throughput, VHT (clause 21).
        Ac = "802.11ac",
        /// High efficiency, HE (clause 27).
        Ax = "802.11ax",
        /// Extremely high throughput, EHT (clause 36), over one link.
        Be = "802.11be",
    }
}

words! {
    /// A frequency band.
    pub enum Band {
        /// The band at 2.4 GHz: SIFS is 10 us, and 6 us of silence end each OFDM frame.
        Ghz2_4 = "2.4 GHz",
        /// The band at 5 GHz: SIFS is 16 us.
        Ghz5 = "5 GHz",
        /// The band at 6 GHz: SIFS is 16 us.
        Ghz6 = "6 GHz",
    }
}

words! {
    /// Width of a channel.
    pub enum Width {
        /// 20 MHz.
        Mhz20 = "20 MHz",
        /// 40 MHz.
        Mhz40 = "40 MHz",
        /// 80 MHz.
        Mhz80 = "80 MHz",
        /// 160 MHz.
        Mhz160 = "160 MHz",
        /// 320 MHz.
        Mhz320 = "320 MHz",
    }
}

impl Band {
    /// Returns the width of the widest channels of the band (annex E).
    fn widest(self) -> Width {
        match self {
            Band::Ghz2_4 => Width::Mhz40,
            Band::Ghz5 => Width::Mhz160,
            Band::Ghz6 => Width::Mhz320,
        }
    }
}

impl Width {
    /// Returns the width in megahertz.
    pub fn mhz(self) -> u32 {
        match self {
            Width::Mhz20 => 20,
            Width::Mhz40 => 40,
            Width::Mhz80 => 80,
            Width::Mhz160 => 160,
            Width::Mhz320 => 320,
        }
    }
}

words! {
    /// Whose rules determine the durations of PPDUs.
    pub enum Timing {
        /// The standard's rules.
        Standard = "standard",
        /// ns-3's rules (up to release 3.40 at least). ns-3 leaves out VHT-SIG-B, does not round short guard intervals up to whole symbols, has
        /// HE-LTFs and EHT-LTFs of 8 us for every guard interval, and an EHT-SIG of as many bits as HE-SIG-B has with OFDMA.
        Ns3 = "ns3",
    }
}

/// How a data frame is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The standard.
    pub standard: Standard,
    /// The band.
    pub band: Band,
    /// The channel width.
    pub width: Width,
    /// Spatial streams, 1 to 8.
    pub nss: u8,
    /// Modulation and coding scheme (MCS): 0 to 7, with 802.11ac to 9, with 802.11ax to 11, with 802.11be to 13. Unlike 802.11n's index, it does not
    /// count the streams. With 802.11a and g, 0 to 7 are 6 to 54 Mb/s, with 802.11b 0 to 3 are 1 to 11 Mb/s.
    pub mcs: u8,
    /// Guard interval: 400 or 800 ns; with 802.11ax and be 800, 1600 or 3200 ns; with 802.11a, b and g 800 ns.
    pub guard_interval: Span,
    /// Whose rules determine the duration of a PPDU.
    pub timing: Timing,
    /// Preamble of frames of 802.11b.
    pub dsss_preamble: Preamble,
}

/// A mode that its standard does not have: the setting to blame, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchMode {
    /// Name of the setting to blame, a field of [`Mode`].
    pub setting: &'static str,
    /// Reason, for people to read.
    pub reason: String,
}

impl fmt::Display for NoSuchMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NoSuchMode {}

/// Modulation and code of a data field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// OFDM.
    Ofdm(Scheme),
    /// DSSS, or CCK, at the rate in this place among those of 802.11b.
    Dsss(u8),
}

/// Modulation of subcarriers, and their code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme {
    /// Coded bits of a subcarrier's symbol: 1 for BPSK, 2 for QPSK, 4 to 12 for 16-QAM to 4096-QAM.
    pub bits: u8,
    /// Data bits to `of` coded bits: the code rate is `code` / `of`.
    pub code: u8,
    /// Coded bits to `code` data bits.
    pub of: u8,
}

impl Scheme {
    const fn new((bits, code, of): (u8, u8, u8)) -> Scheme {
        Scheme { bits, code, of }
    }
}

impl Coding {
    /// Returns the coding of one of the rates of 802.11b or 802.11a; any other counts as the next lower one of the latter.
    pub(crate) fn of_rate(rate: Rate) -> Coding {
        if let Some(place) = HR_RATES.iter().position(|&known| known == rate) {
            return Coding::Dsss(place as u8);
        }
        let place = LEGACY_RATES.iter().rposition(|&units| Rate::from_hundred_kbps(units) <= rate);
        Coding::Ofdm(Scheme::new(LEGACY_SCHEMES[place.unwrap_or(0)]))
    }
}

/// Bits of a subcarrier's symbol and the code rate of each MCS (tables 19-27 ff., 21-30 ff., 27-55 ff., 36-71 ff.).
const SCHEMES: [(u8, u8, u8); 14] = [
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
    (10, 3, 4),
    (10, 5, 6),
    (12, 3, 4),
    (12, 5, 6),
];

/// Bits of a subcarrier's symbol and the code rate of each rate of 802.11a and g (table 17-4).
const LEGACY_SCHEMES: [(u8, u8, u8); 8] =
    [(1, 1, 2), (1, 3, 4), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3), (6, 3, 4)];

/// Rates of 802.11a and g, in 100 kb/s.
const LEGACY_RATES: [u64; 8] = [60, 90, 120, 180, 240, 360, 480, 540];

/// Combinations of width, streams and MCS that VHT does not have, because its encoders cannot share their bits evenly (21.5).
const NO_VHT_MODES: [(Width, u8, u8); 10] = [
    (Width::Mhz20, 1, 9),
    (Width::Mhz20, 2, 9),
    (Width::Mhz20, 4, 9),
    (Width::Mhz20, 5, 9),
    (Width::Mhz20, 7, 9),
    (Width::Mhz20, 8, 9),
    (Width::Mhz80, 3, 6),
    (Width::Mhz80, 6, 9),
    (Width::Mhz80, 7, 6),
    (Width::Mhz160, 3, 9),
];

/// The standard whose PPDUs every station with OFDM decodes. They have no later preamble, and control frames are such PPDUs.
pub(crate) const OLDEST: Standard = Standard::A;

/// Bytes of the header, QoS Control included, and of the check sequence around an A-MSDU.
const AROUND_AMSDU: u32 = 26 + 4;

impl Standard {
    /// Returns the highest MCS.
    pub fn most_mcs(self) -> u8 {
        match self {
            Standard::B => 3,
            Standard::A | Standard::G | Standard::N => 7,
            Standard::Ac => 9,
            Standard::Ax => 11,
            Standard::Be => 13,
        }
    }

    /// Whether stations of this standard decode PPDUs of `other`, which then is as old or older. Of all other PPDUs they learn the length alone, or
    /// with 802.11b [nothing](Standard::detects).
    pub fn decodes(self, other: Standard) -> bool {
        other.generation() <= self.generation()
    }

    /// Returns the older of the two standards.
    pub fn older(self, other: Standard) -> Standard {
        if self.decodes(other) { other } else { self }
    }

    fn generation(self) -> u8 {
        match self {
            Standard::B => 0,
            Standard::A | Standard::G => 1,
            Standard::N => 2,
            Standard::Ac => 3,
            Standard::Ax => 4,
            Standard::Be => 5,
        }
    }

    /// Whether stations of this standard notice the preambles of PPDUs of `other`: to those of 802.11b OFDM is energy on the air (16.3.8.5).
    #[inline]
    pub fn detects(self, other: Standard) -> bool {
        self != Standard::B || other == Standard::B
    }

    /// Whether stations of this standard have access categories. Those of 802.11b come from before 802.11e here, and contend as DCF has it.
    pub fn has_qos(self) -> bool {
        self != Standard::B
    }

    fn most_streams(self) -> u8 {
        match self {
            Standard::B | Standard::A | Standard::G => 1,
            Standard::N => 4,
            Standard::Ac | Standard::Ax | Standard::Be => 8,
        }
    }

    fn widths(self) -> &'static [Width] {
        match self {
            Standard::B | Standard::A | Standard::G => &[Width::Mhz20],
            Standard::N => &[Width::Mhz20, Width::Mhz40],
            Standard::Ac | Standard::Ax => &[Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160],
            Standard::Be => &Width::ALL,
        }
    }

    fn guard_intervals(self) -> &'static [u64] {
        match self {
            Standard::B | Standard::A | Standard::G => &[800],
            Standard::N | Standard::Ac => &[800, 400],
            Standard::Ax | Standard::Be => &[800, 1600, 3200],
        }
    }

    /// Returns the bands of the standard, the usual one first.
    pub fn bands(self) -> &'static [Band] {
        match self {
            Standard::A | Standard::Ac => &[Band::Ghz5],
            Standard::B | Standard::G => &[Band::Ghz2_4],
            Standard::N => &[Band::Ghz5, Band::Ghz2_4],
            Standard::Ax | Standard::Be => &[Band::Ghz5, Band::Ghz2_4, Band::Ghz6],
        }
    }

    /// Returns the most bytes of an A-MPDU (9.4.2.55.3, 9.4.2.157.2, 9.4.2.248.3; 9.4.2.313.3 for EHT); zero: the standard has none.
    pub fn most_ampdu_bytes(self) -> u32 {
        match self {
            Standard::B | Standard::A | Standard::G => 0,
            Standard::N => 65_535,
            Standard::Ac => 1_048_575,
            Standard::Ax => 6_500_631,
            Standard::Be => 15_523_200,
        }
    }

    /// Returns the most bytes of an A-MSDU (table 9-25), in an A-MPDU or not; zero: the standard has none. The limit of HT is on A-MSDUs themselves,
    /// and on the MPDUs of its A-MPDUs; those of VHT, HE and EHT are on MPDUs.
    pub fn most_amsdu_bytes(self, in_ampdu: bool) -> u32 {
        match self {
            Standard::B | Standard::A | Standard::G => 0,
            Standard::N if in_ampdu => 4095 - AROUND_AMSDU,
            Standard::N => 7935,
            Standard::Ac | Standard::Ax | Standard::Be => 11_454 - AROUND_AMSDU,
        }
    }

    /// Returns the most MPDUs that a block ack covers (10.25.2; 26.4.3 for HE, 35.4 for EHT).
    pub fn most_window(self) -> u32 {
        match self {
            Standard::B | Standard::A | Standard::G | Standard::N | Standard::Ac => 64,
            Standard::Ax => 256,
            Standard::Be => 1024,
        }
    }

    /// Whether the standard has data rates rather than schemes: 802.11b, a and g.
    pub fn has_rates(self) -> bool {
        matches!(self, Standard::B | Standard::A | Standard::G)
    }

    /// Whether even a single MPDU goes in an A-MPDU (10.12.5).
    pub fn always_aggregates(self) -> bool {
        matches!(self, Standard::Ac | Standard::Ax | Standard::Be)
    }
}

impl Mode {
    /// Checks that the standard has this mode.
    ///
    /// # Errors
    /// The setting to blame, and the reason, if it has not.
    pub fn check(&self) -> Result<(), NoSuchMode> {
        let &Mode { standard, band, width, nss, mcs, guard_interval, .. } = self;
        let name = standard.word();
        let refuse = |setting, reason: String| Err(NoSuchMode { setting, reason });
        let list = |words: Vec<String>| words.join(", ");
        if !standard.bands().contains(&band) {
            let bands = list(standard.bands().iter().map(|band| band.word().to_owned()).collect());
            return refuse("band", format!("{name} is not used at {}: it is at {bands}", band.word()));
        }
        if !standard.widths().contains(&width) {
            let widths = list(standard.widths().iter().map(|width| width.word().to_owned()).collect());
            return refuse("width", format!("{name} has no channels of {}: it has {widths}", width.word()));
        }
        if width.mhz() > band.widest().mhz() {
            let (band, width, most) = (band.word(), width.word(), band.widest().word());
            return refuse("width", format!("no channel at {band} is {width} wide: {most} is the most"));
        }
        if nss == 0 || nss > standard.most_streams() {
            return refuse("nss", format!("{name} has 1 to {} spatial streams", standard.most_streams()));
        }
        if mcs > standard.most_mcs() {
            return refuse("mcs", format!("{name} has MCS 0 to {}", standard.most_mcs()));
        }
        if !standard.guard_intervals().contains(&guard_interval.0) {
            let all = list(standard.guard_intervals().iter().map(|ns| format!("{ns} ns")).collect());
            return refuse("guard_interval", format!("{name} has guard intervals of {all}"));
        }
        if standard == Standard::Ac && NO_VHT_MODES.contains(&(width, nss, mcs)) {
            let width = width.word();
            return refuse("mcs", format!("802.11ac has no MCS {mcs} with {nss} streams at {width} (21.5)"));
        }
        Ok(())
    }

    pub(crate) fn coding(&self) -> Coding {
        match self.standard {
            Standard::B => Coding::Dsss(self.mcs.min(3)),
            _ => Coding::Ofdm(self.scheme()),
        }
    }

    fn scheme(&self) -> Scheme {
        Scheme::new(match self.standard {
            Standard::B | Standard::A | Standard::G => LEGACY_SCHEMES[usize::from(self.mcs).min(7)],
            _ => SCHEMES[usize::from(self.mcs).min(SCHEMES.len() - 1)],
        })
    }

    /// Returns the data rate with 802.11b; `None` with other standards.
    fn dsss_rate(&self) -> Option<Rate> {
        (self.standard == Standard::B).then(|| HR_RATES[usize::from(self.mcs).min(3)])
    }

    /// Returns the nearest mode of the standard: with no more width, streams and scheme than the standard has.
    pub fn within_standard(self) -> Mode {
        let Mode { standard, width, nss, mcs, guard_interval, .. } = self;
        let mut widths = standard.widths().iter().copied();
        let has_interval = standard.guard_intervals().contains(&guard_interval.0);
        Mode {
            width: widths.rfind(|other| other.mhz() <= width.mhz()).unwrap_or(Width::Mhz20),
            nss: nss.min(standard.most_streams()),
            mcs: mcs.min(standard.most_mcs()),
            guard_interval: if has_interval { guard_interval } else { Span(800) },
            ..self
        }
    }

    /// Returns the number of data subcarriers (tables 17-5, 19-6, 21-5, 27-15 and 36-20).
    fn subcarriers(&self) -> u64 {
        match (self.standard, self.width) {
            (Standard::B | Standard::A | Standard::G, _) => 48,
            (Standard::Ax | Standard::Be, Width::Mhz20) => 234,
            (Standard::Ax | Standard::Be, Width::Mhz40) => 468,
            (Standard::Ax | Standard::Be, Width::Mhz80) => 980,
            (Standard::Ax | Standard::Be, Width::Mhz160) => 1960,
            (Standard::Be, Width::Mhz320) => 3920,
            (_, Width::Mhz20) => 52,
            (_, Width::Mhz40) => 108,
            (_, Width::Mhz80) => 234,
            (_, Width::Mhz160 | Width::Mhz320) => 468,
        }
    }

    /// Returns the number of data bits of a symbol, all streams together.
    fn bits_per_symbol(&self) -> u64 {
        let Scheme { bits, code, of } = self.scheme();
        let streams = u64::from(self.nss);
        self.subcarriers() * u64::from(bits) * streams * u64::from(code) / u64::from(of)
    }

    /// Returns the number of convolutional encoders, each of which adds tail bits: one for each 300 Mb/s of HT (19.5), and for each 600 Mb/s of VHT
    /// at the short guard interval. Some rows of 21.5 have one more, for 6 bits.
    fn encoders(&self) -> u64 {
        let megabits = |bits: u64| bits * 10 / 36;
        match self.standard {
            Standard::B | Standard::A | Standard::G | Standard::Ax | Standard::Be => 1,
            Standard::N => megabits(self.bits_per_symbol()).div_ceil(300).max(1),
            Standard::Ac => megabits(self.bits_per_symbol()).div_ceil(600).max(1),
        }
    }

    /// Returns the duration of a data symbol.
    fn symbol(&self) -> Span {
        match self.standard {
            Standard::B | Standard::A | Standard::G => Span(4_000),
            Standard::N | Standard::Ac => Span(3_200) + self.guard_interval,
            Standard::Ax | Standard::Be => Span(12_800) + self.guard_interval,
        }
    }

    /// Returns the duration of everything before the data field.
    fn preamble(&self) -> Span {
        // The legacy preamble: L-STF, L-LTF and L-SIG.
        let legacy = Span::from_micros(20);
        let trainings = [1, 2, 4, 4, 6, 6, 8, 8][usize::from(self.nss.clamp(1, 8)) - 1];
        match self.standard {
            Standard::B | Standard::A | Standard::G => legacy,
            // HT-SIG, HT-STF, HT-LTFs (19.3.9.4).
            Standard::N => legacy + Span::from_micros(8 + 4) + Span::from_micros(4) * trainings,
            // VHT-SIG-A, VHT-STF, VHT-LTFs, VHT-SIG-B (21.3.8.3).
            Standard::Ac => {
                let sig_b = if self.timing == Timing::Ns3 { Span::ZERO } else { Span::from_micros(4) };
                legacy + Span::from_micros(8 + 4) + Span::from_micros(4) * trainings + sig_b
            }
            // RL-SIG, HE-SIG-A, HE-STF, HE-LTFs (27.3.11).
            Standard::Ax => legacy + Span::from_micros(4 + 8 + 4) + self.he_training() * trainings,
            // RL-SIG, U-SIG, EHT-SIG, EHT-STF, EHT-LTFs (36.3.12).
            Standard::Be => {
                legacy + Span::from_micros(4 + 8 + 4) + self.eht_signal() + self.he_training() * trainings
            }
        }
    }

    /// Returns the duration of EHT-SIG. For one user, without OFDMA, it has 52 bits: 20 of the common field, 22 of the user's, check sequence and tail
    /// (36.3.12.8). Of these, a symbol has 26 at the lowest rate.
    fn eht_signal(&self) -> Span {
        let (bits, bits_per_symbol) = match self.timing {
            Timing::Standard => (52, 26),
            Timing::Ns3 => {
                let user = 21 + 10;
                let allocations = match self.width.mhz() {
                    20 | 40 => 8,
                    mhz => 8 * u64::from(mhz) / 40 + 1,
                };
                // At the rate of VHT MCS 0 to 5 over 20 MHz.
                let scheme = Scheme::new(SCHEMES[usize::from(self.mcs.min(5))]);
                (
                    user + 10 + allocations,
                    52 * u64::from(scheme.bits) * u64::from(scheme.code) / u64::from(scheme.of),
                )
            }
        };
        Span::from_micros(4) * u64::div_ceil(bits, bits_per_symbol)
    }

    /// Returns the duration of an HE-LTF or EHT-LTF and its guard interval: 2x with 0.8 and 1.6 us, 4x with 3.2 us (27.3.11.10, 36.3.12.10).
    fn he_training(&self) -> Span {
        match (self.timing, self.guard_interval) {
            (Timing::Ns3, _) => Span::from_micros(8),
            (Timing::Standard, Span(3_200)) => Span(12_800 + 3_200),
            (Timing::Standard, guard_interval) => Span(6_400) + guard_interval,
        }
    }

    /// Returns the duration of the silence that ends a frame at 2.4 GHz (18.3.2.4, 10.3.8).
    fn extension(&self) -> Span {
        if self.band == Band::Ghz2_4 { Span::from_micros(6) } else { Span::ZERO }
    }

    /// Returns the data rate while symbols are sent, rounded down to whole bit/s.
    ///
    /// # Panics
    /// Never: a symbol has bits.
    pub fn rate(&self) -> Rate {
        if let Some(rate) = self.dsss_rate() {
            return rate;
        }
        let bits_per_second = self.bits_per_symbol() * 1_000_000_000 / self.symbol().0;
        Rate::new(bits_per_second).expect("a symbol has bits")
    }

    /// Returns the duration of a PPDU with a PSDU of this number of bytes (TXTIME: 16.3.4, 17.4.3, 19.4.3, 21.4.3, 27.4.3, 36.4.3).
    pub fn ppdu(&self, psdu_bytes: u32) -> Span {
        if let Some(rate) = self.dsss_rate() {
            return serial(self.dsss_preamble).duration(psdu_bytes, rate);
        }
        let bits = SERVICE_BITS + 8 * u64::from(psdu_bytes) + TAIL_BITS * self.encoders();
        let data = self.symbol() * bits.div_ceil(self.bits_per_symbol());
        self.preamble() + self.whole_symbols(data) + self.extension()
    }

    /// Returns the duration of a data field: with a short guard interval, HT and VHT round it up to symbols of 4 us.
    fn whole_symbols(&self, data: Span) -> Span {
        let short = matches!(self.standard, Standard::N | Standard::Ac) && self.guard_interval == Span(400);
        if short && self.timing == Timing::Standard { Span(data.0.next_multiple_of(4_000)) } else { data }
    }

    /// Returns the most bytes of a PSDU whose PPDU lasts at most `longest`; zero if there are none.
    pub fn most_psdu(&self, longest: Span) -> u32 {
        if let Some(rate) = self.dsss_rate() {
            let payload = longest.0.saturating_sub(self.ppdu(0).0);
            let bits = payload / 1_000 * rate.bits_per_second();
            return u32::try_from(bits / 8_000_000).unwrap_or(u32::MAX);
        }
        let data = longest.0.saturating_sub((self.preamble() + self.extension()).0);
        let data = if self.whole_symbols(Span(1)) > Span(1) { data / 4_000 * 4_000 } else { data };
        let bits = data / self.symbol().0 * self.bits_per_symbol();
        let bytes = bits.saturating_sub(SERVICE_BITS + TAIL_BITS * self.encoders()) / 8;
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    /// Returns the non-HT rate that stands for the mode in the choice of an answer's rate (table 10-10).
    pub fn reference_rate(&self) -> Rate {
        if let Some(rate) = self.dsss_rate() {
            return rate;
        }
        let own = self.scheme();
        let place = LEGACY_SCHEMES.iter().position(|&scheme| Scheme::new(scheme) == own);
        Rate::from_hundred_kbps(LEGACY_RATES[place.unwrap_or(LEGACY_RATES.len() - 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mode(standard: Standard, width: Width, mcs: u8, guard_interval: u64) -> Mode {
        let guard_interval = Span(guard_interval);
        let band = if width == Width::Mhz320 { Band::Ghz6 } else { standard.bands()[0] };
        let (timing, dsss_preamble) = (Timing::Standard, Preamble::Long);
        Mode { standard, band, width, nss: 1, mcs, guard_interval, timing, dsss_preamble }
    }

    /// Durations as ns-3's own test of PPDU durations has them (`src/wifi/test/tx-duration-test.cc`), one a line: bytes of the PSDU, mode, width in
    /// MHz, guard interval in ns, duration in ns.
    const NS3: &str = include_str!("ns3_durations.txt");

    #[test]
    fn durations_of_ns3_are_exact() {
        let mut rows = 0;
        for line in NS3.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(' ').collect();
            let [bytes, name, width, guard_interval, expected] = fields[..] else { panic!("{line}") };
            let number = |text: &str| text.parse::<u64>().unwrap();
            let (standard, mcs) = match name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap()) {
                ("OfdmRate", "54Mbps") => (Standard::A, 7),
                ("ErpOfdmRate", "54Mbps") => (Standard::G, 7),
                ("HtMcs", mcs) => (Standard::N, number(mcs)),
                ("VhtMcs", mcs) => (Standard::Ac, number(mcs)),
                ("HeMcs", mcs) => (Standard::Ax, number(mcs)),
                ("EhtMcs", mcs) => (Standard::Be, number(mcs)),
                other => panic!("{other:?}"),
            };
            let width = Width::ALL.into_iter().find(|known| u64::from(known.mhz()) == number(width)).unwrap();
            let mode =
                Mode { timing: Timing::Ns3, ..mode(standard, width, mcs as u8, number(guard_interval)) };
            assert_eq!(mode.ppdu(number(bytes) as u32), Span(number(expected)), "{line}");
            rows += 1;
        }
        assert_eq!(rows, 160);
    }

    /// ns-3 differs from the standard in no other term than the four of this test.
    #[test]
    fn the_standard_has_longer_vht_preambles_whole_short_symbols_and_its_own_training_fields_and_eht_sig() {
        let (ht, vht) = (mode(Standard::N, Width::Mhz20, 7, 400), mode(Standard::Ac, Width::Mhz20, 8, 800));
        let ns3 = |mode: Mode| Mode { timing: Timing::Ns3, ..mode };
        // A PSDU of 76 bytes has 630 bits. They take 3 symbols of 260 bits: 10.8 us with ns-3, and so 12 us in whole symbols.
        assert_eq!((ns3(ht).ppdu(76), ht.ppdu(76)), (Span(46_800), Span(48_000)));
        assert_eq!(vht.ppdu(1536), ns3(vht).ppdu(1536) + Span::from_micros(4));
        for (guard_interval, training) in [(800, 7_200), (1600, 8_000), (3200, 16_000)] {
            let he = mode(Standard::Ax, Width::Mhz20, 0, guard_interval);
            assert_eq!(he.ppdu(14) + Span(8_000), ns3(he).ppdu(14) + Span(training));
            // EHT-SIG has two symbols. In ns-3 it has 75 bits at 160 MHz, three symbols with MCS 0 and one with MCS 13.
            for (mcs, symbols) in [(0, 3), (13, 1)] {
                let eht = mode(Standard::Be, Width::Mhz160, mcs, guard_interval);
                let [own, other] = [training + 2 * 4_000, 8_000 + symbols * 4_000].map(Span);
                assert_eq!(eht.ppdu(14) + other, ns3(eht).ppdu(14) + own);
            }
        }
    }

    #[test]
    fn rates_are_those_of_the_tables() {
        let of = |standard, width, nss, mcs, guard_interval| {
            let mode = Mode { nss, ..mode(standard, width, mcs, guard_interval) };
            assert_eq!(mode.check(), Ok(()));
            mode.rate().bits_per_second() as f64 / 1e6
        };
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 0.06, "{found} {expected}");
        close(of(Standard::A, Width::Mhz20, 1, 7, 800), 54.0);
        close(of(Standard::N, Width::Mhz40, 2, 7, 400), 300.0);
        close(of(Standard::N, Width::Mhz20, 1, 0, 800), 6.5);
        close(of(Standard::Ac, Width::Mhz80, 1, 9, 400), 433.3);
        close(of(Standard::Ac, Width::Mhz160, 8, 9, 400), 6933.3);
        close(of(Standard::Ax, Width::Mhz20, 1, 11, 800), 143.4);
        close(of(Standard::Ax, Width::Mhz160, 8, 11, 800), 9607.8);
        close(of(Standard::Ax, Width::Mhz20, 1, 0, 3200), 7.3);
        close(of(Standard::Be, Width::Mhz20, 1, 13, 800), 172.1);
        close(of(Standard::Be, Width::Mhz80, 2, 12, 1600), 1225.0);
        close(of(Standard::Be, Width::Mhz320, 8, 13, 800), 23_058.8);
    }

    #[test]
    fn modes_that_do_not_exist_are_refused_by_setting() {
        let blamed = |mode: Mode| mode.check().unwrap_err().setting;
        assert_eq!(blamed(mode(Standard::N, Width::Mhz80, 7, 800)), "width");
        assert_eq!(blamed(mode(Standard::N, Width::Mhz20, 8, 800)), "mcs");
        assert_eq!(blamed(mode(Standard::Ac, Width::Mhz20, 9, 800)), "mcs");
        assert_eq!(blamed(mode(Standard::Ax, Width::Mhz20, 0, 400)), "guard_interval");
        assert_eq!(blamed(Mode { nss: 5, ..mode(Standard::N, Width::Mhz20, 0, 800) }), "nss");
        assert_eq!(blamed(Mode { band: Band::Ghz2_4, ..mode(Standard::Ac, Width::Mhz20, 0, 800) }), "band");
        assert_eq!(blamed(Mode { band: Band::Ghz2_4, ..mode(Standard::Ax, Width::Mhz80, 0, 800) }), "width");
        assert_eq!(blamed(Mode { band: Band::Ghz5, ..mode(Standard::Be, Width::Mhz320, 0, 800) }), "width");
        assert_eq!(blamed(mode(Standard::Ax, Width::Mhz320, 0, 800)), "width");
        assert_eq!(blamed(mode(Standard::Ax, Width::Mhz20, 12, 800)), "mcs");
    }

    #[test]
    fn an_older_standard_has_less_of_everything() {
        let newest = Mode { nss: 2, ..mode(Standard::Be, Width::Mhz160, 13, 3200) };
        let older = |standard| Mode { standard, ..newest }.within_standard();
        let (ax, n, a) = (older(Standard::Ax), older(Standard::N), older(Standard::A));
        assert_eq!((ax.width, ax.nss, ax.mcs, ax.guard_interval), (Width::Mhz160, 2, 11, Span(3200)));
        assert_eq!((n.width, n.nss, n.mcs, n.guard_interval), (Width::Mhz40, 2, 7, Span(800)));
        assert_eq!((a.width, a.nss, a.mcs, a.guard_interval), (Width::Mhz20, 1, 7, Span(800)));
        assert_eq!(newest.within_standard(), newest);
        assert_eq!([n.check(), a.check()], [Ok(()), Ok(())]);
    }

    /// Frames of 802.11b last as long as with DCF's PHY.
    #[test]
    fn frames_of_802_11b_last_as_those_of_its_phy() {
        let phy = crate::phy::Phy::by_name("802.11b", None).unwrap();
        for (mcs, &rate) in phy.data_rates.iter().enumerate() {
            let mode = mode(Standard::B, Width::Mhz20, mcs as u8, 800);
            assert_eq!((mode.check(), mode.rate(), mode.reference_rate()), (Ok(()), rate, rate));
            assert_eq!(mode.ppdu(phy.framing.data(1500)), phy.data(1500, rate));
        }
        assert_eq!(mode(Standard::B, Width::Mhz20, 4, 800).check().unwrap_err().setting, "mcs");
        assert!(Standard::G.decodes(Standard::B) && !Standard::B.decodes(Standard::G));
        assert!(Standard::G.detects(Standard::B) && !Standard::B.detects(Standard::G));
    }

    fn any_mode() -> impl Strategy<Value = Mode> {
        let choices =
            (0..Standard::ALL.len(), 0..3usize, 0..5usize, 1..9u8, 0..14u8, 0..3usize, [prop::bool::ANY; 2]);
        choices.prop_filter_map(
            "there is no such mode",
            |(standard, band, width, nss, mcs, guard, [ns3, short])| {
                let standard = Standard::ALL[standard];
                let mode = Mode {
                    standard,
                    band: Band::ALL[band],
                    width: Width::ALL[width],
                    nss,
                    mcs,
                    guard_interval: Span(*standard.guard_intervals().get(guard)?),
                    timing: if ns3 { Timing::Ns3 } else { Timing::Standard },
                    dsss_preamble: if short { Preamble::Short } else { Preamble::Long },
                };
                mode.check().is_ok().then_some(mode)
            },
        )
    }

    proptest! {
        /// More bytes never take less time, and the most bytes for a time are those after which one more takes longer.
        #[test]
        fn most_bytes_are_the_inverse_of_durations(mode in any_mode(), bytes in 1u32..200_000, longest in 40_000u64..LONGEST_PPDU.0) {
            prop_assert!(mode.ppdu(bytes) <= mode.ppdu(bytes + 1));
            let most = mode.most_psdu(Span(longest));
            prop_assert!(mode.ppdu(most + 1) > Span(longest));
            prop_assert!(most == 0 || mode.ppdu(most) <= Span(longest));
        }
    }
}
