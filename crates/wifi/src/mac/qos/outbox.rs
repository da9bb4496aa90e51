//! Frames of one access category for one receiver: the driver's queue, the block-ack window and the aggregates.

use std::collections::VecDeque;

use airfair_core::{Ring, Span};

use super::{Estimate, LinkTimes};
use crate::config::Aggregation;
use crate::mac::{Payload, QueuedFrame};
use crate::medium::LoggedMpdu;

/// Bytes of the frame check sequence.
const FCS: u32 = 4;
/// Bytes of the LLC and SNAP headers before the IP packet.
const LLC: u32 = 8;
/// Bytes of the delimiter of an A-MPDU subframe (9.7.1).
const DELIMITER: u32 = 4;
/// Bytes of the header of an A-MSDU subframe (9.3.2.2.2).
const AMSDU_HEADER: u32 = 14;
/// Subframes of A-MPDUs and A-MSDUs begin at multiples of this number of bytes.
const ALIGNMENT: u32 = 4;

/// An MPDU in the block-ack window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mpdu {
    /// Number of the MPDU's first frame among all frames of its outbox.
    start: u64,
    /// Number of the MPDU's frames: an A-MSDU has several.
    pub msdus: u32,
    /// Bytes of the MPDU, header and check sequence included.
    pub bytes: u32,
    attempts: u32,
    /// Whether the MPDU was on the air before, for the log. An attempt may end with an RTS.
    was_sent: bool,
    /// Whether the MPDU has reached its receiver, which the sender may not know yet.
    pub arrived: bool,
    /// Whether the MPDU is acknowledged or given up.
    done: bool,
}

/// Consecutive MPDUs with the same number of attempts.
#[derive(Clone, Copy, Debug)]
struct Batch {
    mpdus: u32,
    attempts: u32,
}

/// Which MPDUs of a PPDU have arrived, as far as that is known.
#[derive(Debug, Default)]
pub(crate) struct Arrived {
    /// Number of MPDUs at the beginning of the PPDU that have all arrived: mostly these are all MPDUs.
    all: u32,
    /// Whether each of the MPDUs behind those has arrived, in order.
    each: Vec<bool>,
}

impl Arrived {
    /// Forgets what is known.
    pub fn clear(&mut self) {
        self.all = 0;
        self.each.clear();
    }

    /// Notes that all `mpdus` MPDUs have arrived.
    pub fn set_all(&mut self, mpdus: u32) {
        self.all = mpdus;
    }

    /// Notes whether the next MPDU has arrived.
    pub fn push(&mut self, arrives: bool) {
        self.each.push(arrives);
    }

    /// Returns the number of MPDUs of which it is known whether they have arrived.
    pub fn len(&self) -> usize {
        self.all as usize + self.each.len()
    }

    /// Whether the MPDU at this place has arrived; `None` if that is not known.
    pub fn get(&self, place: usize) -> Option<bool> {
        if place < self.all as usize { Some(true) } else { self.each.get(place).copied() }
    }

    /// Whether no MPDU is known to be missing.
    pub fn are_all(&self) -> bool {
        !self.each.contains(&false)
    }

    /// Returns the number of MPDUs that are known to have arrived.
    pub fn count(&self) -> u32 {
        self.all + self.each.iter().filter(|arrived| **arrived).count() as u32
    }
}

/// What becomes of a block ack request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    Nothing,
    Due,
    /// It was given up. Another one is due when the receiver answers again, as in mac80211 (`ieee80211_check_pending_bar` in `status.c`).
    Failed,
}

