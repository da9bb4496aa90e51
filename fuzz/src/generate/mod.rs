//! Where cases come from.

mod flow;
mod link;
mod loss;
mod network;
mod pieces;
mod rows;
mod settings;
mod spoilt;
mod stated;
mod tcp;
mod wlan;

use crate::case::Case;
use airfair_scenario::parse;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRng, TestRunner};

/// Of every kind: mostly valid scenarios, which go farthest.
pub fn cases() -> impl Strategy<Value = Case> {
    let file = |(seed, text)| Case::file(seed, text);
    let networks = || (any::<u64>(), network::networks()).prop_map(file);
    prop_oneof![
        1 => spoilt::noise().prop_map(|text| Case::file(1, text)),
        2 => spoilt(networks()),
        2 => spoilt_packaged(),
        3 => settings::packaged_settings(),
        8 => networks(),
        4 => (any::<u64>(), rows::rows()).prop_map(file),
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

/// So many valid scenarios, mostly small, the same each time.
///
/// # Panics
/// When cases cannot be generated.
pub fn valid(count: usize) -> Vec<String> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let algorithm = config.rng_algorithm;
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm));
    let cases = prop_oneof![
        1 => settings::packaged_settings(),
        49 => network::small().prop_map(|text| Case::file(1, text)),
    ];
    let case = || cases.new_tree(&mut runner).expect("cases can be generated").current();
    let shown =
        |case: Case| parse(&case.text, "valid.toml", &case.overrides()).ok().map(|loaded| loaded.toml());
    std::iter::repeat_with(case).filter_map(shown).take(count).collect()
}
