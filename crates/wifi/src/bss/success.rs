//! Delivery and success of exchanges.

use airfair_core::{Moment, Span, Time};

use super::airtime::CountedExchange;
use super::exchange::{Exchange, Fate};
use super::{Bss, Delivery, Frame, Payload};

impl<P: Payload> Bss<P> {
    /// Whether one station transmitted alone and all frames of its exchange arrived, as is usual.
    #[inline]
    pub(super) fn is_plain(&self, timeline: &Exchange) -> bool {
        timeline.fate == Fate::Complete && self.senders.len() == 1 && !self.nav_per_station
    }

    /// Ends such an exchange, but for its ACK.
    #[inline(always)]
    pub(super) fn complete(&mut self, now: Time, timeline: &Exchange) {
        let &Exchange { sender, start, data_end, end, nav_end, .. } = timeline;
        let receiver = self.receiver(sender);
        let airtime = end - start;
        self.stations[sender as usize].stats.airtime += airtime;
        self.stations[receiver as usize].stats.airtime_as_receiver += airtime;
        self.charge(now, sender, airtime);
        self.medium.exchanges += 1;
        self.medium.busy += airtime;
        self.busy_until = end;
        self.counted = CountedExchange { sender, end };
        self.deliver(data_end, sender);
        self.succeed(now, sender, end);
        // Stations that heard the exchange obey its NAV, which may end a fraction of its unit off the ACK (9.3.2.4).
        let difs = self.phy.difs;
        self.contention.resume(end.max(nav_end) + difs);
        self.contention.set_own_origin(sender, end + difs);
        self.contention.set_own_origin(receiver, end + difs);
    }

    /// The first frame of `from` reaches its receiver at `data_end`, for the first time or again.
    #[inline(always)]
    pub(super) fn deliver(&mut self, data_end: Time, from: u32) {
        let station = &mut self.stations[from as usize];
        if station.arrived {
            return;
        }
        station.arrived = true;
        let &Frame { to, bytes, payload } = station.frame();
        station.stats.delivered += 1;
        station.stats.delivered_bytes += u64::from(bytes);
        self.medium.delivered += 1;
        if self.loses_frames && self.is_lost_above(data_end, from, to, bytes) {
            self.stations[from as usize].stats.lost_errors += 1;
        } else {
            self.delivery = Some(Delivery { from, to, payload });
        }
    }

    /// Whether a delivered frame is lost above its receiver's MAC.
    fn is_lost_above(&mut self, data_end: Time, from: u32, to: u32, bytes: u32) -> bool {
        let bytes = self.phy.framing.data(bytes);
        let sender = self.stations[from as usize].loss.as_mut();
        let by_sender = sender.is_some_and(|loss| loss.loses_sent_above_mac(data_end, bytes));
        let receiver = self.stations[to as usize].loss.as_mut();
        let by_receiver = receiver.is_some_and(|loss| loss.loses_above_mac(data_end, bytes));
        by_sender || by_receiver
    }

    /// The ACK of the first frame has arrived, at `end`: the next frame is served.
    #[inline(always)]
    pub(super) fn succeed(&mut self, now: Time, from: u32, end: Time) {
        let station = &mut self.stations[from as usize];
        station.admit(Moment::from(now + Span(1)));
        station.integrate_occupancy(end);
        station.ack_until = self.busy_until;
        station.short_retries = 0;
        station.long_retries = 0;
        station.cw = self.phy.cw_min;
        station.interface.release();
        let mut contending = false;
        if station.interface.knows_next() {
            contending = station.take_next(end, &self.phy);
            if !contending {
                self.note_emptied(from);
            }
        } else {
            self.pending_dequeue = Some((end, from));
        }
        self.back_off(from, contending);
    }
}
