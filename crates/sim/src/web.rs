//! A browser's pages, as far as one of its connections takes part in them.
//!
//! The browser's requests go with the acknowledgement of what came before. So a few bytes tell the browser to begin a page: their
//! acknowledgement is the first request. Round trips and the document follow, each of which waits for the one before. Once the document is
//! there, the browser knows the other objects, and asks for all of them.

use airfair_core::{Stream, Time};
use airfair_scenario::resolved::{Gap, Page};

/// The spread of the logarithms of object sizes: Pries et al. 2012, Table IV (inline objects).
const SIGMA: f64 = 1.246_46;

/// Mean size of a document: the median of HTML in HTTP Archive's Web Almanac 2024, "Page weight", as it is transferred.
const DOCUMENT_BYTES: f64 = 18_000.0;

/// Bytes that come back in a round trip before the document, about as many as a name server's answer has; also the bytes that tell the
/// browser to begin.
const ROUND_TRIP_BYTES: u64 = 100;

/// One connection's part in a browser's pages. All connections of a page draw the same numbers from streams of the same name, so that each
/// knows the whole page without a word to the others.
#[derive(Clone, Debug)]
pub struct Pages {
    page: Page,
    gap: Gap,
    stream: Stream,
    /// When the browser is told to begin the present page, or would have been if nothing had held it up.
    start: Time,
    /// When the browser is to be told to begin the next page.
    then: Time,
    /// Sizes of the sessions left of the present page that must be answered before anything else is asked for, the last one first.
    steps: Vec<u64>,
    /// Sizes of the other objects left of the present page, the last one first.
    objects: Vec<u64>,
    /// Number of sessions started so far.
    started: usize,
    /// Whether the last session started has to be answered before the next.
    waits: bool,
}

impl Pages {
    /// Returns the pages that `page` describes, from `start` on, which has been drawn from `stream`.
    pub fn new(page: Page, gap: Gap, stream: Stream, start: Time) -> Pages {
        let (steps, objects) = (Vec::new(), Vec::new());
        Pages { page, gap, stream, start, then: start, steps, objects, started: 0, waits: false }
    }

    /// Returns the bytes of the next session, and when the one after it is due: [`Time::NEVER`] if it waits for the answer to this one.
    pub fn next(&mut self) -> (u64, Time) {
        if self.steps.is_empty() && self.objects.is_empty() {
            self.draw();
        }
        self.started += 1;
        if let Some(bytes) = self.steps.pop() {
            self.waits = true;
            return (bytes, Time::NEVER);
        }
        let bytes = self.objects.pop().expect("a page has steps, and then objects");
        (bytes, if self.objects.is_empty() { self.then } else { self.start })
    }

    /// Notes that `answered` sessions have been answered. Returns when the next session is due, if it has waited for that.
    pub fn on_end(&mut self, answered: usize) -> Option<Time> {
        if !self.waits || answered < self.started {
            return None;
        }
        self.waits = false;
        let is_over = self.steps.is_empty() && self.objects.is_empty();
        Some(if is_over { self.then } else { self.start })
    }

    /// Draws the next page. Its objects, the document first, go to the connections in turn.
    fn draw(&mut self) {
        let Page { bytes, objects, connection, connections, round_trips, .. } = self.page;
        let equal = bytes as f64 / f64::from(objects);
        let document = if objects == 1 { equal } else { equal.min(DOCUMENT_BYTES) };
        let other = (bytes as f64 - document) / f64::from(objects.max(2) - 1);
        for number in 0..objects {
            let mean = if number == 0 { document } else { other };
            let size = self.stream.lognormal(mean, SIGMA).round().max(1.0) as u64;
            if number % connections == connection {
                self.objects.push(size);
            }
        }
        self.objects.reverse();
        // Other connections do not see the document arrive: a round trip of their own stands for it.
        let last = if connection == 0 { self.objects.pop() } else { Some(ROUND_TRIP_BYTES) };
        self.steps.extend(last);
        let begins = 1;
        self.steps.extend(std::iter::repeat_n(ROUND_TRIP_BYTES, begins + round_trips as usize));
        self.start = self.then;
        self.then += self.gap.draw(&mut self.stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Span;

    fn pages(connection: u32, connections: u32) -> Pages {
        let page = Page {
            name: "page".to_owned(),
            bytes: 2_500_000,
            objects: 66,
            connection,
            connections,
            round_trips: 2,
        };
        Pages::new(page, Gap::Exponential(Span::from_secs(8)), Stream::new(1, "traffic of page"), Time(7))
    }

    /// The sizes of the steps and of the objects of a connection's next page, and the start of the one after it.
    fn next_page(pages: &mut Pages) -> (Vec<u64>, Vec<u64>, Time) {
        let (mut steps, mut objects) = (Vec::new(), Vec::new());
        loop {
            let (bytes, mut next) = pages.next();
            if next == Time::NEVER {
                steps.push(bytes);
                assert_eq!(pages.on_end(pages.started - 1), None, "another one is still to be answered");
                next = pages.on_end(pages.started).expect("it waited");
                assert_eq!(pages.on_end(pages.started), None, "once");
            } else {
                objects.push(bytes);
            }
            if next > pages.start {
                assert_eq!(objects.len() + steps.len(), pages.page.sessions());
                return (steps, objects, next);
            }
        }
    }

    #[test]
    fn connections_share_a_page() {
        let mut alone = pages(0, 1);
        let mut six: Vec<Pages> = (0..6).map(|connection| pages(connection, 6)).collect();
        for _ in 0..20 {
            let (steps, whole, then) = next_page(&mut alone);
            let parts: Vec<_> = six.iter_mut().map(next_page).collect();
            assert!(parts.iter().all(|part| part.2 == then), "the next page starts on all of them");
            assert_eq!(
                (&parts[0].0, steps.len()),
                (&steps, 4),
                "the beginning, two round trips, and the document"
            );
            assert_eq!(steps[..3], [ROUND_TRIP_BYTES; 3]);
            assert!(parts[1..].iter().all(|part| part.0 == [ROUND_TRIP_BYTES; 4]));
            // The first connection has the document for its first object.
            let shared = (1..=whole.len()).map(|number| {
                let (part, place) = (&parts[number % 6].1, number / 6);
                if number % 6 == 0 { part[place - 1] } else { part[place] }
            });
            assert_eq!(shared.collect::<Vec<_>>(), whole);
        }
    }

    #[test]
    fn pages_and_documents_have_their_mean_sizes() {
        let mut alone = pages(0, 1);
        let (mut documents, mut others) = (0, 0);
        for _ in 0..2_000 {
            let (steps, objects, _) = next_page(&mut alone);
            documents += steps[3];
            others += objects.iter().sum::<u64>();
        }
        let mean = (documents + others) as f64 / 2_000.0;
        assert!((mean / 2.5e6 - 1.0).abs() < 0.02, "{mean}");
        let mean = documents as f64 / 2_000.0;
        assert!((mean / 18e3 - 1.0).abs() < 0.1, "{mean}");
    }

    #[test]
    fn a_page_may_be_a_document_alone() {
        let mut pages = pages(0, 1);
        (pages.page.objects, pages.page.bytes, pages.page.round_trips) = (1, 100_000, 0);
        let total: u64 = (0..5_000)
            .map(|_| {
                let (steps, objects, _) = next_page(&mut pages);
                assert_eq!((steps.len(), objects.len()), (2, 0));
                steps[1]
            })
            .sum();
        let mean = total as f64 / 5_000.0;
        assert!((mean / 1e5 - 1.0).abs() < 0.1, "{mean}");
    }
}
