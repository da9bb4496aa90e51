//! Runs in both engines.

use airfair_lab::{Engine, Experiment, Outcome};
use airfair_sim::Quantity;

/// Returns the outcome of a run, which must be the same in both engines, byte for byte. `name` says in a failure which run it is.
pub fn outcome(name: &str, mut experiment: Experiment, seed: u64, traces: &[Quantity]) -> Outcome {
    let [outcome, plain] = Engine::ALL.map(|engine| {
        experiment.engine = engine;
        experiment.run(seed, traces)
    });
    let [fast, plain] =
        [&outcome, &plain].map(|it| serde_json::to_string(it).expect("an outcome is plain data"));
    assert!(fast == plain, "{name}, seed {seed}: the engines differ");
    outcome
}
