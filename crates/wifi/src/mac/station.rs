//! A station: its queue, its medium access state, its counters.

use airfair_core::{Moment, Rate, Span, Stream, Time};

use super::exchange::{AirFrame, Ends};
use super::interface::{Head, Interface, QueuedFrame};
use super::occupancy::{Occupancy, Service};
use super::{Frame, Payload, Rules};
use crate::config::StationConfig;
use crate::phy::FirstAccess;
use crate::phy::errors::FrameLossProcess;
use crate::stats::{OccupancyIntegral, QueueDelay, StationStats};

#[derive(Debug)]
pub(crate) struct Station<P: Payload> {
    /// Index of the station in its network.
    pub(super) index: u32,
    pub interface: Interface<P>,
    /// Whether the frame in service has reached its receiver, and only the ACK was lost. The receiver will discard a
    /// retransmission (IEEE 802.11-2012, 9.3.2.10). The station does not act on it.
    arrived: bool,
    /// End of the ACK of the last frame, which counts against the limit of the queue until then.
    ack_until: Time,
    occupancy: Occupancy,
    cw: u32,
    short_retries: u32,
    long_retries: u32,
    /// Rate of data frames, unless `rates` has one for the receiver.
    usual_rate: Rate,
    /// Rate of data frames by receiver; empty if all have the usual rate.
    rates: Vec<Rate>,
    /// Receiver of the frame in service. The fields behind `rate` follow from receiver, bytes and rate, and are calculated
    /// once for frames of the same length.
    pub(super) to: u32,
    /// Bytes of the frame in service.
    pub(super) bytes: u32,
    rate: Rate,
    /// Whether an RTS goes before the frame in service.
    pub(super) rts: bool,
    /// Duration of the data frame.
    pub(super) data: Span,
    /// Duration of the ACK that answers the data frame.
    pub(super) ack: Span,
    /// Time from the end of the data frame until the station's slots count again if no ACK answers it.
    pub(super) ack_retry: Span,
    /// Length of the NAV that the data frame announces.
    pub(super) data_nav: Span,
    /// Ends of the parts of the exchange.
    pub(super) ends: Ends,
    /// End of the station's own NAV, where stations hear differently.
    nav_until: Time,
    /// End of the station's own EIFS, where stations hear differently.
    eifs_until: Time,
    stream: Stream,
    /// Random loss of frames that the station sends or receives. Boxed, because few stations lose any.
    pub loss: Option<Box<FrameLossProcess>>,
    pub stats: StationStats,
    /// On request, the queueing delay of each frame served.
    pub queue_delays: Option<Vec<QueueDelay>>,
    /// On request, the frames that have left the station, delivered or dropped.
    departed: Option<Vec<P>>,
}

/// Returns the name of a station's random streams.
fn name_of(config: &StationConfig) -> String {
    format!("wlan station {}", config.name)
}

/// Returns the random loss of a station's frames from `at` on.
pub(super) fn loss_of(config: &StationConfig, at: Time, seed: u64) -> Option<Box<FrameLossProcess>> {
    let stream = || Stream::starting(at, seed, &format!("wlan errors {}", config.name));
    config.loss.map(|loss| Box::new(FrameLossProcess::new(loss, stream())))
}

/// Traffic from the layer above, and counts.
impl<P: Payload> Station<P> {
    /// Returns an idle station that sends at `rates`, one for each receiver, or else at the configured rate.
    pub fn new(index: u32, config: &StationConfig, rates: Vec<Rate>, rules: &Rules, seed: u64) -> Station<P> {
        let name = name_of(config);
        let mut station = Station {
            index,
            interface: Interface::new(&config.queue, seed, &name),
            arrived: false,
            ack_until: Time::ZERO,
            occupancy: Occupancy::new(Service::First),
            cw: rules.phy.cw_min,
            short_retries: 0,
            long_retries: 0,
            usual_rate: config.data_rate,
            rates,
            to: 0,
            bytes: 0,
            rate: config.data_rate,
            rts: false,
            data: Span::ZERO,
            ack: Span::ZERO,
            ack_retry: Span::ZERO,
            data_nav: Span::ZERO,
            ends: Ends::default(),
            nav_until: Time::ZERO,
            eifs_until: Time::ZERO,
            stream: Stream::new(seed, &name),
            loss: loss_of(config, Time::ZERO, seed),
            stats: StationStats::default(),
            queue_delays: None,
            departed: None,
        };
        station.time(0, config.data_rate, rules);
        station
    }

