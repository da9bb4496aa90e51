//! A plain engine to compare the world with: every step of every packet is an event, and nothing is done ahead of
//! time. The two share the components, but neither their loops nor their rules of order.

mod networks;

use crate::flow::{Flow, Side};
use crate::links::Links;
use crate::packet::{LinkPacket, Packet};
use crate::record::{self, Counts, Record};
use crate::route::{Routes, Step, WlanHop};
use crate::trace::Quantity;
use crate::tracer::Tracer;
use crate::wlan::Wlan;
use crate::world::World;
use airfair_core::{Moment, Phase, Time};
use airfair_net::Transit;
use airfair_scenario::resolved::Scenario;
use airfair_wifi::Delivery;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The order of events at the same moment. Departures make room. Arrivals come before entries, because answers to
/// them enter at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Departure,
    Flow,
    Arrival,
    Entry,
    Medium,
}

struct Plain {
    routes: Routes,
    links: Links,
    wlans: Vec<Wlan>,
    flows: Vec<Flow>,
    /// Packets under way, by the arrival at their next step, then by the step, then by the order in which they set
    /// out.
    packets: BTreeMap<(Moment, Kind, u32, u64), Packet>,
    set_out: u64,
    tracer: Tracer,
}

impl Plain {
    /// The record.
    fn run(scenario: &Scenario, seed: u64) -> Record {
        let (routes, paths) = Routes::new(scenario);
        let warmup = Time::ZERO + scenario.warmup;
        let end = warmup + scenario.duration;
        let mut plain = Plain {
            routes,
            links: Links::new(scenario, seed, end),
            wlans: scenario.wlans.iter().map(|wlan| Wlan::new(wlan, seed)).collect(),
            flows: paths
                .iter()
                .enumerate()
                .map(|(id, &paths)| Flow::new(scenario, id, paths, seed))
                .collect(),
            packets: BTreeMap::new(),
            set_out: 0,
            tracer: Tracer::new(scenario, &Quantity::ALL, warmup),
        };
        plain.wlans.iter_mut().for_each(|wlan| wlan.keep_for(&Quantity::ALL));
        plain.flows.iter_mut().for_each(|flow| flow.track_average_cwnd(warmup));
        plain.wlans.iter_mut().for_each(Wlan::keep_queue_delays);
        plain.run_until(warmup);
        let before = plain.counts(warmup);
        plain.run_until(end);
        let counts = plain.counts(end).since(&before);
        let sessions = plain.flows.iter().map(|flow| flow.sessions.all().to_vec()).collect();
        let timeouts = record::timeouts(&plain.flows);
        let average_cwnds = record::average_cwnds(&plain.flows, end);
        let series = plain.tracer.into_series(end);
        let air = record::turns(&mut plain.wlans, warmup);
        let ap_queue_delays = record::ap_queue_delays(&mut plain.wlans, &counts);
        Record { warmup, end, counts, timeouts, average_cwnds, ap_queue_delays, sessions, series, air }
    }

    fn counts(&mut self, now: Time) -> Counts {
        Counts::read(now, &mut self.links, &mut self.wlans, &self.flows)
    }

