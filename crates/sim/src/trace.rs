//! Time series on request: a value is noted when it changes, from the end of the warm-up on.

use airfair_core::{Time, words};

words! {
    /// Quantities that can be recorded over time.
    #[derive(PartialOrd, Ord)]
    pub enum Quantity {
        /// Congestion window of each TCP flow, in segments.
        Cwnd = "cwnd",
        /// Slow-start threshold of each TCP flow, in segments.
        Ssthresh = "ssthresh",
        /// Smoothed round-trip time of each TCP flow, in seconds.
        Rtt = "rtt",
        /// Packets held by each link direction and frames held by each station.
        Queue = "queue",
        /// Payload acknowledged of each TCP flow since its start, in bytes.
        Acked = "acked",
        /// Packets dropped so far by the queue of each link direction and each station.
        Drops = "drops",
        /// Frames that each access point holds for each of its stations.
        Backlog = "backlog",
        /// Every turn on each medium: not as series, but in [`Record::air`](crate::Record::air).
        Air = "air",
    }
}

impl Quantity {
    /// Whether flows have this quantity.
    pub(crate) fn is_of_flows(self) -> bool {
        !matches!(self, Quantity::Queue | Quantity::Drops | Quantity::Backlog | Quantity::Air)
    }

    /// Returns the unit of the quantity's values.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Cwnd | Quantity::Ssthresh => "segment",
            Quantity::Rtt => "s",
            Quantity::Queue | Quantity::Drops | Quantity::Backlog => "packet",
            Quantity::Acked => "byte",
            Quantity::Air => "turn",
        }
    }
}

/// One quantity of one flow, link or station over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The quantity that the values are of.
    pub quantity: Quantity,
    /// Name of the flow, link direction or station.
    pub subject: String,
    /// Time and value of each change; a value holds until the next point.
    pub points: Vec<(Time, f64)>,
}

impl Series {
    /// Returns a series without points.
    pub fn new(quantity: Quantity, subject: String) -> Series {
        Series { quantity, subject, points: Vec::new() }
    }

    /// Notes a value at `now`. Only a change adds a point. A value before `from` counts as the value at `from`.
    pub fn note(&mut self, from: Time, now: Time, value: f64) {
        let at = now.max(from);
        self.points.pop_if(|last| last.0 == at);
        if self.points.last().is_none_or(|last| last.1 != value) {
            self.points.push((at, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_kept_and_warm_up_is_folded_into_its_end() {
        let mut series = Series::new(Quantity::Cwnd, "flow".into());
        for (now, value) in [(1, 2.0), (5, 3.0), (12, 3.0), (14, 4.0), (14, 5.0)] {
            series.note(Time(10), Time(now), value);
        }
        assert_eq!(series.points, [(Time(10), 3.0), (Time(14), 5.0)]);
    }

    #[test]
    fn what_is_undone_at_the_same_instant_is_no_change() {
        let mut series = Series::new(Quantity::Queue, "link".into());
        for (now, value) in [(1, 3.0), (5, 2.0), (5, 3.0), (7, 1.0)] {
            series.note(Time(0), Time(now), value);
        }
        assert_eq!(series.points, [(Time(1), 3.0), (Time(7), 1.0)]);
    }
}
