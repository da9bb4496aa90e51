//! CHOKe: R. Pan, B. Prabhakar and K. Psounis, "CHOKe: a stateless active queue management scheme for approximating fair bandwidth
//! allocation", IEEE INFOCOM 2000.
//!
//! RED's average, with its parameters; beyond the minimum threshold an arriving packet is first compared with one drawn at random
//! from those that wait, and if both are of one flow, both are dropped. If not, RED's lottery decides, and from the maximum
//! threshold on the packet is dropped (the paper knows no gentle slope).

use super::red::{
    Early, MAX_P, MAX_THRESHOLD, MEAN_PACKET, MIN_THRESHOLD, Settings, Verdict, WAIT, WEIGHT,
    thresholds_contradict,
};
use super::{Configured, Parameter, QueueDiscipline, Setup};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::load::Load;
use crate::queued::Queued;
use airfair_core::Time;

/// CHOose and Keep for responsive flows, CHOose and Kill for unresponsive flows.
#[derive(Clone, Debug)]
pub struct Choke<P> {
    limit: QueueLimit,
    fifo: Fifo<P>,
    /// Boxed, because the largest of the disciplines decides how much every queue takes.
    early: Box<Early>,
}

impl<P: Queued> Choke<P> {
    /// Where a packet drawn at random waits, if it is of this flow.
    fn draw(&mut self, flow: u64) -> Option<usize> {
        let waiting = self.fifo.load().packets;
        if waiting == 0 {
            return None;
        }
        let drawn = self.early.stream().below(u64::from(waiting)) as usize;
        self.fifo.get(drawn).is_some_and(|packet| packet.flow() == flow).then_some(drawn)
    }
}

impl<P: Queued> QueueDiscipline<P> for Choke<P> {
    const NAME: &'static str = "choke";
    const PARAMETERS: &'static [Parameter] =
        &[MIN_THRESHOLD, MAX_THRESHOLD, MAX_P, WEIGHT, MEAN_PACKET, WAIT];

    fn new(given: &Configured, setup: &Setup) -> Choke<P> {
        let settings = Settings {
            min_threshold: given.number_if_set(&MIN_THRESHOLD),
            max_threshold: given.number_if_set(&MAX_THRESHOLD),
            max_p: given.number(&MAX_P),
            weight: given.number_if_set(&WEIGHT),
            mean_packet: given.bytes(&MEAN_PACKET),
            gentle: false,
            wait: given.flag(&WAIT),
            byte_mode: false,
            spares_short_queues: false,
        };
        Choke {
            limit: setup.limit(),
            fifo: Fifo::default(),
            early: Box::new(Early::new(settings, setup.limit(), setup.rate(), setup.stream())),
        }
    }

    fn contradiction(given: &Configured) -> Option<(&'static str, String)> {
        thresholds_contradict(given)
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Load, account: &mut Account<P>) {
        let arriving = Load::of(&packet);
        self.early.measure(now, self.fifo.load());
        if self.early.average() > self.early.min()
            && let Some(drawn) = self.draw(packet.flow())
        {
            // What the lottery counts is packets that reach it.
            if let Some(other) = self.fifo.remove(drawn) {
                account.drop_early(other);
            }
            account.drop_early(packet);
            return;
        }
        let verdict = self.early.judge(arriving, self.fifo.load());
        if !self.limit.allows(self.fifo.load() + in_service + arriving) {
            account.drop_full(packet);
        } else if verdict == Verdict::Pass {
            self.fifo.push(packet);
        } else {
            account.drop_early(packet);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _account: &mut Account<P>) -> Option<P> {
        let packet = self.fifo.pop();
        if packet.is_none() {
            self.early.idle(now);
        }
        packet
    }

    fn load(&self) -> Load {
        self.fifo.load()
    }
}

#[cfg(test)]
mod tests;
