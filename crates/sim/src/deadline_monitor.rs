//! Whether a flow's data keeps coming: the gaps between arrivals at its sink.

use airfair_core::{Span, Time};

/// Counts the first arrivals of distinct segments, and those that come soon enough after the one before.
///
/// Mamatas & Tsaoussidis, "Effort/Gains dynamics in heterogeneous networks", Section 3: an application that wants a
/// packet every so often. The very first has none before it and does not count.
#[derive(Clone, Debug)]
pub struct DeadlineMonitor {
    deadline: Span,
    previous: Time,
    counted: u64,
    in_time: u64,
}

impl DeadlineMonitor {
    /// Nothing has arrived; what arrives no later than `deadline` after the one before is in time.
    pub fn new(deadline: Span) -> DeadlineMonitor {
        DeadlineMonitor { deadline, previous: Time::NEVER, counted: 0, in_time: 0 }
    }

    /// Data arrives that had not arrived before.
    #[inline]
    pub fn note(&mut self, now: Time) {
        if self.previous < Time::NEVER {
            self.counted += 1;
            self.in_time += u64::from(now - self.previous <= self.deadline);
        }
        self.previous = now;
    }

    /// How many have arrived after the first.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// How many of them came in time.
    pub fn in_time(&self) -> u64 {
        self.in_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_runs_from_arrival_to_arrival() {
        let mut deadline_monitor = DeadlineMonitor::new(Span(100));
        assert_eq!((deadline_monitor.counted(), deadline_monitor.in_time()), (0, 0));
        for at in [500, 600, 701, 701, 900] {
            deadline_monitor.note(Time(at));
        }
        assert_eq!((deadline_monitor.counted(), deadline_monitor.in_time()), (4, 2));
    }
}
