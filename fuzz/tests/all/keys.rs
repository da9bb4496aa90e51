//! The key of a result covers every setting that decides the result.

use airfair_fuzz::generate::valid;
use airfair_fuzz::keys::Keys;
use airfair_scenario::{Override, load, packaged};
use std::collections::BTreeSet;
use std::sync::Mutex;
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
    // The first ones, packaged scenarios, take longest.
    let waiting = Mutex::new(texts.iter());
    let some = || {
        std::iter::from_fn(|| waiting.lock().expect("no text has failed").next()).flat_map(moved).collect()
    };
    let all: BTreeSet<String> = thread::scope(|threads| {
        let other = threads.spawn(some);
        let one: BTreeSet<String> = some();
        &one | &other.join().expect("the others hold, too")
    });
    assert_eq!(keys.unmoved(&all), Vec::<String>::new(), "no scenario moves these: teach fuzz/src/generate");
}
