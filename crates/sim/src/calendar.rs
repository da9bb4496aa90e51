//! A queue of packets for which it does not matter how much their arrivals are out of order: a calendar (Brown, "Calendar queues",
//! CACM 1988).
//!
//! A packet is written on a page of the day on which it arrives, in any order. Only when a day begins are its packets put in order. Pages
//! are used again, the last one first, so that they stay in the caches.

use crate::delay_line::{Key, Waiting};
use airfair_core::Time;
use airfair_core::prefetch::{LINE, prefetch};

/// Packets in the order of their arrivals, then of their steps, then of joining.
#[derive(Debug)]
pub struct Calendar {
    /// A ring of days; their number is a power of two.
    days: Vec<Day>,
    /// A day takes two to this power of nanoseconds.
    day_bits: u32,
    /// The first day that has not begun. Earlier arrivals are in `today`.
    tomorrow: u64,
    today: Day,
    /// The earliest page of today.
    first_page: u32,
    /// Today's packets in order, the first ones gone.
    order: Vec<Place>,
    gone: usize,
    /// Packets that have gone since the start, and packets here.
    all_gone: u64,
    len: usize,
    pages: Vec<Page>,
    /// The pages that are free, as a list.
    free: u32,
    /// The day whose pages are being prefetched, and the page that was prefetched last.
    prefetched: (u64, u32),
}

/// The packets of a day: its pages as a list, the latest first, all but that one full.
#[derive(Clone, Copy, Debug, Default)]
struct Day {
    page: u32,
    count: u32,
}

#[derive(Debug)]
struct Page {
    packets: [Waiting; PAGE],
    next: u32,
}

/// A packet's place in the order, and on a page.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: Key,
    index: u32,
}

/// Packets on a page.
const PAGE: usize = 8;
/// The end of a list of pages.
const NO_PAGE: u32 = u32::MAX;
const LEAST_DAYS: usize = 16;

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar::new(0, 0)
    }
}

impl Calendar {
    /// An empty calendar for about `len` packets within `span` nanoseconds: between four and sixteen a day, and twice that span.
    fn new(len: usize, span: u64) -> Calendar {
        let days = (len / 4).next_power_of_two().max(LEAST_DAYS);
        let day = (span.saturating_mul(2) / days as u64 + 1).checked_next_power_of_two().unwrap_or(1 << 63);
        Calendar {
            days: vec![Day::default(); days],
            day_bits: day.ilog2(),
            tomorrow: 0,
            today: Day::default(),
            first_page: NO_PAGE,
            order: Vec::new(),
            gone: 0,
            all_gone: 0,
            len: 0,
            pages: Vec::new(),
            free: NO_PAGE,
            prefetched: (0, NO_PAGE),
        }
    }

    /// Room for a packet, which the caller fills, and whether it is the first.
    pub fn room_for(&mut self, key: Key) -> (&mut Waiting, bool) {
        let days = self.days.len();
        let due = key.0.at;
        let is_beyond = self.len > 0 && self.day_of(due) >= self.tomorrow + days as u64;
        if is_beyond || self.len > 8 * days || days > LEAST_DAYS && 64 * self.len < days {
            self.rearrange(due);
        }
        self.room_as_arranged(key)
    }

    #[inline(always)]
    fn room_as_arranged(&mut self, key: Key) -> (&mut Waiting, bool) {
        let day = self.day_of(key.0.at);
        if self.len == 0 {
            self.tomorrow = day + 1;
        }
        self.len += 1;
        if day < self.tomorrow {
            return self.room_today(key);
        }
        let place = self.place_of(day);
        let index = Self::room(&mut self.pages, &mut self.free, &mut self.days[place]);
        (self.packet_mut(index), false)
    }

    /// The first packet.
    #[inline]
    pub fn first(&self) -> Option<&Waiting> {
        self.order.get(self.gone).map(|place| self.packet(place.index))
    }

    /// The packets of today that are still there.
    pub fn today(&self) -> impl ExactSizeIterator<Item = &Waiting> {
        self.order[self.gone..].iter().map(|place| self.packet(place.index))
    }

    /// Prefetches the next page of the next day.
    pub fn prefetch_tomorrow(&mut self) {
        let (day, page) = self.prefetched;
        let page = if day == self.tomorrow {
            // It was asked for before, and has come.
            self.pages.get(page as usize).map_or(NO_PAGE, |page| page.next)
        } else {
            let Day { page, count } = self.days[self.place_of(self.tomorrow)];
            if count > 0 { page } else { NO_PAGE }
        };
        self.prefetched = (self.tomorrow, page);
        if let Some(page) = self.pages.get(page as usize) {
            (0..size_of::<Page>()).step_by(LINE).for_each(|line| prefetch(page, line));
        }
    }

    /// Number of packets that have gone.
    #[inline]
    pub fn all_gone(&self) -> u64 {
        self.all_gone
    }

