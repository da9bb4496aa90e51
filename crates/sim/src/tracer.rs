//! The series of a run, and their values.

use crate::channel::{Channel, OnChannel};
use crate::flow::{Endpoint, Flow};
use crate::trace::{Quantity, Series};
use airfair_core::{Span, Time};
use airfair_net::Transit;
use airfair_scenario::resolved::Scenario;

/// The series of the run, grouped by the component that changes them.
#[derive(Clone, Debug, Default)]
pub struct Tracer {
    from: Time,
    /// For each flow, the requested series.
    flows: Vec<Vec<Series>>,
    /// For each link direction, if queues are requested: its name, and changes of the number of packets, mostly by
    /// arrivals and departures.
    links: Vec<(String, Vec<(Time, i32)>)>,
    /// For each link direction, the packets dropped so far, if drops are requested.
    link_drops: Vec<Series>,
    /// For each WLAN and station, the frames held, if queues are requested.
    stations: Vec<Vec<Series>>,
    /// For each WLAN and station, the frames dropped so far, if drops are requested.
    station_drops: Vec<Vec<Series>>,
    /// For each WLAN, if requested, the frames that its access point holds for each station.
    backlogs: Vec<Vec<Series>>,
    /// A buffer to count in.
    counts: Vec<u32>,
}

impl Tracer {
    /// Returns empty series of these quantities, which begin at `from`.
    pub fn new(scenario: &Scenario, quantities: &[Quantity], from: Time) -> Tracer {
        let of_flows: Vec<_> = quantities.iter().filter(|quantity| quantity.is_of_flows()).collect();
        let flows = scenario
            .flows
            .iter()
            .map(|flow| of_flows.iter().map(|&&quantity| Series::new(quantity, flow.name.clone())).collect())
            .collect();
        let if_asked = |quantity| quantities.contains(&quantity);
        let of_stations = |quantity: Quantity| -> Vec<Vec<Series>> {
            let wlans = scenario.wlans.iter().filter(|_| if_asked(quantity));
            wlans
                .map(|wlan| {
                    let names = wlan.bss.stations.iter().map(|station| station.name.clone());
                    names.map(|name| Series::new(quantity, name)).collect()
                })
                .collect()
        };
        let links = || scenario.link_directions().map(|config| config.name.clone());
        Tracer {
            from,
            flows,
            links: links().filter(|_| if_asked(Quantity::Queue)).map(|name| (name, Vec::new())).collect(),
            link_drops: links()
                .filter(|_| if_asked(Quantity::Drops))
                .map(|name| Series::new(Quantity::Drops, name))
                .collect(),
            stations: of_stations(Quantity::Queue),
            station_drops: of_stations(Quantity::Drops),
            backlogs: of_stations(Quantity::Backlog),
            counts: Vec::new(),
        }
    }

    /// Notes the values of a flow's sender. Call it after the sender has acted.
    pub fn note_sender(&mut self, now: Time, flow: &Flow) {
        let Endpoint::Tcp(tcp) = &flow.endpoint else { return };
        let sender = tcp.sender();
        for series in &mut self.flows[flow.id()] {
            let value = match series.quantity {
                Quantity::Cwnd => Some(sender.cwnd()),
                Quantity::Ssthresh => Some(sender.ssthresh()),
                Quantity::Rtt => sender.srtt().map(Span::as_secs),
                Quantity::Acked => Some(tcp.acked_and_delivered(&flow.sessions)[0] as f64),
                Quantity::Queue | Quantity::Drops | Quantity::Backlog | Quantity::Air => None,
            };
            if let Some(value) = value {
                series.note(self.from, now, value);
            }
        }
    }

    /// Notes the number of packets that a link has dropped so far.
    pub fn note_drops(&mut self, now: Time, link: usize, dropped: u64) {
        if let Some(series) = self.link_drops.get_mut(link) {
            series.note(self.from, now, dropped as f64);
        }
    }

    /// Notes that a link accepts a packet at `now`, and when the packet departs.
    pub fn note_transit(&mut self, now: Time, link: usize, transit: Transit) {
        if let Some((_, changes)) = self.links.get_mut(link) {
            changes.push((now, 1));
            changes.push((transit.departs, -1));
        }
    }

    /// Notes that the number of packets that a link with a discipline holds may have changed.
    pub fn note_queue(&mut self, now: Time, link: usize, before: u32, after: u32) {
        if let Some((_, changes)) = self.links.get_mut(link)
            && before != after
        {
            changes.push((now, after as i32 - before as i32));
        }
    }

    /// Notes the queues of all stations on a channel. Call it after the medium has acted or been given a frame.
    pub fn note_stations(&mut self, now: Time, channel: &Channel) {
        for (wlan, network) in channel.networks() {
            self.note_network(now, wlan, network);
        }
    }

    fn note_network(&mut self, now: Time, wlan: usize, network: OnChannel) {
        let (medium, stations) = network.stations();
        for (station, series) in stations.clone().zip(self.stations.get_mut(wlan).into_iter().flatten()) {
            series.note(self.from, now, f64::from(medium.queue_frames(station)));
        }
        for (station, series) in stations.clone().zip(self.station_drops.get_mut(wlan).into_iter().flatten())
        {
            let stats = medium.station_stats(station);
            series.note(self.from, now, stats.queue.dropped() as f64);
        }
        if let Some(backlog) = self.backlogs.get_mut(wlan) {
            self.counts.resize(backlog.len(), 0);
            medium.frames_for(stations.start, &mut self.counts);
            for (series, &held) in backlog.iter_mut().zip(&self.counts) {
                series.note(self.from, now, f64::from(held));
            }
        }
    }

    /// Whether the tracer must see each frame that a station is given.
    pub fn watches_stations(&self) -> bool {
        [&self.stations, &self.station_drops, &self.backlogs].iter().any(|series| !series.is_empty())
    }

    /// Returns the number of points noted so far.
    pub fn samples(&self) -> usize {
        let stations = [&self.stations, &self.station_drops, &self.backlogs].into_iter().flatten();
        let series = self.flows.iter().chain(stations).flatten().chain(&self.link_drops);
        let links = self.links.iter().map(|(_, changes)| changes.len());
        series.map(|series| series.points.len()).chain(links).sum()
    }

    /// Returns all series with at least one point. Queues of links have no points at `end` or later.
    pub fn into_series(self, end: Time) -> Vec<Series> {
        let links =
            self.links.into_iter().map(|(name, changes)| queue_of_link(self.from, end, name, changes));
        let stations = [self.stations, self.station_drops, self.backlogs].into_iter().flatten().flatten();
        let all = self.flows.into_iter().flatten().chain(links).chain(self.link_drops).chain(stations);
        all.filter(|series| !series.points.is_empty()).collect()
    }
}

/// Returns the series of packets held by a link. Departures come before arrivals at one instant, because they make
/// room.
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
