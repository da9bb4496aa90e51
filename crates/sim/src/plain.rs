//! The plain engine, which defines the right result: each step of each packet and each deadline of a component is an event.
//!
//! [`Plain::run_until`] takes the events in their order, [`Plain::act`] lets one happen. The components do all else: links, media and
//! flows. The [`Fast`](crate::fast::Fast) engine has the same components and gives the same record in less time, because it moves a
//! packet several steps at once where nothing can come in between.

use crate::channel::Channel;
use crate::engine::{Components, Paused, Recordings};
use crate::external::ForeignPacket;
use crate::flow::{Flow, Side};
use crate::links::{Links, QueuedDirection};
use crate::packet::{FlowEnd, Packet};
use crate::record::Counts;
use crate::route::{Leg, Routes, Step, WlanHop};
use crate::trace::Series;
use crate::tracer::Tracer;
use airfair_core::{Moment, Phase, Time};
use airfair_scenario::resolved::Scenario;
use airfair_wifi::Delivery;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

#[cfg(test)]
mod tests;

/// The state of one run.
#[derive(Debug)]
pub struct Plain {
    now: Time,
    warmup: Time,
    end: Time,
    /// The latest instant up to which [`Plain::run_until`] has been asked to go.
    goal: Time,
    routes: Routes,
    links: Links,
    channels: Vec<Channel>,
    flows: Vec<Flow>,
    tracer: Tracer,
    schedule: BinaryHeap<Event>,
    /// The deadline of each component. The schedule has an event for each that is not [`Time::NEVER`], and may have
    /// others for deadlines that have moved: [`Plain::act`] passes over these.
    deadlines: BTreeMap<(Kind, usize), Moment>,
    /// Number of packets put into the schedule so far.
    pushed: u64,
    /// Counts at the end of the warm-up, once it is reached.
    before: Option<Counts>,
    events: u64,
    /// Whether flows keep the delays of their packets.
    keeps_delays: bool,
}

/// The kinds of events, in their order at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A link with a discipline ends a transmission, and the next begins. These events come first, because they make room.
    TransmissionEnd,
    /// A timer of one side of a flow, or an action of its application. A timer that is due does not wait for an arrival at that moment.
    Flow,
    /// A packet reaches its endpoint. Arrivals come before entries, because the endpoint's answer enters a link or a queue at once.
    Arrival,
    /// A packet enters a link or an interface queue.
    Entry,
    /// A medium ends an exchange. Its events are in the last phase of an instant.
    Medium,
}

/// An event. Events at one moment are ordered by kind, then by `place`, then by `number`.
#[derive(Debug)]
struct Event {
    moment: Moment,
    kind: Kind,
    /// The component: for a packet the index of its step, for a flow's side its [`FlowEnd`] as a number, for another component its index.
    place: usize,
    /// Order among packets: how many packets, this one included, had been put into the schedule. Zero for other events.
    number: u64,
    /// The packet of an arrival or entry.
    packet: Option<Packet>,
}

impl Event {
    fn order(&self) -> impl Ord + use<> {
        (self.moment, self.kind, self.place, self.number)
    }
}

