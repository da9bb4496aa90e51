//! A wireless network in the world: its medium, the stacks of its hosts, and the middlebox of its access point (RFC
//! 3234).

use crate::engine::Recordings;
use crate::packet::{Body, Packet};
use crate::record::{PolicerCounts, StationCounts};
use crate::route::WlanHop;
use crate::trace::Quantity;
use airfair_core::{Span, Time};
use airfair_queue::{Policer, WindowControl};
use airfair_scenario::resolved;
use airfair_wifi::{Frame, Medium, OccupancyIntegral, QueueDelay, ScheduledArrival, StationStats};

/// The access point's index among the stations.
const ACCESS_POINT: u32 = 0;

/// A BSS and the delay of its hosts' stacks.
#[derive(Debug)]
pub struct Wlan {
    /// The medium.
    pub bss: Medium<Packet>,
    stack_delay: Span,
    stations: u32,
    /// Boxed, because few access points have one: the others pay for one test.
    middlebox: Option<Box<Middlebox>>,
}

/// An access point's policer and window control.
#[derive(Debug, Default)]
struct Middlebox {
    policer: Option<Policer>,
    policer_counts: PolicerCounts,
    window_control: Option<WindowControl>,
}

impl Wlan {
    /// An idle medium.
    pub fn new(wlan: &resolved::Wlan, seed: u64) -> Wlan {
        let middlebox = Middlebox {
            policer: wlan.policer.as_ref().map(Policer::new),
            window_control: wlan.window_control.map(WindowControl::new),
            ..Middlebox::default()
        };
        let has_any = middlebox.policer.is_some() || middlebox.window_control.is_some();
        Wlan {
            bss: Medium::new(&wlan.bss, seed),
            stack_delay: wlan.stack.host_delay,
            stations: wlan.bss.stations.len() as u32,
            middlebox: has_any.then(|| Box::new(middlebox)),
        }
    }

    /// The access point may get a policer, a window control or another queue discipline during the run; nothing has happened yet.
    pub fn expect_changes(&mut self, wlan: &resolved::Wlan, seed: u64) {
        self.bss.expect_changes(&wlan.bss, seed);
        self.middlebox.get_or_insert_default();
    }

    /// Settings change from those of `old` to those of `new`. A new policer starts with a full bucket.
    pub fn change(&mut self, now: Time, old: &resolved::Wlan, new: &resolved::Wlan, seed: u64) {
        if old.bss != new.bss {
            self.bss.change(now, &new.bss, seed);
        }
        let middlebox = self.middlebox.get_or_insert_default();
        if old.policer != new.policer {
            middlebox.policer = new.policer.as_ref().map(|config| Policer::starting(now, config));
        }
        if old.window_control != new.window_control {
            middlebox.window_control = new.window_control.map(WindowControl::new);
        }
    }

    /// Delay of a host's stack between its interface queue and the layers above, in either direction.
    #[inline]
    pub fn stack_delay(&self) -> Span {
        self.stack_delay
    }

    /// Number of stations, the access point included.
    pub fn stations(&self) -> u32 {
        self.stations
    }

    /// Whether arrivals can be scheduled at the queue of station `from`: no middlebox changes packets on arrival.
    pub fn accepts_scheduled_arrivals(&self, from: u32) -> bool {
        self.bss.accepts_scheduled_arrivals(from) && (from != ACCESS_POINT || self.middlebox.is_none())
    }

    /// Keeps all that these recordings need; nothing has happened yet.
    pub fn keep_for(&mut self, recordings: Recordings) {
        if recordings.traces.contains(&Quantity::Air) {
            self.bss.log_turns();
        }
        if recordings.frames {
            self.bss.log_frames();
        }
        if recordings.traces.contains(&Quantity::Backlog) {
            self.bss.watch_receivers(ACCESS_POINT);
        }
        if recordings.ap_queue_delays {
            self.bss.log_queue_delays(ACCESS_POINT);
        }
    }

    /// Number of turns and queueing delays that are kept so far.
    pub fn samples(&self) -> usize {
        self.bss.turns().len() + self.bss.queue_delays(ACCESS_POINT).len()
    }

