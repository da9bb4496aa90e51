//! Packets on their way: over links and media, and in the delay lines before merge points.
//!
//! A packet advances at once as far as no other event can interfere: over links with a single feeder, through a
//! host's stack, into an endpoint whose timers are due later. At a merge point it waits for an event. The record is
//! the same as if every step were an event, as the tests of the plain engine check.

use crate::delay_line::{DelayLine, Joined, OutOfOrderQueue, Waiting};
use crate::flow::{Flow, Side};
use crate::links::Links;
use crate::packet::{Course, LinkPacket, Packet};
use crate::route::{Routes, Step, Then, WlanHop};
use crate::schedule::Schedule;
use crate::scheduled_arrivals::ScheduledArrivals;
use crate::tracer::Tracer;
use crate::wlan::Wlan;
use airfair_core::{Moment, Span, Time};
use airfair_net::Transit;
use airfair_wifi::{Delivery, ScheduledArrival};

/// Everything between the flows' endpoints.
#[derive(Debug)]
pub struct Network {
    /// The next instant at which the run pauses, or counts are read; no packet advances beyond it.
    pub horizon: Time,
    /// Packets that reached the horizon, with the arrival at their next step, in the order in which they would have
    /// gone on.
    pub deferred: Vec<(Time, Packet)>,
    /// The wired links.
    pub links: Links,
    /// The wireless networks.
    pub wlans: Vec<Wlan>,
    /// Records time series.
    pub tracer: Option<Box<Tracer>>,
    /// Deadlines of links with a discipline, then of lines.
    schedule: Schedule<Moment>,
    /// Deadlines of media. There is mostly one, and it acts with every packet.
    media_schedule: Schedule,
    scheduled_arrivals: ScheduledArrivals,
    routes: Routes,
    lines: Vec<DelayLine>,
    /// Lookahead of each line.
    lookaheads: Vec<Span>,
    out_of_order: OutOfOrderQueue,
}

/// The next component to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A packet leaves this link with a discipline.
    Queue(usize),
    /// The first packet of this line enters its merge point.
    Line(usize),
    /// The first packet of the out-of-order queue enters its merge point.
    OutOfOrder,
    /// This medium ends an exchange.
    Medium(usize),
}

/// Why a packet goes no further without an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A link dropped or lost it.
    Lost,
    /// It reaches its endpoint.
    Endpoint,
    /// It waits in this line.
    Line(u32),
    /// It reaches the stack of a wireless station's host: the hop, and the line before the interface queue.
    Interface { hop: u32, line: u32 },
    /// It enters a queue.
    Queue,
    /// The run pauses before it reaches the next link.
    Horizon,
}

impl Network {
    /// An empty network.
    pub fn new(
        mut routes: Routes,
        lookaheads: Vec<Span>,
        links: Links,
        wlans: Vec<Wlan>,
        tracer: Option<Box<Tracer>>,
    ) -> Network {
        let watched = tracer.as_ref().is_some_and(|tracer| tracer.watches_stations());
        let scheduled_arrivals =
            if watched { ScheduledArrivals::default() } else { ScheduledArrivals::new(&wlans, &mut routes) };
        let lines: Vec<_> = std::iter::repeat_with(DelayLine::default).take(routes.lines()).collect();
        Network {
            horizon: Time::ZERO,
            deferred: Vec::new(),
            tracer,
            schedule: Schedule::new(links.queued.len() + lines.len()),
            media_schedule: Schedule::new(wlans.len()),
            scheduled_arrivals,
            out_of_order: OutOfOrderQueue::default(),
            links,
            wlans,
            routes,
            lines,
            lookaheads,
        }
    }

