//! The channel access function of one access category (EDCAF; IEEE 802.11-2020, 10.23.2): its queue and its backoff.

use std::collections::VecDeque;
use std::sync::Arc;

use airfair_core::{Span, Stream, Time};
use airfair_queue::{Occupancy, Queue, QueueConfig, QueueLimit, QueueStats};

use super::outbox::{Arrived, Mpdu};
use super::{Backoff, Estimate, LinkTimes, Links, Outbox, QosRules};
use crate::config::{DriverQueue, QosConfig, StationConfig};
use crate::mac::Payload;
use crate::mac::interface::QueuedFrame;
use crate::phy::edca::{AccessCategory, EdcaParameters};
use crate::phy::mode::Mode;

/// The channel access function of one access category of a station, with its frames.
///
/// Frames wait in the interface queue until the driver takes them. The driver has a queue for each receiver, its outbox, and serves the outboxes
/// in turn. Where the airtime queue limit leaves the choice to the interface queue, it first serves the receiver whose frame it took first.
#[derive(Debug)]
pub(crate) struct Edcaf<P: Payload> {
    pub category: AccessCategory,
    parameters: EdcaParameters,
    /// Parameters that hold from the next backoff on.
    next_parameters: EdcaParameters,
    pub aifs: Span,
    slot: Span,
    cw: u32,
    /// Attempts in a row that failed or lost an internal collision.
    failures: u32,
    backoff: Backoff,
    queue: Queue<QueuedFrame<P>>,
    driver: DriverQueue,
    links: Arc<Links>,
    /// Index in `outboxes` for each receiver; [`NONE`] if it has had no frames.
    places: Vec<u32>,
    outboxes: Vec<Outbox<P>>,
    /// Indices of the outboxes that have something to send, the next one first.
    turns: VecDeque<u32>,
    /// Arrival times of the broadcasts that wait.
    broadcasts: VecDeque<Time>,
    /// Number of frames that the driver has taken so far, if it keeps their order.
    order: u64,
    /// Number of frames in outboxes.
    taken: u32,
    /// Bytes of the frames in outboxes, if bytes limit the queue.
    taken_bytes: Option<u64>,
    /// Airtime of the frames in outboxes, as the driver estimates it.
    airtime: Span,
    /// For each outbox, the airtime of its frames, and whether the interface queue holds its packets back.
    budgets: Vec<Budget>,
    /// Sum of [`Budget::aggregates`] over all budgets.
    aggregates: u64,
    /// Number of frames held for each receiver; empty unless receivers are watched.
    frames_for: Vec<u32>,
    /// On request, the frames that have left: acknowledged, given up or dropped.
    departed: Option<Vec<P>>,
}

/// Largest number of broadcasts that wait, as in mac80211 (`AP_MAX_BC_BUFFER`).
pub(crate) const BROADCAST_BUFFER: usize = 128;

/// Entry of [`Edcaf::places`] for a receiver without an outbox.
const NONE: u32 = u32::MAX;

/// Returns the name of a queue's random stream.
fn name_of(config: &StationConfig, category: AccessCategory) -> String {
    format!("wlan station {} {}", config.name, category.word())
}

/// Whether the queue has a limit in bytes.
fn counts_bytes(config: &QueueConfig) -> bool {
    matches!(config.limit, QueueLimit::Bytes(_))
}

/// The airtime of the frames in an outbox, as the driver estimates it.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    airtime: Span,
    /// [`DriverQueue::aggregates`] of `airtime`.
    aggregates: u64,
    /// Whether the interface queue holds the receiver's packets back.
    held: bool,
}

impl Budget {
    /// Counts the aggregates anew after a change of the airtime, and adds the difference to `all`, the number of aggregates of the driver.
    #[inline]
    fn count_aggregates(&mut self, driver: DriverQueue, all: &mut u64) {
        let before = std::mem::replace(&mut self.aggregates, driver.aggregates(self.airtime));
        *all = *all + self.aggregates - before;
    }
}

/// What the arrival of a frame has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    /// Whether the frame is accepted; `false`: the queue has dropped it, or another frame for it.
    pub accepted: bool,
    /// Whether the frame is the first that its access category has to send.
    pub contends: bool,
}

