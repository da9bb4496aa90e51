//! The receiving end: puts the stream together and acknowledges it.

use crate::beyond::Beyond;
use crate::core::DUPLICATE_THRESHOLD;
use crate::gro::Gro;
use crate::right_sizing::RightSizing;
use crate::segment::{Ack, Ecn, FIRST_ACE, SackBlocks, Segment};
use crate::settings::{EcnEcho, Handshake, Settings};
use crate::ticks::Ticks;
use airfair_core::{Span, Time};
use std::mem::offset_of;

/// Counts of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments that brought nothing new.
    pub duplicates: u64,
    /// Segments that arrived ahead of a gap.
    pub out_of_order: u64,
}

/// The acknowledgement that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owed {
    Nothing,
    Ack,
    /// An acknowledgement that reports data that arrived twice.
    Report,
    /// [`Rest::earlier`], and after it perhaps another one.
    Earlier,
}

/// The receiving end of a connection, as a state machine. Segments in order touch the fields up to [`Receiver::rest`] alone, which fill one cache
/// line, and others without SACK those that follow, which fill another.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    /// Everything before it has arrived.
    next: u64,
    /// RFC 7323, section 4.3: the timestamp to echo, and the cumulative ACK that was sent last.
    echo: Time,
    last_ack: u64,
    deadline: Time,
    window: u32,
    /// Segments not yet acknowledged, and the number of them that is acknowledged at once.
    waiting: u32,
    acks_every: u32,
    opened: bool,
    /// The connection is open, nothing has arrived beyond `next`, and nothing that filled a gap is [unread](Receiver::unread).
    in_order: bool,
    owed: Owed,
    /// The bits of [`ECHOES`], [`QUICK`], [`GROWS`], [`MERGES`] and [`COUNTS`] that apply, and the counter of marks.
    watches: u8,
    sends_sack: bool,
    /// Whether there is [`Rest::sizing`].
    sizes: bool,
    rest: Box<Rest>,
    /// Data that arrived beyond `next`.
    beyond: Beyond,
    /// Bytes before `next` that the application reads once the acknowledgement that is due has gone. Only data that fill a gap are counted, and
    /// only where the window grows.
    unread: u64,
    duplicates: u64,
    out_of_order: u64,
}

/// A mark is being echoed (RFC 3168, section 6.1.3), or the latest segment was marked.
const ECHOES: u8 = 1;
/// The times at which data arrive matter ([`Settings::quick_acks`], [`Settings::sack_compression`]).
const QUICK: u8 = 1 << 1;
/// The window grows ([`Settings::first_window`]).
const GROWS: u8 = 1 << 3;
/// Segments that come together are merged ([`Settings::gro`]).
const MERGES: u8 = 1 << 4;
/// Marked segments are counted ([`EcnEcho::Accurate`]), in the bits from [`COUNT`] on.
const COUNTS: u8 = 1 << 2;
const COUNT: u32 = 5;

/// State that few segments need: SACK, and settings.
#[derive(Clone, Debug)]
struct Rest {
    /// The ranges beyond the gap that changed last, the latest first (RFC 2018, section 4). An empty range is none.
    recent: [(u64, u64); SackBlocks::MAX],
    /// Whether duplicates are reported (RFC 2883), and the part of the segment at hand that is a duplicate.
    reports: bool,
    duplicate: Option<(u64, u64)>,
    echoes_each: bool,
    /// The stream's first segment stands for the SYN, and is acknowledged at once.
    first_opens: bool,
    /// The longest delay of an ACK.
    ack_timeout: Span,
    ticks: Ticks,
    quick: Quick,
    compression: Option<Compression>,
    /// An ACK that waited from before the segment at hand, and what is owed for that segment and for others that are handed up with it.
    earlier: Option<(Ack, Owed)>,
    /// A segment of fewer bytes is acknowledged at once. So is one with PSH, unless this is zero.
    short_below: u32,
    sizing: Option<Box<RightSizing>>,
    /// The right edge of the window that was advertised with a gap, and the cumulative ACK of that advertisement.
    edge: (u64, u64),
    /// Whether the application has read data that filled a gap since the last acknowledgement.
    has_read: bool,
    gro: Option<Box<Gro>>,
}

/// Linux's quick ACKs: segments that are acknowledged one by one though ACKs are delayed (`tcp_event_data_recv`, `tcp_incr_quickack` and
/// `tcp_ecn_check_ce` in `net/ipv4/tcp_input.c`).
#[derive(Clone, Copy, Debug)]
struct Quick {
    /// The number of quick ACKs in a phase, and those left in this phase.
    most: u32,
    left: u32,
    /// A longer gap between two segments begins another phase: the retransmission timeout by the handshake's round trip.
    idle: Span,
    rto_min: Span,
    /// When the SYN was answered, and when the last segment in order came; [`Time::NEVER`] before that.
    opened_at: Time,
    last: Time,
    /// The round trip of the handshake.
    round_trip: Option<Span>,
}

/// Acknowledgements behind a gap that wait for more data ([`Settings::sack_compression`]; `__tcp_ack_snd_check`).
#[derive(Clone, Copy, Debug, Default)]
struct Compression {
    /// Where the gap begins, and the number of acknowledgements that reported it without waiting.
    gap: u64,
    told: u32,
    /// Segments that wait for an acknowledgement, and the number of them that are marked and counted.
    waiting: u32,
    marked: u32,
}

impl Compression {
    /// The first segment waits for the round trip divided by `PART` (`rtt / 20` up to Linux 6.18; later `tcp_comp_sack_rtt_percent`, a third),
    /// but no longer than `DELAY` (`tcp_comp_sack_delay_ns`).
    const DELAY: Span = Span::from_millis(1);
    const PART: u64 = 20;
    /// The largest delay of the timer beyond its deadline (`tcp_comp_sack_slack_ns`).
    const SLACK: Span = Span::from_micros(100);
    /// Most segments that wait (`tcp_comp_sack_nr`).
    const MOST: u32 = 44;
    /// The number of marked segments that ends the wait (RFC 9768, section 3.2.2.5.1: the counter is modulo 8).
    const MOST_MARKED: u32 = 7;
    /// Number of SACK blocks that may change without an acknowledgement (`TCP_SACK_BLOCKS_EXPECTED`).
    const BLOCKS: usize = 2;

    /// Whether an acknowledgement that waits is for segments beyond the gap at `gap`.
    fn is_of(&self, gap: u64) -> bool {
        self.gap == gap && self.waiting > 0
    }

    /// Whether the acknowledgement of a segment beyond the gap at `gap` waits. `anew`: no other waits yet; `marked`: segments in it that are
    /// marked and counted.
    fn holds(&mut self, gap: u64, anew: bool, marked: u32) -> bool {
        if self.gap != gap {
            (self.gap, self.told) = (gap, 0);
        }
        if self.told < DUPLICATE_THRESHOLD {
            self.told += 1;
            return false;
        }
        (self.waiting, self.marked) = if anew { (0, 0) } else { (self.waiting, self.marked) };
        self.marked += marked;
        let holds = self.waiting < Compression::MOST && self.marked < Compression::MOST_MARKED;
        self.waiting += 1;
        holds
    }
}

