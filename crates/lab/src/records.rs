//! Turns a run's record into plain records of flows, links, stations and sessions in SI units.

use crate::counted::Counted;
use crate::outcome::{AirRecord, FlowRecord, LinkRecord, SessionRecord, StationRecord};
use airfair_core::{Rate, Span, SpanSum, Time};
use airfair_metrics as metrics;
use airfair_scenario::resolved::{Direction, FairShare, Flow, Scenario, Transport, Wlan};
use airfair_sim::record::{FlowCounts, StationCounts};
use airfair_sim::{Record, Session, Turn, TurnOutcome};

/// Returns a record for each flow; `window` is the length of the measured window in seconds.
pub fn flow_records(scenario: &Scenario, record: &Record, window: f64) -> Vec<FlowRecord> {
    let flows = scenario.flows.iter().zip(&record.counts.flows).zip(&record.timeouts);
    flows.map(|((flow, counts), timeout)| flow_record(scenario, flow, counts, *timeout, window)).collect()
}

/// Returns the payload bytes acknowledged at the flow's sender; for UDP, which has no acknowledgements, the payload delivered.
pub fn useful_bytes(flow: &Flow, counts: &FlowCounts) -> u64 {
    match flow.transport {
        Transport::Tcp { .. } => counts.acked_bytes,
        Transport::Udp { .. } => counts.delivered_bytes,
    }
}

fn flow_record(
    scenario: &Scenario,
    flow: &Flow,
    counts: &FlowCounts,
    timeout: Option<Span>,
    window: f64,
) -> FlowRecord {
    let transport = match flow.transport {
        Transport::Tcp { .. } => "tcp",
        Transport::Udp { .. } => "udp",
    };
    let bytes = useful_bytes(flow, counts);
    let timing = &counts.timing;
    let average = |total: SpanSum, number: u64| (number > 0).then(|| total.as_secs() / number as f64);
    FlowRecord {
        name: flow.name.clone(),
        from: scenario.nodes[flow.source].name.clone(),
        to: scenario.nodes[flow.sink].name.clone(),
        transport: transport.to_owned(),
        direction: flow.direction.word().to_owned(),
        traffic: flow.traffic.kind().word().to_owned(),
        throughput: metrics::throughput(bytes, window).expect("a scenario that loads measures for some time"),
        counts: Counted::new(*counts),
        rtt_mean: average(timing.rtt_total, timing.round_trips),
        timeout_first: average(timing.timeout_total, timing.timeout_series).or(timeout.map(Span::as_secs)),
    }
}

/// Returns a record for each direction of each link.
pub fn link_records(scenario: &Scenario, record: &Record, window: f64) -> Vec<LinkRecord> {
    scenario
        .link_directions()
        .zip(&record.counts.links)
        .map(|(config, counts)| LinkRecord {
            utilisation: counts.busy.as_secs() / window,
            name: config.name.clone(),
            counts: Counted::new(counts.packets),
            queue_mean: mean_held(counts.queue_integral, window),
        })
        .collect()
}

/// Returns a record for each station of each wireless network.
pub fn station_records(scenario: &Scenario, record: &Record, window: f64) -> Vec<StationRecord> {
    let wlans = scenario.wlans.iter().zip(&record.counts.stations);
    wlans.flat_map(|(wlan, counts)| wlan_records(scenario, wlan, counts, window)).collect()
}

fn wlan_records(
    scenario: &Scenario,
    wlan: &Wlan,
    counts: &[StationCounts],
    window: f64,
) -> Vec<StationRecord> {
    let airtimes: Vec<f64> = counts.iter().map(|counts| counts.frames.airtime.as_secs()).collect();
    let shares = metrics::airtime_shares(&airtimes).ok();
    let members = wlan.members.iter().zip(counts).enumerate();
    members
        .map(|(index, (&node, counts))| StationRecord {
            name: scenario.nodes[node].name.clone(),
            wlan: wlan.name.clone(),
            access_point: index == 0,
            airtime: airtimes[index] / window,
            airtime_share: shares.as_ref().map(|shares| shares[index]),
            counts: Counted::new(counts.frames),
            queue_mean: mean_held(counts.held_integral, window),
            waiting_mean: mean_held(counts.waiting_integral, window),
            wait_mean: metrics::queue_delay_mean(counts.frames.waited.as_secs(), counts.frames.served).ok(),
        })
        .collect()
}

