//! The receiving end: puts the stream together and acknowledges it.

use crate::ranges::Ranges;
use crate::segment::{Ack, Ecn, SackBlocks, Segment};
use crate::settings::{Handshake, Settings};
use airfair_core::{Span, Time};

/// Counts of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments that arrived, the SYN included.
    pub segments: u64,
    /// Segments that brought nothing new.
    pub duplicates: u64,
    /// Segments that arrived ahead of a gap.
    pub out_of_order: u64,
    /// Acknowledgements sent.
    pub acks: u64,
}

/// RFC 1122's delayed acknowledgements.
#[derive(Clone, Copy, Debug)]
struct DelayedAck {
    /// An ACK waits no longer than this.
    timeout: Span,
    /// This many segments are acknowledged at once.
    segments: u32,
}

/// The receiving end of a connection, as a state machine.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Everything before it has arrived.
    next: u64,
    opened: bool,
    /// Data that arrived beyond `next`.
    beyond: Ranges,
    /// A byte in each of the ranges that changed last, the latest first (RFC 2018, section 4).
    recent: [u64; SackBlocks::MAX],
    /// How many of `recent` there are.
    recent_len: u8,
    sends_sack: bool,
    window: u32,
    delayed: Option<DelayedAck>,
    /// The stream's first segment does a SYN's work, and is acknowledged at once.
    first_opens: bool,
    /// Segments not yet acknowledged, and when that has to happen.
    waiting: u32,
    deadline: Time,
    owed: bool,
    /// A mark is being echoed (RFC 3168, section 6.1.3).
    echoes_mark: bool,
    /// RFC 7323, section 4.3: the timestamp to echo, and the cumulative ACK that was sent last.
    echo: Time,
    last_ack: u64,
    stats: ReceiverStats,
}

impl Receiver {
    /// A connection on which nothing has arrived.
    pub fn new(settings: &Settings) -> Receiver {
        Receiver {
            next: 0,
            opened: matches!(settings.handshake, Handshake::None | Handshake::FirstSegment),
            beyond: Ranges::default(),
            recent: [0; SackBlocks::MAX],
            recent_len: 0,
            sends_sack: settings.recovery.uses_sack(),
            window: settings.receive_window,
            delayed: settings.delayed_ack.then_some(DelayedAck {
                timeout: settings.delayed_ack_timeout,
                segments: settings.delayed_ack_segments,
            }),
            first_opens: settings.handshake == Handshake::FirstSegment,
            waiting: 0,
            deadline: Time::NEVER,
            owed: false,
            echoes_mark: false,
            echo: Time::ZERO,
            last_ack: 0,
            stats: ReceiverStats::default(),
        }
    }

