//! Sessions: milestones come in order, and the bytes of all sessions add up to those of the flow.

use super::holds;
use airfair_core::Time;
use airfair_scenario::resolved::{Flow, Transport};
use airfair_sim::Session;
use airfair_sim::record::FlowCounts;

pub fn hold(flow: &Flow, counts: &FlowCounts, sessions: &[Session], end: Time) -> Result<(), String> {
    for session in sessions {
        holds(session.start < end, "a session starts after the end")?;
        holds(session.start <= session.sent, "a session is sent before it starts")?;
        holds(session.sent <= session.delivered, "a session is delivered before it is sent")?;
        holds(session.delivered <= session.acked, "a session is acknowledged before it is delivered")?;
        for milestone in [session.sent, session.delivered, session.acked] {
            holds(milestone < end || milestone == Time::NEVER, "a session reaches something after the end")?;
        }
    }
    holds(sessions.is_sorted_by_key(|session| session.start), "sessions start out of order")?;
    holds(sessions.is_sorted_by_key(|session| session.sent), "sessions are sent out of order")?;
    if matches!(flow.transport, Transport::Tcp { .. }) {
        holds(sessions.is_sorted_by_key(|session| session.delivered), "sessions are delivered out of order")?;
        holds(sessions.is_sorted_by_key(|session| session.acked), "sessions are acknowledged out of order")?;
        add_up(sessions, |session| session.acked, counts.acked_bytes)
            .map_err(|wrong| format!("acknowledged bytes: {wrong}"))?;
        add_up(sessions, |session| session.delivered, counts.delivered_bytes)
            .map_err(|wrong| format!("delivered bytes: {wrong}"))?;
    }
    Ok(())
}

/// Sessions that have reached the milestone are complete; the next one is not.
fn add_up(sessions: &[Session], milestone: impl Fn(&Session) -> Time, bytes: u64) -> Result<(), String> {
    let there = sessions.iter().take_while(|session| milestone(session) < Time::NEVER);
    let whole: u64 = there.clone().filter_map(|session| session.bytes).sum();
    holds(bytes >= whole, "fewer than finished sessions have")?;
    match sessions.get(there.count()).map(|next| next.bytes) {
        Some(Some(next)) => holds(bytes - whole < next, "an unfinished session is complete"),
        Some(None) => Ok(()),
        None => holds(bytes == whole, "more than all sessions have"),
    }
}