    /// Removes the first packet; there is one.
    #[inline]
    pub fn leave(&mut self) {
        self.gone += 1;
        self.all_gone += 1;
        self.len -= 1;
        if self.gone == self.order.len() {
            self.end_day();
        }
    }

    fn day_of(&self, due: Time) -> u64 {
        due.0 >> self.day_bits
    }

    fn place_of(&self, day: u64) -> usize {
        day as usize & (self.days.len() - 1)
    }

    fn packet(&self, index: u32) -> &Waiting {
        let index = index as usize;
        &self.pages[index / PAGE].packets[index % PAGE]
    }

    fn packet_mut(&mut self, index: u32) -> &mut Waiting {
        let index = index as usize;
        &mut self.pages[index / PAGE].packets[index % PAGE]
    }

    /// The index of room for one more packet on a day.
    #[inline]
    fn room(pages: &mut Vec<Page>, free: &mut u32, day: &mut Day) -> u32 {
        let on_page = day.count % PAGE as u32;
        if on_page == 0 {
            let next = if day.count == 0 { NO_PAGE } else { day.page };
            day.page = *free;
            match pages.get_mut(*free as usize) {
                Some(page) => *free = std::mem::replace(&mut page.next, next),
                None => {
                    day.page = pages.len() as u32;
                    pages.push(Page { packets: [Waiting::default(); PAGE], next });
                }
            }
        }
        day.count += 1;
        day.page * PAGE as u32 + on_page
    }

    /// Room on a day that has begun.
    fn room_today(&mut self, key: Key) -> (&mut Waiting, bool) {
        let index = Self::room(&mut self.pages, &mut self.free, &mut self.today);
        if self.today.count == 1 {
            self.first_page = self.today.page;
        }
        let at = self.gone + self.order[self.gone..].partition_point(|other| other.key <= key);
        self.order.insert(at, Place { key, index });
        let is_first = at == self.gone;
        (self.packet_mut(index), is_first)
    }

    /// Frees today's pages, and begins the next day that has packets.
    #[inline(never)]
    fn end_day(&mut self) {
        self.order.clear();
        self.gone = 0;
        self.pages[self.first_page as usize].next = self.free;
        self.free = self.today.page;
        self.today = Day::default();
        if self.len == 0 {
            return;
        }
        while self.today.count == 0 {
            let place = self.place_of(self.tomorrow);
            self.today = std::mem::take(&mut self.days[place]);
            self.tomorrow += 1;
        }
        self.put_in_order();
    }

    /// Puts the packets of a day that begins in order.
    fn put_in_order(&mut self) {
        let Day { mut page, count } = self.today;
        let mut on_page = (count - 1) % PAGE as u32 + 1;
        loop {
            let Page { packets, next } = &self.pages[page as usize];
            let places = packets[..on_page as usize].iter().enumerate().rev();
            let place = |(index, waiting): (usize, &Waiting)| Place {
                key: waiting.key(),
                index: page * PAGE as u32 + index as u32,
            };
            self.order.extend(places.map(place));
            if *next == NO_PAGE {
                break;
            }
            (page, on_page) = (*next, PAGE as u32);
        }
        self.first_page = page;
        self.order.reverse();
        // Mostly the instants tell, which takes one comparison.
        let instant = |place: &Place| place.key.0.at;
        self.order
            .sort_by(|one, other| instant(one).cmp(&instant(other)).then_with(|| one.key.cmp(&other.key)));
    }

    /// Fits days to the packets there are, and to one that arrives at `due`.
    #[cold]
    #[inline(never)]
    fn rearrange(&mut self, due: Time) {
        let mut packets = Vec::with_capacity(self.len);
        while let Some(first) = self.first() {
            packets.push(*first);
            self.leave();
        }
        let ends = packets.first().zip(packets.last());
        let (first, last) = ends.map_or((due, due), |(first, last)| (first.due.min(due), last.due.max(due)));
        *self = Calendar { all_gone: self.all_gone, ..Calendar::new(packets.len(), last.since(first).0) };
        for waiting in &packets {
            *self.room_as_arranged(waiting.key()).0 = *waiting;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Moment;

    #[test]
    fn the_pages_of_tomorrow_are_prefetched_one_after_the_other() {
        let mut calendar = Calendar::new(64, 1 << 20);
        let day = Time(1 << calendar.day_bits);
        let mut add =
            |due| *calendar.room_for((Moment::from(due), 0)).0 = Waiting { due, ..Waiting::default() };
        add(Time::ZERO);
        (0..20).for_each(|_| add(day));
        let Day { page: latest, count } = calendar.days[calendar.place_of(1)];
        let next = |&page: &u32| calendar.pages.get(page as usize).map(|page| page.next);
        let pages: Vec<u32> = std::iter::successors(Some(latest), next).collect();
        assert_eq!((count, pages.len(), pages[3]), (20, 4, NO_PAGE));
        let prefetched: Vec<u32> = (0..4)
            .map(|_| {
                calendar.prefetch_tomorrow();
                calendar.prefetched.1
            })
            .collect();
        assert_eq!(prefetched, pages);
    }
}
