//! Packets on their way: over links and media, and in the lines before them.
//!
//! A packet travels as far as nothing else can interfere, all at once: over links that only its own kind enters,
//! through a host's stack, into an endpoint whose timers are not due before. It waits, at the price of an event,
//! where others enter too. What is recorded is the same as if every step were an event; `reference.rs` holds it to that.

use crate::delay_line::{DelayLine, Joined, OutOfOrderQueue};
use crate::flow::{Flow, Side};
use crate::links::Links;
use crate::packet::{LinkPacket, Packet};
use crate::route::{Routes, Step, WlanHop};
use crate::schedule::Schedule;
use crate::scheduled_arrivals::ScheduledArrivals;
use crate::tracer::Tracer;
use crate::wlan::Wlan;
use airfair_core::{Moment, Span, Time};
use airfair_net::Transit;
use airfair_wifi::{Delivery, ScheduledArrival};

/// All that is between the flows' endpoints.
#[derive(Debug)]
pub struct Network {
    /// The next instant at which counts are read; nothing is done ahead of time across it.
    pub horizon: Time,
    /// Packets that got as far as the horizon, each with when it gets to its next step. Their order is that in which
    /// they would have gone on.
    pub deferred: Vec<(Time, Packet)>,
    /// The wired links.
    pub links: Links,
    /// The wireless networks.
    pub wlans: Vec<Wlan>,
    /// What is recorded over time.
    pub tracer: Option<Box<Tracer>>,
    /// Links with a discipline, then lines.
    schedule: Schedule<Moment>,
    /// Media: there is one, mostly, and it acts with every packet.
    media_schedule: Schedule,
    scheduled_arrivals: ScheduledArrivals,
    routes: Routes,
    lines: Vec<DelayLine>,
    /// How far each line's packets may enter their place before others have acted: see [`lookahead`](crate::lookahead).
    lookaheads: Vec<Span>,
    out_of_order: OutOfOrderQueue,
}

/// What acts next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A packet leaves this link with a discipline.
    Queue(usize),
    /// The first packet of this line enters its place.
    Line(usize),
    /// The first packet of those that are out of order enters its place.
    OutOfOrder,
    /// This medium ends an exchange.
    Medium(usize),
}

impl Network {
    /// Nothing is on its way yet.
    pub fn new(
        mut routes: Routes,
        lookaheads: Vec<Span>,
        links: Links,
        wlans: Vec<Wlan>,
        tracer: Option<Box<Tracer>>,
        horizon: Time,
    ) -> Network {
        let watched = tracer.as_ref().is_some_and(|tracer| tracer.watches_stations());
        let scheduled_arrivals =
            if watched { ScheduledArrivals::default() } else { ScheduledArrivals::new(&wlans, &mut routes) };
        let lines: Vec<_> = std::iter::repeat_with(DelayLine::default).take(routes.lines()).collect();
        Network {
            horizon,
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

    /// Who acts next and when. At the same moment it is in the order of [`Actor`]'s kinds; media act at the end of an instant.
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

    /// Whether the line's place is an interface queue that keeps its packets itself. If so, the one that is due enters.
    #[inline]
    pub fn admit_scheduled(&mut self, now: Time, line: usize) -> bool {
        let place = self.scheduled_arrivals.place(line);
        if let Some((air, station)) = place {
            self.admit(now, air, station);
        }
        place.is_some()
    }

    /// The first packet of the line, and when it is due at its place.
    #[inline]
    pub fn first_in_line(&self, line: usize) -> Option<&(Time, Packet)> {
        self.lines[line].first()
    }

    /// That packet leaves the line; when the next one is due, if that is before `until`. After the last that is to enter now, the
    /// line wants [`Network::reschedule_line`].
    #[inline]
    pub fn leave_line(&mut self, line: usize, until: Time) -> Option<Time> {
        let line = &mut self.lines[line];
        line.leave();
        line.first().map(|&(due, _)| due).filter(|&due| due < until)
    }

    /// A packet that is out of order and due at its place.
    #[inline]
    pub fn poll_out_of_order(&mut self, now: Time) -> Option<Packet> {
        self.out_of_order.poll(now)
    }

    /// Of the line's packets, those due before this instant may enter their place one after the other, as long as no flow acts:
    /// nothing else that is still to happen comes between them.
    #[inline]
    pub fn safe_until(&self, now: Time, line: usize) -> Time {
        (now + self.lookaheads[line]).min(self.out_of_order.next_deadline().at).min(self.horizon)
    }

    /// The line's packets that were to enter now have done so.
    #[inline]
    pub fn reschedule_line(&mut self, line: usize) {
        self.schedule.set(self.line_slot(line), self.lines[line].next_deadline());
    }

    /// Reads what the next few packets of a line will need, or of those out of order, unless that was done. Each would wait for
    /// one cache miss after the other when its turn comes; like this the misses of several packets overlap.
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
            let (flow, side) = (&flows[packet.flow as usize], packet.side());
            loaded ^= flow.prefetch(side);
            for at in [packet.at + 1, flow.path(side)] {
                loaded ^= prefetch_links(&self.routes, &self.links, at);
            }
        }
        // So that the compiler does not find out that nobody wants to know.
        std::hint::black_box(loaded);
    }

