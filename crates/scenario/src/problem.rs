//! A fault of an input and its place: built from the inside out, reported in one message.

use std::fmt;

use crate::name::LONGEST_NAME;
use crate::not_modelled;

/// The result of everything that reads input.
pub type Result<T> = std::result::Result<T, Problem>;

/// A fault, with the path of the bad value inside the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Steps to the bad value, from the innermost outwards.
    steps: Vec<Step>,
    /// Whether the path starts at the file's root, so that outer steps no longer apply.
    rooted: bool,
    /// Index of the group's member in which the problem appeared.
    member: Option<u64>,
    message: String,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Into the value under a key of a table.
    Key(String),
    /// Into an entry of an array.
    Index(usize),
}

impl Problem {
    /// Makes a problem with the value in hand; callers add where the value is.
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { steps: Vec::new(), rooted: false, member: None, message: message.into() }
    }

    /// Adds that the value is under this key.
    pub fn at(mut self, key: &str) -> Problem {
        if !self.rooted {
            self.steps.push(Step::Key(key.to_owned()));
        }
        self
    }

    /// Adds that the value is in this entry of an array.
    pub fn at_index(mut self, index: usize) -> Problem {
        if !self.rooted {
            self.steps.push(Step::Index(index));
        }
        self
    }

    /// Adds that the value is in this entry of the array under this key.
    pub fn at_entry(self, key: &str, index: usize) -> Problem {
        self.at_index(index).at(key)
    }

    /// Adds an innermost step: the value is one step deeper than the path so far.
    pub fn under(mut self, step: Step) -> Problem {
        self.steps.insert(0, step);
        self
    }

    /// Marks the path as complete: outer steps are no longer added.
    pub fn rooted(mut self) -> Problem {
        self.rooted = true;
        self
    }

    /// Adds the member of a group in which the problem appeared; only the innermost one is kept.
    pub fn in_member(mut self, index: u64) -> Problem {
        self.member.get_or_insert(index);
        self
    }

    /// Returns the steps of the path, from the outside in.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().rev()
    }

    /// Returns the steps of the path, from the outside in, so that they can be changed.
    pub fn steps_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.steps.iter_mut().rev()
    }

    /// Returns the path as messages show it; see [`path_of`].
    pub fn path(&self) -> String {
        path_of(self.steps())
    }
}

/// Returns the path of these steps, from the outside in: `flow[2].tcp.window`.
pub fn path_of<'a>(steps: impl Iterator<Item = &'a Step>) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Index(index) => path += &format!("[{index}]"),
            Step::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path += &shortened(key);
            }
        }
    }
    path
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(index) = self.member {
            write!(f, " (in the group's member i = {index})")?;
        }
        Ok(())
    }
}

/// Adds the place of a problem to a result.
pub trait Located<T> {
    /// See [`Problem::at`].
    fn at(self, key: &str) -> Result<T>;
    /// See [`Problem::at_entry`].
    fn at_entry(self, key: &str, index: usize) -> Result<T>;
}

impl<T> Located<T> for Result<T> {
    fn at(self, key: &str) -> Result<T> {
        self.map_err(|problem| problem.at(key))
    }

    fn at_entry(self, key: &str, index: usize) -> Result<T> {
        self.map_err(|problem| problem.at_entry(key, index))
    }
}

/// Returns the known name nearest to `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    known
        .into_iter()
        .filter_map(|candidate| {
            likeness(&name, &candidate.to_lowercase()).map(|likeness| (likeness, candidate))
        })
        // The first of equally good names wins, so that the message does not depend on how the maximum is found.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

/// Returns how alike two names are, if they are at all: names that differ by a few typing errors rank before those
/// with a common beginning.
fn likeness(name: &str, candidate: &str) -> Option<f64> {
    // To compare names of megabytes would take minutes and gigabytes. A name that is ten times as long as the other is not alike: its
    // Jaro similarity is 0.7 at most.
    let [length, other] = [name, candidate].map(|one| one.chars().count());
    if length > LONGEST_NAME || other > 10 * length {
        return None;
    }
    let slips = strsim::damerau_levenshtein(name, candidate);
    if slips <= length.div_ceil(3) {
        return Some(2.0 - slips as f64 / length as f64);
    }
    Some(strsim::jaro_winkler(name, candidate)).filter(|alike| *alike >= 0.8)
}

/// Returns the problem "unknown X `name`", with the nearest known name; with all known names if none is near, or
/// if `name` is a well-known one that is not modelled.
pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Problem {
    let hint = match not_modelled::known_elsewhere(what, name) {
        Some(Some(hint)) => hint.to_owned(),
        Some(None) => format!("it is not modelled; {}", listed(known)),
        None => match nearest(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => listed(known),
        },
    };
    Problem::new(format!("unknown {what} `{}`; {hint}", shortened(name)))
}

