//! A TCP flow: both endpoints, from one session to the next.

use crate::cwnd_average::CwndAverage;
use crate::flow::Side;
use crate::record::FlowCounts;
use crate::session::Sessions;
use crate::timing::{Timeouts, Timing};
use airfair_core::{Span, Stream, Time};
use airfair_scenario::resolved::Connection;
use airfair_tcp::settings::Estimator;
use airfair_tcp::{Ack, Receiver, Segment, Sender, SenderStats, Settings};
use std::mem::offset_of;
use std::sync::Arc;

/// A sender, a receiver, and their connection.
#[derive(Debug)]
#[repr(C)]
pub struct TcpFlow {
    // Segments and ACKs touch the fields before the receiver, which lie in one cache line with others of the flow. Receiver and sender each begin
    // another.
    /// Number of the sender's connection.
    connection: u32,
    /// Number of the receiver's connection. It lags behind `connection` until the first segment of a new connection arrives.
    receiver_connection: u32,
    timing: Timing,
    receiver: Receiver,
    sender: Sender,
    settings: Arc<Settings>,
    cwnd_average: Option<Box<CwndAverage>>,
    mode: Connection,
    /// Whether the receiver's host asks for more as soon as it has a session. Then the receiver acknowledges at once, because the ACK goes with
    /// the request.
    asks: bool,
    /// Counts of the senders of earlier connections.
    earlier: Option<Box<SenderStats>>,
    /// Number of sessions that have begun, if sessions wait for each other.
    opened: usize,
    timeouts: Timeouts,
    /// What the clocks of both ends' hosts showed at the start of the run, by [`Side`].
    clocks: [Span; 2],
}

/// Linux's clock has run for up to so long when a run begins: for longer than a step of the longest timeout's.
const LONGEST_UPTIME: Span = Span::from_secs(3600);

/// What the clock of `host` shows at the start of the run: one for all flows of the host, or, where ns-2's agents count ticks, one for each of them.
fn clock(settings: &Settings, seed: u64, flow: &str, host: &str) -> Span {
    let (name, most) = match settings.rto_estimator {
        Estimator::Linux => (format!("uptime of {host}"), LONGEST_UPTIME),
        _ => (format!("clock of {flow}"), settings.rto_granularity),
    };
    Span(Stream::new(seed, &name).below(most.0.max(1)))
}

impl TcpFlow {
    /// Offsets of the fields that segments need, about one in each cache line.
    pub const OF_SEGMENTS: [usize; 2] = {
        let [first, second] = Receiver::OF_SEGMENTS;
        let receiver = offset_of!(TcpFlow, receiver);
        [receiver + first, receiver + second]
    };
    /// Offsets of the fields that ACKs need, about one in each cache line.
    pub const OF_ACKS: [usize; 4] = {
        let [first, second, third, fourth] = Sender::OF_ACKS;
        let sender = offset_of!(TcpFlow, sender);
        [sender + first, sender + second, sender + third, sender + fourth]
    };

    /// Returns both endpoints, idle; `hosts` are the names of their nodes, by [`Side`].
    pub fn new(
        settings: &Arc<Settings>,
        mode: Connection,
        seed: u64,
        name: &str,
        hosts: [&str; 2],
    ) -> TcpFlow {
        let clocks = hosts.map(|host| clock(settings, seed, name, host));
        let sender = Sender::sharing(Arc::clone(settings)).with_clock_phase(clocks[Side::Sender as usize]);
        TcpFlow {
            sender: sender
                .with_jitter(Stream::new(seed, &format!("send jitter of {name}")))
                .with_choices(|| Stream::new(seed, &format!("congestion control of {name}"))),
            receiver: Receiver::new(settings).with_clock_phase(clocks[Side::Receiver as usize]),
            clocks,
            settings: Arc::clone(settings),
            mode,
            asks: false,
            connection: 0,
            receiver_connection: 0,
            opened: 0,
            earlier: None,
            timing: Timing::default(),
            timeouts: Timeouts::default(),
            cwnd_average: None,
        }
    }