    /// The next component to act, and when. At the same moment the order is that of [`Actor`]'s variants; media act
    /// at the end of an instant.
    #[inline]
    pub fn next(&self) -> (Time, Actor) {
        let (at, slot) = self.schedule.first();
        let out_of_order_at = self.out_of_order.next_deadline();
        let (media_at, medium) = self.media_schedule.first();
        if at <= out_of_order_at && at.at <= media_at {
            let first_line = self.line_slot(0);
            (at.at, if slot < first_line { Actor::Queue(slot) } else { Actor::Line(slot - first_line) })
        } else if out_of_order_at.at <= media_at {
            (out_of_order_at.at, Actor::OutOfOrder)
        } else {
            (media_at, Actor::Medium(medium))
        }
    }

    /// Whether the line belongs to an interface queue with scheduled arrivals. If so, the one that is due enters.
    #[inline]
    pub fn admit_scheduled(&mut self, now: Time, line: usize) -> bool {
        let place = self.scheduled_arrivals.place(line);
        if let Some((wlan, station)) = place {
            self.admit(now, wlan, station);
        }
        place.is_some()
    }

    /// The first packet of the line and its arrival time.
    #[inline]
    pub fn first_in_line(&self, line: usize) -> Option<&Waiting> {
        self.lines[line].first()
    }

    /// Removes that packet; returns the arrival of the next one, [`Time::NEVER`] if there is none. After the last packet that enters
    /// now, call [`Network::reschedule_line`].
    #[inline]
    pub fn leave_line(&mut self, line: usize) -> Time {
        let line = &mut self.lines[line];
        line.leave();
        line.first().map_or(Time::NEVER, |first| first.due)
    }

    /// A packet of the out-of-order queue that has arrived.
    #[inline]
    pub fn poll_out_of_order(&mut self, now: Time) -> Option<Packet> {
        self.out_of_order.poll(now)
    }

    /// The line's packets due before this instant may enter one after the other as long as no flow acts: no other
    /// event can come between them.
    #[inline]
    pub fn safe_until(&self, now: Time, line: usize) -> Time {
        (now + self.lookaheads[line]).min(self.out_of_order.next_deadline().at).min(self.horizon)
    }

    /// Sets the line's deadline after its packets have entered.
    #[inline]
    pub fn reschedule_line(&mut self, line: usize) {
        self.schedule.set(self.line_slot(line), self.lines[line].next_deadline());
    }

    /// Reads the state that the next packets of a line (`None`: of the out-of-order queue) will need, if that was not
    /// done yet. Their cache misses overlap here; at each packet's own turn they would come one after the other.
    #[inline]
    pub fn prefetch(&mut self, line: Option<usize>, flows: &[Flow]) {
        let line = match line {
            Some(line) => Some(&mut self.lines[line]),
            None => self.out_of_order.first_line(),
        };
        let Some(line) = line else { return };
        if !line.begins_batch() {
            return;
        }
        let mut loaded = 0;
        for packet in line.batch() {
            let (flow, side) = (&flows[packet.to.flow() as usize], packet.to.side());
            loaded ^= flow.prefetch(side);
            for at in [packet.at + 1, flow.path(side)] {
                loaded ^= prefetch_links(&self.routes, &self.links, at);
            }
        }
        // Keeps the compiler from removing the reads.
        std::hint::black_box(loaded);
    }

    /// A packet leaves a link with a discipline. Returns the next packet to be transmitted, if any, with its arrival
    /// at its next step.
    pub fn act_queue(&mut self, now: Time, queue: usize) -> Option<(Time, Packet)> {
        let held = self.links.queued[queue].link.queue_packets();
        self.links.queued[queue].link.on_deadline(now);
        self.after_queue(now, queue, held)
    }

    /// A medium ends an exchange; returns the delivered packet, if any.
    #[inline]
    pub fn act_medium(&mut self, now: Time, wlan: usize) -> Option<Delivery<Packet>> {
        self.wlans[wlan].bss.on_deadline(now);
        while let Some(station) = self.wlans[wlan].bss.poll_emptied() {
            self.schedule_next_arrival(wlan, station);
        }
        self.after_medium(now, wlan);
        self.wlans[wlan].bss.delivery()
    }

