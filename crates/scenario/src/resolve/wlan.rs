//! Wireless networks.

use airfair_core::{Rate, Span};
use airfair_wifi::{BssConfig, FrameErrors, Phy, PhyError, StationConfig};

use crate::file::{StationGroup, Wlan as Raw};
use crate::problem::{Located, Problem, Result};
use crate::resolve::node::Nodes;
use crate::resolve::{errors, group};
use crate::resolved::Wlan;
use crate::scope::{Scope, small, within};
use crate::units::{self, Dimension};
use crate::value::CountValue;

/// An access point gives out association identifiers 1 to 2007 (IEEE 802.11-2012, 8.4.1.8).
const MOST_STATIONS: usize = 2007;
/// As ns-2's scripts have it, and close to what drivers hold.
const DEFAULT_QUEUE: u32 = 50;
/// IEEE 802.11-2012, dot11ShortRetryLimit and dot11LongRetryLimit.
const RETRY_LIMITS: (u64, u64) = (7, 4);
const MOST_RETRIES: u64 = 255;
/// ns-2's `PreambleLength_` and `PLCPHeaderLength_`, which are the long preamble's.
const PLCP_BITS: (u64, u64) = (144, 48);

/// All WLANs, in the order of declaration; their access points and stations become nodes.
pub fn resolve(list: &[Raw], scope: &Scope, nodes: &mut Nodes) -> Result<Vec<Wlan>> {
    let mut wlans: Vec<Wlan> = Vec::new();
    for (number, raw) in list.iter().enumerate() {
        let wlan = one(raw, scope, nodes).at_entry("wlan", number)?;
        if wlans.iter().any(|other| other.name == wlan.name) {
            let problem = Problem::new(format!("there is a WLAN `{}` already", wlan.name));
            return Err(problem.at("name")).at_entry("wlan", number);
        }
        wlans.push(wlan);
    }
    Ok(wlans)
}

/// What the stations of a WLAN have unless they say otherwise.
struct Usual {
    data_rate: Rate,
    queue: u32,
    errors: FrameErrors,
}

fn one(raw: &Raw, scope: &Scope, nodes: &mut Nodes) -> Result<Wlan> {
    let name = scope.required(&raw.name, "name")?;
    let phy = phy(raw, scope)?;
    let usual = Usual {
        data_rate: data_rate(raw, scope, &phy)?,
        queue: queue(&raw.queue, scope, "queue")?.unwrap_or(DEFAULT_QUEUE),
        errors: frame_errors(&raw.frame_errors, scope)?.unwrap_or(FrameErrors::None),
    };
    let ap = nodes.add(scope, &raw.ap, "ap")?;
    let mut members = vec![ap];
    let mut stations = vec![StationConfig {
        name: nodes.name(ap).to_owned(),
        data_rate: allowed(
            scope.or(&raw.ap_data_rate, "ap_data_rate", usual.data_rate)?,
            &phy,
            "ap_data_rate",
        )?,
        queue_frames: queue(&raw.ap_queue, scope, "ap_queue")?.unwrap_or(usual.queue),
        errors: usual.errors,
    }];
    for (number, station) in raw.station.iter().enumerate() {
        group::for_each(scope, &station.count, &station.when, |scope| {
            if members.len() > MOST_STATIONS {
                let message =
                    format!("a WLAN has at most {MOST_STATIONS} stations (association identifiers)");
                return Err(Problem::new(message).at("count"));
            }
            let index = nodes.add(scope, &station.name, "name")?;
            members.push(index);
            stations.push(one_station(station, scope, nodes.name(index), &phy, &usual)?);
            Ok(())
        })
        .at_entry("station", number)?;
    }
    if members.len() == 1 {
        return Err(Problem::new("a WLAN needs at least 1 station").at("station"));
    }
    let bss = BssConfig {
        rts_threshold: rts_threshold(raw, scope)?,
        short_retry_limit: retry_limit(&raw.short_retry_limit, scope, "short_retry_limit", RETRY_LIMITS.0)?,
        long_retry_limit: retry_limit(&raw.long_retry_limit, scope, "long_retry_limit", RETRY_LIMITS.1)?,
        capture: scope.or(&raw.capture, "capture", 0.0)?,
        phy,
        stations,
    };
    let host_delay = scope.or(&raw.host_delay, "host_delay", Span::ZERO)?;
    let station_overhead = scope.or(&raw.station_overhead, "station_overhead", 0)?;
    let station_overhead = small(station_overhead, 0).at("station_overhead")?;
    Ok(Wlan { name, members, bss, host_delay, station_overhead })
}

fn one_station(
    raw: &StationGroup,
    scope: &Scope,
    name: &str,
    phy: &Phy,
    usual: &Usual,
) -> Result<StationConfig> {
    Ok(StationConfig {
        name: name.to_owned(),
        data_rate: allowed(scope.or(&raw.data_rate, "data_rate", usual.data_rate)?, phy, "data_rate")?,
        queue_frames: queue(&raw.queue, scope, "queue")?.unwrap_or(usual.queue),
        errors: frame_errors(&raw.frame_errors, scope)?.unwrap_or(usual.errors),
    })
}

fn frame_errors(raw: &Option<crate::file::FrameErrors>, scope: &Scope) -> Result<Option<FrameErrors>> {
    raw.as_ref().map(|raw| errors::resolve(raw, scope)).transpose().at("frame_errors")
}

fn queue(raw: &Option<CountValue>, scope: &Scope, key: &str) -> Result<Option<u32>> {
    scope.optional(raw, key)?.map(|frames| small(frames, 1)).transpose().at(key)
}

fn retry_limit(raw: &Option<CountValue>, scope: &Scope, key: &str, default: u64) -> Result<u32> {
    within(scope.or(raw, key, default)?, 1, MOST_RETRIES).at(key).map(|limit| limit as u32)
}

fn rts_threshold(raw: &Raw, scope: &Scope) -> Result<Option<u32>> {
    let threshold = scope.optional(&raw.rts_threshold, "rts_threshold")?;
    threshold.map(|bytes| small(bytes, 0).at("rts_threshold")).transpose()
}

/// The standard's numbers, with what the file changes.
fn phy(raw: &Raw, scope: &Scope) -> Result<Phy> {
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

fn data_rate(raw: &Raw, scope: &Scope, phy: &Phy) -> Result<Rate> {
    match (scope.optional(&raw.data_rate, "data_rate")?, phy.data_rates.last()) {
        (Some(rate), _) => allowed(rate, phy, "data_rate"),
        (None, Some(&highest)) => Ok(highest),
        (None, None) => {
            Err(Problem::new(format!("`{}` has no highest rate: set one", phy.name)).at("data_rate"))
        }
    }
}

fn allowed(rate: Rate, phy: &Phy, key: &str) -> Result<Rate> {
    if phy.allows(rate) {
        return Ok(rate);
    }
    let message =
        format!("{} is no rate of `{}`: {} are allowed", printed(rate), phy.name, listed(phy.data_rates));
    Err(Problem::new(message).at(key))
}

fn printed(rate: Rate) -> String {
    units::display(rate.bits_per_second() as f64, Dimension::Rate)
}

fn listed(rates: &[Rate]) -> String {
    rates.iter().copied().map(printed).collect::<Vec<_>>().join(", ")
}
