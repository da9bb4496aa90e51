//! The next transmission: backoff countdowns without slot ticks.
//!
//! Time is counted in idle slots that have elapsed since the start of the run. A station whose slots begin with
//! everybody's (DIFS after the air fell idle) transmits when that count reaches its slot on the wheel. Freezing and
//! resuming its countdown costs nothing: the count stands still while the air is busy. A station whose slots begin at
//! another time (EIFS, a timeout, a frame that arrived on idle air) has a countdown of its own until the air is next
//! busy; then the whole slots it has counted are subtracted and it joins the others.

use airfair_core::{Span, Time};

use super::wheel::{First, Wheel};

/// The next transmission, if nothing arrives before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next {
    pub at: Time,
    /// The station that transmits, or one of several.
    pub station: u32,
    /// Whether other stations transmit at the same time.
    pub tied: bool,
    /// Number of idle slots that will have elapsed by `at`.
    slot: u64,
    /// Whether the last of the elapsed slots ends at `at`.
    at_slot: bool,
}

const NOBODY: Next = Next { at: Time::NEVER, station: 0, tied: false, slot: 0, at_slot: false };

/// A countdown whose slots begin at a time of their own.
#[derive(Clone, Copy, Debug)]
struct OwnCountdown {
    station: u32,
    start: Time,
    slots: u64,
    /// Whether the station has a frame to send; otherwise this is a backoff after its last frame.
    contending: bool,
}

/// State of a station without a frame.
#[derive(Clone, Copy, Debug, Default)]
struct IdleStation {
    /// Elapsed-slot count at which the station's post-backoff ends.
    parked: u64,
    /// Number of the idle period before which the post-backoff was drawn.
    parked_in: u64,
    /// Start of the station's slots, if it differs from the others' in the idle period `origin_in`.
    origin: Time,
    origin_in: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Contention {
    slot: Span,
    /// When slots begin to count in this idle period; unknown while the air is busy.
    origin: Time,
    busy: bool,
    /// Idle slots that had elapsed at `origin`.
    elapsed: u64,
    /// Number of the idle period; it changes when the air is taken.
    period: u64,
    /// Stations that contend with the others, by the elapsed-slot count at which they transmit.
    wheel: Wheel,
    rest: Vec<IdleStation>,
    own_countdowns: Vec<OwnCountdown>,
    next: Next,
}

impl Contention {
    /// Returns the contention of idle stations, whose backoffs have at most `longest` slots.
    pub fn new(stations: usize, slot: Span, longest: u64) -> Contention {
        Contention {
            slot,
            origin: Time::ZERO,
            busy: false,
            // Above zero, so that no post-backoff is under way.
            elapsed: 1,
            period: 1,
            wheel: Wheel::new(stations, longest),
            rest: vec![IdleStation::default(); stations],
            own_countdowns: Vec::with_capacity(stations),
            next: NOBODY,
        }
    }

    #[inline]
    pub fn next(&self) -> Next {
        self.next
    }

    #[inline]
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// Returns when the slots of `station` begin to count in this idle period.
    pub fn origin_of(&self, station: u32) -> Time {
        let rest = &self.rest[station as usize];
        if rest.origin_in == self.period { rest.origin } else { self.origin }
    }

    /// Stops all countdowns: the next transmission begins. Returns the station that transmits if it is alone;
    /// otherwise `senders` has all of them.
    pub fn freeze(&mut self, senders: &mut Vec<u32>) -> Option<u32> {
        debug_assert!(!self.busy);
        let alone = match self.freeze_for_one(senders) {
            Some((station, _)) => Some(station),
            None => self.freeze_for_all(senders),
        };
        self.next.at = Time::NEVER;
        alone
    }

    /// Like [`Contention::freeze`], but does nothing unless the air is idle and one station transmits next. Returns the station and when it
    /// transmits. [`Contention::find_next`] must follow before the next transmission is asked for.
    #[inline(always)]
    pub fn freeze_for_one(&mut self, senders: &mut Vec<u32>) -> Option<(u32, Time)> {
        let Next { at, station, tied, slot, at_slot } = self.next;
        if self.busy || tied {
            return None;
        }
        if self.own_countdowns.is_empty() {
            debug_assert!(at_slot);
            senders.clear();
            self.wheel.take_one(slot);
            self.begin(slot);
        } else {
            let alone = self.freeze_for_all(senders);
            debug_assert_eq!(alone, Some(station));
        }
        Some((station, at))
    }

    /// Begins a transmission when `slot` slots have elapsed.
    #[inline(always)]
    fn begin(&mut self, slot: u64) {
        self.elapsed = slot;
        self.busy = true;
        self.period += 1;
    }

