//! Of every packaged scenario the fast engine gives the same outcome as the plain one, byte for byte.

mod both;

use airfair_lab::Experiment;
use airfair_sim::Quantity;

#[test]
fn every_packaged_scenario_has_one_outcome() {
    for scenario in airfair_scenario::packaged() {
        let all = ["all".to_owned()];
        let loaded = Experiment::load(&scenario.name, &[]).and_then(|it| it.measuring(Some(&all)));
        let experiment = loaded.unwrap_or_else(|error| panic!("{error}"));
        for (seed, traces) in [(1, &[][..]), (2, &Quantity::ALL)] {
            both::outcome(&scenario.name, experiment.clone(), seed, traces);
        }
    }
}