    /// Advances a packet delivered to station `to` as far as possible without an event; returns its arrival time if
    /// it reached its endpoint.
    #[inline]
    pub fn leave_wlan(&mut self, now: Time, wlan: usize, to: u32, packet: &mut Packet) -> Option<Time> {
        let due = self.wlans[wlan].pass(now, to, packet, |at| self.routes.leads_to_wire(at))?;
        self.travel(due, packet)
    }

    /// Updates schedule and traces after a medium has acted or been given a frame.
    #[inline]
    fn after_medium(&mut self, now: Time, wlan: usize) {
        self.media_schedule.set(wlan, self.wlans[wlan].bss.next_deadline());
        if let Some(tracer) = &mut self.tracer {
            let bss = &self.wlans[wlan].bss;
            cold(move || tracer.note_stations(now, wlan, bss));
        }
    }

    /// A scheduled packet arrives at an empty interface queue.
    fn admit(&mut self, now: Time, wlan: usize, station: u32) {
        self.wlans[wlan].bss.admit(now, station);
        self.schedule_next_arrival(wlan, station);
        self.media_schedule.set(wlan, self.wlans[wlan].bss.next_deadline());
    }

    /// A scheduled packet needs an event of its own if the interface queue is empty when it arrives.
    fn schedule_next_arrival(&mut self, wlan: usize, station: u32) {
        if let Some(line) = self.scheduled_arrivals.line(wlan, station) {
            let coming = self.wlans[wlan].bss.next_arrival(station);
            self.schedule.set(self.line_slot(line), coming);
        }
    }

    /// Settings have changed: the deadlines of links with a discipline, which held so many packets before, and of media may have moved.
    pub fn after_change(&mut self, now: Time, held: &[u32]) {
        for (queue, &held) in held.iter().enumerate() {
            // A link that waits for a packet has none that could start.
            let _ = self.after_queue(now, queue, held);
        }
        (0..self.wlans.len()).for_each(|wlan| self.after_medium(now, wlan));
    }

    /// Updates schedule and traces after a link with a discipline, which held `held` packets, has been given a packet
    /// or has sent one. Returns the packet whose transmission starts, if any, and its arrival.
    fn after_queue(&mut self, now: Time, queue: usize, held: u32) -> Option<(Time, Packet)> {
        let link = &mut self.links.queued[queue].link;
        let started = link.poll_start();
        self.schedule.set(queue, link.next_deadline());
        if let Some(tracer) = &mut self.tracer {
            let direction = self.links.queued[queue].direction;
            let link = &self.links.queued[queue].link;
            tracer.note_queue(now, direction, held, link.queue_packets());
            tracer.note_drops(now, direction, link.stats().dropped);
        }
        let (LinkPacket { mut packet, .. }, Transit { arrives, phase, .. }) = started?;
        packet.at += 1;
        packet.phase = packet.phase.moved_to(phase);
        Some((arrives?, packet))
    }

    /// Lets a packet enter its merge point, then advances it as far as possible without an event.
    #[inline(always)]
    pub fn pass_merge_point(&mut self, course: &mut Course) -> Stop {
        let Step::SharedLink { link, .. } = self.routes.step(course.at) else { return Stop::Queue };
        course.due = self.enter(link, course);
        course.at += 1;
        if course.due.at == Time::NEVER { Stop::Lost } else { self.fly(course) }
    }

    /// A packet enters a queue. Returns the packet whose transmission starts, if any, and its arrival.
    #[inline(never)]
    pub fn enter_queue(&mut self, now: Time, packet: Packet) -> Option<(Time, Packet)> {
        match self.routes.step(packet.at) {
            Step::QueuedLink { queue, .. } => {
                let queue = queue as usize;
                let held = self.links.queued[queue].link.queue_packets();
                self.links.offer(now, queue, packet);
                return self.after_queue(now, queue, held);
            }
            Step::Wlan { hop, .. } => {
                let WlanHop { wlan, from, to, .. } = self.routes.wlan_hop(hop);
                self.wlans[wlan as usize].enqueue(now, from, to, packet);
                self.after_medium(now, wlan as usize);
            }
            Step::Link { .. } | Step::SharedLink { .. } | Step::End => {}
        }
        None
    }

