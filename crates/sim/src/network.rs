//! Packets on their way: over links and media, and in the delay lines before merge points.
//!
//! A packet advances at once as far as no other event can interfere: over links with a single feeder, through a
//! host's stack, into an endpoint whose timers are due later. At a merge point it waits for an event. The record is
//! the same as if every step were an event, as the tests of the plain engine check.

use crate::channel::Channel;
use crate::delay_line::{DelayLine, Key, PREFETCH_BATCH, Waiting};
use crate::flow::{Flow, Side, TcpEnd};
use crate::links::Links;
use crate::packet::{Course, Packet, Unsent};
use crate::pages::Pages;
use crate::route::{Leg, Routes, Step, Stop, WlanHop};
use crate::schedule::Schedule;
use crate::scheduled_arrivals::ScheduledArrivals;
use crate::tracer::Tracer;
use crate::wires::Wires;
use airfair_core::{Moment, Span, Time, prefetch};
use airfair_net::Link;
use airfair_wifi::{Arrivals, Brought, Frames, ScheduledArrival};

/// Everything between the flows' endpoints.
#[derive(Debug)]
pub struct Network {
    /// Packets that reached the horizon, with the time of arrival at their next step, in the order in which they would have gone on.
    pub deferred: Vec<(Time, Packet)>,
    /// The wired links, and the paths over them.
    pub wires: Wires,
    /// The wireless channels, each with the networks on it.
    pub channels: Vec<Channel>,
    /// Deadlines of links with a discipline, then of delay lines.
    schedule: Schedule<Moment>,
    /// Deadlines of media. Mostly there is one medium, and it acts with every packet.
    media_schedule: Schedule,
    scheduled_arrivals: ScheduledArrivals,
    /// Packets on their way to merge points. The last line is for packets that would reach a queue with scheduled arrivals out of order.
    lines: Vec<DelayLine>,
    /// Packets in those lines that are calendars.
    pub pages: Pages,
    /// Whether each action of a sender is recorded.
    pub watches_senders: bool,
    /// Whether any flow receives reports of packets that leave its host's queue.
    pub watches_queues: bool,
    /// Lookahead of each line: see [`lookahead`](crate::lookahead).
    lookaheads: Vec<Span>,
    /// A packet on its way from the common code path to a rare one. Handed over by reference, the packet would have to lie in memory on the common
    /// path, too.
    pub aside: Waiting,
}

/// Place in a delay line of a packet that joins it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    First,
    Behind,
    /// Not in the line yet, but in [`Network::aside`].
    Aside,
}

/// The next component to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A packet's transmission ends on the link with a discipline with this number.
    Queue(usize),
    /// The first packet of the line with this number enters its merge point.
    Line(usize),
    /// The medium with this number ends an exchange.
    Medium(usize),
}

impl Network {
    /// Returns a network without packets.
    pub fn new(
        mut routes: Routes,
        mut lookaheads: Vec<Span>,
        links: Links,
        channels: Vec<Channel>,
        tracer: Option<Box<Tracer>>,
        average_cwnds: bool,
    ) -> Network {
        let watched = tracer.as_ref().is_some_and(|tracer| tracer.watches_stations());
        let scheduled_arrivals = if watched {
            ScheduledArrivals::default()
        } else {
            ScheduledArrivals::new(&channels, &mut routes)
        };
        let lines: Vec<_> = std::iter::repeat_with(DelayLine::default).take(routes.lines() + 1).collect();
        lookaheads.push(Span::ZERO);
        let mut media_schedule = Schedule::new(channels.len());
        for (channel, on_air) in channels.iter().enumerate() {
            media_schedule.set(channel, on_air.medium.next_deadline());
        }
        Network {
            deferred: Vec::new(),
            watches_queues: channels.iter().any(|channel| channel.medium.is_watched()),
            watches_senders: average_cwnds || tracer.is_some(),
            schedule: Schedule::new(links.queued.len() + lines.len()),
            media_schedule,
            scheduled_arrivals,
            aside: Waiting::default(),
            wires: Wires::new(routes, links, tracer),
            channels,
            lines,
            pages: Pages::default(),
            lookaheads,
        }
    }