/// Access to the air: parameters, backoff, and the outcome of attempts.
impl<P: Payload> Edcaf<P> {
    pub fn new(
        config: &StationConfig,
        qos: &QosConfig,
        category: AccessCategory,
        links: Arc<Links>,
        rules: &QosRules,
        seed: u64,
    ) -> Edcaf<P> {
        let parameters = qos.edca[category as usize];
        let name = name_of(config, category);
        let QosRules { slot, sifs, .. } = *rules;
        Edcaf {
            category,
            parameters,
            next_parameters: parameters,
            aifs: sifs + slot * u64::from(parameters.aifsn),
            slot,
            cw: parameters.cw_min,
            failures: 0,
            backoff: Backoff::none(rules),
            queue: Queue::new(&config.queue, seed, &name),
            driver: qos.driver,
            links,
            places: Vec::new(),
            outboxes: Vec::new(),
            turns: VecDeque::new(),
            broadcasts: VecDeque::new(),
            order: 0,
            taken: 0,
            taken_bytes: counts_bytes(&config.queue).then_some(0),
            airtime: Span::ZERO,
            budgets: Vec::new(),
            aggregates: 0,
            frames_for: Vec::new(),
            departed: None,
        }
    }

    /// Changes the queue, and the EDCA parameters from the next backoff on. The parameters change at once if nothing contends and no backoff
    /// runs.
    pub fn change(&mut self, now: Time, config: &StationConfig, qos: &QosConfig, seed: u64) {
        self.next_parameters = qos.edca[self.category as usize];
        if !self.counts_down() && !self.contends() {
            self.adopt_parameters();
        }
        self.taken_bytes = counts_bytes(&config.queue).then(|| {
            let held = self.outboxes.iter().flat_map(Outbox::frames);
            held.map(|held| u64::from(held.frame.bytes)).sum()
        });
        self.queue.change(now, &config.queue, self.in_service(), seed, &name_of(config, self.category));
        self.forget_dropped();
        for (outbox, budget) in self.outboxes.iter().zip(&self.budgets) {
            self.queue.set_station_rate(outbox.receiver, outbox.estimate.rate);
            self.queue.hold(outbox.receiver, budget.held);
            if self.driver.limits_airtime() {
                self.queue.set_pending(outbox.receiver, budget.airtime);
            }
        }
    }

    /// Adopts the next parameters. No slots may count at this instant.
    fn adopt_parameters(&mut self) {
        let EdcaParameters { aifsn, cw_min, cw_max, .. } = self.next_parameters;
        self.aifs = self.aifs + self.slot * u64::from(aifsn) - self.slot * u64::from(self.parameters.aifsn);
        if self.cw == self.parameters.cw_min {
            self.cw = cw_min;
        }
        self.cw = self.cw.clamp(cw_min, cw_max);
        self.parameters = self.next_parameters;
    }

    /// Returns the TXOP limit: the longest time that the access category may keep the air. Zero: one PPDU.
    pub fn txop(&self) -> Span {
        self.parameters.txop
    }

    pub fn contends(&self) -> bool {
        self.has_frames() || self.has_broadcasts()
    }

    /// Whether broadcasts wait.
    pub fn has_broadcasts(&self) -> bool {
        !self.broadcasts.is_empty()
    }

