//! Memory for the packets in calendars: pages of a few packets. The page that became free last is used next, by whichever calendar, because it is
//! still in the caches: packets that leave one line mostly cause others that join another.

use crate::delay_line::Waiting;
use airfair_core::prefetch::{LINE, prefetch};

/// The pages of all calendars.
#[derive(Debug)]
pub struct Pages {
    packets: Vec<[Waiting; PAGE]>,
    /// For each page the one behind it in its list. They lie together, so that nobody waits for a page to learn which one is next.
    links: Vec<u32>,
    /// First page of the list of free pages.
    free: u32,
}

/// Packets on pages of their own: a list of pages, the latest first, of which all but the latest are full.
#[derive(Clone, Copy, Debug, Default)]
pub struct List {
    page: u32,
    count: u32,
}

/// Number of packets on a page: mostly as many as a day has, or more.
pub const PAGE: usize = 16;
/// Marks the end of a list of pages.
const NO_PAGE: u32 = u32::MAX;

impl Default for Pages {
    fn default() -> Pages {
        Pages { packets: Vec::new(), links: Vec::new(), free: NO_PAGE }
    }
}

impl Pages {
    /// Makes room for one more packet in a list, which the caller fills in.
    #[inline]
    pub fn room(&mut self, list: &mut List) -> &mut Waiting {
        let on_page = list.count as usize % PAGE;
        if on_page == 0 {
            self.turn_page(list);
        }
        list.count += 1;
        &mut self.packets[list.page as usize][on_page]
    }

    /// Gives a list whose pages are full another one.
    #[inline(never)]
    fn turn_page(&mut self, list: &mut List) {
        let next = if list.count == 0 { NO_PAGE } else { list.page };
        list.page = self.free;
        match self.links.get_mut(self.free as usize) {
            Some(link) => self.free = std::mem::replace(link, next),
            None => list.page = self.add_page(next),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_page(&mut self, next: u32) -> u32 {
        self.packets.push([Waiting::default(); PAGE]);
        self.links.push(next);
        self.links.len() as u32 - 1
    }

    /// Returns the packets of a list page by page, the latest page first, each with the [place](Pages::at) of its first packet.
    pub fn of(&self, list: List) -> impl Iterator<Item = (u32, &[Waiting])> {
        let (mut page, mut left) = (list.page, list.count as usize);
        std::iter::from_fn(move || {
            let count = left.checked_sub(1)? % PAGE + 1;
            left -= count;
            let found = (page * PAGE as u32, &self.packets[page as usize][..count]);
            if left > 0 {
                page = self.links[page as usize];
            }
            Some(found)
        })
    }

    /// Returns the page of a list that has no other one, with the number of its packets, in the order in which they joined.
    #[inline]
    pub fn only(&self, list: List) -> Option<(&[Waiting; PAGE], usize)> {
        let count = list.count as usize;
        (1..=PAGE).contains(&count).then(|| (&self.packets[list.page as usize], count))
    }

    /// Returns the packet at a place.
    #[inline]
    pub fn at(&self, place: u32) -> &Waiting {
        &self.packets[place as usize / PAGE][place as usize % PAGE]
    }

    /// Prefetches the packets of a list.
    pub fn prefetch(&self, list: List) {
        for (_, packets) in self.of(list) {
            (0..size_of_val(packets)).step_by(LINE).for_each(|line| prefetch(packets, line));
        }
    }

    /// Frees the pages of a list.
    pub fn free(&mut self, list: List) {
        if let Some((first, _)) = self.of(list).last() {
            self.links[first as usize / PAGE] = self.free;
            self.free = list.page;
        }
    }
}

impl List {
    /// Whether the list has no packets.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Time;

    fn dues(pages: &Pages, list: List) -> Vec<u64> {
        let pages = pages.of(list).collect::<Vec<_>>();
        pages.iter().rev().flat_map(|(_, packets)| packets.iter().map(|waiting| waiting.due.0)).collect()
    }

    #[test]
    fn lists_share_the_pages_and_use_first_what_became_free_last() {
        let mut pages = Pages::default();
        let (mut one, mut other) = (List::default(), List::default());
        for due in 0..40 {
            pages.room(&mut one).due = Time(due);
            pages.room(&mut other).due = Time(100 + due);
        }
        assert_eq!(dues(&pages, one), (0..40).collect::<Vec<_>>());
        assert_eq!(pages.of(other).map(|(_, packets)| packets.len()).collect::<Vec<_>>(), [8, 16, 16]);
        let all = pages.packets.len();
        let latest = one.page;
        pages.free(one);
        let mut third = List::default();
        for due in 0..48 {
            pages.room(&mut third).due = Time(200 + due);
            if due == 0 {
                assert_eq!(third.page, latest);
            }
        }
        assert_eq!(pages.packets.len(), all);
        assert_eq!(dues(&pages, third), (200..248).collect::<Vec<_>>());
        assert_eq!(dues(&pages, other), (100..140).collect::<Vec<_>>());
        pages.free(List::default());
        assert_eq!(pages.of(List::default()).count(), 0);
    }
}
