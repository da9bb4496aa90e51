//! Access categories and their default parameters (IEEE 802.11-2020, 10.23.2 and 9.4.2.28).

use airfair_core::{Span, words};

words! {
    /// An access category, in the order of priority from the lowest on.
    #[derive(PartialOrd, Ord)]
    pub enum AccessCategory {
        /// Background.
        Background = "bk",
        /// Best effort.
        BestEffort = "be",
        /// Video.
        Video = "vi",
        /// Voice.
        Voice = "vo",
    }
}

words! {
    /// A Differentiated Services code point.
    pub enum Dscp {
        /// Default forwarding (RFC 2474).
        Default = "df",
        /// Lower effort (RFC 8622).
        LowerEffort = "le",
        /// Class selector 0: another name of the default (RFC 2474).
        Cs0 = "cs0",
        /// Class selector 1 (RFC 2474).
        Cs1 = "cs1",
        /// Class selector 2 (RFC 2474).
        Cs2 = "cs2",
        /// Class selector 3 (RFC 2474).
        Cs3 = "cs3",
        /// Class selector 4 (RFC 2474).
        Cs4 = "cs4",
        /// Class selector 5 (RFC 2474).
        Cs5 = "cs5",
        /// Class selector 6 (RFC 2474).
        Cs6 = "cs6",
        /// Class selector 7 (RFC 2474).
        Cs7 = "cs7",
        /// Assured forwarding, class 1, low drop precedence (RFC 2597).
        Af11 = "af11",
        /// Assured forwarding, class 1, medium drop precedence (RFC 2597).
        Af12 = "af12",
        /// Assured forwarding, class 1, high drop precedence (RFC 2597).
        Af13 = "af13",
        /// Assured forwarding, class 2, low drop precedence (RFC 2597).
        Af21 = "af21",
        /// Assured forwarding, class 2, medium drop precedence (RFC 2597).
        Af22 = "af22",
        /// Assured forwarding, class 2, high drop precedence (RFC 2597).
        Af23 = "af23",
        /// Assured forwarding, class 3, low drop precedence (RFC 2597).
        Af31 = "af31",
        /// Assured forwarding, class 3, medium drop precedence (RFC 2597).
        Af32 = "af32",
        /// Assured forwarding, class 3, high drop precedence (RFC 2597).
        Af33 = "af33",
        /// Assured forwarding, class 4, low drop precedence (RFC 2597).
        Af41 = "af41",
        /// Assured forwarding, class 4, medium drop precedence (RFC 2597).
        Af42 = "af42",
        /// Assured forwarding, class 4, high drop precedence (RFC 2597).
        Af43 = "af43",
        /// Capacity-admitted traffic (RFC 5865).
        VoiceAdmit = "va",
        /// Expedited forwarding (RFC 3246).
        Expedited = "ef",
    }
}

impl Dscp {
    /// Returns the six bits of the code point.
    pub const fn code_point(self) -> u8 {
        match self {
            Dscp::Default | Dscp::Cs0 => 0,
            Dscp::LowerEffort => 1,
            Dscp::Cs1 => 8,
            Dscp::Cs2 => 16,
            Dscp::Cs3 => 24,
            Dscp::Cs4 => 32,
            Dscp::Cs5 => 40,
            Dscp::Cs6 => 48,
            Dscp::Cs7 => 56,
            Dscp::Af11 => 10,
            Dscp::Af12 => 12,
            Dscp::Af13 => 14,
            Dscp::Af21 => 18,
            Dscp::Af22 => 20,
            Dscp::Af23 => 22,
            Dscp::Af31 => 26,
            Dscp::Af32 => 28,
            Dscp::Af33 => 30,
            Dscp::Af41 => 34,
            Dscp::Af42 => 36,
            Dscp::Af43 => 38,
            Dscp::VoiceAdmit => 44,
            Dscp::Expedited => 46,
        }
    }

    /// Returns the access category of packets with this mark, by the mapping of RFC 8325, section 4 (RFC 8622, section 10 for
    /// `le`). The RFC names two for `cs6` and `cs7`: this is the one inside a network.
    pub fn access_category(self) -> AccessCategory {
        match self {
            Dscp::LowerEffort | Dscp::Cs1 => AccessCategory::Background,
            Dscp::Default | Dscp::Cs0 | Dscp::Cs2 | Dscp::Af11 | Dscp::Af12 | Dscp::Af13 => {
                AccessCategory::BestEffort
            }
            Dscp::Af21 | Dscp::Af22 | Dscp::Af23 => AccessCategory::BestEffort,
            Dscp::Cs3 | Dscp::Cs4 | Dscp::Cs5 => AccessCategory::Video,
            Dscp::Af31 | Dscp::Af32 | Dscp::Af33 => AccessCategory::Video,
            Dscp::Af41 | Dscp::Af42 | Dscp::Af43 => AccessCategory::Video,
            Dscp::VoiceAdmit | Dscp::Expedited | Dscp::Cs6 | Dscp::Cs7 => AccessCategory::Voice,
        }
    }
}

words! {
    /// Whose default EDCA parameters an access point uses.
    pub enum EdcaSet {
        /// An access point's own (the defaults of `dot11QAPEDCATable`, annex C): its AIFS for video and voice is a slot shorter,
        /// and its best-effort window is at most 63.
        AccessPoint = "access-point",
        /// Those of the other stations (table 9-155).
        Station = "station",
    }
}

/// The channel access parameters of an access category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdcaParameters {
    /// Slots between SIFS and the first slot that counts, 1 to 15.
    pub aifsn: u8,
    /// First contention window, in slots.
    pub cw_min: u32,
    /// Largest contention window, in slots.
    pub cw_max: u32,
    /// Longest time that the access category keeps the air; zero: one PPDU.
    pub txop: Span,
}

impl EdcaParameters {
    /// The parameters of a station of 802.11b, which has no categories: DIFS, and the windows of DSSS (10.3.2.3.5, table 15-5).
    pub const DSSS: EdcaParameters = EdcaParameters { aifsn: 2, cw_min: 31, cw_max: 1023, txop: Span::ZERO };

    /// Returns the default parameters of the four access categories, in the order of [`AccessCategory`], with an OFDM PHY, whose
    /// aCWmin is 15 and aCWmax 1023.
    pub fn defaults(set: EdcaSet) -> [EdcaParameters; 4] {
        let of = |aifsn, cw_min, cw_max, txop| EdcaParameters {
            aifsn,
            cw_min,
            cw_max,
            txop: Span::from_micros(txop),
        };
        match set {
            EdcaSet::Station => {
                [of(7, 15, 1023, 2528), of(3, 15, 1023, 2528), of(2, 7, 15, 4096), of(2, 3, 7, 2080)]
            }
            EdcaSet::AccessPoint => {
                [of(7, 15, 1023, 2528), of(3, 15, 63, 2528), of(1, 7, 15, 4096), of(1, 3, 7, 2080)]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mapping of RFC 8325, figure 1, and of RFC 8622, section 10.
    #[test]
    fn code_points_map_to_categories_as_the_rfc_recommends() {
        let category = |word| Dscp::from_word(word).unwrap().access_category().word();
        for (words, expected) in [
            ("ef va cs6 cs7", "vo"),
            ("cs5 af41 af42 af43 cs4 af31 af32 af33 cs3", "vi"),
            ("af21 af22 af23 cs2 af11 af12 af13 df", "be"),
            ("cs1 le", "bk"),
        ] {
            assert!(words.split(' ').all(|word| category(word) == expected), "{words}");
        }
    }
}
