//! The names of the metrics that a scenario reports. The caller decides which metrics exist.

use crate::not_modelled::known_elsewhere;
use crate::problem::{self, Located, Problem, Result, nearest, shortened};

/// The metrics of a file that names none: those that are defined for every scenario.
const USUAL: &[&str] =
    &["throughput_total", "throughput_up", "throughput_down", "jain", "worst_case_fairness"];

/// Returns the metrics that a file asks for, or the usual ones if it names none.
pub fn asked(names: Option<&[String]>) -> Vec<String> {
    names.map_or_else(|| USUAL.iter().map(|name| (*name).to_owned()).collect(), <[_]>::to_vec)
}

/// Placeholder in a metric's name for the number of each wireless network.
const NETWORK: &str = "{wlan}";

/// Returns `names`, in which a name with [`NETWORK`] has become one name for each of the `networks` networks. All must
/// be `known`, and none listed twice.
pub fn checked<'a>(
    names: &[String],
    networks: usize,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<Vec<String>> {
    let mut checked = Vec::with_capacity(names.len());
    for (number, entry) in names.iter().enumerate() {
        let times = if entry.contains(NETWORK) { networks } else { 1 };
        for network in 0..times {
            let name = entry.replace(NETWORK, &network.to_string());
            if !known.clone().any(|known| known == name) {
                return Err(unknown(&name, known)).at_entry("metrics", number);
            }
            if checked.contains(&name) {
                return Err(Problem::new(format!("`{name}` is listed twice"))).at_entry("metrics", number);
            }
            checked.push(name);
        }
    }
    Ok(checked)
}

/// Returns the problem that no metric has this name; it suggests the nearest one that is `known`.
pub fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Problem {
    let longer = |known: &&str| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
    let members: Vec<String> = known.clone().filter(longer).take(4).map(|name| format!("`{name}`")).collect();
    match nearest(name, known.clone()) {
        _ if !members.is_empty() => {
            let more = if members.len() > 3 { " and more" } else { "" };
            let first = members[..members.len().min(3)].join(", ");
            Problem::new(format!("unknown metric `{name}`; with this beginning there are {first}{more}"))
        }
        Some(_) if let Some(last) = last_of_kind(name, known.clone()) => {
            Problem::new(format!("unknown metric `{}`; such metrics end with `{last}`", shortened(name)))
        }
        _ if name == "all" => Problem::new("`all` names all metrics: leave out the others"),
        None if known_elsewhere("metric", name).is_none() => {
            let name = shortened(name);
            Problem::new(format!("unknown metric `{name}`; `airfair describe metrics` lists all"))
        }
        _ => problem::unknown("metric", name, known),
    }
}

/// Returns the last `known` name that differs from `name` only in its number, if there is one: such names are numbered from 0.
fn last_of_kind<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = |known: &str| known.strip_prefix(stem)?.parse::<u32>().ok();
    let numbered: Vec<&str> = known.filter(|known| stem != name && number(known).is_some()).collect();
    numbered.first().filter(|first| number(first) == Some(0)).and(numbered.last().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_known_and_listed_once() {
        let check = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            checked(&names, 2, ["jain", "eee", "rate_of0", "rate_of1", "delay_p50"].into_iter())
                .map_err(|problem| format!("{}: {problem}", problem.path()))
        };
        let named = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(check(&["jain"]), named(&["jain"]));
        assert_eq!(check(&["rate_of{wlan}", "jain"]), named(&["rate_of0", "rate_of1", "jain"]));
        let twice = "metrics[1]: `rate_of1` is listed twice";
        assert_eq!(check(&["rate_of1", "rate_of{wlan}"]), Err(twice.to_owned()));
        let beyond = "metrics[1]: unknown metric `rate_of2`; such metrics end with `rate_of1`";
        assert_eq!(check(&["rate_of{wlan}", "rate_of2"]), Err(beyond.to_owned()));
        let quantile = "metrics[0]: unknown metric `delay_p51`; did you mean `delay_p50`?";
        assert_eq!(check(&["delay_p51"]), Err(quantile.to_owned()));
        let unknown = "metrics[1]: unknown metric `jani`; did you mean `jain`?";
        assert_eq!(check(&["jain", "jani"]), Err(unknown.to_owned()));
        let family = "metrics[0]: unknown metric `delay`; with this beginning there are `delay_p50`";
        assert_eq!(check(&["delay"]), Err(family.to_owned()));
        let unlike = "metrics[0]: unknown metric `fairest`; `airfair describe metrics` lists all";
        assert_eq!(check(&["fairest"]), Err(unlike.to_owned()));
        let elsewhere = "metrics[0]: unknown metric `mos`; `voice_mos_mean` and `voice_mos_min` are the opinion scores of calls";
        assert_eq!(check(&["mos"]), Err(elsewhere.to_owned()));
        assert_eq!(check(&["jain", "jain"]), Err("metrics[1]: `jain` is listed twice".to_owned()));
    }
}
