//! One flow in the world: its application, its transport, its paths.

use crate::packet::{Body, Packet};
use crate::punctuality::Punctuality;
use crate::route::Paths;
use crate::session::Sessions;
use crate::tcp::TcpFlow;
use crate::traffic::{Action, Source};
use crate::udp::UdpFlow;
use airfair_core::Time;
use airfair_scenario::resolved::{Scenario, Transport};
use std::collections::VecDeque;

/// A flow and all its state.
#[derive(Debug)]
pub struct Flow {
    id: u32,
    paths: Paths,
    overheads: Overheads,
    source: Source,
    /// Packets whose arrival is known but has to wait for what happens before, for each [`Side`].
    arrivals: [VecDeque<(Time, Packet)>; 2],
    /// Whether each [`Side`] has more to send before it can take what arrives.
    sending: [bool; 2],
    /// Its sessions so far.
    pub sessions: Sessions,
    /// How its data keeps coming at the sink.
    pub punctuality: Punctuality,
    /// Its transport.
    pub endpoint: Endpoint,
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
        Flow {
            id: id as u32,
            paths,
            overheads: Overheads::new(scenario, flow),
            source: Source::new(&flow.traffic, seed, &flow.name),
            sessions: Sessions::default(),
            punctuality: Punctuality::new(scenario.measures.deadline),
            endpoint,
            arrivals: [VecDeque::new(), VecDeque::new()],
            sending: [false; 2],
        }
    }

    /// When a packet arrives, its application acts or a timer of its transport fires next.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.deadline_of(Side::Sender).min(self.deadline_of(Side::Receiver))
    }

    /// The same of one side; the application is the sender's.
    #[inline]
    pub fn deadline_of(&self, side: Side) -> Time {
        let own = match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => tcp.sender_deadline().min(self.source.next_deadline()),
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.receiver_deadline(),
            (Endpoint::Udp(udp), Side::Sender) => udp.next_deadline().min(self.source.next_deadline()),
            (Endpoint::Udp(_), Side::Receiver) => Time::NEVER,
        };
        own.min(self.arrivals[side as usize].front().map_or(Time::NEVER, |&(due, _)| due))
    }

    /// Whether nothing happens to this side before `due` or at it, as far as is known now. A side that is in the
    /// middle of sending has more to do first: where a flow has its whole path to itself, the answer to its first
    /// segment is known before it has sent the second.
    #[inline]
    pub fn is_undisturbed_until(&self, due: Time, side: Side) -> bool {
        let own = match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Sender) => tcp.sender_deadline().min(self.source.next_deadline()),
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.receiver_deadline(),
            (Endpoint::Udp(_), _) => Time::NEVER,
        };
        own > due && self.arrivals[side as usize].is_empty() && !self.sending[side as usize]
    }

    /// Whether this side never acts by itself. Links count on the order in which such sides answer: see
    /// [`Routes`](crate::route::Routes).
    #[inline]
    pub fn only_answers(&self, side: Side) -> bool {
        match (&self.endpoint, side) {
            (Endpoint::Tcp(tcp), Side::Receiver) => tcp.acks_at_once(),
            (Endpoint::Udp(_), Side::Receiver) => true,
            (_, Side::Sender) => false,
        }
    }

    /// Whether a side has more to send before it can take what arrives.
    #[inline]
    pub fn set_sending(&mut self, side: Side, sending: bool) {
        self.sending[side as usize] = sending;
    }

    /// A packet will arrive at `due`, after those expected already.
    pub fn expect(&mut self, due: Time, packet: Packet) {
        self.arrivals[packet.side() as usize].push_back((due, packet));
    }

    /// A packet that has arrived, and for which side.
    #[inline]
    pub fn poll_arrival(&mut self, now: Time) -> Option<(Packet, Side)> {
        for side in [Side::Sender, Side::Receiver] {
            let arrivals = &mut self.arrivals[side as usize];
            if let Some(&(due, packet)) = arrivals.front()
                && due <= now
            {
                arrivals.pop_front();
                return Some((packet, side));
            }
        }
        None
    }

    /// Whatever of the application and the timers is due; the caller then drains both sides.
    pub fn on_deadline(&mut self, now: Time) {
        while let Some(action) = self.source.poll(now) {
            self.act(now, action);
        }
        if let Endpoint::Tcp(tcp) = &mut self.endpoint {
            tcp.on_deadline(now);
        }
    }

    /// A packet reaches its side; the caller then drains that side.
    #[inline]
    pub fn on_arrival(&mut self, now: Time, packet: &Packet) {
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
            self.punctuality.note(now);
        }
    }

    /// The next packet that this side sends now.
    #[inline]
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
        let (at, overhead) = match side {
            Side::Sender => (self.paths.forward, self.overheads.forward),
            Side::Receiver => (self.paths.backward, self.overheads.backward),
        };
        Some(Packet { at, flow: self.id, connection, bytes: bytes + overhead, body })
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

/// Bytes that the network layer of a flow's two hosts adds to each of its packets.
#[derive(Clone, Copy, Debug)]
struct Overheads {
    forward: u32,
    backward: u32,
}

impl Overheads {
    fn new(scenario: &Scenario, flow: &airfair_scenario::resolved::Flow) -> Overheads {
        Overheads {
            forward: scenario.station_overhead(flow.source),
            backward: scenario.station_overhead(flow.sink),
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
