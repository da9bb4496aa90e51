//! A flow: its application, its transport, its paths.

use crate::deadline_monitor::DeadlineMonitor;
use crate::external::{ExternalFlow, ForeignPacket};
use crate::packet::{Body, Course, FlowEnd, Packet, Unsent};
use crate::route::{End, Leg, Paths, Start};
use crate::session::Sessions;
use crate::tcp::TcpFlow;
use crate::traffic::{Action, Source};
use crate::udp::UdpFlow;
use airfair_core::{Draws, Moment, Phase, Span, Stream, Time, prefetch};
use airfair_scenario::resolved::{self, Scenario, Traffic, Transport};
use airfair_tcp::{Ack, Ecn};
use std::collections::VecDeque;
use std::mem::offset_of;

/// A flow and all its state. With many flows it is the number of cache lines that counts: the fields that a data packet touches share
/// lines, and so do those of an acknowledgement. The endpoint begins with such fields.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Flow {
    // The first line is a data packet's, with the beginning of the sessions; the second an acknowledgement's.
    /// Counts arrivals at the sink against the real-time deadline.
    pub deadline_monitor: DeadlineMonitor,
    id: u32,
    /// Bytes that the network layer of each side's host adds to its packets.
    overheads: [u32; 2],
    /// Its sessions so far.
    pub sessions: Sessions,
    // The third line is an acknowledgement's, with its port; the fourth everybody's, with a data packet's port and the kind of the endpoint.
    send_phases: SendPhases,
    ports: [Port; 2],
    /// When the scheduler calls it next: no later than its next deadline.
    wake: Time,
    /// Both ends of its transport.
    pub endpoint: Endpoint,
    source: Source,
    /// Packets of known arrival that must wait for earlier events, for each [`Side`].
    arrivals: [VecDeque<(Time, Packet)>; 2],
}

/// One [`Side`]'s end of both paths, and whether it can take arrivals.
#[derive(Debug)]
struct Port {
    /// The end of the path to it.
    end: End,
    /// Start of the path of its packets, the leg there, and the other end.
    path: u32,
    leg: Leg,
    peer: FlowEnd,
    /// Bytes of its packets that are like most: see [`TcpEnd::next`].
    ordinary_bytes: u32,
    /// Phase of the last arrival, in which its timers fire, too.
    phase: Phase,
    /// Whether arrivals wait.
    waiting: bool,
    /// Why it takes no arrival before its time: [`Port::SENDING`], [`Port::WATCHING`].
    busy: u8,
}

impl Port {
    /// It has more to send.
    const SENDING: u8 = 1;
    /// It is told of the packets that leave its host's queue, which it cannot know ahead of time.
    const WATCHING: u8 = 1 << 1;

    fn new([from, to]: [Start; 2], peer: FlowEnd, phase: Phase) -> Port {
        let (path, leg, end) = (from.at, from.leg, to.end);
        Port { end, path, leg, peer, ordinary_bytes: 0, phase, waiting: false, busy: 0 }
    }
}

/// One side of a TCP flow, as far as it takes packets that arrive and sends those that are like most.
#[derive(Debug)]
pub struct TcpEnd<'a> {
    tcp: &'a mut TcpFlow,
    port: &'a mut Port,
    send_phases: &'a mut SendPhases,
    sessions: &'a mut Sessions,
    deadline_monitor: &'a mut DeadlineMonitor,
    wake: &'a mut Time,
}

