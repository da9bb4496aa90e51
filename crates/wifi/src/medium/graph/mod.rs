//! One channel on which each station hears some others: EDCA, aggregates and block acks, several networks, hidden stations.
//!
//! Each frame on the air is a transmission of its own. Every station that hears it senses it, and decodes it if nothing else that the station
//! hears disturbs it. [`SharedMedium`](super::SharedMedium) does this with less work where every station hears every other and each exchange
//! carries one frame (DCF); a test holds the two equal there.

mod air;
mod announcements;
mod arrivals;
mod audience;
mod change;
mod delivery;
mod exchange;
mod hearing;
mod log;
mod node;
mod noise;
#[cfg(test)]
mod tests;
mod view;

use airfair_core::{Moment, Phase, Span, Time};

use super::log::Log;
use super::{Brought, Frames};
use crate::config::{Announcement, BssConfig, StationConfig};
use crate::mac::qos::{Announcer, Entered, Link, QosRules, QosStation};
use crate::mac::{Frame, Payload};
use crate::phy::edca::AccessCategory;
use crate::stats::{MediumStats, OccupancyIntegral, StationStats};

use air::{Fate, Start, Transmission};
use audience::Audience;
pub use delivery::Row;
use delivery::{Deliveries, ReorderTimer};
use hearing::Hearing;
use node::Node;
use noise::Noise;
use view::View;

/// The stations on a channel and the air between them.
///
/// Calls must have a `now` that does not decrease, and [`GraphMedium::on_deadline`] must be called at every
/// [`GraphMedium::next_deadline`]. A transmission that is due at `now` starts before a frame that is enqueued at `now`.
#[derive(Debug)]
pub struct GraphMedium<P: Payload> {
    nodes: Vec<Node<P>>,
    /// How each station perceives the air, and behind the stations how the crowds of those that look on do.
    views: Vec<View>,
    audience: Audience,
    /// Stations with something to send.
    contenders: Vec<u32>,
    /// A time before which none of the contenders transmits: mostly a busy medium stops all countdowns, and nobody need be asked.
    access_from: Time,
    /// Frames on the air.
    air: Vec<Transmission>,
    /// Buffer for frames that have just ended, and their fates.
    ended: Vec<(Transmission, Fate)>,
    /// Buffer for the NAVs that frames that have just ended announce, each for one listener.
    navs: Vec<(u32, Time)>,
    /// Number of the last transmission.
    number: u64,
    /// What begins at a set time, whatever else is on the air: frames a SIFS after another, and announcements that become due.
    starts: Vec<(Time, Start)>,
    /// Times at which stations take their frame for unanswered.
    timeouts: Vec<(Time, u32)>,
    reorder_timers: Vec<ReorderTimer>,
    /// Crowds for which a NAV keeps the quiet air busy, and until when. Their countdowns do not begin before, and mostly the frame begins by then
    /// for which the NAV was set.
    reservations: Vec<(Time, u32)>,
    due: Time,
    deliveries: Deliveries<P>,
    /// Stations with scheduled arrivals that have run out of frames.
    emptied: Vec<u32>,
    /// Whether queues may be replaced by others, at which arrivals cannot be scheduled.
    expects_changes: bool,
    /// Stations whose departures are watched.
    watched: Vec<u32>,
    /// Watched stations that frames have left.
    left: Vec<u32>,
    /// Number of stations whose exchange or announcement is on the air.
    active: u32,
    /// Time since which the number of active stations has not changed.
    active_since: Time,
    stats: MediumStats,
    /// Log of turns or frames on the air, if requested.
    log: Option<Box<Log<P>>>,
}