    #[inline(never)]
    fn freeze_for_all(&mut self, senders: &mut Vec<u32>) -> Option<u32> {
        senders.clear();
        let Next { at, slot, at_slot, .. } = self.next;
        if at_slot {
            self.wheel.take(slot, senders);
        }
        self.freeze_own_countdowns(at, slot, senders);
        self.begin(slot);
        let &[sender] = senders.as_slice() else { return None };
        senders.clear();
        Some(sender)
    }

    fn freeze_own_countdowns(&mut self, at: Time, slot: u64, senders: &mut Vec<u32>) {
        for index in 0..self.own_countdowns.len() {
            let countdown = self.own_countdowns[index];
            let ends = countdown.start + self.slot * countdown.slots;
            if ends > at {
                let left = countdown.slots - at.since(countdown.start) / self.slot;
                let key = slot + left;
                if countdown.contending {
                    self.wheel.insert(countdown.station, key);
                } else {
                    let rest = &mut self.rest[countdown.station as usize];
                    (rest.parked, rest.parked_in) = (key, self.period);
                }
            } else if countdown.contending {
                senders.push(countdown.station);
            }
        }
        self.own_countdowns.clear();
    }

    /// Adds a backoff of `slots` slots for a station whose attempt is over, or whose frame arrived while the air is
    /// busy.
    #[inline]
    pub fn back_off(&mut self, station: u32, slots: u64, contending: bool) {
        debug_assert!(self.busy);
        let key = self.elapsed + slots;
        if contending {
            self.wheel.insert(station, key);
        } else {
            let rest = &mut self.rest[station as usize];
            (rest.parked, rest.parked_in) = (key, self.period);
        }
    }

    /// Lets slots count from `origin` on: the air falls idle. Stations moved by [`Contention::set_own_origin`] are
    /// exceptions.
    #[inline]
    pub fn resume(&mut self, origin: Time) {
        debug_assert!(self.busy);
        self.busy = false;
        self.origin = origin;
    }

    /// Lets the slots of `station` count from `start` on, in the idle period that has just begun.
    #[inline]
    pub fn set_own_origin(&mut self, station: u32, start: Time) {
        if start != self.origin {
            self.start_own_countdown(station, start);
        }
    }

    fn start_own_countdown(&mut self, station: u32, start: Time) {
        let elapsed = self.elapsed;
        let rest = &mut self.rest[station as usize];
        (rest.origin, rest.origin_in) = (start, self.period);
        if let Some(slot) = self.wheel.remove(station) {
            self.own_countdowns.push(OwnCountdown {
                station,
                start,
                slots: slot - elapsed,
                contending: true,
            });
        } else if rest.parked > elapsed || (rest.parked == elapsed && rest.parked_in == self.period) {
            self.own_countdowns.push(OwnCountdown {
                station,
                start,
                slots: rest.parked - elapsed,
                contending: false,
            });
            rest.parked = 0;
        }
    }

    /// Finds the next transmission from scratch.
    #[inline]
    pub fn find_next(&mut self) {
        self.next = match self.wheel.first(self.elapsed) {
            Some(First { slot, station, tied }) => {
                Next { at: self.time_of(slot), station, tied, slot, at_slot: true }
            }
            None => NOBODY,
        };
        for index in 0..self.own_countdowns.len() {
            let countdown = self.own_countdowns[index];
            if countdown.contending {
                self.consider(countdown.station, countdown.start + self.slot * countdown.slots);
            }
        }
    }

    /// Adds a station at which a frame arrives and that had none. Returns whether a backoff after its last frame is
    /// still under way, which the new frame then takes over.
    pub fn join_backoff(&mut self, station: u32, now: Time) -> bool {
        if let Some(countdown) = self.own_countdowns.iter_mut().find(|countdown| countdown.station == station)
        {
            let ends = countdown.start + self.slot * countdown.slots;
            countdown.contending = true;
            if ends > now {
                self.consider(station, ends);
                return true;
            }
            self.own_countdowns.retain(|countdown| countdown.station != station);
            return false;
        }
        let rest = self.rest[station as usize];
        let counting = if rest.parked == self.elapsed && rest.parked_in != self.period {
            false // It ended in the slot in which the air was taken.
        } else {
            rest.parked >= self.elapsed && (self.busy || self.time_of(rest.parked) > now)
        };
        if counting {
            self.wheel.insert(station, rest.parked);
            if !self.busy {
                self.consider(station, self.time_of(rest.parked));
            }
        }
        self.rest[station as usize].parked = 0;
        counting
    }