impl Quick {
    fn new(settings: &Settings) -> Quick {
        let most = if settings.delayed_ack { settings.quick_acks } else { 0 };
        let (idle, rto_min) = (Span::ZERO, settings.rto_min);
        Quick { most, left: 0, idle, rto_min, opened_at: Time::NEVER, last: Time::NEVER, round_trip: None }
    }

    /// Takes in that data come in order.
    fn on_data(&mut self, now: Time) {
        if self.last == Time::NEVER {
            let opened_at = self.opened_at.min(now);
            let round_trip = now.since(opened_at);
            self.round_trip = Some(round_trip);
            self.idle = round_trip + (round_trip * 2).max(self.rto_min);
            self.left = self.most;
        } else if now.since(self.last) > self.idle {
            self.left = self.most;
        }
        self.last = now;
    }
}

/// The number of segments that are acknowledged at once.
fn acks_every(settings: &Settings) -> u32 {
    if settings.delayed_ack { settings.delayed_ack_segments } else { 1 }
}

fn compression(settings: &Settings) -> Option<Compression> {
    let compresses = settings.sack_compression && settings.delayed_ack && settings.recovery.uses_sack();
    compresses.then(Compression::default)
}

/// Whether [`Quick`] follows the data.
fn follows(settings: &Settings) -> bool {
    Quick::new(settings).most > 0 || compression(settings).is_some()
}

impl Receiver {
    /// Where fields begin that a segment needs, one in each cache line. Those of the second line are needed if data are missing.
    pub const OF_SEGMENTS: [usize; 2] = [offset_of!(Receiver, next), offset_of!(Receiver, beyond)];

    /// The receiver of a connection on which nothing has arrived.
    pub fn new(settings: &Settings) -> Receiver {
        let opened = matches!(settings.handshake, Handshake::None | Handshake::FirstSegment);
        let ticks = Ticks::new(settings, Span::ZERO);
        let sizing = RightSizing::new(settings);
        Receiver {
            next: 0,
            echo: Time::ZERO,
            last_ack: 0,
            deadline: Time::NEVER,
            window: settings.opening_window(),
            waiting: 0,
            acks_every: acks_every(settings),
            opened,
            in_order: opened,
            owed: Owed::Nothing,
            watches: if follows(settings) { QUICK } else { 0 }
                | if settings.first_window.is_some() { GROWS } else { 0 }
                | if settings.gro { MERGES } else { 0 }
                | if settings.ecn_echo == EcnEcho::Accurate { COUNTS | FIRST_ACE << COUNT } else { 0 },
            sends_sack: settings.recovery.uses_sack(),
            sizes: sizing.is_some(),
            beyond: Beyond::default(),
            unread: 0,
            duplicates: 0,
            out_of_order: 0,
            rest: Box::new(Rest {
                recent: [(0, 0); SackBlocks::MAX],
                reports: settings.recovery.uses_sack() && settings.dsack,
                duplicate: None,
                echoes_each: settings.ecn_echo == EcnEcho::Each,
                first_opens: settings.handshake == Handshake::FirstSegment,
                ack_timeout: ticks.whole(settings.delayed_ack_timeout),
                ticks,
                quick: Quick::new(settings),
                compression: compression(settings),
                earlier: None,
                short_below: if settings.push_ack { settings.segment_bytes } else { 0 },
                sizing,
                edge: (0, 0),
                has_read: false,
                gro: Gro::new(settings),
            }),
        }
    }

    /// Returns the receiver with a host's clock that showed `phase` at the start: see [`Sender::with_clock_phase`](crate::Sender::with_clock_phase).
    pub fn with_clock_phase(mut self, phase: Span) -> Receiver {
        self.rest.ticks.set_phase(phase);
        self
    }

    /// Takes over the settings that [can change](Settings::changeable). The next acknowledgement advertises
    /// the window.
    pub fn adopt(&mut self, settings: &Settings) {
        self.window = match &mut self.rest.sizing {
            Some(sizing) => {
                sizing.most = settings.receive_window;
                self.watches |= GROWS;
                self.window.min(settings.receive_window)
            }
            None => settings.receive_window,
        };
        self.acks_every = acks_every(settings);
        self.rest.ack_timeout = self.rest.ticks.whole(settings.delayed_ack_timeout);
        let Quick { most, .. } = Quick::new(settings);
        let quick = &mut self.rest.quick;
        (quick.most, quick.left) = (most, quick.left.min(most));
        self.rest.compression = compression(settings).map(|new| self.rest.compression.unwrap_or(new));
        self.watches = self.watches & !QUICK | if follows(settings) { QUICK } else { 0 };
    }

