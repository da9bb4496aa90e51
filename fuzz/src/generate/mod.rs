//! Where cases come from.

mod flow;
mod link;
mod network;
mod pieces;
mod settings;
mod spoilt;
mod stated;
mod tcp;
mod wlan;

use crate::case::Case;
use proptest::prelude::*;

/// Of every kind: mostly valid scenarios, which go farthest.
pub fn cases() -> impl Strategy<Value = Case> {
    let networks = || (any::<u64>(), network::networks()).prop_map(|(seed, text)| Case::file(seed, text));
    prop_oneof![
        1 => spoilt::noise().prop_map(|text| Case::file(1, text)),
        2 => spoilt(networks()),
        2 => spoilt_packaged(),
        3 => settings::packaged_settings(),
        8 => networks(),
    ]
}

/// Packaged scenarios with random settings, wrong in some way.
pub fn spoilt_packaged() -> impl Strategy<Value = Case> {
    spoilt(settings::packaged_settings())
}

fn spoilt(whole: impl Strategy<Value = Case>) -> impl Strategy<Value = Case> {
    (whole, spoilt::edits())
        .prop_map(|(case, edits)| Case { text: spoilt::apply(&case.text, &edits), ..case })
}
