//! A QoS station: its access categories, its reorder buffers, its counters.

use std::collections::BTreeMap;
use std::sync::Arc;

use airfair_core::{Moment, Ring, Span, SpanSum, Stream, Time, alike};

use super::{
    Arrived, Codings, Edcaf, Entered, Link, LinkTimes, Links, Outbox, QosRules, RateController, Reorder,
};
use crate::config::{Protection, QosConfig, RateControl, StationConfig};
use crate::mac::interface::QueuedFrame;
use crate::mac::occupancy::{Occupancy, Service};
use crate::mac::station::loss_of;
use crate::mac::{Arrivals, Frame, Payload, ScheduledArrival};
use crate::phy::Phy;
use crate::phy::edca::AccessCategory;
use crate::phy::errors::FrameLossProcess;
use crate::phy::mode::{LONGEST_PPDU, OLDEST, Standard};
use crate::stats::{OccupancyIntegral, QueueDelay, StationStats};

#[derive(Debug)]
pub(crate) struct QosStation<P: Payload> {
    config: StationConfig,
    qos: QosConfig,
    seed: u64,
    links: Arc<Links>,
    /// Rate controllers, one for each receiver or one for all; empty where all rates are fixed.
    rate_controllers: Vec<RateController>,
    /// Channel access functions of the access categories that have had frames, the highest priority first.
    edcafs: Vec<Edcaf<P>>,
    /// Scheduled arrivals, in order.
    coming: Ring<QueuedFrame<P>>,
    /// Access category of the frames in `coming`.
    coming_category: AccessCategory,
    stream: Stream,
    /// Random loss of frames that the station sends or receives.
    pub loss: Option<Box<FrameLossProcess>>,
    /// Reorder buffers, by sender and access category.
    pub reorder: BTreeMap<(u32, AccessCategory), Reorder<P>>,
    /// Number of MPDUs of the PPDU that began last, until its exchange ends.
    sent: u32,
    occupancy: Occupancy,
    /// Number of frames held that have been part of a PPDU.
    in_service: u32,
    pub stats: StationStats,
    /// On request, the queueing delay of each frame served.
    pub queue_delays: Option<Vec<QueueDelay>>,
    /// Number of receivers for which frames held are counted; zero: they are not.
    watched: usize,
    /// Whether frames that leave are kept, for [`QosStation::poll_departure`].
    tells_departures: bool,
}

/// A PPDU with data, as its sender plans it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub receiver: u32,
    pub category: AccessCategory,
    pub body: Body,
    /// Bytes of the PSDU; zero for a block ack request.
    pub bytes: u32,
    /// Duration of the PPDU.
    pub duration: Span,
    /// Duration of the ACK or block ack that answers the PPDU.
    pub answer: Span,
    pub prelude: Prelude,
    /// Standard of the PPDU: stations of older standards do not decode it.
    pub standard: Standard,
    pub codings: Codings,
    /// Place of the PPDU's mode among those of the link.
    pub mode: usize,
}

impl Plan {
    /// Plans a block ack request.
    fn request(receiver: u32, category: AccessCategory, times: &LinkTimes, mode: usize) -> Plan {
        Plan {
            receiver,
            category,
            body: Body::Request,
            bytes: 0,
            duration: times.block_ack_request,
            answer: times.block_ack,
            prelude: Prelude::Nothing,
            standard: OLDEST,
            codings: times.codings(Body::Request),
            mode,
        }
    }
}

/// The frames that go before a PPDU, with their durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prelude {
    Nothing,
    CtsToSelf(Span),
    /// An RTS and the CTS that answers it.
    RtsCts(Span, Span),
}

impl Prelude {
    /// Returns what goes before a PPDU of this standard and number of bytes, the first one of a TXOP.
    fn before(standard: Standard, bytes: u32, times: &LinkTimes, rules: &QosRules) -> Prelude {
        match rules.protection_of(standard, bytes) {
            Protection::RtsCts => Prelude::RtsCts(times.rts, times.cts),
            Protection::CtsToSelf => Prelude::CtsToSelf(times.cts),
            Protection::None => Prelude::Nothing,
        }
    }