    /// Advances a packet that reaches its next hop at `due` as far as possible without an event; returns its arrival
    /// time if it reached its endpoint.
    #[inline(always)]
    pub fn travel(&mut self, due: Time, packet: &mut Packet) -> Option<Time> {
        let mut course = packet.course(due);
        let stop = self.fly(&mut course);
        (packet.at, packet.phase) = (course.at, course.due.phase);
        if stop == Stop::Endpoint {
            return Some(course.due.at);
        }
        self.halt(stop, course.due.at, packet);
        None
    }

    /// Advances a packet as far as possible without an event. It is up to the caller to [halt](Network::halt) it there.
    #[inline(always)]
    fn fly(&mut self, course: &mut Course) -> Stop {
        // The usual steps one by one: a jump through a table costs as much as a link.
        let mut step = self.routes.step(course.at);
        while let Step::Link { link, then } = step {
            if course.due.at >= self.horizon {
                return Stop::Horizon;
            }
            course.due = self.enter(link, course);
            course.at += 1;
            if course.due.at == Time::NEVER {
                return Stop::Lost;
            }
            if then == Then::END {
                return Stop::Endpoint;
            }
            if let Some(line) = then.line() {
                return Stop::Line(line);
            }
            step = self.routes.step(course.at);
        }
        match step {
            Step::SharedLink { line, .. } | Step::QueuedLink { line, .. } => Stop::Line(line),
            Step::Wlan { hop, line } => Stop::Interface { hop, line },
            Step::End => Stop::Endpoint,
            Step::Link { .. } => Stop::Lost,
        }
    }

    /// A packet that has been advanced goes no further before `due`.
    #[inline(always)]
    pub fn halt(&mut self, stop: Stop, due: Time, packet: &Packet) {
        match stop {
            Stop::Line(line) => self.wait(due, line, packet),
            Stop::Interface { hop, line } => self.reach_interface(due, hop, line, packet),
            Stop::Horizon => self.deferred.push((due, *packet)),
            Stop::Lost | Stop::Queue | Stop::Endpoint => {}
        }
    }

    /// A packet reaches the stack of a wireless station's host.
    #[inline(never)]
    fn reach_interface(&mut self, mut due: Time, hop: u32, line: u32, packet: &Packet) {
        let WlanHop { wlan, from, to, scheduled } = self.routes.wlan_hop(hop);
        let network = &mut self.wlans[wlan as usize];
        due += network.stack_delay();
        if !scheduled {
            return self.wait(due, line, packet);
        }
        match network.schedule_arrival(from, due, to, packet) {
            ScheduledArrival::Behind => {}
            ScheduledArrival::First => self.schedule_next_arrival(wlan as usize, from),
            ScheduledArrival::OutOfOrder => self.out_of_order.push(due, *packet),
        }
    }

    #[inline(always)]
    fn wait(&mut self, due: Time, line: u32, packet: &Packet) {
        let line = line as usize;
        match self.lines[line].join(due, packet) {
            Joined::First => self.schedule.set(self.line_slot(line), Moment::new(due, packet.phase)),
            Joined::Behind => {}
            Joined::OutOfOrder => self.out_of_order.push(due, *packet),
        }
    }

    /// A packet enters a link; returns its arrival at the far end, at [`Time::NEVER`] if it is dropped or lost.
    #[inline(always)]
    fn enter(&mut self, link: u32, course: &Course) -> Moment {
        let link = link as usize;
        if self.tracer.is_some() {
            return self.enter_traced(link, course.due, course.bytes);
        }
        self.links.drop_tail[link].carry(course.due, course.bytes)
    }