    /// Whether there are frames, or a block ack request, to send to a station.
    pub fn has_frames(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Whether there is a backoff, which runs while the air is idle.
    pub fn counts_down(&self) -> bool {
        !self.backoff.is_none()
    }

    /// Returns when the access category transmits if its slots count from `origin` on and the air stays idle.
    pub fn access_at(&self, origin: Time) -> Time {
        self.backoff.end(origin)
    }

    /// Stops the backoff, whose slots have counted from `origin` on: the air falls busy at `now`. A frame that would have gone without a backoff
    /// needs one from now on (10.23.2.4).
    pub fn freeze(&mut self, now: Time, origin: Time, stream: &mut Stream) {
        if self.backoff.freeze(now, origin, self.contends()) {
            self.draw_backoff(stream);
        }
    }

    /// Adopts the next parameters and draws a new backoff (10.23.2.2).
    pub fn draw_backoff(&mut self, stream: &mut Stream) {
        self.adopt_parameters();
        self.backoff.begin(stream.below(u64::from(self.cw) + 1) as u32);
    }

    /// Ends the backoff: the access category transmits now.
    pub fn take_access(&mut self) {
        self.backoff.take();
    }

    /// Adds a broadcast that comes at `now`. Slots count from `idle` on; `None`: the air is busy. Returns `false` if [`BROADCAST_BUFFER`] others
    /// wait.
    #[must_use]
    pub fn add_broadcast(&mut self, now: Time, idle: Option<Time>, stream: &mut Stream) -> bool {
        if self.broadcasts.len() == BROADCAST_BUFFER {
            return false;
        }
        let contended = self.contends();
        self.broadcasts.push_back(now);
        if !contended && self.backoff.admit(now, idle) {
            self.draw_backoff(stream);
        }
        true
    }

    /// Takes a broadcast for the transmission that begins. Returns `false` if there is none, or if the first frame to the station in turn came no
    /// later: that goes instead. A broadcast, which nobody answers, is followed by a backoff with the smallest window (10.23.2.2).
    pub fn takes_broadcast(&mut self, stream: &mut Stream) -> bool {
        let Some(&came) = self.broadcasts.front() else { return false };
        let next = self.outbox_mut().and_then(|outbox| outbox.frames().map(|held| held.since).min());
        if next.is_some_and(|since| since <= came) {
            return false;
        }
        self.broadcasts.pop_front();
        self.succeed();
        self.draw_backoff(stream);
        true
    }

    /// Whether the attempt under way is the last of `limit`.
    pub fn is_last_attempt(&self, limit: u32) -> bool {
        self.failures + 1 >= limit
    }

    /// Resets the contention window and the count of failures: the attempt was answered.
    pub fn succeed(&mut self) {
        (self.cw, self.failures) = (self.parameters.cw_min, 0);
    }

    /// Widens the contention window and draws a backoff: the attempt failed, or another EDCAF of the station took precedence (10.23.2.2). After
    /// `limit` failures in a row the window is reset instead.
    pub fn fail(&mut self, limit: u32, stream: &mut Stream) {
        self.failures += 1;
        if self.failures < limit {
            self.cw = (2 * self.cw + 1).min(self.parameters.cw_max);
        } else {
            (self.cw, self.failures) = (self.parameters.cw_min, 0);
        }
        self.draw_backoff(stream);
    }
}

/// Frames: the interface queue, the driver's outboxes, and what leaves them.
impl<P: Payload> Edcaf<P> {
    /// Enqueues a frame, which comes at `frame.since`. Slots count from `idle` on; `None`: the air is busy.
    #[inline(always)]
    pub fn enqueue(&mut self, frame: &QueuedFrame<P>, idle: Option<Time>, stream: &mut Stream) -> Entered {
        let (now, contended) = (frame.since, self.contends());
        self.count(frame.frame.to, 1);
        let accepted = if self.driver_has_room(None) && self.queue.passes(frame, self.in_service()) {
            self.take(frame);
            true
        } else {
            self.enqueue_behind(*frame)
        };
        let contends = !contended && self.contends();
        if contends && self.backoff.admit(now, idle) {
            self.draw_backoff(stream);
        }
        Entered { accepted, contends }
    }