impl TcpEnd<'_> {
    /// A packet arrives. Returns whether it ends a session: then [`Flow::on_session_end`] is to follow.
    #[inline(always)]
    pub fn on_arrival(&mut self, Moment { at: now, phase }: Moment, side: Side, packet: &Packet) -> bool {
        self.port.phase = phase;
        match (side, &packet.body) {
            (Side::Receiver, Body::Segment(segment)) => {
                let brings_data = self.tcp.on_segment(now, packet.connection, segment, self.sessions);
                if brings_data {
                    self.deadline_monitor.note(now);
                }
            }
            (Side::Sender, Body::Ack(ack)) => {
                return self.tcp.on_ack(now, packet.connection, ack, self.sessions);
            }
            _ => {}
        }
        false
    }

    /// After an acknowledgement: whether [others](TcpEnd::on_next_ack) may come at the same instant that are like it.
    #[inline]
    pub fn may_take_others(&self, now: Time) -> bool {
        self.tcp.may_take_others(now)
    }

    /// Takes one of these. `false`: it has not been taken, and goes on as a single packet.
    #[inline(always)]
    pub fn on_next_ack(&mut self, Moment { at: now, phase }: Moment, packet: &Packet) -> bool {
        let Body::Ack(ack) = &packet.body else { return false };
        let is_like_last = self.tcp.on_next_ack(now, packet.connection, ack, self.sessions);
        if is_like_last {
            self.port.phase = phase;
        }
        is_like_last
    }

    /// Begins a row of segments for the receiver, with `bytes` bytes in all. `None`: the receiver may do more than acknowledge each at once in the
    /// same way.
    #[inline]
    pub fn begin_row(&self, bytes: u64) -> Option<RowAcks> {
        let (connection, ack) = self.tcp.begin_row(bytes, self.sessions)?;
        Some(RowAcks { connection, to: self.port.peer, ack })
    }

    /// Ends the row after `segments` segments. The first came at `first`, and each other one a `step` later than its predecessor.
    #[inline]
    pub fn end_row(&mut self, row: &RowAcks, first: Moment, step: Span, segments: u64) {
        self.tcp.end_row(&row.ack);
        self.port.phase = first.phase;
        self.deadline_monitor.note_row(first.at, step, segments);
    }

    /// See [`Flow::is_idle_until`]; `false` also where that takes a closer look.
    #[inline(always)]
    pub fn is_idle_until(&self, due: Time) -> bool {
        self.port.busy == 0 && due < *self.wake
    }

    /// Start of the path of its packets, and the leg there.
    pub fn start(&self) -> (u32, Leg) {
        (self.port.path, self.port.leg)
    }

    /// Bytes of its packets that are like most.
    pub fn ordinary_bytes(&self) -> u32 {
        self.port.ordinary_bytes
    }

    /// Whether its next packet is like most.
    #[inline(always)]
    pub fn has_ordinary(&self, side: Side) -> bool {
        self.tcp.has_ordinary(side)
    }

    /// The course of the next packet that is sent at `at`, if it is like most, and its first leg. A packet is best made when the end of its
    /// course is known: then it can be written where it waits.
    #[inline(always)]
    pub fn next(&mut self, at: Time, side: Side) -> Option<(Course, Leg)> {
        if !self.has_ordinary(side) {
            return None;
        }
        let due = Moment::new(at, self.send_phases.of_side(at, side, self.port.phase));
        Some((Course { at: self.port.path, bytes: self.port.ordinary_bytes, due }, self.port.leg))
    }

    /// That packet, further on its course.
    #[inline(always)]
    pub fn take(&mut self, at: Time, side: Side, course: &Course) -> Packet {
        let (connection, body) = match side {
            Side::Sender => {
                (self.tcp.sender_connection(), Body::Segment(self.tcp.whole_segment(at, self.sessions)))
            }
            Side::Receiver => (self.tcp.receiver_connection(), Body::Ack(self.tcp.plain_ack())),
        };
        Unsent { to: self.port.peer, connection, body }.on(course)
    }

    /// Whether it may have packets of other kinds to send, once there are no such.
    #[inline(always)]
    pub fn may_have_more(&self, side: Side) -> bool {
        self.tcp.may_have_more(side)
    }

    /// It has acted or got a packet: its timer may be due before the next call; returns whether it is. A deadline that moved later is
    /// found out then: most retransmission timers move on with every ACK and never fire.
    #[inline(always)]
    pub fn advance_wake(&mut self, side: Side) -> bool {
        let timer = self.tcp.deadline(side);
        let is_earlier = timer < *self.wake;
        if is_earlier {
            *self.wake = timer;
        }
        is_earlier
    }
}

/// The acknowledgements of segments that come in a row.
#[derive(Clone, Copy, Debug)]
pub struct RowAcks {
    connection: u32,
    to: FlowEnd,
    ack: Ack,
}

impl RowAcks {
    /// The acknowledgement of the next segment, which is to be at this step in this phase. `None`: it takes a closer look.
    #[inline(always)]
    pub fn next(&mut self, segment: &Packet, at: u32, bytes: u32, phase: Phase) -> Option<Packet> {
        let &mut RowAcks { connection, to, .. } = self;
        let Body::Segment(body) = &segment.body else { return None };
        let follows = segment.connection == connection && self.ack.follow(body);
        follows.then_some(Packet { at, to, connection, bytes, phase, body: Body::Ack(self.ack) })
    }
}