    /// Changes the rates, and as of `at` the loss. No frame of the station may be on the air.
    pub fn change(&mut self, config: &StationConfig, rates: Vec<Rate>, rules: &Rules, at: Time, seed: u64) {
        (self.usual_rate, self.rates) = (config.data_rate, rates);
        self.time(self.bytes, self.rate_to(self.to), rules);
        if self.loss.as_ref().map(|loss| loss.config()) != config.loss {
            self.loss = loss_of(config, at, seed);
        }
    }

    /// Changes the queue: see [`Interface::change`]. [Settle](Station::settle) at `now` first.
    pub fn change_queue(&mut self, now: Time, config: &StationConfig, seed: u64) {
        self.interface.change(now, &config.queue, now < self.ack_until, seed, &name_of(config));
        self.occupancy.set(now, self.interface.held());
    }

    /// Replaces the queue by one whose discipline can change. Nothing may have happened yet.
    pub fn expect_changes(&mut self, config: &StationConfig, stations: usize, seed: u64) {
        self.interface = Interface::disciplined(&config.queue, seed, &name_of(config));
        self.interface.watch_receivers(stations);
        if self.tells_departures() {
            self.interface.keep_dropped();
        }
    }

    /// Keeps the frames that leave from now on, for [`Station::poll_departure`]. The station must hold no frames.
    pub fn watch_departures(&mut self) {
        self.departed = Some(Vec::new());
        self.interface.keep_dropped();
    }

    pub fn tells_departures(&self) -> bool {
        self.departed.is_some()
    }

    /// Returns a frame that has left, in no particular order.
    pub fn poll_departure(&mut self) -> Option<P> {
        self.departed.as_mut()?.pop().or_else(|| self.interface.poll_dropped())
    }

    /// Keeps the frame in service, which is about to leave, if departures are watched.
    pub fn note_departure(&mut self) {
        if let Some(departed) = &mut self.departed {
            departed.extend(self.interface.head().map(|head| head.frame.payload));
        }
    }

    /// Enqueues a frame from the layer above, behind all that are scheduled before it. Returns `false` if the queue drops
    /// it, or another frame for it.
    #[inline]
    pub fn enqueue(&mut self, now: Time, frame: Frame<P>) -> bool {
        self.admit(Moment::new(now, frame.payload.phase().next()));
        self.stats.offered_bytes += u64::from(frame.bytes);
        let accepted = self.interface.enqueue(now, frame, now < self.ack_until);
        if let (Some(departed), false, Interface::DropTail(_)) =
            (&mut self.departed, accepted, &self.interface)
        {
            departed.push(frame.payload);
        }
        let held = self.interface.held();
        // A dropped frame changes nothing: another may still leave as of an instant before.
        if held != self.occupancy.held() {
            self.occupancy.set(now, held);
        }
        accepted
    }

    /// Admits or drops the scheduled frames that arrive before `end`.
    #[inline]
    pub fn admit(&mut self, end: Moment) {
        if let Interface::DropTail(queue) = &mut self.interface {
            queue.admit(end, self.ack_until, |came, bytes, accepted| {
                self.stats.offered_bytes += u64::from(bytes);
                if accepted {
                    self.occupancy.enter(came);
                }
            });
        }
    }

    /// Admits scheduled frames and counts frames held, both up to `now`. The station may learn later that a frame has left
    /// before, but this reading stands.
    pub fn settle(&mut self, now: Time) {
        self.admit(Moment::from(now));
        self.occupancy.set(now, self.interface.held());
    }

    /// Returns the number of frames held, integrated over time until `now`.
    pub fn occupancy(&self, now: Time) -> OccupancyIntegral {
        self.occupancy.until(now)
    }

    /// Returns the counts of the station.
    pub fn stats(&self) -> StationStats {
        StationStats { queue: self.interface.stats(), ..self.stats }
    }
}

/// Sending.
impl<P: Payload> Station<P> {
    /// Returns the frame in service.
    ///
    /// # Panics
    /// If no frame is in service.
    #[inline]
    pub fn frame(&self) -> &Frame<P> {
        &self.interface.head().expect("who contends has a frame").frame
    }

