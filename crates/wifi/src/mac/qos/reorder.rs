//! The reorder buffer of a receiver for one sender and access category (IEEE 802.11-2020, 10.25.6).

use std::collections::VecDeque;

use airfair_core::Time;

use crate::mac::Payload;
use crate::mac::interface::QueuedFrame;

/// The MSDUs of an MPDU that waits: an A-MSDU has several.
#[derive(Clone, Debug)]
struct Msdus<P: Copy> {
    first: QueuedFrame<P>,
    /// The further MSDUs. Empty for a plain MSDU, and then without an allocation.
    more: Vec<QueuedFrame<P>>,
}

impl<P: Payload> Msdus<P> {
    fn release(&self, release: &mut impl FnMut(&QueuedFrame<P>)) {
        release(&self.first);
        self.more.iter().for_each(release);
    }
}

/// MPDUs that wait for one with a lower sequence number.
#[derive(Debug)]
pub(crate) struct Reorder<P: Payload> {
    /// Sequence number that is released next.
    next: u64,
    /// The MPDUs with the sequence numbers from `next` on; `None` for one that has not arrived. `next` itself has not.
    held: VecDeque<Option<Msdus<P>>>,
    /// Time since which MPDUs have waited for `next`; [`Time::NEVER`] if none do.
    pub waits_since: Time,
}

impl<P: Payload> Default for Reorder<P> {
    fn default() -> Reorder<P> {
        Reorder { next: 0, held: VecDeque::new(), waits_since: Time::NEVER }
    }
}