impl<P: Payload> GraphMedium<P> {
    /// Returns the medium at time zero, idle. Its stations are those of the first network, then those of the next. Each draws from its own random
    /// streams.
    ///
    /// # Panics
    /// If a station has no EDCA.
    pub fn new(networks: &[&BssConfig], seed: u64) -> GraphMedium<P> {
        let hearing = Hearing::new(networks);
        let mut nodes: Vec<Node<P>> = Vec::new();
        let mut views = Vec::new();
        for (config, &sensitivity) in networks.iter().zip(&hearing.sensitivities) {
            let network @ (first, _) = (nodes.len() as u32, config.stations.len() as u32);
            let rules = QosRules::new(config);
            let node = |(station, noise): (QosStation<P>, _)| {
                let standard = station.standard();
                views.push(View::new(first, standard, rules.eifs_less_difs, sensitivity));
                Node::new(station, noise, network, rules.of(standard))
            };
            nodes.extend(stations(config, seed).map(node));
            let announces = |Announcement { kind, .. }: &Announcement| !kind.is_beacon();
            let gets_broadcasts = config.announcements.iter().any(announces);
            nodes[first as usize..].iter_mut().for_each(|node| node.gets_broadcasts = gets_broadcasts);
            nodes[first as usize].announcers = Announcer::all(config, &rules, seed);
        }
        let (audience, crowds) = Audience::new(hearing.listeners, &mut views);
        for (node, crowd) in nodes.iter_mut().zip(crowds) {
            (node.listens_by, node.crowd) = (crowd, crowd);
        }
        let mut medium = GraphMedium {
            nodes,
            views,
            audience,
            contenders: Vec::new(),
            access_from: Time::NEVER,
            air: Vec::new(),
            ended: Vec::new(),
            navs: Vec::new(),
            number: 0,
            starts: Vec::new(),
            timeouts: Vec::new(),
            reorder_timers: Vec::new(),
            reservations: Vec::new(),
            due: Time::NEVER,
            deliveries: Deliveries::new(),
            emptied: Vec::new(),
            expects_changes: false,
            watched: Vec::new(),
            left: Vec::new(),
            active: 0,
            active_since: Time::ZERO,
            stats: MediumStats::default(),
            log: None,
        };
        for station in 0..medium.nodes.len() as u32 {
            medium.attend_if_occupied(station);
        }
        medium.schedule_announcements();
        medium.plan();
        medium
    }

    /// Adds a frame of this access category (`None`: the station's usual one) to the interface queue of station `from`. Returns `false` if the
    /// queue drops it, or another frame for it. The frame names its destination by its number in the network.
    ///
    /// # Panics
    /// If `from` is no station, or the frame's destination is no station of its network or is `from`.
    pub fn enqueue(
        &mut self,
        now: Time,
        from: u32,
        category: Option<AccessCategory>,
        frame: Frame<P>,
    ) -> bool {
        self.advance(now);
        let idle_now = self.view(from).idle.filter(|idle| idle.is_idle(now));
        let node = &mut self.nodes[from as usize];
        let is_there = frame.to < node.stations && node.on_channel(frame.to) != from;
        assert!(is_there, "no way to {}", frame.to);
        let Entered { accepted, contends } =
            node.station.enqueue(now, category, frame, idle_now, &node.rules);
        self.note_departures(from);
        // A frame behind others changes nothing on the air.
        if contends {
            self.update_access(from);
            self.plan();
        }
        accepted
    }

    /// Returns when [`GraphMedium::on_deadline`] is next due; [`Time::NEVER`] if the air stays idle.
    pub fn next_deadline(&self) -> Time {
        self.due.min(self.deliveries.due())
    }

    /// Processes the events due at `now`. Returns what they have brought.
    pub fn on_deadline(&mut self, now: Time) -> Brought {
        self.advance(now);
        let frames = if self.deliveries.due() < Time::NEVER { Frames::Row } else { Frames::None };
        // Answers to the frames that are delivered now come behind all that has come at this instant. Admitting that when the first answer is
        // scheduled would be too late: others, which may come before it, have been scheduled by then.
        for to in self.deliveries.receivers() {
            self.nodes[to as usize].station.admit_until(Moment::new(now, Phase::LAST));
        }
        Brought { frames, emptied: !self.emptied.is_empty() }
    }

    /// Keeps the frames that leave `station` from now on, for [`GraphMedium::poll_departure`]. Nothing may have happened yet.
    pub fn watch_departures(&mut self, station: u32) {
        self.nodes[station as usize].station.watch_departures();
        self.watched.push(station);
    }

