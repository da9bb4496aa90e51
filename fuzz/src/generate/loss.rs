//! Loss models, of links and of the air.

use super::pieces::{fraction, one_of, time_above_zero, word};
use proptest::prelude::*;

/// The lines of a loss model.
pub fn loss_model() -> BoxedStrategy<String> {
    let means = (time_above_zero(500_000_000), time_above_zero(100_000_000));
    let bursts = (fraction(), fraction(), means, word(&["packet", "bit"])).prop_map(
        |(good, bad, (mean_good, mean_bad), of)| {
            format!("model = \"gilbert-elliott\"\ngood = {good}\nbad = {bad}\nmean_good = {mean_good}\nmean_bad = {mean_bad}\nof = {of}\n")
        },
    );
    prop_oneof![
        fraction().prop_map(|probability| format!("model = \"bernoulli\"\nprobability = {probability}\n")),
        one_of(&["0.000001", "0.0001", "1"])
            .prop_map(|probability| format!("model = \"per-bit\"\nprobability = {probability}\n")),
        bursts,
    ]
    .boxed()
}
