//! Lists of words that the engine declares, for a parameter's `choices`. A word that the engine declares is allowed as
//! a choice at once.

use airfair_core::schema::Kind;
use airfair_tcp::profile::RECOVERIES;
use airfair_wifi::Phy;

use crate::file::Tcp;
use crate::problem::{Result, unknown};
use crate::resolve::discipline;

/// Names of the lists, each with the key of files that takes its words.
const LISTS: [(&str, &str); 8] = [
    ("tcp", "variant"),
    ("profile", "profile"),
    ("recovery", "recovery"),
    ("restart", "restart"),
    ("connection", "connection"),
    ("handshake", "handshake"),
    ("queue", "kind"),
    ("phy", "phy"),
];

/// Returns the name of the list with the words that `key` takes, if there is one.
pub fn list_of(key: &str) -> Option<&'static str> {
    LISTS.iter().find(|(_, taking)| *taking == key).map(|(name, _)| *name)
}

/// Returns the words of the list `name`.
pub fn engine_list(name: &str) -> Result<Vec<&'static str>> {
    let Some((_, key)) = LISTS.iter().find(|(list, _)| *list == name) else {
        return Err(unknown("built-in list", name, LISTS.map(|(list, _)| list)));
    };
    Ok(match name {
        "recovery" => RECOVERIES.to_vec(),
        "queue" => discipline::names().to_vec(),
        "phy" => Phy::NAMES.to_vec(),
        _ => words_of(key),
    })
}

/// Returns the words that a key of the table `[tcp]` allows.
fn words_of(key: &str) -> Vec<&'static str> {
    match Tcp::KEYS.settable().find(|setting| setting.key == key).map(|setting| setting.kind) {
        Some(Kind::Word(words)) => words.to_vec(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_there_and_an_unknown_one_names_the_nearest() {
        for (name, key) in LISTS {
            assert_eq!(list_of(key), Some(name));
            assert!(engine_list(name).is_ok_and(|list| list.len() > 1), "{name}");
        }
        let message = engine_list("tpc").unwrap_err().to_string();
        assert_eq!(message, "unknown built-in list `tpc`; did you mean `tcp`?");
    }
}
