//! The medium that a network's configuration asks for.

use airfair_core::{Moment, Span, Time};

use super::{Brought, Delivery, GraphMedium, LoggedFrame, Row, SharedMedium, Turn};
use crate::config::BssConfig;
use crate::mac::{Arrivals, Frame, Payload, ScheduledArrival};
use crate::phy::edca::AccessCategory;
use crate::stats::{OccupancyIntegral, QueueDelay, StationStats};

/// A medium: [`SharedMedium`] where stations use DCF, [`GraphMedium`] where they use EDCA.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a world has few media, and reaches the shared one with every frame"
)]
pub enum Medium<P: Payload> {
    /// The medium of a network with DCF.
    Shared(SharedMedium<P>),
    /// The medium of networks with EDCA.
    Graph(Box<GraphMedium<P>>),
}

/// Evaluates a call on either medium.
macro_rules! either {
    ($medium:expr, $it:ident => $call:expr) => {
        match $medium {
            Medium::Shared($it) => $call,
            Medium::Graph($it) => $call,
        }
    };
}

impl<P: Payload> Medium<P> {
    /// Returns the medium of these networks at time zero, idle. Its stations are those of the first network, then those of the next. Each draws
    /// from its own random streams.
    ///
    /// # Panics
    /// If there is no network, or there are several and not all use EDCA.
    pub fn new(networks: &[&BssConfig], seed: u64) -> Medium<P> {
        match networks {
            [config] if !config.uses_edca() => Medium::Shared(SharedMedium::new(config, seed)),
            _ => Medium::Graph(Box::new(GraphMedium::new(networks, seed))),
        }
    }

    /// Adds a frame to the interface queue of station `from`, in this access category where there are several (`None`: the station's usual one).
    /// Returns `false` if the queue drops it, or another frame for it. The frame names its destination by its number in the network.
    ///
    /// # Panics
    /// If `from` is no station, or the frame's destination is no station of its network or is `from`.
    #[inline]
    pub fn enqueue(
        &mut self,
        now: Time,
        from: u32,
        category: Option<AccessCategory>,
        frame: Frame<P>,
    ) -> bool {
        match self {
            Medium::Shared(it) => it.enqueue(now, from, frame),
            Medium::Graph(it) => it.enqueue(now, from, category, frame),
        }
    }

    /// Returns when [`Medium::on_deadline`] is next due; [`Time::NEVER`] if the air stays idle.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        either!(self, it => it.next_deadline())
    }

    /// Processes the events due at `now`. Returns what they have brought.
    #[inline]
    pub fn on_deadline(&mut self, now: Time) -> Brought {
        either!(self, it => it.on_deadline(now))
    }

    /// Returns the next frame that has arrived, in the order in which frames go to the layer above.
    #[inline]
    pub fn poll_delivery(&mut self) -> Option<Delivery<&P>> {
        either!(self, it => it.poll_delivery())
    }

    /// Takes the next frames that have arrived at one station, in order, instead of [polling](Medium::poll_delivery) them one by one. Returns
    /// `None` if there are no more, or if the medium delivers them one by one.
    #[inline]
    pub fn take_row(&mut self) -> Option<Row<P>> {
        match self {
            Medium::Shared(_) => None,
            Medium::Graph(it) => it.take_row(),
        }
    }

    /// Puts a [row](Medium::take_row) back. This must follow before any other call but those that schedule arrivals.
    #[inline]
    pub fn put_back(&mut self, row: Row<P>) {
        if let Medium::Graph(it) = self {
            it.put_back(row);
        }
    }

    /// Keeps the frames that leave the interface of `station` from now on, delivered or dropped, for [`Medium::poll_departure`]. Arrivals at the
    /// station cannot be scheduled then. Nothing may have happened yet.
    pub fn watch_departures(&mut self, station: u32) {
        either!(self, it => it.watch_departures(station));
    }

    /// Whether the departures of any station are [watched](Medium::watch_departures).
    pub fn is_watched(&self) -> bool {
        either!(self, it => it.is_watched())
    }

    /// Returns a frame that has left a watched station, in no particular order. Read all of them after each call that can let one go.
    #[inline]
    pub fn poll_departure(&mut self) -> Option<P> {
        either!(self, it => it.poll_departure())
    }

    /// Returns the number of frames that `station` holds.
    pub fn queue_frames(&self, station: u32) -> u32 {
        either!(self, it => it.queue_frames(station))
    }

    /// Returns the counts of `station`. Call [`Medium::settle`] first.
    pub fn station_stats(&self, station: u32) -> StationStats {
        either!(self, it => it.station_stats(station))
    }

    /// Returns the airtime of the attempts of `station` until `now`. [Settle](Medium::settle) at `now` first.
    pub fn airtime(&self, now: Time, station: u32) -> Span {
        either!(self, it => it.airtime(now, station))
    }

    /// Returns the time with at least one exchange on the air until `now`. [Settle](Medium::settle) at `now` first.
    pub fn busy(&self, now: Time) -> Span {
        either!(self, it => it.busy(now))
    }

    /// Returns the number of frames that `station` has held, integrated over time until `now`. [Settle](Medium::settle) at `now` first.
    pub fn occupancy(&self, now: Time, station: u32) -> OccupancyIntegral {
        either!(self, it => it.occupancy(now, station))
    }

    /// Brings counts up to `now`.
    pub fn settle(&mut self, now: Time) {
        either!(self, it => it.settle(now));
    }

    /// Logs every turn on the air from now on.
    pub fn log_turns(&mut self) {
        either!(self, it => it.log_turns());
    }

    /// Returns the turns since [`Medium::log_turns`], without those on the air.
    pub fn turns(&self) -> &[Turn] {
        either!(self, it => it.turns())
    }

    /// Logs every frame on the air from now on.
    pub fn log_frames(&mut self) {
        either!(self, it => it.log_frames());
    }

    /// Removes the frames whose fate is known from the log, in the order of their starts, and hands them to `take`.
    pub fn take_frames(&mut self, take: impl FnMut(LoggedFrame<P>)) {
        either!(self, it => it.take_frames(take));
    }

    /// Returns a time before which no frame that is logged after `now` begins.
    pub fn logs_from(&self, now: Time) -> Time {
        either!(self, it => it.logs_from(now))
    }

    /// Counts the receivers of the frames that `station` holds from now on. The station must hold none.
    pub fn watch_receivers(&mut self, station: u32) {
        either!(self, it => it.watch_receivers(station));
    }

    /// Writes the number of frames that `station` holds for each station of its network to `counts`. Call [`Medium::watch_receivers`] at the
    /// start of the run.
    pub fn frames_for(&self, station: u32, counts: &mut [u32]) {
        either!(self, it => it.frames_for(station, counts));
    }

    /// Keeps the queueing delay of each frame that `station` serves from now on.
    pub fn log_queue_delays(&mut self, station: u32) {
        either!(self, it => it.log_queue_delays(station));
    }

    /// Returns the queueing delays since [`Medium::log_queue_delays`], in the order in which the frames were served.
    pub fn queue_delays(&self, station: u32) -> &[QueueDelay] {
        either!(self, it => it.queue_delays(station))
    }
}

