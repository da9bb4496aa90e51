//! The configuration of a queue.

use crate::discipline::{Configured, DISCIPLINES, Description, Parameter};
use airfair_core::Rate;
use airfair_core::schema::{Component, Described, Refused, Value, Visitor};
use std::fmt;
use std::sync::Arc;

/// Configuration of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueConfig {
    /// Limit of the queue.
    pub limit: QueueLimit,
    /// Discipline of the queue.
    pub discipline: Discipline,
    /// Rate of the link or station that the queue feeds: some disciplines depend on the rate at which packets leave.
    pub rate: Rate,
    /// Stations whose airtime has another weight than [`AIRTIME_WEIGHT`], each once. Disciplines that do not share the air ignore this.
    pub weights: Vec<(u32, u16)>,
}

/// The usual weight of a station's airtime (mac80211's `IEEE80211_DEFAULT_AIRTIME_WEIGHT`).
pub const AIRTIME_WEIGHT: u16 = 256;

/// The limit of a queue, the packet in transmission included.
///
/// ns-2's DropTail with limit L holds L - 1 waiting packets and one in transmission: the same L. (Its RED differs;
/// see [`Red`](crate::discipline::Red).)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// A limit in packets.
    Packets(u32),
    /// A limit in bytes, by the lengths that the packets report.
    Bytes(u64),
}

/// A discipline with values of its parameters.
#[derive(Clone, PartialEq)]
pub struct Discipline {
    given: Configured,
    /// Labels of the flows that packets may belong to, by flow number.
    labels: Arc<[FlowLabels]>,
}

/// What disciplines see of a flow in its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowLabels {
    /// The host that the packets come from.
    pub source: u32,
    /// The host that the packets go to.
    pub destination: u32,
    /// Differentiated Services code point (RFC 2474).
    pub dscp: u8,
}

impl FlowLabels {
    /// Returns the labels of packets with this [`flow`](crate::Queued::flow), from a table of flows that has the sender of their data as
    /// the source. Packets of a flow that the table does not have come from nowhere and go to the station.
    pub(crate) fn of(table: &[FlowLabels], flow: u64, station: u32) -> FlowLabels {
        let unknown = FlowLabels { source: u32::MAX, destination: station, dscp: 0 };
        let Some(&labels) = table.get((flow >> 33) as usize) else { return unknown };
        let FlowLabels { source, destination, dscp } = labels;
        if flow & 1 == 1 { labels } else { FlowLabels { source: destination, destination: source, dscp } }
    }
}

impl Discipline {
    /// Returns the discipline of this name with its defaults.
    pub fn named(name: &str) -> Option<Discipline> {
        let description = DISCIPLINES.iter().find(|discipline| discipline.name == name)?;
        Some(Discipline::of(description))
    }

    pub(crate) fn of(description: &'static Description) -> Discipline {
        Discipline { given: Configured::new(description, |default| default), labels: Arc::default() }
    }

    /// Returns the discipline's name.
    pub fn name(&self) -> &'static str {
        self.given.description().name()
    }

    /// Returns the discipline's parameters.
    pub fn parameters(&self) -> &'static [Parameter] {
        self.given.description().parameters()
    }

    /// Returns the name of the parameter that makes the discipline hold packets back, and its rate. `None` if it has no shaper, or that is off.
    pub fn shaper(&self) -> Option<(&'static str, Rate)> {
        let shaper = self.given.description().shaper?;
        Some((shaper.name, self.given.rate_if_set(shaper)?))
    }

    /// Whether the discipline hands out no packets of a station that a driver [holds back](crate::Queue::hold).
    pub fn holds_stations(&self) -> bool {
        self.given.description().holds_stations
    }

    /// Returns the value of the parameter of this name, if the discipline has one.
    pub fn value(&self, name: &str) -> Option<Value> {
        self.given.value(name)
    }

    /// Sets parameters, checked one by one and then together.
    ///
    /// # Errors
    /// When the discipline has no parameter of a given name, or a value is not allowed, or values contradict each other. Nothing is set
    /// then.
    pub fn set(&mut self, values: &[(&str, Value)]) -> Result<(), Refused> {
        self.given.set(values)
    }

    /// Sets the labels of all flows, by their numbers. Drop-tail ignores them.
    pub fn set_labels(&mut self, labels: &Arc<[FlowLabels]>) {
        if *self != Discipline::default() {
            self.labels = Arc::clone(labels);
        }
    }

    /// Returns the labels of all flows, by their numbers.
    pub(crate) fn labels(&self) -> &Arc<[FlowLabels]> {
        &self.labels
    }

    /// Returns the values of all parameters.
    pub fn given(&self) -> &Configured {
        &self.given
    }
}

/// The default: first in, first out, with drops when the queue is full.
impl Default for Discipline {
    fn default() -> Discipline {
        Discipline::of(&DISCIPLINES[0])
    }
}

impl Component for Discipline {
    fn visit(&self, visitor: &mut dyn Visitor) {
        self.given.visit(visitor);
    }
}

/// Shows name and parameters.
impl fmt::Debug for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.given.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flow 1 is from host 7 to host 9.
    #[test]
    fn labels_are_of_a_flow_and_a_direction() {
        let table =
            [(1, 2), (7, 9)].map(|(source, destination)| FlowLabels { source, destination, dscp: 46 });
        let of = |flow| FlowLabels::of(&table, flow, 5);
        assert_eq!(of(1 << 33 | 6 | 1), table[1]);
        assert_eq!(of(1 << 33 | 6), FlowLabels { source: 9, destination: 7, dscp: 46 });
        assert_eq!(of(2 << 33), FlowLabels { source: u32::MAX, destination: 5, dscp: 0 });
    }

    #[test]
    fn the_default_is_drop_tail() {
        assert_eq!(Some(Discipline::default()), Discipline::named("drop_tail"));
        assert_eq!(format!("{:?}", Discipline::default()), "drop_tail");
        assert_eq!(Discipline::named("drop-tail"), None);
    }
}
