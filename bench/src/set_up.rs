//! Many short runs, each of which reads the scenario file: the time spent before the first packet.

use airfair_lab::Experiment;
use airfair_scenario::{Error, Override};
use cpu_time::ProcessTime;
use serde_json::{Value, json};

const RUNS: usize = 201;

/// Median times over [`RUNS`] of loading the scenario, building its world, and running it.
pub fn measure(source: &str, overrides: &[Override]) -> Result<Value, Error> {
    let mut spent = [const { Vec::new() }; 3];
    for seed in 0..RUNS as u64 {
        let begin = ProcessTime::now();
        let experiment = Experiment::load(source, overrides)?;
        spent[0].push(begin.elapsed().as_secs_f64());
        let begin = ProcessTime::now();
        let mut running = experiment.start(seed, &[]);
        spent[1].push(begin.elapsed().as_secs_f64());
        let begin = ProcessTime::now();
        while !running.step(u64::MAX) {}
        running.finish();
        spent[2].push(begin.elapsed().as_secs_f64());
    }
    let [load_s, world_s, run_s] = spent.map(median);
    Ok(json!({ "load_s": load_s, "world_s": world_s, "run_s": run_s }))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
