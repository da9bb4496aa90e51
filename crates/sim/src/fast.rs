//! The fast engine and its loop: the component with the earliest deadline acts, then packets advance.
//!
//! At one instant flows' arrivals and timers come first, because they can only send. Then packets leave queues with a discipline and enter
//! merge points, in the order of their [phases](airfair_core::moment); then media act.

use crate::channel::Channel;
use crate::delay_line::{PREFETCH_BATCH, Waiting};
use crate::engine::{Components, Paused, Recordings};
use crate::external::ForeignPacket;
use crate::flow::{Due, Flow, Side};
use crate::flow_schedule::FlowSchedule;
use crate::lookahead;
use crate::network::{Actor, Network};
use crate::packet::{Course, Packet};
use crate::record::Counts;
use crate::route::{End, Stop};
use crate::trace::Series;
use crate::tracer::Tracer;
use airfair_core::{Moment, Span, Time, alike};
use airfair_net::Link;
use airfair_scenario::resolved::Scenario;
use airfair_wifi::{Delivery, Frames, QueuedFrame, Row};
use std::collections::BTreeMap;
use std::slice;

/// With this many flows or more, per-flow state no longer stays in the CPU caches between packets.
const MANY_FLOWS: usize = 1_000;

/// Packets of a line that enter their merge point one after the other.
struct Entering<'a> {
    /// The packets that have not entered yet.
    packets: slice::Iter<'a, Waiting>,
    /// The instant before which nothing can come between them but a flow's action.
    settled: Time,
    /// The instant before which nothing comes between them.
    until: Time,
}

/// The state of one run.
#[derive(Debug)]
pub struct Fast {
    now: Time,
    warmup: Time,
    end: Time,
    /// The latest instant up to which [`Fast::run_until`] has been asked to go.
    goal: Time,
    network: Network,
    flows: Vec<Flow>,
    flow_schedule: FlowSchedule,
    /// How far ahead of time flows run their timers: see [`act_flow`].
    lead: Span,
    /// Counts at the end of the warm-up, once it is reached.
    before: Option<Counts>,
    events: u64,
    /// Whether flows keep the delays of their packets.
    keeps_delays: bool,
}

impl Fast {
    /// Returns a run at time zero, made of the components of a scenario.
    pub(crate) fn new(components: Components, scenario: &Scenario, recordings: Recordings) -> Fast {
        let Components { warmup, end, routes, paths, links, channels, mut flows } = components;
        let lookaheads = lookahead::lookaheads(scenario, &routes, &paths);
        let lead = lookahead::shortest_end(scenario, &routes, &paths);
        let traces = recordings.traces;
        let tracer = (!traces.is_empty()).then(|| Box::new(Tracer::new(scenario, traces, warmup)));
        if tracer.is_some() {
            flows.iter_mut().for_each(Flow::forget_ends);
        }
        let mut flow_schedule = FlowSchedule::new(flows.len());
        for (id, flow) in flows.iter().enumerate() {
            flow_schedule.set(id, flow.wake());
        }
        Fast {
            now: Time::ZERO,
            warmup,
            end,
            goal: Time::ZERO,
            lead,
            network: Network::new(routes, lookaheads, links, channels, tracer, recordings.average_cwnds),
            flows,
            flow_schedule,
            before: None,
            events: 0,
            keeps_delays: recordings.delays,
        }
    }

    /// Lets at most `max_events` components act before `until`. Returns `true` once all that happens before it has happened.
    pub fn run_until(&mut self, until: Time, max_events: u64) -> bool {
        // Packets have already advanced up to a horizon, so the run cannot stop earlier than the latest goal.
        self.goal = until.min(self.end).max(self.goal);
        let until = self.goal;
        let last = self.events.saturating_add(max_events);
        while self.events < last {
            let (packets_at, actor) = self.network.next();
            let flows_at = self.flow_schedule.first();
            let deadline = packets_at.min(flows_at);
            if deadline >= self.network.wires.horizon() {
                self.now = self.network.wires.horizon();
                if self.before.is_none() && self.now >= self.warmup {
                    self.before = Some(self.paused().counts());
                }
                if self.now >= until {
                    return true;
                }
                self.release(if self.before.is_none() { until.min(self.warmup) } else { until });
                continue;
            }
            self.now = deadline;
            if flows_at <= packets_at {
                self.act_flows();
                continue;
            }
            self.events += 1;
            match actor {
                Actor::Line(line) => self.act_line(line, last),
                Actor::Queue(queue) => {
                    let started = self.network.act_queue(deadline, queue);
                    started.into_iter().for_each(|(due, packet)| self.travel(due, packet));
                }
                Actor::Medium(channel) => self.act_medium(channel, last),
            }
        }
        false
    }