/// Phases in which a sender sends: all that it sends at one instant takes the same random delay.
#[derive(Debug)]
struct SendPhases {
    draws: Draws,
    last: Moment,
}

impl SendPhases {
    /// The phase of a packet sent at `at` in answer to something in phase `answered`: no earlier than those sent
    /// before.
    #[inline]
    fn phase(&mut self, at: Time, answered: Phase) -> Phase {
        let phase = if at == self.last.at {
            self.last.phase.max(answered)
        } else {
            answered.after(self.draws.next_bits())
        };
        self.last = Moment::new(at, phase);
        phase
    }

    /// The same of either side: a receiver answers in the phase of the segment.
    #[inline(always)]
    fn of_side(&mut self, at: Time, side: Side, answered: Phase) -> Phase {
        if side == Side::Sender { self.phase(at, answered) } else { answered }
    }
}

/// The next thing to happen on one side of a flow.
#[derive(Clone, Copy, Debug)]
pub enum Due {
    /// A packet arrives.
    Arrival(Packet),
    /// The application or a timer acts.
    Own,
}

/// Both ends of a flow's transport. Its kind comes first, and then in a line of its own what the transport begins with.
#[derive(Debug)]
#[repr(u8)]
#[expect(
    clippy::large_enum_variant,
    reason = "most flows are TCP, and a box would cost each of them a cache miss"
)]
pub enum Endpoint {
    /// TCP.
    Tcp(TcpFlow),
    /// UDP.
    Udp(UdpFlow),
    /// Outside the engine.
    External(Box<ExternalFlow>),
}

impl Flow {
    /// Where the transport begins in it.
    const TRANSPORT: usize = offset_of!(Flow, endpoint) + align_of::<TcpFlow>();
    /// Where fields before it begin that segments need, and ACKs, about one in each cache line.
    const OF_SEGMENTS: [usize; 2] = [offset_of!(Flow, deadline_monitor), offset_of!(Flow, wake)];
    const OF_ACKS: [usize; 3] = [
        offset_of!(Flow, sessions) + Sessions::OF_DATA,
        offset_of!(Flow, send_phases),
        offset_of!(Flow, wake),
    ];

    /// Flow number `id` of a scenario.
    pub fn new(scenario: &Scenario, id: usize, paths: Paths, seed: u64) -> Flow {
        let flow = &scenario.flows[id];
        let endpoint = match &flow.transport {
            Transport::Tcp { settings, connection } => {
                let asks = matches!(flow.traffic, Traffic::Web { .. });
                Endpoint::Tcp(TcpFlow::new(settings, *connection, seed, &flow.name).asking(asks))
            }
            Transport::Udp { datagram_bytes, header_bytes, ect1, rate } => {
                let ecn = if *ect1 { Ecn::Scalable } else { Ecn::NotCapable };
                Endpoint::Udp(UdpFlow::new(*datagram_bytes, *header_bytes, ecn, *rate, flow.answer_bytes()))
            }
        };
        let mut stream = Stream::new(seed, &format!("phase of {}", flow.name));
        let phase = Phase::of_flow(stream.bits());
        let mut flow = Flow {
            wake: Time::NEVER,
            ports: [
                Port::new([paths.forward, paths.backward], FlowEnd::new(id as u32, Side::Receiver), phase),
                Port::new([paths.backward, paths.forward], FlowEnd::new(id as u32, Side::Sender), phase),
            ],
            send_phases: SendPhases { draws: Draws::new(stream.bits()), last: Moment::NEVER },
            id: id as u32,
            overheads: [flow.source, flow.sink].map(|node| scenario.station_overhead(node)),
            source: Source::new(&flow.traffic, seed, &flow.name),
            endpoint,
            deadline_monitor: DeadlineMonitor::new(scenario.measures.deadline),
            sessions: Sessions::default(),
            arrivals: [VecDeque::new(), VecDeque::new()],
        };
        flow.set_wake();
        flow.set_ordinary_bytes();
        flow
    }

    fn set_ordinary_bytes(&mut self) {
        if let Endpoint::Tcp(tcp) = &self.endpoint {
            for side in [Side::Sender, Side::Receiver] {
                let overhead = self.overheads[side as usize];
                self.ports[side as usize].ordinary_bytes = tcp.ordinary_bytes(side) + overhead;
            }
        }
    }

