//! Wired links with all that may happen on them: which nodes they join is said by the network.

use super::loss::loss_model;
use super::pieces::{all, key, queue, rate, seldom, time, word};
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
        seldom(6, tx_ring()),
        seldom(2, reverse()),
        seldom(3, all(vec![heading("[link.discipline]"), discipline(), direction()])),
        seldom(4, all(vec![heading("[link.loss]"), loss(), direction()])),
        seldom(5, all(vec![heading("[link.outage]"), outage(), direction()])),
    ])
}

fn heading(text: &'static str) -> BoxedStrategy<String> {
    Just(format!("{text}\n")).boxed()
}

fn tx_ring() -> BoxedStrategy<String> {
    key("tx_ring", prop_oneof![1 => word(&["bql"]), 2 => queue()].boxed())
}

fn reverse() -> BoxedStrategy<String> {
    let plain = (rate(9_600, 100_000_000), queue())
        .prop_map(|(rate, queue)| format!("reverse = {{ rate = {rate}, queue = {queue} }}\n"));
    let ring = queue().prop_map(|ring| format!("reverse = {{ tx_ring = {ring} }}\n"));
    let own = discipline().prop_map(|lines| format!("[link.reverse.discipline]\n{lines}"));
    prop_oneof![8 => plain, 1 => ring, 1 => own].boxed()
}

fn loss() -> BoxedStrategy<String> {
    all(vec![loss_model(), seldom(2, key("position", word(POSITIONS)))])
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
