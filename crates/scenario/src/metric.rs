//! The metrics that a scenario asks for, by the names of the registry.

use crate::problem::{Located, Problem, Result, unknown};

/// What a file reports that names no metrics: what every scenario has.
const USUAL: &[&str] =
    &["throughput_total", "throughput_up", "throughput_down", "jain", "worst_case_fairness"];

/// The metrics that `asked` names, all known and none twice.
pub fn checked(asked: Option<&[String]>) -> Result<Vec<String>> {
    let Some(asked) = asked else { return Ok(USUAL.iter().map(|name| (*name).to_owned()).collect()) };
    for (number, name) in asked.iter().enumerate() {
        if airfair_metrics::find(name).is_none() {
            return Err(unknown(
                "metric",
                name,
                airfair_metrics::registry().iter().map(|metric| metric.name),
            ))
            .at_entry("metrics", number);
        }
        if asked[..number].contains(name) {
            return Err(Problem::new(format!("`{name}` is there twice"))).at_entry("metrics", number);
        }
    }
    Ok(asked.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_known_and_asked_for_once() {
        let asked = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            checked(Some(&names)).map_err(|problem| format!("{}: {problem}", problem.path()))
        };
        assert_eq!(asked(&["jain"]), Ok(vec!["jain".to_owned()]));
        assert_eq!(
            asked(&["jain", "jani"]),
            Err("metrics[1]: unknown metric `jani`; did you mean `jain`?".to_owned())
        );
        assert_eq!(asked(&["jain", "jain"]), Err("metrics[1]: `jain` is there twice".to_owned()));
    }
}