    /// A segment arrives. Returns whether it brings new data. A segment that is merged with others counts as new, unless the merged segments
    /// that are handed up then arrived before.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Time, segment: &Segment) -> bool {
        if self.watches & (ECHOES | QUICK | GROWS | MERGES) != 0 || segment.ecn == Ecn::CongestionExperienced
        {
            if self.watches & MERGES != 0 {
                let duplicates = self.duplicates;
                self.merge(now, segment);
                return segment.len > 0 && self.duplicates == duplicates;
            }
            self.watch(now, segment, 1);
        }
        self.put(now, segment, 1)
    }

    /// Takes a segment where segments that come together are merged.
    #[inline(never)]
    fn merge(&mut self, now: Time, segment: &Segment) {
        let (start, end) = (segment.seq, segment.seq + u64::from(segment.len));
        let Some(gro) = &mut self.rest.gro else { return };
        // SYNs, and data of which some arrived before, are handed up at once.
        let may_wait = self.opened
            && end > start
            && start >= self.next
            && self.beyond.first_within(start, end).is_none();
        if !may_wait || !gro.continues(segment) {
            self.hand_up(now);
        }
        if !may_wait {
            return self.take(now, segment, 1);
        }
        let Some(gro) = &mut self.rest.gro else { return };
        if gro.is_empty() {
            gro.ack_due = self.deadline;
        }
        let is_last = gro.add(now, segment);
        self.deadline = gro.ack_due.min(gro.due);
        if is_last {
            self.hand_up(now);
        }
    }

    /// Hands up the segments that wait, as one.
    fn hand_up(&mut self, now: Time) {
        let Some(gro) = &mut self.rest.gro else { return };
        if let Some((segment, number)) = gro.take() {
            self.deadline = gro.ack_due;
            self.take(now, &segment, number);
        }
    }

    /// Takes one segment, or `number` segments merged into one.
    fn take(&mut self, now: Time, segment: &Segment, number: u32) {
        self.watch(now, segment, number);
        self.put(now, segment, number);
    }

    /// Puts one segment, or `number` segments merged into one, into the stream. Returns whether that brings new data.
    #[inline(always)]
    fn put(&mut self, now: Time, segment: &Segment, number: u32) -> bool {
        if segment.seq <= self.last_ack && segment.sent_at >= self.echo {
            self.echo = segment.sent_at;
        }
        let (start, end) = (segment.seq, segment.seq + u64::from(segment.len));
        // A SYN is empty.
        if self.in_order && start <= self.next && end > self.next {
            if start < self.next && self.rest.reports {
                self.report(start, end);
            }
            self.next = end;
            if self.owed == Owed::Report || self.waiting + number >= self.acks_every {
                self.owe();
            } else {
                self.waiting += number;
                self.delay(now, segment);
            }
            true
        } else if segment.syn {
            self.open(now);
            false
        } else {
            self.out_of_order(now, start, end, number)
        }
    }

    /// Takes in what a segment means for marks, quick ACKs and a window that grows.
    #[inline(never)]
    fn watch(&mut self, now: Time, segment: &Segment, number: u32) {
        if self.watches & QUICK != 0 && segment.len > 0 {
            self.quicken(now, segment);
        }
        if self.watches & GROWS != 0 && self.next > 0 {
            self.grow(now, number);
        }
        if segment.ecn == Ecn::CongestionExperienced || self.echoes_mark() {
            self.note_mark(segment, number);
        }
    }

    /// Takes in what a segment means for a window that grows.
    #[inline(never)]
    fn grow(&mut self, now: Time, number: u32) {
        let Some(sizing) = &mut self.rest.sizing else { return };
        // The application has read by now what came before this segment.
        let last = || self.beyond.last().map_or(self.next, |(_, end)| end);
        let window = sizing.on_data(now, self.next, last, self.window, number);
        if window > self.window {
            // Linux advertises each growth at once.
            self.window = window;
            self.waiting = self.acks_every;
        }
        if window == sizing.most {
            self.watches &= !GROWS;
        }
    }

    /// Takes in that a segment is marked, or that a mark is being echoed.
    #[inline(never)]
    fn note_mark(&mut self, segment: &Segment, number: u32) {
        let (marked, echoes) = (segment.ecn == Ecn::CongestionExperienced, self.echoes_mark());
        let counts = self.watches & COUNTS != 0;
        let echoes_now = marked || !counts && !self.rest.echoes_each && !segment.flags.cwr();
        let at_once = if counts {
            // RFC 9768, section 3.2.2.5.1: the first of several marks, and the second since an ACK.
            marked && (!echoes || self.waiting > 0)
        } else {
            self.rest.echoes_each && marked != echoes
        };
        if at_once {
            self.acknowledge_next();
        }
        if counts && marked {
            self.watches = self.watches.wrapping_add((number as u8) << COUNT);
        }
        self.watches = self.watches & !ECHOES | if echoes_now { ECHOES } else { 0 };
    }

    /// Takes in data where there are quick ACKs.
    fn quicken(&mut self, now: Time, segment: &Segment) {
        let (marked, echoes) = (segment.ecn == Ecn::CongestionExperienced, self.echoes_mark());
        let quick = &mut self.rest.quick;
        if segment.seq + u64::from(segment.len) <= self.next {
            // An ACK may be lost.
            quick.left = quick.most;
        } else if segment.seq <= self.next && self.opened {
            quick.on_data(now);
        }
        if marked && !echoes {
            // The sender's window may soon be small.
            quick.left = quick.left.max(2.min(quick.most));
        }
        if quick.left > 0 || echoes && segment.flags.cwr() {
            quick.left = quick.left.saturating_sub(1);
            self.acknowledge_next();
        }
    }

    /// Has the segment at hand acknowledged at once, as if enough were waiting.
    fn acknowledge_next(&mut self) {
        self.waiting = self.acks_every;
    }

    #[inline(always)]
    fn echoes_mark(&self) -> bool {
        self.watches & ECHOES != 0
    }

    /// Delays an acknowledgement until another segment comes. Not delayed are the one that opens the connection and, where the settings say
    /// so, those of short segments and of segments with PSH.
    fn delay(&mut self, now: Time, segment: &Segment) {
        let &Segment { seq, len, flags, .. } = segment;
        let short_below = self.rest.short_below;
        if (self.rest.first_opens && seq == 0) || len < short_below || flags.push() && short_below > 0 {
            self.owe();
        } else if self.deadline == Time::NEVER {
            let Rest { ticks, ack_timeout, .. } = &*self.rest;
            self.deadline = ticks.ring(now + *ack_timeout, *ack_timeout);
        }
    }

    /// Acknowledges the SYN at once, with all data that overtook it.
    fn open(&mut self, now: Time) {
        self.rest.quick.opened_at = now;
        self.duplicates += u64::from(self.opened);
        self.opened = true;
        self.close_gap();
        self.owe();
    }

    fn close_gap(&mut self) {
        let first = self.beyond.first();
        if let Some((_, filled)) = first.filter(|first| first.0 <= self.next && self.next < first.1) {
            if self.sizes {
                self.unread += filled - self.next;
            }
            self.next = filled;
        }
        self.beyond.remove_before(self.next);
        self.in_order = self.beyond.is_empty() && self.unread == 0;
    }

    /// Notes the part of a segment that arrived before, to be reported (RFC 2883, section 4), where duplicates are.
    #[cold]
    fn report(&mut self, start: u64, end: u64) {
        let rest = &mut *self.rest;
        let behind = (start < self.next).then(|| (start, end.min(self.next)));
        rest.duplicate = behind.or_else(|| self.beyond.first_within(start, end));
        if rest.duplicate.is_some() {
            *self.owed_last() = Owed::Report;
        }
    }

    /// Takes a segment ahead of a gap, into a gap, or of data that arrived before, and acknowledges it at once (RFC 5681,
    /// section 4.2). Returns whether any of it is new.
    #[inline(never)]
    fn out_of_order(&mut self, now: Time, start: u64, end: u64, number: u32) -> bool {
        if self.sends_sack {
            return self.out_of_order_with_sack(now, start, end, number);
        }
        let is_new = self.keep(start, end, number);
        self.owe();
        is_new
    }

    /// Keeps data that do not simply follow those before, or discards them if all arrived before. Returns whether any are new.
    #[inline(always)]
    fn keep(&mut self, start: u64, end: u64, number: u32) -> bool {
        let is_new = end > self.next && self.beyond.insert(start.max(self.next), end);
        self.duplicates += u64::from(!is_new);
        if start > self.next {
            self.out_of_order += u64::from(number);
            self.in_order = false;
        } else if self.opened {
            self.close_gap();
        }
        is_new
    }

    /// [`Receiver::out_of_order`] with SACK: only then are duplicates reported, and do acknowledgements wait for more data behind a gap.
    #[inline(never)]
    fn out_of_order_with_sack(&mut self, now: Time, start: u64, end: u64, number: u32) -> bool {
        let earlier = self.take_earlier(start, end);
        if self.rest.reports {
            self.report(start, end);
        }
        let (ranges, is_ahead) = (self.beyond.len(), start > self.next);
        let is_new = self.keep(start, end, number);
        if (is_ahead || !self.opened)
            && let Some(range) = self.beyond.containing(start)
        {
            let grows_one = self.beyond.len() == ranges;
            self.rest.remember(range, self.next, grows_one);
        }
        if self.rest.compression.is_none() || start <= self.next || !self.waits_for_more(now, number) {
            self.owe();
        }
        if let Some(ack) = earlier {
            self.rest.earlier = Some((ack, std::mem::replace(&mut self.owed, Owed::Earlier)));
        }
        is_new
    }

    /// Takes the acknowledgement that waits for more data behind a gap, if `start..end` begins a SACK block for which it has no room, or
    /// changes the last of its blocks: it would lose information otherwise (`tcp_sack_new_ofo_skb`).
    fn take_earlier(&mut self, start: u64, end: u64) -> Option<Ack> {
        let Rest { compression: Some(compression), .. } = &mut *self.rest else { return None };
        if self.deadline == Time::NEVER || self.owed != Owed::Nothing || !compression.is_of(self.next) {
            return None;
        }
        let mut blocks = 0;
        for (first, last) in self.rest.recent_ranges(self.next).take(Compression::BLOCKS) {
            if start <= last && first <= end {
                return None;
            }
            blocks += 1;
        }
        if blocks < Compression::BLOCKS {
            return None;
        }
        (self.waiting, self.deadline) = (0, Time::NEVER);
        let blocks = self.rest.blocks(self.next);
        Some(self.answer(blocks))
    }

    /// Whether the acknowledgement of a segment beyond the gap waits for more segments.
    fn waits_for_more(&mut self, now: Time, number: u32) -> bool {
        let counted = self.watches & (COUNTS | ECHOES) == COUNTS | ECHOES;
        let marked = if counted { number } else { 0 };
        let anew = self.deadline == Time::NEVER;
        let at_once = self.owes_ack() || self.waiting >= self.acks_every;
        let rest = &mut *self.rest;
        let Some(compression) = rest.compression.as_mut().filter(|_| !at_once) else { return false };
        let holds = compression.holds(self.next, anew, marked);
        if holds && anew {
            let round_trip = rest.quick.round_trip.unwrap_or(Span(u64::MAX));
            let delay = Compression::DELAY.min(round_trip / Compression::PART);
            self.deadline = now + delay + Compression::SLACK;
        }
        holds
    }

    /// To be called when the receiver's host sends data: a delayed acknowledgement goes with them.
    pub fn acknowledge_now(&mut self) {
        let due =
            self.rest.gro.as_ref().filter(|gro| !gro.is_empty()).map_or(self.deadline, |gro| gro.ack_due);
        if due < Time::NEVER {
            self.owe_delayed();
        }
    }

    /// Sends a delayed acknowledgement now. Segments that are to be handed up still wait.
    fn owe_delayed(&mut self) {
        self.owe();
        if let Some(gro) = &mut self.rest.gro {
            gro.ack_due = Time::NEVER;
            self.deadline = gro.due;
        }
    }

    #[inline]
    fn owe(&mut self) {
        match self.owed {
            Owed::Nothing => self.owed = Owed::Ack,
            Owed::Earlier => self.owe_behind(),
            Owed::Ack | Owed::Report => {}
        }
        self.waiting = 0;
        self.deadline = Time::NEVER;
    }

    /// [`Receiver::owe`] where [`Rest::earlier`] goes first.
    #[cold]
    fn owe_behind(&mut self) {
        let owed = self.owed_last();
        if *owed == Owed::Nothing {
            *owed = Owed::Ack;
        }
    }

    /// What is owed for the segment at hand, which goes behind [`Rest::earlier`] if there is one.
    fn owed_last(&mut self) -> &mut Owed {
        match (self.owed, &mut self.rest.earlier) {
            (Owed::Earlier, Some((_, owed))) => owed,
            _ => &mut self.owed,
        }
    }

    /// Returns the acknowledgement that is due, if one is; to be called after every input until it returns `None`.
    // Compiled in place, as a sender's segments are.
    #[inline(always)]
    pub fn poll_transmit(&mut self) -> Option<Ack> {
        if self.owes_plain_ack() {
            return Some(self.plain_ack());
        }
        if self.owed == Owed::Earlier {
            let (ack, owed) = self.rest.earlier.take()?;
            self.owed = owed;
            if ack.ack == self.next {
                return Some(ack);
            }
            // Another merged segment has been handed up since and has closed the gap.
            self.owe();
        }
        self.owes_ack().then(|| {
            let blocks = self.rest.blocks(self.next);
            self.answer(blocks)
        })
    }

    /// Begins a row of segments: returns the ACK that precedes it, which [`Ack::follow`] turns into the ACK of each segment. Returns `None` if
    /// the receiver may do more than acknowledge segments in order at once.
    #[inline]
    pub fn begin_row(&self) -> Option<Ack> {
        let is_plain = self.watches & (ECHOES | QUICK | GROWS | MERGES) == 0
            && self.in_order
            && self.owed == Owed::Nothing
            && (self.waiting, self.acks_every, self.last_ack) == (0, 1, self.next);
        is_plain.then(|| self.ack(self.window, SackBlocks::NONE))
    }

    /// Ends a row of segments, of which `last` is the last acknowledgement.
    #[inline]
    pub fn end_row(&mut self, last: &Ack) {
        (self.next, self.last_ack, self.echo) = (last.ack, last.ack, last.echo);
    }

    /// Whether an acknowledgement is due.
    #[inline(always)]
    pub fn owes_ack(&self) -> bool {
        self.owed != Owed::Nothing
    }

    /// Whether an acknowledgement without SACK blocks is due.
    #[inline(always)]
    pub fn owes_plain_ack(&self) -> bool {
        self.owed == Owed::Ack && (self.in_order || !self.sends_sack)
    }

    /// Takes the acknowledgement of which [`Receiver::owes_plain_ack`] tells.
    #[inline(always)]
    pub fn plain_ack(&mut self) -> Ack {
        self.answer(SackBlocks::NONE)
    }

    #[inline(always)]
    fn answer(&mut self, sack: SackBlocks) -> Ack {
        self.owed = Owed::Nothing;
        let window = if self.in_order || !self.sizes { self.window } else { self.room() };
        self.last_ack = self.next;
        self.ack(window, sack)
    }

    #[inline(always)]
    fn ack(&self, window: u32, sack: SackBlocks) -> Ack {
        let (ece, ace) = if self.watches & (ECHOES | COUNTS) == 0 { (false, 0) } else { self.feedback() };
        Ack { ack: self.next, window, sack, echo: self.echo, syn: self.opened, ece, ace }
    }

    /// Returns the ECN feedback of an acknowledgement: ECE (RFC 3168), and ACE (RFC 9768).
    #[cold]
    fn feedback(&self) -> (bool, u8) {
        if self.watches & COUNTS != 0 { (false, self.watches >> COUNT) } else { (true, 0) }
    }

    /// The window to advertise with a gap. Where the window grows, data beyond the gap take up the buffer, as in Linux (`tcp_select_window`), and
    /// so do data that have just filled a gap, which are read after the acknowledgement; a right edge that was advertised holds. If reading
    /// doubles the window, another acknowledgement says so (`__tcp_cleanup_rbuf`).
    #[inline(never)]
    fn room(&mut self) -> u32 {
        let Rest { sizing: Some(sizing), edge, has_read, .. } = &mut *self.rest else { return self.window };
        let segment = sizing.segment();
        let whole = u64::from(self.window) * segment;
        let (told, with) = *edge;
        let mut told = if told > 0 && with == self.last_ack { told } else { self.last_ack + whole };
        // The largest window moves only with the cumulative ACK and with what is read.
        if self.next > self.last_ack || self.window < sizing.most || *has_read {
            let held: u64 = self.beyond.iter().map(|(start, end)| end - start).sum();
            let free = whole.saturating_sub(held);
            told = told.max(self.next + free.saturating_sub(self.unread));
            if self.unread > 0 && free >= 2 * (told - self.next) {
                self.owed = Owed::Ack;
            }
        }
        *has_read = std::mem::take(&mut self.unread) > 0;
        self.in_order = self.opened && self.beyond.is_empty();
        // Where another acknowledgement follows in order, it advertises the whole window.
        *edge = if self.in_order && self.owed == Owed::Ack { (0, 0) } else { (told, self.next) };
        ((told - self.next) / segment) as u32
    }

    /// To be called when the [deadline](Receiver::next_deadline) is due; does nothing before.
    pub fn on_timer(&mut self, now: Time) {
        if now < self.deadline {
            return;
        }
        if self.rest.gro.as_ref().is_some_and(|gro| now >= gro.due) {
            self.hand_up(now);
        }
        if now >= self.deadline {
            self.owe_delayed();
        }
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

    /// The counts so far.
    #[inline]
    pub fn stats(&self) -> ReceiverStats {
        ReceiverStats { duplicates: self.duplicates, out_of_order: self.out_of_order }
    }
}

