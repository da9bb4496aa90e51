//! Frames that arrive: MPDU by MPDU into the reorder buffer, and in order out of it.

use std::collections::VecDeque;

use airfair_core::{Phase, Ring, Span, Time};

use super::GraphMedium;
use super::hearing::Disturbance;
use super::node::Node;
use super::noise::Noises;
use crate::mac::qos::{Arrived, BLOCK_ACK_REQUEST, Body, Outbox, Plan, Reorder, begin_of_subframe};
use crate::mac::{Payload, QueuedFrame};
use crate::medium::Delivery;
use crate::phy::edca::AccessCategory;
use crate::phy::errors::{FrameKind, FrameLossProcess};
use crate::phy::mode::{Coding, Mode};
use crate::stats::{MediumStats, StationStats};

/// When a receiver stops waiting for a missing MPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReorderTimer {
    pub at: Time,
    from: u32,
    to: u32,
    category: AccessCategory,
}

/// Frames that have arrived at one station, one after the other, until they are [put back](GraphMedium::put_back).
#[derive(Debug)]
pub struct Row<P: Payload> {
    place: Place,
    frames: Ring<QueuedFrame<P>>,
}

impl<P: Payload> Row<P> {
    /// Returns the index of the station.
    pub fn to(&self) -> u32 {
        self.place.to
    }

    /// Returns the frames in two slices, of which one may be empty.
    pub fn pieces(&self) -> [&[QueuedFrame<P>]; 2] {
        self.frames.pieces(self.place.first, self.place.frames as usize)
    }
}

/// Where frames that have arrived are stored.
#[derive(Clone, Copy, Debug)]
struct Place {
    from: u32,
    to: u32,
    /// The category whose outbox at the sender still holds the frames; `None`: they are in [`Deliveries::released`].
    category: Option<AccessCategory>,
    /// Number of the first frame in the outbox, or in [`Deliveries::released`].
    first: u64,
    /// Number of frames.
    frames: u32,
}

/// Frames released to the layer above.
#[derive(Debug)]
pub(super) struct Deliveries<P: Payload> {
    places: VecDeque<Place>,
    /// Frames that were not released together with all others of their PPDU.
    released: Ring<QueuedFrame<P>>,
    /// When the last frames were released.
    at: Time,
    /// Phase of the frame released last.
    phase: Phase,
}

impl<P: Payload> Deliveries<P> {
    pub fn new() -> Deliveries<P> {
        Deliveries { places: VecDeque::new(), released: Ring::default(), at: Time::ZERO, phase: Phase::FIRST }
    }

    /// Returns when the frames that nobody has taken were released; [`Time::NEVER`] if there are none.
    pub fn due(&self) -> Time {
        if self.places.is_empty() { Time::NEVER } else { self.at }
    }

    /// Returns the stations at which the released frames have arrived, some perhaps several times.
    pub fn receivers(&self) -> impl Iterator<Item = u32> {
        self.places.iter().map(|place| place.to)
    }

    /// Takes the first released frame.
    fn take_first(&mut self) -> Option<Place> {
        let place = self.places.front_mut()?;
        let taken = Place { frames: 1, ..*place };
        (place.first, place.frames) = (place.first + 1, place.frames - 1);
        if place.frames == 0 {
            self.places.pop_front();
        }
        Some(taken)
    }

    /// Forgets the frames that were taken.
    fn forget_taken(&mut self) {
        if self.places.is_empty() {
            self.released.pop_before(self.released.end());
        }
    }

    /// Gives frames released at the same instant phases in their order.
    #[inline]
    fn follow<'a>(&mut self, now: Time, mut payloads: impl Iterator<Item = &'a mut P>)
    where
        P: 'a,
    {
        let Some(first) = payloads.next() else { return };
        if self.at == now && first.phase() <= self.phase {
            first.follow(self.phase);
        }
        let mut last = first.phase();
        for payload in payloads {
            if payload.phase() <= last {
                payload.follow(last);
            }
            last = payload.phase();
        }
        (self.at, self.phase) = (now, last);
    }

    /// Releases a frame.
    fn push(&mut self, now: Time, from: u32, to: u32, frame: &QueuedFrame<P>) {
        let mut frame = *frame;
        self.follow(now, [&mut frame.frame.payload].into_iter());
        match self.places.back_mut() {
            Some(place) if (place.from, place.to, place.category) == (from, to, None) => place.frames += 1,
            _ => {
                let first = self.released.end();
                self.places.push_back(Place { from, to, category: None, first, frames: 1 });
            }
        }
        self.released.push(frame);
    }

    /// Releases the frames of the PPDU on the air at once, if they are the next that the receiver expects. All MPDUs have reached it.
    /// Returns the number of frames, and their bytes.
    #[inline]
    fn push_all(
        &mut self,
        now: Time,
        (from, to, category): (u32, u32, AccessCategory),
        outbox: &mut Outbox<P>,
        reorder: &mut Reorder<P>,
    ) -> Option<(u64, u64)> {
        let mpdus = u64::from(outbox.mpdus_in_flight());
        let (first, frames) = outbox.arrive_in_a_row(reorder.expected()?)?;
        for piece in outbox.frames_mut().pieces_mut(first, frames as usize) {
            self.follow(now, piece.iter_mut().map(|held| &mut held.frame.payload));
        }
        self.places.push_back(Place { from, to, category: Some(category), first, frames });
        reorder.pass(mpdus);
        Some((u64::from(frames), outbox.bytes_of(first, frames)))
    }
}