    /// Returns the instant that the run has reached, and its end.
    pub fn reached(&self) -> (Time, Time) {
        (self.now, self.end)
    }

    /// Returns how often a component has acted so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the number of samples kept so far: see [`Run::samples`](crate::engine::Run::samples).
    pub fn samples(&self) -> usize {
        let of_series = self.network.wires.tracer.as_ref().map_or(0, |tracer| tracer.samples());
        // With very many flows, a look at each costs as much as all events since the last call.
        let of_flows = if self.keeps_delays { self.flows.iter().map(Flow::samples).sum() } else { 0 };
        of_series + self.network.channels.iter().map(Channel::samples).sum::<usize>() + of_flows
    }

    /// Returns the series so far.
    pub fn series(&self) -> Vec<Series> {
        let tracer = self.network.wires.tracer.clone();
        tracer.map_or_else(Vec::new, |tracer| tracer.into_series(self.now))
    }

    /// Removes and returns the series so far. To be called at the end of the run.
    pub fn take_series(&mut self) -> Vec<Series> {
        let tracer = self.network.wires.tracer.take();
        tracer.map_or_else(Vec::new, |tracer| tracer.into_series(self.now))
    }

    /// Returns the components of a paused run.
    pub fn paused(&mut self) -> Paused<'_> {
        let Network { wires, channels, .. } = &mut self.network;
        Paused {
            now: self.now,
            warmup: self.warmup,
            before: self.before.as_ref(),
            links: &mut wires.links,
            channels,
            flows: &mut self.flows,
        }
    }

    /// Changes settings of a paused run: see [`Paused::change`].
    pub fn change(&mut self, old: &Scenario, new: &Scenario, seed: u64) {
        let held = self.network.wires.links.held();
        self.paused().change(old, new, seed);
        let started = self.network.after_change(self.now, &held);
        started.into_iter().for_each(|(due, packet)| self.travel(due, packet));
        self.tell_departures(self.now);
    }

    /// Sends a packet from an endpoint outside the engine now.
    pub fn inject(&mut self, packet: ForeignPacket) {
        let flow = &mut self.flows[packet.flow];
        if let Some(external) = flow.external() {
            external.inject(packet);
            self.network.drain(flow, self.now, packet.to.other());
        }
    }

    /// Moves the horizon on after a pause: releases the packets deferred for the pause, one step at a time, the earliest first. Each
    /// release moves the horizon to just behind the packet's due time, so that the packet's later steps are deferred again. Meanwhile the
    /// senders only queue arrivals.
    fn release(&mut self, horizon: Time) {
        self.flows.iter_mut().for_each(|flow| flow.set_sending(Side::Sender, true));
        let mut waiting = BTreeMap::new();
        let mut number = 0u64;
        loop {
            for (due, packet) in self.network.deferred.drain(..) {
                waiting.insert((Moment::new(due, packet.phase), number), packet);
                number += 1;
            }
            let Some(first) = waiting.first_entry().filter(|first| first.key().0.at < horizon) else { break };
            let ((Moment { at: due, .. }, _), packet) = first.remove_entry();
            self.network.wires.set_horizon(due + Span(1));
            self.travel(due, packet);
        }
        let later = waiting.into_iter().map(|((Moment { at, .. }, _), packet)| (at, packet));
        self.network.deferred.extend(later);
        self.network.wires.set_horizon(horizon);
        self.flows.iter_mut().for_each(|flow| flow.set_sending(Side::Sender, false));
    }

    /// Lets packets of a line enter their merge point as long as that is safe. The first one enters now.
    #[inline(never)]
    fn act_line(&mut self, line: usize, last: u64) {
        if self.network.admit_scheduled(self.now, line) {
            return self.tell_departures(self.now);
        }
        let mut settled = self.network.safe_until(self.now, line);
        let (mut waiting, mut link) = self.network.take_line(line);
        // The first packet is counted already.
        let mut room = (last - self.events).saturating_add(1) as usize;
        let many = self.flows.len() >= MANY_FLOWS;
        let mut most_at_once = usize::MAX;
        loop {
            if many {
                self.network.prefetch(&mut waiting, &self.flows);
            }
            let most = if many { room.min(PREFETCH_BATCH) } else { room }.min(most_at_once);
            let run = waiting.run();
            let entered = self.enter_run(&run[..run.len().min(most)], link.as_mut(), settled);
            waiting.leave(entered, &mut self.network.pages);
            room -= entered;
            self.events += entered as u64;
            let next = waiting.first().map_or(Time::NEVER, |next| next.due);
            if room == 0 || next >= self.flow_schedule.first() {
                break;
            }
            if next >= settled {
                // Each packet may cause something that is due before the next one.
                let Some(later) = self.network.settled_at(next, line) else { break };
                (settled, most_at_once) = (later, 1);
            }
        }
        self.events -= 1;
        self.network.put_back(line, (waiting, link));
    }

    /// Lets the first of these packets enter its merge point (`link`, or a queue if there is none), and others as long as they arrive before
    /// `settled` and no flow acts. Returns the number of packets that have entered. They are read where they wait: packets that join the line
    /// meanwhile arrive later.
    #[inline(always)]
    fn enter_run(&mut self, packets: &[Waiting], mut link: Option<&mut Link>, settled: Time) -> usize {
        let until = settled.min(self.flow_schedule.first());
        let mut run = Entering { packets: packets.iter(), settled, until };
        let mut next = run.packets.next();
        while let Some(first) = next {
            next = match (&mut link, first.packet.to.side()) {
                (Some(link), Side::Sender) => self.enter_of_side::<true>(first, &mut run, link),
                (Some(link), Side::Receiver) => self.enter_of_side::<false>(first, &mut run, link),
                (None, _) => {
                    self.enter_by_step(first, None);
                    run.until = settled.min(self.flow_schedule.first());
                    run.packets.next()
                }
            };
            if next.is_some_and(|next| next.due >= run.until) {
                return packets.len() - run.packets.len() - 1;
            }
        }
        packets.len()
    }

    /// Lets packets of a run enter the link behind their line, from `first` on, as long as they are for this side of their flows and nothing else
    /// comes before them: for senders if `TO_SENDER`, otherwise for receivers. Returns the first packet that has not entered.
    // Segments and ACKs have little in common. A loop for both needs more than the registers hold.
    #[inline(never)]
    fn enter_of_side<'a, const TO_SENDER: bool>(
        &mut self,
        first: &'a Waiting,
        run: &mut Entering<'a>,
        link: &mut Link,
    ) -> Option<&'a Waiting> {
        let side = if TO_SENDER { Side::Sender } else { Side::Receiver };
        let mut waiting = first;
        loop {
            if self.enter(side, waiting, link) {
                run.until = run.settled.min(self.flow_schedule.first());
            }
            waiting = run.packets.next()?;
            if waiting.due >= run.until || waiting.packet.to.side() != side {
                return Some(waiting);
            }
        }
    }

    /// Lets a packet for this side of its flow enter the shared link that is its merge point. Returns whether a flow may act earlier than before.
    #[inline(always)]
    fn enter(&mut self, side: Side, waiting: &Waiting, link: &mut Link) -> bool {
        let Fast { network, flows, .. } = self;
        let packet = &waiting.packet;
        let flow = &mut flows[packet.to.flow() as usize];
        let Some(last) = flow.last_link(side, packet.at) else {
            return self.enter_by_step(waiting, Some(link));
        };
        let arrival = match network.wires.cross(link, last, packet.course(waiting.due), side) {
            Ok(arrival) if network.wires.is_ready(flow, arrival.at, side) => arrival,
            Ok(arrival) => return self.arrive_later(waiting, arrival),
            Err((due, stop)) => return self.stop_behind(stop, waiting, due),
        };
        // Only without a tracer are there last links: see `Flow::forget_ends`.
        let is_earlier = network.deliver_to(flow, arrival, side, packet, true);
        if is_earlier {
            self.note_wake(waiting);
        }
        is_earlier
    }

    /// Notes when the flow of this packet acts next, which is earlier than before.
    #[inline(never)]
    fn note_wake(&mut self, Waiting { packet, .. }: &Waiting) {
        let flow = packet.to.flow() as usize;
        self.flow_schedule.set(flow, self.flows[flow].wake());
    }

    /// Delivers a packet that crosses the last links of its path at `due`, to an endpoint that has something else to do before. Returns
    /// whether a flow may act earlier than before.
    #[inline(never)]
    fn arrive_later(&mut self, waiting: &Waiting, due: Moment) -> bool {
        let packet = &waiting.packet;
        let Fast { network, flows, .. } = self;
        let flow = &mut flows[packet.to.flow() as usize];
        let side = packet.to.side();
        network.run_timers_before(flow, due.at, side);
        if !network.wires.is_ready(flow, due.at, side) {
            let course = Course { at: packet.at + 2, bytes: packet.bytes, due };
            return self.stop_at(Stop::ENDPOINT, packet, &course);
        }
        let is_earlier = network.deliver(flow, due, packet);
        if is_earlier {
            self.note_wake(waiting);
        }
        is_earlier
    }

    /// Like [`Fast::enter`], but for a packet whose further way must be looked up in its route.
    #[inline(never)]
    fn enter_by_step(&mut self, Waiting { due, packet }: &Waiting, link: Option<&mut Link>) -> bool {
        let mut course = packet.course(*due);
        let stop = self.network.wires.pass_merge_point(&mut course, link);
        self.go_on(stop, course.due.at, &packet.moved(&course));
        true
    }

    /// Handles a packet that stops right behind the shared link, which it left at `due`.
    #[inline(never)]
    fn stop_behind(&mut self, stop: Stop, Waiting { packet, .. }: &Waiting, due: Moment) -> bool {
        self.stop_at(stop, packet, &Course { at: packet.at + 1, bytes: packet.bytes, due })
    }

    fn stop_at(&mut self, stop: Stop, packet: &Packet, course: &Course) -> bool {
        self.go_on(stop, course.due.at, &packet.moved(course));
        true
    }

    /// Handles a packet that has passed a merge point and stops at `due`.
    fn go_on(&mut self, stop: Stop, due: Time, packet: &Packet) {
        if stop == Stop::ENDPOINT {
            self.arrive(due, packet);
        } else if stop == Stop::QUEUE {
            let started = self.network.enter_queue(due, *packet);
            self.tell_departures(due);
            started.into_iter().for_each(|(due, packet)| self.travel(due, packet));
        } else {
            self.network.halt(stop, due, packet);
        }
    }

    /// Lets a medium act, and again as long as the next event is its own.
    fn act_medium(&mut self, channel: usize, last: u64) {
        let is_alone = self.network.medium_is_alone();
        loop {
            let frames = self.network.act_medium(self.now, channel);
            self.tell_departures(self.now);
            match frames {
                Frames::None => {}
                Frames::One => self.leave_wlan(channel),
                Frames::Row => {
                    while let Some(row) = self.network.channels[channel].medium.take_row() {
                        self.leave_wlan_in_a_row(channel, row);
                    }
                }
            }
            match self.network.acts_again(channel) {
                Some(due) if is_alone && due < self.flow_schedule.first() && self.events < last => {
                    self.now = due;
                }
                _ => break,
            }
            self.events += 1;
        }
        self.network.after_medium(self.now, channel);
    }

    /// Sends the next packet that has crossed the air on its way.
    #[inline(never)]
    fn leave_wlan(&mut self, channel: usize) {
        let Network { channels, wires, .. } = &mut self.network;
        let on_air = &mut channels[channel];
        let Some(Delivery { to, payload: &(mut packet), .. }) = on_air.medium.poll_delivery() else { return };
        let leaves = on_air.pass(self.now, to, &mut packet, |at| wires.routes.leads_to_wire(at));
        let Some(leaves) = leaves else { return };
        if let Some(due) = self.network.leave_host(self.now, leaves, &mut packet) {
            self.arrive(due, &packet);
        }
    }

    /// Sends packets that have crossed the air in one aggregate on their way. Mostly all are for one end of a connection.
    #[inline(never)]
    fn leave_wlan_in_a_row(&mut self, channel: usize, row: Row<Packet>) {
        let to = row.to();
        let delay = self.network.channels[channel].delay_without_middlebox(to);
        let of = |held: &QueuedFrame<Packet>| (held.frame.payload.to, held.frame.payload.bytes);
        for mut packets in row.pieces() {
            while !packets.is_empty() {
                let together = alike(packets, of);
                packets = &packets[together.len()..];
                match delay {
                    Some(delay) => self.leave_host(self.now + delay, together),
                    None => self.leave_wlan_by_middlebox(channel, to, together),
                }
            }
        }
        self.network.channels[channel].medium.put_back(row);
    }

    /// Sends packets on their way that have passed a station's stack at `due`. All have one length and go to one end of a flow.
    #[inline]
    fn leave_host(&mut self, due: Time, packets: &[QueuedFrame<Packet>]) {
        let Fast { now, network, flows, flow_schedule, .. } = self;
        let Packet { at, to, .. } = packets[0].frame.payload;
        if due == *now {
            network.wires.go_last(due, at + 1);
        }
        let id = to.flow() as usize;
        let flow = &mut flows[id];
        let wake = flow.wake();
        let passed = network.pass_in_a_row(flow, due, packets);
        for held in &packets[passed..] {
            let mut packet = held.frame.payload;
            packet.at += 1;
            if let Some(arrives) = network.travel(due, &mut packet) {
                network.arrive(flow, arrives, &packet);
            }
        }
        if flow.wake() < wake {
            flow_schedule.set(id, flow.wake());
        }
    }

    /// Like [`Fast::leave_host`], but where a middlebox may look at each packet.
    #[cold]
    #[inline(never)]
    fn leave_wlan_by_middlebox(&mut self, channel: usize, to: u32, packets: &[QueuedFrame<Packet>]) {
        for held in packets {
            let mut packet = held.frame.payload;
            if let Some(due) = self.network.leave_wlan(self.now, channel, to, &mut packet) {
                self.arrive(due, &packet);
            }
        }
    }

    /// Reports to flows the packets that have left the queues of stations, if any flow uses these reports.
    #[inline]
    fn tell_departures(&mut self, now: Time) {
        if self.network.watches_queues {
            self.tell_departures_of_all(now);
        }
    }

    #[inline(never)]
    fn tell_departures_of_all(&mut self, now: Time) {
        let Fast { network, flows, flow_schedule, .. } = self;
        for channel in &mut network.channels {
            while let Some(packet) = channel.medium.poll_departure() {
                let id = packet.to.flow() as usize;
                flows[id].on_departure(now, &packet);
                flow_schedule.set(id, flows[id].wake());
            }
        }
    }

    /// Advances a packet that reaches its next step at `due` as far as possible without an event. Delivers it if it gets to its endpoint.
    fn travel(&mut self, due: Time, mut packet: Packet) {
        if let Some(due) = self.network.travel(due, &mut packet) {
            self.arrive(due, &packet);
        }
    }

    /// Lets the flows act that are due now, and others that run timers ahead of time.
    #[inline(never)]
    fn act_flows(&mut self) {
        let Fast { now, network, flows, flow_schedule, events, lead, .. } = self;
        let until = (*now + *lead).min(network.wires.horizon()).max(*now + Span(1));
        flow_schedule.act(until, |id| {
            let flow = &mut flows[id];
            flow.set_wake();
            if flow.wake() < until {
                *events += 1;
                act_flow(network, flow, *now, until);
                flow.set_wake();
            }
            flow.wake()
        });
    }

    /// Delivers a packet that reaches its endpoint at `due`.
    #[inline(always)]
    fn arrive(&mut self, due: Time, packet: &Packet) {
        let id = packet.to.flow() as usize;
        let flow = &mut self.flows[id];
        if self.network.arrive(flow, due, packet) {
            self.flow_schedule.set(id, flow.wake());
        }
    }
}

/// Lets both sides of a flow do what is due now, then runs their timers that are due before `until`. A side runs timers early only if its path has
/// an ordinary [end](End): no packet that has yet to cross the last shared link arrives before `until`. What the timers send waits before a
/// shared link, behind packets that set out earlier.
fn act_flow(network: &mut Network, flow: &mut Flow, now: Time, until: Time) {
    let is_due = flow.wake() <= now;
    for side in [Side::Sender, Side::Receiver] {
        while is_due && let Some(due) = flow.poll_due(now, side) {
            match due {
                Due::Arrival(packet) => flow.on_arrival(Moment::new(now, packet.phase), side, &packet),
                Due::Own => flow.on_deadline(now, side),
            }
            network.drain(flow, now, side);
        }
        if flow.end(side) != End::NONE {
            network.run_timers_before(flow, until, side);
        }
    }
}
