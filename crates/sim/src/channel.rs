//! A channel: its medium, the stacks of its hosts, and the middleboxes of its access points (RFC 3234).

use crate::engine::Recordings;
use crate::packet::{Body, Packet};
use crate::record::{PolicerCounts, StationCounts};
use crate::route::WlanHop;
use crate::trace::Quantity;
use airfair_core::{Span, Time};
use airfair_queue::{Policer, WindowControl};
use airfair_scenario::resolved::{self, Scenario};
use airfair_wifi::{
    Arrivals, Frame, LoggedFrame, Medium, OccupancyIntegral, QueueDelay, ScheduledArrival, StationStats, Turn,
};
use std::ops::Range;

/// A channel: the wireless networks that share the air. Stations are numbered as on the medium, across all its networks.
#[derive(Debug)]
pub struct Channel {
    /// The shared medium of the channel's networks.
    pub medium: Medium<Packet>,
    networks: Vec<Member>,
    /// The host of each station.
    hosts: Vec<Host>,
}

/// A station's host.
#[derive(Debug)]
struct Host {
    /// Delay of the host's stack.
    stack_delay: Span,
    /// The middlebox, which few access points and no other stations have.
    middlebox: Option<Box<Middlebox>>,
}

/// A wireless network's place on its channel.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Number of the network in the scenario.
    wlan: usize,
    access_point: u32,
    stations: u32,
}

/// An access point's policer and window control.
#[derive(Debug, Default)]
struct Middlebox {
    policer: Option<Policer>,
    policer_counts: PolicerCounts,
    window_control: Option<WindowControl>,
}

impl Channel {
    /// Returns all channels of a scenario, idle.
    pub fn all(scenario: &Scenario, seed: u64) -> Vec<Channel> {
        scenario.channels().iter().map(|wlans| Channel::new(scenario, wlans, seed)).collect()
    }

    fn new(scenario: &Scenario, wlans: &[usize], seed: u64) -> Channel {
        let configs: Vec<_> = wlans.iter().map(|&wlan| &scenario.wlans[wlan]).collect();
        let mut hosts = Vec::new();
        let mut networks = Vec::with_capacity(wlans.len());
        for (&wlan, config) in wlans.iter().zip(&configs) {
            let (access_point, stations) = (hosts.len() as u32, config.bss.stations.len() as u32);
            networks.push(Member { wlan, access_point, stations });
            let stack_delay = config.stack.host_delay;
            hosts.extend((0..stations).map(|_| Host { stack_delay, middlebox: None }));
            let middlebox = Middlebox {
                policer: config.policer.as_ref().map(Policer::new),
                window_control: config.window_control.map(WindowControl::new),
                ..Middlebox::default()
            };
            if middlebox.policer.is_some() || middlebox.window_control.is_some() {
                hosts[access_point as usize].middlebox = Some(Box::new(middlebox));
            }
        }
        let bsss: Vec<_> = configs.iter().map(|config| &config.bss).collect();
        Channel { medium: Medium::new(&bsss, seed), networks, hosts }
    }

    /// Prepares for a policer, a window control or another queue discipline that an access point may get during the run. Call it at
    /// time zero.
    pub fn expect_changes(&mut self, wlans: &[resolved::Wlan], seed: u64) {
        for network in self.networks.clone() {
            self.medium.expect_changes(&wlans[network.wlan].bss, seed);
            self.middlebox_or_insert(network.access_point);
        }
    }

    /// Changes settings from those of `old` to those of `new`.
    pub fn change(&mut self, now: Time, old: &[resolved::Wlan], new: &[resolved::Wlan], seed: u64) {
        for network in self.networks.clone() {
            let (old, new) = (&old[network.wlan], &new[network.wlan]);
            if old.bss != new.bss {
                self.medium.change(now, network.access_point, &new.bss, seed);
            }
            let middlebox = self.middlebox_or_insert(network.access_point);
            if old.policer != new.policer {
                middlebox.policer = new.policer.as_ref().map(|config| {
                    let mut policer =
                        middlebox.policer.take().unwrap_or_else(|| Policer::starting(now, config));
                    policer.change(now, config);
                    policer
                });
            }
            if old.window_control != new.window_control {
                middlebox.window_control = new.window_control.map(WindowControl::new);
            }
        }
    }

    fn middlebox_or_insert(&mut self, access_point: u32) -> &mut Middlebox {
        self.hosts[access_point as usize].middlebox.get_or_insert_default()
    }

