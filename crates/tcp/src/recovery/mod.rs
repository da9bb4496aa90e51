//! How losses are found and repaired, with one file for each recovery.
//!
//! A recovery gets the ACKs and the timeouts, decides which segments are retransmitted, and asks the congestion control how far to
//! cut the window.

mod fack;
mod frto;
mod newreno;
mod rack;
mod reno;
mod reordering;
mod sack;
mod sack_pipe;
mod tahoe;
mod undo;
mod vegas;

use crate::core::{Arrival, Core, LastCut, Observed};
use crate::info::View;
use crate::settings::{self, Settings};
use airfair_core::Time;
use fack::Fack;
use newreno::NewReno;
use rack::Rack;
use sack::Sack;
use sack_pipe::SackPipe;
use vegas::VegasChecks;

/// The recovery of one sender.
#[derive(Debug)]
#[repr(u8)]
pub(crate) enum Recovery {
    Tahoe,
    Reno,
    NewReno(NewReno),
    Sack(Sack),
    SackPipe(SackPipe),
    Fack(Box<Fack>),
    Vegas(VegasChecks),
    Rack(Box<Rack>),
}

impl Recovery {
    pub fn new(settings: &Settings) -> Recovery {
        match settings.recovery {
            settings::Recovery::Tahoe => Recovery::Tahoe,
            settings::Recovery::Reno => Recovery::Reno,
            settings::Recovery::NewReno => Recovery::NewReno(NewReno::default()),
            settings::Recovery::Sack => Recovery::Sack(Sack::new(settings)),
            settings::Recovery::SackPipe => Recovery::SackPipe(SackPipe::default()),
            settings::Recovery::Fack => Recovery::Fack(Box::default()),
            settings::Recovery::Vegas => Recovery::Vegas(VegasChecks::default()),
            settings::Recovery::Rack => Recovery::Rack(Box::new(Rack::new(settings))),
        }
    }

    #[inline(always)]
    pub fn on_ack(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        match self {
            Recovery::Tahoe => tahoe::on_ack(core, ack),
            Recovery::Reno => reno::on_ack(core, ack),
            Recovery::NewReno(newreno) => newreno.on_ack(core, ack),
            Recovery::Sack(sack) => sack.on_ack(core, ack),
            Recovery::SackPipe(sack) => sack.on_ack(core, ack),
            Recovery::Fack(fack) => fack.on_ack(core, ack),
            Recovery::Vegas(vegas) => vegas.on_ack(core, ack),
            Recovery::Rack(rack) => rack.on_ack(core, ack),
        }
    }

    /// Takes a duplicate ACK that reports nothing else. Returns `false`, with nothing done, if the recovery has no short way for it. Except for
    /// the third duplicate in a row, [`Recovery::rests`] answers as before.
    #[inline(always)]
    pub fn on_duplicate(&self, core: &mut Core, now: Time) -> bool {
        match self {
            Recovery::Reno => reno::on_duplicate(core, now),
            Recovery::NewReno(_) => newreno::on_duplicate(core, now),
            _ => return false,
        }
        true
    }

    /// Takes an ACK that the core has processed while the recovery [rested](Recovery::rests), on a connection that follows its segments.
    /// Returns whether the recovery still rests.
    #[inline]
    pub fn on_expected(&mut self, core: &mut Core, ack: &Arrival<'_>, observed: Observed) -> bool {
        match self {
            Recovery::Rack(rack) => return rack.on_expected(core, ack, observed),
            Recovery::Vegas(vegas) => {
                if let Some(rtt) = observed.rtt(ack.now) {
                    vegas.on_round_trip(rtt);
                }
            }
            _ => {}
        }
        true
    }

