//! Stations at a distance: how much of their traffic reaches the access point.

use airfair_lab::Experiment;
use airfair_scenario::Override;

/// Returns the throughput of `wifi/saturation` in Mb/s with these settings.
fn throughput(set: &[(&str, &str)]) -> f64 {
    let set: Vec<_> = [("duration", "2 s"), ("warmup", "0.2 s")]
        .iter()
        .chain(set)
        .map(|&(name, value)| Override { name: name.to_owned(), value: value.to_owned() })
        .collect();
    let outcome =
        Experiment::load("wifi/saturation", &set).unwrap_or_else(|error| panic!("{error}")).run(1, &[]);
    outcome.metric("throughput_total").and_then(|metric| metric.value).expect("it has a throughput") / 1e6
}

/// TGax residential: each scheme reaches as far as its error rate allows, and a slower scheme further.
#[test]
fn throughput_falls_with_the_distance_and_slow_schemes_reach_further() {
    let mut ends = Vec::new();
    for mcs in ["0", "4", "7", "11"] {
        let near = throughput(&[("mcs", mcs)]);
        let mut before = near;
        for distance in (1..=200).step_by(6) {
            let there = throughput(&[("mcs", mcs), ("distance", &format!("{distance} m"))]);
            assert!(there <= before * 1.005, "MCS {mcs} at {distance} m: {there} after {before} Mb/s");
            before = there;
            if there < 0.01 * near {
                ends.push(distance);
                break;
            }
        }
    }
    assert!(ends.len() == 4 && ends.is_sorted_by(|nearer, further| nearer > further), "{ends:?}");
}

#[test]
fn good_air_carries_as_much_as_air_without_noise() {
    let near = throughput(&[("mcs", "11"), ("distance", "1 m")]);
    let without = throughput(&[("mcs", "11")]);
    assert!((near / without - 1.0).abs() < 1e-9, "{near} {without}");
}