/// Frames of one access category for one receiver: those that wait, and the MPDUs of the block-ack window.
#[derive(Debug)]
pub(crate) struct Outbox<P: Payload> {
    pub receiver: u32,
    pub times: LinkTimes,
    aggregation: Aggregation,
    /// The frames of the MPDUs and behind them, from the number `waiting` on, those without a sequence number. Each stays in its place until its
    /// MPDU leaves.
    frames: Ring<QueuedFrame<P>>,
    waiting: u64,
    /// All frames from this number on have one length.
    alike_from: u64,
    /// The MPDUs of the block-ack window by their sequence numbers, which do not wrap here.
    mpdus: Ring<Mpdu>,
    /// Number of MPDUs behind `mpdus`, of one frame each, that are on the air or are retransmitted. Mostly they all arrive and leave together, or
    /// are all retransmitted after a collision, so nothing is noted of each until something else goes [wrong](Outbox::note_fresh).
    fresh: u32,
    /// The fresh MPDUs, by how often they have been sent.
    batches: Vec<Batch>,
    /// The sequence numbers of the MPDUs of the PPDU on the air, other than the fresh ones.
    in_flight: Vec<u64>,
    /// Number of frames in all MPDUs of the PPDU on the air.
    frames_in_flight: u32,
    /// Whether all MPDUs of the PPDU on the air have reached their receiver, though none is marked so.
    all_arrived: bool,
    /// The block ack request that tells the receiver which MPDUs were given up, so that it need not wait for them (10.25.6.6).
    request: Request,
    /// Number of frames that are neither acknowledged nor given up.
    held: u32,
    /// How the airtime of the frames is estimated.
    pub estimate: Estimate,
    /// For each of `frames`, its number in the order in which the driver took frames for all its outboxes; empty if that order does not matter.
    taken: VecDeque<u64>,
}

impl<P: Payload> Outbox<P> {
    pub fn new(receiver: u32, times: LinkTimes, aggregation: Aggregation, estimate: Estimate) -> Outbox<P> {
        Outbox {
            receiver,
            times,
            estimate,
            taken: VecDeque::new(),
            aggregation,
            frames: Ring::default(),
            waiting: 0,
            alike_from: 0,
            mpdus: Ring::default(),
            fresh: 0,
            batches: Vec::new(),
            in_flight: Vec::new(),
            frames_in_flight: 0,
            all_arrived: false,
            request: Request::Nothing,
            held: 0,
        }
    }

    /// Changes the estimate of airtimes. Returns the airtime of all frames by the new estimate; `None` if that equals the old one.
    pub fn estimate_by(&mut self, estimate: Estimate) -> Option<Span> {
        if std::mem::replace(&mut self.estimate, estimate) == estimate {
            return None;
        }
        Some(self.frames().fold(Span::ZERO, |sum, held| sum + estimate.airtime(held.frame.bytes)))
    }

    /// Returns the frames that are neither acknowledged nor given up, in no particular order.
    pub fn frames(&self) -> impl Iterator<Item = &QueuedFrame<P>> {
        let sent = self.mpdus.from(self.mpdus.first()).filter(|mpdu| !mpdu.done);
        self.frames.from(self.first_fresh()).chain(sent.flat_map(|mpdu| self.msdus(mpdu)))
    }

    /// Notes the number, in the driver's order, of the frame that was pushed last.
    pub fn note_order(&mut self, number: u64) {
        self.taken.push_back(number);
    }

    /// Returns the number, in the driver's order, of the oldest frame; `None` if there is no frame, or nobody counts them.
    pub fn oldest(&self) -> Option<u64> {
        self.taken.front().copied()
    }

    #[inline]
    pub fn push(&mut self, frame: &QueuedFrame<P>) {
        self.note_length(frame.frame.bytes);
        *self.frames.room() = *frame;
        self.held += 1;
    }

    /// Adds frames of one length.
    #[inline]
    pub fn push_in_a_row(&mut self, frames: &[QueuedFrame<P>]) {
        let Some(first) = frames.first() else { return };
        debug_assert!(frames.iter().all(|held| held.frame.bytes == first.frame.bytes));
        self.note_length(first.frame.bytes);
        self.frames.append(frames);
        self.held += frames.len() as u32;
    }

    /// Notes that the next frame, or row of frames, has this length.
    #[inline]
    fn note_length(&mut self, bytes: u32) {
        if self.frames.back().is_none_or(|last| last.frame.bytes != bytes) {
            self.alike_from = self.frames.end();
        }
    }

    /// Returns the bytes of these frames.
    #[inline]
    pub fn bytes_of(&self, first: u64, frames: u32) -> u64 {
        if frames > 0 && first >= self.alike_from {
            return u64::from(frames) * u64::from(self.frames.at(first).frame.bytes);
        }
        self.numbered(first, frames as usize).map(|held| u64::from(held.frame.bytes)).sum()
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.held == 0 && !self.must_request()
    }

    /// Whether a block ack request goes before anything else.
    pub fn must_request(&self) -> bool {
        self.request == Request::Due
    }

    /// Ends the block ack request that is due: it was `answered`, or is given up.
    pub fn end_request(&mut self, answered: bool) {
        self.request = if answered { Request::Nothing } else { Request::Failed };
    }