impl Rest {
    /// Makes a range beyond `next` the most recent, in place of the ranges that it has joined. `grows_one`: it has joined one at most.
    fn remember(&mut self, (start, end): (u64, u64), next: u64, grows_one: bool) {
        let joined = |&(first, last): &(u64, u64)| start <= first && last <= end;
        if grows_one && joined(&self.recent[0]) {
            self.recent[0] = (start, end);
            return;
        }
        let mut recent = [(start, end), (0, 0), (0, 0)];
        let others = self.recent_ranges(next).filter(|range| !joined(range));
        recent[1..].iter_mut().zip(others).for_each(|(room, other)| *room = other);
        self.recent = recent;
    }

    /// The ranges that changed last, the latest first.
    fn recent_ranges(&self, next: u64) -> impl Iterator<Item = (u64, u64)> {
        self.recent.iter().copied().filter(move |range| range.1 > next)
    }

    /// The SACK blocks of an ACK of everything before `next`.
    fn blocks(&mut self, next: u64) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        if let Some((start, end)) = self.duplicate.take() {
            blocks.push(next, start, end);
        }
        for (start, end) in self.recent_ranges(next) {
            blocks.push(next, start, end);
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::Flags;
    use airfair_core::Span;

    fn receiver(delayed_ack: bool, handshake: Handshake) -> Receiver {
        Receiver::new(&Settings { delayed_ack, handshake, ..settings(Profile::Rfc, TcpName::named("sack")) })
    }

    /// Segment `number` of 1000 bytes arrives at this time in ms, sent then too; the answer.
    fn arrive(receiver: &mut Receiver, number: u64, millis: u64) -> Option<Ack> {
        let now = Time::ZERO + Span::from_millis(millis);
        receiver.on_segment(now, &Segment { seq: number * 1000, sent_at: now, ..SEGMENT });
        receiver.poll_transmit()
    }

    const SEGMENT: Segment = Segment {
        seq: 0,
        len: 1000,
        syn: false,
        retransmission: false,
        ecn: Ecn::Capable,
        flags: Flags::NONE,
        sent_at: Time::ZERO,
    };

    #[test]
    fn it_fits_two_cache_lines_and_segments_in_order_touch_one() {
        assert_eq!((Receiver::OF_SEGMENTS, size_of::<Receiver>()), ([0, 64], 128));
    }

    #[test]
    fn a_delayed_acknowledgement_of_linux_goes_on_a_tick() {
        let settings = Settings { quick_acks: 0, handshake: Handshake::None, ..linux() };
        for (phase, due) in [(0, 44), (1, 43), (3, 41)] {
            let mut receiver = Receiver::new(&settings).with_clock_phase(Span::from_millis(phase));
            let now = Time::ZERO + Span(1);
            receiver.on_segment(now, &Segment { len: settings.segment_bytes, ..SEGMENT });
            assert_eq!(receiver.next_deadline(), Time::ZERO + Span::from_millis(due), "{phase}");
        }
    }

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
        assert_eq!(receiver.poll_transmit().map(|ack| ack.ack), Some(3000));
        assert_eq!(receiver.next_deadline(), Time::NEVER);
    }

