//! A queue that sorts packets by arrival however far out of order they come: a calendar queue (Brown, "Calendar queues", CACM 1988).
//!
//! A packet is written on a page of the day on which it arrives, in any order. A day's packets are sorted only when that day begins. Free
//! pages are reused, the last one freed first, so that they stay in the caches.

use crate::delay_line::{Key, Waiting};
use airfair_core::Time;
use airfair_core::prefetch::{LINE, prefetch};
use std::ops::Range;

/// Packets in the order of their arrivals, then of their steps, then of joining.
#[derive(Debug)]
pub struct Calendar {
    /// A ring of days. The number of days is a power of two.
    days: Vec<Day>,
    /// Binary logarithm of the length of a day in nanoseconds.
    day_bits: u32,
    /// The first day that has not begun. Earlier arrivals are in `today`.
    tomorrow: u64,
    today: Day,
    /// Index of the page of today that was filled first: the end of the list of today's pages.
    first_page: u32,
    /// Places of today's packets in order, including the first `gone`, which have left.
    order: Vec<Place>,
    gone: usize,
    /// Packets that have left since the start, and packets held now.
    all_gone: u64,
    len: usize,
    /// Numbers of packets, zero not among them, with which the calendar keeps the number and length of its days.
    fitting: Range<usize>,
    pages: Vec<Page>,
    /// First page of the list of free pages.
    free: u32,
    /// The day whose pages are being prefetched, and the page that was prefetched last.
    prefetched: (u64, u32),
}

/// The packets of a day. Its pages form a list, the latest first; all pages but the latest are full.
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

/// A packet's arrival, and its place on a page.
#[derive(Clone, Copy, Debug)]
struct Place {
    due: Time,
    index: u32,
}

/// Number of packets on a page.
const PAGE: usize = 8;
/// Marks the end of a list of pages.
const NO_PAGE: u32 = u32::MAX;
const LEAST_DAYS: usize = 16;

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar::new(0, 0)
    }
}

