//! A TCP flow: both endpoints, from one session to the next.

use crate::cwnd_average::CwndAverage;
use crate::flow::Side;
use crate::record::FlowCounts;
use crate::session::Sessions;
use crate::timing::Timing;
use airfair_core::{Span, Stream, Time};
use airfair_scenario::resolved::Connection;
use airfair_tcp::{Ack, Receiver, Segment, Sender, SenderStats, Settings};
use std::mem::offset_of;
use std::sync::Arc;

/// A sender, a receiver, and their connection.
#[derive(Debug)]
#[repr(C)]
pub struct TcpFlow {
    // Each of these begins a cache line: the receiver, what both sides touch, the sender's measurements, the sender.
    receiver: Receiver,
    settings: Arc<Settings>,
    /// Number of the current connection.
    connection: u32,
    /// The same of the receiver's connection: its first segment opens a new one.
    receiver_connection: u32,
    /// Start of the current connection's payload in the flow's stream.
    base: u64,
    /// The same of the receiver's connection.
    receiver_base: u64,
    cwnd_average: Option<Box<CwndAverage>>,
    mode: Connection,
    /// Whether the receiver's host asks for more as soon as it has a session: the acknowledgement goes with the request.
    asks: bool,
    /// Counts of the senders of earlier connections.
    earlier: Option<Box<SenderStats>>,
    /// With sessions that wait for each other: number of those that have begun.
    opened: usize,
    timing: Timing,
    sender: Sender,
    /// Offset of its host's clock ticks from the start of the run.
    clock_phase: Span,
}

impl TcpFlow {
    /// Where fields begin that segments need, about one in each cache line.
    pub const OF_SEGMENTS: [usize; 2] =
        [offset_of!(TcpFlow, receiver), offset_of!(TcpFlow, receiver_connection)];
    /// The same of ACKs.
    pub const OF_ACKS: [usize; 5] = {
        let [first, second, third] = Sender::OF_ACKS;
        let (connection, timing) = (offset_of!(TcpFlow, connection), offset_of!(TcpFlow, timing));
        let sender = offset_of!(TcpFlow, sender);
        [connection, timing, sender + first, sender + second, sender + third]
    };

    /// Both endpoints, idle. With a coarse clock, each host has its own tick offset.
    pub fn new(settings: &Arc<Settings>, mode: Connection, seed: u64, name: &str) -> TcpFlow {
        let tick = settings.rto_granularity;
        let clock_phase = Span(Stream::new(seed, &format!("clock of {name}")).below(tick.0.max(1)));
        let sender = Sender::sharing(Arc::clone(settings)).with_clock_phase(clock_phase);
        TcpFlow {
            sender: sender
                .with_jitter(Stream::new(seed, &format!("send jitter of {name}")))
                .with_choices(|| Stream::new(seed, &format!("congestion control of {name}"))),
            clock_phase,
            receiver: Receiver::new(settings),
            settings: Arc::clone(settings),
            mode,
            asks: false,
            connection: 0,
            base: 0,
            receiver_connection: 0,
            receiver_base: 0,
            opened: 0,
            earlier: None,
            timing: Timing::default(),
            cwnd_average: None,
        }
    }

    /// Its sender is told of the segments that leave its host's queue, if its settings make it listen; returns whether they do.
    pub fn watch_queue(&mut self) -> bool {
        let listens = self.settings.small_queue;
        if listens {
            self.sender.keep_small_queue();
        }
        listens
    }

    /// A segment of the sender's has left its host's queue.
    pub fn on_departure(&mut self, now: Time, connection: u32, segment: &Segment) {
        if connection == self.connection {
            self.sender.on_departure(now, segment);
        }
    }

    /// Whether the receiver's host asks for more as soon as it has a session.
    #[must_use]
    pub fn asking(self, asks: bool) -> TcpFlow {
        TcpFlow { asks, ..self }
    }

    /// Both ends go on with other settings: see [`airfair_tcp::settings::CHANGEABLE`].
    pub fn change(&mut self, settings: &Arc<Settings>) {
        self.settings = Arc::clone(settings);
        self.sender.adopt(Arc::clone(settings));
        self.receiver.adopt(settings);
    }

    /// The application starts the last of `sessions`.
    pub fn on_session(&mut self, now: Time, sessions: &mut Sessions) {
        let Some(session) = sessions.all().last() else { return };
        match (self.mode, session.bytes) {
            (Connection::Fresh | Connection::InTurn, _) => return self.open_next(now, sessions),
            (Connection::Renewed, _) => self.sender.renew(now),
            (Connection::Reuse, _) => {}
        }
        self.write(now, session.bytes);
    }

