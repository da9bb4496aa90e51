//! Lists of words that the engine declares, for a parameter's `choices`. A word that the engine declares is allowed as
//! a choice at once.

use airfair_core::schema::Kind;
use airfair_tcp::profile::RECOVERIES;
use airfair_wifi::Phy;

use crate::file::Tcp;
use crate::problem::{Result, unknown};
use crate::resolve::discipline;

/// Names of the lists.
pub const LISTS: [&str; 8] =
    ["tcp", "profile", "recovery", "restart", "connection", "handshake", "queue", "phy"];

/// Returns the words of the list `name`.
pub fn engine_list(name: &str) -> Result<Vec<&'static str>> {
    match name {
        "tcp" => Ok(words_of("variant")),
        "recovery" => Ok(RECOVERIES.to_vec()),
        "queue" => Ok(discipline::names()),
        "phy" => Ok(Phy::NAMES.to_vec()),
        _ if LISTS.contains(&name) => Ok(words_of(name)),
        _ => Err(unknown("built-in list", name, LISTS)),
    }
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
        for name in LISTS {
            assert!(engine_list(name).is_ok_and(|list| list.len() > 1), "{name}");
        }
        let message = engine_list("tpc").unwrap_err().to_string();
        assert_eq!(message, "unknown built-in list `tpc`; did you mean `tcp`?");
    }
}
