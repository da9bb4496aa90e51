//! Wired links with all that may happen on them: which nodes they join is said by the network.

use super::pieces::{all, fraction, key, one_of, queue, rate, seldom, time, time_above_zero, word};
use super::stated::discipline;
use proptest::prelude::*;

const DIRECTIONS: &[&str] = &["both", "forward", "backward"];
const POSITIONS: &[&str] = &["before-queue", "after-queue"];

/// The lines of a `[[link]]`, its ends left out.
pub fn link() -> BoxedStrategy<String> {
    let product = (1u64..50_000_000, 1u64..3000)
        .prop_map(|(span, packet)| format!("queue = \"{span} ns\"\nqueue_packet = \"{packet} B\"\n"));
    let direction = || seldom(2, key("direction", word(DIRECTIONS)));
    all(vec![
        key("rate", rate(9_600, 100_000_000)),
        key("delay", time(300_000_000)),
        prop_oneof![4 => key("queue", queue()), 1 => product].boxed(),
        seldom(2, reverse()),
        seldom(3, all(vec![heading("[link.discipline]"), discipline(), direction()])),
        seldom(4, all(vec![heading("[link.errors]"), errors(), direction()])),
        seldom(5, all(vec![heading("[link.outage]"), outage(), direction()])),
    ])
}

fn heading(text: &'static str) -> BoxedStrategy<String> {
    Just(format!("{text}\n")).boxed()
}

fn reverse() -> BoxedStrategy<String> {
    (rate(9_600, 100_000_000), queue())
        .prop_map(|(rate, queue)| format!("reverse = {{ rate = {rate}, queue = {queue} }}\n"))
        .boxed()
}

fn errors() -> BoxedStrategy<String> {
    let on_off = (fraction(), fraction(), time_above_zero(500_000_000), time_above_zero(100_000_000), word(&["packet", "bit"]))
        .prop_map(|(good, bad, mean_good, mean_bad, of)| {
            format!("model = \"on-off\"\ngood = {good}\nbad = {bad}\nmean_good = {mean_good}\nmean_bad = {mean_bad}\nof = {of}\n")
        });
    let model = prop_oneof![
        fraction().prop_map(|probability| format!("model = \"bernoulli\"\nprobability = {probability}\n")),
        one_of(&["0.000001", "0.0001", "1"])
            .prop_map(|probability| format!("model = \"per-bit\"\nprobability = {probability}\n")),
        on_off,
    ];
    all(vec![model.boxed(), seldom(2, key("position", word(POSITIONS)))])
}

fn outage() -> BoxedStrategy<String> {
    let repeat = prop_oneof![
        Just((None, 0)),
        (1u64..1_000_000_000).prop_map(|rest| (Some("periodic"), rest)),
        (1u64..1_000_000_000).prop_map(|rest| (Some("random"), rest)),
    ];
    let schedule = (1u64..400_000_000, repeat).prop_map(|(duration, (repeat, rest))| {
        let repeat =
            repeat.map(|repeat| format!("repeat = \"{repeat}\"\nperiod = \"{} ns\"\n", duration + rest));
        format!("duration = \"{duration} ns\"\n{}", repeat.unwrap_or_default())
    });
    let lost = word(POSITIONS).prop_map(|position| format!("packets = \"lost\"\nposition = {position}\n"));
    let packets = prop_oneof![Just("packets = \"held\"\n".to_owned()), lost];
    all(vec![
        schedule.boxed(),
        packets.boxed(),
        seldom(2, key("start", time(1_000_000_000))),
        seldom(2, key("spread", time(1_000_000_000))),
    ])
}
