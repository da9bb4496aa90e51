//! The world and its loop: the earliest deadline acts, packets move on.
//!
//! A packet travels as far as nothing else can interfere, all at once: over links that only its own kind enters,
//! through a host's stack, into an endpoint whose timers are not due before. It waits, at the price of an event,
//! where others enter too. What is recorded is the same as if every step were an event; `reference.rs` holds it to that.
//!
//! When deadlines are equal, packets leaving queues with a discipline come first, then packets entering something shared
//! (line by line, those out of order last), then media, then flows' arrivals and timers; each kind in the scenario's order.

use crate::air::Air;
use crate::announcements::Announcements;
use crate::flow::{Flow, Side};
use crate::line::{Joined, Line, Strays};
use crate::packet::{Packet, Wired};
use crate::record::{self, Counts, Record};
use crate::route::{Routes, Step};
use crate::schedule::Schedule;
use crate::trace::Quantity;
use crate::tracer::Tracer;
use crate::wires::Wires;
use airfair_core::{Span, Time};
use airfair_net::Passage;
use airfair_scenario::resolved::Scenario;
use airfair_wifi::Announced;
use std::collections::BTreeMap;

/// Everything that happens in one run.
#[derive(Debug)]
pub struct World {
    now: Time,
    warmup: Time,
    end: Time,
    /// The next instant at which counts are read; nothing is done ahead of time across it.
    horizon: Time,
    /// Links with a discipline, then lines.
    schedule: Schedule,
    /// Media: there is one, mostly, and it acts with every packet.
    media_schedule: Schedule,
    /// Flows: they act seldom, and would only make the first schedule deeper.
    flow_schedule: Schedule,
    routes: Routes,
    lines: Vec<Line>,
    strays: Strays,
    wires: Wires,
    airs: Vec<Air>,
    announcements: Announcements,
    flows: Vec<Flow>,
    /// Packets that got as far as the horizon, each with when it gets to its next step. Their order is that in which
    /// they would have gone on.
    held: Vec<(Time, Packet)>,
    /// Counts at the end of the warm-up.
    before: Option<Counts>,
    tracer: Option<Box<Tracer>>,
    events: u64,
}

impl World {
    /// A world at time zero.
    pub fn new(scenario: &Scenario, seed: u64, traces: &[Quantity]) -> World {
        let (mut routes, paths) = Routes::new(scenario);
        let warmup = Time::ZERO + scenario.warmup;
        let end = warmup + scenario.duration;
        let wires = Wires::new(scenario, seed, end);
        let mut airs: Vec<_> = scenario.wlans.iter().map(|wlan| Air::new(wlan, seed)).collect();
        airs.iter_mut().for_each(|air| air.keep_for(traces));
        let flows: Vec<_> =
            paths.iter().enumerate().map(|(id, &paths)| Flow::new(scenario, id, paths, seed)).collect();
        let tracer = (!traces.is_empty()).then(|| Box::new(Tracer::new(scenario, traces, warmup)));
        let watched = tracer.as_ref().is_some_and(|tracer| tracer.watches_stations());
        let announcements =
            if watched { Announcements::default() } else { Announcements::new(&airs, &mut routes) };
        let lines: Vec<_> = std::iter::repeat_with(Line::default).take(routes.lines()).collect();
        let mut flow_schedule = Schedule::new(flows.len());
        for (id, flow) in flows.iter().enumerate() {
            flow_schedule.set(id, flow.next_deadline());
        }
        World {
            now: Time::ZERO,
            warmup,
            end,
            horizon: warmup,
            schedule: Schedule::new(wires.queued.len() + lines.len()),
            media_schedule: Schedule::new(airs.len()),
            flow_schedule,
            lines,
            strays: Strays::new(routes.entries()),
            routes,
            wires,
            airs,
            announcements,
            flows,
            held: Vec::new(),
            before: None,
            tracer,
            events: 0,
        }
    }