    /// Returns when the next component acts, and which one. At one moment the order is that of [`Actor`]'s variants; media act at the end of an
    /// instant.
    #[inline]
    pub fn next(&self) -> (Time, Actor) {
        let (at, slot) = self.schedule.first();
        let (media_at, medium) = self.media_schedule.first();
        if at.at <= media_at {
            let first_line = self.line_slot(0);
            (at.at, if slot < first_line { Actor::Queue(slot) } else { Actor::Line(slot - first_line) })
        } else {
            (media_at, Actor::Medium(medium))
        }
    }

    /// Whether the line belongs to an interface queue with scheduled arrivals. If so, the arrival that is due enters the queue.
    #[inline]
    pub fn admit_scheduled(&mut self, now: Time, line: usize) -> bool {
        let place = self.scheduled_arrivals.place(line);
        if let Some((channel, station)) = place {
            self.admit(now, channel, station);
        }
        place.is_some()
    }

    /// Takes a line out while its packets enter, and the shared link behind it, if that is where it leads. Packets that join the line meanwhile
    /// wait apart until [`Network::put_back`].
    #[inline]
    pub fn take_line(&mut self, line: usize) -> (DelayLine, Option<Link>) {
        (std::mem::take(&mut self.lines[line]), self.wires.take_link(line))
    }

    /// Puts a line and the link behind it back, and sets the line's deadline.
    #[inline]
    pub fn put_back(&mut self, line: usize, (taken, link): (DelayLine, Option<Link>)) {
        if let Some(link) = link {
            self.wires.put_back(line, link);
        }
        let apart = std::mem::replace(&mut self.lines[line], taken);
        if apart.first().is_some() {
            self.join_late(line, apart);
        }
        self.reschedule_line(line);
    }

    #[cold]
    #[inline(never)]
    fn join_late(&mut self, line: usize, mut apart: DelayLine) {
        while let Some(&Waiting { due, packet }) = apart.first() {
            self.wait(line as u32, due, &packet);
            apart.leave(1, &mut self.pages);
        }
    }

    /// Returns the instant before which the line's packets may enter one after the other as long as no flow acts: no other event can come between
    /// them.
    #[inline]
    pub fn safe_until(&self, now: Time, line: usize) -> Time {
        (now + self.lookaheads[line]).min(self.wires.horizon())
    }

    /// Returns until when a line without lookahead may go on because it has the next event at `due`: to just behind `due`. `None` if something
    /// else in the network acts by then.
    #[inline]
    pub fn settled_at(&self, due: Time, line: usize) -> Option<Time> {
        if due >= self.media_schedule.first().0 || due >= self.wires.horizon() {
            return None;
        }
        let joined = self.lines[line].next_deadline().at;
        let others = self.schedule.first_beside(self.line_slot(line)).at;
        (due < joined.min(others)).then_some(due + Span(1))
    }

    /// Sets the line's deadline after its packets have entered.
    #[inline]
    pub fn reschedule_line(&mut self, line: usize) {
        self.schedule.set(self.line_slot(line), self.lines[line].next_deadline());
    }

    /// Prefetches the state that the next packets of a line need, once for each batch.
    #[inline(always)]
    pub fn prefetch(&self, line: &mut DelayLine, flows: &[Flow]) {
        if let Some(from) = line.begin_batch() {
            self.prefetch_batch(line, flows, from);
        }
    }