    /// Linux's settings over a wire, with full segments as long as [`SEGMENT`].
    fn linux() -> Settings {
        let linux = settings(Profile::Linux, TcpName::named("cubic"));
        Settings { segment_bytes: SEGMENT.len, gro: false, first_window: None, ..linux }
    }

    /// Linux's `tcp_cleanup_rbuf`.
    #[test]
    fn a_short_segment_or_one_with_psh_is_acknowledged_at_once_where_the_settings_say() {
        for (push_ack, len, push, waits) in [
            (false, 400, true, true),
            (true, 400, false, false),
            (true, 1000, false, true),
            (true, 1000, true, false),
        ] {
            let settings = Settings { push_ack, quick_acks: 0, handshake: Handshake::None, ..linux() };
            let mut receiver = Receiver::new(&settings);
            receiver.on_segment(Time(1), &Segment { len, flags: Flags::new(false, push), ..SEGMENT });
            assert_eq!(receiver.poll_transmit().is_none(), waits, "{push_ack} {len} {push}");
        }
    }

    /// Linux's `__tcp_ack_snd_check`: three at once, and then one for all that came in a twentieth of the round trip of 10 ms.
    #[test]
    fn acknowledgements_behind_a_gap_wait_for_more_data() {
        let at = |micros: u64| Time::ZERO + Span::from_micros(micros);
        let receiver = |sack_compression| {
            let settings = Settings { sack_compression, push_ack: false, quick_acks: 1, ..linux() };
            let mut receiver = Receiver::new(&settings);
            receiver.on_segment(Time::ZERO, &Segment { len: 0, syn: true, ..SEGMENT });
            receiver.poll_transmit();
            receiver
        };
        let hear = |receiver: &mut Receiver, micros, number| {
            receiver.on_segment(at(micros), &Segment { seq: 1000 * number, ..SEGMENT });
            receiver.poll_transmit().is_some()
        };
        let mut each = receiver(false);
        assert!((1..=9).all(|number| hear(&mut each, 10_000, number - number / 2)));
        let mut some = receiver(true);
        assert!(hear(&mut some, 10_000, 0));
        let told = [2, 3, 4, 5, 6].map(|number| hear(&mut some, 10_000 + 100 * number, number));
        assert_eq!((told, some.next_deadline()), ([true, true, true, false, false], at(10_500 + 600)));
        some.on_timer(at(11_100));
        let ack = some.poll_transmit().expect("it is due");
        assert_eq!(ack.sack.iter(ack.ack).collect::<Vec<_>>(), [(2000, 7000)]);
        // What does not close the gap is not all there is, and another gap is told of at once.
        assert!(!hear(&mut some, 11_200, 7) && hear(&mut some, 11_300, 1));
        assert!([9, 10, 11].into_iter().all(|number| hear(&mut some, 12_000, number)));
        assert!((12..56).all(|number| !hear(&mut some, 12_000, number)) && hear(&mut some, 12_000, 56));
    }

