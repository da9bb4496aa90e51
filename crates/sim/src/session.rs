//! A flow's sessions, and when the last byte of each was sent, acknowledged and delivered.

use airfair_core::Time;

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
#[derive(Clone, Debug, Default)]
#[repr(C, align(16))]
pub struct Sessions {
    // The fields that each packet touches come first: a data packet touches the first one, an ACK the other two.
    delivered: Milestone,
    sent: Milestone,
    acked: Milestone,
    all: Vec<Session>,
}

/// The first session that has not reached a milestone yet, and the stream offset of that milestone.
#[derive(Clone, Copy, Debug)]
struct Milestone {
    next: usize,
    offset: u64,
}

impl Default for Milestone {
    fn default() -> Milestone {
        Milestone { next: 0, offset: u64::MAX }
    }
}

impl Milestone {
    /// Notes the milestone for all sessions whose last byte is at or before `offset`. Returns whether there is any that had not reached it
    /// before.
    #[inline(always)]
    fn pass(&mut self, all: &mut [Session], offset: u64, set: impl Fn(&mut Session)) -> bool {
        let passes = offset >= self.offset;
        if passes {
            self.pass_all(all, offset, set);
        }
        passes
    }

    #[cold]
    #[inline(never)]
    fn pass_all(&mut self, all: &mut [Session], offset: u64, set: impl Fn(&mut Session)) {
        while offset >= self.offset {
            set(&mut all[self.next]);
            self.next += 1;
            self.on_new(all);
        }
    }

    fn on_new(&mut self, all: &[Session]) {
        self.offset = all.get(self.next).map_or(u64::MAX, |session| session.end);
    }
}

impl Sessions {
    /// Number of bytes at the beginning of [`Sessions`] that a data packet touches.
    pub const OF_DATA: usize = size_of::<Milestone>();

    /// Starts a session. Its bytes queue behind those of earlier sessions.
    pub fn start(&mut self, now: Time, bytes: Option<u64>) {
        let behind = self.all.last().map_or(0, |last| last.end);
        let end = bytes.map_or(u64::MAX, |bytes| behind.saturating_add(bytes));
        if self.all.is_empty() {
            // Most flows have one session, and a vector's first push makes room for four.
            self.all.reserve_exact(1);
        }
        self.all.push(Session {
            start: now,
            bytes,
            end,
            sent: Time::NEVER,
            acked: Time::NEVER,
            delivered: Time::NEVER,
        });
        self.sent.on_new(&self.all);
        self.acked.on_new(&self.all);
        self.delivered.on_new(&self.all);
    }

    /// Notes that the sender has sent the stream up to `sent`.
    #[inline(always)]
    pub fn on_sent(&mut self, now: Time, sent: u64) {
        self.sent.pass(&mut self.all, sent, |session| session.sent = now);
    }

    /// Notes that the stream up to `acked` is acknowledged at the sender. Returns whether that ends a session.
    #[inline(always)]
    pub fn on_acked(&mut self, now: Time, acked: u64) -> bool {
        self.acked.pass(&mut self.all, acked, |session| session.acked = now)
    }

    /// Notes that the sink has the stream up to `delivered`. Returns whether that ends a session.
    #[inline(always)]
    pub fn on_receiver(&mut self, now: Time, delivered: u64) -> bool {
        self.delivered.pass(&mut self.all, delivered, |session| session.delivered = now)
    }

    /// Returns the offset in the stream below which acknowledgements to the sender end no session.
    pub fn acked_before(&self) -> u64 {
        self.acked.offset
    }

    /// Returns the offset in the stream below which deliveries to the sink end no session.
    pub fn delivered_before(&self) -> u64 {
        self.delivered.offset
    }

    /// Notes that a datagram with the stream from `from` to `end` reaches the sink, regardless of earlier losses. `is_answered`: the sender
    /// learns of it by an answer, which acknowledges the session.
    pub fn on_datagram(&mut self, now: Time, from: u64, end: u64, is_answered: bool) {
        let first = self.all.partition_point(|session| session.end <= from);
        for session in self.all[first..].iter_mut().take_while(|session| session.end <= end) {
            session.delivered = now;
            if !is_answered {
                session.acked = now;
            }
        }
    }

    /// Notes that the answer to the datagram that ended at `end` reaches the sender.
    pub fn on_answer(&mut self, now: Time, end: u64) {
        let place = self.all.partition_point(|session| session.end < end);
        if let Some(session) = self.all.get_mut(place).filter(|session| session.end == end) {
            session.acked = now;
        }
    }

    /// Returns all sessions so far.
    pub fn all(&self) -> &[Session] {
        &self.all
    }

    /// Returns the number of sessions acknowledged to the last byte.
    pub fn acknowledged(&self) -> usize {
        self.acked.next
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