    /// Lets at most `max_events` components act; `true` once the run is over.
    pub fn step(&mut self, max_events: u64) -> bool {
        for _ in 0..max_events {
            let (packets_at, slot) = self.schedule.first();
            let strays_at = self.strays.next_deadline();
            let (media_at, medium) = self.media_schedule.first();
            let (flows_at, flow) = self.flow_schedule.first();
            let deadline = packets_at.min(strays_at).min(media_at).min(flows_at);
            if deadline >= self.horizon {
                if self.before.is_some() {
                    self.now = self.end;
                    return true;
                }
                self.end_warmup();
                continue;
            }
            self.now = deadline;
            self.events += 1;
            if packets_at == deadline {
                let first_line = self.line_slot(0);
                if slot < first_line { self.act_queue(slot) } else { self.act_line(slot - first_line) }
            } else if strays_at == deadline {
                self.act_stray();
            } else if media_at == deadline {
                self.act_medium(medium);
            } else {
                self.act_flow(flow);
            }
        }
        false
    }

    /// How much of the run is over, from 0 to 1.
    pub fn progress(&self) -> f64 {
        if self.end == Time::ZERO { 1.0 } else { self.now.as_secs() / self.end.as_secs() }
    }

    /// Components that have acted so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What was recorded, once [`World::step`] has returned `true`.
    pub fn record(mut self) -> Record {
        let after = self.counts(self.end);
        let before = self.before.take().unwrap_or_else(|| after.clone());
        let series = self.tracer.map(|tracer| tracer.into_series(self.end)).unwrap_or_default();
        let sessions = self.flows.iter().map(|flow| flow.sessions.all().to_vec()).collect();
        let timeouts = record::timeouts(&self.flows);
        let air = record::turns(&mut self.airs, self.warmup);
        Record {
            warmup: self.warmup,
            end: self.end,
            counts: after.since(&before),
            timeouts,
            sessions,
            series,
            air,
        }
    }

    fn counts(&mut self, now: Time) -> Counts {
        Counts::read(now, &mut self.wires, &mut self.airs, &self.flows)
    }

    /// Reads the counts and lets the packets go that were held for it, a step at a time, the earliest first: each moves
    /// the horizon to just behind itself, and what it would do later is held again. Until all are on their way the
    /// senders only note what arrives.
    fn end_warmup(&mut self) {
        self.now = self.warmup;
        self.before = Some(self.counts(self.warmup));
        self.flows.iter_mut().for_each(|flow| flow.set_sending(Side::Sender, true));
        let mut waiting = BTreeMap::new();
        let mut number = 0u64;
        loop {
            for (due, packet) in self.held.drain(..) {
                waiting.insert((due, number), packet);
                number += 1;
            }
            let Some(((due, _), mut packet)) = waiting.pop_first() else { break };
            if due >= self.end {
                break;
            }
            self.horizon = due + Span(1);
            self.travel(due, &mut packet);
        }
        self.horizon = self.end;
        self.flows.iter_mut().for_each(|flow| flow.set_sending(Side::Sender, false));
    }

    /// Where the schedule has a line.
    #[inline]
    fn line_slot(&self, line: usize) -> usize {
        self.wires.queued.len() + line
    }

    /// A packet leaves a link with a discipline.
    fn act_queue(&mut self, queue: usize) {
        let held = self.wires.queued[queue].link.queue_packets();
        self.wires.queued[queue].link.on_deadline(self.now);
        self.after_queue(queue, held);
    }