    /// Prefetches the flows of the next batch, and the links that the flows of this batch name. For a line's first batch nothing was prefetched
    /// before, so its own flows come first. With a calendar a batch is a day, and the packets of the batch after the next one are prefetched, too.
    #[inline(never)]
    fn prefetch_batch(&self, line: &DelayLine, flows: &[Flow], from: usize) {
        let end = |waiting: &Waiting| {
            let to = waiting.packet.to;
            (&flows[to.flow() as usize], to.side())
        };
        let prefetch_flow = |waiting: &Waiting| {
            let (flow, side) = end(waiting);
            flow.prefetch(side);
        };
        let prefetch_links = |waiting: &Waiting| {
            let (flow, side) = end(waiting);
            let of = |link: u32| self.wires.links.drop_tail.get(link as usize);
            flow.links(side).into_iter().filter_map(of).for_each(|link| prefetch(link, 0));
        };
        if let Some(calendar) = line.calendar() {
            calendar.tomorrow(&self.pages).for_each(prefetch_flow);
            calendar.today().iter().for_each(prefetch_links);
            calendar.prefetch_after_tomorrow(&self.pages);
            return;
        }
        let flows_from = if from == 0 { 0 } else { from + PREFETCH_BATCH };
        line.batch(flows_from, from + 2 * PREFETCH_BATCH - flows_from).for_each(prefetch_flow);
        line.batch(from, PREFETCH_BATCH).for_each(prefetch_links);
    }

    /// Ends a transmission on a link with a discipline. Returns the next packet to be transmitted, if any, with its arrival at its next step.
    pub fn act_queue(&mut self, now: Time, queue: usize) -> Option<(Time, Packet)> {
        let held = self.wires.links.queued[queue].link.queue_packets();
        self.wires.links.queued[queue].link.on_deadline(now);
        self.after_queue(now, queue, held)
    }

    /// Lets a medium act. The caller must take the packets that it delivers, then call [`Network::after_medium`].
    #[inline]
    pub fn act_medium(&mut self, now: Time, channel: usize) -> Frames {
        let Brought { frames, emptied } = self.channels[channel].medium.on_deadline(now);
        if emptied {
            self.schedule_after_emptied(channel);
        }
        frames
    }

    /// Schedules an event for the next arrival at each station that has run out of frames.
    #[inline]
    fn schedule_after_emptied(&mut self, channel: usize) {
        while let Some(station) = self.channels[channel].medium.poll_emptied() {
            self.schedule_next_arrival(channel, station);
        }
    }

    /// Advances a packet delivered to station `to` as far as possible without an event. Returns its arrival time if it reached its endpoint.
    pub fn leave_wlan(&mut self, now: Time, channel: usize, to: u32, packet: &mut Packet) -> Option<Time> {
        let due = self.channels[channel].pass(now, to, packet, |at| self.wires.routes.leads_to_wire(at))?;
        self.leave_host(now, due, packet)
    }

    /// Advances a packet that leaves the stack of a host at `due` as far as possible without an event. Returns its arrival time if it reached its
    /// endpoint.
    #[inline(always)]
    pub fn leave_host(&mut self, now: Time, due: Time, packet: &mut Packet) -> Option<Time> {
        if due == now {
            self.wires.go_last(now, packet.at);
        }
        self.travel(due, packet)
    }

    /// Whether a medium may act several times in a row: it is the only one, and nothing traces what it does.
    pub fn medium_is_alone(&self) -> bool {
        self.channels.len() == 1 && self.wires.tracer.is_none()
    }

    /// Returns when a medium that has just acted does so again, if nothing else in the network is due by then.
    #[inline]
    pub fn acts_again(&self, channel: usize) -> Option<Time> {
        let due = self.channels[channel].medium.next_deadline();
        (due < self.schedule.first().0.at && due < self.wires.horizon()).then_some(due)
    }

    /// Updates schedule and traces after a medium has acted or been given a frame.
    #[inline]
    pub fn after_medium(&mut self, now: Time, channel: usize) {
        self.media_schedule.set(channel, self.channels[channel].medium.next_deadline());
        if let Some(tracer) = &mut self.wires.tracer {
            let on_air = &self.channels[channel];
            cold(move || tracer.note_stations(now, on_air));
        }
    }