    fn has_middlebox(&self, station: u32) -> bool {
        self.hosts[station as usize].middlebox.is_some()
    }

    /// Whether a station is the access point of its network.
    pub fn is_access_point(&self, station: u32) -> bool {
        self.networks.iter().any(|network| network.access_point == station)
    }

    /// Returns the delay of the stack of a station's host between its interface queue and the layers above, in either direction.
    #[inline]
    pub fn stack_delay(&self, station: u32) -> Span {
        self.hosts[station as usize].stack_delay
    }

    /// Returns the number of stations, access points included.
    pub fn stations(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// Whether arrivals can be scheduled at the queue of station `from`: no middlebox changes packets on arrival.
    pub fn accepts_scheduled_arrivals(&self, from: u32) -> bool {
        self.medium.accepts_scheduled_arrivals(from) && !self.has_middlebox(from)
    }

    /// Starts to log all that `recordings` need. Call it at time zero.
    pub fn keep_for(&mut self, recordings: Recordings) {
        if recordings.traces.contains(&Quantity::Air) {
            self.medium.log_turns();
        }
        if recordings.frames {
            self.medium.log_frames();
        }
        for network in &self.networks {
            if recordings.traces.contains(&Quantity::Backlog) {
                self.medium.watch_receivers(network.access_point);
            }
            if recordings.ap_queue_delays {
                self.medium.log_queue_delays(network.access_point);
            }
        }
    }

    /// Removes the frames on the air that were recorded so far. `take` gets each frame with the number of its network in the
    /// scenario; the frame's stations are numbered as in that network.
    pub fn take_frames(&mut self, take: &mut impl FnMut(usize, LoggedFrame<Packet>)) {
        let Channel { medium, networks, .. } = self;
        medium.take_frames(|frame| {
            let is_of = |network: &&Member| {
                (0..network.stations).contains(&frame.from.wrapping_sub(network.access_point))
            };
            let Member { wlan, access_point, .. } =
                *networks.iter().find(is_of).expect("a station has a network");
            let (from, to) = (frame.from - access_point, frame.to - access_point);
            take(wlan, LoggedFrame { from, to, ..frame });
        });
    }

    /// Returns the number of turns on the air and queueing delays that are kept so far.
    pub fn samples(&self) -> usize {
        let delays = |network: &Member| self.medium.queue_delays(network.access_point).len();
        self.medium.turns().len() + self.networks.iter().map(delays).sum::<usize>()
    }

    /// Brings all counts of the medium up to `now`. [`OnChannel::counts`] reads them.
    pub fn settle(&mut self, now: Time) {
        self.medium.settle(now);
    }

    /// Returns the channel's networks with their numbers in the scenario.
    pub fn networks(&self) -> impl Iterator<Item = (usize, OnChannel<'_>)> {
        self.networks.iter().map(|network| (network.wlan, OnChannel { channel: self, network }))
    }

    /// Puts a packet into the interface queue of the station that sends it over this hop; the queue counts its drops.
    #[inline]
    pub fn enqueue(&mut self, now: Time, hop: &WlanHop, mut packet: Packet) {
        let &WlanHop { from, to, category, .. } = hop;
        if let Some(middlebox) = &mut self.hosts[from as usize].middlebox {
            middlebox.cap_receive_window(now, &mut packet);
        }
        self.medium.enqueue(now, from, category, Frame { to, bytes: packet.bytes, payload: packet });
    }

    /// Schedules the arrival of a packet at the interface queue of the station that sends it over this hop.
    #[inline]
    pub fn schedule_arrival(&mut self, hop: &WlanHop, due: Time, packet: &Packet) -> ScheduledArrival {
        let &WlanHop { from, to, category, .. } = hop;
        self.medium.schedule_arrival(from, due, category, Frame { to, bytes: packet.bytes, payload: packet })
    }

    /// Like [`Channel::schedule_arrival`], but for several packets over this hop. `None` if these must be scheduled one by one.
    #[inline]
    pub fn arrivals(&mut self, hop: &WlanHop) -> Option<Arrivals<'_, Packet>> {
        let &WlanHop { from, to, category, scheduled, .. } = hop;
        if scheduled { self.medium.arrivals(from, category, to) } else { None }
    }