    /// Returns the first of `frames` that find room in the driver's queue. The frames come one after the other while others are to be sent; none
    /// of them may have been enqueued yet.
    #[inline]
    pub fn row<'a>(&self, frames: &'a [QueuedFrame<P>]) -> &'a [QueuedFrame<P>] {
        debug_assert!(self.has_frames());
        match self.driver {
            DriverQueue::Frames(most) if self.frames_for.is_empty() => {
                let room = self.queue.may_pass(self.taken).min(most - self.taken);
                &frames[..frames.len().min(room as usize)]
            }
            _ => &[],
        }
    }

    /// Whether the interface queue drops all frames that come before others leave, and nobody has to be told which these are.
    #[inline]
    pub fn refuses(&self) -> bool {
        self.frames_for.is_empty() && self.departed.is_none() && self.queue.refuses(self.in_service())
    }

    /// Drops this many frames, which the interface queue [refuses](Edcaf::refuses).
    #[inline]
    pub fn refuse(&mut self, frames: usize) {
        self.queue.refuse(frames as u64);
    }

    /// Returns what counts against the limit of the interface queue though it has left that: the frames in outboxes.
    #[inline]
    fn in_service(&self) -> Occupancy {
        Occupancy { packets: self.taken, bytes: self.taken_bytes.unwrap_or(0) }
    }

    /// Puts frames of a [row](Edcaf::row), all for one receiver, into its outbox.
    #[inline]
    pub fn take_in_a_row(&mut self, frames: &[QueuedFrame<P>]) {
        debug_assert!(self.taken_bytes.is_none(), "a limit in bytes looks at each frame");
        let Some(first) = frames.first() else { return };
        self.queue.pass(frames);
        let index = self.outbox_of(first.frame.to);
        self.outboxes[index as usize].push_in_a_row(frames);
        self.taken += frames.len() as u32;
    }

    /// Enqueues a frame that the interface queue does not let pass at once. Returns `false` if the queue drops it, or another frame for it.
    #[inline(never)]
    fn enqueue_behind(&mut self, frame: QueuedFrame<P>) -> bool {
        let now = frame.since;
        let before = self.queue.packets();
        self.queue.enqueue(now, frame, self.in_service());
        let accepted = self.queue.packets() > before;
        self.forget_dropped();
        self.refill(now);
        accepted
    }

    /// Moves frames from the interface queue to the driver, as many as that may take.
    pub fn refill(&mut self, now: Time) {
        let mut last = None;
        while self.driver_has_room(last) {
            let next = self.queue.dequeue(now);
            self.forget_dropped();
            let Some(frame) = next else { break };
            last = Some(self.take(&frame));
        }
    }

    /// Hands a frame to the driver; returns the index of its outbox.
    #[inline(always)]
    fn take(&mut self, frame: &QueuedFrame<P>) -> u32 {
        let index = self.outbox_of(frame.frame.to);
        let outbox = &mut self.outboxes[index as usize];
        outbox.push(frame);
        self.taken += 1;
        if let Some(bytes) = &mut self.taken_bytes {
            *bytes += u64::from(frame.frame.bytes);
        }
        if self.driver.limits_airtime() {
            outbox.note_order(self.order);
            self.order += 1;
        }
        if self.driver.counts_airtime() {
            let airtime = outbox.estimate.airtime(frame.frame.bytes);
            self.set_airtime(index, self.budgets[index as usize].airtime + airtime);
        }
        index
    }

    /// Sets the airtime of the frames in an outbox. Holds back the packets of receivers that have enough of it.
    #[inline]
    fn set_airtime(&mut self, index: u32, airtime: Span) {
        let (budget, before) = (&mut self.budgets[index as usize], self.airtime);
        self.airtime = before + airtime - budget.airtime;
        budget.airtime = airtime;
        budget.count_aggregates(self.driver, &mut self.aggregates);
        if !self.driver.limits_airtime() {
            return;
        }
        let Edcaf { queue, driver, outboxes, budgets, .. } = self;
        queue.set_pending(outboxes[index as usize].receiver, airtime);
        let changed = if driver.tightens(before, self.airtime) {
            0..budgets.len()
        } else {
            index as usize..index as usize + 1
        };
        for (outbox, budget) in outboxes[changed.clone()].iter().zip(&mut budgets[changed]) {
            if !budget.held && !driver.affords(budget.airtime, self.airtime) {
                budget.held = true;
                queue.hold(outbox.receiver, true);
            }
        }
    }

    /// Returns the index of the outbox for this receiver, which is to get a frame: the outbox takes its turn from now on.
    #[inline]
    fn outbox_of(&mut self, to: u32) -> u32 {
        let index = match self.places.get(to as usize) {
            Some(&index) if index != NONE => index,
            _ => self.add_outbox(to),
        };
        if self.outboxes[index as usize].is_empty() {
            self.turns.push_back(index);
        }
        index
    }

    fn add_outbox(&mut self, to: u32) -> u32 {
        let place = to as usize;
        if self.places.len() <= place {
            self.places.resize(place + 1, NONE);
        }
        self.places[place] = self.outboxes.len() as u32;
        let times = self.links.to(to);
        let estimate = self.estimate(&times.mode);
        self.queue.set_station_rate(to, estimate.rate);
        self.outboxes.push(Outbox::new(to, times, self.links.aggregation(to), estimate));
        self.budgets.push(Budget::default());
        self.places[place]
    }

    /// Returns how the driver estimates the airtime of packets sent in this mode.
    fn estimate(&self, mode: &Mode) -> Estimate {
        match self.driver {
            DriverQueue::Airtime { .. } => Estimate::of_mac80211(mode, self.category),
            _ => Estimate::of_bits(mode),
        }
    }

    /// Whether the driver may take another frame. `last` is the outbox of the frame that it has just taken, if any.
    #[inline]
    fn driver_has_room(&self, last: Option<u32>) -> bool {
        match self.driver {
            DriverQueue::Frames(most) => self.taken < most,
            _ => self.airtime_has_room(last),
        }
    }

    /// Like [`Edcaf::driver_has_room`], for a driver that counts airtime.
    fn airtime_has_room(&self, last: Option<u32>) -> bool {
        match self.driver {
            DriverQueue::Frames(_) | DriverQueue::Airtime { .. } => true,
            DriverQueue::Aggregates { most, airtime } => {
                let counts = self.budgets.iter().map(|budget| self.driver.aggregates(budget.airtime));
                debug_assert_eq!(self.aggregates, counts.sum());
                let last = last.map_or(0, |index| self.budgets[index as usize].airtime.0);
                // Whether the aggregate that the last frame is for is incomplete.
                let is_open = !last.is_multiple_of(airtime.0);
                self.aggregates < u64::from(most) || self.aggregates == u64::from(most) && is_open
            }
        }
    }

    fn forget_dropped(&mut self) {
        while let Some(dropped) = self.queue.poll_drop() {
            self.count(dropped.frame.to, -1);
            if let Some(departed) = &mut self.departed {
                departed.push(dropped.frame.payload);
            }
        }
    }

    /// Keeps the frames that leave from now on, for [`Edcaf::poll_departure`].
    pub fn watch_departures(&mut self) {
        self.departed = Some(Vec::new());
    }

    /// Whether frames have left, for [`Edcaf::poll_departure`].
    pub fn has_departures(&self) -> bool {
        self.departed.as_ref().is_some_and(|departed| !departed.is_empty())
    }

    /// Returns a frame that has left, in no particular order.
    pub fn poll_departure(&mut self) -> Option<P> {
        self.departed.as_mut()?.pop()
    }

    /// Adds `change` to the number of frames held for `to`, if receivers are watched.
    fn count(&mut self, to: u32, change: i32) {
        if let Some(count) = self.frames_for.get_mut(to as usize) {
            *count = count.saturating_add_signed(change);
        }
    }

    /// Counts frames by receiver from now on. There are `stations` receivers, and no frames may be held.
    pub fn watch_receivers(&mut self, stations: usize) {
        self.frames_for = vec![0; stations];
    }

    /// Returns the number of frames held for each receiver; empty unless receivers are watched.
    pub fn frames_for(&self) -> &[u32] {
        &self.frames_for
    }

    /// Returns the outbox whose turn it is; `None` if none has anything to send.
    pub fn outbox_mut(&mut self) -> Option<&mut Outbox<P>> {
        let &index = self.turns.front()?;
        Some(&mut self.outboxes[index as usize])
    }

    /// Sets the mode of the next PPDU of the outbox in turn to that of `times`. Airtimes are estimated by its `usual` mode.
    pub fn use_mode(&mut self, times: LinkTimes, usual: &Mode) {
        let Some(&index) = self.turns.front() else { return };
        let estimate = self.estimate(usual);
        let outbox = &mut self.outboxes[index as usize];
        outbox.times = times;
        if let Some(airtime) = outbox.estimate_by(estimate) {
            self.queue.set_station_rate(outbox.receiver, estimate.rate);
            if self.driver.counts_airtime() {
                self.set_airtime(index, airtime);
            }
        }
    }

    /// See [`Outbox::end_request`], for the outbox in turn.
    pub fn end_request(&mut self, answered: bool) {
        if let Some(outbox) = self.outbox_mut() {
            outbox.end_request(answered);
        }
    }

    /// Ends the exchange of the outbox in turn. `arrived` says for each of its MPDUs whether it is acknowledged; `None`: there was no answer.
    /// MPDUs that were not acknowledged in `limit` attempts are given up. Calls `left` for each MPDU that leaves, with whether it is
    /// acknowledged, unless all are acknowledged. Returns the number of frames that leave.
    pub fn answered(
        &mut self,
        arrived: Option<&Arrived>,
        limit: u32,
        mut left: impl FnMut(&Mpdu, bool),
    ) -> u32 {
        let Some(index) = self.turns.pop_front() else { return 0 };
        let taken_before = self.taken;
        let Edcaf {
            outboxes,
            budgets,
            driver,
            taken,
            taken_bytes,
            airtime,
            aggregates,
            frames_for,
            departed,
            ..
        } = self;
        let outbox = &mut outboxes[index as usize];
        let budget = &mut budgets[index as usize];
        let estimate = outbox.estimate;
        let counts_airtime = driver.counts_airtime();
        let looks_at_frames =
            counts_airtime || taken_bytes.is_some() || !frames_for.is_empty() || departed.is_some();
        let all_acknowledged = arrived.is_some_and(Arrived::are_all);
        if all_acknowledged && !looks_at_frames {
            *taken -= outbox.acknowledged();
        } else {
            outbox.answered(arrived, limit, |outbox, mpdu, acknowledged| {
                *taken -= mpdu.msdus;
                for msdu in outbox.msdus(mpdu).filter(|_| looks_at_frames) {
                    if let Some(bytes) = taken_bytes {
                        *bytes -= u64::from(msdu.frame.bytes);
                    }
                    if counts_airtime {
                        let gone = estimate.airtime(msdu.frame.bytes);
                        *airtime = *airtime - gone;
                        budget.airtime = budget.airtime - gone;
                    }
                    if let Some(count) = frames_for.get_mut(msdu.frame.to as usize) {
                        *count -= 1;
                    }
                    if let Some(departed) = departed {
                        departed.push(msdu.frame.payload);
                    }
                }
                left(mpdu, acknowledged);
            });
        }
        let gone = taken_before - *taken;
        budget.count_aggregates(*driver, aggregates);
        self.put_back_in_turn(index);
        if self.driver.limits_airtime() {
            self.let_go(index);
        }
        gone
    }

    /// Puts an outbox that has more to send behind the others or, with an airtime queue limit, at the place of its oldest frame.
    fn put_back_in_turn(&mut self, index: u32) {
        let outbox = &self.outboxes[index as usize];
        if outbox.is_empty() {
            return;
        }
        let place = if self.driver.limits_airtime() {
            let oldest = outbox.oldest();
            self.turns.partition_point(|&other| self.outboxes[other as usize].oldest() < oldest)
        } else {
            self.turns.len()
        };
        self.turns.insert(place, index);
    }

    /// Lets the interface queue release frames to receivers that it held back for want of airtime, after an outbox has given airtime back.
    fn let_go(&mut self, index: u32) {
        let Edcaf { outboxes, budgets, driver, queue, airtime, .. } = self;
        let receiver = outboxes[index as usize].receiver;
        queue.set_pending(receiver, budgets[index as usize].airtime);
        for (outbox, budget) in outboxes.iter().zip(budgets) {
            if budget.held && driver.affords(budget.airtime, *airtime) {
                budget.held = false;
                queue.hold(outbox.receiver, false);
            }
        }
    }

    /// Returns the number of frames held, in the interface queue and in outboxes.
    pub fn held(&self) -> u32 {
        self.queue.packets() + self.taken
    }

    /// Charges `station` for the `airtime` of packets to or from it.
    pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        self.queue.charge(now, station, airtime);
    }

    pub fn stats(&self) -> &QueueStats {
        self.queue.stats()
    }
}
