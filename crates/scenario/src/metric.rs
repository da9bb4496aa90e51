//! The metrics that a scenario asks for, by the names of the registry.

use crate::problem::{Located, Problem, Result, unknown};

/// The metrics of a file that names none: those that every scenario has.
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

/// The metrics that a caller wants instead of those of the file: some by their names, or `all` that there are.
pub fn chosen(names: &[String]) -> Result<Vec<String>> {
    match names {
        [] => Err(Problem::new("name one at least, or `all`")),
        [all] if all == "all" => {
            Ok(airfair_metrics::registry().iter().map(|metric| metric.name.to_owned()).collect())
        }
        names => checked(Some(names)),
    }
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

    #[test]
    fn a_caller_chooses_by_name_or_all() {
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            chosen(&names).map_err(|problem| problem.to_string())
        };
        assert_eq!(chosen(&["jain"]), Ok(vec!["jain".to_owned()]));
        assert_eq!(chosen(&["all"]).map(|names| names.len()), Ok(airfair_metrics::registry().len()));
        assert_eq!(chosen(&[]), Err("name one at least, or `all`".to_owned()));
        assert_eq!(
            chosen(&["all", "jain"]).map_err(|message| message.contains("unknown metric `all`")),
            Err(true)
        );
    }
}
