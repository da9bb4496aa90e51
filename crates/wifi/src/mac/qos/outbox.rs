//! Frames of one access category for one receiver: the driver's queue, the block-ack window and the aggregates.

use std::collections::VecDeque;

use airfair_core::Span;

use super::{Estimate, LinkTimes};
use crate::config::Aggregation;
use crate::mac::Payload;
use crate::mac::interface::QueuedFrame;
use crate::medium::LoggedMpdu;

/// Frame check sequence.
const FCS: u32 = 4;
/// LLC and SNAP headers before the IP packet.
const LLC: u32 = 8;
/// Delimiter of an A-MPDU subframe (9.7.1).
const DELIMITER: u32 = 4;
/// Header of an A-MSDU subframe (9.3.2.2.2).
const AMSDU_HEADER: u32 = 14;
/// Subframes of A-MPDUs and A-MSDUs begin at multiples of this.
const ALIGNMENT: u32 = 4;

/// An MPDU in the block-ack window.
#[derive(Clone, Debug)]
pub(crate) struct Mpdu {
    /// The number of its first frame among all of its outbox, and how many there are: an A-MSDU has several.
    start: u64,
    pub msdus: u32,
    /// Header and check sequence included.
    pub bytes: u32,
    attempts: u32,
    /// It was on the air before, as the log knows: an attempt may end with an RTS.
    was_sent: bool,
    /// It has reached its receiver, which its sender may not know yet.
    pub arrived: bool,
    /// Acknowledged, or given up.
    done: bool,
}

