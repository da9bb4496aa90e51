//! A flow: its application, its transport, its paths.

use crate::deadline_monitor::DeadlineMonitor;
use crate::external::{ExternalFlow, ForeignPacket};
use crate::packet::{Body, Course, FlowEnd, Packet, Unsent};
use crate::route::{End, Leg, Paths, Start};
use crate::session::Sessions;
use crate::tcp::TcpFlow;
use crate::traffic::{Action, Source};
use crate::udp::UdpFlow;
use crate::video_call::{Media, VideoCall};
use airfair_core::{Draws, Moment, Phase, Span, Stream, Time, prefetch};
use airfair_scenario::resolved::{self, Scenario, Traffic, Transport};
use airfair_tcp::{Ack, Ecn};
use std::collections::VecDeque;
use std::mem::offset_of;

/// A flow and all its state. With many flows the number of cache lines counts: the fields that a data packet touches share lines, and so do those
/// of an ACK. [`Endpoint`] begins with such fields.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Flow {
    // ACKs touch the first cache line, which holds their port, and data packets the next two.
    send_phases: SendPhases,
    ports: [Port; 2],
    source: Source,
    /// Counts arrivals at the sink against the real-time deadline.
    pub deadline_monitor: DeadlineMonitor,
    id: u32,
    /// Bytes that the network layer of each side's host adds to its packets.
    overheads: [u32; 2],
    /// The flow's sessions so far. All packets touch the fourth cache line, which begins within them and ends within the transport.
    pub sessions: Sessions,
    /// When the scheduler calls the flow next: no later than the flow's next deadline.
    wake: Time,
    /// Both ends of the flow's transport.
    pub endpoint: Endpoint,
    /// Packets whose arrival is known but that must wait for earlier events, for each receiving [`Side`].
    arrivals: [VecDeque<(Time, Packet)>; 2],
}

/// One [`Side`]'s end of both paths, and whether it can take arrivals.
#[derive(Debug)]
struct Port {
    /// End of the path whose packets this side receives.
    end: End,
    /// Index of the first step of the path whose packets this side sends. The next two fields are the leg at that step and the end of the flow
    /// that receives the packets.
    path: u32,
    leg: Leg,
    peer: FlowEnd,
    /// Bytes of an ordinary packet of this side: see [`TcpEnd::next`].
    ordinary_bytes: u32,
    /// Phase of the last arrival at this side. Its timers fire in this phase, too.
    phase: Phase,
    /// Whether arrivals wait in [`Flow::arrivals`].
    waiting: bool,
    /// Reasons why this side takes no arrival ahead of its time: [`Port::SENDING`], [`Port::WATCHING`].
    busy: u8,
}

impl Port {
    /// The side has more to send.
    const SENDING: u8 = 1;
    /// The side gets a report of each packet that leaves its host's queue, which cannot be known ahead of time.
    const WATCHING: u8 = 1 << 1;

    fn new([from, to]: [Start; 2], peer: FlowEnd, phase: Phase) -> Port {
        let (path, leg, end) = (from.at, from.leg, to.end);
        Port { end, path, leg, peer, ordinary_bytes: 0, phase, waiting: false, busy: 0 }
    }
}

