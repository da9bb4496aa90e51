//! Warnings of flows for which the run is too short, of video calls without room for their frames, and of priorities that change nothing.

use airfair_core::{Span, Time};

use super::{shown, shown_rate};
use crate::resolved::{Flow, HopRef, Scenario, Traffic, Transport};

/// Warns of flows that never start in a run until `end`, in one sentence for all of them.
pub fn of(flows: &[Flow], end: Time) -> Option<String> {
    let late: Vec<Span> = flows.iter().map(start).filter(|&start| Time::ZERO + start >= end).collect();
    let first = late.iter().min()?;
    let (count, all) = (late.len(), flows.len());
    let never = if count == 1 { "never sends: it starts" } else { "never send: they start" };
    let (first, run) = (shown(*first), shown(end.since(Time::ZERO)));
    Some(format!("{count} of {all} flows {never} at {first} at the earliest, and the run ends at {run}"))
}

/// Warns of flows that have nothing to send once the warm-up is over, in one sentence for all of them.
pub fn stopped(flows: &[Flow], warmup: Span) -> Option<String> {
    let last = |flow: &Flow| match &flow.traffic {
        Traffic::Persistent { stop, .. } => *stop,
        Traffic::Trace { start, spread, sessions } => sessions.last().map(|(at, _)| *start + *spread + *at),
        _ => None,
    };
    let lasts: Vec<Span> = flows.iter().filter_map(last).filter(|&last| last <= warmup).collect();
    let latest = shown(*lasts.iter().max()?);
    let (count, all, counted) = (lasts.len(), flows.len(), shown(warmup));
    let last = if count == 1 { "has its last data" } else { "have their last data" };
    Some(format!(
        "{count} of {all} flows {last} to send at {latest}, and nothing counts before the warm-up ends at {counted}"
    ))
}

/// Warns of video calls whose highest rate has no room for a packet in each frame.
pub fn small_frames(flows: &[Flow]) -> Option<String> {
    let too_small = flows.iter().filter_map(|flow| {
        let Traffic::VideoCall { frame_interval, most, .. } = flow.traffic else { return None };
        let Transport::Udp { header_bytes, .. } = flow.transport else { return None };
        let least = f64::from(header_bytes + 1) * 8.0 / frame_interval.as_secs();
        let most = most.bits_per_second() as f64;
        (most < least).then(|| {
            format!(
                "flow `{}`: each of its frames has a packet, which takes {} at least: more than its `bitrate`, {}",
                flow.name,
                shown_rate(least.round()),
                shown_rate(most)
            )
        })
    });
    let too_small: Vec<String> = too_small.collect();
    let more =
        if too_small.len() > 1 { format!(" (and {} more)", too_small.len() - 1) } else { String::new() };
    Some(format!("{}{more}", too_small.first()?))
}

/// Warns of flows whose priority no network on their way knows.
pub fn without_edca(scenario: &Scenario) -> Option<String> {
    let knows =
        |hop: &HopRef| matches!(hop, HopRef::Wlan { wlan, .. } if scenario.wlans[*wlan].bss.uses_edca());
    // A code point may be meant for a queue's discipline. Over wires alone it is a mark that networks may ignore.
    let on_air = |flow: &Flow| flow.forward.iter().any(|hop| matches!(hop, HopRef::Wlan { .. }));
    let flows = scenario.flows.iter().filter(|flow| flow.access_category.is_some());
    let flows = flows.filter(|flow| flow.dscp.is_none() || on_air(flow) && !reads_code_points(scenario));
    let idle: Vec<&Flow> = flows.filter(|flow| !flow.forward.iter().any(knows)).collect();
    let first = &idle.first()?.name;
    let more = if idle.len() > 1 { format!(" and {} more", idle.len() - 1) } else { String::new() };
    Some(format!(
        "flow `{first}`{more}: its access category changes nothing, as no network on its way uses EDCA"
    ))
}

/// Whether the discipline of any queue sorts packets by their code points.
fn reads_code_points(scenario: &Scenario) -> bool {
    let links = scenario.links.iter().flat_map(|link| [&link.forward, &link.backward]);
    let stations = scenario.wlans.iter().flat_map(|wlan| &wlan.bss.stations);
    let of_links = links.filter_map(|direction| direction.discipline.as_deref());
    of_links.chain(stations.map(|station| &station.queue.discipline)).any(|it| it.value("diffserv").is_some())
}

/// Returns the earliest possible start of a flow.
fn start(flow: &Flow) -> Span {
    match flow.traffic {
        Traffic::Persistent { start, .. }
        | Traffic::Intermittent { start, .. }
        | Traffic::Voice { start, .. }
        | Traffic::Web { start, .. }
        | Traffic::Video { start, .. }
        | Traffic::VideoCall { start, .. }
        | Traffic::RequestResponse { start, .. }
        | Traffic::Game { start, .. } => start,
        Traffic::Trace { start, ref sessions, .. } => start + sessions[0].0,
    }
}
