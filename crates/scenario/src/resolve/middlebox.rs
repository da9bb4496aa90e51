//! The middlebox of an access point: its policer and its window control.

use airfair_core::Rate;
use airfair_queue::{PolicerConfig, WindowControlConfig};

use crate::file::{Policer as RawPolicer, WindowControl as RawWindowControl, WindowControlKeys};
use crate::packet_lengths;
use crate::problem::{Located, Problem, Result};
use crate::resolve::declared::settings;
use crate::resolve::phy::printed;
use crate::resolved::{HopRef, Scenario};
use crate::scope::{Scope, needed};

/// Returns the policer of a WLAN whose stations send at most at the rate `fastest`; `None` if its rate is `none`.
pub fn policer(raw: &RawPolicer, scope: &Scope, fastest: Rate) -> Result<Option<PolicerConfig>> {
    let Some(rate) = scope.optional(&raw.rate, "rate")? else { return Ok(None) };
    if rate > fastest {
        let message = format!(
            "{} is above the highest data rate of the stations, {}: it would never drop a packet",
            printed(rate),
            printed(fastest)
        );
        return Err(Problem::new(message).at("rate"));
    }
    let burst_bytes = needed(scope.optional(&raw.burst, "burst")?, "burst", "a policer with a rate")?;
    Ok(Some(PolicerConfig { rate, burst_bytes }))
}

/// Returns the window control of a WLAN; `buffer` is the length of the access point's queue if that is counted in packets.
pub fn window_control(
    raw: &RawWindowControl,
    scope: &Scope,
    buffer: Option<u32>,
) -> Result<Option<WindowControlConfig>> {
    if !scope.or(&raw.enabled, "enabled", true)? {
        return Ok(None);
    }
    let WindowControlKeys { buffer: own, flow_timeout } = settings(&raw.given, scope)?;
    let buffer_packets = own.or(buffer).ok_or_else(|| {
        Problem::new(
            "the access point's queue is in bytes: window control needs its own `buffer`, in packets",
        )
    })?;
    Ok(Some(WindowControlConfig { buffer_packets, flow_timeout }))
}

/// Refuses a bucket that is smaller than a packet that a flow regularly sends through it. `entries` has the index of the entry of
/// `wlan` that each WLAN came from.
pub fn check_bursts(scenario: &Scenario, entries: &[usize]) -> Result<()> {
    for (number, wlan) in scenario.wlans.iter().enumerate() {
        let Some(PolicerConfig { burst_bytes: burst, .. }) = wlan.policer else { continue };
        let packets = scenario.flows.iter().flat_map(|flow| {
            let (there, back) = packet_lengths::of(flow, scenario);
            let ways = [(&flow.forward, Some(there)), (&flow.backward, back)];
            let policed = ways.into_iter().filter(|(hops, _)| is_policed(hops, number));
            policed.filter_map(|(_, bytes)| bytes).map(|bytes| (bytes, flow.name.as_str()))
        });
        // Of several flows with the longest packet, the first one is reported.
        let longest = packets.reduce(|longest, next| if next.0 > longest.0 { next } else { longest });
        if let Some((bytes, flow)) = longest
            && u64::from(bytes) > burst
        {
            let message = format!(
                "a burst of {burst} B is smaller than a packet of {bytes} B of the flow `{flow}`: none of these packets would ever pass"
            );
            return Err(Problem::new(message).at("burst").at("policer")).at_entry("wlan", entries[number]);
        }
    }
    Ok(())
}

/// Whether packets on this path arrive over the air at the access point of the WLAN with this index, and go on by wire.
fn is_policed(hops: &[HopRef], number: usize) -> bool {
    hops.windows(2).any(
        |pair| matches!(pair, [HopRef::Wlan { wlan, to: 0, .. }, HopRef::Link { .. }] if *wlan == number),
    )
}