    /// Lets a scheduled packet arrive at an empty interface queue.
    fn admit(&mut self, now: Time, channel: usize, station: u32) {
        self.channels[channel].medium.admit(now, station);
        self.schedule_after_emptied(channel);
        self.schedule_next_arrival(channel, station);
        self.media_schedule.set(channel, self.channels[channel].medium.next_deadline());
    }

    /// Schedules an event for a station's next scheduled arrival, which needs one if the interface queue is empty then.
    pub fn schedule_next_arrival(&mut self, channel: usize, station: u32) {
        if let Some(line) = self.scheduled_arrivals.line(channel, station) {
            let coming = self.channels[channel].medium.next_arrival(station);
            self.schedule.set(self.line_slot(line), coming);
        }
    }

    /// Updates schedule and traces after a change of settings, which may have moved the deadlines of media and of links with a discipline. `held`
    /// has the number of packets that each of these links held before. Returns the packets whose transmissions start, because no shaper holds them back
    /// any longer, with their arrivals at their next steps.
    pub fn after_change(&mut self, now: Time, held: &[u32]) -> Vec<(Time, Packet)> {
        let started =
            (0..).zip(held).filter_map(|(queue, &held)| self.after_queue(now, queue, held)).collect();
        (0..self.channels.len()).for_each(|channel| self.after_medium(now, channel));
        started
    }

    /// Updates schedule and traces after a link with a discipline, which held `held` packets, has been given a packet or has sent one. Returns the
    /// packet whose transmission starts, if any, and its arrival at its next step.
    fn after_queue(&mut self, now: Time, queue: usize, held: u32) -> Option<(Time, Packet)> {
        let queued = &mut self.wires.links.queued[queue];
        let started = queued.poll_start();
        self.schedule.set(queue, queued.link.next_deadline());
        if let Some(tracer) = &mut self.wires.tracer {
            let direction = self.wires.links.queued[queue].direction;
            let link = &self.wires.links.queued[queue].link;
            tracer.note_queue(now, direction, held, link.queue_packets());
            tracer.note_drops(now, direction, link.stats().dropped);
        }
        started
    }

    /// Puts a packet into the queue of a link with a discipline or of a wireless station. Returns the packet whose transmission on a link starts,
    /// if any, and its arrival at its next step.
    #[inline(never)]
    pub fn enter_queue(&mut self, now: Time, packet: Packet) -> Option<(Time, Packet)> {
        match self.wires.routes.step(packet.at) {
            Step::QueuedLink { queue, .. } => {
                let queue = queue as usize;
                let held = self.wires.links.queued[queue].link.queue_packets();
                self.wires.links.offer(now, queue, packet);
                return self.after_queue(now, queue, held);
            }
            Step::Wlan { hop, .. } => {
                let hop = self.wires.routes.wlan_hop(hop);
                self.channels[hop.channel as usize].enqueue(now, &hop, packet);
                self.schedule_after_emptied(hop.channel as usize);
                self.after_medium(now, hop.channel as usize);
            }
            Step::Link(_) | Step::SharedLink { .. } | Step::End => {}
        }
        None
    }

    /// Advances a packet that reaches its next step at `due` as far as possible without an event. Returns its arrival time if it reached its
    /// endpoint.
    #[inline(always)]
    pub fn travel(&mut self, due: Time, packet: &mut Packet) -> Option<Time> {
        let mut course = packet.course(due);
        let leg = self.wires.routes.leg(course.at);
        let stop = self.wires.fly(&mut course, leg, false);
        (packet.at, packet.phase) = (course.at, course.due.phase);
        if stop == Stop::ENDPOINT {
            return Some(course.due.at);
        }
        self.halt(stop, course.due.at, packet);
        None
    }

    /// Lets a packet that goes no further before `due` wait where it stops.
    #[inline(always)]
    pub fn halt(&mut self, stop: Stop, due: Time, packet: &Packet) {
        if let Some(line) = stop.line() {
            return self.wait(line, due, packet);
        }
        self.stop_at(stop, due, packet);
    }

