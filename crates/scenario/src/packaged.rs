//! The scenarios that come with AirFair: files like any user's, built in.

use serde::Serialize;

use crate::error;
use crate::file::File;

macro_rules! packaged {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../scenarios/", $name, ".toml")))),*]
    };
}

const FILES: &[(&str, &str)] = packaged![
    "bench/ax",
    "bench/dumbbell",
    "bench/wlan",
    "blefari/hotspot",
    "flent/rrul",
    "flent/rtt_fair",
    "flent/tcp_ndown",
    "flent/tcp_nup",
    "flent/voip_rrul",
    "ghosh/mixed",
    "ghosh/wireless",
    "heusse/cell",
    "jung/mixed",
    "jung/table1",
    "l4s/coupled",
    "lee/path",
    "mamatas/complex",
    "mamatas/convergence",
    "mamatas/dumbbell",
    "tcp/losses",
    "wifi/anomaly",
    "wifi/home",
    "wifi/overlap",
    "wifi/saturation",
];

/// A packaged scenario in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packaged {
    /// Name of the scenario, as `run` takes it.
    pub name: String,
    /// Title of the scenario, in a few words.
    pub title: String,
    /// Purpose of the scenario, in one line.
    pub summary: String,
}

/// Returns all packaged scenarios, in the order of their names.
pub fn packaged() -> Vec<Packaged> {
    FILES
        .iter()
        .filter_map(|(name, text)| {
            let file: File = error::read(name, text).ok()?;
            let description = file.description.unwrap_or_default();
            Some(Packaged {
                name: (*name).to_owned(),
                title: file.title.unwrap_or_default(),
                summary: description.lines().next().unwrap_or_default().to_owned(),
            })
        })
        .collect()
}

/// Returns the names of all packaged scenarios.
pub(crate) fn names() -> impl Iterator<Item = &'static str> + Clone {
    FILES.iter().map(|(name, _)| *name)
}

/// Returns the file of the packaged scenario `name`.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Error;

    /// Returns the names of the files under `folder` without `.toml`, with the folder's name before them.
    fn on_disk() -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let mut names = Vec::new();
        for family in root.read_dir().unwrap() {
            let family = family.unwrap();
            for file in family.path().read_dir().unwrap() {
                let path = file.unwrap().path();
                let stem = path.file_stem().unwrap().to_str().unwrap();
                names.push(format!("{}/{stem}", family.file_name().to_str().unwrap()));
            }
        }
        names.sort();
        names
    }

    #[test]
    fn every_file_is_packaged() {
        assert_eq!(names().collect::<Vec<_>>(), on_disk());
    }

    #[test]
    fn every_one_has_a_title_and_a_summary() {
        let list = packaged();
        assert_eq!(list.len(), FILES.len());
        assert!(list.iter().all(|one| !one.title.is_empty() && one.summary.len() > 20), "{list:?}");
    }

    #[test]
    fn every_one_loads_with_its_defaults() -> Result<(), Error> {
        for name in names() {
            crate::load(name, &[])?;
        }
        Ok(())
    }
}