impl<P: Payload> Reorder<P> {
    /// Accepts an MPDU with these MSDUs. Returns `false` if it has arrived before, or arrives too late. Calls `release` for each
    /// MSDU that need not wait any longer, in order. The block ack covers `window` MPDUs.
    #[inline]
    pub fn accept<'a>(
        &mut self,
        now: Time,
        number: u64,
        window: u32,
        msdus: impl Iterator<Item = &'a QueuedFrame<P>>,
        mut release: impl FnMut(&QueuedFrame<P>),
    ) -> bool
    where
        P: 'a,
    {
        if number < self.next {
            return false;
        }
        if number == self.next && self.held.is_empty() {
            msdus.for_each(release);
            self.next += 1;
            return true;
        }
        self.keep(now, number, window, msdus, &mut release)
    }

    /// Returns the sequence number that is expected next, if no MPDU waits.
    #[inline]
    pub fn expected(&self) -> Option<u64> {
        self.held.is_empty().then_some(self.next)
    }

    /// Notes that this number of MPDUs have arrived in order, the [expected](Reorder::expected) one first.
    #[inline]
    pub fn pass(&mut self, mpdus: u64) {
        self.next += mpdus;
    }

    /// [Accepts](Reorder::accept) an MPDU that may have to wait, or lets others go. Its number is at least `next`.
    fn keep<'a>(
        &mut self,
        now: Time,
        number: u64,
        window: u32,
        mut msdus: impl Iterator<Item = &'a QueuedFrame<P>>,
        release: &mut impl FnMut(&QueuedFrame<P>),
    ) -> bool
    where
        P: 'a,
    {
        // An MPDU beyond the window moves its end (10.25.6.6.2): its sender has given up those that leave the window.
        self.advance_to(now, (number + 1).saturating_sub(u64::from(window)), &mut *release);
        let place = (number - self.next) as usize;
        if self.held.len() <= place {
            self.held.resize_with(place + 1, || None);
        }
        let slot = &mut self.held[place];
        if slot.is_some() {
            return false;
        }
        *slot = msdus.next().map(|&first| Msdus { first, more: msdus.copied().collect() });
        self.waits_since = self.waits_since.min(now);
        self.release_from_front(now, release);
        true
    }

    /// Stops waiting for the MPDUs before `start`, which the sender will not retransmit. Releases those of them that have arrived.
    pub fn advance_to(&mut self, now: Time, start: u64, mut release: impl FnMut(&QueuedFrame<P>)) {
        while self.next < start {
            self.next += 1;
            self.waits_since = now;
            if let Some(Some(msdus)) = self.held.pop_front() {
                msdus.release(&mut release);
            }
        }
        self.release_from_front(now, &mut release);
    }

    /// Gives up the missing MPDUs before the first one held.
    pub fn give_up(&mut self, now: Time, release: impl FnMut(&QueuedFrame<P>)) {
        let missing = self.held.iter().take_while(|slot| slot.is_none()).count() as u64;
        self.advance_to(now, self.next + missing, release);
    }

    fn release_from_front(&mut self, now: Time, release: &mut impl FnMut(&QueuedFrame<P>)) {
        while let Some(Some(_)) = self.held.front() {
            if let Some(Some(msdus)) = self.held.pop_front() {
                msdus.release(release);
            }
            self.next += 1;
            self.waits_since = now;
        }
        if self.held.is_empty() {
            self.waits_since = Time::NEVER;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::Frame;
    use airfair_core::Phase;
    use proptest::prelude::*;

    /// A payload with a number.
    #[derive(Clone, Copy, Debug, Default)]
    struct Numbered(u64);

    impl Payload for Numbered {
        fn phase(&self) -> Phase {
            Phase::FIRST
        }
        fn flow(&self) -> u64 {
            0
        }
        fn mark(&mut self) -> bool {
            false
        }
    }

    fn frame(number: u64) -> QueuedFrame<Numbered> {
        QueuedFrame { frame: Frame { to: 0, bytes: 100, payload: Numbered(number) }, since: Time::ZERO }
    }

    proptest! {
        /// MPDUs that arrive in any order, some again and some never, are released once each and in order; giving up the
        /// missing ones releases all that is held.
        #[test]
        fn each_is_released_once_and_in_order(arrivals in prop::collection::vec(0u64..40, 1..200)) {
            let mut reorder = Reorder::default();
            let mut released = Vec::new();
            let mut arrived = std::collections::BTreeSet::new();
            for (at, &number) in (1..).zip(&arrivals) {
                let first = reorder.accept(Time(at), number, 40, [&frame(number)].into_iter(), |it| released.push(it.frame.payload.0));
                prop_assert_eq!(first, arrived.insert(number));
                prop_assert_eq!(reorder.waits_since == Time::NEVER, released.len() == arrived.len());
            }
            while reorder.waits_since < Time::NEVER {
                reorder.give_up(Time(1000), |it| released.push(it.frame.payload.0));
            }
            prop_assert_eq!(released, arrived.into_iter().collect::<Vec<_>>());
        }
    }

    /// The block ack covers four MPDUs, 0 to 3 at first.
    #[test]
    fn an_mpdu_beyond_the_window_releases_what_leaves_it() {
        let mut reorder = Reorder::default();
        let mut released = Vec::new();
        for (number, expected) in
            [(1, vec![]), (2, vec![]), (4, vec![1, 2]), (9, vec![4]), (7, vec![]), (8, vec![])]
        {
            reorder.accept(Time(number), number, 4, [&frame(number)].into_iter(), |it| {
                released.push(it.frame.payload.0)
            });
            assert_eq!(std::mem::take(&mut released), expected, "after {number}");
        }
        assert_eq!(reorder.next, 6);
        reorder.accept(Time(10), 6, 4, [&frame(6)].into_iter(), |it| released.push(it.frame.payload.0));
        assert_eq!((released.as_slice(), reorder.waits_since), ([6, 7, 8, 9].as_slice(), Time::NEVER));
    }

    #[test]
    fn a_request_releases_everything_before_its_start() {
        let mut reorder = Reorder::default();
        let mut released = Vec::new();
        for number in [1, 3, 6] {
            assert!(
                reorder.accept(Time(number), number, 64, [&frame(number)].into_iter(), |_| panic!(
                    "0 is missing"
                ))
            );
        }
        reorder.advance_to(Time(9), 4, |it| released.push(it.frame.payload.0));
        assert_eq!((released.as_slice(), reorder.waits_since), ([1, 3].as_slice(), Time(9)));
        assert!(!reorder.accept(Time(10), 2, 64, [&frame(2)].into_iter(), |_| panic!("it is too late")));
    }
}
