//! Radiotap headers (radiotap.org): how a frame was sent.

use airfair_scenario::resolved::Wlan;
use airfair_wifi::phy::mode::{Band, Mode, Standard, Width};
use airfair_wifi::{Phy, Plcp, Sent};

/// Bit positions of the fields in the mask of fields that are present.
const FLAGS: u32 = 1;
const RATE: u32 = 2;
const CHANNEL: u32 = 3;
const MCS: u32 = 19;
const AMPDU: u32 = 20;
const VHT: u32 = 21;
const HE: u32 = 23;
/// The place of a list of items, each of a type of 16 bits, a length and contents, which ends the header.
const ITEMS: u32 = 28;

/// Types of items.
const U_SIG: u16 = 33;
const EHT: u16 = 34;

/// Flags of frames: a short preamble; and a frame that its receiver could not decode ("frame failed FCS check").
const SHORT_PREAMBLE: u8 = 0x02;
const BAD_FCS: u8 = 0x40;

/// Flags of channels.
const CCK: u16 = 0x0020;
const OFDM: u16 = 0x0040;
const AT_2_GHZ: u16 = 0x0080;
const AT_5_GHZ: u16 = 0x0100;

/// Facts about a network that all its frames share.
pub struct Radio {
    /// The centre of the band's first channel in MHz: a scenario names the band, not the channel.
    frequency: u16,
    /// The flags of the band.
    band: u16,
    phy: Phy,
}

/// The place of an MPDU in an A-MPDU.
#[derive(Clone, Copy)]
pub struct Subframe {
    /// Number of the A-MPDU.
    pub ampdu: u32,
    pub is_last: bool,
}

impl Radio {
    pub fn new(wlan: &Wlan) -> Radio {
        let phy = wlan.bss.phy.clone();
        let qos = wlan.bss.stations.first().and_then(|station| station.qos.as_ref());
        let band = match (qos, phy.plcp) {
            (Some(qos), _) => qos.mode.band,
            // Only frames at 2.4 GHz have a signal extension.
            (None, Plcp::Ofdm { extension, .. }) if extension.0 == 0 => Band::Ghz5,
            (None, _) => Band::Ghz2_4,
        };
        let (frequency, band) = match band {
            Band::Ghz2_4 => (2412, AT_2_GHZ),
            Band::Ghz5 => (5180, AT_5_GHZ),
            // The flags have no bit for the 6 GHz band; drivers set that of 5 GHz.
            Band::Ghz6 => (5955, AT_5_GHZ),
        };
        Radio { frequency, band, phy }
    }

    /// Writes the header of a frame.
    pub fn write(&self, out: &mut Vec<u8>, sent: &Sent, lost: bool, subframe: Option<Subframe>) {
        let start = out.len();
        // Version 0, and room for the length and the mask.
        out.extend([0; 8]);
        let mut present = 0;
        let mut field = |out: &mut Vec<u8>, place: u32, alignment: usize, bytes: &[u8]| {
            present |= 1 << place;
            out.resize(start + (out.len() - start).next_multiple_of(alignment), 0);
            out.extend(bytes);
        };
        let rate = match sent {
            Sent::Legacy(rate) => Some(*rate),
            Sent::Mode(mode) => mode.standard.has_rates().then(|| mode.rate()),
        };
        let plcp = rate.map_or(self.phy.plcp, |rate| self.phy.plcp_at(rate));
        let is_short = matches!(plcp, Plcp::Serial { preamble, slow_rate, slow_preamble, .. }
            if preamble < slow_preamble && rate.is_some_and(|rate| rate > slow_rate));
        let short = if is_short { SHORT_PREAMBLE } else { 0 };
        field(out, FLAGS, 1, &[short | if lost { BAD_FCS } else { 0 }]);
        // The field counts 500 kb/s; ns-2's rates may not be multiples of that.
        let units = rate
            .map(|rate| rate.bits_per_second() / 500_000 * u64::from(rate.bits_per_second() % 500_000 == 0));
        if let Some(units) = units.and_then(|units| u8::try_from(units).ok()).filter(|&units| units > 0) {
            field(out, RATE, 1, &[units]);
        }
        let is_cck = matches!(plcp, Plcp::Serial { .. });
        let flags = self.band | if is_cck { CCK } else { OFDM };
        field(out, CHANNEL, 2, &[self.frequency.to_le_bytes(), flags.to_le_bytes()].concat());
        if let Sent::Mode(mode) = sent
            && mode.standard == Standard::N
        {
            field(out, MCS, 1, &ht(mode));
        }
        if let Some(Subframe { ampdu, is_last }) = subframe {
            // The last subframe is known, and whether this is the one.
            let flags = 0x0004 | if is_last { 0x0008 } else { 0_u16 };
            field(out, AMPDU, 4, &[&ampdu.to_le_bytes()[..], &flags.to_le_bytes(), &[0; 2]].concat());
        }
        match sent {
            Sent::Mode(mode) if mode.standard == Standard::Ac => field(out, VHT, 2, &vht(mode)),
            Sent::Mode(mode) if mode.standard == Standard::Ax => field(out, HE, 2, &he(mode)),
            Sent::Mode(mode) if mode.standard == Standard::Be => {
                field(out, ITEMS, 4, &[item(U_SIG, &u_sig(mode)), item(EHT, &eht(mode))].concat());
            }
            Sent::Mode(_) | Sent::Legacy(_) => {}
        }
        let length = ((out.len() - start) as u16).to_le_bytes();
        out[start + 2..start + 4].copy_from_slice(&length);
        out[start + 4..start + 8].copy_from_slice(&u32::to_le_bytes(present));
    }
}

