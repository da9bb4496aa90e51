//! Data segments and acknowledgements. Both are small and `Copy`.

use airfair_core::{Span, Time};

/// One tick of the clock of Linux's timestamps (RFC 7323).
pub(crate) const TIMESTAMP_TICK: Span = Span::from_millis(1);

/// The ticks that this clock shows.
pub(crate) fn ticks(at: Time) -> u64 {
    at.0 / TIMESTAMP_TICK.0
}

/// The ECN field of an IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: the sender does not react to marks, so a queue drops packets instead.
    #[default]
    NotCapable,
    /// ECT(0): a queue may mark.
    Capable,
    /// ECT(1): a queue may mark, and the sender's control is scalable (L4S; RFC 9331, section 4).
    Scalable,
    /// CE: a queue has marked.
    CongestionExperienced,
}

impl Ecn {
    /// Marks a packet that may be marked. Returns whether it is marked now.
    #[inline]
    pub fn mark(&mut self) -> bool {
        let capable = *self != Ecn::NotCapable;
        if capable {
            *self = Ecn::CongestionExperienced;
        }
        capable
    }

    /// Whether this is ECT(1), or CE, which may have been ECT(1) before it was marked (RFC 9331, section 5.1).
    #[inline]
    pub fn is_scalable(self) -> bool {
        matches!(self, Ecn::Scalable | Ecn::CongestionExperienced)
    }
}

/// Flags of a data segment's TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    const CWR: u8 = 1;
    const PSH: u8 = 1 << 1;

    /// Neither flag.
    pub const NONE: Flags = Flags(0);

    /// CWR if `cwr`, and PSH if `push`.
    #[inline]
    pub fn new(cwr: bool, push: bool) -> Flags {
        Flags(if cwr { Flags::CWR } else { 0 } | if push { Flags::PSH } else { 0 })
    }

    /// Congestion Window Reduced: the sender has answered the receiver's echo (RFC 3168, section 6.1.2).
    #[inline]
    pub fn cwr(self) -> bool {
        self.0 & Flags::CWR != 0
    }

    /// PSH: the segment ends what the application has written so far, or a burst ([`Settings::push_ack`](crate::Settings::push_ack)).
    #[inline]
    pub fn push(self) -> bool {
        self.0 & Flags::PSH != 0
    }
}

/// A data segment, or a SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset of the first payload byte in the stream; a SYN has offset zero and takes no room in the stream.
    pub seq: u64,
    /// Payload bytes.
    pub len: u32,
    /// Opens the connection; carries no payload.
    pub syn: bool,
    /// Some of its payload was handed out before.
    pub retransmission: bool,
    /// ECN field of the IP header. Only new data may be marked (RFC 3168, sections 6.1.1, 6.1.5 and 6.1.6): no SYN, no retransmission, no
    /// window probe. Retransmissions with ECT(1) may (RFC 9331, section 4.1), so that they share the queue of the other data.
    pub ecn: Ecn,
    /// Flags of the TCP header.
    pub flags: Flags,
    /// When the segment was handed out; the receiver echoes this time.
    pub sent_at: Time,
}

impl Segment {
    /// Marks a segment that may be marked. Returns whether it is marked now.
    pub fn mark(&mut self) -> bool {
        self.ecn.mark()
    }
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Every stream byte before this offset has arrived.
    pub ack: u64,
    /// The receiver's window in segments, counted from `ack`.
    pub window: u32,
    /// Data that arrived beyond `ack`.
    pub sack: SackBlocks,
    /// `sent_at` of the segment that this answers (RFC 7323: of the earliest unanswered one).
    pub echo: Time,
    /// The SYN has arrived; always true on a connection without a SYN.
    pub syn: bool,
    /// ECN-Echo: a marked segment has arrived, and no segment with CWR since (RFC 3168, section 6.1.3).
    pub ece: bool,
    /// The number of marked segments that have arrived, modulo 8, where the receiver
    /// [counts them](crate::settings::EcnEcho::Accurate) (RFC 9768, section 3.2.2); elsewhere zero.
    pub ace: u8,
}

impl Ack {
    /// Turns the ACK of one segment of a [row](crate::Receiver::begin_row) into the ACK of the next segment. Returns `false` if `segment` is
    /// not the next one in order, or if its ACK would report more than its arrival.
    #[inline(always)]
    pub fn follow(&mut self, segment: &Segment) -> bool {
        let follows = segment.seq == self.ack && segment.len > 0 && segment.ecn != Ecn::CongestionExperienced;
        if follows {
            self.ack += u64::from(segment.len);
            self.echo = self.echo.max(segment.sent_at);
        }
        follows
    }
}

/// The bits of [`Ack::ace`].
pub const ACE: u8 = 7;

/// [`Ack::ace`] before anything is marked (RFC 9768, section 3.2.1).
pub const FIRST_ACE: u8 = 5;

/// Up to three blocks of stream bytes that arrived out of order, the most recent first (RFC 2018, section 4). The first may report data that
/// arrived twice instead (D-SACK, RFC 2883).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    /// Start and end of each block, as offsets from the cumulative acknowledgement. An empty range is no block.
    offsets: [(i32, i32); SackBlocks::MAX],
}

