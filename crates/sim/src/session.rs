//! A flow's sessions, and when the last byte of each was sent, acknowledged and delivered.

use airfair_core::Time;
use std::mem::offset_of;

/// A session: `bytes` that an application asks for at `start` (T(s, l) of Jung & Park).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// When the application asked for the session.
    pub start: Time,
    /// Length of the session in bytes; `None` if it is unbounded.
    pub bytes: Option<u64>,
    /// Offset of the end of the session's last byte in the flow's stream of payload.
    end: u64,
    /// When the session's last byte was first handed to the interface; [`Time::NEVER`] if it was not.
    pub sent: Time,
    /// When the session's last byte was acknowledged at the sender; [`Time::NEVER`] if it was not. UDP has no acknowledgements: there, when
    /// the last byte was delivered, or, if the sink answers, when the answer reached the sender.
    pub acked: Time,
    /// When the session's last byte had reached the sink, for TCP with all bytes before it; [`Time::NEVER`] if it had not.
    pub delivered: Time,
}

/// The sessions of one flow in the order of their starts, which is the order of their bytes.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sessions {
    known: Box<Known>,
    // Packets touch these fields alone: a data packet the first one, an ACK the other two. Each is the offset, in the stream of the current
    // connection, at which the next session is delivered, sent or acknowledged.
    delivered: u64,
    sent: u64,
    acked: u64,
}

/// What is known of the sessions.
#[derive(Clone, Debug, Default)]
struct Known {
    all: Vec<Session>,
    delivered: Progress,
    sent: Progress,
    acked: Progress,
}

/// How far the sessions have got on their way to a milestone.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The first session that has not reached the milestone.
    next: usize,
    /// Where the current connection begins in the flow's stream.
    base: u64,
}

impl Progress {
    /// Returns the offset in the connection's stream at which the next session reaches the milestone.
    fn next_at(self, all: &[Session]) -> u64 {
        all.get(self.next).map_or(u64::MAX, |session| session.end.saturating_sub(self.base))
    }

    /// Moves on by all sessions whose last byte is at or before `offset` in the connection's stream. Returns the offset at which the next one is.
    fn pass(&mut self, all: &mut [Session], offset: u64, set: impl Fn(&mut Session)) -> u64 {
        while offset >= self.next_at(all) {
            set(&mut all[self.next]);
            self.next += 1;
        }
        self.next_at(all)
    }
}

impl Default for Sessions {
    fn default() -> Sessions {
        Sessions { known: Box::default(), delivered: u64::MAX, sent: u64::MAX, acked: u64::MAX }
    }
}

impl Sessions {
    /// Number of bytes up to the end of the field that data packets touch.
    pub const OF_DATA: usize = offset_of!(Sessions, sent);

    /// Starts a session. Its bytes queue behind those of earlier sessions.
    pub fn start(&mut self, now: Time, bytes: Option<u64>) {
        let all = &mut self.known.all;
        let behind = all.last().map_or(0, |last| last.end);
        let end = bytes.map_or(u64::MAX, |bytes| behind.saturating_add(bytes));
        if all.is_empty() {
            // Most flows have one session, and a vector's first push makes room for four.
            all.reserve_exact(1);
        }
        all.push(Session {
            start: now,
            bytes,
            end,
            sent: Time::NEVER,
            acked: Time::NEVER,
            delivered: Time::NEVER,
        });
        self.find_next();
    }

    /// Finds the offsets at which the next sessions reach the milestones.
    fn find_next(&mut self) {
        let Known { all, delivered, sent, acked } = &*self.known;
        [self.delivered, self.sent, self.acked] =
            [delivered, sent, acked].map(|progress| progress.next_at(all));
    }

    /// Notes that a connection of the sender begins: its stream goes on where `acked` bytes of the connection before were acknowledged.
    pub fn begin_sending(&mut self, acked: u64) {
        let Known { sent, acked: acknowledged, .. } = &mut *self.known;
        acknowledged.base += acked;
        sent.base = acknowledged.base;
        self.find_next();
    }

