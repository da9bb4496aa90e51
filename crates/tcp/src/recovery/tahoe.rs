//! Tahoe: fast retransmit, then slow start from one segment (Jacobson 1988; Fall & Floyd 1996, section 2.1).

use crate::core::{Arrival, Core, DUPLICATE_THRESHOLD};

pub(super) fn on_ack(core: &mut Core, ack: &Arrival<'_>) {
    if ack.ack > core.una {
        core.accept_maybe_first(ack, true);
    } else if ack.ack == core.una {
        core.tell_duplicate(ack.now, None);
        core.dupacks += 1;
        if core.dupacks == DUPLICATE_THRESHOLD {
            if core.may_retransmit() {
                let reduction = core.cut(ack.now, false);
                core.window.cwnd = reduction.loss_window.unwrap_or(1.0);
                core.begin_recovery(ack.now);
                core.nxt = core.una;
            }
        } else if core.dupacks < DUPLICATE_THRESHOLD {
            core.limited_transmit();
        }
    }
    core.budget = u32::MAX;
}
