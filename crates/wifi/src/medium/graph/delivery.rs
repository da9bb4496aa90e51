//! Frames that arrive: MPDU by MPDU into the reorder buffer, and in order out of it.

use airfair_core::{Phase, Time};

use super::GraphMedium;
use super::node::Node;
use super::noise::Noises;
use crate::mac::qos::{BLOCK_ACK_REQUEST, Body, Outbox, Plan, Reorder};
use crate::mac::{Payload, QueuedFrame};
use crate::medium::Delivery;
use crate::phy::edca::AccessCategory;
use crate::phy::errors::{FrameKind, FrameLossProcess};
use crate::phy::mode::Coding;

/// When a receiver stops waiting for a missing MPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReorderTimer {
    pub at: Time,
    from: u32,
    to: u32,
    category: AccessCategory,
}

/// Frames released to the layer above.
#[derive(Debug)]
pub(super) struct Deliveries<P> {
    frames: Vec<Delivery<P>>,
    /// So many of them have been polled.
    polled: usize,
    /// When the last ones were released, and the phase of the last one.
    at: Time,
    phase: Phase,
}

impl<P: Payload> Deliveries<P> {
    pub fn new() -> Deliveries<P> {
        Deliveries { frames: Vec::new(), polled: 0, at: Time::ZERO, phase: Phase::FIRST }
    }

    /// When frames were released that have not been polled; [`Time::NEVER`] if there are none.
    pub fn due(&self) -> Time {
        if self.polled == self.frames.len() { Time::NEVER } else { self.at }
    }

    #[inline]
    pub fn poll(&mut self) -> Option<Delivery<&P>> {
        let Delivery { from, to, payload } = self.frames.get(self.polled)?;
        self.polled += 1;
        Some(Delivery { from: *from, to: *to, payload })
    }

    /// Moves all into a buffer, which is empty: none has been polled.
    #[inline]
    pub fn take(&mut self, into: &mut Vec<Delivery<P>>) {
        debug_assert!(self.polled == 0 && into.is_empty());
        std::mem::swap(&mut self.frames, into);
    }

    /// Forgets those that have been polled.
    fn forget_polled(&mut self) {
        self.frames.drain(..self.polled);
        self.polled = 0;
    }

    /// Frames released at the same instant go up one after the other.
    #[inline]
    fn push(&mut self, now: Time, from: u32, to: u32, payload: &P) {
        self.push_in_a_row(now, from, to, [payload]);
    }

    /// The same for several.
    #[inline]
    fn push_in_a_row<'a>(&mut self, now: Time, from: u32, to: u32, payloads: impl IntoIterator<Item = &'a P>)
    where
        P: 'a,
    {
        let mut last = (self.at == now).then_some(self.phase);
        self.frames.extend(payloads.into_iter().map(|&payload| {
            let mut delivery = Delivery { from, to, payload };
            if let Some(last) = last.filter(|last| payload.phase() <= *last) {
                delivery.payload.follow(last);
            }
            last = Some(delivery.payload.phase());
            delivery
        }));
        (self.at, self.phase) = (now, last.unwrap_or(self.phase));
    }

    /// All MPDUs of the PPDU on the air have reached their receiver: their frames are released at once if they are the next that it expects.
    /// Returns how many, and their bytes.
    #[inline]
    fn push_all(
        &mut self,
        now: Time,
        from: u32,
        to: u32,
        outbox: &mut Outbox<P>,
        reorder: &mut Reorder<P>,
    ) -> Option<(u64, u64)> {
        let mpdus = outbox.in_flight.len() as u64;
        let frames = outbox.arrive_in_a_row(reorder.expected()?)?;
        let (number, mut bytes) = (frames.len() as u64, 0);
        let payloads = frames.map(|held| {
            bytes += u64::from(held.frame.bytes);
            &held.frame.payload
        });
        self.push_in_a_row(now, from, to, payloads);
        reorder.pass(mpdus);
        Some((number, bytes))
    }
}

/// Draws which MPDUs of the PPDU on the air noise destroys; `true`: none.
#[inline]
fn all_survive<P: Payload>(
    outbox: &Outbox<P>,
    coding: Coding,
    noises: &mut Noises,
    arrived: &mut Vec<bool>,
) -> bool {
    if noises.are_none() {
        arrived.resize(outbox.in_flight.len(), true);
        return true;
    }
    let survives = |&number: &u64| !noises.destroy(coding, outbox.mpdu(number).bytes);
    arrived.extend(outbox.in_flight.iter().map(survives));
    !arrived.contains(&false)
}

/// The losses of the two stations of an exchange.
struct Losses<'a> {
    sender: Option<&'a mut FrameLossProcess>,
    receiver: Option<&'a mut FrameLossProcess>,
}