    /// A link with a discipline, which held so many packets, has been given one or has sent one. If it starts to send
    /// another, all is known of that.
    fn after_queue(&mut self, queue: usize, held: u32) {
        let link = &mut self.wires.queued[queue].link;
        let started = link.poll_start();
        self.schedule.set(queue, link.next_deadline());
        if let Some(tracer) = &mut self.tracer {
            let direction = self.wires.queued[queue].direction;
            let link = &self.wires.queued[queue].link;
            tracer.note_queue(self.now, direction, held, link.queue_packets());
            tracer.note_drops(self.now, direction, link.stats().dropped);
        }
        if let Some((Wired { mut packet, .. }, Passage { arrives: Some(arrives), .. })) = started {
            packet.at += 1;
            self.travel(arrives, &mut packet);
        }
    }

    fn act_line(&mut self, line: usize) {
        if let Some((air, station)) = self.announcements.place(line) {
            return self.admit(air, station);
        }
        let packet = self.lines[line].poll(self.now);
        self.schedule.set(self.line_slot(line), self.lines[line].next_deadline());
        if let Some(packet) = packet {
            self.take_step(packet);
        }
    }

    fn act_stray(&mut self) {
        if let Some(packet) = self.strays.poll(self.now) {
            self.take_step(packet);
        }
    }

    /// A packet enters a place that others enter, too.
    #[inline]
    fn take_step(&mut self, mut packet: Packet) {
        match self.routes.step(packet.at) {
            Step::Link { link, .. } => {
                if let Some(arrives) = self.enter(self.now, link, packet.bytes) {
                    packet.at += 1;
                    self.travel(arrives, &mut packet);
                }
            }
            Step::Queue { queue, .. } => {
                let queue = queue as usize;
                let held = self.wires.queued[queue].link.queue_packets();
                self.wires.offer(self.now, queue, packet);
                self.after_queue(queue, held);
            }
            Step::Air { wlan, from, to, .. } => self.enqueue(wlan as usize, from, to, packet),
            Step::End => {}
        }
    }

    fn act_medium(&mut self, id: usize) {
        let air = &mut self.airs[id];
        air.bss.on_deadline(self.now);
        self.media_schedule.set(id, air.bss.next_deadline());
        let arrived = air.poll_arrival(self.now, |at| self.routes.leads_to_wire(at));
        while let Some(station) = self.airs[id].bss.poll_run_empty() {
            self.await_coming(id, station);
        }
        if let Some((due, mut packet)) = arrived {
            self.travel(due, &mut packet);
        }
        if let Some(tracer) = &mut self.tracer {
            cold(|| tracer.note_stations(self.now, id, &self.airs[id].bss));
        }
    }

    /// A packet that was announced comes to an empty interface queue.
    fn admit(&mut self, air: usize, station: u32) {
        self.airs[air].bss.admit(self.now, station);
        self.await_coming(air, station);
        self.media_schedule.set(air, self.airs[air].bss.next_deadline());
    }

    /// An announced packet needs an event of its own if it finds the interface queue empty.
    fn await_coming(&mut self, air: usize, station: u32) {
        if let Some(line) = self.announcements.line(air, station) {
            self.schedule.set(self.line_slot(line), self.airs[air].bss.next_coming(station));
        }
    }

    fn act_flow(&mut self, id: usize) {
        while let Some((packet, side)) = self.flows[id].poll_arrival(self.now) {
            self.flows[id].on_arrival(self.now, &packet);
            self.drain(self.now, id, side);
        }
        self.flows[id].on_deadline(self.now);
        self.drain(self.now, id, Side::Sender);
        self.drain(self.now, id, Side::Receiver);
        self.flow_schedule.set(id, self.flows[id].next_deadline());
    }