    /// Returns the first sequence number that the receiver may still expect.
    pub fn window_start(&self) -> u64 {
        self.mpdus.first()
    }

    /// Returns the number of MPDUs of the PPDU on the air.
    #[inline]
    pub fn mpdus_in_flight(&self) -> u32 {
        self.in_flight.len() as u32 + self.fresh
    }

    /// Returns the sequence numbers of the MPDUs of the PPDU on the air. From then on [`Outbox::mpdu`] knows each of them.
    pub fn in_flight(&mut self) -> &[u64] {
        self.note_fresh();
        &self.in_flight
    }

    /// Returns the number of the first frame that belongs to a fresh MPDU, or to none yet.
    fn first_fresh(&self) -> u64 {
        self.waiting - u64::from(self.fresh)
    }

    /// Moves the fresh MPDUs to `mpdus` and `in_flight`, which note each by itself.
    fn note_fresh(&mut self) {
        let around = self.around();
        let mut start = self.first_fresh();
        self.fresh = 0;
        let Outbox { frames, mpdus, in_flight, batches, .. } = self;
        for Batch { mpdus: count, attempts } in batches.drain(..) {
            in_flight.extend(mpdus.end()..mpdus.end() + u64::from(count));
            for room in mpdus.rooms(count as usize).into_iter().flatten() {
                let bytes = around + frames.at(start).frame.bytes;
                *room = Mpdu { start, msdus: 1, bytes, attempts, ..Mpdu::default() };
                start += 1;
            }
        }
    }

    /// Returns the MPDU with this sequence number, which must not be fresh.
    #[inline]
    pub fn mpdu(&self, number: u64) -> &Mpdu {
        self.mpdus.at(number)
    }

    /// Notes that the MPDU with this sequence number has reached its receiver.
    #[inline]
    pub fn note_arrival(&mut self, number: u64) {
        self.mpdus.at_mut(number).arrived = true;
    }

