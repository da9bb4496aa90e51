//! One flow in the world: its application, its transport, its paths.

use crate::deadline_monitor::DeadlineMonitor;
use crate::packet::{Body, Packet};
use crate::route::Paths;
use crate::session::Sessions;
use crate::tcp::TcpFlow;
use crate::traffic::{Action, Source};
use crate::udp::UdpFlow;
use airfair_core::{Draws, Moment, Phase, Stream, Time};
use airfair_scenario::resolved::{Scenario, Transport};
use std::collections::VecDeque;

/// A flow and all its state.
#[derive(Debug)]
pub struct Flow {
    /// When it is called next: not after anything of its own is due.
    wake: Time,
    ports: [Port; 2],
    id: u32,
    source: Source,
    send_phases: SendPhases,
    /// Its transport.
    pub endpoint: Endpoint,
    /// How its data keeps coming at the sink.
    pub deadline_monitor: DeadlineMonitor,
    /// Its sessions so far.
    pub sessions: Sessions,
    /// Packets whose arrival is known but has to wait for what happens before, for each [`Side`].
    arrivals: [VecDeque<(Time, Packet)>; 2],
}

/// Where one [`Side`] sends, and whether it can take what arrives.
#[derive(Debug)]
struct Port {
    /// Where its packets' path starts.
    path: u32,
    /// Bytes that its host's network layer adds to each.
    overhead: u32,
    /// When something last happened to it within an instant, and when its timers fire: that of the last arrival.
    phase: Phase,
    /// How many arrivals wait.
    waiting: u32,
    /// It has more to send before it can take what arrives.
    sending: bool,
}

impl Port {
    fn new(path: u32, overhead: u32, phase: Phase) -> Port {
        Port { path, overhead, phase, waiting: 0, sending: false }
    }
}

/// When within an instant a sender sends: it takes a random while for all that it sends at that instant.
#[derive(Debug)]
struct SendPhases {
    draws: Draws,
    last: Moment,
}

impl SendPhases {
    /// When it sends at `at` in answer to something in this phase: not before what it has sent.
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
}

/// What is due on one side of a flow.
#[derive(Clone, Copy, Debug)]
pub enum Due {
    /// A packet arrives.
    Arrival(Packet),
    /// Its application or a timer acts.
    Own,
}

/// A flow's transport, both ends of it.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most flows are TCP, and a box would cost each of them a cache miss"
)]
pub enum Endpoint {
    /// TCP.
    Tcp(TcpFlow),
    /// UDP at a constant rate.
    Udp(UdpFlow),
}

impl Flow {
    /// The flow number `id` of a scenario.
    pub fn new(scenario: &Scenario, id: usize, paths: Paths, seed: u64) -> Flow {
        let flow = &scenario.flows[id];
        let endpoint = match &flow.transport {
            Transport::Tcp { settings, connection } => {
                Endpoint::Tcp(TcpFlow::new(settings, *connection, seed, &flow.name))
            }
            Transport::Udp { datagram_bytes, header_bytes, rate } => {
                Endpoint::Udp(UdpFlow::new(*datagram_bytes, *header_bytes, *rate))
            }
        };
        let mut stream = Stream::new(seed, &format!("phase of {}", flow.name));
        let phase = Phase::of_flow(stream.bits());
        let mut flow = Flow {
            wake: Time::NEVER,
            ports: [
                Port::new(paths.forward, scenario.station_overhead(flow.source), phase),
                Port::new(paths.backward, scenario.station_overhead(flow.sink), phase),
            ],
            send_phases: SendPhases { draws: Draws::new(stream.bits()), last: Moment::NEVER },
            id: id as u32,
            source: Source::new(&flow.traffic, seed, &flow.name),
            endpoint,
            deadline_monitor: DeadlineMonitor::new(scenario.measures.deadline),
            sessions: Sessions::default(),
            arrivals: [VecDeque::new(), VecDeque::new()],
        };
        flow.set_wake();
        flow
    }

    /// Its number in the scenario.
    pub fn id(&self) -> usize {
        self.id as usize
    }