    /// Makes the sender use reports of the segments that leave its host's queue, if its settings ask for them. Returns whether they do.
    pub fn watch_queue(&mut self) -> bool {
        let listens = self.settings.small_queue;
        if listens {
            self.sender.keep_small_queue();
        }
        listens
    }

    /// Reports to the sender that one of its segments has left its host's queue.
    pub fn on_departure(&mut self, now: Time, connection: u32, segment: &Segment) {
        if connection == self.connection {
            self.sender.on_departure(now, segment);
        }
    }

    /// Sets whether the receiver's host asks for more as soon as it has a session.
    #[must_use]
    pub fn asking(self, asks: bool) -> TcpFlow {
        TcpFlow { asks, ..self }
    }

    /// Makes both ends continue with other settings: see [`airfair_tcp::settings::CHANGEABLE`].
    pub fn change(&mut self, settings: &Arc<Settings>) {
        self.settings = Arc::clone(settings);
        self.sender.adopt(Arc::clone(settings));
        self.receiver.adopt(settings);
    }

    /// Starts the last of `sessions`, now or after earlier ones.
    pub fn on_session(&mut self, now: Time, sessions: &mut Sessions) {
        let Some(session) = sessions.all().last() else { return };
        match (self.mode, session.bytes) {
            (Connection::Fresh | Connection::InTurn, _) => return self.open_next(now, sessions),
            (Connection::Renewed, _) => self.sender.renew(now),
            (Connection::Reuse, _) => {}
        }
        self.write(now, session.bytes);
    }

    /// Stops writing: the application has no more data.
    pub fn stop(&mut self, now: Time) {
        self.sender.stop(now);
    }