    /// Like [`Network::halt`], but for a stop that is not a delay line.
    #[inline(always)]
    pub fn stop_at(&mut self, stop: Stop, due: Time, packet: &Packet) {
        if stop != Stop::LOST {
            self.aside = Waiting { due, packet: *packet };
            self.halt_aside(stop);
        }
    }

    #[inline(never)]
    fn halt_aside(&mut self, stop: Stop) {
        if stop == Stop::HORIZON {
            self.deferred.push((self.aside.due, self.aside.packet));
        } else if let Step::Wlan { hop, line } = self.wires.routes.step(self.aside.packet.at) {
            self.reach_interface(hop, line);
        }
    }

    /// Handles the packet [aside](Network::aside), which reaches the stack of a wireless station's host.
    fn reach_interface(&mut self, hop: u32, line: u32) {
        let hop = self.wires.routes.wlan_hop(hop);
        let WlanHop { channel, from, delay, scheduled, .. } = hop;
        let on_air = &mut self.channels[channel as usize];
        self.aside.due += delay;
        let Waiting { due, packet } = &self.aside;
        if !scheduled {
            let (due, packet) = (*due, *packet);
            return self.wait(line, due, &packet);
        }
        match on_air.schedule_arrival(&hop, *due, packet) {
            ScheduledArrival::Behind => {}
            ScheduledArrival::First => self.schedule_next_arrival(channel as usize, from),
            ScheduledArrival::OutOfOrder => self.wait_aside(self.lines.len() - 1),
        }
    }