impl SackBlocks {
    /// The number of blocks that fit beside a timestamp option (RFC 2018, section 3).
    pub const MAX: usize = 3;

    /// No blocks.
    pub const NONE: SackBlocks = SackBlocks { offsets: [(0, 0); SackBlocks::MAX] };

    /// Adds `start..end` behind the blocks so far. Ignores a fourth block, and a block that lies 2 GiB or more from `ack`.
    pub fn push(&mut self, ack: u64, start: u64, end: u64) {
        let offset = |at: u64| i32::try_from(at.wrapping_sub(ack).cast_signed());
        if let (true, Ok(start), Ok(end)) = (start < end, offset(start), offset(end))
            && let Some(free) = self.offsets.iter_mut().find(|block| is_none(block))
        {
            *free = (start, end);
        }
    }

    /// The data that the first block reports to have arrived twice: it lies below the cumulative acknowledgement `ack`, or in the second
    /// block (RFC 2883, section 4).
    pub fn duplicate(&self, ack: u64) -> Option<(u64, u64)> {
        let [first, second, _] = self.offsets;
        let inside = second.0 <= first.0 && first.1 <= second.1;
        let reports = !is_none(&first) && (first.0 < 0 || inside);
        self.iter(ack).next().filter(|_| reports)
    }

    /// The blocks as stream offsets, most recent first, for the cumulative acknowledgement `ack` that they
    /// came with.
    pub fn iter(&self, ack: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.offsets.iter().take_while(|block| !is_none(block)).map(move |&block| counted_from(ack, block))
    }

    /// The blocks that reach beyond the cumulative acknowledgement, which counts as `ack`.
    #[inline]
    pub fn beyond(&self, ack: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let blocks = self.offsets.iter().take_while(|block| !is_none(block));
        blocks.filter(|block| block.1 > 0).map(move |&block| counted_from(ack, block))
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.offsets.iter().filter(|block| !is_none(block)).count()
    }

    /// Whether there are no blocks.
    #[inline]
    pub fn is_empty(&self) -> bool {
        is_none(&self.offsets[0])
    }
}

#[inline]
fn counted_from(ack: u64, (start, end): (i32, i32)) -> (u64, u64) {
    (ack.wrapping_add_signed(start.into()), ack.wrapping_add_signed(end.into()))
}

#[inline]
fn is_none(block: &(i32, i32)) -> bool {
    block.0 == block.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_acks_stay_small() {
        assert!(size_of::<SackBlocks>() <= 32);
        assert!(size_of::<Ack>() <= 48);
        assert!(size_of::<Segment>() <= 24);
    }

    #[test]
    fn blocks_come_back_in_their_order() {
        let mut blocks = SackBlocks::NONE;
        blocks.push(1000, 3000, 4000);
        blocks.push(1000, 1500, 2000);
        assert_eq!(blocks.iter(1000).collect::<Vec<_>>(), [(3000, 4000), (1500, 2000)]);
        assert_eq!(blocks.len(), 2);
    }

    #[test]
    fn a_block_that_cannot_be_expressed_is_left_out() {
        let mut blocks = SackBlocks::NONE;
        blocks.push(1000, 900, 900);
        blocks.push(1000, u64::MAX, 900);
        blocks.push(0, 10, 1 << 40);
        assert!(blocks.is_empty());
        for i in 0..4 {
            blocks.push(0, 10 * i + 1, 10 * i + 5);
        }
        assert_eq!(blocks.len(), SackBlocks::MAX);
    }

    /// RFC 2883, section 4: below the acknowledgement, or within the second block.
    #[test]
    fn a_first_block_may_report_a_duplicate() {
        for (pushed, reported) in [
            (&[(500, 1000)][..], true),
            (&[(500, 700), (3000, 4000)], true),
            (&[(3000, 4000), (2000, 5000)], true),
            (&[(3000, 4000)], false),
            (&[(3000, 4000), (5000, 6000)], false),
            (&[(3000, 6000), (3000, 5000)], false),
            (&[], false),
        ] {
            let mut blocks = SackBlocks::NONE;
            pushed.iter().for_each(|&(start, end)| blocks.push(1000, start, end));
            assert_eq!(blocks.iter(1000).collect::<Vec<_>>(), pushed);
            let beyond = pushed.iter().copied().filter(|block| block.1 > 1000);
            assert_eq!(blocks.beyond(1000).collect::<Vec<_>>(), beyond.collect::<Vec<_>>());
            assert_eq!(blocks.duplicate(1000), pushed.first().copied().filter(|_| reported), "{pushed:?}");
        }
    }

    #[test]
    fn only_a_capable_segment_is_marked() {
        let segment = |ecn| Segment {
            seq: 0,
            len: 1000,
            syn: false,
            retransmission: false,
            ecn,
            flags: Flags::NONE,
            sent_at: Time::ZERO,
        };
        for (before, marked, after) in [
            (Ecn::NotCapable, false, Ecn::NotCapable),
            (Ecn::Capable, true, Ecn::CongestionExperienced),
            (Ecn::Scalable, true, Ecn::CongestionExperienced),
            (Ecn::CongestionExperienced, true, Ecn::CongestionExperienced),
        ] {
            let mut segment = segment(before);
            assert_eq!((segment.mark(), segment.ecn), (marked, after));
        }
    }
}
