//! Reno: fast retransmit and fast recovery until the first ACK of new data (RFC 2581, section 3.2).
//!
//! With several losses in a window the first new ACK ends recovery too early, and a timeout often follows
//! (Fall & Floyd 1996, section 2.2).

use crate::core::{Arrival, Core, DUPLICATE_THRESHOLD, LastCut, Pending};
use airfair_core::Time;

pub(super) fn on_ack(core: &mut Core, ack: &Arrival<'_>) {
    if ack.ack > core.una {
        let ends_recovery = core.last_cut == LastCut::FastRetransmit;
        if ends_recovery {
            core.last_cut = LastCut::Recovered;
        }
        core.inflation = 0;
        core.accept_maybe_first(ack, core.may_grow(ends_recovery));
    } else if ack.ack == core.una {
        count_duplicate(core, ack.now);
    }
    core.budget = budget(core);
}

#[inline]
pub(super) fn on_duplicate(core: &mut Core, now: Time) {
    count_duplicate(core, now);
    core.budget = budget(core);
}

/// The number of segments that may go out. Between the first duplicate ACK and the third only limited transmit sends.
#[inline]
pub(super) fn budget(core: &Core) -> u32 {
    if core.dupacks == 0 || core.dupacks >= DUPLICATE_THRESHOLD { u32::MAX } else { 0 }
}

#[inline(always)]
pub(super) fn count_duplicate(core: &mut Core, now: Time) {
    core.tell_duplicate(now, None);
    core.dupacks += 1;
    if core.dupacks > DUPLICATE_THRESHOLD {
        // Another segment has left the network.
        core.inflation += u32::from(core.last_cut == LastCut::FastRetransmit);
    } else if core.dupacks < DUPLICATE_THRESHOLD {
        core.limited_transmit();
    } else if core.may_retransmit() {
        begin_recovery(core, now);
    }
}

#[inline(never)]
fn begin_recovery(core: &mut Core, now: Time) {
    let reduction = core.cut(now, false);
    core.window.cwnd = reduction.cwnd;
    core.begin_recovery(now);
    core.inflation = DUPLICATE_THRESHOLD;
    core.pending = Pending::First;
}
