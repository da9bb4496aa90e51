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

/// One access category of a station.
///
/// Frames wait in the interface queue until the driver takes them, which has a queue for each receiver. It serves those in turn; or,
/// where the airtime queue limit leaves the choice to the interface queue, first the receiver whose frame it took first.
#[derive(Debug)]
pub(crate) struct Edcaf<P: Payload> {
    pub category: AccessCategory,
    parameters: EdcaParameters,
    /// Those from its next backoff on.
    next_parameters: EdcaParameters,
    pub aifs: Span,
    slot: Span,
    cw: u32,
    /// Attempts in a row without an answer.
    failures: u32,
    backoff: Backoff,
    queue: Queue<QueuedFrame<P>>,
    driver: DriverQueue,
    links: Arc<Links>,
    /// The outbox of each receiver; [`NONE`]: it has had no frames.
    places: Vec<u32>,
    outboxes: Vec<Outbox<P>>,
    /// Outboxes that have something to send, the next one first.
    turns: VecDeque<u32>,
    /// When the broadcasts came that wait.
    broadcasts: VecDeque<Time>,
    /// Frames that the driver has taken so far, if it keeps their order.
    order: u64,
    /// Frames in outboxes, their bytes if these limit the queue, and their airtime as the driver estimates it.
    taken: u32,
    taken_bytes: Option<u64>,
    airtime: Span,
    /// The same by outbox, and whether the interface queue holds its packets back.
    budgets: Vec<Budget>,
    /// Those of all budgets.
    aggregates: u64,
    /// Frames held for each receiver; empty unless they are watched.
    frames_for: Vec<u32>,
    /// On request, the frames that have left it, acknowledged, given up or dropped.
    departed: Option<Vec<P>>,
}

/// Broadcasts that wait at most, as in mac80211 (`AP_MAX_BC_BUFFER`).
pub(crate) const BROADCAST_BUFFER: usize = 128;

/// No outbox.
const NONE: u32 = u32::MAX;

/// Names the random stream of a queue.
fn name_of(config: &StationConfig, category: AccessCategory) -> String {
    format!("wlan station {} {}", config.name, category.word())
}

/// Whether a queue has a limit in bytes.
fn counts_bytes(config: &QueueConfig) -> bool {
    matches!(config.limit, QueueLimit::Bytes(_))
}

/// The airtime that an outbox has taken.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    airtime: Span,
    /// [`DriverQueue::aggregates`] of it.
    aggregates: u64,
    held: bool,
}

impl Budget {
    /// Its airtime has changed, and `all` aggregates of the driver with it.
    #[inline]
    fn count_aggregates(&mut self, driver: DriverQueue, all: &mut u64) {
        let before = std::mem::replace(&mut self.aggregates, driver.aggregates(self.airtime));
        *all = *all + self.aggregates - before;
    }
}

/// What a frame has changed that came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    /// `false`: the queue has dropped it, or another for it.
    pub accepted: bool,
    /// It is the first that its access category has to send.
    pub contends: bool,
}

