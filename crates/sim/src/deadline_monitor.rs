//! Real-time arrivals: the gaps between arrivals of new data at a flow's sink, against a deadline.

use airfair_core::{Span, Time, counters};

counters! {
    /// Arrivals at a flow's sink.
    pub struct ArrivalCounts {
        /// First arrivals of distinct segments at the sink; the first arrival of the flow is excluded.
        arrivals: u64 = "segment",
        /// First arrivals of distinct segments at the sink no later than the deadline after the previous first arrival;
        /// the first arrival of the flow is excluded.
        arrivals_in_time: u64 = "segment",
    }
}

/// Counts the first arrivals of distinct segments, and those within a deadline of the previous one.
///
/// Mamatas & Tsaoussidis, "Effort/Gains dynamics in heterogeneous networks", Section 3: an application that needs a
/// packet at regular intervals. The first arrival has no previous one and does not count.
#[derive(Clone, Debug)]
pub struct DeadlineMonitor {
    /// All arrivals, the first included.
    arrivals: u64,
    deadline: Span,
    in_time: u64,
    previous: Time,
}

/// Stands for the arrival before the first, and makes every arrival after it late: half of 64 bits before any instant.
const LONG_AGO: Time = Time(1 << 63);

impl DeadlineMonitor {
    /// Returns a monitor without arrivals. An arrival is in time if it comes no later than `deadline` after the
    /// previous one.
    pub fn new(deadline: Span) -> DeadlineMonitor {
        DeadlineMonitor {
            deadline: deadline.min(Span(i64::MAX as u64)),
            previous: LONG_AGO,
            arrivals: 0,
            in_time: 0,
        }
    }

    /// Notes that new data arrives at `now`.
    #[inline]
    pub fn note(&mut self, now: Time) {
        self.arrivals += 1;
        self.in_time += u64::from(now.0.wrapping_sub(self.previous.0) <= self.deadline.0);
        self.previous = now;
    }

    /// Notes that new data arrives `arrivals` times, at least once: first at `first`, then each time a `step` later.
    pub fn note_row(&mut self, first: Time, step: Span, arrivals: u64) {
        self.note(first);
        let behind = arrivals - 1;
        self.arrivals += behind;
        self.in_time += if step <= self.deadline { behind } else { 0 };
        self.previous = first + step * behind;
    }

    /// Returns the counts so far.
    #[inline]
    pub fn counts(&self) -> ArrivalCounts {
        ArrivalCounts { arrivals: self.arrivals.saturating_sub(1), arrivals_in_time: self.in_time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_runs_from_arrival_to_arrival() {
        let mut monitor = DeadlineMonitor::new(Span(100));
        assert_eq!(monitor.counts(), ArrivalCounts::default());
        for at in [500, 600, 701, 701, 900] {
            monitor.note(Time(at));
        }
        assert_eq!(monitor.counts(), ArrivalCounts { arrivals: 4, arrivals_in_time: 2 });
        for step in [90, 110] {
            let mut row = monitor.clone();
            row.note_row(Time(990), Span(step), 3);
            (0..3).for_each(|number| monitor.note(Time(990 + step * number)));
            assert_eq!((row.counts(), row.previous), (monitor.counts(), monitor.previous));
        }
    }
}