/// Frames of one access category for one receiver.
#[derive(Debug)]
pub(crate) struct Outbox<P: Payload> {
    pub receiver: u32,
    pub times: LinkTimes,
    aggregation: Aggregation,
    /// The frames of its MPDUs, and behind them those without a sequence number. Each stays in its place until its MPDU leaves.
    frames: VecDeque<QueuedFrame<P>>,
    /// The number of the first of them, and of the first without a sequence number.
    front: u64,
    waiting: u64,
    /// The MPDU with the sequence number `first` and those after it. Numbers do not wrap here.
    mpdus: VecDeque<Mpdu>,
    first: u64,
    /// The MPDUs of the PPDU on the air, as places in `mpdus`.
    pub in_flight: Vec<u32>,
    /// MPDUs were given up: the receiver is to be told that it need not wait for them (10.25.6.6).
    pub must_request: bool,
    /// Frames that are neither acknowledged nor given up.
    held: u32,
    /// By which airtimes are estimated.
    pub estimate: Estimate,
    /// When the driver took each of `frames`, in the order of all its outboxes; empty if that does not matter.
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
            frames: VecDeque::new(),
            front: 0,
            waiting: 0,
            mpdus: VecDeque::new(),
            first: 0,
            in_flight: Vec::new(),
            must_request: false,
            held: 0,
        }
    }

    /// Estimates airtimes in this way from now on; returns that of all frames if it is another one.
    pub fn estimate_by(&mut self, estimate: Estimate) -> Option<Span> {
        if std::mem::replace(&mut self.estimate, estimate) == estimate {
            return None;
        }
        let sent = self.mpdus.iter().filter(|mpdu| !mpdu.done).flat_map(|mpdu| self.msdus(mpdu));
        let all = self.frames.iter().skip((self.waiting - self.front) as usize).chain(sent);
        Some(all.fold(Span::ZERO, |sum, held| sum + estimate.airtime(held.frame.bytes)))
    }

    /// The frame that was pushed last is the driver's so many-th.
    pub fn note_order(&mut self, number: u64) {
        self.taken.push_back(number);
    }

    /// The number of its oldest frame; `None` if it has none, or nobody counts them.
    pub fn oldest(&self) -> Option<u64> {
        self.taken.front().copied()
    }

    pub fn push(&mut self, frame: QueuedFrame<P>) {
        self.frames.push_back(frame);
        self.held += 1;
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.held == 0 && !self.must_request
    }

    /// The first sequence number that the receiver may still expect.
    pub fn window_start(&self) -> u64 {
        self.first
    }

    /// The sequence number of an MPDU in flight.
    pub fn number(&self, place: u32) -> u64 {
        self.first + u64::from(place)
    }

    /// An MPDU in flight.
    #[inline]
    pub fn mpdu(&self, place: u32) -> &Mpdu {
        &self.mpdus[place as usize]
    }

    /// It has reached its receiver.
    #[inline]
    pub fn note_arrival(&mut self, place: u32) {
        self.mpdus[place as usize].arrived = true;
    }

    /// The frames of an MPDU.
    #[inline]
    pub fn msdus(&self, mpdu: &Mpdu) -> impl Iterator<Item = &QueuedFrame<P>> + use<'_, P> {
        msdus(&self.frames, self.front, mpdu)
    }

    /// Whether its PPDUs are aggregates, which block acks answer; else each frame has an ACK of its own.
    pub fn uses_block_ack(&self) -> bool {
        self.aggregation.ampdu > 0
    }

    /// Chooses the MPDUs of the next PPDU: those sent before first, in the order of their numbers. Returns the bytes of
    /// its PSDU: at most `most_mpdus` and `most_psdu`, unless one frame alone is longer. `told` gets the frames that are sent for the first time.
    pub fn aggregate(
        &mut self,
        most_psdu: u32,
        most_mpdus: u32,
        mut told: impl FnMut(&QueuedFrame<P>),
    ) -> u32 {
        self.in_flight.clear();
        let window = if self.uses_block_ack() { self.aggregation.window } else { 1 };
        let is_full = |in_flight: &Vec<u32>| in_flight.len() as u32 >= most_mpdus;
        let most_bytes = most_psdu.min(self.aggregation.ampdu);
        let (mut total, mut place) = (0, 0);
        while place < window && !is_full(&self.in_flight) {
            // Where the next subframe begins.
            let start = u32::next_multiple_of(total, ALIGNMENT) + DELIMITER;
            if place as usize == self.mpdus.len() {
                // The first MPDU need not fit an A-MPDU, but an A-MSDU does not make its PPDU longer than it may be.
                let room = if self.in_flight.is_empty() { most_psdu } else { most_bytes };
                if !self.form_mpdu(room.saturating_sub(start), &mut told) {
                    break;
                }
            }
            let mpdu = &mut self.mpdus[place as usize];
            if !mpdu.done {
                if !self.in_flight.is_empty() && start + mpdu.bytes > most_bytes {
                    break;
                }
                mpdu.attempts += 1;
                total = start + mpdu.bytes;
                self.in_flight.push(place);
            }
            place += 1;
        }
        let bare = self.in_flight.len() == 1 && !self.times.always_delimited;
        if bare { total - DELIMITER } else { total }
    }

    /// Whether the PPDU on the air is an aggregate, which a block ack answers.
    pub fn is_aggregate(&self) -> bool {
        self.in_flight.len() > 1
    }

    /// Gives the next waiting frames a sequence number, as many as an A-MSDU holds; `false` if there are none, or if not
    /// even one fits into an MPDU of `room` bytes. The first frame of a PPDU always fits.
    fn form_mpdu(&mut self, room: u32, told: &mut impl FnMut(&QueuedFrame<P>)) -> bool {
        let around = self.times.header + FCS;
        let fits_always = self.in_flight.is_empty();
        let place = (self.waiting - self.front) as usize;
        let mut behind = self.frames.range(place..);
        let Some(first) = behind.next().filter(|next| fits_always || around + LLC + next.frame.bytes <= room)
        else {
            return false;
        };
        told(first);
        let mut body = LLC + first.frame.bytes;
        let mut amsdu = AMSDU_HEADER + body;
        let mut msdus = 1;
        let most = self.aggregation.amsdu.min(room.saturating_sub(around));
        for next in behind {
            let longer = amsdu.next_multiple_of(ALIGNMENT) + AMSDU_HEADER + LLC + next.frame.bytes;
            if longer > most {
                break;
            }
            told(next);
            (amsdu, body) = (longer, longer);
            msdus += 1;
        }
        self.mpdus.push_back(Mpdu {
            start: self.waiting,
            msdus,
            bytes: around + body,
            attempts: 0,
            was_sent: false,
            arrived: false,
            done: false,
        });
        self.waiting += u64::from(msdus);
        true
    }

    /// Bytes of the next MPDU in an A-MPDU of its own.
    pub fn next_bytes(&self) -> u32 {
        let again = self.mpdus.iter().find(|mpdu| !mpdu.done).map(|mpdu| mpdu.bytes);
        let next = || self.frames.get((self.waiting - self.front) as usize);
        let first = || next().map(|next| self.times.header + LLC + next.frame.bytes + FCS);
        DELIMITER + again.or_else(first).unwrap_or(0)
    }

    /// Its bitmap in a block ack, from [`Outbox::window_start`] on: what has arrived before, and of the PPDU on the air `arrived`.
    pub fn bitmap(&self, arrived: &[bool]) -> Vec<bool> {
        let mut bitmap: Vec<bool> = self.mpdus.iter().map(|mpdu| mpdu.arrived).collect();
        for (&place, arrived) in self.in_flight.iter().zip(arrived) {
            bitmap[place as usize] |= arrived;
        }
        bitmap
    }

    /// The length of that bitmap (IEEE 802.11-2020, 9.3.1.8.2).
    pub fn bitmap_bits(&self) -> usize {
        if self.aggregation.window > 64 { 256 } else { 64 }
    }

    /// The MPDUs of the PPDU that begins, for the log.
    pub fn logged(&mut self) -> Vec<LoggedMpdu<P>> {
        let Outbox { frames, front, mpdus, first, in_flight, .. } = self;
        let logged = |&place: &u32| {
            let mpdu = &mut mpdus[place as usize];
            LoggedMpdu {
                number: *first + u64::from(place),
                retry: std::mem::replace(&mut mpdu.was_sent, true),
                lost: false,
                bytes: mpdu.bytes,
                msdus: msdus(frames, *front, mpdu).map(|held| held.frame).collect(),
            }
        };
        in_flight.iter().map(logged).collect()
    }

    /// The PPDU on the air was answered: `arrived` tells for each of its MPDUs whether it is acknowledged; `None`: nothing came. MPDUs
    /// that are not, and have been sent `limit` times, are given up. `left` gets every MPDU that leaves, and whether it is
    /// acknowledged.
    pub fn answered(
        &mut self,
        arrived: Option<&[bool]>,
        limit: u32,
        mut left: impl FnMut(&Outbox<P>, &Mpdu, bool),
    ) {
        for index in 0..self.in_flight.len() {
            let place = self.in_flight[index] as usize;
            let mpdu = &mut self.mpdus[place];
            let acknowledged = arrived.is_some_and(|arrived| arrived[index]);
            let given_up = !acknowledged && mpdu.attempts >= limit;
            if acknowledged || given_up {
                mpdu.done = true;
                self.held -= mpdu.msdus;
                left(self, &self.mpdus[place], acknowledged);
            }
            self.must_request |= given_up && self.aggregation.ampdu > 0;
        }
        self.in_flight.clear();
        let gone = self.mpdus.iter().take_while(|mpdu| mpdu.done).count();
        self.mpdus.drain(..gone);
        self.first += gone as u64;
        let front = self.mpdus.front().map_or(self.waiting, |mpdu| mpdu.start);
        let gone = (front - self.front) as usize;
        self.frames.drain(..gone);
        self.taken.drain(..gone.min(self.taken.len()));
        self.front = front;
    }
}

/// The frames of an MPDU, of `frames` that begin with the number `front`.
#[inline]
fn msdus<'a, P: Payload>(
    frames: &'a VecDeque<QueuedFrame<P>>,
    front: u64,
    mpdu: &Mpdu,
) -> impl Iterator<Item = &'a QueuedFrame<P>> + use<'a, P> {
    let first = (mpdu.start - front) as usize;
    (first..first + mpdu.msdus as usize).map(|place| &frames[place])
}