/// Draws which MPDUs of the PPDU on the air noise destroys. Returns `true` if it destroys none.
#[inline]
fn all_survive<P: Payload>(
    outbox: &mut Outbox<P>,
    coding: Coding,
    mut places: Places,
    noises: &mut Noises,
    arrived: &mut Arrived,
) -> bool {
    if noises.are_none() {
        arrived.set_all(outbox.mpdus_in_flight());
        return true;
    }
    for place in 0..outbox.in_flight().len() {
        let number = outbox.in_flight()[place];
        let bytes = outbox.mpdu(number).bytes;
        arrived.push(!noises.destroy((coding, bytes), places.disturbance_of_next(bytes)));
    }
    arrived.are_all()
}

/// The places of MPDUs in a PPDU, one after the other, where other frames may disturb them.
#[derive(Clone, Copy)]
struct Places<'a> {
    disturbance: &'a Disturbance,
    /// Begin of the PPDU's data field, whose bits are spread evenly over its time.
    data_begins: Time,
    /// Duration of the data field.
    data: Span,
    /// Bytes of the PSDU.
    psdu: u32,
    /// Bytes of the PSDU before the next MPDU and its delimiter.
    passed: u32,
}

impl<'a> Places<'a> {
    /// Returns the places in the PPDU of this plan and mode, which ends at `now`.
    #[inline]
    fn new(now: Time, plan: &Plan, mode: &Mode, disturbance: &'a Disturbance) -> Places<'a> {
        let is_none = disturbance.is_none();
        let data = if is_none { Span::ZERO } else { Span(plan.duration.0.saturating_sub(mode.ppdu(0).0)) };
        Places { disturbance, data_begins: Time(now.0 - data.0), data, psdu: plan.bytes, passed: 0 }
    }

    /// Returns the greatest power of other frames during the next MPDU, which has this number of bytes, over the power of the PPDU.
    #[inline]
    fn disturbance_of_next(&mut self, bytes: u32) -> f64 {
        if self.disturbance.is_none() {
            return 0.0;
        }
        // A PSDU of one MPDU may have no delimiter.
        let begin = begin_of_subframe(self.passed).min(self.psdu.saturating_sub(bytes));
        self.passed = begin + bytes;
        let at = |place: u32| {
            self.data_begins + Span(self.data.0 * u64::from(place) / u64::from(self.psdu.max(1)))
        };
        self.disturbance.most_during(at(begin), at(self.passed))
    }
}

/// The random losses of the two stations of an exchange.
struct Losses<'a> {
    sender: Option<&'a mut FrameLossProcess>,
    receiver: Option<&'a mut FrameLossProcess>,
}

impl Losses<'_> {
    /// Whether an MPDU is lost on the air.
    #[inline]
    fn on_air(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        !self.are_none() && self.hit_on_air(kind, now, bytes)
    }

    #[inline]
    fn are_none(&self) -> bool {
        self.sender.is_none() && self.receiver.is_none()
    }

    fn hit_on_air(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        let sender = self.sender.as_mut().is_some_and(|loss| loss.loses_sent(kind, now, bytes));
        let receiver = self.receiver.as_mut().is_some_and(|loss| loss.loses_received(kind, now, bytes));
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

/// What the reception of a PPDU changes: its sender's outbox and counts, its receiver's reorder buffer.
struct Reception<'a, P: Payload> {
    now: Time,
    from: u32,
    to: u32,
    outbox: &'a mut Outbox<P>,
    counts: &'a mut StationStats,
    reorder: &'a mut Reorder<P>,
    /// Whether noise has spared the first MPDUs of the PPDU, as far as that is drawn already.
    arrived: &'a mut Arrived,
    deliveries: &'a mut Deliveries<P>,
    stats: &'a mut MediumStats,
}

