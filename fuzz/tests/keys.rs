//! The key of a result covers every setting that decides the result.

use airfair_fuzz::generate::valid;
use airfair_fuzz::keys::Keys;
use airfair_scenario::{Override, load, packaged};
use std::collections::BTreeSet;
use std::thread;

const RANDOM: usize = 400;
const SELDOM: &str = include_str!("seldom.toml");

fn packaged_texts() -> Vec<String> {
    let text = |name: &str| {
        // Three flows have the same settings as a hundred.
        let few = Override { name: "flows".to_owned(), value: "3".to_owned() };
        let set = if name == "bench/dumbbell" { vec![few] } else { Vec::new() };
        load(name, &set).unwrap().toml()
    };
    packaged().iter().map(|one| text(&one.name)).collect()
}

#[test]
fn every_leaf_that_decides_results_changes_the_key() {
    let texts = [packaged_texts(), vec![SELDOM.to_owned()], valid(RANDOM)].concat();
    let keys = Keys::new(&texts);
    let moved = |text: &String| keys.check(text).unwrap_or_else(|wrong| panic!("{wrong}\n\n{text}"));
    let (one, other) = texts.split_at(texts.len() / 2);
    let all: BTreeSet<String> = thread::scope(|threads| {
        let other = threads.spawn(|| other.iter().flat_map(moved).collect::<BTreeSet<_>>());
        let one = one.iter().flat_map(moved).collect::<BTreeSet<_>>();
        &one | &other.join().expect("the other half holds, too")
    });
    assert_eq!(keys.unmoved(&all), Vec::<String>::new(), "no scenario moves these: teach fuzz/src/generate");
}