/// One side of a TCP flow, as far as it takes arrivals and sends ordinary packets: whole new segments, or ACKs without SACK blocks.
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
    /// Takes a packet that arrives. Returns whether it ends a session: then the caller must call [`Flow::on_session_end`].
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

    /// Whether, after an ACK, [others](TcpEnd::on_next_ack) like it may be taken at the same instant.
    #[inline]
    pub fn may_take_others(&self, now: Time) -> bool {
        self.tcp.may_take_others(now)
    }

    /// Takes an ACK like the one before, after [`TcpEnd::may_take_others`]. Returns `false` if it has not been taken; the caller must deliver it
    /// as a single packet then.
    #[inline(always)]
    pub fn on_next_ack(&mut self, Moment { at: now, phase }: Moment, packet: &Packet) -> bool {
        let Body::Ack(ack) = &packet.body else { return false };
        let is_like_last = self.tcp.on_next_ack(now, packet.connection, ack, self.sessions);
        if is_like_last {
            self.port.phase = phase;
        }
        is_like_last
    }

    /// Begins a row of segments for the receiver, with `bytes` bytes in all. `None` if the receiver may do more than acknowledge each segment at
    /// once in one and the same way.
    #[inline]
    pub fn begin_row(&self, bytes: u64) -> Option<RowAcks> {
        let (connection, ack) = self.tcp.begin_row(bytes, self.sessions)?;
        Some(RowAcks { connection, to: self.port.peer, ack })
    }

    /// Ends a row after `segments` segments. The first came at `first`, and each other one a `step` later than its predecessor.
    #[inline]
    pub fn end_row(&mut self, row: &RowAcks, first: Moment, step: Span, segments: u64) {
        self.tcp.end_row(&row.ack);
        self.port.phase = first.phase;
        self.deadline_monitor.note_row(first.at, step, segments);
    }

    /// Like [`Flow::is_idle_until`], but `false` also where that takes a closer look.
    #[inline(always)]
    pub fn is_idle_until(&self, due: Time) -> bool {
        self.port.busy == 0 && due < *self.wake
    }

    /// Returns the index of the first step of the path whose packets this side sends, and the leg there.
    pub fn start(&self) -> (u32, Leg) {
        (self.port.path, self.port.leg)
    }

    /// Returns the bytes on the wire of an ordinary packet of this side.
    pub fn ordinary_bytes(&self) -> u32 {
        self.port.ordinary_bytes
    }

    /// Whether this side's next packet is ordinary.
    #[inline(always)]
    pub fn has_ordinary(&self, side: Side) -> bool {
        self.tcp.has_ordinary(side)
    }

    /// Returns the course of the next packet, sent at `at`, and its first leg; `None` if the packet is not ordinary. [`TcpEnd::take`] makes the
    /// packet once the end of its course is known: then it can be written where it waits.
    #[inline(always)]
    pub fn next(&mut self, at: Time, side: Side) -> Option<(Course, Leg)> {
        if !self.has_ordinary(side) {
            return None;
        }
        let due = Moment::new(at, self.send_phases.of_side(at, side, self.port.phase));
        Some((Course { at: self.port.path, bytes: self.port.ordinary_bytes, due }, self.port.leg))
    }

    /// Makes the ordinary packet whose course [`TcpEnd::next`] returned, further on that course.
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

    /// Whether this side may have other than ordinary packets to send, once it has no ordinary ones.
    #[inline(always)]
    pub fn may_have_more(&self, side: Side) -> bool {
        self.tcp.may_have_more(side)
    }

    /// Makes the flow's next call earlier if this side's timer is due before it, and returns whether it did. To be called after the side has acted
    /// or received a packet. A timer that moved to a later time is only noticed at the next call: most retransmission timers move on with every
    /// ACK and never fire.
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

/// The ACKs of segments that come in a row.
#[derive(Clone, Copy, Debug)]
pub struct RowAcks {
    connection: u32,
    to: FlowEnd,
    ack: Ack,
}

impl RowAcks {
    /// Returns the ACK of the next segment on this course, with the rank of the segment's flow. `None` if the segment does not simply continue
    /// the row.
    #[inline(always)]
    pub fn next(&mut self, segment: &Packet, course: &Course) -> Option<Packet> {
        let &mut RowAcks { connection, to, .. } = self;
        let Body::Segment(body) = &segment.body else { return None };
        let follows = segment.connection == connection && self.ack.follow(body);
        let &Course { at, bytes, due } = course;
        let phase = segment.phase.moved_to(due.phase);
        follows.then_some(Packet { at, to, connection, bytes, phase, body: Body::Ack(self.ack) })
    }
}

/// Phases in which a sender sends. All that it sends at one instant takes one random delay.
#[derive(Debug)]
struct SendPhases {
    draws: Draws,
    last: Moment,
}