    /// Handles a packet that has arrived over the air at station `to`. Returns when the packet leaves the host's stack; `None` if
    /// the middlebox drops it. `to_wire` returns whether the step at an index is over a wire.
    #[inline(always)]
    pub fn pass(
        &mut self,
        now: Time,
        to: u32,
        packet: &mut Packet,
        to_wire: impl FnOnce(u32) -> bool,
    ) -> Option<Time> {
        packet.at += 1;
        let Host { stack_delay, middlebox } = &mut self.hosts[to as usize];
        let leaves = now.plus(*stack_delay);
        match middlebox {
            Some(middlebox) => middlebox.admits(now, leaves, packet, to_wire).then_some(leaves),
            None => Some(leaves),
        }
    }

    /// Returns the delay of the stack of a station's host; `None` if a middlebox looks at the packets that the station receives.
    pub fn delay_without_middlebox(&self, station: u32) -> Option<Span> {
        (!self.has_middlebox(station)).then(|| self.stack_delay(station))
    }
}

/// A wireless network on its channel, for readings.
#[derive(Clone, Copy, Debug)]
pub struct OnChannel<'a> {
    channel: &'a Channel,
    network: &'a Member,
}

impl OnChannel<'_> {
    /// Returns the medium, and the numbers that the network's stations have there.
    pub fn stations(&self) -> (&Medium<Packet>, Range<u32>) {
        let Member { access_point, stations, .. } = *self.network;
        (&self.channel.medium, access_point..access_point + stations)
    }

    /// Returns the counts of each station at `now`. Call [`Channel::settle`] first.
    pub fn counts(&self, now: Time) -> Vec<StationCounts> {
        let (medium, stations) = self.stations();
        stations.map(|station| station_counts(medium, station, now)).collect()
    }

    /// Returns the time that the medium was busy until `now`.
    pub fn busy(&self, now: Time) -> Span {
        self.channel.medium.busy(now)
    }

    /// Returns the counts of the access point's policer; all zero if it has no middlebox.
    pub fn policer_counts(&self) -> PolicerCounts {
        let middlebox = &self.channel.hosts[self.network.access_point as usize].middlebox;
        middlebox.as_ref().map_or_else(PolicerCounts::default, |middlebox| middlebox.policer_counts)
    }

    /// Returns the delays of the last `served` packets in the access point's queue.
    pub fn queue_delays(&self, served: u64) -> &[QueueDelay] {
        let delays = self.channel.medium.queue_delays(self.network.access_point);
        &delays[delays.len().saturating_sub(served as usize)..]
    }

    /// Returns the network's turns on the air that end after `from`. Stations are numbered as in the network.
    pub fn turns(&self, from: Time) -> Vec<Turn> {
        let (medium, stations) = self.stations();
        let own = medium.turns().iter().filter(|turn| turn.end > from && stations.contains(&turn.from));
        own.map(|turn| Turn { from: turn.from - stations.start, to: turn.to - stations.start, ..*turn })
            .collect()
    }
}

impl Middlebox {
    /// Whether a packet that comes from the air at `now` passes. It leaves the host's stack at `leaves`, and the policer stands behind the stack,
    /// before the wire. The packet's receive window may be lowered.
    #[inline(never)]
    fn admits(
        &mut self,
        now: Time,
        leaves: Time,
        packet: &mut Packet,
        to_wire: impl FnOnce(u32) -> bool,
    ) -> bool {
        self.cap_receive_window(now, packet);
        !to_wire(packet.at) || !self.drops(leaves, packet)
    }

    /// Notes the packet's connection, and caps the receive window of an ACK at the connection's share of the buffer. A datagram has
    /// no window and no share.
    fn cap_receive_window(&mut self, now: Time, packet: &mut Packet) {
        let Some(control) = &mut self.window_control else { return };
        if matches!(packet.body, Body::Datagram { .. } | Body::Media(_) | Body::Report { .. }) {
            return;
        }
        control.see(now, packet.connection_id());
        if let Body::Ack(ack) = &mut packet.body {
            ack.window = ack.window.min(control.receive_window(now));
        }
    }

    /// Whether the policer, if any, drops a packet that reaches it at `at`.
    fn drops(&mut self, at: Time, packet: &Packet) -> bool {
        let Some(policer) = &mut self.policer else { return false };
        let drops = !policer.admits(at, packet.bytes);
        self.policer_counts.offered += 1;
        self.policer_counts.dropped += u64::from(drops);
        drops
    }
}

fn station_counts(medium: &Medium<Packet>, station: u32, now: Time) -> StationCounts {
    let OccupancyIntegral { held, waiting } = medium.occupancy(now, station);
    StationCounts {
        frames: StationStats { airtime: medium.airtime(now, station), ..medium.station_stats(station) },
        held_integral: held,
        waiting_integral: waiting,
    }
}