    /// Its traffic and the settings of its transport change to those of `flow`.
    pub fn change(&mut self, flow: &resolved::Flow) {
        self.source.change(&flow.traffic);
        match (&mut self.endpoint, &flow.transport) {
            (Endpoint::Tcp(tcp), Transport::Tcp { settings, .. }) => tcp.change(settings),
            (Endpoint::Udp(udp), Transport::Udp { rate, .. }) => udp.set_rate(*rate),
            _ => {}
        }
        self.set_ordinary_bytes();
    }

    /// Its endpoints are outside the engine from the start of the run.
    pub fn hand_over(&mut self) {
        self.endpoint = Endpoint::External(Box::default());
        self.source = Source::silent();
        self.set_wake();
    }

    /// Its endpoints, if they are outside the engine.
    pub fn external(&mut self) -> Option<&mut ExternalFlow> {
        match &mut self.endpoint {
            Endpoint::External(external) => Some(external),
            Endpoint::Tcp(_) | Endpoint::Udp(_) => None,
        }
    }

    /// Its number in the scenario.
    pub fn id(&self) -> usize {
        self.id as usize
    }

    /// The links of its own that a packet for this side crosses last, and the answer to it first.
    #[inline]
    pub fn links(&self, side: Side) -> [u32; 2] {
        let Port { end, leg, .. } = &self.ports[side as usize];
        [end.link, leg.link]
    }

    /// Its packets do not cross links unseen.
    pub fn forget_ends(&mut self) {
        self.ports.iter_mut().for_each(|port| port.end = End::NONE);
    }

    /// The link of its own that a packet for this side crosses last, if the step at hand, over a shared link, is the one before.
    #[inline(always)]
    pub fn last_link(&self, side: Side, at: u32) -> Option<u32> {
        let End { at: before, link } = self.ports[side as usize].end;
        (at == before).then_some(link)
    }

    /// Prefetches the cache lines that a packet for this side needs. It takes the endpoint for TCP, as most are: to read its kind would wait for
    /// memory.
    #[inline]
    pub fn prefetch(&self, side: Side) {
        let (own, transport): (&[usize], &[usize]) = match side {
            Side::Sender => (&Flow::OF_ACKS, &TcpFlow::OF_ACKS),
            Side::Receiver => (&Flow::OF_SEGMENTS, &TcpFlow::OF_SEGMENTS),
        };
        own.iter().for_each(|&field| prefetch(self, field));
        transport.iter().for_each(|&field| prefetch(self, Flow::TRANSPORT + field));
    }

    /// When the scheduler calls it: at its next deadline or before.
    #[inline]
    pub fn wake(&self) -> Time {
        self.wake
    }

    /// Sets the next call to the next deadline.
    pub fn set_wake(&mut self) {
        self.wake = self.next_deadline();
    }

    /// See [`TcpEnd::advance_wake`].
    pub fn advance_wake(&mut self, side: Side) {
        if let Some(mut end) = self.tcp_end(side) {
            end.advance_wake(side);
        }
    }