    /// RFC 9768, section 3.2.2.5.1: with seven marks an acknowledgement goes that waits.
    #[test]
    fn no_more_than_seven_marks_behind_a_gap_wait() {
        let acknowledged = |ecn_echo, mark: fn(u64) -> bool| {
            let handshake = Handshake::None;
            let settings = Settings { push_ack: false, quick_acks: 0, handshake, ecn_echo, ..linux() };
            let mut receiver = Receiver::new(&settings);
            let mut hear = |number: u64| {
                let mut segment = Segment { seq: 1000 * number, ecn: Ecn::Scalable, ..SEGMENT };
                if mark(number) {
                    segment.mark();
                }
                receiver.on_segment(Time(9), &segment);
                receiver.poll_transmit().is_some()
            };
            (1..50).filter(|number| hear(*number)).collect::<Vec<_>>()
        };
        assert_eq!(acknowledged(EcnEcho::Accurate, |_| true), [1, 2, 3, 4, 11, 18, 25, 32, 39, 46]);
        assert_eq!(acknowledged(EcnEcho::Accurate, |_| false), [1, 2, 3, 48]);
        // The first of several goes at once.
        assert_eq!(acknowledged(EcnEcho::Accurate, |number| number > 20), [1, 2, 3, 21, 28, 35, 42, 49]);
        assert_eq!(acknowledged(EcnEcho::Classic, |_| true), [1, 2, 3, 48]);
    }

    /// Linux's `tcp_sack_new_ofo_skb`: where single segments arrive between holes, each is told of.
    #[test]
    fn an_acknowledgement_waits_no_longer_than_until_its_sack_blocks_are_full() {
        let settings = Settings { push_ack: false, quick_acks: 0, handshake: Handshake::None, ..linux() };
        let mut receiver = Receiver::new(&settings);
        let mut hear = |number: u64| {
            receiver.on_segment(Time(9), &Segment { seq: 1000 * number, ..SEGMENT });
            let acks = std::iter::from_fn(|| receiver.poll_transmit());
            let blocks =
                |ack: Ack| ack.sack.iter(ack.ack).map(|(start, end)| (start / 1000, end / 1000)).collect();
            acks.map(blocks).collect::<Vec<Vec<_>>>()
        };
        assert_eq!([1, 2, 3].map(|number| hear(number).len()), [1; 3], "three at once");
        assert!(hear(4).is_empty() && hear(6).is_empty(), "two blocks");
        assert_eq!(hear(8), [[(6, 7), (1, 5)]], "that of 8 waits");
        assert_eq!(hear(9), [[]; 0], "it is the block that changed last");
        assert_eq!(hear(5), [[]; 0], "and this the one before");
        assert_eq!(hear(11), [[(1, 7), (8, 10)]]);
    }

    #[test]
    fn the_window_grows_from_the_first_to_the_last_where_the_settings_say() {
        let windows = |first_window| {
            let handshake = Handshake::None;
            let settings = Settings { first_window, receive_window: 300, handshake, ..linux() };
            let mut receiver = Receiver::new(&settings);
            let acks = (0..400).filter_map(|number| arrive(&mut receiver, number, number));
            let mut windows: Vec<u32> = acks.map(|ack| ack.window).collect();
            windows.dedup();
            windows
        };
        assert_eq!(windows(None), [300]);
        assert_eq!(windows(Some(400)), [300]);
        let grown = windows(Some(45));
        assert_eq!((grown.first(), grown.last()), (Some(&45), Some(&300)));
    }

    /// Linux's `tcp_select_window`: the right edge holds, and does not move before there is room for more.
    #[test]
    fn what_arrived_beyond_a_gap_takes_room_where_the_window_grows() {
        let advertised = |first_window| {
            let handshake = Handshake::None;
            let settings =
                Settings { first_window, receive_window: 20, sack_compression: false, handshake, ..linux() };
            let mut receiver = Receiver::new(&settings);
            let numbers = [0, 1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 2, 5];
            let acks = numbers.map(|number| arrive(&mut receiver, number, 1));
            acks.into_iter().flatten().map(|ack| (ack.ack / 1000, ack.window)).collect::<Vec<_>>()
        };
        assert!(advertised(None).iter().all(|&(_, window)| window == 20));
        let limited = advertised(Some(20));
        assert_eq!(limited[..2], [(1, 20), (2, 20)]);
        assert!(limited[2..12].iter().all(|ack| *ack == (2, 20)));
        // 17 to the edge, and room for 12 beside the eight beyond 5; then 11 beside those that have not been read.
        assert_eq!(limited[12..], [(5, 17), (14, 11)]);
    }

    /// Linux's `__tcp_cleanup_rbuf`: an ACK of what fills a gap goes before that is read, and another one follows where the window doubles.
    #[test]
    fn what_fills_a_gap_takes_room_until_the_acknowledgement_has_gone() {
        let advertised = |last_beyond: u64| {
            let handshake = Handshake::None;
            let settings = Settings {
                first_window: Some(20),
                receive_window: 20,
                sack_compression: false,
                handshake,
                ..linux()
            };
            let mut receiver = Receiver::new(&settings);
            let mut hear = |number: u64| {
                let now = Time::ZERO + Span::from_millis(1);
                receiver.on_segment(now, &Segment { seq: number * 1000, sent_at: now, ..SEGMENT });
                let acks = std::iter::from_fn(|| receiver.poll_transmit());
                acks.map(|ack| (ack.ack / 1000, ack.window)).collect::<Vec<_>>()
            };
            (0..2).chain(3..=last_beyond).for_each(|number| {
                hear(number);
            });
            // The gap is filled; then another one begins there.
            [hear(2), hear(last_beyond + 2), hear(last_beyond + 1)]
        };
        assert_eq!(advertised(10), [vec![(11, 11)], vec![(11, 19)], vec![(13, 18)]]);
        assert_eq!(advertised(16), [vec![(17, 5), (17, 20)], vec![(17, 20)], vec![(19, 18)]]);
    }

