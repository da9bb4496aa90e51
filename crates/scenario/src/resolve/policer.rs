//! What an access point does to passing packets.

use airfair_core::{Rate, Span};

use crate::file::{Limiter as RawLimiter, WindowControl as RawWindowControl};
use crate::packet_lengths;
use crate::problem::{Located, Problem, Result};
use crate::resolve::phy::printed;
use crate::resolved::{HopRef, Limiter, Scenario, WindowControl};
use crate::scope::{Scope, above_zero, small};

/// A flow that has sent nothing for so long no longer counts: several round trips of the longest paths that are studied.
const FLOW_TIMEOUT: Span = Span::from_secs(1);

/// The limiter of a WLAN whose stations send at `fastest` at most; none where its rate is `none`.
pub fn limiter(raw: &RawLimiter, scope: &Scope, fastest: Rate) -> Result<Option<Limiter>> {
    let Some(rate) = scope.optional(&raw.rate, "rate")? else { return Ok(None) };
    if rate > fastest {
        let message = format!(
            "{} is above the highest data rate of the stations, {}: it would never drop a packet",
            printed(rate),
            printed(fastest)
        );
        return Err(Problem::new(message).at("rate"));
    }
    let bucket = scope.optional(&raw.bucket, "bucket")?;
    let bucket = bucket.ok_or_else(|| Problem::new("a limiter with a rate needs a `bucket`"))?;
    Ok(Some(Limiter { rate, bucket_bytes: bucket }))
}

/// The window control of a WLAN whose access point holds `buffer` packets, if it counts them.
pub fn window_control(
    raw: &RawWindowControl,
    scope: &Scope,
    buffer: Option<u32>,
) -> Result<Option<WindowControl>> {
    if !scope.or(&raw.enabled, "enabled", true)? {
        return Ok(None);
    }
    let own = scope.optional(&raw.buffer, "buffer")?;
    let own = own.map(|packets| small(packets, 1)).transpose().at("buffer")?;
    let buffer = own.or(buffer).ok_or_else(|| {
        Problem::new(
            "the access point's queue is in bytes: window control needs its own `buffer`, in packets",
        )
    })?;
    let flow_timeout = scope.or(&raw.flow_timeout, "flow_timeout", FLOW_TIMEOUT)?;
    Ok(Some(WindowControl {
        buffer_packets: buffer,
        flow_timeout: above_zero(flow_timeout).at("flow_timeout")?,
    }))
}

/// An error where a bucket is smaller than a packet that a flow sends through it regularly; `entries` tells the entry of
/// `wlan` that each came from.
pub fn check_buckets(scenario: &Scenario, entries: &[usize]) -> Result<()> {
    for (number, wlan) in scenario.wlans.iter().enumerate() {
        let Some(Limiter { bucket_bytes: bucket, .. }) = wlan.limiter else { continue };
        let packets = scenario.flows.iter().flat_map(|flow| {
            let (there, back) = packet_lengths::of(flow, scenario);
            let ways = [(&flow.forward, Some(there)), (&flow.backward, back)];
            let limited = ways.into_iter().filter(|(hops, _)| is_limited(hops, number));
            limited.filter_map(|(_, bytes)| bytes).map(|bytes| (bytes, flow.name.as_str()))
        });
        // The first flow of those with the longest packet.
        let longest = packets.reduce(|longest, next| if next.0 > longest.0 { next } else { longest });
        if let Some((bytes, flow)) = longest
            && u64::from(bytes) > bucket
        {
            let message = format!(
                "a bucket of {bucket} B is smaller than a packet of {bytes} B of the flow `{flow}`: none of these would ever pass"
            );
            return Err(Problem::new(message).at("bucket").at("limiter")).at_entry("wlan", entries[number]);
        }
    }
    Ok(())
}

/// Whether packets on this way arrive over the air at the access point of the WLAN of this number, and go on by wire.
fn is_limited(hops: &[HopRef], number: usize) -> bool {
    hops.windows(2).any(
        |pair| matches!(pair, [HopRef::Wlan { wlan, to: 0, .. }, HopRef::Link { .. }] if *wlan == number),
    )
}