    fn run_until(&mut self, horizon: Time) {
        loop {
            let packet = self.packets.keys().next().map(|&(due, kind, ..)| (due, kind, 0));
            let media = self.wlans.iter().enumerate().map(|(id, wlan)| {
                let due = wlan.bss.next_deadline();
                (Moment::new(due, Phase::LAST), Kind::Medium, id)
            });
            let sides = |(id, flow): (usize, &Flow)| {
                [Side::Sender, Side::Receiver]
                    .map(|side| (flow.timer_moment(side), Kind::Flow, 2 * id + side as usize))
            };
            let flows = self.flows.iter().enumerate().flat_map(sides);
            let queues = self.links.queued.iter().enumerate();
            let queues = queues.map(|(id, queue)| (queue.link.next_deadline(), Kind::Departure, id));
            let first = packet.into_iter().chain(queues).chain(media).chain(flows).min();
            let Some((Moment { at: now, .. }, kind, id)) = first else { return };
            if now >= horizon {
                return;
            }
            match kind {
                Kind::Departure => {
                    let held = self.links.queued[id].link.queue_packets();
                    self.links.queued[id].link.on_deadline(now);
                    self.after_queue(now, id, held);
                }
                Kind::Arrival | Kind::Entry => {
                    let (_, packet) = self.packets.pop_first().unwrap();
                    self.step(now, packet);
                }
                Kind::Medium => {
                    self.wlans[id].bss.on_deadline(now);
                    if let Some(&Delivery { to, payload: mut packet, .. }) = self.wlans[id].bss.delivery() {
                        let to_wire = |at| self.routes.leads_to_wire(at);
                        if let Some(due) = self.wlans[id].pass(now, to, &mut packet, to_wire) {
                            self.set_out(due, packet);
                        }
                    }
                    self.tracer.note_stations(now, id, &self.wlans[id].bss);
                }
                Kind::Flow => {
                    let (id, side) = (id / 2, if id % 2 == 0 { Side::Sender } else { Side::Receiver });
                    self.flows[id].on_deadline(now, side);
                    self.drain(now, id, side);
                }
            }
        }
    }

    fn set_out(&mut self, at: Time, packet: Packet) {
        let (due, kind) = match self.routes.step(packet.at) {
            Step::Link { .. } | Step::SharedLink { .. } | Step::QueuedLink { .. } => (at, Kind::Entry),
            Step::Wlan { hop, .. } => {
                let wlan = self.routes.wlan_hop(hop).wlan as usize;
                (at + self.wlans[wlan].stack_delay(), Kind::Entry)
            }
            Step::End => (at, Kind::Arrival),
        };
        self.packets.insert((Moment::new(due, packet.phase), kind, packet.at, self.set_out), packet);
        self.set_out += 1;
    }

    fn step(&mut self, now: Time, mut packet: Packet) {
        match self.routes.step(packet.at) {
            Step::Link { link } | Step::SharedLink { link, .. } => {
                let moment = Moment::new(now, packet.phase);
                let transit = self.links.drop_tail[link as usize].offer(moment, packet.bytes);
                let dropped = self.links.drop_tail[link as usize].stats().dropped;
                self.tracer.note_drops(now, link as usize, dropped);
                if let Some(transit) = transit {
                    self.tracer.note_transit(now, link as usize, transit);
                    packet.at += 1;
                    packet.phase = transit.phase;
                    if let Some(arrives) = transit.arrives {
                        self.set_out(arrives, packet);
                    }
                }
            }
            Step::QueuedLink { queue, .. } => {
                let queue = queue as usize;
                let held = self.links.queued[queue].link.queue_packets();
                self.links.offer(now, queue, packet);
                self.after_queue(now, queue, held);
            }
            Step::Wlan { hop, .. } => {
                let WlanHop { wlan, from, to, .. } = self.routes.wlan_hop(hop);
                let network = &mut self.wlans[wlan as usize];
                network.enqueue(now, from, to, packet);
                self.tracer.note_stations(now, wlan as usize, &network.bss);
            }
            Step::End => {
                let id = packet.flow as usize;
                self.flows[id].on_arrival(now, packet.side(), &packet);
                self.drain(now, id, packet.side());
            }
        }
    }

    /// A packet sets out for its next step when its transmission has started.
    fn after_queue(&mut self, now: Time, queue: usize, held: u32) {
        let crate::links::QueuedDirection { direction, link } = &mut self.links.queued[queue];
        let started = link.poll_start();
        self.tracer.note_queue(now, *direction, held, link.queue_packets());
        self.tracer.note_drops(now, *direction, link.stats().dropped);
        if let Some((LinkPacket { mut packet, .. }, Transit { arrives: Some(arrives), phase, .. })) = started
        {
            packet.at += 1;
            packet.phase = packet.phase.moved_to(phase);
            self.set_out(arrives, packet);
        }
    }