    /// The application writes no more.
    pub fn stop(&mut self, now: Time) {
        self.sender.stop(now);
    }

    /// A segment reaches the receiver. The first of a new connection opens it, those of earlier ones are discarded.
    /// Returns whether it brought new data.
    #[inline(always)]
    pub fn on_segment(
        &mut self,
        now: Time,
        connection: u32,
        segment: &Segment,
        sessions: &mut Sessions,
    ) -> bool {
        if connection < self.receiver_connection {
            return false;
        }
        if connection > self.receiver_connection {
            self.reopen(connection);
        }
        let duplicates = self.receiver.stats().duplicates;
        self.receiver.on_segment(now, segment);
        self.after_delivery(now, sessions);
        segment.len > 0 && self.receiver.stats().duplicates == duplicates
    }

    /// The receiver's connection, and the acknowledgement before a row of segments: see [`Receiver::begin_row`]. `None`, too, if these bytes may
    /// end a session.
    #[inline]
    pub fn begin_row(&self, bytes: u64, sessions: &Sessions) -> Option<(u32, Ack)> {
        let ends_session = self.delivered() + bytes >= sessions.delivered_before();
        let ack = self.receiver.begin_row().filter(|_| !ends_session)?;
        Some((self.receiver_connection, ack))
    }

    /// Ends the row: `ack` is its last acknowledgement.
    #[inline]
    pub fn end_row(&mut self, last: &Ack) {
        self.receiver.end_row(last);
    }

    /// The first segment of a new connection reaches the receiver.
    #[cold]
    #[inline(never)]
    fn reopen(&mut self, connection: u32) {
        self.receiver_base = self.delivered();
        self.receiver_connection = connection;
        self.receiver = Receiver::new(&self.settings);
    }

