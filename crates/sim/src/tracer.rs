//! Which series a run records, and the values they take.

use crate::flow::{Endpoint, Flow};
use crate::packet::Packet;
use crate::trace::{Quantity, Series};
use airfair_core::{Span, Time};
use airfair_net::Passage;
use airfair_scenario::resolved::Scenario;
use airfair_wifi::Bss;

/// The series under way, grouped so that each event finds its own at once.
#[derive(Debug)]
pub struct Tracer {
    from: Time,
    /// For each flow, the series of the quantities asked for.
    flows: Vec<Vec<Series>>,
    /// For each link direction, if queues are asked for: its name, and how the number of packets changes, mostly by every
    /// packet's arrival and departure.
    links: Vec<(String, Vec<(Time, i32)>)>,
    /// For each medium, one for each station, if queues are asked for.
    stations: Vec<Vec<Series>>,
}

impl Tracer {
    /// Empty series of these quantities.
    pub fn new(scenario: &Scenario, quantities: &[Quantity], from: Time) -> Tracer {
        let of_flows: Vec<_> = quantities.iter().filter(|&&quantity| quantity != Quantity::Queue).collect();
        let flows = scenario
            .flows
            .iter()
            .map(|flow| of_flows.iter().map(|&&quantity| Series::new(quantity, flow.name.clone())).collect())
            .collect();
        let queue = |subject: &str| Series::new(Quantity::Queue, subject.to_owned());
        let mut tracer = Tracer { from, flows, links: Vec::new(), stations: Vec::new() };
        if quantities.contains(&Quantity::Queue) {
            tracer.links =
                scenario.link_directions().map(|config| (config.name.clone(), Vec::new())).collect();
            tracer.stations = scenario
                .wlans
                .iter()
                .map(|wlan| wlan.bss.stations.iter().map(|station| queue(&station.name)).collect())
                .collect();
        }
        tracer
    }

    /// A flow's sender has just acted.
    pub fn note_sender(&mut self, now: Time, flow: &Flow) {
        let Endpoint::Tcp(tcp) = &flow.endpoint else { return };
        let sender = tcp.sender();
        for series in &mut self.flows[flow.id()] {
            let value = match series.quantity {
                Quantity::Cwnd => Some(sender.cwnd()),
                Quantity::Ssthresh => Some(sender.ssthresh()),
                Quantity::Rtt => sender.srtt().map(Span::as_secs),
                Quantity::Acked => Some(tcp.acked() as f64),
                Quantity::Queue => None,
            };
            if let Some(value) = value {
                series.note(self.from, now, value);
            }
        }
    }

    /// A link accepts a packet at `now`.
    pub fn note_passage(&mut self, now: Time, link: usize, passage: Passage) {
        if let Some((_, changes)) = self.links.get_mut(link) {
            changes.push((now, 1));
            changes.push((passage.departs, -1));
        }
    }

    /// The number of packets that a link with a discipline holds has changed.
    pub fn note_queue(&mut self, now: Time, link: usize, before: u32, after: u32) {
        if let Some((_, changes)) = self.links.get_mut(link)
            && before != after
        {
            changes.push((now, after as i32 - before as i32));
        }
    }

    /// A medium has just acted or been given a frame.
    pub fn note_stations(&mut self, now: Time, air: usize, bss: &Bss<Packet>) {
        let Some(stations) = self.stations.get_mut(air) else { return };
        for (station, series) in stations.iter_mut().enumerate() {
            series.note(self.from, now, f64::from(bss.queue_frames(station as u32)));
        }
    }

    /// All series that have at least one point before `end`.
    pub fn into_series(self, end: Time) -> Vec<Series> {
        let links =
            self.links.into_iter().map(|(name, changes)| queue_of_link(self.from, end, name, changes));
        let all = self.flows.into_iter().flatten().chain(links).chain(self.stations.into_iter().flatten());
        all.filter(|series| !series.points.is_empty()).collect()
    }
}

/// Packets held over time. Departures come before arrivals at the same instant: what leaves makes room.
fn queue_of_link(from: Time, end: Time, name: String, mut changes: Vec<(Time, i32)>) -> Series {
    changes.sort_unstable();
    let mut series = Series::new(Quantity::Queue, name);
    let mut held = 0;
    for (at, change) in changes.into_iter().take_while(|&(at, _)| at < end) {
        held += change;
        series.note(from, at, f64::from(held));
    }
    series
}