    /// Returns the time from the beginning of the prelude until that of the PPDU.
    fn duration(self, sifs: Span) -> Span {
        match self {
            Prelude::Nothing => Span::ZERO,
            Prelude::CtsToSelf(cts) => cts + sifs,
            Prelude::RtsCts(rts, cts) => rts + sifs + cts + sifs,
        }
    }

    /// Returns the duration of the CTS; zero if there is none.
    pub fn cts(self) -> Span {
        match self {
            Prelude::Nothing => Span::ZERO,
            Prelude::CtsToSelf(cts) | Prelude::RtsCts(_, cts) => cts,
        }
    }
}

/// What a PPDU carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// One MPDU, which an ACK answers.
    Single,
    /// An A-MPDU, which a block ack answers.
    Aggregate,
    /// A block ack request.
    Request,
}

/// Traffic from the layer above, and counts.
impl<P: Payload> QosStation<P> {
    /// Returns an idle station with these links: one for each receiver, or one for all.
    pub fn new(
        config: &StationConfig,
        qos: &QosConfig,
        links: &[Link],
        phy: &Phy,
        seed: u64,
    ) -> QosStation<P> {
        let name = &config.name;
        let all = Links::new(links, phy);
        QosStation {
            rate_controllers: rate_controllers(name, links, &all, seed),
            links: Arc::new(all),
            config: config.clone(),
            qos: qos.clone(),
            seed,
            edcafs: Vec::new(),
            coming: Ring::default(),
            coming_category: qos.category,
            stream: Stream::new(seed, &format!("wlan station {name}")),
            loss: loss_of(config, Time::ZERO, seed),
            reorder: BTreeMap::new(),
            sent: 0,
            occupancy: Occupancy::new(Service::Told),
            in_service: 0,
            stats: StationStats::default(),
            queue_delays: None,
            watched: 0,
            tells_departures: false,
        }
    }

    /// Changes the losses, the queue and the EDCA parameters to those of `config`.
    pub fn change(&mut self, now: Time, config: &StationConfig) {
        self.admit_until(Moment::from(now));
        if config.loss != self.config.loss {
            self.loss = loss_of(config, now, self.seed);
        }
        if let Some(qos) = &config.qos {
            self.qos.edca = qos.edca;
        }
        self.config = config.clone();
        for edcaf in &mut self.edcafs {
            edcaf.change(now, config, &self.qos, self.seed);
        }
        self.note_held(now);
    }

    /// Sets the signal-to-noise ratio of the station's frames at this receiver, in dB.
    pub fn set_snr(&mut self, receiver: u32, snr: f64) {
        if let Some(controller) = controller(&mut self.rate_controllers, receiver) {
            controller.set_snr(snr);
        }
    }

    /// Enqueues a frame from the layer above in this access category; `None`: the station's usual one. `idle` is `None` if the air
    /// is busy.
    pub fn enqueue(
        &mut self,
        now: Time,
        category: Option<AccessCategory>,
        frame: Frame<P>,
        idle: Option<Idle>,
        rules: &QosRules,
    ) -> Entered {
        // Frames scheduled for the same moment come before this one.
        self.admit_until(Moment::new(now, frame.payload.phase().next()));
        let edcaf = self.edcaf_of(self.category_of(category, frame.to), rules);
        self.stats.offered_bytes += u64::from(frame.bytes);
        let edcaf = &mut self.edcafs[edcaf];
        let origin = idle.map(|idle| idle.origin(edcaf.aifs));
        let entered = edcaf.enqueue(&QueuedFrame { frame, since: now }, origin, &mut self.stream);
        self.note_held(now);
        entered
    }

    /// Whether arrivals can be scheduled: at a drop-tail queue, because nothing but the next frame on the air shows when a frame
    /// has come, and if departures are not watched.
    pub fn accepts_scheduled_arrivals(&self) -> bool {
        self.config.queue.discipline == Default::default() && !self.tells_departures
    }

    /// Keeps the frames that leave from now on, for [`QosStation::poll_departure`]. The station must hold no frames.
    pub fn watch_departures(&mut self) {
        self.tells_departures = true;
    }

    /// Whether frames have left, for [`QosStation::poll_departure`].
    #[inline]
    pub fn has_departures(&self) -> bool {
        self.tells_departures && self.edcafs.iter().any(Edcaf::has_departures)
    }