impl SendPhases {
    /// Returns the phase of a packet sent at `at` in answer to something in phase `answered`. It is no earlier than the phase of packets sent
    /// before at that instant.
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

    /// Like [`SendPhases::phase`], but for either side: a receiver answers in the phase of the segment.
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

/// Both ends of a flow's transport. The kind comes first in memory; the fields of the transport begin with the next cache line.
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
    /// One direction of a video call.
    VideoCall(Box<VideoCall>),
    /// Endpoints outside the engine.
    External(Box<ExternalFlow>),
}

impl Flow {
    /// Offset of the transport in a [`Flow`], in bytes.
    const TRANSPORT: usize = offset_of!(Flow, endpoint) + align_of::<TcpFlow>();
    /// Offsets of fields before the transport that segments need, and in `OF_ACKS` of those that ACKs need: about one in each cache line.
    const OF_SEGMENTS: [usize; 3] =
        [offset_of!(Flow, source), offset_of!(Flow, deadline_monitor), offset_of!(Flow, wake)];
    const OF_ACKS: [usize; 2] = [offset_of!(Flow, send_phases), offset_of!(Flow, wake)];

    /// Returns flow number `id` of a scenario.
    pub fn new(scenario: &Scenario, id: usize, paths: Paths, seed: u64) -> Flow {
        let flow = &scenario.flows[id];
        let endpoint = match &flow.transport {
            Transport::Tcp { settings, connection } => {
                let asks = matches!(flow.traffic, Traffic::Web { .. } | Traffic::Video { .. });
                let hosts = [flow.source, flow.sink].map(|node| &*scenario.nodes[node].name);
                Endpoint::Tcp(TcpFlow::new(settings, *connection, seed, &flow.name, hosts).asking(asks))
            }
            &Transport::Udp { datagram_bytes: packet_bytes, header_bytes, .. }
                if let Traffic::VideoCall { frame_interval, least, most, .. } = flow.traffic =>
            {
                let media = Media { frame_interval, least, most, packet_bytes, header_bytes };
                let sizes = Stream::new(seed, &format!("frames of {}", flow.name));
                Endpoint::VideoCall(Box::new(VideoCall::new(media, sizes)))
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

    /// Changes the flow's traffic and the settings of its transport to those of `flow`.
    pub fn change(&mut self, flow: &resolved::Flow) {
        self.source.change(&flow.traffic);
        match (&mut self.endpoint, &flow.transport) {
            (Endpoint::Tcp(tcp), Transport::Tcp { settings, .. }) => tcp.change(settings),
            (Endpoint::Udp(udp), Transport::Udp { rate, .. }) => udp.set_rate(*rate),
            _ => {}
        }
        self.set_ordinary_bytes();
    }

    /// Replaces the flow's endpoints by ones outside the engine. Call it at the start of the run.
    pub fn hand_over(&mut self) {
        self.endpoint = Endpoint::External(Box::default());
        self.source = Source::silent();
        self.set_wake();
    }

    /// Returns the flow's endpoints if they are outside the engine.
    pub fn external(&mut self) -> Option<&mut ExternalFlow> {
        match &mut self.endpoint {
            Endpoint::External(external) => Some(external),
            Endpoint::Tcp(_) | Endpoint::Udp(_) | Endpoint::VideoCall(_) => None,
        }
    }

    /// Returns the flow's number in the scenario.
    pub fn id(&self) -> usize {
        self.id as usize
    }

    /// Returns the link of the flow's own that a packet for this side crosses last, and the link that the answer to it crosses first.
    #[inline]
    pub fn links(&self, side: Side) -> [u32; 2] {
        let Port { end, leg, .. } = &self.ports[side as usize];
        [end.link, leg.link]
    }

    /// Returns the end of the path whose packets this side receives; [`End::NONE`] if it is not an ordinary one.
    pub fn end(&self, side: Side) -> End {
        self.ports[side as usize].end
    }

    /// Forgets the ends of the paths, so that [`Flow::last_link`] returns `None`: then packets do not cross their last link together with the
    /// shared one before it.
    pub fn forget_ends(&mut self) {
        self.ports.iter_mut().for_each(|port| port.end = End::NONE);
    }

    /// Returns the link of the flow's own that a packet for this side crosses last, if the step at index `at`, over a shared link, is the one
    /// right before it.
    #[inline(always)]
    pub fn last_link(&self, side: Side, at: u32) -> Option<u32> {
        let End { at: before, link } = self.ports[side as usize].end;
        (at == before).then_some(link)
    }

    /// Prefetches the cache lines that a packet for this side needs. Assumes that the endpoint is TCP, as most are: to read its kind would wait
    /// for memory.
    #[inline]
    pub fn prefetch(&self, side: Side) {
        let (own, transport): (&[usize], &[usize]) = match side {
            Side::Sender => (&Flow::OF_ACKS, &TcpFlow::OF_ACKS),
            Side::Receiver => (&Flow::OF_SEGMENTS, &TcpFlow::OF_SEGMENTS),
        };
        own.iter().for_each(|&field| prefetch(self, field));
        transport.iter().for_each(|&field| prefetch(self, Flow::TRANSPORT + field));
    }

    /// Returns when the scheduler calls the flow: at its next deadline or before.
    #[inline]
    pub fn wake(&self) -> Time {
        self.wake
    }

    /// Sets the scheduler's next call to the flow's next deadline.
    pub fn set_wake(&mut self) {
        self.wake = self.next_deadline();
    }

    /// Makes the flow's next call earlier if this side's timer is due before it: see [`TcpEnd::advance_wake`].
    pub fn advance_wake(&mut self, side: Side) {
        match self.tcp_end(side) {
            Some(mut end) => {
                end.advance_wake(side);
            }
            None => self.wake = self.wake.min(self.timer_deadline(side)),
        }
    }

    /// Returns the time of the flow's next arrival, action of the application or timer.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.deadline(Side::Sender).min(self.deadline(Side::Receiver))
    }

    /// Returns the time of the next action of one side's application or timer.
    #[inline]
    fn timer_deadline(&self, side: Side) -> Time {
        match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => tcp.deadline(side).min(self.source.next_deadline()),
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.deadline(side),
            (Endpoint::Udp(udp), Side::Sender) => udp.next_deadline().min(self.source.next_deadline()),
            (Endpoint::VideoCall(call), Side::Sender) => {
                call.sender_deadline().min(self.source.next_deadline())
            }
            (Endpoint::VideoCall(call), Side::Receiver) => call.receiver_deadline(),
            (Endpoint::Udp(_), Side::Receiver) | (Endpoint::External(_), _) => Time::NEVER,
        }
    }

    /// Like `timer_deadline`, but with the phase in which the timer fires.
    pub fn timer_moment(&self, side: Side) -> Moment {
        Moment::new(self.timer_deadline(side), self.ports[side as usize].phase)
    }

    /// Returns the time of one side's next arrival, action of the application or timer.
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

    /// Returns when the timer of one side's transport is due, if that is before `due` and the first thing to happen to this side.
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
            (Endpoint::VideoCall(_) | Endpoint::External(_), _) | (_, Side::Sender) => false,
        }
    }

    /// Sets whether a side has more to send before it can take an arrival.
    #[inline]
    pub fn set_sending(&mut self, side: Side, sending: bool) {
        let busy = &mut self.ports[side as usize].busy;
        *busy = if sending { *busy | Port::SENDING } else { *busy & !Port::SENDING };
    }

    /// Makes the sender receive reports of the packets that leave its host's queue, if its transport uses them. Returns whether it does.
    pub fn watch_queue(&mut self) -> bool {
        let Endpoint::Tcp(tcp) = &mut self.endpoint else { return false };
        let listens = tcp.watch_queue();
        if listens {
            self.ports[Side::Sender as usize].busy |= Port::WATCHING;
        }
        listens
    }

    /// Reports to the sender that a packet has left the queue of a host that some flow watches.
    pub fn on_departure(&mut self, now: Time, packet: &Packet) {
        let port = &self.ports[Side::Sender as usize];
        // The packet may have left the queue of another host on its way.
        if let (Endpoint::Tcp(tcp), Body::Segment(segment)) = (&mut self.endpoint, &packet.body)
            && packet.at == port.path
            && port.busy & Port::WATCHING != 0
        {
            tcp.on_departure(now, packet.connection, segment);
            self.advance_wake(Side::Sender);
        }
    }

    /// Adds an arrival at `due` behind those that wait already.
    pub fn expect(&mut self, due: Time, packet: Packet) {
        let side = packet.to.side() as usize;
        self.arrivals[side].push_back((due, packet));
        self.ports[side].waiting = true;
        self.wake = self.wake.min(due);
    }

    /// Returns the next thing that happens to a side at `now`, if any. At one moment timers come before arrivals.
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
        self.on_timer(now, side);
    }

    /// Lets the timer of a side's transport act if it is due; the caller then drains that side.
    #[inline]
    pub fn on_timer(&mut self, now: Time, side: Side) {
        match (&mut self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => tcp.on_sender_deadline(now),
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.on_receiver_deadline(now, &mut self.sessions),
            (Endpoint::VideoCall(call), Side::Receiver) => call.on_receiver_deadline(now, &mut self.sessions),
            _ => {}
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

    /// Tells the application that a session has been acknowledged, which it may wait for. The flow may have to be called earlier after this.
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

    /// Like [`Flow::on_arrival`], but for an endpoint that is not TCP.
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
            (Endpoint::VideoCall(call), Body::Media(packet)) => {
                call.on_media(now, &packet, &mut self.sessions)
            }
            (Endpoint::VideoCall(call), Body::Report { report, .. }) => call.on_report(now, report),
            (Endpoint::External(external), Body::Foreign { bytes, id }) => {
                external.on_packet(now, ForeignPacket { flow: self.id as usize, to: side, bytes, id });
            }
            _ => return,
        }
        if side == Side::Receiver {
            self.deadline_monitor.note(now);
        }
    }

    /// Keeps the delays of packets from `from` on: see [`Record::delays`](crate::Record::delays).
    pub fn keep_delays(&mut self, from: Time) {
        match &mut self.endpoint {
            Endpoint::Tcp(tcp) => tcp.keep_delays(from),
            Endpoint::Udp(udp) => udp.keep_delays(from),
            Endpoint::VideoCall(call) => call.keep_delays(from),
            Endpoint::External(_) => {}
        }
    }

    /// Returns the number of times kept so far, those of datagrams that may still arrive included.
    pub fn samples(&self) -> usize {
        match &self.endpoint {
            Endpoint::Tcp(tcp) => tcp.delays().len(),
            Endpoint::Udp(udp) => udp.samples(),
            Endpoint::VideoCall(call) => call.delays().len(),
            Endpoint::External(_) => 0,
        }
    }

    /// Returns the delays that were kept.
    pub fn delays(&self) -> &[Span] {
        match &self.endpoint {
            Endpoint::Tcp(tcp) => tcp.delays(),
            Endpoint::Udp(udp) => udp.delays(),
            Endpoint::VideoCall(call) => call.delays(),
            Endpoint::External(_) => &[],
        }
    }

    /// Averages the congestion window over time from `from` on.
    pub fn track_average_cwnd(&mut self, from: Time) {
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            tcp.track_average_cwnd(from);
        }
    }

    /// Notes the congestion window for its average. Call it after the sender has acted.
    #[inline]
    pub fn note_cwnd(&mut self, now: Time) {
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            tcp.note_cwnd(now);
        }
    }

    /// Returns one side of the flow if the transport is TCP.
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

    /// Whether this side may have other than ordinary packets to send, once it has no ordinary ones.
    #[inline]
    pub fn may_have_more(&self, side: Side) -> bool {
        match &self.endpoint {
            Endpoint::Tcp(tcp) => tcp.may_have_more(side),
            Endpoint::Udp(_) | Endpoint::VideoCall(_) | Endpoint::External(_) => true,
        }
    }

    /// Returns the next packet that this side sends now.
    pub fn poll(&mut self, now: Time, side: Side) -> Option<Packet> {
        let next = match (&self.endpoint, side) {
            (Endpoint::Tcp(_), Side::Sender) => self.next_segment(now),
            (Endpoint::Tcp(_), Side::Receiver) => self.next_ack(now),
            _ => self.next_other(now, side),
        };
        next.map(|(unsent, course, _)| unsent.on(&course))
    }

    /// Returns the next segment, its course and its first leg; `None` also if the endpoint is not TCP.
    #[inline(always)]
    pub fn next_segment(&mut self, now: Time) -> Option<(Unsent, Course, Leg)> {
        let Endpoint::Tcp(tcp) = &mut self.endpoint else { return None };
        let (segment, bytes) = tcp.poll_segment(now, &mut self.sessions)?;
        let connection = tcp.sender_connection();
        Some(self.sent(now, Side::Sender, Body::Segment(segment), connection, bytes))
    }

    /// Like [`Flow::next_segment`], but returns an ACK.
    #[inline(always)]
    pub fn next_ack(&mut self, now: Time) -> Option<(Unsent, Course, Leg)> {
        let Endpoint::Tcp(tcp) = &mut self.endpoint else { return None };
        let (ack, bytes) = tcp.poll_ack()?;
        let connection = tcp.receiver_connection();
        Some(self.sent(now, Side::Receiver, Body::Ack(ack), connection, bytes))
    }

    /// Like [`Flow::next_segment`], but for an endpoint that is not TCP; for either side.
    #[inline(always)]
    pub fn next_other(&mut self, now: Time, side: Side) -> Option<(Unsent, Course, Leg)> {
        let (body, bytes) = self.poll_other(now, side)?;
        Some(self.sent(now, side, body, 0, bytes))
    }

    /// Returns a packet with this body, its course from this side on, and its first leg.
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

    /// Returns the body and the bytes of the next packet of an endpoint that is not TCP.
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
            (Endpoint::VideoCall(call), Side::Sender) => call.poll_media(now, &mut self.sessions),
            (Endpoint::VideoCall(call), Side::Receiver) => call.poll_report(),
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
                    Endpoint::VideoCall(_) | Endpoint::External(_) => {}
                };
            }
            Action::Start(bytes) => Some(bytes),
            Action::StartUnbounded => None,
            Action::Capture => {
                if let Endpoint::VideoCall(call) = &mut self.endpoint {
                    let bytes = call.on_capture(now);
                    self.sessions.start(now, Some(bytes));
                }
                return;
            }
        };
        self.sessions.start(now, bytes);
        match &mut self.endpoint {
            Endpoint::Tcp(tcp) => tcp.on_session(now, &mut self.sessions),
            Endpoint::Udp(udp) => udp.write(now, bytes),
            Endpoint::VideoCall(_) | Endpoint::External(_) => {}
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
    /// Returns the other end of the flow.
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
        assert_eq!(offset_of!(Flow, ports) + size_of::<Port>(), LINE);
        assert_eq!(offset_of!(Flow, deadline_monitor), 2 * LINE);
        assert_eq!(offset_of!(Flow, sessions) + Sessions::OF_DATA, 3 * LINE);
        assert_eq!(Flow::TRANSPORT + TcpFlow::OF_SEGMENTS[0], 4 * LINE);
        let lines = |own: &[usize], transport: &[usize]| {
            let within = transport.iter().map(|field| Flow::TRANSPORT + field);
            own.iter().copied().chain(within).map(|field| field / LINE).collect::<Vec<_>>()
        };
        assert_eq!(lines(&Flow::OF_SEGMENTS, &TcpFlow::OF_SEGMENTS), [1, 2, 3, 4, 5]);
        assert_eq!(lines(&Flow::OF_ACKS, &TcpFlow::OF_ACKS), [0, 3, 6, 7, 8, 18]);
    }
}