    /// Returns the rate of the frame in service.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the duration of the ACK that answers the frame in service.
    pub fn ack(&self) -> Span {
        self.ack
    }

    /// Returns the receiver of the frame in service.
    #[inline]
    pub fn receiver(&self) -> u32 {
        self.to
    }

    /// Puts the next frame into service, which the queue may do now and no sooner. Returns `false` if there is none.
    pub fn serve(&mut self, now: Time, rules: &Rules) -> bool {
        let served = self.take_next(now, rules);
        self.occupancy.set(now, self.interface.held());
        served
    }

    fn take_next(&mut self, now: Time, rules: &Rules) -> bool {
        self.interface.take_next(now);
        let next = self.interface.head().map(QueuedFrame::head);
        self.begin_service(now, next, rules)
    }

    /// Prepares for the service of the frame that has left the queue. Returns `false` if there is none.
    #[inline(always)]
    fn begin_service(&mut self, now: Time, next: Option<Head>, rules: &Rules) -> bool {
        self.arrived = false;
        let Some(Head { to, bytes, since }) = next else { return false };
        self.stats.served += 1;
        let delay = now.since(since);
        self.stats.waited += delay;
        if let Some(delays) = &mut self.queue_delays {
            delays.push(QueueDelay { to, delay });
        }
        self.to = to;
        if bytes != self.bytes || !self.rates.is_empty() {
            self.time_anew(bytes, rules);
        }
        true
    }

    /// Returns the rate of the station's data frames to a receiver.
    fn rate_to(&self, receiver: u32) -> Rate {
        self.rates.get(receiver as usize).copied().unwrap_or(self.usual_rate)
    }

    /// Calculates the durations of the frame in service, which has another length than the one before, or may have another rate.
    #[inline(never)]
    fn time_anew(&mut self, bytes: u32, rules: &Rules) {
        let rate = self.rate_to(self.to);
        if bytes != self.bytes || rate != self.rate {
            self.time(bytes, rate, rules);
        }
    }

    /// Calculates the durations of the frame in service and its ACK.
    fn time(&mut self, bytes: u32, rate: Rate, rules: &Rules) {
        (self.bytes, self.rate) = (bytes, rate);
        self.rts = rules.uses_rts(bytes);
        self.data = rules.phy.data(bytes, rate);
        self.ack = rules.phy.ack(rate);
        self.ack_retry = rules.phy.ack_retry_after(rate);
        self.data_nav = rules.phy.nav(rules.phy.sifs + self.ack);
        self.ends = self.ends(rules);
    }

    /// Draws the number of slots of a new backoff (IEEE 802.11-2012, 9.3.3).
    #[inline]
    pub fn draw_backoff(&mut self, rules: &Rules) -> u64 {
        self.stream.below(u64::from(self.cw) + u64::from(rules.phy.access.backoff_includes_cw))
    }

    /// Returns when the slots of a frame that finds no backoff under way begin to count, and how many there are (9.3.4.2).
    /// Others end their use of the air at `busy_until`, and slots count from `origin` on.
    pub fn first_access(&mut self, now: Time, busy_until: Time, origin: Time, rules: &Rules) -> (Time, u64) {
        match rules.phy.access.first_access {
            FirstAccess::AfterIdle if now < busy_until.max(self.nav_until) => {
                (origin, self.draw_backoff(rules))
            }
            FirstAccess::AfterIdle => (origin.max(now), 0),
            FirstAccess::Backoff => (origin.max(now + rules.phy.difs), self.draw_backoff(rules)),
        }
    }

    /// Notes that the frame in service has reached its receiver. Returns `false` if it had before.
    #[inline]
    pub fn note_arrival(&mut self) -> bool {
        if std::mem::replace(&mut self.arrived, true) {
            return false;
        }
        self.interface.deliver();
        self.stats.delivered += 1;
        self.stats.delivered_bytes += u64::from(self.bytes);
        true
    }

