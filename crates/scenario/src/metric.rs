//! The names of the metrics that a scenario reports. Which metrics there are is the caller's to say.

use crate::problem::{self, Located, Problem, Result, nearest, shortened};

/// The metrics of a file that names none: those that every scenario has.
const USUAL: &[&str] =
    &["throughput_total", "throughput_up", "throughput_down", "jain", "worst_case_fairness"];

/// The metrics that a file asks for.
pub fn asked(names: Option<&[String]>) -> Vec<String> {
    names.map_or_else(|| USUAL.iter().map(|name| (*name).to_owned()).collect(), <[_]>::to_vec)
}

/// All names must be `known`, and none listed twice.
pub fn check<'a>(names: &[String], known: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
    for (number, name) in names.iter().enumerate() {
        if !known.clone().any(|known| known == name) {
            return Err(unknown(name, known)).at_entry("metrics", number);
        }
        if names[..number].contains(name) {
            return Err(Problem::new(format!("`{name}` is listed twice"))).at_entry("metrics", number);
        }
    }
    Ok(())
}

/// That no metric has this name, and the nearest one that is `known`.
pub fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Problem {
    match nearest(name, known.clone()) {
        _ if name == "all" => Problem::new("`all` names all metrics: leave out the others"),
        Some(_) => problem::unknown("metric", name, known),
        None => {
            let name = shortened(name);
            Problem::new(format!("unknown metric `{name}`; `airfair describe metrics` lists all"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_known_and_listed_once() {
        let check = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            check(&names, ["jain", "eee"].into_iter())
                .map_err(|problem| format!("{}: {problem}", problem.path()))
        };
        assert_eq!(check(&["jain"]), Ok(()));
        let unknown = "metrics[1]: unknown metric `jani`; did you mean `jain`?";
        assert_eq!(check(&["jain", "jani"]), Err(unknown.to_owned()));
        let unlike = "metrics[0]: unknown metric `fairest`; `airfair describe metrics` lists all";
        assert_eq!(check(&["fairest"]), Err(unlike.to_owned()));
        assert_eq!(check(&["jain", "jain"]), Err("metrics[1]: `jain` is listed twice".to_owned()));
    }
}