    /// Where the path of what a side sends starts.
    pub fn path(&self, side: Side) -> u32 {
        self.ports[side as usize].path
    }

    /// Reads from each cache line that a packet for this side will need.
    pub fn prefetch(&self, side: Side) -> u64 {
        let endpoint = match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => tcp.prefetch_sender(),
            (Endpoint::Tcp(tcp), Side::Receiver) => {
                tcp.prefetch_receiver() ^ self.deadline_monitor.counts().arrivals
            }
            (Endpoint::Udp(udp), _) => udp.sent(),
        };
        endpoint ^ self.wake.0 ^ self.sessions.acknowledged() as u64
    }

    /// When it is to be called: when a packet arrives, its application acts or a timer of its transport fires, or before.
    #[inline]
    pub fn wake(&self) -> Time {
        self.wake
    }

    /// It has been called: it is to be called again when the next thing is due.
    pub fn set_wake(&mut self) {
        self.wake = self.next_deadline();
    }

    /// Something is due that may come before it is called. A deadline that moved later is found out then: most
    /// retransmission timers move on with every ACK and never fire.
    #[inline]
    pub fn advance_wake(&mut self, side: Side) {
        self.wake = self.wake.min(self.deadline(side));
    }

    /// When a packet arrives, its application acts or a timer of its transport fires next.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.deadline(Side::Sender).min(self.deadline(Side::Receiver))
    }

    /// When one side's application acts or a timer of its transport fires.
    #[inline]
    fn timer_deadline(&self, side: Side) -> Time {
        match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => tcp.sender_deadline().min(self.source.next_deadline()),
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.receiver_deadline(),
            (Endpoint::Udp(udp), Side::Sender) => udp.next_deadline().min(self.source.next_deadline()),
            (Endpoint::Udp(_), Side::Receiver) => Time::NEVER,
        }
    }

    /// The same, and when within that instant.
    #[cfg(test)]
    pub fn timer_moment(&self, side: Side) -> Moment {
        Moment::new(self.timer_deadline(side), self.ports[side as usize].phase)
    }

    /// When a packet arrives at one side or that acts by itself.
    #[inline]
    fn deadline(&self, side: Side) -> Time {
        let own = self.timer_deadline(side);
        if self.ports[side as usize].waiting == 0 {
            return own;
        }
        self.arrivals[side as usize].front().map_or(own, |&(due, _)| own.min(due))
    }

    /// Whether nothing happens to this side before `due` or at it, as far as is known now. A side that is in the
    /// middle of sending has more to do first: where a flow has its whole path to itself, the answer to its first
    /// segment is known before it has sent the second.
    #[inline]
    pub fn is_idle_until(&self, due: Time, side: Side) -> bool {
        let port = &self.ports[side as usize];
        // Before it is to be called, nothing of either side's own is due, and nothing waits.
        !port.sending && (due < self.wake || port.waiting == 0 && self.deadline(side) > due)
    }

    /// Whether this side never acts by itself. Links count on the order in which such sides answer: see
    /// [`Routes`](crate::route::Routes).
    #[inline]
    pub fn is_reactive(&self, side: Side) -> bool {
        match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.acks_at_once(),
            (Endpoint::Udp(_), Side::Receiver) => true,
            (_, Side::Sender) => false,
        }
    }

    /// Whether a side has more to send before it can take what arrives.
    #[inline]
    pub fn set_sending(&mut self, side: Side, sending: bool) {
        self.ports[side as usize].sending = sending;
    }

    /// A packet will arrive at `due`, after those expected already.
    pub fn expect(&mut self, due: Time, packet: Packet) {
        let side = packet.side() as usize;
        self.arrivals[side].push_back((due, packet));
        self.ports[side].waiting += 1;
    }

    /// What happens next to a side at `now`, if anything does. At the same moment timers come first.
    pub fn poll_due(&mut self, now: Time, side: Side) -> Option<Due> {
        let own = self.timer_deadline(side);
        let port = &mut self.ports[side as usize];
        let arrivals = &mut self.arrivals[side as usize];
        if let Some(&(due, packet)) = arrivals.front()
            && due <= now
            && Moment::new(due, packet.phase) < Moment::new(own, port.phase)
        {
            arrivals.pop_front();
            port.waiting -= 1;
            return Some(Due::Arrival(packet));
        }
        (own <= now).then_some(Due::Own)
    }

    /// Whatever of a side's application and timers is due; the caller then drains that side.
    pub fn on_deadline(&mut self, now: Time, side: Side) {
        if side == Side::Sender {
            while let Some(action) = self.source.poll(now) {
                self.act(now, action);
            }
        }
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            match side {
                Side::Sender => tcp.on_sender_deadline(now),
                Side::Receiver => tcp.on_receiver_deadline(now),
            }
        }
    }

    /// A packet reaches its side; the caller then drains that side.
    #[inline(always)]
    pub fn on_arrival(&mut self, now: Time, side: Side, packet: &Packet) {
        self.ports[side as usize].phase = packet.phase;
        let brings_data = match (&mut self.endpoint, &packet.body) {
            (Endpoint::Tcp(tcp), Body::Segment(segment)) => {
                tcp.on_segment(now, packet.connection, segment, &mut self.sessions)
            }
            (Endpoint::Tcp(tcp), Body::Ack(ack)) => {
                tcp.on_ack(now, packet.connection, ack, &mut self.sessions);
                false
            }
            (Endpoint::Udp(udp), &Body::Datagram { payload, end }) => {
                udp.on_datagram(payload);
                self.sessions.on_datagram(now, end - u64::from(payload), end);
                true
            }
            _ => false,
        };
        if brings_data {
            self.deadline_monitor.note(now);
        }
    }

    /// Has the congestion window averaged over time from `from` on.
    pub fn track_average_cwnd(&mut self, from: Time) {
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            tcp.track_average_cwnd(from);
        }
    }

    /// Its sender has just acted.
    #[inline]
    pub fn note_cwnd(&mut self, now: Time) {
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            tcp.note_cwnd(now);
        }
    }

    /// The next packet that this side sends now.
    #[inline(always)]
    pub fn poll(&mut self, now: Time, side: Side) -> Option<Packet> {
        let (body, connection, bytes) = match (&mut self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => {
                let (segment, bytes) = tcp.poll_segment(now, &mut self.sessions)?;
                (Body::Segment(segment), tcp.sender_connection(), bytes)
            }
            (Endpoint::Tcp(tcp), Side::Receiver) => {
                let (ack, bytes) = tcp.poll_ack(now)?;
                (Body::Ack(ack), tcp.receiver_connection(), bytes)
            }
            (Endpoint::Udp(udp), Side::Sender) => {
                let (payload, bytes) = udp.poll(now)?;
                self.sessions.on_sender(now, udp.sent(), 0);
                (Body::Datagram { payload, end: udp.sent() }, 0, bytes)
            }
            (Endpoint::Udp(_), Side::Receiver) => return None,
        };
        let port = &self.ports[side as usize];
        let phase = match side {
            Side::Sender => self.send_phases.phase(now, port.phase),
            Side::Receiver => port.phase,
        };
        Some(Packet { at: port.path, flow: self.id, connection, bytes: bytes + port.overhead, phase, body })
    }

    fn act(&mut self, now: Time, action: Action) {
        let bytes = match action {
            Action::Stop => {
                return match &mut self.endpoint {
                    Endpoint::Tcp(tcp) => tcp.stop(),
                    Endpoint::Udp(udp) => udp.stop(),
                };
            }
            Action::Start(bytes) => Some(bytes),
            Action::StartUnbounded => None,
        };
        self.sessions.start(now, bytes);
        match &mut self.endpoint {
            Endpoint::Tcp(tcp) => tcp.on_session(now, &mut self.sessions),
            Endpoint::Udp(udp) => udp.write(now, bytes),
        }
    }
}

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where its data comes from.
    Sender,
    /// Where its data goes.
    Receiver,
}

impl Side {
    /// That at the other end.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::Sender => Side::Receiver,
            Side::Receiver => Side::Sender,
        }
    }
}