    /// Returns the frames of an MPDU.
    #[inline]
    pub fn msdus(&self, mpdu: &Mpdu) -> impl Iterator<Item = &QueuedFrame<P>> + use<'_, P> {
        msdus(&self.frames, mpdu)
    }

    /// Notes that all MPDUs of the PPDU on the air have reached their receiver, if their sequence numbers follow each other from `next` on, which
    /// the receiver expects. Returns the number of their first frame and how many frames there are; otherwise `None`.
    #[inline]
    pub fn arrive_in_a_row(&mut self, next: u64) -> Option<(u64, u32)> {
        let first = self.in_flight.first().copied().unwrap_or(self.mpdus.end());
        let behind = self.end_of_flight()?;
        if first != next || behind - first != u64::from(self.mpdus_in_flight()) {
            return None;
        }
        self.all_arrived = true;
        let start = match self.in_flight.first() {
            Some(&first) => self.mpdu(first).start,
            None => self.first_fresh(),
        };
        Some((start, self.frames_in_flight))
    }

    /// Returns the frames by their numbers.
    #[inline]
    pub fn frames_mut(&mut self) -> &mut Ring<QueuedFrame<P>> {
        &mut self.frames
    }

    /// Returns the sequence number that follows those of the PPDU on the air; `None`: there is no such PPDU, or it is a block ack request.
    fn end_of_flight(&self) -> Option<u64> {
        match self.fresh {
            0 => self.in_flight.last().map(|last| last + 1),
            fresh => Some(self.mpdus.end() + u64::from(fresh)),
        }
    }

    /// Whether PPDUs may be aggregates, which block acks answer; otherwise each frame is sent alone and has an ACK of its own.
    pub fn uses_block_ack(&self) -> bool {
        self.aggregation.ampdu > 0
    }

    /// Returns the number of MPDUs that a block ack covers; without block acks one, the next that is sent.
    pub fn window(&self) -> u32 {
        if self.uses_block_ack() { self.aggregation.window } else { 1 }
    }

    /// Chooses the MPDUs of the next PPDU: first retransmissions, in the order of their sequence numbers, then new MPDUs. Returns the bytes of its
    /// PSDU: at most `most_psdu`, in at most `most_mpdus` MPDUs, unless one frame alone is longer.
    pub fn aggregate(&mut self, most_psdu: u32, most_mpdus: u32) -> u32 {
        let window = self.window();
        let most_bytes = most_psdu.min(self.aggregation.ampdu);
        if self.fresh > 0 {
            if let Some(total) = self.form_again(window.min(most_mpdus), most_bytes) {
                return self.bare_if_alone(total);
            }
            self.note_fresh();
        }
        self.in_flight.clear();
        self.frames_in_flight = 0;
        let window_end = self.mpdus.first() + u64::from(window);
        let (mut total, mut number) = (0, self.mpdus.first());
        while number < self.mpdus.end().min(window_end) && self.in_flight.len() < most_mpdus as usize {
            let mpdu = self.mpdus.at_mut(number);
            if !mpdu.done {
                let start = begin_of_subframe(total);
                if !self.in_flight.is_empty() && start + mpdu.bytes > most_bytes {
                    break;
                }
                mpdu.attempts += 1;
                total = start + mpdu.bytes;
                self.frames_in_flight += mpdu.msdus;
                self.in_flight.push(number);
            }
            number += 1;
        }
        if number == self.mpdus.end() {
            let most_new = (window_end - number).min(u64::from(most_mpdus) - self.in_flight.len() as u64);
            total = if self.aggregation.amsdu == 0 {
                let total = self.form_mpdus(most_new, total, most_bytes);
                self.note_batch(self.fresh);
                total
            } else {
                self.form_amsdus(most_new, total, (most_psdu, most_bytes))
            };
        }
        self.bare_if_alone(total)
    }

    /// Returns the bytes of a PSDU of `total` bytes less the delimiter of a lone MPDU, if its standard leaves that out.
    fn bare_if_alone(&self, total: u32) -> u32 {
        let bare = self.mpdus_in_flight() == 1 && !self.times.always_delimited;
        if bare { total - DELIMITER } else { total }
    }

    /// Retransmits the fresh MPDUs, with new ones behind them, at most `most` in all. Returns the bytes of the PSDU; `None` if not all of the
    /// fresh MPDUs fit.
    fn form_again(&mut self, most: u32, most_bytes: u32) -> Option<u32> {
        let (fresh, waiting) = (self.fresh, self.waiting);
        self.waiting = self.first_fresh();
        self.frames_in_flight = 0;
        let total = self.form_mpdus(u64::from(most), 0, most_bytes);
        if self.fresh < fresh {
            (self.fresh, self.waiting) = (fresh, waiting);
            return None;
        }
        self.batches.iter_mut().for_each(|batch| batch.attempts += 1);
        self.note_batch(self.fresh - fresh);
        Some(total)
    }

    /// Notes that the last `mpdus` of the fresh MPDUs are sent for the first time.
    fn note_batch(&mut self, mpdus: u32) {
        if mpdus > 0 {
            self.batches.push(Batch { mpdus, attempts: 1 });
        }
    }

    /// Gives waiting frames sequence numbers, and adds them to a PSDU of `total` bytes as at most `most` fresh MPDUs. Returns the bytes of the
    /// PSDU then: at most `most_bytes`, but the first frame of a PPDU always fits.
    #[inline]
    fn form_mpdus(&mut self, most: u64, total: u32, most_bytes: u32) -> u32 {
        let most = most.min(self.frames.end() - self.waiting);
        let fits = Fits { most_bytes, first_fits: self.in_flight.is_empty() };
        let (mpdus, total) = if most > 0 && self.waiting >= self.alike_from {
            let bytes = self.around() + self.frames.at(self.waiting).frame.bytes;
            fits.add_alike(total, bytes, most as u32)
        } else {
            let frames = self.numbered(self.waiting, most as usize);
            fits.add(total, frames.map(|held| self.around() + held.frame.bytes))
        };
        self.waiting += u64::from(mpdus);
        self.fresh = mpdus;
        self.frames_in_flight += mpdus;
        total
    }

    /// Returns the bytes that surround a packet in an MPDU of its own.
    #[inline]
    fn around(&self) -> u32 {
        self.times.header + LLC + FCS
    }

    /// Like [`Outbox::form_mpdus`], but an MPDU has as many frames as an A-MSDU holds. The first MPDU of a PPDU has at most `most_psdu` bytes,
    /// because alone it need not fit an A-MPDU, and more only if it has a single frame.
    fn form_amsdus(&mut self, most: u64, mut total: u32, (most_psdu, most_bytes): (u32, u32)) -> u32 {
        let Outbox { frames, waiting, mpdus, in_flight, aggregation, .. } = self;
        let around = self.times.header + FCS;
        let last = mpdus.end() + most;
        let mut behind = frames.from(*waiting);
        let mut next = behind.next();
        while mpdus.end() < last {
            let is_first = in_flight.is_empty();
            let start = begin_of_subframe(total);
            let room = (if is_first { most_psdu } else { most_bytes }).saturating_sub(start);
            let fits = |next: &&QueuedFrame<P>| is_first || around + LLC + next.frame.bytes <= room;
            let Some(first) = next.filter(fits) else { break };
            next = behind.next();
            let mut body = LLC + first.frame.bytes;
            let mut amsdu = AMSDU_HEADER + body;
            let mut msdus = 1;
            let longest = aggregation.amsdu.min(room.saturating_sub(around));
            while amsdu < longest
                && let Some(more) = next
            {
                let longer = amsdu.next_multiple_of(ALIGNMENT) + AMSDU_HEADER + LLC + more.frame.bytes;
                if longer > longest {
                    break;
                }
                next = behind.next();
                (amsdu, body) = (longer, longer);
                msdus += 1;
            }
            let bytes = around + body;
            total = start + bytes;
            in_flight.push(mpdus.end());
            mpdus.push(Mpdu { start: *waiting, msdus, bytes, attempts: 1, ..Mpdu::default() });
            *waiting += u64::from(msdus);
            self.frames_in_flight += msdus;
        }
        total
    }

    /// Returns the number of the first frame without a sequence number.
    pub fn first_waiting(&self) -> u64 {
        self.waiting
    }

    /// Returns the frames that have got a sequence number since [`Outbox::first_waiting`] was `first`.
    #[inline]
    pub fn numbered_since(&self, first: u64) -> impl Iterator<Item = &QueuedFrame<P>> + Clone {
        self.numbered(first, (self.waiting - first) as usize)
    }

    /// Returns this number of frames, beginning with number `first`.
    #[inline]
    fn numbered(&self, first: u64, frames: usize) -> impl Iterator<Item = &QueuedFrame<P>> + Clone {
        self.frames.pieces(first, frames).into_iter().flatten()
    }

    /// Whether the PPDU on the air is an aggregate, which a block ack answers.
    pub fn is_aggregate(&self) -> bool {
        self.mpdus_in_flight() > 1
    }

    /// Returns the bytes of the next MPDU in an A-MPDU of its own, delimiter included.
    pub fn next_bytes(&self) -> u32 {
        let again = self.mpdus.from(self.mpdus.first()).find(|mpdu| !mpdu.done).map(|mpdu| mpdu.bytes);
        let first = || {
            let next = self.frames.from(self.first_fresh()).next();
            next.map(|next| self.around() + next.frame.bytes)
        };
        DELIMITER + again.or_else(first).unwrap_or(0)
    }

    /// Returns the bitmap of a block ack, from [`Outbox::window_start`] on: the MPDUs that arrived before, and those of the PPDU on the air that
    /// have arrived by `arrived`.
    pub fn bitmap(&mut self, arrived: &Arrived) -> Vec<bool> {
        self.note_fresh();
        let mut bitmap: Vec<bool> = self.mpdus.from(self.window_start()).map(|mpdu| mpdu.arrived).collect();
        for (place, number) in self.in_flight.iter().enumerate() {
            bitmap[(number - self.window_start()) as usize] |= arrived.get(place) == Some(true);
        }
        bitmap
    }

    /// Returns the number of bits of a block ack's bitmap.
    pub fn bitmap_bits(&self) -> usize {
        self.aggregation.bitmap_bits() as usize
    }

    /// Returns the MPDUs of the PPDU that begins, for the log.
    pub fn logged(&mut self) -> Vec<LoggedMpdu<P>> {
        self.note_fresh();
        let Outbox { frames, mpdus, in_flight, .. } = self;
        let logged = |&number: &u64| {
            let mpdu = mpdus.at_mut(number);
            LoggedMpdu {
                number,
                retry: std::mem::replace(&mut mpdu.was_sent, true),
                lost: false,
                bytes: mpdu.bytes,
                msdus: msdus(frames, mpdu).map(|held| held.frame).collect(),
            }
        };
        in_flight.iter().map(logged).collect()
    }

    /// Ends the exchange of the PPDU on the air. `arrived` says for each of its MPDUs whether it is acknowledged; `None`: there was no answer.
    /// MPDUs that are not acknowledged and have been sent `limit` times are given up. Calls `left` for each MPDU that leaves, with whether it is
    /// acknowledged.
    pub fn answered(
        &mut self,
        arrived: Option<&Arrived>,
        limit: u32,
        mut left: impl FnMut(&Outbox<P>, &Mpdu, bool),
    ) {
        if arrived.is_none() && self.goes_again(limit) {
            self.frames_in_flight = 0;
            return;
        }
        self.note_fresh();
        for index in 0..self.in_flight.len() {
            let number = self.in_flight[index];
            let mpdu = self.mpdus.at_mut(number);
            mpdu.arrived |= self.all_arrived;
            let acknowledged = arrived.is_some_and(|arrived| arrived.get(index) == Some(true));
            let given_up = !acknowledged && mpdu.attempts >= limit;
            if acknowledged || given_up {
                mpdu.done = true;
                self.held -= mpdu.msdus;
                left(self, self.mpdus.at(number), acknowledged);
            }
            if given_up && self.uses_block_ack() {
                self.request = Request::Due;
            }
        }
        if arrived.is_some() {
            self.renew_request();
        }
        self.advance(self.window_start());
    }

    /// Whether all MPDUs are fresh, none of those on the air has reached its receiver, and each may be retransmitted. The first batch has been
    /// sent most often.
    fn goes_again(&self, limit: u32) -> bool {
        let is_fresh = self.mpdus.is_empty() && !self.all_arrived;
        is_fresh && self.batches.first().is_some_and(|first| first.attempts < limit)
    }

    /// Ends the exchange of a PPDU each MPDU of which is acknowledged. Returns the number of their frames, which leave.
    pub fn acknowledged(&mut self) -> u32 {
        let frames = self.frames_in_flight;
        self.held -= frames;
        // All MPDUs before the last one are done: those that were not done before were part of this PPDU.
        let first = self.end_of_flight().unwrap_or(self.window_start());
        self.mpdus.skip(u64::from(std::mem::take(&mut self.fresh)));
        self.batches.clear();
        self.renew_request();
        self.advance(first);
        frames
    }

    /// Requests a block ack again if that failed before: the receiver has answered.
    fn renew_request(&mut self) {
        if self.request == Request::Failed {
            self.request = Request::Due;
        }
    }

    /// Notes that nothing is on the air. Removes the MPDUs before `first`, all of which are done, and those right behind them that are done.
    fn advance(&mut self, first: u64) {
        self.in_flight.clear();
        (self.frames_in_flight, self.all_arrived) = (0, false);
        let gone = self.mpdus.from(first).take_while(|mpdu| mpdu.done).count();
        self.mpdus.pop_before(first + gone as u64);
        let front = self.mpdus.front().map_or(self.waiting, |mpdu| mpdu.start);
        let gone = (front - self.frames.first()) as usize;
        self.taken.drain(..gone.min(self.taken.len()));
        self.frames.pop_before(front);
    }
}

