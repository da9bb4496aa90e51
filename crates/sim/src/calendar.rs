//! A queue that sorts packets by arrival however far out of order they come: a calendar queue (Brown, "Calendar queues", CACM 1988).
//!
//! A packet is written on a page of the day on which it arrives, in any order. A day's packets are sorted only when that day begins, and its pages are
//! free from then on.

use crate::delay_line::{Key, Waiting};
use crate::pages::{List, PAGE, Pages};
use airfair_core::Time;
use std::mem::{replace, take};
use std::ops::Range;

/// Packets in the order of their arrivals, then of their steps, then of joining. Those that do not arrive today lie on pages that calendars share,
/// which callers hand over.
#[derive(Debug)]
pub struct Calendar {
    /// A ring of days. The number of days is a power of two.
    days: Vec<List>,
    /// Binary logarithm of the length of a day in nanoseconds.
    day_bits: u32,
    /// The first day that has not begun. Earlier arrivals are in `today`.
    tomorrow: u64,
    /// Today's packets in order, including the first `gone`, which have left.
    today: Vec<Waiting>,
    gone: usize,
    /// Packets held.
    len: usize,
    /// Numbers of packets, zero not among them, with which the calendar keeps the number and length of its days.
    fitting: Range<usize>,
    /// The day that was tomorrow when [`Calendar::has_new_day`] was called last.
    noticed: u64,
    /// The order of the packets of a day that begins.
    order: Vec<Place>,
}