    /// Notes that a connection of the receiver begins: its stream goes on where `delivered` bytes of the connection before were delivered.
    pub fn begin_receiving(&mut self, delivered: u64) {
        self.known.delivered.base += delivered;
        self.find_next();
    }

    /// Returns where the current connections of the sender and the receiver begin in the flow's stream.
    pub fn bases(&self) -> [u64; 2] {
        [self.known.acked.base, self.known.delivered.base]
    }

    /// Notes that the sender has sent its connection's stream up to `sent`.
    #[inline(always)]
    pub fn on_sent(&mut self, now: Time, sent: u64) {
        if sent >= self.sent {
            self.pass_sent(now, sent);
        }
    }

    /// Notes that its connection's stream up to `acked` is acknowledged at the sender. Returns whether that ends a session.
    #[inline(always)]
    pub fn on_acked(&mut self, now: Time, acked: u64) -> bool {
        let passes = acked >= self.acked;
        if passes {
            self.pass_acked(now, acked);
        }
        passes
    }

    /// Notes that the sink has its connection's stream up to `delivered`. Returns whether that ends a session.
    #[inline(always)]
    pub fn on_receiver(&mut self, now: Time, delivered: u64) -> bool {
        let passes = delivered >= self.delivered;
        if passes {
            self.pass_delivered(now, delivered);
        }
        passes
    }

    #[cold]
    #[inline(never)]
    fn pass_sent(&mut self, now: Time, offset: u64) {
        let Known { all, sent, .. } = &mut *self.known;
        self.sent = sent.pass(all, offset, |session| session.sent = now);
    }

    #[cold]
    #[inline(never)]
    fn pass_acked(&mut self, now: Time, offset: u64) {
        let Known { all, acked, .. } = &mut *self.known;
        self.acked = acked.pass(all, offset, |session| session.acked = now);
    }

    #[cold]
    #[inline(never)]
    fn pass_delivered(&mut self, now: Time, offset: u64) {
        let Known { all, delivered, .. } = &mut *self.known;
        self.delivered = delivered.pass(all, offset, |session| session.delivered = now);
    }

    /// Returns the offset in the connection's stream below which acknowledgements to the sender end no session.
    pub fn acked_before(&self) -> u64 {
        self.acked
    }

    /// Returns the offset in the connection's stream below which deliveries to the sink end no session.
    pub fn delivered_before(&self) -> u64 {
        self.delivered
    }

    /// Notes that a datagram with the stream from `from` to `end` reaches the sink, regardless of earlier losses. `is_answered`: the sender
    /// learns of it by an answer, which acknowledges the session.
    pub fn on_datagram(&mut self, now: Time, from: u64, end: u64, is_answered: bool) {
        let first = self.known.all.partition_point(|session| session.end <= from);
        for session in self.known.all[first..].iter_mut().take_while(|session| session.end <= end) {
            session.delivered = now;
            if !is_answered {
                session.acked = now;
            }
        }
    }

    /// Notes that the frame of a video call that session `number` stands for is shown.
    pub fn on_frame(&mut self, now: Time, number: usize) {
        let session = &mut self.known.all[number];
        (session.delivered, session.acked) = (now, now);
    }

    /// Notes that the answer to the datagram that ended at `end` reaches the sender.
    pub fn on_answer(&mut self, now: Time, end: u64) {
        let place = self.known.all.partition_point(|session| session.end < end);
        if let Some(session) = self.known.all.get_mut(place).filter(|session| session.end == end) {
            session.acked = now;
        }
    }

    /// Returns all sessions so far.
    pub fn all(&self) -> &[Session] {
        &self.known.all
    }