/// Lists all names; of a long list its two ends.
pub fn listed<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match known.len() {
        0 => "there are none here".to_owned(),
        1..=40 => format!("known: {}", known.join(", ")),
        more => format!("{more} are known, from `{}` to `{}`", known[0], known[more - 1]),
    }
}

/// Shortens a value to fit on a line of a message.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_from_the_outside_in() {
        let problem = Problem::new("bad").at("window").at("tcp").at_entry("flow", 2);
        assert_eq!(problem.path(), "flow[2].tcp.window");
        let defaults = Problem::new("bad").at("window").at("tcp").rooted().at_entry("flow", 2).in_member(3);
        assert_eq!(defaults.path(), "tcp.window");
        assert_eq!(defaults.to_string(), "bad (in the group's member i = 3)");
    }

    #[test]
    fn a_name_that_is_not_modelled_needs_no_vocabulary() {
        let said = |name| not_modelled::not_modelled(name);
        for spelling in ["wifi8", "Wi-Fi 8", "mu-mimo", "MU_MIMO", "Multi-Link"] {
            assert!(said(spelling).is_some(), "{spelling}");
        }
        assert_eq!(said("802.11bn").as_deref(), Some("it is not modelled; the newest is 802.11be"));
        assert_eq!(said("sfq").as_deref(), Some("it is not modelled"));
        assert!(said("frto").is_some_and(|hint| hint.ends_with("`tcp.frto`")));
        assert_eq!([said("802.11ax"), said("")], [None, None]);
    }

    /// A hint at the nearest name would mislead.
    #[test]
    fn what_is_known_elsewhere_is_said_not_to_be_modelled() {
        for (what, name, known) in [
            ("PHY", "802.11ad", ["802.11", "802.11a"]),
            ("queue discipline", "sfq", ["red", "codel"]),
            ("choice", "SFQ", ["red", "codel"]),
            ("TCP", "bbr2", ["reno", "vegas"]),
        ] {
            let message = format!("unknown {what} `{name}`; it is not modelled; known: {}", known.join(", "));
            assert_eq!(unknown(what, name, known).to_string(), message);
        }
        for what in ["PHY", "standard"] {
            assert_eq!(
                unknown(what, "802.11bn", ["802.11b"]).to_string(),
                format!("unknown {what} `802.11bn`; it is not modelled; the newest is 802.11be")
            );
        }
        for what in ["setting", "key", "parameter"] {
            assert_eq!(
                unknown(what, "slow_start_after_idle", ["start"]).to_string(),
                format!(
                    "unknown {what} `slow_start_after_idle`; `restart` says what a TCP sender does after an idle period"
                )
            );
        }
        for (what, name, nearest, told) in [
            ("setting", "tcp.hystart", "tcp.restart", "`tcp.control.hystart`"),
            ("setting", "tcp.iw10", "tcp.window", "`tcp.initial_window`"),
            ("setting", "tcp.AccECN", "tcp.ecn", "`tcp.ecn_echo`"),
            ("key", "tsq", "tso", "`tcp.small_queue`"),
            ("parameter", "bql", "queue", "`tx_ring`"),
            ("metric", "MOS", "rpm", "`voice_mos_mean`"),
        ] {
            let message = unknown(what, name, [nearest]).to_string();
            assert!(message.starts_with(&format!("unknown {what} `{name}`; {told} ")), "{message}");
        }
        let policy = unknown("key", "policy", ["policer"]).to_string();
        assert!(policy.starts_with("unknown key `policy`; `ap_discipline` of a network"), "{policy}");
        assert_eq!(
            unknown("setting", "wlan.ofdma", ["wlan.ap"]).to_string(),
            "unknown setting `wlan.ofdma`; it is not modelled; docs/models.md tells what is left out"
        );
        assert_eq!(
            unknown("PHY", "802.11bb", ["802.11b"]).to_string(),
            "unknown PHY `802.11bb`; did you mean `802.11b`?"
        );
    }

    #[test]
    fn the_nearest_name_is_offered_only_when_it_is_near() {
        assert_eq!(nearest("vegass", ["reno", "vegas", "westwood"]), Some("vegas"));
        assert_eq!(nearest("RENO", ["reno", "vegas"]), Some("reno"));
        assert_eq!(nearest("tpc", ["title", "tcp", "fct"]), Some("tcp"));
        assert_eq!(nearest("west", ["reno", "vegas", "westwood"]), Some("westwood"));
        assert_eq!(nearest("", ["reno"]), None);
        assert_eq!(nearest("xyz", ["reno", "vegas"]), None);
        let [long, longer] = [39, 41].map(|length| format!("{:w<length$}", "west"));
        assert_eq!(nearest("west", [long.as_str()]), Some(long.as_str()));
        assert_eq!(nearest("west", [longer.as_str()]), None);
        assert_eq!(
            unknown("TCP", "xyz", ["reno", "vegas"]).to_string(),
            "unknown TCP `xyz`; known: reno, vegas"
        );
    }
}