/// Access to the air.
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

    /// The parameters of its access, from its next backoff on, and its queue change to those given.
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

    /// New parameters hold: its slots do not count at this instant.
    fn adopt_parameters(&mut self) {
        let EdcaParameters { aifsn, cw_min, cw_max, .. } = self.next_parameters;
        self.aifs = self.aifs + self.slot * u64::from(aifsn) - self.slot * u64::from(self.parameters.aifsn);
        if self.cw == self.parameters.cw_min {
            self.cw = cw_min;
        }
        self.cw = self.cw.clamp(cw_min, cw_max);
        self.parameters = self.next_parameters;
    }

    /// Longest time that it may keep the air; zero: one PPDU.
    pub fn txop(&self) -> Span {
        self.parameters.txop
    }

    pub fn contends(&self) -> bool {
        self.has_frames() || !self.broadcasts.is_empty()
    }

    /// Whether it has frames to send to a station.
    pub fn has_frames(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Whether a backoff runs while the air is idle.
    pub fn counts_down(&self) -> bool {
        !self.backoff.is_none()
    }

    /// When it transmits if its slots count from `origin` on and the air stays idle.
    pub fn access_at(&self, origin: Time) -> Time {
        self.backoff.end(origin)
    }

    /// The air falls busy at `now`, and its slots have counted from `origin` on. A frame that would have gone without a backoff
    /// needs one from now on (10.23.2.4).
    pub fn freeze(&mut self, now: Time, origin: Time, stream: &mut Stream) {
        if self.backoff.freeze(now, origin, self.contends()) {
            self.draw_backoff(stream);
        }
    }

    /// A backoff follows (10.23.2.2).
    pub fn draw_backoff(&mut self, stream: &mut Stream) {
        self.adopt_parameters();
        self.backoff.begin(stream.below(u64::from(self.cw) + 1) as u32);
    }

    /// It transmits now.
    pub fn take_access(&mut self) {
        self.backoff.take();
    }

    /// A broadcast comes; slots count from `idle` on, if the air is idle. `false` if too many wait.
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

    /// It transmits: a broadcast, or frames to the station in turn if the first of these came before (`false`). A backoff of the least window
    /// follows a broadcast, which nobody answers (10.23.2.2).
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

    /// Its attempt was answered.
    pub fn succeed(&mut self) {
        (self.cw, self.failures) = (self.parameters.cw_min, 0);
    }

    /// Its attempt failed, or another EDCAF of the station took precedence: a backoff of a wider window follows (10.23.2.2).
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

/// Frames.
impl<P: Payload> Edcaf<P> {
    /// A frame comes; slots count from `idle` on, if the air is idle.
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

    /// The first of these frames, which come one after the other while others are to be sent: those that find room in the driver's queue. None of
    /// the others has come yet.
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

    /// What counts against the limit of the interface queue though it has left that.
    #[inline]
    fn in_service(&self) -> Occupancy {
        Occupancy { packets: self.taken, bytes: self.taken_bytes.unwrap_or(0) }
    }

    /// Takes frames of such a [row](Edcaf::row), which are for one receiver.
    #[inline]
    pub fn take_in_a_row(&mut self, frames: &[QueuedFrame<P>]) {
        debug_assert!(self.taken_bytes.is_none(), "a limit in bytes looks at each frame");
        let Some(first) = frames.first() else { return };
        self.queue.pass(frames);
        let index = self.outbox_of(first.frame.to);
        self.outboxes[index as usize].push_in_a_row(frames);
        self.taken += frames.len() as u32;
    }

    /// A frame comes that the interface queue does not let pass at once.
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

    /// The driver takes frames from the interface queue, as many as it may.
    pub fn refill(&mut self, now: Time) {
        let mut last = None;
        while self.driver_has_room(last) {
            let next = self.queue.dequeue(now);
            self.forget_dropped();
            let Some(frame) = next else { break };
            last = Some(self.take(&frame));
        }
    }

    /// The driver takes a frame; returns its outbox.
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

    /// Notes the airtime of the frames in this outbox. Holds back the packets of receivers that have enough of it.
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

    /// The outbox for this receiver, which is to get a frame.
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

    /// How the driver estimates the airtime of packets that go in this mode.
    fn estimate(&self, mode: &Mode) -> Estimate {
        match self.driver {
            DriverQueue::Airtime { .. } => Estimate::of_mac80211(mode, self.category),
            _ => Estimate::of_bits(mode),
        }
    }

    /// Whether the driver may take another frame; the `last` one went into this outbox.
    #[inline]
    fn driver_has_room(&self, last: Option<u32>) -> bool {
        match self.driver {
            DriverQueue::Frames(most) => self.taken < most,
            _ => self.airtime_has_room(last),
        }
    }

    /// The same where airtime counts.
    fn airtime_has_room(&self, last: Option<u32>) -> bool {
        match self.driver {
            DriverQueue::Frames(_) | DriverQueue::Airtime { .. } => true,
            DriverQueue::Aggregates { most, airtime } => {
                let counts = self.budgets.iter().map(|budget| self.driver.aggregates(budget.airtime));
                debug_assert_eq!(self.aggregates, counts.sum());
                let last = last.map_or(0, |index| self.budgets[index as usize].airtime.0);
                // The aggregate that the last frame is for is not complete.
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

    /// Whether frames have left.
    pub fn has_departures(&self) -> bool {
        self.departed.as_ref().is_some_and(|departed| !departed.is_empty())
    }

    /// A frame that has left, in no particular order.
    pub fn poll_departure(&mut self) -> Option<P> {
        self.departed.as_mut()?.pop()
    }

    /// Counts a frame for `to` that comes or goes.
    fn count(&mut self, to: u32, change: i32) {
        if let Some(count) = self.frames_for.get_mut(to as usize) {
            *count = count.saturating_add_signed(change);
        }
    }

    /// Counts frames by receiver from now on, of which there are `stations`: none may be held.
    pub fn watch_receivers(&mut self, stations: usize) {
        self.frames_for = vec![0; stations];
    }

    /// Frames held for each receiver; empty unless it watches them.
    pub fn frames_for(&self) -> &[u32] {
        &self.frames_for
    }

    /// The outbox whose turn it is.
    pub fn outbox_mut(&mut self) -> Option<&mut Outbox<P>> {
        let &index = self.turns.front()?;
        Some(&mut self.outboxes[index as usize])
    }

    /// The outbox in turn sends its next PPDU in the mode of these `times`; airtimes are estimated by its `usual` mode.
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

    /// The block ack request of the outbox in turn was answered, or is given up.
    pub fn forget_request(&mut self) {
        if let Some(outbox) = self.outbox_mut() {
            outbox.must_request = false;
        }
    }

    /// The exchange of the outbox in turn has ended: `arrived` tells for each of its MPDUs whether it is acknowledged;
    /// `None`: nothing came. `left` gets MPDUs that leave, where not all are acknowledged. Returns how many frames leave.
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

    /// An outbox that has more to send goes behind the others or, where the airtime queue limit holds, to the place of its oldest frame.
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

    /// An outbox has given airtime back: the interface queue lets go of frames to receivers that it held back for want of airtime.
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

    /// Frames held, in the interface queue and below it.
    pub fn held(&self) -> u32 {
        self.queue.packets() + self.taken
    }

    /// Packets to or from `station` took `airtime`.
    pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        self.queue.charge(now, station, airtime);
    }

    pub fn stats(&self) -> &QueueStats {
        self.queue.stats()
    }
}
