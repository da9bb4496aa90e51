//! Countdown slots of stations: a ring with a place for each slot ahead.
//!
//! Backoffs are short, so the stations' slots all lie within one turn of the ring. Neither adding a station nor
//! finding the first one gets slower with the number of stations.

/// Value that stands for no station in lists of stations at a place.
const NONE: u32 = u32::MAX;
const WORD_BITS: u64 = u64::BITS as u64;

/// The stations with the least slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub slot: u64,
    /// The station, or one of several.
    pub station: u32,
    /// Whether there are other stations at the slot.
    pub tied: bool,
}

#[derive(Clone, Copy, Debug)]
struct Station {
    /// Slot of the station where it was last put on the ring.
    slot: u64,
    /// The station that came to the same place before this one; [`NONE`] if there is none.
    before: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Wheel {
    /// One bit for each place: whether a station is there.
    taken: Vec<u64>,
    /// The station that came last to each place; [`NONE`] if there is none.
    heads: Vec<u32>,
    stations: Vec<Station>,
    /// Number of places less one: a power of two, less one.
    mask: u64,
}

impl Wheel {
    /// Returns a ring for slots no more than `span` apart.
    pub fn new(stations: usize, span: u64) -> Wheel {
        let places = (span + 1).next_power_of_two().max(WORD_BITS);
        Wheel {
            taken: vec![0; (places / WORD_BITS) as usize],
            heads: vec![NONE; places as usize],
            stations: vec![Station { slot: 0, before: NONE }; stations],
            mask: places - 1,
        }
    }

    /// Puts a station that is not on the ring at a slot.
    #[inline]
    pub fn insert(&mut self, station: u32, slot: u64) {
        let place = slot & self.mask;
        self.taken[(place / WORD_BITS) as usize] |= 1 << (place % WORD_BITS);
        let before = std::mem::replace(&mut self.heads[place as usize], station);
        self.stations[station as usize] = Station { slot, before };
    }

    /// Removes a station, and returns its slot; `None` if it is not on the ring.
    pub fn remove(&mut self, station: u32) -> Option<u64> {
        let Station { slot, before } = self.stations[station as usize];
        let place = slot & self.mask;
        let mut other = self.heads[place as usize];
        if other == station {
            self.heads[place as usize] = before;
            if before == NONE {
                self.clear(place);
            }
            return Some(slot);
        }
        while other != NONE {
            let link = &mut self.stations[other as usize].before;
            if *link == station {
                *link = before;
                return Some(slot);
            }
            other = *link;
        }
        None
    }

    /// Removes the station at `slot`, which is alone there.
    #[inline]
    pub fn take_one(&mut self, slot: u64) {
        let place = slot & self.mask;
        self.heads[place as usize] = NONE;
        self.clear(place);
    }

    /// Removes all stations at `slot`, and adds them to `stations` in ascending order.
    #[inline]
    pub fn take(&mut self, slot: u64, stations: &mut Vec<u32>) {
        let place = slot & self.mask;
        let mut station = std::mem::replace(&mut self.heads[place as usize], NONE);
        if station == NONE {
            return;
        }
        self.clear(place);
        let start = stations.len();
        while station != NONE {
            stations.push(station);
            station = self.stations[station as usize].before;
        }
        if stations.len() - start > 1 {
            stations[start..].sort_unstable();
        }
    }

    /// Returns the stations with the least slot. All slots must be at or after `from`.
    #[inline]
    pub fn first(&self, from: u64) -> Option<First> {
        let start = from & self.mask;
        let word = (start / WORD_BITS) as usize;
        let taken = self.taken[word] & (u64::MAX << (start % WORD_BITS));
        if taken != 0 { Some(self.first_in(word, taken)) } else { self.first_beyond(word) }
    }

    /// Returns the stations with the least slot, which lies beyond the end of a word: in one of the other words, or in this one, a turn later.
    #[inline(never)]
    fn first_beyond(&self, word: usize) -> Option<First> {
        let others = (word + 1..self.taken.len()).chain(0..=word);
        let mut others = others.map(|word| (word, self.taken[word]));
        others.find(|&(_, taken)| taken != 0).map(|(word, taken)| self.first_in(word, taken))
    }

    /// Returns the stations at the first of the places of a word that are `taken`, of which there is at least one.
    #[inline(always)]
    fn first_in(&self, word: usize, taken: u64) -> First {
        let place = word as u64 * WORD_BITS + u64::from(taken.trailing_zeros());
        let station = self.heads[place as usize];
        let Station { slot, before } = self.stations[station as usize];
        First { slot, station, tied: before != NONE }
    }

    fn clear(&mut self, place: u64) {
        self.taken[(place / WORD_BITS) as usize] &= !(1 << (place % WORD_BITS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Stations come, go, and are taken when theirs is the least slot. No slot is beyond the span.
        #[test]
        fn the_first_is_the_least(
            span in 0u64..200,
            steps in prop::collection::vec((0u32..6, 0u64..200, any::<bool>()), 1..200),
        ) {
            let mut wheel = Wheel::new(6, span);
            let mut plain = [None; 6];
            let mut from = 17;
            for (station, ahead, takes) in steps {
                if plain[station as usize].is_some() {
                    prop_assert_eq!(wheel.remove(station), plain[station as usize].take());
                    prop_assert_eq!(wheel.remove(station), None);
                } else {
                    let slot = from + ahead % (span + 1);
                    wheel.insert(station, slot);
                    plain[station as usize] = Some(slot);
                }
                let least = plain.iter().flatten().min().copied();
                let at_least: Vec<u32> = (0..6).filter(|&i| least.is_some() && plain[i as usize] == least).collect();
                let first = wheel.first(from);
                prop_assert_eq!(first.map(|first| (first.slot, first.tied)), least.map(|slot| (slot, at_least.len() > 1)));
                prop_assert!(first.is_none_or(|first| at_least.contains(&first.station)));
                if let (true, Some(least)) = (takes, least) {
                    let mut taken = Vec::new();
                    wheel.take(least, &mut taken);
                    prop_assert_eq!(&taken, &at_least);
                    taken.iter().for_each(|&station| plain[station as usize] = None);
                    from = least;
                }
            }
        }
    }
}