    /// An acknowledgement reaches the sender; those of earlier connections are discarded. Returns whether it ends a session.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, connection: u32, ack: &Ack, sessions: &mut Sessions) -> bool {
        if connection != self.connection {
            return false;
        }
        if !self.sender.on_ack(now, ack) {
            return false;
        }
        self.timing.on_ack(now, now.since(ack.echo));
        let ends_session = sessions.on_acked(now, self.acked());
        if ends_session && matches!(self.mode, Connection::Fresh | Connection::InTurn) {
            self.open_next(now, sessions);
        }
        ends_session
    }

    /// After [an acknowledgement](TcpFlow::on_ack): whether [others](TcpFlow::on_next_ack) may come at the same instant that are like it.
    pub fn may_take_others(&self, now: Time) -> bool {
        self.sender.may_take_others(now)
    }

    /// One of these comes. `false`: it takes a closer look.
    #[inline(always)]
    pub fn on_next_ack(&mut self, now: Time, connection: u32, ack: &Ack, sessions: &Sessions) -> bool {
        let is_like_last = connection == self.connection
            && self.base + ack.ack < sessions.acked_before()
            && self.sender.on_next_ack(now, ack);
        if is_like_last {
            self.timing.on_ack(now, now.since(ack.echo));
        }
        is_like_last
    }

    /// Runs the sender's timer if it is due.
    pub fn on_sender_deadline(&mut self, now: Time) {
        if self.sender.next_deadline() <= now {
            let (timeouts, timeout) = (self.sender.stats().timeouts, self.sender.rto());
            self.sender.on_timer(now);
            if self.sender.stats().timeouts > timeouts {
                self.timing.on_timeout(timeout);
            }
        }
    }

    /// Runs the receiver's timer if it is due.
    pub fn on_receiver_deadline(&mut self, now: Time, sessions: &mut Sessions) {
        self.receiver.on_timer(now);
        self.after_delivery(now, sessions);
    }

    /// Something may have been delivered.
    #[inline(always)]
    fn after_delivery(&mut self, now: Time, sessions: &mut Sessions) {
        if sessions.on_receiver(now, self.delivered()) && self.asks {
            self.receiver.acknowledge_now();
        }
    }

    /// A side's timer.
    #[inline(always)]
    pub fn deadline(&self, side: Side) -> Time {
        match side {
            Side::Sender => self.sender.next_deadline(),
            Side::Receiver => self.receiver.next_deadline(),
        }
    }

    /// Whether the receiver acknowledges every segment on arrival.
    #[inline]
    pub fn acks_at_once(&self) -> bool {
        self.settings.acks_at_once()
    }

    /// The next segment to send, if it is a whole new one.
    #[inline(always)]
    pub fn whole_segment(&mut self, now: Time, sessions: &mut Sessions) -> Segment {
        let segment = self.sender.whole(now);
        sessions.on_sent(now, self.base + segment.seq + u64::from(segment.len));
        segment
    }

    /// Whether the next packet of a side is like most: a whole new segment, or an acknowledgement without SACK blocks.
    #[inline(always)]
    pub fn has_ordinary(&self, side: Side) -> bool {
        match side {
            Side::Sender => self.sender.has_whole(),
            Side::Receiver => self.receiver.owes_plain_ack(),
        }
    }

    /// The length of such packets on the wire.
    pub fn ordinary_bytes(&self, side: Side) -> u32 {
        match side {
            Side::Sender => self.settings.whole_segment_wire_bytes(),
            Side::Receiver => self.settings.plain_ack_wire_bytes(),
        }
    }

    /// The next acknowledgement to send, if it has no SACK blocks.
    #[inline(always)]
    pub fn plain_ack(&mut self) -> Ack {
        self.receiver.plain_ack()
    }

    /// Whether this side may have other segments or acknowledgements to send.
    #[inline(always)]
    pub fn may_have_more(&self, side: Side) -> bool {
        match side {
            Side::Sender => self.sender.may_have_more(),
            Side::Receiver => self.receiver.owes_ack(),
        }
    }

    /// The next segment to send, and its length on the wire.
    #[inline(always)]
    pub fn poll_segment(&mut self, now: Time, sessions: &mut Sessions) -> Option<(Segment, u32)> {
        let segment = self.sender.poll_transmit(now)?;
        sessions.on_sent(now, self.base + self.sender.sent_to());
        Some((segment, self.settings.segment_wire_bytes(&segment)))
    }

    /// The next acknowledgement to send, and its length on the wire.
    #[inline(always)]
    pub fn poll_ack(&mut self) -> Option<(Ack, u32)> {
        let ack = self.receiver.poll_transmit()?;
        Some((ack, self.settings.ack_wire_bytes(&ack)))
    }

    /// Number of the sender's connection.
    #[inline]
    pub fn sender_connection(&self) -> u32 {
        self.connection
    }

    /// Number of the receiver's connection.
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

    /// Keeps each round-trip time from `from` on.
    pub fn keep_delays(&mut self, from: Time) {
        self.timing.keep(from);
    }

    /// The round-trip times that were kept.
    pub fn delays(&self) -> &[Span] {
        self.timing.kept()
    }

    /// Averages the congestion window over time from `from` on.
    pub fn track_average_cwnd(&mut self, from: Time) {
        self.cwnd_average = Some(Box::new(CwndAverage::new(from)));
    }

    /// The sender has just acted.
    #[inline]
    pub fn note_cwnd(&mut self, now: Time) {
        if let Some(average) = &mut self.cwnd_average {
            average.note(now, self.sender.cwnd());
        }
    }

    /// The time average of the congestion window until `end`; `None` if it is not tracked or the sender has not
    /// acted.
    pub fn average_cwnd(&self, end: Time) -> Option<f64> {
        self.cwnd_average.as_ref()?.until(end)
    }

    /// Counts over all connections; arrivals are counted by the flow.
    pub fn counts(&self) -> FlowCounts {
        FlowCounts {
            delivered_bytes: self.delivered(),
            sender: self.sender_stats(),
            acked_bytes: self.acked(),
            timing: self.timing.counts,
            ..FlowCounts::default()
        }
    }

    /// Counts of the senders of all connections.
    fn sender_stats(&self) -> SenderStats {
        let mut stats = self.sender.stats();
        stats += self.earlier.as_deref().copied().unwrap_or_default();
        stats
    }

    fn write(&mut self, now: Time, bytes: Option<u64>) {
        match bytes {
            Some(bytes) => self.sender.write(now, bytes),
            None => self.sender.write_unbounded(now),
        }
    }

    /// Begins the next session, once every earlier session is acknowledged: with a connection for each session, on a new one.
    #[cold]
    #[inline(never)]
    fn open_next(&mut self, now: Time, sessions: &Sessions) {
        if sessions.acknowledged() < self.opened {
            return;
        }
        let Some(session) = sessions.all().get(self.opened) else { return };
        if self.opened > 0 && self.mode == Connection::Fresh {
            self.earlier = Some(Box::new(self.sender_stats()));
            self.base = self.acked();
            self.connection += 1;
            let next = Sender::sharing(Arc::clone(&self.settings)).with_clock_phase(self.clock_phase);
            self.sender = self.sender.followed_by(next);
        }
        self.opened += 1;
        self.write(now, session.bytes);
    }
}