    /// Whether the departures of any station are [watched](GraphMedium::watch_departures).
    pub fn is_watched(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Returns a frame that has left a watched station: it was acknowledged, given up or dropped.
    pub fn poll_departure(&mut self) -> Option<P> {
        while let Some(&station) = self.left.last() {
            let departure = self.nodes[station as usize].station.poll_departure();
            if departure.is_some() {
                return departure;
            }
            self.left.pop();
        }
        debug_assert!(
            !self.watched.iter().any(|&station| self.nodes[station as usize].station.has_departures())
        );
        None
    }

    /// Notes whether frames of `station` have left it.
    #[inline]
    fn note_departures(&mut self, station: u32) {
        if self.nodes[station as usize].station.has_departures() && self.left.last() != Some(&station) {
            self.left.push(station);
        }
    }

    /// Returns the number of frames that `station` holds, those on the air included.
    pub fn queue_frames(&self, station: u32) -> u32 {
        self.nodes[station as usize].station.held()
    }

    /// Returns the counts of `station`.
    pub fn station_stats(&self, station: u32) -> StationStats {
        self.nodes[station as usize].station.stats()
    }

    /// Returns the counts of the medium.
    pub fn medium_stats(&self) -> &MediumStats {
        &self.stats
    }

    /// Returns the airtime of the attempts of `station` until `now`.
    pub fn airtime(&self, now: Time, station: u32) -> Span {
        let Node { station, exchange, .. } = &self.nodes[station as usize];
        let under_way = exchange.as_ref().filter(|exchange| exchange.is_on_air);
        station.stats.airtime + under_way.map_or(Span::ZERO, |exchange| now.since(exchange.start))
    }

    /// Returns the time with at least one exchange on the air until `now`.
    pub fn busy(&self, now: Time) -> Span {
        self.stats.busy + if self.active > 0 { now.since(self.active_since) } else { Span::ZERO }
    }

    /// Returns the number of frames that `station` has held, integrated over time until `now`.
    pub fn occupancy(&self, now: Time, station: u32) -> OccupancyIntegral {
        self.nodes[station as usize].station.occupancy(now)
    }

    /// Lets everything due until `now` happen.
    fn advance(&mut self, now: Time) {
        while self.due <= now {
            let at = self.due;
            self.end_transmissions(at);
            self.end_reservations(at);
            self.end_waits(at);
            self.start_transmissions(at);
            self.plan();
        }
    }

    /// Finds the next instant at which something happens.
    fn plan(&mut self) {
        let ends = self.air.iter().map(|transmission| transmission.end);
        let starts = self.starts.iter().map(|(at, _)| *at);
        let timeouts = self.timeouts.iter().map(|(at, _)| *at);
        let timers = self.reorder_timers.iter().map(|timer| timer.at);
        let reservations = self.reservations.iter().map(|(at, _)| *at);
        let all = ends.chain(starts).chain(timeouts).chain(timers).chain(reservations);
        self.due = all.min().unwrap_or(Time::NEVER);
        let mut accesses = self.contenders.iter().map(|&station| self.nodes[station as usize].access_at);
        if self.access_from >= self.due {
            debug_assert!(accesses.all(|at| at >= self.access_from));
        } else {
            self.access_from = accesses.min().unwrap_or(Time::NEVER);
            self.due = self.due.min(self.access_from);
        }
    }

    /// Changes the number of exchanges on the air by one, and counts busy time and overlap up to `now`.
    fn change_active(&mut self, now: Time, begins: bool) {
        let elapsed = now.since(self.active_since);
        if self.active > 0 {
            self.stats.busy += elapsed;
            self.stats.overlap += elapsed.times(self.active - 1);
        }
        self.active_since = now;
        self.active = if begins { self.active + 1 } else { self.active - 1 };
    }
}

/// Returns the stations of a network, and the noise between each and its access point.
fn stations<P: Payload>(
    config: &BssConfig,
    seed: u64,
) -> impl Iterator<Item = (QosStation<P>, Option<Box<Noise>>)> {
    let qos_of = |station: &StationConfig| station.qos.clone().expect("a station has EDCA");
    // Only the access point has a link to each of several receivers.
    let link = move |station: &StationConfig, down| Link::new(station, &qos_of(station), down, seed);
    let mut links: Vec<_> = config.stations.iter().map(|station| link(station, true)).collect();
    config.stations.iter().map(move |station| {
        let links = std::mem::take(&mut links);
        let links = if links.is_empty() { vec![link(station, false)] } else { links };
        let qos = qos_of(station);
        (QosStation::new(station, &qos, &links, &config.phy, seed), Noise::of(station, seed))
    })
}