    /// Returns the number of sessions acknowledged to the last byte.
    pub fn acknowledged(&self) -> usize {
        self.known.acked.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milestones_are_passed_in_order_and_at_the_last_byte() {
        let mut sessions = Sessions::default();
        sessions.start(Time(1), Some(100));
        sessions.start(Time(2), Some(50));
        sessions.on_sent(Time(3), 99);
        assert_eq!(sessions.all()[0].sent, Time::NEVER);
        sessions.on_sent(Time(4), 150);
        sessions.on_acked(Time(4), 100);
        sessions.on_receiver(Time(5), 149);
        let [first, second] = sessions.all() else { panic!("two sessions") };
        assert_eq!((first.sent, first.acked, first.delivered), (Time(4), Time(4), Time(5)));
        assert_eq!((second.sent, second.acked, second.delivered), (Time(4), Time::NEVER, Time::NEVER));
        assert_eq!(sessions.acknowledged(), 1);
    }

    #[test]
    fn a_later_session_counts_from_the_end_of_the_earlier_ones() {
        let mut sessions = Sessions::default();
        sessions.start(Time(1), Some(10));
        sessions.on_acked(Time(2), 10);
        sessions.start(Time(3), Some(10));
        sessions.on_acked(Time(4), 19);
        assert_eq!(sessions.acknowledged(), 1);
        sessions.on_acked(Time(5), 20);
        assert_eq!(sessions.all()[1].acked, Time(5));
    }

    #[test]
    fn offsets_are_those_of_the_current_connection() {
        let mut sessions = Sessions::default();
        sessions.start(Time(1), Some(10));
        sessions.start(Time(1), Some(10));
        sessions.on_sent(Time(2), 10);
        sessions.on_acked(Time(3), 10);
        sessions.begin_sending(10);
        assert_eq!(
            (sessions.bases(), sessions.acked_before(), sessions.delivered_before()),
            ([10, 0], 10, 10)
        );
        sessions.on_sent(Time(4), 9);
        assert_eq!(sessions.all()[1].sent, Time::NEVER);
        sessions.on_sent(Time(5), 10);
        sessions.on_receiver(Time(6), 10);
        sessions.begin_receiving(10);
        sessions.on_receiver(Time(7), 10);
        let delivered = sessions.all().iter().map(|session| session.delivered);
        assert!(delivered.eq([Time(6), Time(7)]));
        assert_eq!((sessions.all()[1].sent, sessions.bases()), (Time(5), [10, 10]));
    }

    #[test]
    fn a_datagram_ends_the_sessions_whose_last_byte_it_carries() {
        let mut sessions = Sessions::default();
        for start in 1..=4 {
            sessions.start(Time(start), Some(10));
        }
        sessions.on_datagram(Time(9), 10, 35, false);
        let delivered: Vec<_> = sessions.all().iter().map(|session| session.delivered).collect();
        assert_eq!(
            delivered,
            [Time::NEVER, Time(9), Time(9), Time::NEVER],
            "the first one's last byte was lost"
        );
    }

    #[test]
    fn an_answer_acknowledges_its_own_request() {
        let mut sessions = Sessions::default();
        for start in 1..=3 {
            sessions.start(Time(start), Some(10));
        }
        sessions.on_datagram(Time(5), 10, 20, true);
        sessions.on_datagram(Time(6), 20, 30, true);
        // Answers may overtake each other.
        sessions.on_answer(Time(8), 30);
        sessions.on_answer(Time(9), 20);
        let reached: Vec<_> =
            sessions.all().iter().map(|session| (session.delivered, session.acked)).collect();
        assert_eq!(reached, [(Time::NEVER, Time::NEVER), (Time(5), Time(9)), (Time(6), Time(8))]);
    }

    #[test]
    fn an_unbounded_session_never_ends() {
        let mut sessions = Sessions::default();
        sessions.start(Time(1), None);
        sessions.on_sent(Time(2), u64::MAX - 1);
        sessions.on_acked(Time(2), u64::MAX - 1);
        assert_eq!(sessions.acknowledged(), 0);
    }
}
