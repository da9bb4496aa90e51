//! Physical layers and their rates.

use airfair_core::Rate;
use airfair_wifi::Phy;

use crate::file::Wlan as Raw;
use crate::problem::{Problem, Result};
use crate::resolve::declared;
use crate::scope::Scope;
use crate::units::{self, Dimension};

/// The standard's numbers, with the file's changes.
pub fn resolve(raw: &Raw, scope: &Scope) -> Result<Phy> {
    let names: Vec<(&str, &str)> = Phy::NAMES.iter().map(|name| (*name, *name)).collect();
    let name = scope.word(&Some(raw.phy.clone()), "phy", "PHY", &names)?;
    let name = name.ok_or_else(|| Problem::new("a WLAN needs a PHY").at("phy"))?;
    let changes = declared::settings(&raw.given, scope)?;
    Phy::with(name, &changes).map_err(|refused| Problem::new(refused.reason).at(&refused.parameter))
}

/// The rate of data frames: the file's, or the standard's highest.
pub fn data_rate(raw: &Raw, scope: &Scope, phy: &Phy) -> Result<Rate> {
    match (scope.optional(&raw.data_rate, "data_rate")?, phy.data_rates.last()) {
        (Some(rate), _) => allowed(rate, phy, "data_rate"),
        (None, Some(&highest)) => Ok(highest),
        (None, None) => {
            Err(Problem::new(format!("`{}` has no highest rate: set one", phy.name)).at("data_rate"))
        }
    }
}

/// `rate`, which is under `key`, if data frames may have it.
pub fn allowed(rate: Rate, phy: &Phy, key: &str) -> Result<Rate> {
    if phy.allows(rate) {
        return Ok(rate);
    }
    let message =
        format!("{} is no rate of `{}`: {} are allowed", printed(rate), phy.name, listed(phy.data_rates));
    Err(Problem::new(message).at(key))
}

/// As people write it.
pub fn printed(rate: Rate) -> String {
    units::display(rate.bits_per_second() as f64, Dimension::Rate)
}

fn listed(rates: &[Rate]) -> String {
    rates.iter().copied().map(printed).collect::<Vec<_>>().join(", ")
}
