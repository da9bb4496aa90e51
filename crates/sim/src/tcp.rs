//! A TCP flow: both endpoints, and what becomes of them from one session to the next.

use crate::record::FlowCounts;
use crate::session::Sessions;
use airfair_core::{Span, Stream, Time};
use airfair_scenario::resolved::Connection;
use airfair_tcp::{Ack, Receiver, Segment, Sender, Settings};

/// A sender, a receiver, and the connection they are in.
#[derive(Debug)]
pub struct TcpFlow {
    sender: Sender,
    receiver: Receiver,
    settings: Box<Settings>,
    /// How far its host's clock ticks are from those of the run.
    clock_phase: Span,
    mode: Connection,
    /// Number of the current connection.
    connection: u32,
    /// Where the current connection's payload starts in the flow's stream.
    base: u64,
    /// The same of the connection that the receiver is in: it learns of a new one by its first segment.
    receiver_connection: u32,
    receiver_base: u64,
    /// With a connection for each session: how many sessions have got theirs.
    opened: usize,
    /// Counts of the connections before this one.
    earlier: FlowCounts,
}

impl TcpFlow {
    /// Both endpoints, idle. Where a host's clock ticks coarsely, when it ticks is its own.
    pub fn new(settings: &Settings, mode: Connection, seed: u64, name: &str) -> TcpFlow {
        let tick = settings.rto.granularity;
        let clock_phase = Span(Stream::new(seed, &format!("clock of {name}")).below(tick.0.max(1)));
        TcpFlow {
            sender: Sender::new(settings).with_clock_phase(clock_phase),
            clock_phase,
            receiver: Receiver::new(settings),
            settings: Box::new(settings.clone()),
            mode,
            connection: 0,
            base: 0,
            receiver_connection: 0,
            receiver_base: 0,
            opened: 0,
            earlier: FlowCounts::default(),
        }
    }

    /// The application starts the last of `sessions`.
    pub fn on_session(&mut self, now: Time, sessions: &mut Sessions) {
        let Some(session) = sessions.all().last() else { return };
        match (self.mode, session.bytes) {
            (Connection::Fresh, _) => return self.open_next(now, sessions),
            (Connection::Renewed, _) => self.sender.renew(now),
            (Connection::Reuse, _) => {}
        }
        self.write(now, session.bytes);
    }

    /// The application writes no more.
    pub fn stop(&mut self) {
        self.sender.stop();
    }

    /// A segment of a connection reaches the receiver; the first of a new one opens it, those of earlier ones are
    /// discarded.
    #[inline]
    pub fn on_segment(&mut self, now: Time, connection: u32, segment: &Segment, sessions: &mut Sessions) {
        if connection < self.receiver_connection {
            return;
        }
        if connection > self.receiver_connection {
            self.receiver_base = self.delivered();
            self.receiver_connection = connection;
            self.receiver = Receiver::new(&self.settings);
        }
        self.receiver.on_segment(now, segment);
        sessions.on_receiver(now, self.delivered());
    }

    /// An acknowledgement of a connection reaches the sender; those of earlier ones are discarded.
    #[inline]
    pub fn on_ack(&mut self, now: Time, connection: u32, ack: &Ack, sessions: &mut Sessions) {
        if connection != self.connection {
            return;
        }
        self.sender.on_ack(now, ack);
        self.note_progress(now, sessions);
    }

    /// Whichever timer is due.
    pub fn on_deadline(&mut self, now: Time) {
        if self.sender.next_deadline() <= now {
            self.sender.on_timer(now);
        }
        if self.receiver.next_deadline() <= now {
            self.receiver.on_timer(now);
        }
    }

    /// The earliest of both endpoints' timers.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.sender.next_deadline().min(self.receiver.next_deadline())
    }

    /// The sender's timer.
    #[inline]
    pub fn sender_deadline(&self) -> Time {
        self.sender.next_deadline()
    }

    /// Whether the receiver answers every segment when it comes.
    #[inline]
    pub fn acks_at_once(&self) -> bool {
        self.settings.delayed_ack.is_none()
    }

    /// The receiver's timer.
    #[inline]
    pub fn receiver_deadline(&self) -> Time {
        self.receiver.next_deadline()
    }

    /// The next segment to send, and its bytes on the wire.
    #[inline]
    pub fn poll_segment(&mut self, now: Time, sessions: &mut Sessions) -> Option<(Segment, u32)> {
        let segment = self.sender.poll_transmit(now)?;
        sessions.on_sender(now, self.base + self.sender.sent_to(), self.acked());
        Some((segment, self.settings.segment_wire_bytes(&segment)))
    }

    /// The next acknowledgement to send, and its bytes on the wire.
    #[inline]
    pub fn poll_ack(&mut self, now: Time) -> Option<(Ack, u32)> {
        let ack = self.receiver.poll_transmit(now)?;
        Some((ack, self.settings.ack_wire_bytes(&ack)))
    }

    /// Number of the connection that the sender is in.
    #[inline]
    pub fn sender_connection(&self) -> u32 {
        self.connection
    }

    /// Number of the connection that the receiver is in.
    #[inline]
    pub fn receiver_connection(&self) -> u32 {
        self.receiver_connection
    }

    /// Payload bytes acknowledged, over all connections.
    #[inline]
    pub fn acked(&self) -> u64 {
        self.base + self.sender.acked_to()
    }

    /// Payload bytes delivered in order, over all connections.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.receiver_base + self.receiver.delivered_to()
    }

    /// The current connection's sender.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Counts over all connections.
    pub fn counts(&self) -> FlowCounts {
        let sender = self.sender.stats();
        FlowCounts {
            acked_bytes: self.acked(),
            delivered_bytes: self.delivered(),
            segments: self.earlier.segments + sender.segments,
            retransmissions: self.earlier.retransmissions + sender.retransmissions,
            timeouts: self.earlier.timeouts + sender.timeouts,
            fast_retransmits: self.earlier.fast_retransmits + sender.fast_retransmits,
            window_cuts: self.earlier.window_cuts + sender.window_cuts,
        }
    }

    fn write(&mut self, now: Time, bytes: Option<u64>) {
        match bytes {
            Some(bytes) => self.sender.write(now, bytes),
            None => self.sender.write_unbounded(now),
        }
    }

    fn note_progress(&mut self, now: Time, sessions: &mut Sessions) {
        let acknowledged = sessions.acknowledged();
        sessions.on_sender(now, self.base + self.sender.sent_to(), self.acked());
        if self.mode == Connection::Fresh && sessions.acknowledged() > acknowledged {
            self.open_next(now, sessions);
        }
    }

    /// Opens the next session's connection, once every earlier session is acknowledged.
    fn open_next(&mut self, now: Time, sessions: &Sessions) {
        if sessions.acknowledged() < self.opened {
            return;
        }
        let Some(session) = sessions.all().get(self.opened) else { return };
        if self.opened > 0 {
            self.earlier = self.counts();
            self.base = self.acked();
            self.connection += 1;
            self.sender = Sender::new(&self.settings).with_clock_phase(self.clock_phase);
        }
        self.opened += 1;
        self.write(now, session.bytes);
    }
}