    /// Returns a frame that has left, in no particular order.
    pub fn poll_departure(&mut self) -> Option<P> {
        self.edcafs.iter_mut().find_map(Edcaf::poll_departure)
    }

    /// Schedules the arrival of a frame of this access category at `frame.since`; `None`: the station's usual category.
    #[inline]
    pub fn schedule_arrival(
        &mut self,
        category: Option<AccessCategory>,
        frame: QueuedFrame<P>,
    ) -> ScheduledArrival {
        let category = self.category_of(category, frame.frame.to);
        let place = self.place_of_coming(category, frame.moment());
        if place != ScheduledArrival::OutOfOrder {
            self.coming_category = category;
            self.coming.push(frame);
        }
        place
    }

    /// Returns the queue of an access category for arrivals of frames to one station, which are scheduled one after the other.
    #[inline]
    pub fn arrivals(&mut self, category: Option<AccessCategory>, to: u32) -> Arrivals<'_, P> {
        let category = self.category_of(category, to);
        Arrivals::at_category(self, category, to)
    }

    /// See [`Arrivals::room`]. Returns `None` if a frame is scheduled later, or one of another access category is scheduled.
    #[inline(always)]
    pub fn room_for_arrival(
        &mut self,
        category: AccessCategory,
        due: Moment,
        to: u32,
        bytes: u32,
    ) -> Option<(&mut P, bool)> {
        let place = self.place_of_coming(category, due);
        if place == ScheduledArrival::OutOfOrder {
            return None;
        }
        self.coming_category = category;
        Some((self.room_behind(due.at, to, bytes), place == ScheduledArrival::First))
    }

    /// See [`RowArrivals::room_behind`](crate::RowArrivals::room_behind).
    #[inline(always)]
    pub fn room_behind(&mut self, due: Time, to: u32, bytes: u32) -> &mut P {
        let room = self.coming.room();
        (room.frame.to, room.frame.bytes, room.since) = (to, bytes, due);
        &mut room.frame.payload
    }

    /// See [`RowArrivals::schedule`](crate::RowArrivals::schedule).
    #[inline(always)]
    pub fn schedule_row(
        &mut self,
        category: AccessCategory,
        first: Moment,
        step: Span,
        (to, bytes): (u32, u32),
        most: usize,
        mut payloads: impl Iterator<Item = P>,
    ) -> (usize, bool) {
        let place = self.place_of_coming(category, first);
        if place == ScheduledArrival::OutOfOrder {
            return (0, false);
        }
        let (mut since, mut written, end) = (first.at, 0, self.coming.end());
        self.coming.rooms(most);
        // One loop instead of one for each piece of the ring: to make a payload is long, and would be compiled into each.
        while written < most
            && let Some(payload) = payloads.next()
        {
            *self.coming.at_mut(end + written as u64) =
                QueuedFrame { frame: Frame { to, bytes, payload }, since };
            since += step;
            written += 1;
        }
        self.coming.take_back(most - written);
        if written > 0 {
            self.coming_category = category;
        }
        (written, written > 0 && place == ScheduledArrival::First)
    }

    /// Returns whether a frame that comes at `due` is the first, is behind others, or cannot be scheduled.
    #[inline]
    fn place_of_coming(&self, category: AccessCategory, due: Moment) -> ScheduledArrival {
        match self.coming.back() {
            Some(last) if category != self.coming_category || due < last.moment() => {
                ScheduledArrival::OutOfOrder
            }
            Some(_) => ScheduledArrival::Behind,
            None if self.has_frames(category) => ScheduledArrival::Behind,
            None => ScheduledArrival::First,
        }
    }

    /// Returns when the next scheduled frame comes if its access category has nothing else to send, so that it may be sent at once;
    /// otherwise [`Moment::NEVER`].
    pub fn next_arrival(&self) -> Moment {
        let next = self.coming.front().filter(|_| !self.has_frames(self.coming_category));
        next.map_or(Moment::NEVER, QueuedFrame::moment)
    }

    /// Takes the next scheduled frame, with its access category, if it comes until `now` and the category has nothing to send.
    pub fn take_coming(&mut self, now: Time) -> Option<(AccessCategory, Frame<P>)> {
        if self.next_arrival().at > now {
            return None;
        }
        self.coming.take_front().map(|next| (self.coming_category, next.frame))
    }

    /// Enqueues or drops the scheduled frames that come before `end`, while their access category has others to send.
    pub fn admit_until(&mut self, end: Moment) {
        let QosStation { edcafs, coming, coming_category, stream, stats, occupancy, .. } = self;
        if coming.front().is_none_or(|next| next.moment() >= end) {
            return;
        }
        let category = *coming_category;
        let edcaf = edcafs.iter_mut().find(|edcaf| edcaf.category == category && edcaf.has_frames());
        let Some(edcaf) = edcaf else { return };
        loop {
            let run = coming.run();
            let come = run.partition_point(|next| next.moment() < end);
            let mut frames = &run[..come];
            while let Some(first) = frames.first() {
                let row = alike(edcaf.row(frames), |held| (held.frame.to, held.frame.bytes));
                let (taken, bytes) = if !row.is_empty() {
                    occupancy.enter_in_a_row(row.iter().map(|held| held.since));
                    edcaf.take_in_a_row(row);
                    (row.len(), row.len() as u64 * u64::from(first.frame.bytes))
                } else if edcaf.refuses() {
                    edcaf.refuse(frames.len());
                    (frames.len(), frames.iter().map(|held| u64::from(held.frame.bytes)).sum())
                } else {
                    if edcaf.enqueue(first, None, stream).accepted {
                        occupancy.enter(first.since);
                    }
                    (1, u64::from(first.frame.bytes))
                };
                stats.offered_bytes += bytes;
                frames = &frames[taken..];
            }
            if come == 0 {
                break;
            }
            coming.pop(come);
        }
        coming.restart_if_empty();
    }

    #[inline]
    fn category_of(&self, category: Option<AccessCategory>, to: u32) -> AccessCategory {
        self.links.category(to, category.unwrap_or(self.qos.category))
    }

    fn edcaf_of(&mut self, category: AccessCategory, rules: &QosRules) -> usize {
        let place = self.edcafs.iter().position(|edcaf| edcaf.category <= category);
        let place = place.unwrap_or(self.edcafs.len());
        if self.edcafs.get(place).is_none_or(|edcaf| edcaf.category != category) {
            let mut edcaf =
                Edcaf::new(&self.config, &self.qos, category, Arc::clone(&self.links), rules, self.seed);
            edcaf.watch_receivers(self.watched);
            if self.tells_departures {
                edcaf.watch_departures();
            }
            self.edcafs.insert(place, edcaf);
        }
        place
    }

    /// Returns the standard of the station.
    pub fn standard(&self) -> Standard {
        self.qos.mode.standard
    }

    fn note_held(&mut self, now: Time) {
        self.occupancy.set(now, self.held());
    }

    /// Returns the number of frames held.
    pub fn held(&self) -> u32 {
        self.edcafs.iter().map(Edcaf::held).sum()
    }

    /// Returns the number of frames held, integrated over time until `now`.
    pub fn occupancy(&self, now: Time) -> OccupancyIntegral {
        self.occupancy.until(now)
    }

    /// Counts the frames held for each receiver from now on. There are `stations` receivers, and no frames may be held.
    pub fn watch_receivers(&mut self, stations: usize) {
        self.watched = stations;
        self.edcafs.iter_mut().for_each(|edcaf| edcaf.watch_receivers(stations));
    }

    /// Writes the number of frames held for each receiver to `counts`.
    pub fn frames_for(&self, counts: &mut [u32]) {
        counts.fill(0);
        for edcaf in &self.edcafs {
            counts.iter_mut().zip(edcaf.frames_for()).for_each(|(sum, count)| *sum += count);
        }
    }

    /// Charges `station` for the `airtime` of packets to or from it.
    pub fn charge(&mut self, now: Time, category: AccessCategory, station: u32, airtime: Span) {
        let edcaf = self.edcafs.iter_mut().find(|edcaf| edcaf.category == category);
        edcaf.into_iter().for_each(|edcaf| edcaf.charge(now, station, airtime));
    }

    /// Returns the counts of the station.
    pub fn stats(&self) -> StationStats {
        let mut stats = self.stats;
        for queue in self.edcafs.iter().map(Edcaf::stats) {
            stats.queue += *queue;
        }
        stats
    }
}