    /// A segment arrives.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.stats.segments += 1;
        if segment.seq <= self.last_ack && segment.sent_at >= self.echo {
            self.echo = segment.sent_at;
        }
        self.echoes_mark = segment.ecn == Ecn::CongestionExperienced || self.echoes_mark && !segment.cwr;
        if segment.syn {
            self.open();
            return;
        }
        let (start, end) = (segment.seq, segment.seq + u64::from(segment.len));
        if self.opened && start <= self.next && end > self.next && self.beyond.is_empty() {
            self.next = end;
            self.in_order(now, start);
        } else {
            self.out_of_order(start, end);
        }
    }

    /// The SYN is acknowledged at once, with whatever data overtook it.
    fn open(&mut self) {
        self.stats.duplicates += u64::from(self.opened);
        self.opened = true;
        self.close_gap();
        self.owe();
    }

    fn close_gap(&mut self) {
        if let Some((_, filled)) = self.beyond.containing(self.next) {
            self.next = filled;
        }
        self.beyond.remove_before(self.next);
    }

    /// A segment ahead of a gap, behind data that arrived before, or into a gap: acknowledged at once (RFC 5681,
    /// section 4.2).
    fn out_of_order(&mut self, start: u64, end: u64) {
        if end <= self.next || !self.beyond.insert(start.max(self.next), end) {
            self.stats.duplicates += 1;
        }
        self.stats.out_of_order += u64::from(start > self.next);
        if self.opened {
            self.close_gap();
        }
        if self.sends_sack {
            self.remember(start);
        }
        self.owe();
    }

    fn in_order(&mut self, now: Time, start: u64) {
        let Some(delayed) = self.delayed else { return self.owe() };
        self.waiting += 1;
        let opens = self.first_opens && start == 0;
        if self.waiting >= delayed.segments || opens {
            self.owe();
        } else if self.deadline == Time::NEVER {
            self.deadline = now + delayed.timeout;
        }
    }

    fn owe(&mut self) {
        self.owed = true;
        self.waiting = 0;
        self.deadline = Time::NEVER;
    }

    /// The range that `at` lies in becomes the most recent.
    fn remember(&mut self, at: u64) {
        let latest = self.beyond.containing(at);
        let mut recent = [0; SackBlocks::MAX];
        let mut kept = 0;
        let earlier = self.recent_ranges();
        let mut seen = [(0, 0); SackBlocks::MAX];
        for range in latest.into_iter().chain(earlier) {
            if kept < SackBlocks::MAX && !seen[..kept].contains(&range) {
                seen[kept] = range;
                recent[kept] = range.0;
                kept += 1;
            }
        }
        self.recent = recent;
        self.recent_len = kept as u8;
    }

    /// The ranges that changed last, the latest first.
    fn recent_ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        self.recent[..usize::from(self.recent_len)].iter().filter_map(|&byte| self.beyond.containing(byte))
    }

    fn blocks(&self) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        for (start, end) in self.recent_ranges() {
            blocks.push(self.next, start, end);
        }
        blocks
    }

    /// The acknowledgement that is due, if one is; to be called after every input until it returns `None`.
    #[inline(always)]
    pub fn poll_transmit(&mut self, _now: Time) -> Option<Ack> {
        if !std::mem::replace(&mut self.owed, false) {
            return None;
        }
        self.stats.acks += 1;
        self.last_ack = self.next;
        let sack = if self.sends_sack && !self.beyond.is_empty() { self.blocks() } else { SackBlocks::NONE };
        Some(Ack {
            ack: self.next,
            window: self.window,
            sack,
            echo: self.echo,
            syn: self.opened,
            ece: self.echoes_mark,
        })
    }

    /// The deadline is due; does nothing before it.
    pub fn on_timer(&mut self, now: Time) {
        if now >= self.deadline {
            self.owe();
        }
    }

    /// Reads from each cache line that a segment will need: who knows of it ahead of time can have it in a cache by then.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        self.next ^ self.deadline.0 ^ self.stats.segments
    }

    /// When a delayed acknowledgement has to go; [`Time::NEVER`] if none waits.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.deadline
    }

    /// Payload bytes delivered in order.
    #[inline]
    pub fn delivered_to(&self) -> u64 {
        self.next
    }

    /// Its counts so far.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use airfair_core::Span;

    fn receiver(delayed_ack: bool, handshake: Handshake) -> Receiver {
        Receiver::new(&Settings { delayed_ack, handshake, ..settings(Profile::Rfc, TcpName::named("sack")) })
    }

    /// Segment `number` of 1000 bytes arrives at this time in ms, sent then too; the answer.
    fn arrive(receiver: &mut Receiver, number: u64, millis: u64) -> Option<Ack> {
        let now = Time::ZERO + Span::from_millis(millis);
        receiver.on_segment(now, &Segment { seq: number * 1000, sent_at: now, ..SEGMENT });
        receiver.poll_transmit(now)
    }

    const SEGMENT: Segment = Segment {
        seq: 0,
        len: 1000,
        syn: false,
        retransmission: false,
        ecn: Ecn::Capable,
        cwr: false,
        sent_at: Time::ZERO,
    };

    #[test]
    fn every_second_segment_or_the_timer_brings_an_ack() {
        let mut receiver = receiver(true, Handshake::None);
        assert_eq!(arrive(&mut receiver, 0, 0), None);
        let ack = arrive(&mut receiver, 1, 5).expect("two segments");
        // RFC 7323: the earlier segment's time is echoed.
        assert_eq!((ack.ack, ack.echo), (2000, Time::ZERO));
        assert_eq!(arrive(&mut receiver, 2, 10), None);
        let due = receiver.next_deadline();
        assert_eq!(due, Time::ZERO + Span::from_millis(210));
        receiver.on_timer(due);
        assert_eq!(receiver.poll_transmit(due).map(|ack| ack.ack), Some(3000));
        assert_eq!(receiver.next_deadline(), Time::NEVER);
    }

    #[test]
    fn around_a_gap_every_segment_is_answered_at_once() {
        let mut receiver = receiver(true, Handshake::None);
        assert_eq!(arrive(&mut receiver, 1, 0).map(|ack| ack.ack), Some(0));
        assert_eq!(arrive(&mut receiver, 3, 1).map(|ack| ack.ack), Some(0));
        assert_eq!(arrive(&mut receiver, 0, 2).map(|ack| ack.ack), Some(2000));
        assert_eq!(arrive(&mut receiver, 2, 3).map(|ack| ack.ack), Some(4000));
        assert_eq!(arrive(&mut receiver, 2, 4).map(|ack| ack.ack), Some(4000));
        assert_eq!((receiver.stats().out_of_order, receiver.stats().duplicates), (2, 1));
    }

    #[test]
    fn sack_blocks_come_most_recent_first() {
        let mut receiver = receiver(false, Handshake::None);
        for number in [2, 4, 6] {
            arrive(&mut receiver, number, number);
        }
        let ack = arrive(&mut receiver, 3, 9).expect("at once");
        assert_eq!(ack.sack.iter(0).collect::<Vec<_>>(), [(2000, 5000), (6000, 7000)]);
    }

    #[test]
    fn data_that_overtook_the_syn_waits_for_it() {
        let mut receiver = receiver(false, Handshake::ThreeWay);
        let early = arrive(&mut receiver, 0, 0).expect("at once");
        assert_eq!((early.ack, early.syn, receiver.delivered_to()), (0, false, 0));
        let syn = Segment { len: 0, syn: true, ..SEGMENT };
        receiver.on_segment(Time(5), &syn);
        let ack = receiver.poll_transmit(Time(5)).expect("at once");
        assert_eq!((ack.ack, ack.syn, receiver.delivered_to()), (1000, true, 1000));
        assert_eq!(receiver.stats().duplicates, 0);
        receiver.on_segment(Time(6), &syn);
        assert_eq!(receiver.stats().duplicates, 1);
    }

    #[test]
    fn a_mark_is_echoed_until_the_sender_answers() {
        let mut receiver = receiver(false, Handshake::None);
        let mut echo = |ecn, cwr| {
            receiver.on_segment(Time::ZERO, &Segment { ecn, cwr, ..SEGMENT });
            receiver.poll_transmit(Time::ZERO).expect("at once").ece
        };
        assert!(!echo(Ecn::Capable, false));
        assert!(echo(Ecn::CongestionExperienced, false));
        assert!(echo(Ecn::Capable, false));
        assert!(!echo(Ecn::Capable, true));
        // The answer to one mark is marked itself.
        assert!(echo(Ecn::CongestionExperienced, true));
    }

    /// RFC 3168, section 6.1.3: a delayed ACK speaks for every segment that it acknowledges.
    #[test]
    fn a_delayed_ack_echoes_the_mark_of_either_segment() {
        let mut receiver = receiver(true, Handshake::None);
        receiver.on_segment(Time::ZERO, &Segment { ecn: Ecn::CongestionExperienced, ..SEGMENT });
        assert_eq!(receiver.poll_transmit(Time::ZERO), None);
        assert!(arrive(&mut receiver, 1, 1).expect("two segments").ece);
    }
}