    /// The next arrival, action of the application or timer.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.deadline(Side::Sender).min(self.deadline(Side::Receiver))
    }

    /// The next action of one side's application or timer.
    #[inline]
    fn timer_deadline(&self, side: Side) -> Time {
        match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => tcp.deadline(side).min(self.source.next_deadline()),
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.deadline(side),
            (Endpoint::Udp(udp), Side::Sender) => udp.next_deadline().min(self.source.next_deadline()),
            (Endpoint::Udp(_), Side::Receiver) | (Endpoint::External(_), _) => Time::NEVER,
        }
    }

    /// The same with its phase.
    pub fn timer_moment(&self, side: Side) -> Moment {
        Moment::new(self.timer_deadline(side), self.ports[side as usize].phase)
    }

    /// The next arrival, action of the application or timer of one side.
    #[inline]
    fn deadline(&self, side: Side) -> Time {
        let own = self.timer_deadline(side);
        if !self.ports[side as usize].waiting {
            return own;
        }
        self.arrivals[side as usize].front().map_or(own, |&(due, _)| own.min(due))
    }

    /// Whether nothing is known to happen to this side before or at `due`. A side that is still sending has more to
    /// do first: where a flow has its whole path to itself, the answer to its first segment is known before it has
    /// sent the second.
    #[inline]
    pub fn is_idle_until(&self, due: Time, side: Side) -> bool {
        let port = &self.ports[side as usize];
        // Before the next call neither side has anything due, and no arrival waits.
        port.busy == 0 && (due < self.wake || !port.waiting && self.deadline(side) > due)
    }

    /// When the timer of one side's transport is due, if that is the first thing to happen to this side, and before `due`.
    pub fn timer_before(&self, due: Time, side: Side) -> Option<Time> {
        let Endpoint::Tcp(tcp) = &self.endpoint else { return None };
        let port = &self.ports[side as usize];
        let is_alone = port.busy == 0 && !port.waiting;
        let acts = side == Side::Sender && self.source.next_deadline() <= due;
        Some(tcp.deadline(side)).filter(|at| *at < due && is_alone && !acts)
    }

    /// Whether this side sends only in answer to arrivals. Links rely on the order of such answers: see
    /// [`Routes`](crate::route::Routes).
    #[inline]
    pub fn is_reactive(&self, side: Side) -> bool {
        match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.acks_at_once(),
            (Endpoint::Udp(_), Side::Receiver) => true,
            (Endpoint::External(_), _) | (_, Side::Sender) => false,
        }
    }

    /// Sets whether a side has more to send before it can take an arrival.
    #[inline]
    pub fn set_sending(&mut self, side: Side, sending: bool) {
        let busy = &mut self.ports[side as usize].busy;
        *busy = if sending { *busy | Port::SENDING } else { *busy & !Port::SENDING };
    }

    /// Its sender is told of the packets that leave its host's queue, if its transport listens; returns whether it does.
    pub fn watch_queue(&mut self) -> bool {
        let Endpoint::Tcp(tcp) = &mut self.endpoint else { return false };
        let listens = tcp.watch_queue();
        if listens {
            self.ports[Side::Sender as usize].busy |= Port::WATCHING;
        }
        listens
    }

    /// A packet has left the queue of a host that one of its flows watches.
    pub fn on_departure(&mut self, now: Time, packet: &Packet) {
        let port = &self.ports[Side::Sender as usize];
        // It may have left the queue of another host on its way.
        if let (Endpoint::Tcp(tcp), Body::Segment(segment)) = (&mut self.endpoint, &packet.body)
            && packet.at == port.path
            && port.busy & Port::WATCHING != 0
        {
            tcp.on_departure(now, packet.connection, segment);
            self.advance_wake(Side::Sender);
        }
    }

    /// Adds an arrival at `due`, after those expected already.
    pub fn expect(&mut self, due: Time, packet: Packet) {
        let side = packet.to.side() as usize;
        self.arrivals[side].push_back((due, packet));
        self.ports[side].waiting = true;
        self.wake = self.wake.min(due);
    }

    /// The next thing to happen to a side at `now`, if any. At the same moment timers come first.
    pub fn poll_due(&mut self, now: Time, side: Side) -> Option<Due> {
        let own = self.timer_deadline(side);
        let port = &mut self.ports[side as usize];
        let arrivals = &mut self.arrivals[side as usize];
        if let Some(&(due, packet)) = arrivals.front()
            && due <= now
            && Moment::new(due, packet.phase) < Moment::new(own, port.phase)
        {
            arrivals.pop_front();
            port.waiting = !arrivals.is_empty();
            return Some(Due::Arrival(packet));
        }
        (own <= now).then_some(Due::Own)
    }

    /// Lets a side's application and timers act if they are due; the caller then drains that side.
    pub fn on_deadline(&mut self, now: Time, side: Side) {
        if side == Side::Sender {
            while let Some(action) = self.source.poll(now) {
                self.act(now, action);
            }
        }
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            match side {
                Side::Sender => tcp.on_sender_deadline(now),
                Side::Receiver => tcp.on_receiver_deadline(now, &mut self.sessions),
            }
        }
    }

    /// Delivers a packet to a side; the caller then drains that side.
    pub fn on_arrival(&mut self, due: Moment, side: Side, packet: &Packet) {
        match self.tcp_end(side) {
            Some(mut end) => {
                if end.on_arrival(due, side, packet) {
                    self.on_session_end(due.at);
                }
            }
            None => self.on_other_arrival(due, side, packet),
        }
    }

    /// A session has been acknowledged, which the application may wait for. It may be due before the next call now.
    #[cold]
    #[inline(never)]
    pub fn on_session_end(&mut self, now: Time) {
        let acknowledged = self.sessions.acknowledged();
        let ended = self.sessions.all()[acknowledged - 1];
        if let Some(bytes) = self.source.on_end(now, acknowledged, ended.delivered) {
            self.sessions.start(now, Some(bytes));
            if let Endpoint::Tcp(tcp) = &mut self.endpoint {
                tcp.on_session(now, &mut self.sessions);
            }
        }
        self.wake = self.wake.min(self.source.next_deadline());
    }

    /// [`Flow::on_arrival`] where the endpoint is not TCP.
    fn on_other_arrival(&mut self, Moment { at: now, phase }: Moment, side: Side, packet: &Packet) {
        self.ports[side as usize].phase = phase;
        match (&mut self.endpoint, packet.body) {
            (Endpoint::Udp(udp), Body::Datagram { payload, end, .. }) => match side {
                Side::Receiver => {
                    let answers = udp.on_datagram(now, payload, end);
                    self.sessions.on_datagram(now, end - u64::from(payload), end, answers);
                }
                Side::Sender => self.sessions.on_answer(now, end),
            },
            (Endpoint::External(external), Body::Foreign { bytes, id }) => {
                external.on_packet(now, ForeignPacket { flow: self.id as usize, to: side, bytes, id });
            }
            _ => return,
        }
        if side == Side::Receiver {
            self.deadline_monitor.note(now);
        }
    }

    /// Keeps how long packets take from `from` on: see [`Record::delays`](crate::Record::delays).
    pub fn keep_delays(&mut self, from: Time) {
        match &mut self.endpoint {
            Endpoint::Tcp(tcp) => tcp.keep_delays(from),
            Endpoint::Udp(udp) => udp.keep_delays(from),
            Endpoint::External(_) => {}
        }
    }

    /// Number of times that are kept so far, those of datagrams that may still arrive included.
    pub fn samples(&self) -> usize {
        match &self.endpoint {
            Endpoint::Tcp(tcp) => tcp.delays().len(),
            Endpoint::Udp(udp) => udp.samples(),
            Endpoint::External(_) => 0,
        }
    }

    /// The times that were kept.
    pub fn delays(&self) -> &[Span] {
        match &self.endpoint {
            Endpoint::Tcp(tcp) => tcp.delays(),
            Endpoint::Udp(udp) => udp.delays(),
            Endpoint::External(_) => &[],
        }
    }

    /// Averages the congestion window over time from `from` on.
    pub fn track_average_cwnd(&mut self, from: Time) {
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            tcp.track_average_cwnd(from);
        }
    }

    /// The sender has just acted.
    #[inline]
    pub fn note_cwnd(&mut self, now: Time) {
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            tcp.note_cwnd(now);
        }
    }

    /// A side, if it is TCP's.
    #[inline(always)]
    pub fn tcp_end(&mut self, side: Side) -> Option<TcpEnd<'_>> {
        let Flow {
            endpoint: Endpoint::Tcp(tcp), ports, send_phases, sessions, deadline_monitor, wake, ..
        } = self
        else {
            return None;
        };
        let port = &mut ports[side as usize];
        Some(TcpEnd { tcp, port, send_phases, sessions, deadline_monitor, wake })
    }

    /// Whether this side may have packets to send that are not like most, once there are no others.
    #[inline]
    pub fn may_have_more(&self, side: Side) -> bool {
        match &self.endpoint {
            Endpoint::Tcp(tcp) => tcp.may_have_more(side),
            Endpoint::Udp(_) | Endpoint::External(_) => true,
        }
    }

    /// The next packet that this side sends now.
    pub fn poll(&mut self, now: Time, side: Side) -> Option<Packet> {
        let next = match (&self.endpoint, side) {
            (Endpoint::Tcp(_), Side::Sender) => self.next_segment(now),
            (Endpoint::Tcp(_), Side::Receiver) => self.next_ack(now),
            _ => self.next_other(now, side),
        };
        next.map(|(unsent, course, _)| unsent.on(&course))
    }

    /// The next segment, its course and its first leg; the endpoint is TCP.
    #[inline(always)]
    pub fn next_segment(&mut self, now: Time) -> Option<(Unsent, Course, Leg)> {
        let Endpoint::Tcp(tcp) = &mut self.endpoint else { return None };
        let (segment, bytes) = tcp.poll_segment(now, &mut self.sessions)?;
        let connection = tcp.sender_connection();
        Some(self.sent(now, Side::Sender, Body::Segment(segment), connection, bytes))
    }

    /// The same of an acknowledgement.
    #[inline(always)]
    pub fn next_ack(&mut self, now: Time) -> Option<(Unsent, Course, Leg)> {
        let Endpoint::Tcp(tcp) = &mut self.endpoint else { return None };
        let (ack, bytes) = tcp.poll_ack()?;
        let connection = tcp.receiver_connection();
        Some(self.sent(now, Side::Receiver, Body::Ack(ack), connection, bytes))
    }

    /// The same where the endpoint is not TCP.
    #[inline(always)]
    pub fn next_other(&mut self, now: Time, side: Side) -> Option<(Unsent, Course, Leg)> {
        let (body, bytes) = self.poll_other(now, side)?;
        Some(self.sent(now, side, body, 0, bytes))
    }

    /// A packet with this body, and its course from this side on.
    #[inline(always)]
    fn sent(
        &mut self,
        now: Time,
        side: Side,
        body: Body,
        connection: u32,
        bytes: u32,
    ) -> (Unsent, Course, Leg) {
        let port = &self.ports[side as usize];
        let due = Moment::new(now, self.send_phases.of_side(now, side, port.phase));
        let course = Course { at: port.path, bytes: bytes + self.overheads[side as usize], due };
        (Unsent { to: port.peer, connection, body }, course, port.leg)
    }

    /// The body and the bytes of the next packet where the endpoint is not TCP.
    #[inline(never)]
    fn poll_other(&mut self, now: Time, side: Side) -> Option<(Body, u32)> {
        match (&mut self.endpoint, side) {
            (Endpoint::Udp(udp), Side::Sender) => {
                let (payload, bytes) = udp.poll(now)?;
                self.sessions.on_sent(now, udp.sent());
                Some((Body::Datagram { payload, end: udp.sent(), ecn: udp.ecn() }, bytes))
            }
            (Endpoint::Udp(udp), Side::Receiver) => {
                let (payload, end, bytes) = udp.poll_answer()?;
                Some((Body::Datagram { payload, end, ecn: udp.ecn() }, bytes))
            }
            (Endpoint::External(external), side) => {
                let ForeignPacket { bytes, id, .. } = external.poll(side)?;
                Some((Body::Foreign { bytes, id }, bytes))
            }
            (Endpoint::Tcp(_), _) => None,
        }
    }

    fn act(&mut self, now: Time, action: Action) {
        let bytes = match action {
            Action::Stop => {
                return match &mut self.endpoint {
                    Endpoint::Tcp(tcp) => tcp.stop(now),
                    Endpoint::Udp(udp) => udp.stop(),
                    Endpoint::External(_) => {}
                };
            }
            Action::Start(bytes) => Some(bytes),
            Action::StartUnbounded => None,
        };
        self.sessions.start(now, bytes);
        match &mut self.endpoint {
            Endpoint::Tcp(tcp) => tcp.on_session(now, &mut self.sessions),
            Endpoint::Udp(udp) => udp.write(now, bytes),
            Endpoint::External(_) => {}
        }
    }
}

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The end that sends data.
    Sender,
    /// The end that receives data.
    Receiver,
}

impl Side {
    /// The other end.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::Sender => Side::Receiver,
            Side::Receiver => Side::Sender,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::prefetch::LINE;

    /// See the comments in [`Flow`].
    #[test]
    fn what_packets_touch_fills_cache_lines() {
        assert_eq!(offset_of!(Flow, sessions) + Sessions::OF_DATA, LINE);
        assert_eq!(offset_of!(Flow, send_phases), 2 * LINE);
        assert_eq!(offset_of!(Flow, ports) + size_of::<Port>(), 3 * LINE);
        assert_eq!(Flow::TRANSPORT, 4 * LINE);
        let lines = |own: &[usize], transport: &[usize]| {
            let within = transport.iter().map(|field| Flow::TRANSPORT + field);
            own.iter().copied().chain(within).map(|field| field / LINE).collect::<Vec<_>>()
        };
        assert_eq!(lines(&Flow::OF_SEGMENTS, &TcpFlow::OF_SEGMENTS), [0, 3, 4, 5]);
        assert_eq!(lines(&Flow::OF_ACKS, &TcpFlow::OF_ACKS), [1, 2, 3, 5, 6, 7, 8, 9]);
    }
}