    fn drain(&mut self, now: Time, id: usize, side: Side) {
        if side == Side::Sender {
            self.flows[id].note_cwnd(now);
            self.tracer.note_sender(now, &self.flows[id]);
        }
        while let Some(packet) = self.flows[id].poll(now, side) {
            self.set_out(now, packet);
        }
    }
}

fn ahead(scenario: &Scenario, seed: u64, traces: &[Quantity]) -> Record {
    let mut world = World::new(scenario, seed, traces).with_average_cwnds().with_ap_queue_delays();
    while !world.step(1000) {}
    world.record()
}

fn assert_exact(text: &str, seed: u64) {
    let scenario = airfair_scenario::parse(text, "test.toml", &[]);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}")).scenario;
    let mut plain = Plain::run(&scenario, seed);
    assert!(
        plain == ahead(&scenario, seed, &Quantity::ALL),
        "the world differs from the plain engine:\n{text}"
    );
    // Where nobody watches interface queues, arrivals are scheduled at them.
    plain.series.clear();
    plain.air.iter_mut().for_each(Vec::clear);
    assert!(
        plain == ahead(&scenario, seed, &[]),
        "unwatched, the world differs from the plain engine:\n{text}"
    );
}

/// The same network with a queue at every link instead of arithmetic. The counts may differ for packets that are held
/// at the end of the warm-up or of the run.
fn assert_queues_are_arithmetic(text: &str, seed: u64) {
    let scenario = airfair_scenario::parse(text, "test.toml", &[]);
    let mut scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}")).scenario;
    for link in &mut scenario.links {
        (link.forward.discipline, link.backward.discipline) = (None, None);
    }
    let arithmetic = ahead(&scenario, seed, &Quantity::ALL);
    for link in &mut scenario.links {
        link.forward.discipline = Some(Box::default());
        link.backward.discipline = Some(Box::default());
    }
    let queued = ahead(&scenario, seed, &Quantity::ALL);
    let comparable = |mut record: Record| {
        for link in &mut record.counts.links {
            (link.packets.lost_errors, link.packets.lost_outage) = (0, 0);
        }
        record
    };
    assert!(
        comparable(arithmetic) == comparable(queued),
        "drop-tail in a queue differs from arithmetic:\n{text}"
    );
}

/// Three hosts in a row and one flow from the first to the last.
fn row(warmup: &str, flow: &str) -> String {
    let mut text = format!("[run]\nwarmup = \"{warmup}\"\nduration = \"3 s\"\n");
    for node in ["a", "b", "c"] {
        text += &format!("[[node]]\nname = \"{node}\"\n");
    }
    for (from, to, delay) in [("a", "b", "3001 us"), ("b", "c", "8009 us")] {
        text += &format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1234567 b/s\"\ndelay = \"{delay}\"\nqueue = 9\n"
        );
    }
    text + "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"c\"\n" + flow
}

/// The end of the warm-up finds packets on each part of a path that one flow has to itself.
#[test]
fn what_was_held_at_the_end_of_the_warm_up_keeps_its_order() {
    for profile in ["ns2", "rfc", "linux"] {
        for millis in (100..400).step_by(7) {
            let flow = format!("tcp = {{ profile = \"{profile}\", window = 8 }}\n");
            assert_exact(&row(&format!("{millis} ms"), &flow), 1);
        }
    }
}

/// The measured window ends before packets held at its beginning would have gone on.
#[test]
fn what_is_held_until_after_the_end_never_goes_on() {
    for duration in ["1 ns", "1 ms", "12 ms"] {
        for millis in (100..400).step_by(7) {
            let text = row(&format!("{millis} ms"), "tcp = { window = 8 }\n");
            assert_exact(&text.replace("\"3 s\"", &format!("\"{duration}\"")), 1);
        }
    }
}