    /// Releases the frame in service, whose ACK ends at `end`; the exchange keeps the air until `busy_until`. Returns
    /// whether another frame is in service then; `None`: the queue will say when the ACK has ended.
    #[inline(always)]
    pub fn succeed(&mut self, now: Time, end: Time, busy_until: Time, rules: &Rules) -> Option<bool> {
        self.admit(Moment::from(now.plus(Span(1))));
        self.ack_until = busy_until;
        (self.short_retries, self.long_retries) = (0, 0);
        self.leave(end, rules);
        let next = self.interface.release();
        self.interface.knows_next().then(|| self.begin_service(end, next, rules))
    }

    /// Counts a failure: the RTS or the data frame was not answered. With `after_cts` the data frame followed a CTS (9.3.3
    /// and 9.3.4.4). Returns whether the station sends the frame again; otherwise it must [give it up](Station::give_up).
    #[inline]
    pub fn tries_again(&mut self, after_cts: bool, rules: &Rules) -> bool {
        let (retries, limit) = if after_cts {
            self.short_retries = 0;
            (&mut self.long_retries, rules.mac.long_retry_limit)
        } else {
            (&mut self.short_retries, rules.mac.short_retry_limit)
        };
        *retries += 1;
        let below_limit = *retries < limit;
        if below_limit {
            self.stats.retries += 1;
            self.cw = rules.phy.wider(self.cw);
        } else {
            *retries = 0;
        }
        below_limit
    }

    /// Gives up the frame in service after its last failure, of which the station knows at `known`, or a little before. Returns the frame if it
    /// has not arrived.
    pub fn give_up(&mut self, now: Time, known: Time, rules: &Rules) -> Option<Frame<P>> {
        self.admit(Moment::from(now + Span(1)));
        self.note_departure();
        let given_up = (!self.arrived).then(|| *self.frame());
        self.stats.dropped_retries += u64::from(given_up.is_some());
        self.interface.release();
        self.leave(known, rules);
        self.take_next(now, rules);
        self.occupancy.set(known, self.interface.held());
        given_up
    }

    /// Notes that a frame leaves the station at `at`, and resets the contention window.
    #[inline(always)]
    fn leave(&mut self, at: Time, rules: &Rules) {
        self.cw = rules.phy.cw_min;
        self.occupancy.leave(at);
    }
}

/// Receiving.
impl<P: Payload> Station<P> {
    /// Whether the station misses control frames, so that its NAV is its own.
    pub fn misses_control(&self) -> bool {
        self.loss.as_ref().is_some_and(|loss| loss.hits_control())
    }

    /// Whether the station answers an RTS that ends at `end`: not while its NAV says that the air is busy (9.3.2.6).
    pub fn answers_rts(&self, end: Time) -> bool {
        self.nav_until <= end
    }

    /// Whether the station's random loss hits a frame, as `draw` draws it.
    #[inline]
    pub fn loses(&mut self, draw: impl FnOnce(&mut FrameLossProcess) -> bool) -> bool {
        self.loss.as_deref_mut().is_some_and(draw)
    }

    /// Hears another station's frame, or [misses](Station::miss) it.
    pub fn overhear(&mut self, frame: &AirFrame, rules: &Rules) {
        if self.loses(|loss| loss.loses_received(frame.kind, frame.end, frame.bytes)) {
            self.miss(frame.end, rules);
        } else {
            self.eifs_until = Time::ZERO;
            self.nav_until = self.nav_until.max(frame.nav_end);
        }
    }

    /// Hears the end of a frame that it cannot decode.
    pub fn miss(&mut self, end: Time, rules: &Rules) {
        let resumes = end + rules.phy.eifs;
        if rules.phy.access.eifs_is_nav {
            self.nav_until = self.nav_until.max(resumes - rules.phy.difs);
        } else {
            self.eifs_until = resumes;
        }
    }

    /// Notes that no data frame follows the station's CTS. Where
    /// [`AccessRules::cts_patience`](crate::phy::AccessRules::cts_patience) is set, the station takes the air for busy
    /// until the data frame would have ended and that time is over.
    pub fn await_data(&mut self, data_end: Time, rules: &Rules) {
        if let Some(patience) = rules.phy.access.cts_patience {
            self.nav_until = self.nav_until.max(data_end + patience);
        }
    }

    /// Returns when the station's NAV and EIFS let its slots count.
    pub fn deferred_until(&self, rules: &Rules) -> Time {
        (self.nav_until + rules.phy.difs).max(self.eifs_until)
    }
}
