//! How late packets were handed over.

use airfair_core::Span;
use serde::{Serialize, Serializer};

/// The lateness of each packet.
#[derive(Default)]
pub struct Lateness(Vec<Span>);

#[derive(Serialize)]
struct Summary {
    packets: usize,
    p50_ns: u64,
    p99_ns: u64,
    worst_ns: u64,
}

impl Lateness {
    pub fn note(&mut self, late: Span) {
        self.0.push(late);
    }

    /// Those of both.
    pub fn and(mut self, mut other: Lateness) -> Lateness {
        self.0.append(&mut other.0);
        self
    }

    pub fn worst(&self) -> Span {
        self.0.iter().copied().max().unwrap_or(Span::ZERO)
    }

    /// As late as this at most were so many of a hundred packets.
    fn percentile(&self, percent: usize) -> Span {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied().unwrap_or(Span::ZERO)
    }
}

impl Serialize for Lateness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [p50, p99] = [50, 99].map(|percent| self.percentile(percent).0);
        Summary { packets: self.0.len(), p50_ns: p50, p99_ns: p99, worst_ns: self.worst().0 }
            .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.percentile(99), Span::ZERO);
        (1..=200).rev().for_each(|nanos| lateness.note(Span(nanos)));
        assert_eq!([50, 99, 100].map(|percent| lateness.percentile(percent).0), [100, 198, 200]);
        assert_eq!(lateness.worst(), Span(200));
    }
}
