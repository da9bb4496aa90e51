//! Equal spellings: `10 ms`, `0.01 s` and `10ms` are the same time.

use super::{FILE, leaf};
use airfair_scenario::{Loaded, parse, quantity};
use toml::{Table, Value};

/// Of each dimension: the unit of [`quantity`], and a unit to write it in with how many of it one is.
type Units = [(&'static str, f64, &'static str); 3];

const SPELLINGS: [Units; 4] = [
    [("s", 1e9, " ns"), ("bit/s", 1.0, " b/s"), ("byte", 1.0, " B")],
    [("s", 1e6, "us"), ("bit/s", 1.0, "bps"), ("byte", 8.0, "bit")],
    [("s", 1.0, "s"), ("bit/s", 1e-3, " kb/s"), ("byte", 1e-3, "kB")],
    [("s", 1e3, "  ms"), ("bit/s", 1e-6, "Mb/s"), ("byte", 1.0 / 1024.0, " KiB")],
];

/// Writes all quantities of a scenario differently.
///
/// # Errors
/// When that changes its key.
pub fn check(file: &Table, at_rest: &Loaded) -> Result<(), String> {
    for units in &SPELLINGS {
        let respelt = respelt(file, units).to_string();
        let again = parse(&respelt, FILE, &[]).map_err(|error| format!("{error}\n{respelt}"))?;
        if again.key(1, 1) != at_rest.key(1, 1) {
            return Err(format!("spelt differently it has another key:\n{respelt}"));
        }
    }
    Ok(())
}

fn respelt(file: &Table, units: &Units) -> Table {
    leaf::all(file).iter().fold(file.clone(), |all, leaf| match leaf.value.as_str() {
        Some(text) => match spelt(text, units) {
            Some(spelt) => leaf.replaced(&all, Some(Value::from(spelt))),
            None => all,
        },
        None => all,
    })
}

fn spelt(text: &str, units: &Units) -> Option<String> {
    units.iter().find_map(|(unit, each, name)| {
        quantity(text, unit).ok().map(|number| format!("{}{name}", number * each))
    })
}
