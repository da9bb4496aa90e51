//! Access categories and their default parameters (IEEE 802.11-2020, 10.23.2 and 9.4.2.28).

use airfair_core::{Span, words};

words! {
    /// An access category, in the order of priority.
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
    /// Whose default parameters an access point uses.
    pub enum EdcaSet {
        /// An access point's own (the defaults of `dot11QAPEDCATable`, annex C): it gets at video and voice a slot sooner, and its
        /// best-effort window is at most 63.
        AccessPoint = "access-point",
        /// Those of the other stations (table 9-155).
        Station = "station",
    }
}

/// How an access category gets at the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdcaParameters {
    /// Slots between SIFS and the first slot that counts, 1 to 15.
    pub aifsn: u8,
    /// First contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Longest time that it keeps the air; zero: one PPDU.
    pub txop: Span,
}

impl EdcaParameters {
    /// The defaults of the four categories with an OFDM PHY, whose aCWmin is 15 and aCWmax 1023.
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
