//! Of every packaged scenario the fast engine gives the same outcome as the plain one, byte for byte.

mod both;

use airfair_lab::Experiment;
use airfair_sim::Quantity;
use std::sync::Mutex;
use std::thread;

/// Two threads share the runs, which take longer than all other tests of the crate.
#[test]
fn every_packaged_scenario_has_one_outcome() {
    let all = ["all".to_owned()];
    let experiment = |name: &str| {
        let loaded = Experiment::load(name, &[]).and_then(|it| it.measuring(Some(&all)));
        loaded.unwrap_or_else(|error| panic!("{error}"))
    };
    let asked = [(1, &[][..]), (2, &Quantity::ALL)];
    let runs = airfair_scenario::packaged()
        .into_iter()
        .flat_map(|one| asked.map(|(seed, traces)| (one.name.clone(), seed, traces)));
    let waiting = Mutex::new(runs);
    let run_all = || {
        let next = || waiting.lock().expect("no run has failed").next();
        while let Some((name, seed, traces)) = next() {
            both::outcome(&name, experiment(&name), seed, traces);
        }
    };
    thread::scope(|threads| {
        threads.spawn(run_all);
        run_all();
    });
}