    /// A packet leaves a link with a discipline. When the next one's transmission is over, that one arrives at its next step.
    pub fn act_queue(&mut self, now: Time, queue: usize) -> Option<(Time, Packet)> {
        let held = self.links.queued[queue].link.queue_packets();
        self.links.queued[queue].link.on_deadline(now);
        self.after_queue(now, queue, held)
    }

    /// A medium ends an exchange: the packet that has come over it.
    pub fn act_medium(&mut self, now: Time, air: usize) -> Option<&Delivery<Packet>> {
        self.wlans[air].bss.on_deadline(now);
        while let Some(station) = self.wlans[air].bss.poll_emptied() {
            self.schedule_next_arrival(air, station);
        }
        self.after_medium(now, air);
        self.wlans[air].bss.delivery()
    }

    /// A packet has come over a medium to station `to`, and goes on as far as it can: when it is at the end of its path, if it gets
    /// there.
    #[inline]
    pub fn leave_wlan(&mut self, now: Time, air: usize, to: u32, packet: &mut Packet) -> Option<Time> {
        let due = self.wlans[air].pass(now, to, packet, |at| self.routes.leads_to_wire(at))?;
        self.travel(due, packet)
    }

    /// A medium has acted or been given a frame.
    #[inline]
    fn after_medium(&mut self, now: Time, air: usize) {
        self.media_schedule.set(air, self.wlans[air].bss.next_deadline());
        if let Some(tracer) = &mut self.tracer {
            let bss = &self.wlans[air].bss;
            cold(move || tracer.note_stations(now, air, bss));
        }
    }

    /// A packet that was announced comes to an empty interface queue.
    fn admit(&mut self, now: Time, air: usize, station: u32) {
        self.wlans[air].bss.admit(now, station);
        self.schedule_next_arrival(air, station);
        self.media_schedule.set(air, self.wlans[air].bss.next_deadline());
    }

    /// An announced packet needs an event of its own if it finds the interface queue empty.
    fn schedule_next_arrival(&mut self, air: usize, station: u32) {
        if let Some(line) = self.scheduled_arrivals.line(air, station) {
            let coming = self.wlans[air].bss.next_arrival(station);
            self.schedule.set(self.line_slot(line), coming);
        }
    }

    /// A link with a discipline, which held so many packets, has been given one or has sent one. If it starts to send
    /// another, all is known of that.
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

    /// A packet enters a place that others enter, too, and goes on as far as it can: when it is at the end of its path, if it gets
    /// there.
    #[inline(always)]
    pub fn take_step(&mut self, now: Time, packet: &mut Packet) -> Option<Time> {
        match self.routes.step(packet.at) {
            Step::Link { link } | Step::SharedLink { link, .. } => {
                let arrives = self.enter(now, link, packet)?;
                packet.at += 1;
                self.travel(arrives, packet)
            }
            Step::QueuedLink { queue, .. } => {
                let queue = queue as usize;
                let held = self.links.queued[queue].link.queue_packets();
                self.links.offer(now, queue, *packet);
                let (arrives, started) = self.after_queue(now, queue, held)?;
                *packet = started;
                self.travel(arrives, packet)
            }
            Step::Wlan { hop, .. } => {
                let WlanHop { wlan, from, to, .. } = self.routes.wlan_hop(hop);
                self.wlans[wlan as usize].enqueue(now, from, to, *packet);
                self.after_medium(now, wlan as usize);
                None
            }
            Step::End => None,
        }
    }