/// Changes while the medium is in use.
impl<P: Payload> Medium<P> {
    /// See [`SharedMedium::expect_changes`].
    pub fn expect_changes(&mut self, config: &BssConfig, seed: u64) {
        match self {
            Medium::Shared(it) => it.expect_changes(config, seed),
            Medium::Graph(it) => it.expect_changes(),
        }
    }

    /// Changes the settings of the network whose access point is the station `first` to those of `to`: see [`SharedMedium::change`] and
    /// [`GraphMedium::change`].
    pub fn change(&mut self, now: Time, first: u32, to: &BssConfig, seed: u64) {
        match self {
            Medium::Shared(it) => it.change(now, to, seed),
            Medium::Graph(it) => it.change(now, first, to),
        }
    }
}

/// Scheduled arrivals.
impl<P: Payload> Medium<P> {
    /// See [`SharedMedium::accepts_scheduled_arrivals`] and [`GraphMedium::accepts_scheduled_arrivals`].
    pub fn accepts_scheduled_arrivals(&self, station: u32) -> bool {
        either!(self, it => it.accepts_scheduled_arrivals(station))
    }

    /// See [`SharedMedium::schedule_arrival`]. The access category counts where there are several, as in [`Medium::enqueue`].
    #[inline]
    pub fn schedule_arrival(
        &mut self,
        from: u32,
        due: Time,
        category: Option<AccessCategory>,
        frame: Frame<&P>,
    ) -> ScheduledArrival {
        match self {
            Medium::Shared(it) => it.schedule_arrival(from, due, frame),
            Medium::Graph(it) => it.schedule_arrival(from, due, category, frame),
        }
    }

    /// See [`SharedMedium::arrivals`]. The access category counts where there are several.
    #[inline]
    pub fn arrivals(
        &mut self,
        from: u32,
        category: Option<AccessCategory>,
        to: u32,
    ) -> Option<Arrivals<'_, P>> {
        match self {
            Medium::Shared(it) => it.arrivals(from, to),
            Medium::Graph(it) => Some(it.arrivals(from, category, to)),
        }
    }

    /// See [`SharedMedium::next_arrival`].
    #[inline]
    pub fn next_arrival(&self, from: u32) -> Moment {
        either!(self, it => it.next_arrival(from))
    }

    /// See [`SharedMedium::admit`].
    pub fn admit(&mut self, now: Time, from: u32) {
        either!(self, it => it.admit(now, from));
    }

    /// See [`SharedMedium::poll_emptied`].
    #[inline]
    pub fn poll_emptied(&mut self) -> Option<u32> {
        either!(self, it => it.poll_emptied())
    }
}
