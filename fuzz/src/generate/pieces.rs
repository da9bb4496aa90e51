//! Small pieces of text.

use proptest::prelude::*;
use proptest::sample::select;

/// One of these.
pub fn one_of(texts: &'static [&'static str]) -> BoxedStrategy<String> {
    select(texts).prop_map(str::to_owned).boxed()
}

/// One of these, quoted.
pub fn word(texts: &'static [&'static str]) -> BoxedStrategy<String> {
    select(texts).prop_map(|text| format!("\"{text}\"")).boxed()
}

/// `key = VALUE`, a line.
pub fn key(name: &'static str, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    value.prop_map(move |value| format!("{name} = {value}\n")).boxed()
}

/// The text, one time in `times`; simpler without.
pub fn seldom(times: u32, text: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![(times - 1) => Just(String::new()), 1 => text].boxed()
}

/// One after the other.
pub fn all(texts: Vec<BoxedStrategy<String>>) -> BoxedStrategy<String> {
    texts.prop_map(|texts| texts.concat()).boxed()
}

/// A whole number.
pub fn whole(range: std::ops::RangeInclusive<u64>) -> BoxedStrategy<String> {
    range.prop_map(|number| number.to_string()).boxed()
}

/// A time up to `longest` nanoseconds: round ones make things happen at the same instant, others do not.
pub fn time(longest: u64) -> BoxedStrategy<String> {
    let round = select(&[0u64, 1_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000][..]);
    let time = prop_oneof![round.prop_map(move |time| time.min(longest)), 0..=longest];
    time.prop_map(|time| format!("\"{time} ns\"")).boxed()
}

/// The same, above zero.
pub fn time_above_zero(longest: u64) -> BoxedStrategy<String> {
    let round = select(&[1u64, 1_000_000, 100_000_000][..]).prop_map(move |time| time.min(longest));
    prop_oneof![1 => round, 4 => 1_000_000..=longest.max(1_000_001)]
        .prop_map(|time| format!("\"{time} ns\""))
        .boxed()
}

/// A rate between `slowest` and `fastest`, in bit/s, as often of one order of magnitude as of the next.
pub fn rate(slowest: u64, fastest: u64) -> BoxedStrategy<String> {
    let decades = fastest.ilog10() - slowest.ilog10();
    (0..=decades, 1.0..10.0)
        .prop_map(move |(decade, lead)| {
            let rate = (slowest as f64 * lead) as u64 * 10u64.pow(decade);
            format!("\"{} b/s\"", rate.clamp(slowest, fastest))
        })
        .boxed()
}

/// A probability, mostly small.
pub fn fraction() -> BoxedStrategy<String> {
    one_of(&["0", "0.001", "0.03", "\"10 %\"", "0.5", "1"])
}

/// A queue's limit.
pub fn queue() -> BoxedStrategy<String> {
    prop_oneof![
        4 => whole(1..=12),
        2 => whole(10..=200),
        1 => (50u64..100_000).prop_map(|bytes| format!("\"{bytes} B\"")),
    ]
    .boxed()
}