    /// Bytes that an ACK shows to have arrived, for the marks that it reports; to be called before the ACK is processed.
    pub fn delivers(&self, core: &Core, ack: &Arrival<'_>) -> u64 {
        let advance = ack.ack.saturating_sub(core.una);
        let told = u64::from(core.dupacks) * core.segment();
        match self {
            Recovery::Sack(sack) => sack.delivers(core, ack),
            Recovery::Rack(rack) => rack.delivers(core, ack),
            // A duplicate stands for a segment.
            Recovery::NewReno(_) if ack.ack == core.una && core.una < core.max_sent => core.segment(),
            Recovery::NewReno(_) => advance.saturating_sub(told),
            _ if core.counts_marks() => advance.saturating_sub(told),
            _ => advance,
        }
    }

    /// Reacts to a timeout. `lost`: data were outstanding, or count as if they had been.
    pub fn on_timeout(&mut self, core: &mut Core, now: Time, lost: bool) {
        // All others retransmit everything from the first unacknowledged segment on.
        match self {
            Recovery::Fack(fack) => return fack.on_timeout(core, lost),
            Recovery::Rack(rack) => return rack.on_timeout(core, now, lost),
            Recovery::Sack(sack) => sack.on_timeout(),
            Recovery::SackPipe(sack) => sack.on_timeout(core),
            Recovery::Vegas(vegas) => vegas.on_timeout(core, now),
            Recovery::NewReno(_) | Recovery::Reno => core.dupacks = 0,
            Recovery::Tahoe => {}
        }
        core.nxt = core.una;
    }

    /// To be called when an ACK comes: has a timer that was to ring early ring for the timeout again.
    #[inline]
    pub fn before_ack(&self, core: &mut Core) {
        if let Recovery::Rack(_) = self {
            core.ring_for_timeout();
        }
    }

    /// Handles the retransmission timer if it rings early. Returns `false` if it is the timeout.
    pub fn on_early_timer(&mut self, core: &mut Core, now: Time) -> bool {
        match self {
            Recovery::Rack(rack) if core.ring_for_timeout() => {
                rack.on_early_timer(core, now);
                true
            }
            _ => false,
        }
    }

    /// A mark has cut the window. What was known of an earlier cut no longer counts (Linux: `tcp_enter_cwr`).
    pub fn on_answer(&mut self) {
        if let Recovery::Rack(rack) = self {
            rack.on_answer();
        }
    }

    /// Bytes in the network.
    pub fn in_network(&self, core: &Core) -> u64 {
        match self {
            Recovery::Rack(rack) => rack.pipe(core),
            _ => core.flight(),
        }
    }

    /// Whether the core may process an ACK of new data without SACK blocks by itself, and [tell](Recovery::on_expected) the recovery
    /// afterwards; and whether segments go out in order as far as the window allows. Both hold for most recoveries while nothing is lost.
    #[inline(always)]
    pub fn rests(&self, core: &Core) -> (bool, bool) {
        let recovers = core.last_cut == LastCut::FastRetransmit || core.inflation > 0;
        let both = |rests| (rests, rests);
        match self {
            Recovery::Tahoe => (true, true),
            Recovery::Reno => (!recovers, true),
            Recovery::NewReno(newreno) => {
                let counts = core.settings.counts_deliveries && core.dupacks > 0;
                (!recovers && !counts && newreno.rests(), true)
            }
            Recovery::Sack(sack) => both(sack.rests()),
            Recovery::SackPipe(sack) => both(sack.rests()),
            Recovery::Fack(_) => (false, false),
            Recovery::Vegas(vegas) => (vegas.rests(core), true),
            Recovery::Rack(rack) => (rack.rests(core), rack.sends_in_order()),
        }
    }

    /// Bytes outstanding that have left the network; `None` if new segments may not wait for others to go out with them.
    pub fn out_of_order(&self, core: &Core) -> Option<u64> {
        match self {
            Recovery::Rack(rack) => rack.out_of_order(core),
            _ => self.rests(core).1.then_some(0),
        }
    }