impl Calendar {
    /// Returns an empty calendar for about `len` packets within `span` nanoseconds: it holds between four and sixteen packets a day, and
    /// spans twice that time.
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
            fitting: days.div_ceil(64)..8 * days + 1,
            pages: Vec::new(),
            free: NO_PAGE,
            prefetched: (0, NO_PAGE),
        }
    }

    /// Makes room for a packet, which the caller fills in. Also returns whether this packet is the first of all.
    #[inline(always)]
    pub fn room_for(&mut self, key: Key) -> (&mut Waiting, bool) {
        let day = self.day_of(key.0.at);
        // Mostly others wait, and the day is one to come.
        if self.fitting.contains(&self.len) && self.holds(day) {
            return (self.room_on(day), false);
        }
        self.room_otherwise(key)
    }

    /// [`Calendar::room_for`] for a packet that comes today, that is alone, or that the days do not suit.
    #[inline(never)]
    fn room_otherwise(&mut self, key: Key) -> (&mut Waiting, bool) {
        let day = self.day_of(key.0.at);
        let fits = self.fitting.contains(&self.len) && (day < self.tomorrow || self.holds(day));
        if self.len > 0 && !fits {
            self.rearrange(key.0.at);
        }
        self.room_as_arranged(key)
    }

    fn room_as_arranged(&mut self, key: Key) -> (&mut Waiting, bool) {
        let day = self.day_of(key.0.at);
        if self.len == 0 {
            self.tomorrow = day + 1;
        }
        if day < self.tomorrow { self.room_today(key) } else { (self.room_on(day), false) }
    }

    /// Whether the calendar has this day, and it has not begun.
    #[inline]
    fn holds(&self, day: u64) -> bool {
        day.wrapping_sub(self.tomorrow) < self.days.len() as u64
    }

    /// Makes room for a packet on a day that has not begun.
    #[inline]
    fn room_on(&mut self, day: u64) -> &mut Waiting {
        self.len += 1;
        let place = self.place_of(day);
        let index = Self::room(&mut self.pages, &mut self.free, &mut self.days[place]);
        self.packet_mut(index)
    }

    /// Returns the first packet.
    #[inline]
    pub fn first(&self) -> Option<&Waiting> {
        self.order.get(self.gone).map(|place| packet(&self.pages, place.index))
    }

    /// Returns today's packets that have not left yet, in order.
    pub fn today(&self) -> impl ExactSizeIterator<Item = &Waiting> {
        self.order[self.gone..].iter().map(|place| packet(&self.pages, place.index))
    }

    /// Prefetches the next page of the next day.
    pub fn prefetch_tomorrow(&mut self) {
        let (day, page) = self.prefetched;
        let page = if day == self.tomorrow {
            // This page was prefetched before, so its link is in the cache.
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

    /// Returns the number of packets that have left since the start.
    #[inline]
    pub fn all_gone(&self) -> u64 {
        self.all_gone
    }

    /// Removes this many packets from the front. [Today](Calendar::today) must have at least that number.
    #[inline]
    pub fn leave(&mut self, packets: usize) {
        self.gone += packets;
        self.all_gone += packets as u64;
        self.len -= packets;
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

    fn packet_mut(&mut self, index: u32) -> &mut Waiting {
        let index = index as usize;
        &mut self.pages[index / PAGE].packets[index % PAGE]
    }

    /// Reserves room for one more packet on a day, and returns its index.
    #[inline]
    fn room(pages: &mut Vec<Page>, free: &mut u32, day: &mut Day) -> u32 {
        let on_page = day.count % PAGE as u32;
        if on_page == 0 {
            Self::turn_page(pages, free, day);
        }
        day.count += 1;
        day.page * PAGE as u32 + on_page
    }

    /// Gives a day whose pages are full another one.
    #[inline(never)]
    fn turn_page(pages: &mut Vec<Page>, free: &mut u32, day: &mut Day) {
        let next = if day.count == 0 { NO_PAGE } else { day.page };
        day.page = *free;
        match pages.get_mut(*free as usize) {
            Some(page) => *free = std::mem::replace(&mut page.next, next),
            None => day.page = Self::add_page(pages, next),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_page(pages: &mut Vec<Page>, next: u32) -> u32 {
        pages.push(Page { packets: [Waiting::default(); PAGE], next });
        pages.len() as u32 - 1
    }

    /// Makes room for a packet on a day that has begun. Also returns whether this packet is the first of all.
    fn room_today(&mut self, key: Key) -> (&mut Waiting, bool) {
        self.len += 1;
        let index = Self::room(&mut self.pages, &mut self.free, &mut self.today);
        if self.today.count == 1 {
            self.first_page = self.today.page;
        }
        let is_before = |other: &Place| packet(&self.pages, other.index).key() <= key;
        let at = self.gone + self.order[self.gone..].partition_point(is_before);
        self.order.insert(at, Place { due: key.0.at, index });
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

    /// Sorts the packets of the day that begins.
    fn put_in_order(&mut self) {
        let Day { mut page, count } = self.today;
        let mut on_page = (count - 1) % PAGE as u32 + 1;
        loop {
            let Page { packets, next } = &self.pages[page as usize];
            let places = packets[..on_page as usize].iter().enumerate().rev();
            let place = |(index, waiting): (usize, &Waiting)| Place {
                due: waiting.due,
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
        self.order.sort_by_key(|place| place.due);
        // Mostly the instants differ.
        if !self.order.is_sorted_by(|one, next| one.due < next.due) {
            self.order.sort_by_key(|place| packet(&self.pages, place.index).key());
        }
    }

    /// Adapts the number and length of days to the packets held and to one that arrives at `due`.
    #[cold]
    #[inline(never)]
    fn rearrange(&mut self, due: Time) {
        let mut packets = Vec::with_capacity(self.len);
        while let Some(first) = self.first() {
            packets.push(*first);
            self.leave(1);
        }
        let ends = packets.first().zip(packets.last());
        let (first, last) = ends.map_or((due, due), |(first, last)| (first.due.min(due), last.due.max(due)));
        *self = Calendar { all_gone: self.all_gone, ..Calendar::new(packets.len(), last.since(first).0) };
        for waiting in &packets {
            *self.room_as_arranged(waiting.key()).0 = *waiting;
        }
    }
}

fn packet(pages: &[Page], index: u32) -> &Waiting {
    let index = index as usize;
    &pages[index / PAGE].packets[index % PAGE]
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
