//! The fast engine gives the same outcome as the plain one of every packaged scenario, byte for byte.

use airfair_lab::{Engine, Experiment};
use airfair_sim::Quantity;

#[test]
fn every_packaged_scenario_has_one_outcome() {
    for scenario in airfair_scenario::packaged() {
        let all = ["all".to_owned()];
        let loaded = Experiment::load(&scenario.name, &[]).and_then(|it| it.measuring(Some(&all)));
        let mut experiment = loaded.unwrap_or_else(|error| panic!("{error}"));
        for (seed, traces) in [(1, &[][..]), (2, &Quantity::ALL)] {
            let [fast, plain] = Engine::ALL.map(|engine| {
                experiment.engine = engine;
                serde_json::to_string(&experiment.run(seed, traces)).expect("an outcome is plain data")
            });
            assert!(fast == plain, "{}, seed {seed}: the engines differ", scenario.name);
        }
    }
}