/// How many MPDUs find room in an A-MPDU.
#[derive(Clone, Copy, Debug)]
struct Fits {
    /// Most bytes of the A-MPDU.
    most_bytes: u32,
    /// Whether the first MPDU always fits.
    first_fits: bool,
}

impl Fits {
    /// Adds MPDUs of these lengths to an A-MPDU of `total` bytes. Returns the number of those that fit, and the bytes then.
    #[inline]
    fn add(self, mut total: u32, lengths: impl Iterator<Item = u32>) -> (u32, u32) {
        let mut mpdus = 0;
        for bytes in lengths {
            let longer = begin_of_subframe(total) + bytes;
            if longer > self.most_bytes && !(self.first_fits && mpdus == 0) {
                break;
            }
            (mpdus, total) = (mpdus + 1, longer);
        }
        (mpdus, total)
    }

    /// Like [`Fits::add`], for `most` MPDUs of one length.
    #[inline]
    fn add_alike(self, total: u32, bytes: u32, most: u32) -> (u32, u32) {
        let (first, with_first) = self.add(total, std::iter::repeat_n(bytes, most.min(1) as usize));
        // Each of the others takes as much as itself, its padding or that of the one before, and a delimiter.
        let each = begin_of_subframe(bytes);
        let others = (self.most_bytes.saturating_sub(with_first) / each).min(most - first) * first;
        (first + others, with_first + others * each)
    }
}