    /// A packet gets to its next step at `due`, now or later, and goes on as far as it can: when it is at the end of its path, if it
    /// gets there.
    #[inline(always)]
    pub fn travel(&mut self, mut due: Time, packet: &mut Packet) -> Option<Time> {
        loop {
            match self.routes.step(packet.at) {
                Step::Link { link } => {
                    if due >= self.horizon {
                        self.deferred.push((due, *packet));
                        return None;
                    }
                    due = self.enter(due, link, packet)?;
                    packet.at += 1;
                }
                Step::SharedLink { line, .. } | Step::QueuedLink { line, .. } => {
                    self.wait(due, line, packet);
                    return None;
                }
                Step::Wlan { hop, line } => {
                    let WlanHop { wlan, from, to, scheduled } = self.routes.wlan_hop(hop);
                    let air = &mut self.wlans[wlan as usize];
                    due += air.stack_delay();
                    if !scheduled {
                        self.wait(due, line, packet);
                        return None;
                    }
                    match air.schedule_arrival(from, due, to, packet) {
                        ScheduledArrival::Behind => {}
                        ScheduledArrival::First => self.schedule_next_arrival(wlan as usize, from),
                        ScheduledArrival::OutOfOrder => self.out_of_order.push(due, *packet),
                    }
                    return None;
                }
                Step::End => return Some(due),
            }
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

    /// A packet enters a link at `due`; when it arrives, unless it is dropped or lost.
    #[inline(always)]
    fn enter(&mut self, due: Time, link: u32, packet: &mut Packet) -> Option<Time> {
        let transit = self.links.drop_tail[link as usize].offer(Moment::new(due, packet.phase), packet.bytes);
        if let Some(tracer) = &mut self.tracer {
            let links = &self.links.drop_tail;
            cold(move || {
                tracer.note_drops(due, link as usize, links[link as usize].stats().dropped);
                if let Some(transit) = transit {
                    tracer.note_transit(due, link as usize, transit);
                }
            });
        }
        let Transit { arrives, phase, .. } = transit?;
        packet.phase = phase;
        arrives
    }

    /// A packet gets to the end of its path at `due`. If nothing of its endpoint's own is due by then, the endpoint
    /// can have it at once.
    #[inline]
    pub fn arrive(&mut self, flow: &mut Flow, due: Time, packet: &Packet) {
        // Each side on a path of its own through what follows: the two have little in common.
        match packet.side() {
            Side::Sender => self.arrive_at(Side::Sender, flow, due, packet),
            Side::Receiver => self.arrive_at(Side::Receiver, flow, due, packet),
        }
    }

    #[inline(always)]
    fn arrive_at(&mut self, side: Side, flow: &mut Flow, due: Time, packet: &Packet) {
        let before_horizon = due < self.horizon;
        if before_horizon && flow.is_idle_until(due, side) {
            flow.on_arrival(due, side, packet);
            self.drain(flow, due, side);
        } else if !before_horizon && flow.is_reactive(side) {
            self.deferred.push((due, *packet));
        } else {
            flow.expect(due, *packet);
        }
        flow.advance_wake(side);
    }

    /// Sends whatever one side of a flow has to send at `at`.
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
        while let Some(mut packet) = flow.poll(at, side) {
            if let Some(due) = self.travel(at, &mut packet) {
                // A copy that names its fields: otherwise every packet would have to lie in memory, for the few that get here.
                let Packet { at, flow: id, connection, bytes, phase, body } = packet;
                self.arrive_within(flow, due, Packet { at, flow: id, connection, bytes, phase, body });
            }
        }
    }

    /// The same flow's packet has all its path to itself: its other side has it before this one has sent the next.
    #[inline(never)]
    fn arrive_within(&mut self, flow: &mut Flow, due: Time, packet: Packet) {
        let sending = packet.side().other();
        flow.set_sending(sending, true);
        self.arrive(flow, due, &packet);
        flow.set_sending(sending, false);
    }

    /// Where the schedule has a line.
    #[inline]
    fn line_slot(&self, line: usize) -> usize {
        self.links.queued.len() + line
    }
}

/// Does what few runs need, out of the way of the others. The action has copies of what it needs (`move`): what it referred to
/// would have to lie in memory for all.
#[cold]
#[inline(never)]
fn cold(action: impl FnOnce()) {
    action();
}

/// Reads from all links that a packet goes over ahead of time from a place on.
fn prefetch_links(routes: &Routes, links: &Links, mut at: u32) -> u64 {
    let mut loaded = 0;
    while let Step::Link { link } = routes.step(at) {
        loaded ^= links.drop_tail[link as usize].prefetch();
        at += 1;
    }
    loaded
}