/// Returns a record for each wireless network whose turns were recorded.
pub fn air_records(scenario: &Scenario, record: &Record) -> Vec<AirRecord> {
    let wlans = scenario.wlans.iter().zip(&record.air).filter(|(_, turns)| !turns.is_empty());
    wlans
        .map(|(wlan, turns)| {
            let collided = |turn: &Turn| turn.outcome == TurnOutcome::Collided;
            let acknowledged = |turn: &Turn| turn.outcome == TurnOutcome::Acknowledged;
            AirRecord {
                wlan: wlan.name.clone(),
                stations: wlan.members.iter().map(|&node| scenario.nodes[node].name.clone()).collect(),
                from: turns.iter().map(|turn| turn.from).collect(),
                to: turns.iter().map(|turn| turn.to).collect(),
                start: turns.iter().map(|turn| turn.start.as_secs()).collect(),
                end: turns.iter().map(|turn| turn.end.as_secs()).collect(),
                bytes: turns.iter().map(|turn| turn.bytes).collect(),
                acknowledged: turns.iter().map(acknowledged).collect(),
                collided: turns.iter().map(collided).collect(),
                category: turns.iter().map(|turn| turn.category.map(|it| it.word().to_owned())).collect(),
                mpdus: turns.iter().map(|turn| turn.mpdus).collect(),
                arrived: turns.iter().map(|turn| turn.arrived).collect(),
                rate: turns.iter().map(|turn| turn.rate.bits_per_second() as f64).collect(),
                answered: turns.iter().map(|turn| turn.answered().map(Time::as_secs)).collect(),
                block_ack: turns.iter().map(|turn| turn.is_block_ack).collect(),
            }
        })
        .collect()
}

/// Returns the packets held on average, from the integral of their number over time.
fn mean_held(integral: SpanSum, window: f64) -> f64 {
    integral.as_secs() / window
}

/// Returns a record for each finite session that starts in the measured window.
pub fn session_records(scenario: &Scenario, record: &Record) -> Vec<SessionRecord> {
    let flows = scenario.flows.iter().zip(&record.sessions);
    flows
        .flat_map(|(flow, sessions)| {
            let share = fair_share(scenario.fair_share, flow.direction);
            let measured = sessions.iter().filter(|session| session.start >= record.warmup);
            measured.filter_map(move |session| session_record(flow, share, session))
        })
        .collect()
}

/// Returns the record of a session; `None` for an unbounded one, whose finish time is undefined (Jung & Park, section 3.3).
fn session_record(flow: &Flow, share: Option<f64>, session: &Session) -> Option<SessionRecord> {
    let bytes = session.bytes?;
    let since_start = |at: Time| (at < Time::NEVER).then(|| (at - session.start).as_secs());
    Some(SessionRecord {
        flow: flow.name.clone(),
        start: session.start.as_secs(),
        bytes,
        ideal: share.and_then(|share| metrics::ideal_finish_time(bytes, share).ok()),
        sent: since_start(session.sent),
        acked: since_start(session.acked),
        delivered: since_start(session.delivered),
    })
}

/// Returns a user's fair share in bit/s: equation (1) of Jung & Park.
fn fair_share(share: FairShare, direction: Direction) -> Option<f64> {
    let FairShare::Split { down, up, users } = share else { return None };
    let effective: Option<Rate> = match direction {
        Direction::Down => down,
        Direction::Up => up,
        Direction::Other => None,
    };
    Some(effective?.bits_per_second() as f64 / f64::from(users))
}
