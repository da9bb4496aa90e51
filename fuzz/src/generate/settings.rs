//! Packaged scenarios with random parameters, as these describe themselves, and with random settings by path.

use super::pieces::one_of;
use crate::case::Case;
use airfair_scenario::{
    ParameterDescription, ParameterValue, describe, describe_settings, load, packaged, paths,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// A packaged scenario, short and small, with some of its parameters set.
pub fn packaged_settings() -> BoxedStrategy<Case> {
    let names: Vec<String> = packaged().into_iter().map(|one| one.name).collect();
    (select(names), any::<u64>())
        .prop_flat_map(|(name, seed)| {
            let text = load(&name, &[]).expect("packaged scenarios load").toml();
            let parameters = describe(&name).expect("packaged scenarios load").parameters;
            let set: Vec<BoxedStrategy<(String, String)>> = parameters.iter().map(setting).collect();
            let count = set.len();
            let some = subsequence((0..count).collect::<Vec<_>>(), 0..=count.min(6));
            (set, some, by_path(&name)).prop_map(move |(all, chosen, paths)| {
                let short = |name: &str| matches!(name, "duration" | "warmup");
                let settings = all.into_iter().enumerate();
                let settings = settings
                    .filter(|(index, (name, _))| chosen.contains(index) || short(name))
                    .map(|(_, setting)| setting)
                    .chain(paths);
                Case { seed, settings: settings.collect(), text: text.clone() }
            })
        })
        .boxed()
}

/// Values for a few settings that are not declared.
fn by_path(name: &str) -> impl Strategy<Value = Vec<(String, String)>> + use<> {
    let paths = paths(name).expect("packaged scenarios load");
    let known = describe_settings(name, &paths).expect("packaged scenarios load");
    vec(select(known).prop_flat_map(|described| setting(&described)), 0..=2)
}

/// A value for a parameter, mostly an allowed one.
fn setting(parameter: &ParameterDescription) -> BoxedStrategy<(String, String)> {
    let name = parameter.name.clone();
    let unit = match parameter.unit.as_deref() {
        Some("s") => "s",
        Some("bit/s") => "b/s",
        Some("byte") => "B",
        _ => "",
    };
    let text = |value: &ParameterValue| match value {
        ParameterValue::Unset => "default".to_owned(),
        ParameterValue::Flag(flag) => flag.to_string(),
        ParameterValue::Text(text) => text.clone(),
        ParameterValue::Number(number) => format!("{number} {unit}").trim_end().to_owned(),
    };
    let known = parameter.choices.iter().flatten().chain(&parameter.default).chain(&parameter.min);
    let known: Vec<String> = known.map(text).chain(parameter.words.iter().cloned()).collect();
    let value = match parameter.unit.as_deref() {
        _ if name == "duration" => one_of(&["1 s", "3 s", "300 ms"]),
        _ if name == "warmup" => one_of(&["0 s", "700 ms"]),
        Some("s") => mostly(&["1 ms", "0.25 s", "2 s"], known),
        Some("bit/s") => mostly(&["100 kb/s", "1.5 Mb/s", "11 Mb/s", "54 Mb/s"], known),
        Some("byte") => mostly(&["1 B", "100 B", "1460 B", "30 kB"], known),
        Some("fraction") => mostly(&["0", "1 %", "0.5", "1"], known),
        Some("count" | "packet" | "segment" | "number") => mostly(&["1", "2", "5", "8", "40"], known),
        _ if known.is_empty() => one_of(&["none", "true"]),
        _ => select(known).boxed(),
    };
    value.prop_map(move |value| (name.clone(), value)).boxed()
}

fn mostly(texts: &'static [&'static str], or: Vec<String>) -> BoxedStrategy<String> {
    if or.is_empty() { one_of(texts) } else { prop_oneof![3 => one_of(texts), 2 => select(or)].boxed() }
}