    #[cold]
    #[inline(never)]
    fn enter_traced(&mut self, link: usize, due: Moment, bytes: u32) -> Moment {
        let transit = self.links.drop_tail[link].offer(due, bytes);
        if let Some(tracer) = &mut self.tracer {
            tracer.note_drops(due.at, link, self.links.drop_tail[link].stats().dropped);
            if let Some(transit) = transit {
                tracer.note_transit(due.at, link, transit);
            }
        }
        transit.map_or(Moment::NEVER, |Transit { arrives, phase, .. }| {
            Moment::new(arrives.unwrap_or(Time::NEVER), phase)
        })
    }

    /// Whether a packet that reaches its endpoint at `due` is delivered at once: the endpoint has nothing to do before.
    #[inline(always)]
    pub fn is_ready(&self, flow: &Flow, due: Time, side: Side) -> bool {
        due < self.horizon && flow.is_idle_until(due, side)
    }

    /// A packet reaches its endpoint at `due`.
    #[inline(never)]
    pub fn arrive(&mut self, flow: &mut Flow, due: Time, packet: &Packet) {
        let side = packet.to.side();
        if self.is_ready(flow, due, side) {
            flow.on_arrival(Moment::new(due, packet.phase), side, packet);
            self.drain(flow, due, side);
        } else {
            self.hold_back(flow, due, packet);
        }
    }

    /// A packet reaches an endpoint that cannot take it yet.
    #[cold]
    #[inline(never)]
    pub fn hold_back(&mut self, flow: &mut Flow, due: Time, packet: &Packet) {
        if due >= self.horizon && flow.is_reactive(packet.to.side()) {
            self.deferred.push((due, *packet));
        } else {
            flow.expect(due, *packet);
        }
    }

    /// Sends all packets that one side of a flow can send at `at`.
    #[inline(always)]
    pub fn drain(&mut self, flow: &mut Flow, at: Time, side: Side) {
        // Before anything is sent: over links of its own a packet may get to the other side within `travel`, which
        // then drains at a later time.
        if side == Side::Sender {
            flow.note_cwnd(at);
            if let Some(tracer) = &mut self.tracer {
                let flow = &*flow;
                cold(move || tracer.note_sender(at, flow));
            }
        }
        while let Some(mut packet) = flow.poll_ordinary(at, side) {
            if let Some(due) = self.travel(at, &mut packet) {
                // A copy field by field: otherwise every packet would be spilled to memory for the few that get here.
                let Packet { at, to, connection, bytes, phase, body } = packet;
                self.arrive_within(flow, due, Packet { at, to, connection, bytes, phase, body });
            }
        }
        if flow.may_have_more(side) {
            self.drain_rest(flow, at, side);
        }
        flow.advance_wake(side);
    }

    /// The same for packets that are not like most.
    #[inline(never)]
    fn drain_rest(&mut self, flow: &mut Flow, at: Time, side: Side) {
        while let Some(mut packet) = flow.poll(at, side) {
            if let Some(due) = self.travel(at, &mut packet) {
                self.arrive_within(flow, due, packet);
            }
        }
    }

    /// A packet has the whole path to itself: the other side of the flow gets it before this one has sent the next.
    #[inline(never)]
    fn arrive_within(&mut self, flow: &mut Flow, due: Time, packet: Packet) {
        let sending = packet.to.side().other();
        flow.set_sending(sending, true);
        self.arrive(flow, due, &packet);
        flow.set_sending(sending, false);
    }

    /// The slot of a line in the schedule.
    #[inline]
    fn line_slot(&self, line: usize) -> usize {
        self.links.queued.len() + line
    }
}

/// Runs code that few runs need, out of line. The action captures copies (`move`): captured references would force
/// the originals into memory in all runs.
#[cold]
#[inline(never)]
fn cold(action: impl FnOnce()) {
    action();
}

/// Reads from all links that a packet crosses at once from this step on.
fn prefetch_links(routes: &Routes, links: &Links, mut at: u32) -> u64 {
    let mut loaded = 0;
    while let Step::Link { link, .. } = routes.step(at) {
        loaded ^= links.drop_tail[link as usize].prefetch();
        at += 1;
    }
    loaded
}