impl<P: Payload> Reception<'_, P> {
    /// Receives each MPDU with a fate of its own. Returns `false` if none arrives.
    fn receive_one_by_one(
        &mut self,
        plan: &Plan,
        mut places: Places,
        mut losses: Losses,
        mut noises: Noises,
    ) -> bool {
        let Reception { now, from, to, outbox, counts, reorder, arrived, deliveries, stats } = self;
        let (now, from, to) = (*now, *from, *to);
        let (mut lost_above, mut arrived_any) = (0, plan.body == Body::Request);
        let mut release = |losses: &mut Losses, held: &QueuedFrame<P>| {
            if losses.above_mac(now, held.frame.bytes) {
                lost_above += 1;
            } else {
                deliveries.push(now, from, to, held);
            }
        };
        if plan.body == Body::Request || !outbox.uses_block_ack() {
            reorder.advance_to(now, outbox.window_start(), |held| release(&mut losses, held));
        }
        let window = outbox.window();
        for index in 0..outbox.in_flight().len() {
            let number = outbox.in_flight()[index];
            let mpdu = outbox.mpdu(number);
            if index == arrived.len() {
                let disturbance = places.disturbance_of_next(mpdu.bytes);
                arrived.push(
                    !losses.on_air(FrameKind::Data, now, mpdu.bytes)
                        && !noises.destroy((plan.codings.data, mpdu.bytes), disturbance),
                );
            }
            let arrives = arrived.get(index) == Some(true);
            arrived_any |= arrives;
            let is_new = arrives
                && reorder.accept(now, number, window, outbox.msdus(mpdu), |held| release(&mut losses, held));
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
        arrived_any
    }
}

impl<P: Payload> GraphMedium<P> {
    /// Returns the next frame that has arrived, in order.
    #[inline]
    pub fn poll_delivery(&mut self) -> Option<Delivery<&P>> {
        let place = self.deliveries.take_first()?;
        let frame = self.home(&place).at(place.first);
        Some(Delivery { from: place.from, to: place.to, payload: &frame.frame.payload })
    }

    /// Takes the next frames that have arrived at one station, in order, instead of [polling](GraphMedium::poll_delivery) them one by one.
    #[inline]
    pub fn take_row(&mut self) -> Option<Row<P>> {
        let place = self.deliveries.places.pop_front()?;
        Some(Row { place, frames: std::mem::take(self.home(&place)) })
    }

    /// Puts a [row](GraphMedium::take_row) back. This must follow before any other call but those that schedule arrivals.
    #[inline]
    pub fn put_back(&mut self, row: Row<P>) {
        let Row { place, frames } = row;
        *self.home(&place) = frames;
    }

    fn home(&mut self, place: &Place) -> &mut Ring<QueuedFrame<P>> {
        match place.category {
            Some(category) => self.nodes[place.from as usize].station.sending(category).0.frames_mut(),
            None => &mut self.deliveries.released,
        }
    }

    /// Receives the PPDU of `from` at `to`. Returns `false` if none of its MPDUs is decoded, so that there is no answer.
    pub(super) fn receive(&mut self, now: Time, from: u32, to: u32, plan: &Plan) -> bool {
        let &Plan { category, body, .. } = plan;
        let GraphMedium { nodes, views, deliveries, stats, reorder_timers, .. } = self;
        deliveries.forget_taken();
        let [sender, receiver] = nodes.get_disjoint_mut([from as usize, to as usize]).expect("two stations");
        let disturbance = views[to as usize].ears.disturbance();
        let mut noises =
            Noises { sender: sender.noise.as_deref_mut(), receiver: receiver.noise.as_deref_mut(), now };
        let arrived = &mut sender.arrived;
        let timeout = receiver.rules.reorder_timeout;
        let (sender, receiver) = (&mut sender.station, &mut receiver.station);
        let mut sender_loss = sender.loss.take();
        let mut losses =
            Losses { sender: sender_loss.as_deref_mut(), receiver: receiver.loss.as_deref_mut() };
        if body == Body::Request
            && (noises.destroy((plan.codings.data, BLOCK_ACK_REQUEST), disturbance.most())
                || losses.on_air(FrameKind::Control, now, BLOCK_ACK_REQUEST))
        {
            sender.loss = sender_loss;
            return false;
        }
        let (outbox, counts) = sender.sending(category);
        let places = Places::new(now, plan, &outbox.times.mode, disturbance);
        let reorder = receiver.reorder.entry((from, category)).or_default();
        if losses.are_none() {
            // Mostly nothing goes wrong.
            if all_survive(outbox, plan.codings.data, places, &mut noises, arrived)
                && let Some((frames, bytes)) = deliveries.push_all(now, (from, to, category), outbox, reorder)
            {
                counts.delivered += frames;
                counts.delivered_bytes += bytes;
                stats.delivered += frames;
                return true;
            }
        }
        let waited = reorder.waits_since;
        let mut reception = Reception { now, from, to, outbox, counts, reorder, arrived, deliveries, stats };
        let arrived_any = reception.receive_one_by_one(plan, places, losses, noises);
        if waited == Time::NEVER && reorder.waits_since < Time::NEVER {
            let at = reorder.waits_since + timeout;
            reorder_timers.push(ReorderTimer { at, from, to, category });
        }
        sender.loss = sender_loss;
        arrived_any
    }

    /// Stops the waits of receivers for MPDUs that have been missing for too long.
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
                reorder.give_up(now, |held| deliveries.push(now, from, to, held));
            }
            timer.at = reorder.waits_since + rules.reorder_timeout;
            reorder.waits_since < Time::NEVER
        });
    }
}
