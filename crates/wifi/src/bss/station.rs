//! A station: its interface queue, the frame that it is to send next, and what keeps it off the air.

use airfair_core::{Rate, Span, Stream, Time};
use airfair_queue::{Queue, Queued};

use super::{Frame, Payload};
use crate::config::StationConfig;
use crate::errors::ErrorProcess;
use crate::phy::Phy;
use crate::stats::StationStats;

/// A frame in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting<P: Copy> {
    pub frame: Frame<P>,
    pub since: Time,
}

impl<P: Payload> Queued for Waiting<P> {
    #[inline]
    fn bytes(&self) -> u32 {
        self.frame.bytes
    }

    #[inline]
    fn flow(&self) -> u64 {
        self.frame.payload.flow()
    }

    #[inline]
    fn station(&self) -> u32 {
        self.frame.to
    }

    #[inline]
    fn mark(&mut self) -> bool {
        self.frame.payload.mark()
    }
}

/// The frame in service.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<P: Copy> {
    pub frame: Frame<P>,
    /// Its receiver has it, and only the ACK was lost: it will discard what comes again (IEEE 802.11-2012, 9.3.2.10).
    pub arrived: bool,
}

#[derive(Debug)]
pub(super) struct Station<P: Payload> {
    /// The first frame, out of the queue since the one before was served.
    pub head: Option<Head<P>>,
    pub queue: Queue<Waiting<P>>,
    /// Whether what leaves the queue next is settled as soon as the frame before has arrived, before its ACK has: nothing
    /// that comes meanwhile goes first, and nobody cares when it leaves.
    pub foresees_next: bool,
    /// Until when the occupancy has been integrated.
    occupancy_until: Time,
    pub cw: u32,
    pub short_retries: u32,
    pub long_retries: u32,
    pub rate: Rate,
    /// Duration of the ACK that answers its data frames.
    pub ack: Span,
    /// What its data frames put into the NAV.
    pub data_nav: Span,
    /// Until when its own NAV says that the air is busy, and from when on its slots count after an EIFS, where
    /// stations hear differently.
    pub nav_until: Time,
    pub eifs_until: Time,
    pub stream: Stream,
    pub errors: ErrorProcess,
    pub stats: StationStats,
}

impl<P: Payload> Station<P> {
    pub fn new(config: &StationConfig, phy: &Phy, seed: u64) -> Station<P> {
        let name = format!("wlan station {}", config.name);
        let errors = Stream::new(seed, &format!("wlan errors {}", config.name));
        let ack = phy.ack(config.data_rate);
        Station {
            head: None,
            queue: Queue::new(&config.queue, seed, &name),
            foresees_next: config.queue.discipline == Default::default(),
            occupancy_until: Time::ZERO,
            cw: phy.cw_min,
            short_retries: 0,
            long_retries: 0,
            rate: config.data_rate,
            ack,
            data_nav: phy.nav(phy.sifs + ack),
            nav_until: Time::ZERO,
            eifs_until: Time::ZERO,
            stream: Stream::new(seed, &name),
            errors: ErrorProcess::new(config.errors, config.error_scope, errors),
            stats: StationStats::default(),
        }
    }

    /// The first frame; only who has one is asked.
    #[inline]
    pub fn frame(&self) -> &Frame<P> {
        &self.head.as_ref().expect("who contends has a frame").frame
    }

    /// Frames held.
    #[inline]
    pub fn held(&self) -> u32 {
        u32::from(self.head.is_some()) + self.queue.packets()
    }

    /// The first frame, if any waits, leaves the queue.
    #[inline]
    pub fn take_next(&mut self, now: Time) {
        self.head = self.queue.dequeue(now).map(|Waiting { frame, since }| {
            self.stats.served += 1;
            self.stats.waited += now.since(since);
            Head { frame, arrived: false }
        });
    }

    pub fn integrate_occupancy(&mut self, now: Time) {
        let held = u64::from(self.held());
        let span = now.since(self.occupancy_until).0;
        self.stats.occupancy += held * span;
        self.stats.waiting += held.saturating_sub(1) * span;
        self.occupancy_until = self.occupancy_until.max(now);
    }
}