    /// Begins a countdown on idle air: `station` transmits after `slots` slots that count from `start` on.
    pub fn count_down(&mut self, station: u32, start: Time, slots: u64) {
        debug_assert!(!self.busy);
        if start == self.origin {
            self.wheel.insert(station, self.elapsed + slots);
        } else {
            self.own_countdowns.push(OwnCountdown { station, start, slots, contending: true });
        }
        self.consider(station, start + self.slot * slots);
    }

    fn time_of(&self, key: u64) -> Time {
        self.origin.plus(self.slot * (key - self.elapsed))
    }

    fn consider(&mut self, station: u32, at: Time) {
        if at < self.next.at {
            let counted = at.since(self.origin) / self.slot;
            let at_slot = self.origin + self.slot * counted == at;
            self.next = Next { at, station, tied: false, slot: self.elapsed + counted, at_slot };
        } else if at == self.next.at {
            self.next.tied = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Span = Span(20);

    /// Returns the contention of three stations, with these slots to wait, in the idle period that begins at 1000.
    fn waiting(slots: [u64; 3]) -> Contention {
        let mut contention = Contention::new(3, SLOT, 31);
        contention.count_down(0, Time::ZERO, 0);
        contention.freeze(&mut Vec::new());
        for (station, slots) in (0..).zip(slots) {
            contention.back_off(station, slots, true);
        }
        contention.resume(Time(1000));
        contention
    }

    fn next(contention: &Contention) -> (Time, u32, bool) {
        let Next { at, station, tied, .. } = contention.next();
        (at, station, tied)
    }

    fn freeze(contention: &mut Contention) -> Vec<u32> {
        let mut senders = Vec::new();
        let alone = contention.freeze(&mut senders);
        senders.extend(alone);
        senders
    }

    #[test]
    fn the_fewest_slots_win_and_the_rest_keep_what_is_left() {
        let mut contention = waiting([5, 3, 9]);
        contention.find_next();
        assert_eq!(next(&contention), (Time(1060), 1, false));
        assert_eq!(freeze(&mut contention), [1]);
        contention.resume(Time(5000));
        contention.find_next();
        assert_eq!(next(&contention), (Time(5040), 0, false));
    }

    #[test]
    fn equal_slots_collide() {
        let mut contention = waiting([4, 7, 4]);
        contention.find_next();
        assert!(contention.next().tied);
        assert_eq!(freeze(&mut contention), [0, 2]);
    }

    #[test]
    fn who_starts_later_counts_only_whole_slots_of_its_own() {
        let mut contention = waiting([5, 4, 6]);
        contention.set_own_origin(1, Time(1030));
        contention.find_next();
        // Station 0 sends at 1100, when station 1 has counted 3 of its slots and station 2 has counted 5.
        assert_eq!(freeze(&mut contention), [0]);
        contention.resume(Time(5000));
        contention.find_next();
        assert_eq!((contention.next().at, contention.next().tied), (Time(5020), true));
    }

    #[test]
    fn countdowns_from_different_starts_can_still_collide() {
        let mut contention = waiting([5, 4, 9]);
        contention.set_own_origin(1, Time(1020));
        contention.find_next();
        assert_eq!(contention.next().at, Time(1100));
        assert_eq!(freeze(&mut contention), [0, 1]);
    }

    #[test]
    fn a_backoff_without_a_frame_counts_but_does_not_send() {
        let mut contention = waiting([8, 9, 9]);
        contention.park(1, 3);
        contention.find_next();
        assert_eq!(contention.next().station, 0);
        assert!(contention.clone().join_backoff(1, Time(1059)));
        assert!(!contention.clone().join_backoff(1, Time(1060)));
        assert_eq!(freeze(&mut contention), [0]);
        assert!(!contention.join_backoff(1, Time(1200)));
    }

    #[test]
    fn a_backoff_that_ends_as_the_air_is_taken_is_over() {
        let mut contention = waiting([8, 9, 9]);
        contention.park(1, 8);
        contention.find_next();
        freeze(&mut contention);
        assert!(!contention.clone().join_backoff(1, Time(1200)));
        // A backoff of zero slots that was drawn since is not over: it has DIFS to go.
        contention.back_off(1, 0, false);
        assert!(contention.join_backoff(1, Time(1200)));
    }

    impl Contention {
        /// Turns the countdown of `station` into one without a frame.
        fn park(&mut self, station: u32, slots: u64) {
            self.wheel.remove(station);
            let rest = &mut self.rest[station as usize];
            (rest.parked, rest.parked_in) = (self.elapsed + slots, self.period);
        }
    }
}