/// Returns the field `MCS`: everything is known, among it that there is no space-time code and no extension streams.
fn ht(mode: &Mode) -> [u8; 3] {
    let wide = u8::from(mode.width == Width::Mhz40);
    [0x7f, wide | short_guard(mode), mode.mcs + 8 * (mode.nss - 1)]
}

/// Returns the field `VHT`: guard interval, bandwidth and the lack of a space-time code are known.
fn vht(mode: &Mode) -> [u8; 12] {
    let bandwidth = match mode.width {
        Width::Mhz20 => 0,
        Width::Mhz40 => 1,
        Width::Mhz80 => 4,
        // The standard has nothing wider.
        Width::Mhz160 | Width::Mhz320 => 11,
    };
    let [low, high] = 0x0045_u16.to_le_bytes();
    [low, high, short_guard(mode), bandwidth, mode.mcs << 4 | mode.nss, 0, 0, 0, 0, 0, 0, 0]
}

/// Returns the flag of a guard interval of 400 ns.
fn short_guard(mode: &Mode) -> u8 {
    if mode.guard_interval.0 == 400 { 0x04 } else { 0 }
}

/// Returns the number that stands for the bandwidth of a PPDU of HE or EHT.
fn bandwidth(mode: &Mode) -> u16 {
    match mode.width {
        Width::Mhz20 => 0,
        Width::Mhz40 => 1,
        Width::Mhz80 => 2,
        Width::Mhz160 => 3,
        Width::Mhz320 => 4,
    }
}

/// Returns the number that stands for the guard interval of a PPDU of HE or EHT.
fn guard_interval(mode: &Mode) -> u16 {
    match mode.guard_interval.0 {
        800 => 0,
        1600 => 1,
        _ => 2,
    }
}

/// Returns the field `HE`: an SU PPDU whose MCS, bandwidth, guard interval and lack of a space-time code are known.
fn he(mode: &Mode) -> Vec<u8> {
    let (bandwidth, guard_interval) = (bandwidth(mode), guard_interval(mode));
    let words =
        [0x4220, 0x0002, u16::from(mode.mcs) << 8, 0, bandwidth | guard_interval << 4, u16::from(mode.nss)];
    words.map(u16::to_le_bytes).concat()
}

/// Returns an item of this type. Its contents fill whole words of 32 bits.
fn item(kind: u16, words: &[u32]) -> Vec<u8> {
    let length = 4 * words.len() as u16;
    let contents = words.iter().flat_map(|word| word.to_le_bytes());
    kind.to_le_bytes().into_iter().chain(length.to_le_bytes()).chain(contents).collect()
}

/// Returns the item `U-SIG`: the PHY version (0, EHT) and the bandwidth are known, and that the PPDU is for one user.
fn u_sig(mode: &Mode) -> [u32; 3] {
    let (version_and_bandwidth_known, for_one_user, its_mask) = (0x3, 1 << 6, 0x3 << 6);
    [version_and_bandwidth_known | u32::from(bandwidth(mode)) << 15, for_one_user, its_mask]
}

/// Returns the item `EHT`: the guard interval, and the MCS and number of streams of one user.
fn eht(mode: &Mode) -> [u32; 11] {
    let (guard_interval_known, mcs_known, streams_known, captured) = (0x4, 0x02, 0x10, 0x80);
    let (mcs, streams) = (u32::from(mode.mcs) << 20, u32::from(mode.nss - 1) << 24);
    let mut words = [0; 11];
    words[0] = guard_interval_known;
    words[1] = u32::from(guard_interval(mode)) << 7;
    words[10] = mcs_known | streams_known | captured | mcs | streams;
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Rate;

    /// The flags of a frame and of its channel depend on its rate.
    #[test]
    fn frames_of_802_11b_beside_ofdm_have_their_preamble() {
        let flags = |preamble: &str, sent: &dyn Fn(&Wlan) -> Sent| {
            let text = format!(
                "[run]\nduration = \"1 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11ax\"\nband = \"2.4 GHz\"\n\
                 dsss_preamble = \"{preamble}\"\n[[wlan.station]]\nname = \"old\"\nstandard = \"802.11b\"\n\
                 [[flow]]\nname = \"f\"\nfrom = \"old\"\nto = \"ap\"\nudp = {{ rate = \"1 Mb/s\" }}\n"
            );
            let loaded =
                airfair_scenario::parse(&text, "old.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            let wlan = &loaded.scenario.wlans[0];
            let mut header = Vec::new();
            Radio::new(wlan).write(&mut header, &sent(wlan), false, None);
            (header[8], u16::from_le_bytes([header[12], header[13]]) & (CCK | OFDM))
        };
        let mode = |wlan: &Wlan| Sent::Mode(wlan.bss.stations[1].qos.as_ref().expect("it has EDCA").mode);
        let legacy = |hundred_kbps| move |_: &Wlan| Sent::Legacy(Rate::from_hundred_kbps(hundred_kbps));
        assert_eq!(flags("short", &mode), (SHORT_PREAMBLE, CCK));
        assert_eq!(flags("long", &mode), (0, CCK));
        // A CTS at 11 Mb/s has the short preamble; 1 Mb/s allows only the long one, and OFDM frames have no such preamble.
        assert_eq!(flags("short", &legacy(110)), (SHORT_PREAMBLE, CCK));
        assert_eq!(flags("short", &legacy(10)), (0, CCK));
        assert_eq!(flags("short", &legacy(240)), (0, OFDM));
    }
}