/// Sending.
impl<P: Payload> QosStation<P> {
    /// Returns when the station transmits if the air stays idle; [`Time::NEVER`] if it has nothing to send.
    pub fn access_at(&self, idle: Idle) -> Time {
        let contending = self.edcafs.iter().filter(|edcaf| edcaf.contends());
        contending.map(|edcaf| edcaf.access_at(idle.origin(edcaf.aifs))).min().unwrap_or(Time::NEVER)
    }

    pub fn contends(&self) -> bool {
        self.edcafs.iter().any(Edcaf::contends)
    }

    /// Whether a backoff of any of its access categories runs while the air is idle.
    pub fn counts_down(&self) -> bool {
        self.edcafs.iter().any(Edcaf::counts_down)
    }

    /// Stops the countdowns: the air, idle until now, falls busy at `now`.
    pub fn freeze(&mut self, now: Time, idle: Idle) {
        for edcaf in &mut self.edcafs {
            edcaf.freeze(now, idle.origin(edcaf.aifs), &mut self.stream);
        }
    }

    /// Returns the access category that transmits at `now`. Of several the highest wins, and the others back off as after a
    /// collision (IEEE 802.11-2020, 10.23.2.4). None wins if the turn of the station is `taken`.
    pub fn win_access(
        &mut self,
        now: Time,
        idle: Idle,
        taken: bool,
        rules: &QosRules,
    ) -> Option<AccessCategory> {
        let mut winner = None;
        for edcaf in &mut self.edcafs {
            let origin = idle.origin(edcaf.aifs);
            if edcaf.contends() && edcaf.access_at(origin) <= now {
                if winner.is_none() && !taken {
                    winner = Some(edcaf.category);
                    edcaf.take_access();
                } else {
                    edcaf.fail(rules.retry_limit, &mut self.stream);
                }
            } else {
                edcaf.freeze(now, origin, &mut self.stream);
            }
        }
        winner
    }