    /// Returns the arrivals at the interface queue of packets that take this hop over the air: see [`Channel::arrivals`]. `due` is when they reach
    /// the host's stack there; it becomes the time of their arrival at the queue.
    #[inline(always)]
    fn arrivals(&mut self, hop: u32, due: &mut Moment) -> Option<Arrivals<'_, Packet>> {
        let hop = self.wires.routes.wlan_hop(hop);
        due.at = due.at.plus(hop.delay);
        self.channels[hop.channel as usize].arrivals(&hop)
    }

    // Apart from `room_for_ack`, because a receiver sends one ACK at a time, a sender often several segments.
    #[inline(never)]
    fn arrivals_of_segments(&mut self, hop: u32, due: &mut Moment) -> Option<Arrivals<'_, Packet>> {
        self.arrivals(hop, due)
    }

    #[inline(never)]
    fn room_for_ack(&mut self, hop: u32, mut due: Moment, bytes: u32) -> Option<(&mut Packet, bool)> {
        self.arrivals(hop, &mut due)?.into_room(due, bytes)
    }

    /// Schedules an event for the packet that takes this hop over the air and is the first at its interface queue.
    #[cold]
    #[inline(never)]
    fn schedule_first_arrival(&mut self, hop: u32) {
        let WlanHop { channel, from, .. } = self.wires.routes.wlan_hop(hop);
        self.schedule_next_arrival(channel as usize, from);
    }

    /// Lets a packet wait in a line.
    #[inline(never)]
    fn wait(&mut self, line: u32, due: Time, packet: &Packet) {
        let (room, place) = self.room_in(line, packet.course(due).key());
        *room = Waiting { due, packet: *packet };
        self.take_place(line, place);
    }

    /// Makes room in a line, or [aside](Network::aside) if a packet with this key would break the line's order. The caller fills it in, then calls
    /// [`Network::take_place`].
    #[inline(never)]
    fn room_in(&mut self, line: u32, key: Key) -> (&mut Waiting, Place) {
        match self.lines[line as usize].room_for(key, &mut self.pages) {
            Some((room, is_first)) => (room, if is_first { Place::First } else { Place::Behind }),
            None => (&mut self.aside, Place::Aside),
        }
    }

    /// Puts the packet that was written into the room at its place in the line, and updates the schedule.
    #[inline(never)]
    fn take_place(&mut self, line: u32, place: Place) {
        match place {
            Place::Behind => {}
            Place::First => self.reschedule_line(line as usize),
            Place::Aside => self.wait_aside(line as usize),
        }
    }

    /// Lets the packet [aside](Network::aside) wait in a line, at its place in the order.
    #[inline(never)]
    fn wait_aside(&mut self, line: usize) {
        if self.lines[line].add(&self.aside, &mut self.pages) {
            self.reschedule_line(line);
        }
    }

    /// Delivers a packet that reaches its endpoint at `due`, or lets it wait if the endpoint is not ready. Returns whether the flow may have to be
    /// called earlier than before.
    #[inline(always)]
    pub fn arrive(&mut self, flow: &mut Flow, due: Time, packet: &Packet) -> bool {
        let (side, moment) = (packet.to.side(), Moment::new(due, packet.phase));
        if self.wires.is_ready(flow, due, side) {
            // The receiver's part is short enough to be inlined here.
            match side {
                Side::Sender => self.deliver_to_sender(flow, moment, packet),
                Side::Receiver => self.deliver_to(flow, moment, side, packet, false),
            }
        } else {
            self.aside = Waiting { due, packet: *packet };
            self.hold_back_aside(flow);
            true
        }
    }

    /// Runs the timers of a side that are due before `until`. No packet may arrive there before `until`. That holds if a packet that arrives at
    /// `until` has just crossed the last shared link: answers to what the timers send enter that link later.
    #[inline(never)]
    pub fn run_timers_before(&mut self, flow: &mut Flow, until: Time, side: Side) {
        while until <= self.wires.horizon()
            && let Some(at) = flow.timer_before(until, side)
        {
            flow.on_timer(at, side);
            self.drain(flow, at, side);
        }
    }

    /// Delivers a packet to an endpoint that is ready. Returns whether the flow may have to be called earlier than before.
    #[inline(always)]
    pub fn deliver(&mut self, flow: &mut Flow, due: Moment, packet: &Packet) -> bool {
        match packet.to.side() {
            Side::Sender => self.deliver_to_sender(flow, due, packet),
            Side::Receiver => self.deliver_to_receiver(flow, due, packet),
        }
    }

    // Compiled for each side separately: the two have little in common.
    #[inline(never)]
    fn deliver_to_sender(&mut self, flow: &mut Flow, due: Moment, packet: &Packet) -> bool {
        self.deliver_to(flow, due, Side::Sender, packet, false)
    }

    #[inline(never)]
    fn deliver_to_receiver(&mut self, flow: &mut Flow, due: Moment, packet: &Packet) -> bool {
        self.deliver_to(flow, due, Side::Receiver, packet, false)
    }

    /// Like [`Network::deliver`], compiled into the caller, for a side that is known there. `is_clear`: whether the caller knows that `due` is before
    /// [`Wires::clear_until`].
    #[inline(always)]
    pub fn deliver_to(
        &mut self,
        flow: &mut Flow,
        due: Moment,
        side: Side,
        packet: &Packet,
        is_clear: bool,
    ) -> bool {
        let is_watched = side == Side::Sender && self.watches_senders;
        let Some(mut end) = flow.tcp_end(side).filter(|_| !is_watched) else {
            flow.on_arrival(due, side, packet);
            self.drain(flow, due.at, side);
            return true;
        };
        if end.on_arrival(due, side, packet) {
            return self.after_session(flow, due.at, side);
        }
        if let Some((arrival, packet)) = self.send_ordinary(&mut end, due.at, side, is_clear) {
            self.arrive_within(flow, arrival, packet);
            self.send_all(flow, due.at, side);
            return true;
        }
        if end.may_have_more(side) {
            let wake = flow.wake();
            self.send_others_of_tcp(flow, due.at, side);
            return flow.wake() < wake;
        }
        end.advance_wake(side)
    }

    /// Handles the end of a session at `at`, after which there may be more to send.
    #[cold]
    #[inline(never)]
    fn after_session(&mut self, flow: &mut Flow, at: Time, side: Side) -> bool {
        flow.on_session_end(at);
        self.send_all(flow, at, side);
        true
    }

    /// Lets the packet [aside](Network::aside) wait, which reaches an endpoint that cannot take it yet.
    #[cold]
    #[inline(never)]
    fn hold_back_aside(&mut self, flow: &mut Flow) {
        let Waiting { due, packet } = self.aside;
        if due >= self.wires.horizon() && flow.is_reactive(packet.to.side()) {
            self.deferred.push((due, packet));
        } else {
            flow.expect(due, packet);
        }
    }

    /// Sends all packets that one side of a flow can send at `at`.
    #[inline(never)]
    pub fn drain(&mut self, flow: &mut Flow, at: Time, side: Side) {
        // Note this before anything is sent: over links of its flow's own, a packet may get to the other side within `send_all`. That side then
        // sends at a later time.
        if side == Side::Sender {
            flow.note_cwnd(at);
            if let Some(tracer) = &mut self.wires.tracer {
                tracer.note_sender(at, flow);
            }
        }
        // Timers mostly release segments that are not ordinary.
        if flow.tcp_end(side).is_some_and(|end| end.has_ordinary(side)) {
            self.send_all(flow, at, side);
        } else {
            self.send_others(flow, at, side);
        }
    }

    #[inline(never)]
    pub fn send_all(&mut self, flow: &mut Flow, at: Time, side: Side) {
        while let Some(mut end) = flow.tcp_end(side)
            && let Some((due, packet)) = self.send_ordinary(&mut end, at, side, false)
        {
            self.arrive_within(flow, due, packet);
        }
        self.send_others(flow, at, side);
    }

    /// Sends ordinary packets until one gets to the other side at once; returns that packet with its arrival. `None` once no ordinary packet is
    /// left. `is_clear`: whether the caller knows that `at` is before [`Wires::clear_until`].
    #[inline(always)]
    fn send_ordinary(
        &mut self,
        end: &mut TcpEnd<'_>,
        at: Time,
        side: Side,
        is_clear: bool,
    ) -> Option<(Time, Packet)> {
        loop {
            let (mut course, leg) = end.next(at, side)?;
            let stop = self.wires.fly(&mut course, leg, is_clear);
            if let Some(line) = stop.line() {
                self.let_wait(end, at, side, line, &course);
            } else if stop == Stop::ENDPOINT {
                return Some((course.due.at, end.take(at, side, &course)));
            } else if stop.hop().is_none_or(|hop| !self.send_to_interface(end, at, side, &course, leg, hop)) {
                self.stop_at(stop, course.due.at, &end.take(at, side, &course));
            }
            if side == Side::Receiver {
                // A receiver has no further one: the compiler can do without a loop.
                return None;
            }
        }
    }

    /// Schedules the next packet of an end at the interface queue before this hop, and those behind it that take the same course. Returns `false`
    /// if the packet must be scheduled otherwise.
    #[inline(always)]
    fn send_to_interface(
        &mut self,
        end: &mut TcpEnd<'_>,
        at: Time,
        side: Side,
        course: &Course,
        leg: Leg,
        hop: u32,
    ) -> bool {
        let is_first = match side {
            Side::Receiver => {
                let Some((room, is_first)) = self.room_for_ack(hop, course.due, course.bytes) else {
                    return false;
                };
                *room = end.take(at, side, course);
                is_first
            }
            Side::Sender => {
                let mut due = course.due;
                let Some(mut arrivals) = self.arrivals_of_segments(hop, &mut due) else { return false };
                let Some((room, is_first)) = arrivals.room(due, course.bytes) else { return false };
                *room = end.take(at, side, course);
                // Behind a link, each packet would come at an instant of its own.
                while leg.link == Leg::NO_LINK
                    && end.has_ordinary(side)
                    && let Some((room, _)) = arrivals.room(due, course.bytes)
                {
                    *room = end.take(at, side, course);
                }
                is_first
            }
        };
        if is_first {
            self.schedule_first_arrival(hop);
        }
        true
    }

    /// Lets the next packet of an end wait in a line. The packet is made once there is room for it: before, it would have to lie in memory
    /// elsewhere.
    #[inline(always)]
    fn let_wait(&mut self, end: &mut TcpEnd<'_>, at: Time, side: Side, line: u32, course: &Course) {
        if let Some(room) = self.lines[line as usize].room_behind(course.due) {
            *room = Waiting { due: course.due.at, packet: end.take(at, side, course) };
        } else {
            let (room, place) = self.room_in(line, course.key());
            *room = Waiting { due: course.due.at, packet: end.take(at, side, course) };
            if place != Place::Behind {
                self.take_place(line, place);
            }
        }
    }

    /// Sends all packets that are not ordinary. No ordinary ones may be left.
    fn send_others(&mut self, flow: &mut Flow, at: Time, side: Side) {
        if flow.tcp_end(side).is_some() {
            self.send_others_of_tcp(flow, at, side);
        } else {
            self.send_datagrams(flow, at, side);
        }
    }

    /// Like `send_others`, but for an endpoint that is TCP.
    #[inline(always)]
    fn send_others_of_tcp(&mut self, flow: &mut Flow, at: Time, side: Side) {
        match side {
            Side::Sender => self.send_segments(flow, at),
            Side::Receiver => self.send_acks(flow, at),
        }
    }

    // Compiled for each kind separately: all that is known of a packet's body stays in registers.
    #[inline(never)]
    fn send_segments(&mut self, flow: &mut Flow, at: Time) {
        while flow.may_have_more(Side::Sender)
            && let Some(next) = flow.next_segment(at)
        {
            self.launch(flow, next);
        }
        flow.advance_wake(Side::Sender);
    }

    #[inline(never)]
    fn send_acks(&mut self, flow: &mut Flow, at: Time) {
        while flow.may_have_more(Side::Receiver)
            && let Some(next) = flow.next_ack(at)
        {
            self.launch(flow, next);
        }
        flow.advance_wake(Side::Receiver);
    }

    /// Sends the packets of an endpoint that is not TCP.
    #[inline(never)]
    fn send_datagrams(&mut self, flow: &mut Flow, at: Time, side: Side) {
        while let Some(next) = flow.next_other(at, side) {
            self.launch(flow, next);
        }
        flow.advance_wake(side);
    }

    /// Sends a packet as far as it can go.
    #[inline(always)]
    fn launch(&mut self, flow: &mut Flow, (unsent, mut course, leg): (Unsent, Course, Leg)) {
        let stop = self.wires.fly(&mut course, leg, false);
        if let Some(line) = stop.line() {
            if let Some(room) = self.lines[line as usize].room_behind(course.due) {
                *room = Waiting { due: course.due.at, packet: unsent.on(&course) };
                return;
            }
            let (room, place) = self.room_in(line, course.key());
            *room = Waiting { due: course.due.at, packet: unsent.on(&course) };
            if place != Place::Behind {
                self.take_place(line, place);
            }
        } else if stop == Stop::ENDPOINT {
            self.arrive_within(flow, course.due.at, unsent.on(&course));
        } else {
            self.stop_at(stop, course.due.at, &unsent.on(&course));
        }
    }

    /// Delivers a packet that has the whole path to itself: the other side of the flow receives it before this one has sent the next.
    #[inline(never)]
    fn arrive_within(&mut self, flow: &mut Flow, due: Time, packet: Packet) {
        let sending = packet.to.side().other();
        flow.set_sending(sending, true);
        self.arrive(flow, due, &packet);
        flow.set_sending(sending, false);
    }

    /// Returns the slot of a line in the schedule.
    #[inline]
    fn line_slot(&self, line: usize) -> usize {
        self.wires.links.queued.len() + line
    }
}

/// Runs code that few runs need, out of line. The action captures copies (`move`): captured references would force
/// the originals into memory in all runs.
#[cold]
#[inline(never)]
fn cold(action: impl FnOnce()) {
    action();
}
