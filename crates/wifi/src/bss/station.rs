//! A station: its queue, its medium access state, its counters.

use airfair_core::{Moment, Rate, Span, Stream, Time};

use super::interface::{Interface, QueuedFrame};
use super::{Frame, Payload};
use crate::config::StationConfig;
use crate::phy::Phy;
use crate::phy::errors::{FrameKind, FrameLossProcess};
use crate::stats::{OccupancyIntegral, StationStats};

#[derive(Debug)]
pub(super) struct Station<P: Payload> {
    pub interface: Interface<P>,
    /// The receiver has the frame in service, and only the ACK was lost: it will discard a retransmission (IEEE
    /// 802.11-2012, 9.3.2.10).
    pub arrived: bool,
    /// End of the ACK of the last frame, which counts as held until then.
    pub ack_until: Time,
    pub occupancy: Integral,
    pub cw: u32,
    pub short_retries: u32,
    pub long_retries: u32,
    /// Rate of its data frames, unless `rates` has one for the receiver.
    usual_rate: Rate,
    /// By receiver; empty if all have the usual rate.
    rates: Vec<Rate>,
    /// Rate and duration of the data frame in service: calculated once for frames of the same length.
    rate: Rate,
    pub data: Span,
    data_bytes: u32,
    /// Duration of the ACK that answers it.
    pub ack: Span,
    /// The NAV of the data frame.
    pub data_nav: Span,
    /// Ends of its own NAV and EIFS, where stations hear differently.
    pub nav_until: Time,
    pub eifs_until: Time,
    pub stream: Stream,
    /// Boxed, because few stations lose frames.
    pub loss: Option<Box<FrameLossProcess>>,
    pub stats: StationStats,
    /// On request, the queueing delay of each frame served.
    pub queue_delays: Option<Vec<Span>>,
}

impl<P: Payload> Station<P> {
    pub fn new(config: &StationConfig, phy: &Phy, seed: u64) -> Station<P> {
        let name = format!("wlan station {}", config.name);
        let loss = config.loss.map(|loss| {
            let stream = Stream::new(seed, &format!("wlan errors {}", config.name));
            Box::new(FrameLossProcess::new(loss, stream))
        });
        let ack = phy.ack(config.data_rate);
        Station {
            interface: Interface::new(&config.queue, seed, &name),
            arrived: false,
            ack_until: Time::ZERO,
            occupancy: Integral::default(),
            cw: phy.cw_min,
            short_retries: 0,
            long_retries: 0,
            usual_rate: config.data_rate,
            rates: Vec::new(),
            rate: config.data_rate,
            data: phy.data(0, config.data_rate),
            data_bytes: 0,
            ack,
            data_nav: phy.nav(phy.sifs + ack),
            nav_until: Time::ZERO,
            eifs_until: Time::ZERO,
            stream: Stream::new(seed, &name),
            loss,
            stats: StationStats::default(),
            queue_delays: None,
        }
    }

    /// Sets the rate of data frames to each receiver.
    pub fn send_at(&mut self, rates: Vec<Rate>) {
        let differ = rates.iter().any(|rate| *rate != self.usual_rate);
        self.rates = if differ { rates } else { Vec::new() };
    }

    /// The frame in service. There must be one.
    #[inline]
    pub fn frame(&self) -> &Frame<P> {
        &self.interface.head().expect("who contends has a frame").frame
    }

    /// Whether a frame that the station sends until `now` is lost on the air for the station's own loss.
    #[inline]
    pub fn loses_sent(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.loss.as_mut().is_some_and(|loss| loss.loses_sent(kind, now, bytes))
    }

    /// The same for a frame that the station receives.
    #[inline]
    pub fn loses_received(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.loss.as_mut().is_some_and(|loss| loss.loses_received(kind, now, bytes))
    }

    /// A frame arrives from above; `false` if the queue drops it, or another for it.
    #[inline]
    pub fn enqueue(&mut self, now: Time, frame: Frame<P>) -> bool {
        self.integrate_occupancy(now);
        self.stats.offered_bytes += u64::from(frame.bytes);
        self.interface.enqueue(now, frame, now < self.ack_until)
    }

    /// The first scheduled arrival; [`Moment::NEVER`] if there is none.
    #[inline]
    pub fn next_arrival(&self) -> Moment {
        match &self.interface {
            Interface::DropTail(it) => it.next_arrival().map_or(Moment::NEVER, QueuedFrame::moment),
            Interface::Disciplined(_) => Moment::NEVER,
        }
    }

    /// Admits or drops the scheduled frames that arrive before `end`; returns the arrival of the last one.
    #[inline]
    pub fn admit(&mut self, end: Moment) -> Time {
        if self.next_arrival() >= end {
            return Time::ZERO;
        }
        self.admit_some(end)
    }

    fn admit_some(&mut self, end: Moment) -> Time {
        let mut last = Time::ZERO;
        if let Interface::DropTail(it) = &mut self.interface {
            it.admit(end, self.ack_until, |came, bytes, held| {
                last = came;
                self.stats.offered_bytes += u64::from(bytes);
                if let Some(held) = held {
                    self.occupancy.integrate(came, held as u32);
                }
            });
        }
        last
    }

    /// Puts the next frame into service; `false` if there is none.
    #[inline(always)]
    pub fn take_next(&mut self, now: Time, phy: &Phy) -> bool {
        self.interface.take_next(now);
        self.arrived = false;
        let Some(head) = self.interface.head() else { return false };
        self.stats.served += 1;
        let delay = now.since(head.since);
        self.stats.waited += delay;
        if let Some(delays) = &mut self.queue_delays {
            delays.push(delay);
        }
        let &Frame { to, bytes, .. } = &head.frame;
        let rate = self.rates.get(to as usize).copied().unwrap_or(self.usual_rate);
        if bytes != self.data_bytes || rate != self.rate {
            self.time(bytes, rate, phy);
        }
        true
    }

    /// Calculates the durations of the frame in service and its ACK. Most frames have the length of the one before
    /// and skip this.
    #[inline(never)]
    fn time(&mut self, bytes: u32, rate: Rate, phy: &Phy) {
        (self.data, self.data_bytes) = (phy.data(bytes, rate), bytes);
        if rate != self.rate {
            self.rate = rate;
            self.ack = phy.ack(rate);
            self.data_nav = phy.nav(phy.sifs + self.ack);
        }
    }

    #[inline]
    pub fn integrate_occupancy(&mut self, now: Time) {
        self.occupancy.integrate(now, self.interface.held());
    }
}

/// The number of frames, integrated over time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Integral {
    until: Time,
    total: OccupancyIntegral,
    /// Number of frames held in the last part of that time, which may reach to the end of an ACK that is still to
    /// come.
    last: u32,
}

impl Integral {
    /// `held` frames were held until `now`.
    #[inline]
    fn integrate(&mut self, now: Time, held: u32) {
        if now <= self.until {
            return;
        }
        let part = part(now.since(self.until), held);
        self.total.held += part.held;
        self.total.waiting += part.waiting;
        self.until = now;
        self.last = held;
    }

    /// The integrals up to `now`, no earlier than the last part begins.
    pub fn until(&self, now: Time) -> OccupancyIntegral {
        let ahead = part(self.until.since(now), self.last);
        OccupancyIntegral { held: self.total.held - ahead.held, waiting: self.total.waiting - ahead.waiting }
    }
}

/// `held` frames for a time of `span`.
#[inline]
fn part(span: Span, held: u32) -> OccupancyIntegral {
    OccupancyIntegral { held: span.times(held), waiting: span.times(held.saturating_sub(1)) }
}