    fn edcaf(&self, category: AccessCategory) -> &Edcaf<P> {
        self.edcafs.iter().find(|edcaf| edcaf.category == category).expect("it has had frames")
    }

    /// Whether `category` has frames, or a block ack request, to send to a station.
    pub fn has_frames(&self, category: AccessCategory) -> bool {
        self.edcafs.iter().any(|edcaf| edcaf.category == category && edcaf.has_frames())
    }

    /// Adds a broadcast, which is best effort, that comes at `now`. `idle` is `None` if the air is busy. Returns `false` if there
    /// is no room for it.
    #[must_use]
    pub fn add_broadcast(&mut self, now: Time, idle: Option<Idle>, rules: &QosRules) -> bool {
        let place = self.edcaf_of(AccessCategory::BestEffort, rules);
        let QosStation { edcafs, stream, .. } = self;
        let edcaf = &mut edcafs[place];
        edcaf.add_broadcast(now, idle.map(|idle| idle.origin(edcaf.aifs)), stream)
    }

    /// Takes a broadcast if that is what `category`, which has won access, sends at `now`; otherwise returns `false`.
    pub fn takes_broadcast(&mut self, now: Time, category: AccessCategory) -> bool {
        let mut edcafs = self.edcafs.iter();
        let Some(place) = edcafs.position(|edcaf| edcaf.category == category && edcaf.has_broadcasts())
        else {
            return false;
        };
        // A scheduled frame may have come behind a block ack request alone, and before the broadcast.
        self.admit_until(Moment::from(now));
        self.edcafs[place].takes_broadcast(&mut self.stream)
    }

    /// Returns the outbox that `category` serves, which must have something to send, and the station's counts.
    pub fn sending(&mut self, category: AccessCategory) -> (&mut Outbox<P>, &mut StationStats) {
        let edcaf =
            self.edcafs.iter_mut().find(|edcaf| edcaf.category == category).expect("it has had frames");
        (edcaf.outbox_mut().expect("who contends has a frame"), &mut self.stats)
    }

    /// Whether the station's random loss hits a frame, as `draw` draws it.
    pub fn loses(&mut self, draw: impl FnOnce(&mut FrameLossProcess) -> bool) -> bool {
        self.loss.as_deref_mut().is_some_and(draw)
    }

    /// Returns the longest time that `category` may keep the air; zero: one PPDU.
    pub fn txop(&self, category: AccessCategory) -> Span {
        self.edcaf(category).txop()
    }