    /// Where the segments that waited go up as another one comes that need not wait, one ACK is from before both.
    #[test]
    fn a_segment_that_goes_up_behind_others_is_acknowledged_behind_what_waited_before_them() {
        let settings = Settings {
            gro: true,
            gro_wait: Span::from_micros(50),
            quick_acks: 0,
            handshake: Handshake::None,
            ..linux()
        };
        let told = |last: u64, push: bool| {
            let mut receiver = Receiver::new(&settings);
            let mut hear = |number: u64, push: bool| {
                let flags = Flags::new(false, push);
                receiver.on_segment(Time(9), &Segment { seq: 1000 * number, flags, ..SEGMENT });
                let acks = std::iter::from_fn(|| receiver.poll_transmit());
                let newest = |ack: Ack| ack.sack.iter(ack.ack).map(|(start, _)| start / 1000).next();
                acks.map(newest).collect::<Vec<_>>()
            };
            assert_eq!([2, 4, 6, 8].map(|number| hear(number, false).len()), [0, 1, 1, 1]);
            assert_eq!(hear(10, false), [], "that of 8 waits");
            hear(last, push)
        };
        assert_eq!(told(12, false), [Some(8)], "that of 10 waits");
        assert_eq!(told(12, true), [Some(8), Some(12)]);
        assert_eq!(told(4, false), [Some(8), Some(4)], "a report");
    }

    /// Segment `number` arrives at a receiver of Linux with GRO that waits for 50 us, beyond its quick ACKs.
    fn bundling() -> (Receiver, impl FnMut(&mut Receiver, u64, u64) -> Option<u64>) {
        let settings = Settings {
            gro: true,
            gro_wait: Span::from_micros(50),
            quick_acks: 0,
            handshake: Handshake::None,
            sack_compression: false,
            rto_granularity: Span::ZERO,
            ..linux()
        };
        let hear = |receiver: &mut Receiver, micros, number: u64| {
            let now = Time::ZERO + Span::from_micros(micros);
            receiver.on_segment(now, &Segment { seq: 1000 * number, ..SEGMENT });
            receiver.poll_transmit().map(|ack| ack.ack)
        };
        (Receiver::new(&settings), hear)
    }

    /// The acknowledgement that the receiver's next deadline brings, and when that is.
    fn later(receiver: &mut Receiver) -> (Time, Option<u64>) {
        let due = receiver.next_deadline();
        receiver.on_timer(due);
        (due, receiver.poll_transmit().map(|ack| ack.ack))
    }

    #[test]
    fn segments_that_come_together_are_acknowledged_together() {
        let (mut receiver, mut hear) = bundling();
        let at = |micros: u64| Time::ZERO + Span::from_micros(micros) + Span(1);
        assert!((0..6).all(|number| hear(&mut receiver, 8 * number, number).is_none()));
        assert_eq!(receiver.delivered_to(), 0, "the stack has nothing yet");
        assert_eq!(later(&mut receiver), (at(50), Some(6000)));
        // One alone waits as a delayed acknowledgement does, and does not end the next ones' waiting.
        assert_eq!(hear(&mut receiver, 100, 6), None);
        assert_eq!(later(&mut receiver), (at(150), None));
        assert_eq!(hear(&mut receiver, 40_120, 7), None);
        assert_eq!(later(&mut receiver), (at(40_150), Some(7000)));
        assert_eq!(later(&mut receiver), (at(40_170), None));
        assert_eq!(receiver.delivered_to(), 8000);
    }

    #[test]
    fn a_gap_and_the_longest_packet_end_a_bundle() {
        let (mut receiver, mut hear) = bundling();
        assert_eq!([0, 1].map(|number| hear(&mut receiver, 0, number)), [None; 2]);
        // The two before the gap go up, and the three behind it are told of at once.
        assert_eq!([3, 4, 5].map(|number| hear(&mut receiver, 1, number)), [Some(2000), None, None]);
        assert_eq!(later(&mut receiver).1, Some(2000));
        assert_eq!(receiver.stats().out_of_order, 3);
        // What is there already goes up alone, and is counted once.
        assert_eq!(hear(&mut receiver, 100, 4), Some(2000));
        assert_eq!(receiver.stats().duplicates, 1);
        assert_eq!(hear(&mut receiver, 101, 2), None);
        assert_eq!(later(&mut receiver).1, Some(6000));
        // 65 segments of 1000 bytes and a header fit 65535 bytes.
        let acks: Vec<_> = (6..73).filter_map(|number| hear(&mut receiver, 200, number)).collect();
        assert_eq!(acks, [71_000]);
    }

    #[test]
    fn a_push_another_timestamp_and_a_mark_end_a_bundle() {
        let (mut receiver, _) = bundling();
        let mut hear = |millis, number: u64, push, ecn| {
            let sent_at = Time::ZERO + Span::from_millis(millis);
            let flags = Flags::new(false, push);
            receiver.on_segment(Time(9), &Segment { seq: 1000 * number, flags, ecn, sent_at, ..SEGMENT });
            receiver.poll_transmit().map(|ack| ack.ack)
        };
        assert_eq!(hear(0, 0, false, Ecn::Capable), None);
        assert_eq!(hear(0, 1, true, Ecn::Capable), Some(2000));
        assert_eq!([2, 3].map(|number| hear(0, number, false, Ecn::Capable)), [None; 2]);
        assert_eq!(hear(1, 4, false, Ecn::Capable), Some(4000));
        assert_eq!(hear(1, 5, false, Ecn::Capable), None);
        assert_eq!(hear(1, 6, false, Ecn::CongestionExperienced), Some(6000));
    }

    #[test]
    fn an_ack_that_waits_goes_with_what_its_host_sends() {
        let mut receiver = receiver(true, Handshake::None);
        receiver.acknowledge_now();
        assert_eq!(receiver.poll_transmit(), None, "there is none");
        assert_eq!(arrive(&mut receiver, 0, 5), None);
        receiver.acknowledge_now();
        assert_eq!(receiver.poll_transmit().map(|ack| ack.ack), Some(1000));
        assert_eq!(receiver.next_deadline(), Time::NEVER);
    }

    /// `TCP_MAX_QUICKACKS` of Linux is 16.
    #[test]
    fn the_first_segments_and_those_after_idleness_are_acknowledged_one_by_one() {
        let mut receiver = Receiver::new(&linux());
        receiver.on_segment(Time::ZERO, &Segment { len: 0, syn: true, ..SEGMENT });
        assert!(receiver.poll_transmit().is_some());
        let mut acknowledged = |numbers: std::ops::Range<u64>, from: u64| {
            let mut at_once = |number| arrive(&mut receiver, number, from + number).is_some();
            numbers.filter(|&number| at_once(number)).count()
        };
        // The handshake took 100 ms: the retransmission timeout is 300 ms.
        assert_eq!(acknowledged(0..16, 100), 16);
        assert_eq!(acknowledged(16..36, 100), 10, "then every second one");
        assert_eq!(acknowledged(36..40, 399), 2, "300 ms later");
        assert_eq!(acknowledged(40..60, 699), 16 + 2, "more than 300 ms later");
        // It came before: an ACK may be lost. This one counts.
        assert_eq!(acknowledged(59..60, 699), 1);
        assert_eq!(acknowledged(60..80, 699), 15 + 2);
    }