    /// Delivers a segment to the receiver. The first segment of a new connection opens it; segments of earlier connections are discarded.
    /// Returns whether the segment brought new data.
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
            self.reopen(connection, sessions);
        }
        let brings_data = self.receiver.on_segment(now, segment);
        self.after_delivery(now, sessions);
        brings_data
    }

    /// Returns the receiver's connection, and the ACK before a row of segments: see [`Receiver::begin_row`]. `None`, too, if `bytes` bytes may
    /// end a session.
    #[inline]
    pub fn begin_row(&self, bytes: u64, sessions: &Sessions) -> Option<(u32, Ack)> {
        let ends_session = self.receiver.delivered_to() + bytes >= sessions.delivered_before();
        let ack = self.receiver.begin_row().filter(|_| !ends_session)?;
        Some((self.receiver_connection, ack))
    }

    /// Ends a row of segments whose last ACK is `last`.
    #[inline]
    pub fn end_row(&mut self, last: &Ack) {
        self.receiver.end_row(last);
    }

    /// Opens a new connection, whose first segment reaches the receiver.
    #[cold]
    #[inline(never)]
    fn reopen(&mut self, connection: u32, sessions: &mut Sessions) {
        sessions.begin_receiving(self.receiver.delivered_to());
        self.receiver_connection = connection;
        self.receiver = Receiver::new(&self.settings).with_clock_phase(self.clocks[Side::Receiver as usize]);
    }

    /// Delivers an ACK to the sender; ACKs of earlier connections are discarded. Returns whether it ends a session.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, connection: u32, ack: &Ack, sessions: &mut Sessions) -> bool {
        if connection != self.connection {
            return false;
        }
        if !self.sender.on_ack(now, ack) {
            return false;
        }
        self.timing.on_ack(now, now.since(ack.echo));
        let ends_session = sessions.on_acked(now, ack.ack);
        if ends_session && matches!(self.mode, Connection::Fresh | Connection::InTurn) {
            self.open_next(now, sessions);
        }
        ends_session
    }

    /// Whether, after [an ACK](TcpFlow::on_ack), [others](TcpFlow::on_next_ack) like it may be taken at the same instant.
    pub fn may_take_others(&self, now: Time) -> bool {
        self.sender.may_take_others(now)
    }

    /// Takes an ACK like the one before, after [`TcpFlow::may_take_others`]. Returns `false` if it has not been taken, because it needs a closer
    /// look.
    #[inline(always)]
    pub fn on_next_ack(&mut self, now: Time, connection: u32, ack: &Ack, sessions: &Sessions) -> bool {
        let is_like_last = connection == self.connection
            && ack.ack < sessions.acked_before()
            && self.sender.on_next_ack(now, ack);
        if is_like_last {
            self.timing.on_ack(now, now.since(ack.echo));
        }
        is_like_last
    }

    /// Runs the sender's timer if it is due.
    #[inline]
    pub fn on_sender_deadline(&mut self, now: Time) {
        if self.sender.next_deadline() <= now {
            let (timeouts, timeout) = (self.sender.stats().timeouts, self.sender.rto());
            self.sender.on_timer(now);
            if self.sender.stats().timeouts > timeouts {
                self.timeouts.on_timeout(timeout, &self.timing);
            }
        }
    }

    /// Runs the receiver's timer if it is due.
    pub fn on_receiver_deadline(&mut self, now: Time, sessions: &mut Sessions) {
        self.receiver.on_timer(now);
        self.after_delivery(now, sessions);
    }

    /// Notes what has been delivered. If that ends a session and the host asks for more, the receiver acknowledges at once.
    #[inline(always)]
    fn after_delivery(&mut self, now: Time, sessions: &mut Sessions) {
        if sessions.on_receiver(now, self.receiver.delivered_to()) && self.asks {
            self.receiver.acknowledge_now();
        }
    }

    /// Returns when a side's timer is due.
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

    /// Returns the next segment to send. [`TcpFlow::has_ordinary`] must say that it is a whole new one.
    #[inline(always)]
    pub fn whole_segment(&mut self, now: Time, sessions: &mut Sessions) -> Segment {
        let segment = self.sender.whole(now);
        sessions.on_sent(now, segment.seq + u64::from(segment.len));
        segment
    }

    /// Whether the next packet of a side is ordinary: a whole new segment, or an ACK without SACK blocks.
    #[inline(always)]
    pub fn has_ordinary(&self, side: Side) -> bool {
        match side {
            Side::Sender => self.sender.has_whole(),
            Side::Receiver => self.receiver.owes_plain_ack(),
        }
    }

    /// Returns the bytes on the wire of an ordinary packet of a side: a whole segment, or an ACK without SACK blocks.
    pub fn ordinary_bytes(&self, side: Side) -> u32 {
        match side {
            Side::Sender => self.settings.whole_segment_wire_bytes(),
            Side::Receiver => self.settings.plain_ack_wire_bytes(),
        }
    }

    /// Returns the next ACK to send. [`TcpFlow::has_ordinary`] must say that it has no SACK blocks.
    #[inline(always)]
    pub fn plain_ack(&mut self) -> Ack {
        self.receiver.plain_ack()
    }

    /// Whether a side may have other segments or ACKs to send.
    #[inline(always)]
    pub fn may_have_more(&self, side: Side) -> bool {
        match side {
            Side::Sender => self.sender.may_have_more(),
            Side::Receiver => self.receiver.owes_ack(),
        }
    }

    /// Returns the next segment to send, if any, and its bytes on the wire.
    #[inline(always)]
    pub fn poll_segment(&mut self, now: Time, sessions: &mut Sessions) -> Option<(Segment, u32)> {
        let segment = self.sender.poll_transmit(now)?;
        sessions.on_sent(now, self.sender.sent_to());
        Some((segment, self.settings.segment_wire_bytes(&segment)))
    }

    /// Returns the next ACK to send, if any, and its bytes on the wire.
    #[inline(always)]
    pub fn poll_ack(&mut self) -> Option<(Ack, u32)> {
        let ack = self.receiver.poll_transmit()?;
        Some((ack, self.settings.ack_wire_bytes(&ack)))
    }

    /// Returns the number of the sender's connection.
    #[inline]
    pub fn sender_connection(&self) -> u32 {
        self.connection
    }

    /// Returns the number of the receiver's connection.
    #[inline]
    pub fn receiver_connection(&self) -> u32 {
        self.receiver_connection
    }

    /// Returns the payload bytes acknowledged and those delivered in order, over all connections.
    pub fn acked_and_delivered(&self, sessions: &Sessions) -> [u64; 2] {
        let [base, receiver_base] = sessions.bases();
        [base + self.sender.acked_to(), receiver_base + self.receiver.delivered_to()]
    }

    /// Returns the sender of the current connection.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Keeps each round-trip time from `from` on.
    pub fn keep_delays(&mut self, from: Time) {
        self.timing.keep(from);
    }

    /// Returns the round-trip times that were kept.
    pub fn delays(&self) -> &[Span] {
        self.timing.kept()
    }

    /// Averages the congestion window over time from `from` on.
    pub fn track_average_cwnd(&mut self, from: Time) {
        self.cwnd_average = Some(Box::new(CwndAverage::new(from)));
    }

    /// Notes the congestion window for its average. Call it after the sender has acted.
    #[inline]
    pub fn note_cwnd(&mut self, now: Time) {
        if let Some(average) = &mut self.cwnd_average {
            average.note(now, self.sender.cwnd());
        }
    }

    /// Returns the time average of the congestion window until `end`; `None` if it is not tracked or the sender has not acted.
    pub fn average_cwnd(&self, end: Time) -> Option<f64> {
        self.cwnd_average.as_ref()?.until(end)
    }

    /// Returns the counts over all connections, without arrivals, which the flow counts.
    pub fn counts(&self, sessions: &Sessions) -> FlowCounts {
        let [acked_bytes, delivered_bytes] = self.acked_and_delivered(sessions);
        FlowCounts {
            delivered_bytes,
            sender: self.sender_stats(),
            acked_bytes,
            timing: self.timing.counts(&self.timeouts),
            ..FlowCounts::default()
        }
    }

    /// Returns the counts of the senders of all connections.
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

    /// Begins the next session if every earlier one is acknowledged. If each session has a connection of its own, this is a new one.
    #[cold]
    #[inline(never)]
    fn open_next(&mut self, now: Time, sessions: &mut Sessions) {
        if sessions.acknowledged() < self.opened {
            return;
        }
        let Some(bytes) = sessions.all().get(self.opened).map(|session| session.bytes) else { return };
        if self.opened > 0 && self.mode == Connection::Fresh {
            self.earlier = Some(Box::new(self.sender_stats()));
            sessions.begin_sending(self.sender.acked_to());
            self.connection += 1;
            let next = Sender::sharing(Arc::clone(&self.settings))
                .with_clock_phase(self.clocks[Side::Sender as usize]);
            self.sender = self.sender.followed_by(next);
        }
        self.opened += 1;
        self.write(now, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_tcp::{Profile, TcpName, profile};

    #[test]
    fn hosts_have_clocks_and_agents_of_ns2_their_own() {
        let shown =
            |profile, flow, host| clock(&profile::settings(profile, TcpName::named("reno")), 1, flow, host);
        let [one, other, elsewhere] =
            [("a", "h"), ("b", "h"), ("a", "i")].map(|(flow, host)| shown(Profile::Linux, flow, host));
        assert_eq!(one, other);
        assert_ne!(one, elsewhere);
        let [one, other, elsewhere] =
            [("a", "h"), ("b", "h"), ("a", "i")].map(|(flow, host)| shown(Profile::Ns2, flow, host));
        assert_ne!(one, other);
        assert_eq!(one, elsewhere);
        assert!(one.max(other) < Span::from_millis(10), "a tick");
    }
}
