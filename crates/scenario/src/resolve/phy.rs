//! Physical layers and their rates.

use airfair_core::Rate;
use airfair_wifi::{Phy, PhyError};

use crate::file::Wlan as Raw;
use crate::problem::{Located, Problem, Result};
use crate::scope::{Scope, within};
use crate::units::{self, Dimension};

/// ns-2's `PreambleLength_` and `PLCPHeaderLength_`, which are the long preamble's.
const PLCP_BITS: (u64, u64) = (144, 48);

/// The standard's numbers, with the file's changes.
pub fn resolve(raw: &Raw, scope: &Scope) -> Result<Phy> {
    let names: Vec<(&str, &str)> = Phy::NAMES.iter().map(|name| (*name, *name)).collect();
    let name = scope.word(&Some(raw.phy.clone()), "phy", "PHY", &names)?;
    let name = name.ok_or_else(|| Problem::new("a WLAN needs a PHY").at("phy"))?;
    let basic_rate = scope.optional(&raw.basic_rate, "basic_rate")?;
    let plcp_rate = scope.optional(&raw.plcp_rate, "plcp_rate")?;
    let preamble_bits = scope.optional(&raw.preamble_bits, "preamble_bits")?;
    let plcp_header_bits = scope.optional(&raw.plcp_header_bits, "plcp_header_bits")?;
    let mut phy = if name == "ns2" {
        let bits = |bits: Option<u64>, default, key| within(bits.unwrap_or(default), 0, 10_000).at(key);
        let default = Rate::from_hundred_kbps(10);
        Phy::ns2(
            basic_rate.unwrap_or(default),
            plcp_rate.unwrap_or(default),
            bits(preamble_bits, PLCP_BITS.0, "preamble_bits")? as u32,
            bits(plcp_header_bits, PLCP_BITS.1, "plcp_header_bits")? as u32,
        )
    } else {
        let ns2_only = [
            (plcp_rate.is_some(), "plcp_rate"),
            (preamble_bits.is_some(), "preamble_bits"),
            (plcp_header_bits.is_some(), "plcp_header_bits"),
        ];
        if let Some((_, key)) = ns2_only.iter().find(|(set, _)| *set) {
            return Err(
                Problem::new(format!("the standard fixes it for `{name}`: it is for `ns2` alone")).at(key)
            );
        }
        Phy::by_name(name, basic_rate).map_err(|error| refused(&error))?
    };
    if let Some(cw_min) = scope.optional(&raw.cw_min, "cw_min")? {
        phy.cw_min = within(cw_min, 1, 65_535).at("cw_min")? as u32;
    }
    if let Some(cw_max) = scope.optional(&raw.cw_max, "cw_max")? {
        phy.cw_max = within(cw_max, 1, 65_535).at("cw_max")? as u32;
    }
    if phy.cw_min > phy.cw_max {
        let message = format!("the smallest window, {}, is above the largest, {}", phy.cw_min, phy.cw_max);
        return Err(Problem::new(message).at("cw_min"));
    }
    Ok(phy)
}

fn refused(error: &PhyError) -> Problem {
    match error {
        PhyError::UnknownName => Problem::new(error.to_string()).at("phy"),
        PhyError::ControlRate(rates) => {
            Problem::new(format!("it is no rate for control frames: {} are allowed", listed(rates)))
                .at("basic_rate")
        }
    }
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