    /// A packet gets to its next step at `due`, now or later, and goes on as far as it can.
    #[inline]
    fn travel(&mut self, mut due: Time, packet: &mut Packet) {
        loop {
            match self.routes.step(packet.at) {
                Step::Link { link, entry: None } => {
                    if due >= self.horizon {
                        return self.held.push((due, *packet));
                    }
                    match self.enter(due, link, packet.bytes) {
                        Some(arrives) => due = arrives,
                        None => return,
                    }
                    packet.at += 1;
                }
                Step::Link { entry: Some(entry), .. } | Step::Queue { entry, .. } => {
                    return self.wait(due, entry, *packet);
                }
                Step::Air { wlan, from, to, entry, told } => {
                    let air = &mut self.airs[wlan as usize];
                    due += air.stack_delay();
                    if !told {
                        return self.wait(due, entry, *packet);
                    }
                    return match air.announce(from, due, to, packet) {
                        Announced::Behind => {}
                        Announced::Alone => self.await_coming(wlan as usize, from),
                        Announced::OutOfOrder => self.strays.push(entry as usize, due, *packet),
                    };
                }
                Step::End => return self.arrive(due, packet),
            }
        }
    }

    #[inline]
    fn wait(&mut self, due: Time, entry: u32, packet: Packet) {
        let line = self.routes.line(entry);
        match self.lines[line].join(due, packet) {
            Joined::First => self.schedule.set(self.line_slot(line), due),
            Joined::Behind => {}
            Joined::OutOfOrder => self.strays.push(entry as usize, due, packet),
        }
    }

    /// A packet enters a link at `due`; when it arrives, unless it is dropped or lost.
    #[inline]
    fn enter(&mut self, due: Time, link: u32, bytes: u32) -> Option<Time> {
        let passage = self.wires.links[link as usize].offer(due, bytes);
        if let Some(tracer) = &mut self.tracer {
            cold(|| {
                tracer.note_drops(due, link as usize, self.wires.links[link as usize].stats().dropped);
                if let Some(passage) = passage {
                    tracer.note_passage(due, link as usize, passage);
                }
            });
        }
        passage?.arrives
    }

    #[inline]
    fn enqueue(&mut self, air: usize, from: u32, to: u32, packet: Packet) {
        self.airs[air].enqueue(self.now, from, to, packet);
        self.media_schedule.set(air, self.airs[air].bss.next_deadline());
        if let Some(tracer) = &mut self.tracer {
            cold(|| tracer.note_stations(self.now, air, &self.airs[air].bss));
        }
    }

    /// A packet gets to the end of its path at `due`. If nothing of its endpoint's own is due by then, the endpoint
    /// can have it at once.
    #[inline]
    fn arrive(&mut self, due: Time, packet: &Packet) {
        let id = packet.flow as usize;
        let flow = &mut self.flows[id];
        let side = packet.side();
        let in_window = due < self.horizon;
        if in_window && flow.is_undisturbed_until(due, side) {
            flow.on_arrival(due, packet);
            self.drain(due, id, side);
        } else if !in_window && flow.only_answers(side) {
            self.held.push((due, *packet));
            return;
        } else {
            flow.expect(due, *packet);
        }
        self.rearm(id, side);
    }

    /// Sends whatever one side of a flow has to send at `at`.
    #[inline]
    fn drain(&mut self, at: Time, id: usize, side: Side) {
        // Before anything is sent: over links of its own a packet may get to the other side within `travel`, which
        // then drains at a later time.
        if side == Side::Sender
            && let Some(tracer) = &mut self.tracer
        {
            cold(|| tracer.note_sender(at, id, &self.flows[id]));
        }
        self.flows[id].set_sending(side, true);
        while let Some(mut packet) = self.flows[id].poll(at, side) {
            self.travel(at, &mut packet);
        }
        self.flows[id].set_sending(side, false);
    }

    /// Something has come to one side of a flow. A deadline that moved later is found out when the old one fires: most retransmission timers move on
    /// with every ACK and never fire.
    #[inline]
    fn rearm(&mut self, id: usize, side: Side) {
        let deadline = self.flows[id].deadline_of(side);
        if deadline < self.flow_schedule.deadline(id) {
            self.flow_schedule.set(id, deadline);
        }
    }
}

/// Does what few runs need, out of the way of the others.
#[cold]
#[inline(never)]
fn cold(action: impl FnOnce()) {
    action();
}
