//! CHOKe: R. Pan, B. Prabhakar and K. Psounis, "CHOKe: a stateless active queue management scheme for approximating
//! fair bandwidth allocation", IEEE INFOCOM 2000.
//!
//! The average is RED's, with its parameters. Above the minimum threshold, an arriving packet is compared with a random
//! one of the queue. If the two are of different flows, RED's lottery decides, and from the maximum threshold on the
//! packet that arrived is dropped (the paper has no gentle slope).

use super::red::{
    MAX_P, MAX_THRESHOLD, MEAN_PACKET, MIN_THRESHOLD, Red, WAIT, WEIGHT, thresholds_contradict,
};
use super::{Configured, Parameter, QueueDiscipline, Setup};
use crate::account::Account;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::Time;

/// CHOose and Keep for responsive flows, CHOose and Kill for unresponsive flows.
#[derive(Clone, Debug)]
pub struct Choke<P> {
    red: Red<P>,
}

impl<P: Queued> Choke<P> {
    /// Draws a waiting packet at random. Returns its index if the packet is of this flow.
    fn draw(&mut self, flow: u64) -> Option<usize> {
        let Red { fifo, early, .. } = &mut self.red;
        let waiting = fifo.occupancy().packets;
        if waiting == 0 {
            return None;
        }
        let drawn = early.stream().below(u64::from(waiting)) as usize;
        fifo.get(drawn).is_some_and(|packet| packet.flow() == flow).then_some(drawn)
    }
}

impl<P: Queued> QueueDiscipline<P> for Choke<P> {
    const NAME: &'static str = "choke";
    const ABOUT: &'static str = "CHOKe: beyond RED's minimum an arriving packet is compared with a random one of the queue, and both are \
         dropped if they are of one flow (Pan, Prabhakar & Psounis, IEEE INFOCOM 2000).";
    const PARAMETERS: &'static [Parameter] =
        &[MIN_THRESHOLD, MAX_THRESHOLD, MAX_P, WEIGHT, MEAN_PACKET, WAIT];

    fn new(given: &Configured, setup: &Setup) -> Choke<P> {
        Choke { red: Red::plain(given, setup) }
    }

    fn contradiction(given: &Configured) -> Option<(&'static str, String)> {
        thresholds_contradict(given)
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.red.measure(now);
        if self.red.early.average() > self.red.early.min()
            && let Some(drawn) = self.draw(packet.flow())
        {
            // The lottery counts only packets that reach it.
            if let Some(other) = self.red.fifo.remove(drawn) {
                account.drop_early(other);
            }
            account.drop_early(packet);
            return;
        }
        self.red.decide(packet, in_service, account);
    }

    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
        self.red.dequeue(now, account)
    }

    fn occupancy(&self) -> Occupancy {
        self.red.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        self.red.adopt_plain(given, setup)
    }

    fn drain(&mut self) -> Vec<P> {
        self.red.drain()
    }
}

#[cfg(test)]
mod tests;