    /// Plans the first PPDU of a TXOP of `category`; `None` if it has nothing to send.
    pub fn plan(&mut self, now: Time, category: AccessCategory, rules: &QosRules) -> Option<Plan> {
        let txop = self.txop(category);
        self.plan_within(now, category, (txop > Span::ZERO).then_some(txop), true, rules)
    }

    /// Plans the next PPDU of a TXOP of `category`, whose exchange takes at most `left`; `None` if that is impossible.
    pub fn plan_next(
        &mut self,
        now: Time,
        category: AccessCategory,
        left: Span,
        rules: &QosRules,
    ) -> Option<Plan> {
        self.plan_within(now, category, Some(left), false, rules)
    }

    /// Plans a PPDU of `category` whose exchange takes at most `left`. The `first` PPDU is sent even if it takes longer (IEEE
    /// 802.11-2020, 10.23.2.9).
    fn plan_within(
        &mut self,
        now: Time,
        category: AccessCategory,
        left: Option<Span>,
        first: bool,
        rules: &QosRules,
    ) -> Option<Plan> {
        self.admit_until(Moment::from(now));
        let QosStation {
            edcafs, stats, queue_delays, links, rate_controllers, in_service, occupancy, ..
        } = self;
        let edcaf = edcafs.iter_mut().find(|edcaf| edcaf.category == category)?;
        edcaf.refill(now);
        let (mut mode, mut most_mpdus) = (0, u32::MAX);
        let receiver = edcaf.outbox_mut()?.receiver;
        if let Some(controller) = controller(rate_controllers, receiver) {
            let (modes, choice) = (links.modes(receiver), controller.choose(now, first));
            edcaf.use_mode(modes[choice.mode], &modes[controller.usual()].mode);
            mode = choice.mode;
            most_mpdus = if choice.is_probe { 1 } else { u32::MAX };
        }
        let outbox = edcaf.outbox_mut()?;
        let times = outbox.times;
        let standard = times.mode.standard;
        // The limit counts all frames of the TXOP (10.23.2.9), so there must be room for what goes before the longest PPDU.
        let prelude =
            |bytes| if first { Prelude::before(standard, bytes, &times, rules) } else { Prelude::Nothing };
        let around = rules.sifs + times.block_ack + prelude(u32::MAX).duration(rules.sifs);
        if outbox.must_request() {
            let plan = Plan::request(receiver, category, &times, mode);
            let fits = first || left.is_none_or(|left| plan.duration + around <= left);
            return fits.then_some(plan);
        }
        let psdu = match left {
            Some(left) if left < LONGEST_PPDU + around => {
                times.mode.most_psdu(Span(left.0.saturating_sub(around.0)))
            }
            _ => times.most_psdu,
        };
        if !first && outbox.next_bytes() > psdu {
            return None;
        }
        let first_new = outbox.first_waiting();
        let bytes = outbox.aggregate(psdu.min(times.most_ampdu), most_mpdus);
        let new = outbox.first_waiting() - first_new;
        stats.served += new;
        *in_service += new as u32;
        occupancy.serve(now, *in_service);
        let came = outbox.numbered_since(first_new).map(|held| held.since);
        if let Some(logged) = queue_delays {
            logged.extend(came.clone().map(|since| QueueDelay { to: receiver, delay: now.since(since) }));
        }
        stats.waited += SpanSum::since_each(came, now);
        let (body, answer) = if outbox.is_aggregate() {
            (Body::Aggregate, times.block_ack)
        } else {
            (Body::Single, times.ack)
        };
        let (duration, codings) = (times.mode.ppdu(bytes), times.codings(body));
        let prelude = prelude(bytes);
        Some(Plan { receiver, category, body, bytes, duration, answer, prelude, standard, codings, mode })
    }

    /// Notes that the PPDU of this plan begins.
    pub fn begin_data(&mut self, plan: &Plan) {
        if plan.body != Body::Request {
            self.sent = self.sending(plan.category).0.mpdus_in_flight();
        }
    }

    /// Returns the number of MPDUs of the PPDU of the exchange under way; zero before the PPDU begins.
    pub fn mpdus_sent(&self) -> u32 {
        self.sent
    }