    /// A mark means that the sender's window may be small soon (`tcp_ecn_check_ce`), and CWR that it is (`tcp_ecn_accept_cwr`).
    #[test]
    fn a_mark_and_its_answer_are_acknowledged_at_once() {
        let mut receiver = Receiver::new(&Settings { handshake: Handshake::None, ..linux() });
        (0..16).for_each(|number| assert!(arrive(&mut receiver, number, 0).is_some()));
        let mut at_once = |number: u64, ecn, cwr| {
            receiver.on_segment(
                Time::ZERO,
                &Segment { seq: number * 1000, ecn, flags: Flags::new(cwr, false), ..SEGMENT },
            );
            receiver.poll_transmit().map(|ack| ack.ece)
        };
        let (clear, marked) = (Ecn::Capable, Ecn::CongestionExperienced);
        assert_eq!(at_once(16, clear, false), None);
        assert_eq!(at_once(17, marked, false), Some(true));
        assert_eq!(at_once(18, marked, false), Some(true));
        assert_eq!(at_once(19, clear, false), None);
        assert_eq!(at_once(20, clear, false), Some(true));
        assert_eq!(at_once(21, clear, true), Some(false));
    }

    #[test]
    fn without_delayed_or_quick_acks_there_is_no_such_phase() {
        let linux = Settings { handshake: Handshake::None, sack_compression: false, ..linux() };
        let mut receiver = Receiver::new(&Settings { quick_acks: 0, ..linux.clone() });
        assert_eq!(receiver.watches, 0);
        assert_eq!(arrive(&mut receiver, 0, 0), None);
        assert_eq!(Receiver::new(&Settings { delayed_ack: false, ..linux.clone() }).watches, 0);
        receiver.adopt(&linux);
        assert_ne!(receiver.watches, 0);
    }

    /// Segments in order, a gap, a mark and what answers it, a part of a segment: those that a row takes are as if each had come alone.
    #[test]
    fn a_row_does_as_its_segments() {
        let (marked, clear) = (Ecn::CongestionExperienced, Ecn::Capable);
        let segments = [
            (0, 3, clear),
            (1, 2, clear),
            (2, 9, clear),
            (4, 9, clear),
            (3, 8, clear),
            (5, 7, clear),
            (6, 9, marked),
            (7, 9, clear),
            (8, 9, clear),
            (8, 9, clear),
        ];
        let segments = segments.map(|(number, sent_at, ecn)| {
            let flags = Flags::new(number == 7, false);
            Segment { seq: number * 1000, sent_at: Time(sent_at), ecn, flags, ..SEGMENT }
        });
        for delayed_ack in [false, true] {
            let [mut one, mut rows] =
                [receiver(delayed_ack, Handshake::None), receiver(delayed_ack, Handshake::None)];
            let mut taken = Vec::new();
            for (place, segment) in segments.iter().enumerate() {
                one.on_segment(Time(10), segment);
                let answer = one.poll_transmit();
                let row = rows.begin_row().and_then(|mut ack| ack.follow(segment).then_some(ack));
                let other = match row {
                    Some(ack) => {
                        rows.end_row(&ack);
                        taken.push(place);
                        Some(ack)
                    }
                    None => {
                        rows.on_segment(Time(10), segment);
                        rows.poll_transmit()
                    }
                };
                assert_eq!((answer, format!("{one:?}")), (other, format!("{rows:?}")), "segment {place}");
            }
            assert_eq!(taken, if delayed_ack { vec![] } else { vec![0, 1, 2, 5, 8] });
        }
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
    fn what_joins_two_ranges_makes_one_sack_block() {
        let mut receiver = receiver(false, Handshake::None);
        for number in [2, 4] {
            arrive(&mut receiver, number, number);
        }
        let ack = arrive(&mut receiver, 3, 9).expect("at once");
        assert_eq!(ack.sack.iter(0).collect::<Vec<_>>(), [(2000, 5000)]);
    }

    /// Before the SYN even the first data come behind a gap.
    #[test]
    fn data_that_overtake_the_syn_are_a_sack_block() {
        let mut receiver = receiver(false, Handshake::OneWay);
        let ack = arrive(&mut receiver, 0, 1).expect("at once");
        assert_eq!((ack.syn, ack.sack.iter(0).collect::<Vec<_>>()), (false, vec![(0, 1000)]));
    }

    /// RFC 2883, section 4: a duplicate comes first, below the acknowledgement or with the block that it lies in after it.
    #[test]
    fn data_that_arrive_twice_are_reported_once() {
        let settings = Settings {
            delayed_ack: true,
            handshake: Handshake::None,
            dsack: true,
            ..settings(Profile::Rfc, TcpName::named("sack"))
        };
        let mut receiver = Receiver::new(&settings);
        let mut blocks = |seq, len| {
            receiver.on_segment(Time::ZERO, &Segment { seq, len, ..SEGMENT });
            receiver.poll_transmit().map(|ack| ack.sack.iter(ack.ack).collect::<Vec<_>>())
        };
        assert_eq!(blocks(0, 1000), None);
        assert_eq!(blocks(0, 1000), Some(vec![(0, 1000)]));
        assert_eq!(blocks(3000, 1000), Some(vec![(3000, 4000)]));
        assert_eq!(blocks(4000, 1000), Some(vec![(3000, 5000)]));
        assert_eq!(blocks(3000, 1000), Some(vec![(3000, 4000), (3000, 5000)]));
        assert_eq!(blocks(0, 1000), Some(vec![(0, 1000), (3000, 5000)]));
        // A part of one: in a gap, and in order, where no acknowledgement would be due yet.
        assert_eq!(blocks(2000, 1500), Some(vec![(3000, 3500), (2000, 5000)]));
        assert_eq!(blocks(1000, 1000), Some(vec![]));
        assert_eq!(blocks(4500, 1000), Some(vec![(4500, 5000)]));
        assert_eq!(blocks(5500, 1000), None);
    }

    #[test]
    fn data_that_overtook_the_syn_waits_for_it() {
        let mut receiver = receiver(false, Handshake::ThreeWay);
        let early = arrive(&mut receiver, 0, 0).expect("at once");
        assert_eq!((early.ack, early.syn, receiver.delivered_to()), (0, false, 0));
        let syn = Segment { len: 0, syn: true, ..SEGMENT };
        receiver.on_segment(Time(5), &syn);
        let ack = receiver.poll_transmit().expect("at once");
        assert_eq!((ack.ack, ack.syn, receiver.delivered_to()), (1000, true, 1000));
        assert_eq!(receiver.stats().duplicates, 0);
        receiver.on_segment(Time(6), &syn);
        assert_eq!(receiver.stats().duplicates, 1);
    }

    #[test]
    fn a_mark_is_echoed_until_the_sender_answers() {
        let mut receiver = receiver(false, Handshake::None);
        let mut echo = |ecn, cwr| {
            receiver.on_segment(Time::ZERO, &Segment { ecn, flags: Flags::new(cwr, false), ..SEGMENT });
            receiver.poll_transmit().expect("at once").ece
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
        assert_eq!(receiver.poll_transmit(), None);
        assert!(arrive(&mut receiver, 1, 1).expect("two segments").ece);
    }
}