    /// The next segment that window and recovery allow.
    #[inline]
    pub fn next(&mut self, core: &mut Core, now: Time) -> Option<u64> {
        match self {
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno(_) | Recovery::Vegas(_) => {
                core.next_in_window()
            }
            Recovery::Sack(sack) => sack.next(core),
            Recovery::SackPipe(sack) => sack.next(core),
            Recovery::Fack(fack) => fack.next(core, now),
            Recovery::Rack(rack) => rack.next(core, now),
        }
    }

    /// Whether there is a segment to send, which may have to wait ([`Settings::send_jitter`](settings::Settings::send_jitter)).
    /// The recoveries of ns-2 answer as its agents do, which look at the window alone once holes come before new data.
    pub fn wants_to_send(&mut self, core: &Core) -> bool {
        match self {
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno(_) | Recovery::Vegas(_) => {
                core.has_next_in_window()
            }
            Recovery::Sack(sack) => sack.wants_to_send(core),
            Recovery::SackPipe(sack) => sack.has_room(core) && core.una < core.end,
            Recovery::Fack(fack) => fack.has_room(core),
            Recovery::Rack(rack) => rack.wants_to_send(core),
        }
    }

    /// Whether the congestion window has no room for another segment beside those in the network, whatever the receiver's.
    #[inline]
    pub fn is_full(&self, core: &Core) -> bool {
        match self {
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno(_) | Recovery::Vegas(_) => core.is_full(),
            Recovery::Sack(sack) => sack.is_full(core),
            Recovery::SackPipe(sack) => sack.is_full(core),
            Recovery::Fack(fack) => fack.is_full(core),
            Recovery::Rack(rack) => rack.is_full(core),
        }
    }

    /// With a recovery that finds losses by time: the offset of the first segment that is lost and was not retransmitted, if there is one.
    pub fn first_lost(&self) -> Option<u64> {
        match self {
            Recovery::Rack(rack) => rack.first_lost(),
            _ => None,
        }
    }

    /// With a recovery that finds losses by time: the segments that are lost and were not retransmitted, if any were added since the last call.
    pub fn newly_lost(&mut self) -> Option<impl Iterator<Item = (u64, u64)>> {
        match self {
            Recovery::Rack(rack) => rack.newly_lost(),
            _ => None,
        }
    }

    /// What counts as lost after a timeout of data outstanding, in ascending order.
    pub fn lost_by_timeout(&self) -> impl Iterator<Item = (u64, u64)> {
        let (some, all) = match self {
            Recovery::Rack(rack) => (Some(rack.lost_by_timeout()), None),
            _ => (None, Some((0, u64::MAX))),
        };
        some.into_iter().flatten().chain(all)
    }

    /// The recovery's view of the data outstanding. Recoveries without a scoreboard report duplicate ACKs, and whether they recover.
    pub fn view(&self, core: &Core) -> View {
        match self {
            Recovery::Sack(sack) => sack.view(core),
            Recovery::Rack(rack) => rack.view(core),
            _ => View {
                recovering: core.last_cut == LastCut::FastRetransmit,
                sacked: u64::from(core.dupacks),
                ..View::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use std::sync::Arc;

    #[test]
    fn a_sender_wants_to_send_only_while_data_are_not_acknowledged() {
        for (profile, name) in [
            (Profile::Ns2, "tahoe"),
            (Profile::Ns2, "reno"),
            (Profile::Ns2, "newreno"),
            (Profile::Ns2, "sack"),
            (Profile::Rfc, "sack"),
            (Profile::Ns2, "vegas"),
        ] {
            let settings = Arc::new(settings(profile, TcpName::named(name)));
            let mut recovery = Recovery::new(&settings);
            let mut core = Core::new(settings);
            (core.una, core.nxt, core.max_sent, core.end) = (5000, 5000, 5000, 5000);
            assert!(!recovery.wants_to_send(&core), "{profile:?} {name}");
            core.end = 6000;
            assert!(recovery.wants_to_send(&core), "{profile:?} {name}");
        }
    }
}