/// Data and ACKs of one flow are both held at the end of the warm-up: answers to the data must not enter a link
/// before ACKs that arrive earlier.
#[test]
fn what_is_held_goes_on_in_the_order_of_time() {
    let text = r#"
        [run]
        warmup = "569268 us"
        duration = "3 s"
        [[node]]
        name = "h0"
        [[node]]
        name = "h1"
        [[node]]
        name = "h2"
        [[link]]
        from = "h1"
        to = "h0"
        rate = "7000187 b/s"
        delay = "15001593 ns"
        queue = 8
        reverse = { rate = "1001797 b/s" }
        [[link]]
        from = "h2"
        to = "h0"
        rate = "90000791 b/s"
        delay = "15000251 ns"
        queue = 3
        reverse = { rate = "90001055 b/s" }
        [[flow]]
        name = "f0"
        from = "h1"
        to = "h2"
        start = "264668030 ns"
        traffic = "intermittent"
        session_bytes = "42660 B"
        period = "14142908 ns"
        gap = "exponential"
        tcp = { profile = "linux", variant = "westwood-plus", connection = "reuse", window = 4, rto_min = "1 ms", rto_initial = "10 ms" }
    "#;
    assert_exact(text, 890_824_487);
}

/// Timeouts shorter than the round trip: copies of delivered segments are under way when a new connection starts.
#[test]
fn a_connection_may_start_while_segments_of_the_last_one_are_on_their_way() {
    for millis in [20, 60, 100] {
        let flow = format!(
            "traffic = \"intermittent\"\nsession_bytes = \"1 kB\"\nperiod = \"{millis} ms\"\n\
             tcp = {{ connection = \"fresh\", rto_min = \"1 ms\", rto_initial = \"10 ms\", delayed_ack = false }}\n"
        );
        assert_exact(&row("0 s", &flow), 1);
    }
}

/// Flows that share a link, with equal delay to it: its packets enter ahead of events at the other end.
fn dumbbell(flows: usize, warmup: &str, flow: &str) -> String {
    let mut text = format!("[run]\nwarmup = \"{warmup}\"\nduration = \"2 s\"\n");
    let mut node = |name: &str, count: usize| {
        text += &format!("[[node]]\nname = \"{name}\"\ncount = {count}\n");
    };
    node("r{i}", 2);
    node("s{i}", flows);
    node("d{i}", flows);
    text +=
        "[[link]]\nfrom = \"r0\"\nto = \"r1\"\nrate = \"4000187 b/s\"\ndelay = \"5001593 ns\"\nqueue = 12\n";
    for (from, to, delay) in [("s{i}", "r0", "1000251 ns"), ("r1", "d{i}", "2000473 ns")] {
        text += &format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncount = {flows}\nrate = \"20001797 b/s\"\ndelay = \"{delay}\"\n"
        );
    }
    text + &format!(
        "[[flow]]\nname = \"f{{i}}\"\ncount = {flows}\nfrom = \"s{{i}}\"\nto = \"d{{i}}\"\nstart = \"17293547 ns * i\"\n{flow}"
    )
}

#[test]
fn a_line_may_lead() {
    for profile in ["ns2", "rfc", "linux"] {
        for (flows, warmup) in [(2, "0 s"), (5, "700 ms"), (12, "1000003 us")] {
            let tcp = format!("tcp = {{ profile = \"{profile}\" }}\n");
            assert_exact(&dumbbell(flows, warmup, &tcp), 1);
            let sessions = "traffic = \"intermittent\"\nsession_bytes = \"42660 B\"\nperiod = \"141429081 ns\"\ngap = \"exponential\"\n";
            assert_exact(&dumbbell(flows, warmup, &(sessions.to_owned() + &tcp)), 2);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ahead_of_time_is_exact(number in 0u64..1_000_000_000) {
        assert_exact(&networks::random(number), number);
    }

    #[test]
    fn drop_tail_in_a_queue_is_what_arithmetic_says(number in 0u64..1_000_000_000) {
        assert_queues_are_arithmetic(&networks::random(number), number);
    }
}
