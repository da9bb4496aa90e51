//! A browser's pages, as far as one of its connections takes part in them.

use airfair_core::{Span, Stream};
use airfair_scenario::resolved::{Gap, Page};

use crate::traffic::draw_gap;

/// The spread of the logarithms of object sizes: Pries et al. 2012, Table IV (inline objects).
const SIGMA: f64 = 1.246_46;

/// All connections of a page draw the same numbers from streams of the same name, so that each knows the whole page without a word
/// to the others.
#[derive(Clone, Debug)]
pub struct Pages {
    page: Page,
    gap: Gap,
    stream: Stream,
    /// Sizes of this connection's objects of the page at hand that have not been asked for, the last one first.
    ahead: Vec<u64>,
}

impl Pages {
    /// The pages that `page` describes; the first start has been drawn from `stream`.
    pub fn new(page: Page, gap: Gap, stream: Stream) -> Pages {
        Pages { page, gap, stream, ahead: Vec::new() }
    }

    /// The size of the next object, and the time until the one after it is asked for: none within a page.
    pub fn next(&mut self) -> (u64, Span) {
        if self.ahead.is_empty() {
            self.draw();
        }
        let bytes = self.ahead.pop().expect("a page has an object for each connection");
        (bytes, if self.ahead.is_empty() { draw_gap(self.gap, &mut self.stream) } else { Span::ZERO })
    }

    /// Draws the next page. Its objects go to the connections in turn.
    fn draw(&mut self) {
        let Page { bytes, objects, connection, connections, .. } = self.page;
        let mean = bytes as f64 / f64::from(objects);
        for number in 0..objects {
            let size = self.stream.lognormal(mean, SIGMA).round().max(1.0) as u64;
            if number % connections == connection {
                self.ahead.push(size);
            }
        }
        self.ahead.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(connection: u32, connections: u32) -> Pages {
        let page = Page { name: "page".to_owned(), bytes: 2_500_000, objects: 66, connection, connections };
        Pages::new(page, Gap::Exponential(Span::from_secs(8)), Stream::new(1, "traffic of page"))
    }

    /// The sizes of the objects of a connection's next page, and the time until the one after it.
    fn next_page(pages: &mut Pages) -> (Vec<u64>, Span) {
        let mut sizes = Vec::new();
        loop {
            let (bytes, gap) = pages.next();
            sizes.push(bytes);
            if gap > Span::ZERO {
                return (sizes, gap);
            }
        }
    }

    #[test]
    fn connections_share_a_page() {
        let mut alone = pages(0, 1);
        let mut six: Vec<Pages> = (0..6).map(|connection| pages(connection, 6)).collect();
        for _ in 0..20 {
            let (whole, gap) = next_page(&mut alone);
            let parts: Vec<_> = six.iter_mut().map(next_page).collect();
            assert!(parts.iter().all(|(_, after)| *after == gap), "the next page starts on all of them");
            let shared: Vec<u64> = (0..whole.len()).map(|number| parts[number % 6].0[number / 6]).collect();
            assert_eq!(shared, whole);
        }
    }

    #[test]
    fn pages_have_their_mean_size() {
        let mut alone = pages(0, 1);
        let total: u64 = (0..2_000).map(|_| next_page(&mut alone).0.iter().sum::<u64>()).sum();
        let mean = total as f64 / 2_000.0;
        assert!((mean / 2.5e6 - 1.0).abs() < 0.02, "{mean}");
    }
}