/// A packet's arrival, and its [place](Pages::at), or where it lies on the only page of its day.
#[derive(Clone, Copy, Debug)]
struct Place {
    due: Time,
    index: u32,
}

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
            days: vec![List::default(); days],
            day_bits: day.ilog2(),
            tomorrow: 0,
            today: Vec::new(),
            gone: 0,
            len: 0,
            fitting: days.div_ceil(64)..8 * days + 1,
            noticed: 0,
            order: Vec::new(),
        }
    }

    /// Makes room for a packet, which the caller fills in. Also returns whether this packet is the first of all.
    #[inline(always)]
    pub fn room_for<'a>(&'a mut self, key: Key, pages: &'a mut Pages) -> (&'a mut Waiting, bool) {
        let day = self.day_of(key.0.at);
        // Mostly others wait, and the day is one to come.
        if self.fitting.contains(&self.len) && self.holds(day) {
            return (self.room_on(day, pages), false);
        }
        self.room_otherwise(key, pages)
    }

    /// [`Calendar::room_for`] for a packet that comes today, that is alone, or that the days do not suit.
    #[inline(never)]
    fn room_otherwise<'a>(&'a mut self, key: Key, pages: &'a mut Pages) -> (&'a mut Waiting, bool) {
        let day = self.day_of(key.0.at);
        let fits = self.fitting.contains(&self.len) && (day < self.tomorrow || self.holds(day));
        if self.len > 0 && !fits {
            self.rearrange(key.0.at, pages);
        }
        self.room_as_arranged(key, pages)
    }

    fn room_as_arranged<'a>(&'a mut self, key: Key, pages: &'a mut Pages) -> (&'a mut Waiting, bool) {
        let day = self.day_of(key.0.at);
        if self.len == 0 {
            self.tomorrow = day + 1;
        }
        if day < self.tomorrow { self.room_today(key) } else { (self.room_on(day, pages), false) }
    }

    /// Whether the calendar has this day, and it has not begun.
    #[inline]
    fn holds(&self, day: u64) -> bool {
        day.wrapping_sub(self.tomorrow) < self.days.len() as u64
    }

    /// Makes room for a packet on a day that has not begun.
    #[inline]
    fn room_on<'a>(&mut self, day: u64, pages: &'a mut Pages) -> &'a mut Waiting {
        self.len += 1;
        let place = self.place_of(day);
        pages.room(&mut self.days[place])
    }

    /// Makes room for a packet on a day that has begun. Also returns whether this packet is the first of all.
    fn room_today(&mut self, key: Key) -> (&mut Waiting, bool) {
        self.len += 1;
        let at = self.gone + self.today().partition_point(|other| other.key() <= key);
        self.today.insert(at, Waiting::default());
        (&mut self.today[at], at == self.gone)
    }

    /// Returns the first packet.
    #[inline]
    pub fn first(&self) -> Option<&Waiting> {
        self.today.get(self.gone)
    }

    /// Returns today's packets that have not left yet, in order.
    #[inline]
    pub fn today(&self) -> &[Waiting] {
        &self.today[self.gone..]
    }

    /// Whether a day has begun since the last call.
    #[inline]
    pub fn has_new_day(&mut self) -> bool {
        replace(&mut self.noticed, self.tomorrow) != self.tomorrow
    }

    /// Returns the packets of the next day so far, in any order.
    pub fn tomorrow<'a>(&self, pages: &'a Pages) -> impl Iterator<Item = &'a Waiting> {
        pages.of(self.days[self.place_of(self.tomorrow)]).flat_map(|(_, packets)| packets)
    }

    /// Prefetches the packets of the day after the next one.
    pub fn prefetch_after_tomorrow(&self, pages: &Pages) {
        pages.prefetch(self.days[self.place_of(self.tomorrow + 1)]);
    }

    /// Removes this many packets from the front. [Today](Calendar::today) must have at least that number.
    #[inline]
    pub fn leave(&mut self, packets: usize, pages: &mut Pages) {
        self.gone += packets;
        self.len -= packets;
        if self.gone == self.today.len() {
            self.end_day(pages);
        }
    }

    fn day_of(&self, due: Time) -> u64 {
        due.0 >> self.day_bits
    }

    fn place_of(&self, day: u64) -> usize {
        day as usize & (self.days.len() - 1)
    }

    /// Begins the next day that has packets.
    #[inline(never)]
    fn end_day(&mut self, pages: &mut Pages) {
        self.today.clear();
        self.gone = 0;
        if self.len == 0 {
            return;
        }
        let mut day = List::default();
        while day.is_empty() {
            let place = self.place_of(self.tomorrow);
            day = take(&mut self.days[place]);
            self.tomorrow += 1;
        }
        self.put_in_order(day, pages);
        pages.free(day);
    }

    /// Puts the packets of the day that begins in order.
    fn put_in_order(&mut self, day: List, pages: &Pages) {
        // Mostly a day has one page, and the instants differ.
        match pages.only(day) {
            Some((page, count)) if self.insert_each(&page[..count]) => {
                let in_order = self.order.iter().map(|place| page[place.index as usize % PAGE]);
                self.today.extend(in_order);
            }
            _ => self.sort(day, pages),
        }
    }

    /// Puts the places of packets on a page in the order of their instants, by insertion. Returns whether all instants differ.
    #[inline]
    fn insert_each(&mut self, packets: &[Waiting]) -> bool {
        self.order.clear();
        let mut differ = true;
        for (index, waiting) in (0..).zip(packets) {
            let place = Place { due: waiting.due, index };
            let mut at = self.order.len();
            self.order.push(place);
            let order = &mut self.order[..=at];
            while at > 0 && order[at - 1].due > place.due {
                order[at] = order[at - 1];
                at -= 1;
            }
            order[at] = place;
            differ &= at == 0 || order[at - 1].due < place.due;
        }
        differ
    }

    /// [`Calendar::put_in_order`] for any day.
    #[inline(never)]
    fn sort(&mut self, day: List, pages: &Pages) {
        self.order.clear();
        for (first, packets) in pages.of(day) {
            let places = packets.iter().enumerate().rev();
            let place = |(number, waiting): (usize, &Waiting)| Place {
                due: waiting.due,
                index: first + number as u32,
            };
            self.order.extend(places.map(place));
        }
        self.order.reverse();
        self.order.sort_by_key(|place| place.due);
        if !self.order.is_sorted_by(|one, next| one.due < next.due) {
            self.order.sort_by_key(|place| pages.at(place.index).key());
        }
        self.today.extend(self.order.iter().map(|place| *pages.at(place.index)));
    }

    /// Adapts the number and length of days to the packets held and to one that arrives at `due`.
    #[cold]
    #[inline(never)]
    fn rearrange(&mut self, due: Time, pages: &mut Pages) {
        let mut packets = Vec::with_capacity(self.len);
        while let Some(first) = self.first() {
            packets.push(*first);
            self.leave(1, pages);
        }
        let ends = packets.first().zip(packets.last());
        let (first, last) = ends.map_or((due, due), |(first, last)| (first.due.min(due), last.due.max(due)));
        *self = Calendar::new(packets.len(), last.since(first).0);
        for waiting in &packets {
            *self.room_as_arranged(waiting.key(), pages).0 = *waiting;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Moment;

    #[test]
    fn a_day_is_noticed_once_and_tells_the_packets_of_the_next() {
        let (mut calendar, mut pages) = (Calendar::new(64, 1 << 20), Pages::default());
        let day = Time(1 << calendar.day_bits);
        for due in [Time::ZERO, day, day] {
            *calendar.room_for((Moment::from(due), 0), &mut pages).0 = Waiting { due, ..Waiting::default() };
        }
        assert_eq!([calendar.has_new_day(), calendar.has_new_day()], [true, false]);
        assert!(calendar.tomorrow(&pages).map(|waiting| waiting.due).eq([day, day]));
        calendar.leave(1, &mut pages);
        assert_eq!((calendar.has_new_day(), calendar.tomorrow(&pages).count()), (true, 0));
        calendar.leave(1, &mut pages);
        assert!(!calendar.has_new_day());
    }
}