/// The greatest event is the earliest, because a [`BinaryHeap`] gives the greatest first.
impl Ord for Event {
    fn cmp(&self, other: &Event) -> Ordering {
        Reverse(self.order()).cmp(&Reverse(other.order()))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

impl Plain {
    /// Returns a run at time zero, made of the components of a scenario.
    pub(crate) fn new(components: Components, scenario: &Scenario, recordings: Recordings) -> Plain {
        let Components { warmup, end, routes, links, channels, flows, .. } = components;
        let mut plain = Plain {
            now: Time::ZERO,
            warmup,
            end,
            goal: Time::ZERO,
            routes,
            links,
            channels,
            flows,
            tracer: Tracer::new(scenario, recordings.traces, warmup),
            schedule: BinaryHeap::new(),
            deadlines: BTreeMap::new(),
            pushed: 0,
            before: None,
            events: 0,
            keeps_delays: recordings.delays,
        };
        (0..plain.flows.len()).for_each(|id| plain.wait_for_flow(id));
        (0..plain.channels.len()).for_each(|channel| plain.wait_for_medium(channel));
        plain
    }

    /// Runs up to `until`, or for at most `max_events` events: see [`Run::run_until`](crate::engine::Run::run_until).
    pub fn run_until(&mut self, until: Time, max_events: u64) -> bool {
        self.goal = until.min(self.end).max(self.goal);
        let until = self.goal;
        for _ in 0..max_events {
            let next = self.schedule.peek().map_or(Time::NEVER, |event| event.moment.at);
            if self.before.is_none() && next.min(until) >= self.warmup {
                self.now = self.warmup;
                self.before = Some(self.paused().counts());
            }
            if next >= until {
                self.now = until;
                return true;
            }
            if let Some(event) = self.schedule.pop() {
                self.now = next;
                self.events += 1;
                self.act(event);
            }
        }
        false
    }

    /// Returns the instant that the run has reached, and its end.
    pub fn reached(&self) -> (Time, Time) {
        (self.now, self.end)
    }

    /// Returns the number of events taken from the schedule so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the number of samples kept so far: see [`Run::samples`](crate::engine::Run::samples).
    pub fn samples(&self) -> usize {
        let of_flows = if self.keeps_delays { self.flows.iter().map(Flow::samples).sum() } else { 0 };
        self.tracer.samples() + self.channels.iter().map(Channel::samples).sum::<usize>() + of_flows
    }

    /// Returns the series so far.
    pub fn series(&self) -> Vec<Series> {
        self.tracer.clone().into_series(self.now)
    }

    /// Removes and returns the series so far. To be called at the end of the run.
    pub fn take_series(&mut self) -> Vec<Series> {
        std::mem::take(&mut self.tracer).into_series(self.now)
    }

    /// Returns the components of a paused run.
    pub fn paused(&mut self) -> Paused<'_> {
        Paused {
            now: self.now,
            warmup: self.warmup,
            before: self.before.as_ref(),
            links: &mut self.links,
            channels: &mut self.channels,
            flows: &mut self.flows,
        }
    }

    /// Changes settings of a paused run: see [`Paused::change`].
    pub fn change(&mut self, old: &Scenario, new: &Scenario, seed: u64) {
        let held = self.links.held();
        self.paused().change(old, new, seed);
        (0..).zip(held).for_each(|(queue, held)| self.after_queue(self.now, queue, held));
        for channel in 0..self.channels.len() {
            self.tell_departures(self.now, channel);
            self.after_medium(self.now, channel);
        }
    }

    /// Sends a packet from an endpoint outside the engine now.
    pub fn inject(&mut self, packet: ForeignPacket) {
        if let Some(external) = self.flows[packet.flow].external() {
            external.inject(packet);
            self.after_flow(self.now, packet.flow, packet.to.other());
        }
    }

    /// Lets an event happen.
    fn act(&mut self, Event { moment, kind, place, packet, .. }: Event) {
        let now = moment.at;
        if packet.is_none() {
            if self.deadlines.get(&(kind, place)) != Some(&moment) {
                return; // the deadline has moved
            }
            self.deadlines.remove(&(kind, place));
        }
        match (kind, packet) {
            (Kind::TransmissionEnd, _) => {
                let held = self.links.queued[place].link.queue_packets();
                self.links.queued[place].link.on_deadline(now);
                self.after_queue(now, place, held);
            }
            (Kind::Flow, _) => {
                let end = FlowEnd::numbered(place as u32);
                let (id, side) = (end.flow() as usize, end.side());
                self.flows[id].on_deadline(now, side);
                self.after_flow(now, id, side);
            }
            (Kind::Medium, _) => {
                self.channels[place].medium.on_deadline(now);
                self.tell_departures(now, place);
                while let Some(Delivery { to, payload, .. }) = self.channels[place].medium.poll_delivery() {
                    let mut packet = *payload;
                    let to_wire = |at| self.routes.leads_to_wire(at);
                    if let Some(due) = self.channels[place].pass(now, to, &mut packet, to_wire) {
                        if due == now {
                            self.links.go_last(now, packet.at, &self.routes);
                        }
                        self.send_on(due, packet);
                    }
                }
                self.after_medium(now, place);
            }
            (Kind::Arrival, Some(packet)) => {
                let id = packet.to.flow() as usize;
                self.flows[id].on_arrival(moment, packet.to.side(), &packet);
                self.after_flow(now, id, packet.to.side());
            }
            (Kind::Entry, Some(packet)) => self.enter(now, packet),
            (Kind::Arrival | Kind::Entry, None) => unreachable!("these are events of packets"),
        }
    }

    /// Sends a packet to its next step at `start`: schedules its entry there, or its arrival.
    fn send_on(&mut self, start: Time, packet: Packet) {
        let (due, kind) = match self.routes.step(packet.at) {
            Step::Link(_) | Step::SharedLink { .. } | Step::QueuedLink { .. } => (start, Kind::Entry),
            Step::Wlan { hop, .. } => {
                let WlanHop { channel, from, .. } = self.routes.wlan_hop(hop);
                (start + self.channels[channel as usize].stack_delay(from), Kind::Entry)
            }
            Step::End => (start, Kind::Arrival),
        };
        self.pushed += 1;
        self.schedule.push(Event {
            moment: Moment::new(due, packet.phase),
            kind,
            place: packet.at as usize,
            number: self.pushed,
            packet: Some(packet),
        });
    }

    /// Lets a packet enter a link or an interface queue.
    fn enter(&mut self, now: Time, mut packet: Packet) {
        match self.routes.step(packet.at) {
            Step::Link(Leg { link, .. }) | Step::SharedLink { link, .. } => {
                let link = link as usize;
                let moment = Moment::new(now, packet.phase);
                let transit = self.links.drop_tail[link].offer(moment, packet.bytes);
                self.tracer.note_drops(now, link, self.links.drop_tail[link].stats().dropped);
                let Some(transit) = transit else { return };
                self.tracer.note_transit(now, link, transit);
                packet.at += 1;
                packet.phase = transit.phase;
                if let Some(arrives) = transit.arrives {
                    self.send_on(arrives, packet);
                }
            }
            Step::QueuedLink { queue, .. } => {
                let queue = queue as usize;
                let held = self.links.queued[queue].link.queue_packets();
                self.links.offer(now, queue, packet);
                self.after_queue(now, queue, held);
            }
            Step::Wlan { hop, .. } => {
                let hop = self.routes.wlan_hop(hop);
                self.channels[hop.channel as usize].enqueue(now, &hop, packet);
                self.tell_departures(now, hop.channel as usize);
                self.after_medium(now, hop.channel as usize);
            }
            Step::End => unreachable!("at the end of its path a packet arrives"),
        }
    }

    /// Updates schedule and traces after something has happened to a link with a discipline, whose queue held `held` packets before.
    /// Sends a packet on if its transmission has started.
    fn after_queue(&mut self, now: Time, queue: usize, held: u32) {
        let queued = &mut self.links.queued[queue];
        let started = queued.poll_start();
        let QueuedDirection { direction, link } = queued;
        self.tracer.note_queue(now, *direction, held, link.queue_packets());
        self.tracer.note_drops(now, *direction, link.stats().dropped);
        let deadline = link.next_deadline();
        self.set_deadline(Kind::TransmissionEnd, queue, deadline);
        if let Some((arrives, packet)) = started {
            self.send_on(arrives, packet);
        }
    }

    /// Sends all packets that one side of a flow can send.
    fn after_flow(&mut self, now: Time, id: usize, side: Side) {
        if side == Side::Sender {
            self.flows[id].note_cwnd(now);
            self.tracer.note_sender(now, &self.flows[id]);
        }
        while let Some(packet) = self.flows[id].poll(now, side) {
            self.send_on(now, packet);
        }
        self.wait_for_flow(id);
    }

    fn wait_for_flow(&mut self, id: usize) {
        for side in [Side::Sender, Side::Receiver] {
            let end = FlowEnd::new(id as u32, side);
            self.set_deadline(Kind::Flow, end.number() as usize, self.flows[id].timer_moment(side));
        }
    }

    /// Reports to flows their packets that have left the queues of stations. What a flow may send for it follows from a timer a
    /// nanosecond later, so the order of departures within an instant does not matter.
    fn tell_departures(&mut self, now: Time, channel: usize) {
        while let Some(packet) = self.channels[channel].medium.poll_departure() {
            let id = packet.to.flow() as usize;
            self.flows[id].on_departure(now, &packet);
            self.wait_for_flow(id);
        }
    }

    fn after_medium(&mut self, now: Time, channel: usize) {
        self.tracer.note_stations(now, &self.channels[channel]);
        self.wait_for_medium(channel);
    }

    fn wait_for_medium(&mut self, channel: usize) {
        let deadline = Moment::new(self.channels[channel].medium.next_deadline(), Phase::LAST);
        self.set_deadline(Kind::Medium, channel, deadline);
    }

    /// Makes `deadline` the only one of a component. An event for an earlier deadline stays in the schedule.
    fn set_deadline(&mut self, kind: Kind, place: usize, deadline: Moment) {
        let known = self.deadlines.insert((kind, place), deadline);
        if known != Some(deadline) && deadline.at < Time::NEVER {
            self.schedule.push(Event { moment: deadline, kind, place, number: 0, packet: None });
        }
    }
}