    /// Delays of the last `served` packets in the access point's queue.
    pub fn queue_delays(&self, served: u64) -> &[QueueDelay] {
        let delays = self.bss.queue_delays(ACCESS_POINT);
        &delays[delays.len().saturating_sub(served as usize)..]
    }

    /// Counts of each station at `now`.
    pub fn counts(&mut self, now: Time) -> Vec<StationCounts> {
        self.bss.settle(now);
        (0..self.stations).map(|station| station_counts(&self.bss, station, now)).collect()
    }

    /// Time that the medium was busy until `now`.
    pub fn busy(&self, now: Time) -> Span {
        self.bss.busy(now)
    }

    /// Counts of the access point's policer.
    pub fn policer_counts(&self) -> PolicerCounts {
        self.middlebox.as_ref().map_or_else(PolicerCounts::default, |middlebox| middlebox.policer_counts)
    }

    /// Puts a packet into the interface queue of the station that sends it over this hop; the queue counts its drops.
    #[inline]
    pub fn enqueue(&mut self, now: Time, hop: &WlanHop, mut packet: Packet) {
        let &WlanHop { from, to, category, .. } = hop;
        if from == ACCESS_POINT
            && let Some(middlebox) = &mut self.middlebox
        {
            middlebox.cap_receive_window(now, &mut packet);
        }
        self.bss.enqueue(now, from, category, Frame { to, bytes: packet.bytes, payload: packet });
    }

    /// Schedules the arrival of a packet at the interface queue of station `from`.
    #[inline]
    pub fn schedule_arrival(&mut self, from: u32, due: Time, to: u32, packet: &Packet) -> ScheduledArrival {
        self.bss.schedule_arrival(from, due, Frame { to, bytes: packet.bytes, payload: packet })
    }

    /// A packet has arrived over the air at station `to`: when it leaves the host's stack, unless the middlebox drops
    /// it.
    #[inline]
    pub fn pass(
        &mut self,
        now: Time,
        to: u32,
        packet: &mut Packet,
        to_wire: impl FnOnce(u32) -> bool,
    ) -> Option<Time> {
        packet.at += 1;
        self.admits(now, to, packet, to_wire).then_some(now + self.stack_delay)
    }

    /// Whether the access point's middlebox lets a packet pass; `to_wire` tells whether a step is over a wire. It may
    /// also lower the packet's receive window.
    #[inline]
    fn admits(&mut self, now: Time, to: u32, packet: &mut Packet, to_wire: impl FnOnce(u32) -> bool) -> bool {
        match &mut self.middlebox {
            Some(middlebox) if to == ACCESS_POINT => {
                middlebox.cap_receive_window(now, packet);
                // The policer stands before the wire, on the other side of the host's stack.
                !to_wire(packet.at) || !middlebox.drops(now + self.stack_delay, packet)
            }
            _ => true,
        }
    }
}

impl Middlebox {
    /// Notes the packet's connection, and caps the receive window of an acknowledgement at the connection's share of
    /// the buffer. A datagram has no window and no share.
    fn cap_receive_window(&mut self, now: Time, packet: &mut Packet) {
        let Some(control) = &mut self.window_control else { return };
        if matches!(packet.body, Body::Datagram { .. }) {
            return;
        }
        control.see(now, packet.connection_id());
        if let Body::Ack(ack) = &mut packet.body {
            ack.window = ack.window.min(control.receive_window(now));
        }
    }

    /// Whether the policer drops a packet that reaches it at `at`.
    fn drops(&mut self, at: Time, packet: &Packet) -> bool {
        let Some(policer) = &mut self.policer else { return false };
        let drops = !policer.admits(at, packet.bytes);
        self.policer_counts.offered += 1;
        self.policer_counts.dropped += u64::from(drops);
        drops
    }
}

fn station_counts(bss: &Medium<Packet>, station: u32, now: Time) -> StationCounts {
    let OccupancyIntegral { held, waiting } = bss.occupancy(now, station);
    StationCounts {
        frames: StationStats { airtime: bss.airtime(now, station), ..bss.station_stats(station) },
        held_integral: held,
        waiting_integral: waiting,
    }
}