/// Returns the offset of the next MPDU in an A-MPDU of `total` bytes, behind its padding and delimiter.
pub(crate) fn begin_of_subframe(total: u32) -> u32 {
    total.next_multiple_of(ALIGNMENT) + DELIMITER
}

/// Returns the frames of an MPDU.
#[inline]
fn msdus<'a, P: Payload>(
    frames: &'a Ring<QueuedFrame<P>>,
    mpdu: &Mpdu,
) -> impl Iterator<Item = &'a QueuedFrame<P>> + use<'a, P> {
    let first = mpdu.start;
    (first..first + u64::from(mpdu.msdus)).map(|number| frames.at(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RateControl;
    use crate::mac::Frame;
    use crate::mac::qos::{Link, Links};
    use crate::phy::mode::{Band, Mode, Standard, Timing, Width};
    use crate::phy::{Phy, Preamble};
    use airfair_core::{Rate, Time};
    use proptest::prelude::*;

    const MOST_BYTES: u32 = 8000;
    const MOST_MPDUS: u32 = 20;

    /// Returns an empty outbox for A-MPDUs of at most [`MOST_BYTES`] bytes.
    fn outbox() -> Outbox<u32> {
        let mode = Mode {
            standard: Standard::N,
            band: Band::Ghz5,
            width: Width::Mhz20,
            nss: 1,
            mcs: 7,
            guard_interval: Span(800),
            timing: Timing::Standard,
            dsss_preamble: Preamble::Long,
        };
        let aggregation = Aggregation { ampdu: MOST_BYTES, amsdu: 0, duration: None, window: 64 };
        let link = Link { mode, aggregation, rate_control: RateControl::Fixed, signal: None };
        let times = Links::new(&[link], &Phy::ieee80211a(Rate::from_hundred_kbps(240))).to(0);
        Outbox::new(0, times, aggregation, Estimate::of_bits(&mode))
    }

    fn frame(bytes: u32) -> QueuedFrame<u32> {
        QueuedFrame { frame: Frame { to: 0, bytes, payload: 0 }, since: Time::ZERO }
    }

    proptest! {
        /// Whatever the lengths of frames, an A-MPDU has as many as fit, and its bytes are those of its MPDUs. Each step adds a row of frames of one
        /// length, and sends a PPDU: all of it is acknowledged, or nothing.
        #[test]
        fn an_aggregate_has_what_fits(steps in prop::collection::vec((prop::sample::select(vec![40, 41, 1500]), 0usize..12, any::<bool>()), 1..20)) {
            let mut outbox = outbox();
            for (bytes, frames, arrives) in steps {
                outbox.push_in_a_row(&vec![frame(bytes); frames]);
                let lengths: Vec<u32> = outbox.frames().map(|held| held.frame.bytes).collect();
                if lengths.is_empty() {
                    continue;
                }
                let total = outbox.aggregate(MOST_BYTES, MOST_MPDUS);
                let sent = outbox.mpdus_in_flight() as usize;
                let psdu = |mpdus: usize| {
                    let around = outbox.around();
                    lengths[..mpdus].iter().fold(0, |total, bytes| begin_of_subframe(total) + around + bytes)
                };
                prop_assert_eq!(total, if sent == 1 { psdu(1) - DELIMITER } else { psdu(sent) });
                prop_assert!(sent == lengths.len().min(MOST_MPDUS as usize) || psdu(sent + 1) > MOST_BYTES);
                let all: u64 = lengths[..sent].iter().map(|&bytes| u64::from(bytes)).sum();
                prop_assert_eq!(outbox.bytes_of(outbox.first_fresh(), outbox.fresh), all);
                if arrives {
                    outbox.acknowledged();
                } else {
                    outbox.answered(None, u32::MAX, |_, _, _| unreachable!("nothing is given up"));
                }
            }
        }

        #[test]
        fn mpdus_of_one_length_fit_as_they_do_one_by_one(
            total in 0u32..4000,
            bytes in 30u32..3000,
            most in 0u32..70,
            most_bytes in 1u32..70_000,
            first_fits: bool,
        ) {
            let fits = Fits { most_bytes, first_fits };
            let one_by_one = fits.add(total, std::iter::repeat_n(bytes, most as usize));
            prop_assert_eq!(fits.add_alike(total, bytes, most), one_by_one);
        }
    }
}