    /// Ends the exchange. `arrived` says for each MPDU of the PPDU whether it is acknowledged; `None`: there was no answer.
    pub fn end_exchange(&mut self, now: Time, plan: &Plan, arrived: Option<&Arrived>, rules: &QosRules) {
        self.admit_until(Moment::from(now));
        let QosStation { edcafs, stream, stats, rate_controllers, sent, .. } = self;
        let sent = std::mem::take(sent);
        let Some(edcaf) = edcafs.iter_mut().find(|edcaf| edcaf.category == plan.category) else { return };
        if sent > 0 {
            let acknowledged = arrived.map(Arrived::count);
            stats.mpdus += u64::from(sent);
            stats.mpdus_lost += u64::from(sent - acknowledged.unwrap_or(0));
            let mcs = edcaf.outbox_mut().map_or(0, |outbox| outbox.times.mode.mcs);
            stats.mpdus_mcs += u64::from(sent) * u64::from(mcs);
        }
        if plan.body != Body::Request
            && let Some(controller) = controller(rate_controllers, plan.receiver)
        {
            // Drivers report all MPDUs behind an RTS that nobody answers as lost, as ath9k does.
            let tried = edcaf.outbox_mut().map_or(0, |outbox| outbox.mpdus_in_flight());
            controller.report(plan.mode, tried, arrived.map(Arrived::count));
        }
        if plan.body == Body::Request && (arrived.is_some() || edcaf.is_last_attempt(rules.retry_limit)) {
            edcaf.end_request(arrived.is_some());
        }
        self.in_service -= edcaf.answered(arrived, rules.retry_limit, |mpdu, acknowledged| {
            if !acknowledged && !mpdu.arrived {
                stats.dropped_retries += u64::from(mpdu.msdus);
            }
        });
        match arrived {
            Some(_) => edcaf.succeed(),
            None => {
                stats.retries += 1;
                edcaf.fail(rules.retry_limit, stream);
            }
        }
        edcaf.refill(now);
        self.occupancy.serve(now, self.in_service);
        self.note_held(now);
    }

    /// Ends the TXOP of `category`: a backoff follows, whether a frame waits or not.
    pub fn end_txop(&mut self, category: AccessCategory) {
        let QosStation { edcafs, stream, .. } = self;
        let edcaf = edcafs.iter_mut().find(|edcaf| edcaf.category == category);
        edcaf.into_iter().for_each(|edcaf| edcaf.draw_backoff(stream));
    }
}

/// Returns the rate controllers of a station; none where all rates are fixed.
fn rate_controllers(name: &str, links: &[Link], all: &Links, seed: u64) -> Vec<RateController> {
    if links.iter().all(|link| link.rate_control == RateControl::Fixed) {
        return Vec::new();
    }
    let of = |(receiver, link): (u32, &Link)| {
        let stream = Stream::new(seed, &format!("wlan rate {name} {receiver}"));
        RateController::new(link, all.modes(receiver), stream)
    };
    (0..).zip(links).map(of).collect()
}

/// Returns the rate controller for this receiver; `None` where all rates are fixed.
fn controller(controllers: &mut [RateController], receiver: u32) -> Option<&mut RateController> {
    let place = (receiver as usize).min(controllers.len().checked_sub(1)?);
    controllers.get_mut(place)
}

/// When the air fell idle for a station.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idle {
    /// End of what the station heard and of its NAV; `None`: the air has always been idle.
    pub since: Option<Time>,
    /// When AIFS begins to count: later by EIFS less DIFS after a frame that the station could not decode.
    pub aifs_from: Time,
    /// When the station last gave up waiting for an answer: AIFS counts from then on, too (IEEE 802.11-2020, 10.23.2.4, condition
    /// c).
    pub timeout: Time,
}

impl Idle {
    /// The air before anything has happened.
    pub const ALWAYS: Idle = Idle { since: None, aifs_from: Time::ZERO, timeout: Time::ZERO };

    /// Returns when the slots of an EDCAF with this AIFS begin to count.
    pub fn origin(self, aifs: Span) -> Time {
        if self.since.is_none() { Time::ZERO } else { self.aifs_from.max(self.timeout) + aifs }
    }

    /// Whether the air is idle at `now`; otherwise a NAV says that it is busy.
    pub fn is_idle(self, now: Time) -> bool {
        self.since.is_none_or(|since| since <= now)
    }
}
