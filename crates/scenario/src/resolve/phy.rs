//! Physical layers and their rates.

use airfair_core::Rate;
use airfair_wifi::{Phy, PhySettings};

use crate::file::Wlan as Raw;
use crate::problem::{Problem, Result};
use crate::resolve::qos::Network;
use crate::scope::Scope;
use crate::units::{self, Dimension};

/// Returns the PHY with the standard's numbers and the file's `changes`.
pub fn resolve(raw: &Raw, changes: &PhySettings, scope: &Scope) -> Result<Phy> {
    let names: Vec<(&str, &str)> = Phy::NAMES.iter().map(|name| (*name, *name)).collect();
    let name = scope.word(&Some(raw.phy.clone()), "phy", "PHY", &names)?;
    let name = name.ok_or_else(|| Problem::new("a WLAN needs a PHY").at("phy"))?;
    Phy::with(name, changes).map_err(|refused| Problem::new(refused.reason).at(&refused.parameter))
}

/// Returns the rate of data frames: the file's, or the standard's highest; `None` in networks with EDCA,
/// whose frames have modes.
pub fn data_rate(raw: &Raw, network: &Network, scope: &Scope) -> Result<Option<Rate>> {
    let phy = &network.phy;
    let given = scope.optional(&raw.data_rate, "data_rate")?;
    if network.uses_edca() {
        return no_rate(given.is_some(), phy, "data_rate").map(|()| None);
    }
    let rate = match (given, network.usual.mcs, phy.data_rates.last()) {
        (Some(_), Some(_), _) => Err(Problem::new("it says the same as `data_rate`: set one").at("mcs")),
        (Some(rate), None, _) => allowed(rate, phy, "data_rate"),
        (None, Some(mcs), Some(_)) => phy.data_rates.get(mcs as usize).copied().ok_or_else(|| {
            let most = phy.data_rates.len() - 1;
            Problem::new(format!("`{}` has the rates 0 to {most}: {}", phy.name, listed(phy.data_rates)))
                .at("mcs")
        }),
        (None, None, Some(&highest)) => Ok(highest),
        (None, _, None) => {
            Err(Problem::new(format!("`{}` has no highest rate: set one", phy.name)).at("data_rate"))
        }
    };
    rate.map(Some)
}

/// Refuses a rate that is `given` under `key` where frames have modes.
pub fn no_rate(given: bool, phy: &Phy, key: &str) -> Result<()> {
    if !given {
        return Ok(());
    }
    let message = format!("`{}` with EDCA has no data rates: set `mcs`, `nss` and `width`", phy.name);
    Err(Problem::new(message).at(key))
}

/// Checks that data frames may have `rate`, which is under `key`.
pub fn allowed(rate: Rate, phy: &Phy, key: &str) -> Result<Rate> {
    if phy.allows(rate) {
        return Ok(rate);
    }
    let message =
        format!("{} is no rate of `{}`: {} are allowed", printed(rate), phy.name, listed(phy.data_rates));
    Err(Problem::new(message).at(key))
}

/// Writes a rate as people do.
pub fn printed(rate: Rate) -> String {
    units::display(rate.bits_per_second() as f64, Dimension::Rate)
}

fn listed(rates: &[Rate]) -> String {
    rates.iter().copied().map(printed).collect::<Vec<_>>().join(", ")
}
