//! Lists of words that the engine has, for a parameter's `choices`: what is added there is allowed here.

use airfair_tcp::profile;

use crate::problem::{Result, unknown};
use crate::resolve::discipline;
use crate::resolve::tcp::{CONNECTIONS, HANDSHAKES, RESTARTS};

const LISTS: [&str; 7] = ["tcp", "profile", "recovery", "restart", "connection", "handshake", "queue"];

/// The words of the list `name`.
pub fn engine_list(name: &str) -> Result<Vec<&'static str>> {
    Ok(match name {
        "tcp" => profile::names().collect(),
        "profile" => profile::profiles().collect(),
        "recovery" => profile::recoveries().collect(),
        "restart" => words(&RESTARTS),
        "connection" => words(&CONNECTIONS),
        "handshake" => words(&HANDSHAKES),
        "queue" => discipline::names(),
        _ => return Err(unknown("list of the engine's", name, LISTS)),
    })
}

fn words<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
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
        assert_eq!(message, "unknown list of the engine's `tpc`; did you mean `tcp`?");
    }
}