impl Losses<'_> {
    /// Whether an MPDU is lost on the air.
    #[inline]
    fn on_air(&mut self, now: Time, bytes: u32) -> bool {
        !self.are_none() && self.hit_on_air(now, bytes)
    }

    #[inline]
    fn are_none(&self) -> bool {
        self.sender.is_none() && self.receiver.is_none()
    }

    fn hit_on_air(&mut self, now: Time, bytes: u32) -> bool {
        let sender = self.sender.as_mut().is_some_and(|loss| loss.loses_sent(FrameKind::Data, now, bytes));
        let receiver =
            self.receiver.as_mut().is_some_and(|loss| loss.loses_received(FrameKind::Data, now, bytes));
        sender || receiver
    }

    /// Whether an MSDU is lost above the receiver's MAC.
    #[inline]
    fn above_mac(&mut self, now: Time, bytes: u32) -> bool {
        !self.are_none() && self.hit_above_mac(now, bytes)
    }

    fn hit_above_mac(&mut self, now: Time, bytes: u32) -> bool {
        let sender = self.sender.as_mut().is_some_and(|loss| loss.loses_sent_above_mac(now, bytes));
        let receiver = self.receiver.as_mut().is_some_and(|loss| loss.loses_above_mac(now, bytes));
        sender || receiver
    }
}

impl<P: Payload> GraphMedium<P> {
    /// The PPDU of `from` has been decoded; `false` if none of its MPDUs has, so that there is no answer.
    pub(super) fn receive(&mut self, now: Time, from: u32, to: u32, plan: &Plan) -> bool {
        let &Plan { category, body, .. } = plan;
        let GraphMedium { nodes, deliveries, stats, reorder_timers, .. } = self;
        deliveries.forget_polled();
        let [sender, receiver] = nodes.get_disjoint_mut([from as usize, to as usize]).expect("two stations");
        let disturbance = receiver.disturbance;
        let mut noises = Noises {
            sender: sender.noise.as_deref_mut(),
            receiver: receiver.noise.as_deref_mut(),
            now,
            disturbance,
        };
        if body == Body::Request && noises.destroy(plan.codings.data, BLOCK_ACK_REQUEST) {
            return false;
        }
        let arrived = &mut sender.arrived;
        let timeout = receiver.rules.reorder_timeout;
        let (sender, receiver) = (&mut sender.station, &mut receiver.station);
        let mut sender_loss = sender.loss.take();
        let mut losses =
            Losses { sender: sender_loss.as_deref_mut(), receiver: receiver.loss.as_deref_mut() };
        let (outbox, counts) = sender.sending(category);
        let reorder = receiver.reorder.entry((from, category)).or_default();
        if losses.are_none() {
            // Mostly nothing goes wrong.
            if all_survive(outbox, plan.codings.data, &mut noises, arrived)
                && let Some((frames, bytes)) = deliveries.push_all(now, from, to, outbox, reorder)
            {
                counts.delivered += frames;
                counts.delivered_bytes += bytes;
                stats.delivered += frames;
                return true;
            }
        }
        let waited = reorder.waits_since;
        let (mut lost_above, mut arrived_any) = (0, body == Body::Request);
        let mut release = |losses: &mut Losses, held: &QueuedFrame<P>| {
            if losses.above_mac(now, held.frame.bytes) {
                lost_above += 1;
            } else {
                deliveries.push(now, from, to, &held.frame.payload);
            }
        };
        if body == Body::Request || !outbox.uses_block_ack() {
            reorder.advance_to(now, outbox.window_start(), |held| release(&mut losses, held));
        }
        for index in 0..outbox.in_flight.len() {
            let number = outbox.in_flight[index];
            let mpdu = outbox.mpdu(number);
            if index == arrived.len() {
                arrived
                    .push(!losses.on_air(now, mpdu.bytes) && !noises.destroy(plan.codings.data, mpdu.bytes));
            }
            let arrives = arrived[index];
            arrived_any |= arrives;
            let is_new =
                arrives && reorder.accept(now, number, outbox.msdus(mpdu), |held| release(&mut losses, held));
            if is_new {
                let frames = u64::from(mpdu.msdus);
                counts.delivered += frames;
                counts.delivered_bytes +=
                    outbox.msdus(mpdu).map(|held| u64::from(held.frame.bytes)).sum::<u64>();
                stats.delivered += frames;
                outbox.note_arrival(number);
            }
        }
        counts.lost_errors += lost_above;
        if waited == Time::NEVER && reorder.waits_since < Time::NEVER {
            let at = reorder.waits_since + timeout;
            reorder_timers.push(ReorderTimer { at, from, to, category });
        }
        sender.loss = sender_loss;
        arrived_any
    }

    /// Receivers stop waiting for MPDUs that have been missing for too long.
    pub(super) fn end_reorder_waits(&mut self, now: Time) {
        let GraphMedium { nodes, deliveries, reorder_timers, .. } = self;
        reorder_timers.retain_mut(|timer| {
            let &mut ReorderTimer { at, from, to, category } = timer;
            if at > now {
                return true;
            }
            let Node { station, rules, .. } = &mut nodes[to as usize];
            let reorder = station.reorder.entry((from, category)).or_default();
            if reorder.waits_since < Time::NEVER && reorder.waits_since + rules.reorder_timeout <= now {
                reorder.give_up(now, |held| deliveries.push(now, from, to, &held.frame.payload));
            }
            timer.at = reorder.waits_since + rules.reorder_timeout;
            reorder.waits_since < Time::NEVER
        });
    }
}
