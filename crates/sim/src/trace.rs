//! Time series on request: a value is noted when it changes, from the end of the warm-up on.

use airfair_core::Time;

/// Quantities that can be recorded over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Congestion window of each TCP flow, in segments.
    Cwnd,
    /// Slow-start threshold of each TCP flow, in segments.
    Ssthresh,
    /// Smoothed round-trip time of each TCP flow, in seconds.
    Rtt,
    /// Packets held by each link direction and frames held by each station.
    Queue,
    /// Payload acknowledged of each TCP flow since its start, in bytes.
    Acked,
    /// Packets dropped so far by the queue of each link direction and each station.
    Drops,
    /// Frames that each access point holds for each of its stations.
    Backlog,
    /// Every turn on each medium: not as series, but in [`Record::air`](crate::Record::air).
    Air,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 8] = [
        Quantity::Cwnd,
        Quantity::Ssthresh,
        Quantity::Rtt,
        Quantity::Queue,
        Quantity::Acked,
        Quantity::Drops,
        Quantity::Backlog,
        Quantity::Air,
    ];

    /// Whether it is a quantity of flows.
    pub(crate) fn is_of_flows(self) -> bool {
        !matches!(self, Quantity::Queue | Quantity::Drops | Quantity::Backlog | Quantity::Air)
    }

    /// Its name in commands and tables.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Cwnd => "cwnd",
            Quantity::Ssthresh => "ssthresh",
            Quantity::Rtt => "rtt",
            Quantity::Queue => "queue",
            Quantity::Acked => "acked",
            Quantity::Drops => "drops",
            Quantity::Backlog => "backlog",
            Quantity::Air => "air",
        }
    }

    /// The unit of its values.
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
    /// The quantity.
    pub quantity: Quantity,
    /// The flow, link or station.
    pub subject: String,
    /// Time and value of each change; a value holds until the next point.
    pub points: Vec<(Time, f64)>,
}

impl Series {
    /// An empty series.
    pub fn new(quantity: Quantity, subject: String) -> Series {
        Series { quantity, subject, points: Vec::new() }
    }

    /// Notes a value; only changes take room. Values before `from` are kept as the value at `from`.
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
