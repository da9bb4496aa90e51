//! One direction of a wired link: a drop-tail queue, a transmitter, a propagation delay; loss and outages.
//!
//! Everything about a packet on a fixed-rate drop-tail link is known when it arrives: whether it is dropped or lost, when it leaves, when it
//! reaches the far end. So a link keeps no packets and has no deadline. Departures are computed, and accounted for when the next packet arrives.

use crate::backlog::Backlog;
use crate::config::LinkConfig;
use crate::impairments::Impairments;
use crate::params::LinkParams;
use airfair_core::{Moment, Phase, Span, SpanSum, Time, counters};
use airfair_queue::DisciplineStats;
use std::ops::Add;
use std::sync::Arc;

counters! {
    /// Counts of one direction of a link since the start of the run. The fate of a packet is counted when it arrives at the link, because it is
    /// known then: `offered - dropped - lost_errors - lost_outage` packets get to the far end.
    pub struct LinkStats {
        /// Packets that arrived at the link.
        offered: u64 = "packet",
        /// Packets dropped by the link's queue, because it was full or by its discipline.
        dropped: u64 = "packet",
        /// Decisions of the queue's discipline; drop-tail decides nothing.
        discipline: DisciplineStats = "packet",
        /// Packets lost at random.
        lost_errors: u64 = "packet",
        /// Packets lost because the link was down.
        lost_outage: u64 = "packet",
    }
}

/// The times at which a packet that the queue has accepted leaves and arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transit {
    /// When the packet's last bit has left the transmitter.
    pub departs: Time,
    /// When the packet's last bit has reached the far end; `None` if it is lost in transit.
    pub arrives: Option<Time>,
    /// Phase of both instants: that of the packet that began the busy period. A [`Link`] gives it the rank of this packet's flow.
    pub phase: Phase,
}

/// One direction of a wired link. The struct fits a cache line and starts at one: with many links, each packet finds its links in memory, not in
/// a cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Link {
    params: Arc<LinkParams>,
    backlog: Backlog,
    offered: u64,
    /// Sum of the transmission times of accepted packets.
    transmission: Span,
    /// Arrival of the last packet, dropped or not.
    #[cfg(debug_assertions)]
    last_offer: Time,
}

impl Link {
    /// Returns both directions of a link, idle, in the run with this `seed` that ends at `end`. The link has the name of `forward`. Both
    /// directions share the states of loss models and the outages.
    pub fn pair(forward: &LinkConfig, backward: &LinkConfig, seed: u64, end: Time) -> [Link; 2] {
        [forward, backward].map(|config| Link::new(config, &forward.name, seed, end))
    }

    fn new(config: &LinkConfig, link: &str, seed: u64, end: Time) -> Link {
        Link {
            params: Arc::new(LinkParams::new(config)),
            backlog: Backlog::new(Impairments::new(config, link, seed, end)),
            offered: 0,
            transmission: Span::ZERO,
            #[cfg(debug_assertions)]
            last_offer: Time::ZERO,
        }
    }

    /// Shares rate, delay and limit with `other` if they are equal.
    pub fn share_params_with(&mut self, other: &Link) {
        if self.params == other.params {
            self.params = Arc::clone(&other.params);
        }
    }

    /// Offers a packet of `bytes` on the wire at `now`, no earlier than the packet before. Returns its times; `None` if it does not enter the
    /// queue.
    pub fn offer(&mut self, now: impl Into<Moment>, bytes: u32) -> Option<Transit> {
        let now = now.into();
        self.offered += 1;
        let Moment { at, phase } = match self.params.ordinary_time(bytes) {
            Some(span) => self.carry_for(now, span),
            None => self.carry_otherwise(now, bytes),
        };
        let enters = (at, phase) != (Time::NEVER, Phase::LAST);
        let arrives = (at < Time::NEVER).then_some(at);
        enters.then(|| Transit { departs: self.backlog.free_at(), arrives, phase })
    }

    /// Lets packets that leave at `now` be gone before all that is offered from here on. Otherwise a packet that is offered at that instant finds
    /// those still there whose phase is later than its own.
    #[inline]
    pub fn let_leave(&mut self, now: Time) {
        self.backlog.let_leave(now);
    }

    /// Like [`Link::offer`], but returns only the packet's arrival at the far end; `None` if it does not get there.
    #[inline(always)]
    pub fn carry(&mut self, now: Moment, bytes: u32) -> Option<Moment> {
        self.carry_or_wait::<false>(now, bytes)
    }

    /// Like [`Link::carry`], but for a link that is mostly busy: the code for waiting is inlined, too.
    #[inline(always)]
    pub fn carry_busily(&mut self, now: Moment, bytes: u32) -> Option<Moment> {
        self.carry_or_wait::<true>(now, bytes)
    }

    /// Returns the transmission time of packets of `bytes` bytes. `None` if the link needs to know more: if it has random loss, outages or a
    /// limit in bytes.
    pub fn time_of(&self, bytes: u32) -> Option<Span> {
        (!self.params.is_special).then(|| self.params.transmission_time(bytes))
    }

    /// Like [`Link::carry`], but for one of many packets with this [transmission time](Link::time_of).
    #[inline(always)]
    pub fn carry_alike(&mut self, now: Moment, span: Span) -> Option<Moment> {
        self.count(now);
        let arrival = self.carry_for(now, span);
        (arrival.at != Time::NEVER).then_some(arrival)
    }

    /// Returns the arrival at the far end of the first of `packets` packets, each with the [transmission time](Link::time_of) `span`. `None`
    /// unless the packets, which all come at `now`, find the link free and room for all. The others arrive `span` after one another, in the same
    /// phase.
    pub fn carries_row(&self, now: Moment, span: Span, packets: u32) -> Option<Moment> {
        let has_room = packets <= self.params.limit_packets && !self.backlog.is_busy(now);
        has_room.then(|| Moment::new(now.at + span + self.params.delay, now.phase))
    }

    /// Carries packets after [`Link::carries_row`], at most as many as that was asked for.
    pub fn carry_row(&mut self, now: Moment, span: Span, packets: u32) {
        self.count_all(now, span, packets);
        self.backlog.note_wait(span * (u64::from(packets) * u64::from(packets.saturating_sub(1)) / 2));
        self.backlog.begin_row(now.phase, now.at + span, span, packets);
    }

    /// Counts `packets` packets that have crossed the link, each of which came after the one before had left. The last one came at `last`.
    pub fn carry_apart(&mut self, last: Moment, span: Span, packets: u32) {
        self.count_all(last, span, packets);
        self.backlog.begin(last.phase, last.at + span);
    }

    #[inline(always)]
    fn count(&mut self, now: Moment) {
        self.note_offer(now);
        self.offered += 1;
    }

    fn count_all(&mut self, last: Moment, span: Span, packets: u32) {
        self.note_offer(last);
        self.offered += u64::from(packets);
        self.transmission += span * u64::from(packets);
    }

    #[inline(always)]
    fn note_offer(&mut self, now: Moment) {
        #[cfg(debug_assertions)]
        {
            assert!(now.at >= self.last_offer, "packets come in order");
            self.last_offer = now.at;
        }
        let _ = now;
    }

    #[inline(always)]
    fn carry_or_wait<const IN_PLACE: bool>(&mut self, now: Moment, bytes: u32) -> Option<Moment> {
        self.count(now);
        let arrival = match self.params.ordinary_time(bytes) {
            Some(span) if !self.backlog.is_busy(now) => {
                // The times of an ordinary link are so short that no sum leaves 64 bits.
                let departs = now.at.plus(span);
                self.transmission += span;
                self.backlog.begin(now.phase, departs);
                return Some(Moment::new(departs.plus(self.params.delay), now.phase));
            }
            Some(span) if IN_PLACE => match self.follow(now, span, Time::plus) {
                Some(arrival) => return Some(arrival),
                None => self.carry_unevenly(now, span),
            },
            Some(span) => self.carry_behind(now, span),
            None => self.carry_otherwise(now, bytes),
        };
        (arrival.at != Time::NEVER).then_some(arrival)
    }

    /// Carries a packet over a link that is not ordinary. The arrival is at [`Time::NEVER`] if the packet is lost in transit, at
    /// [`Moment::NEVER`] if it does not enter the queue.
    #[inline(never)]
    fn carry_otherwise(&mut self, now: Moment, bytes: u32) -> Moment {
        if self.params.is_special {
            return self.carry_special(now, bytes);
        }
        self.carry_for(now, self.params.transmission_time(bytes))
    }

    /// Carries a packet with transmission time `span` over a link without random loss, outages or a limit in bytes.
    #[inline(always)]
    fn carry_for(&mut self, now: Moment, span: Span) -> Moment {
        if self.backlog.is_busy(now) {
            return self.wait_behind(now, span);
        }
        let departs = now.at + span;
        self.transmission += span;
        self.backlog.begin(now.phase, departs);
        Moment::new(departs + self.params.delay, now.phase)
    }

    /// Lets a packet wait that finds the transmitter busy, or refuses it.
    #[inline(never)]
    fn carry_behind(&mut self, now: Moment, span: Span) -> Moment {
        self.wait_behind(now, span)
    }

    #[inline(always)]
    fn wait_behind(&mut self, now: Moment, span: Span) -> Moment {
        match self.follow(now, span, Time::add) {
            Some(arrival) => arrival,
            None => self.carry_unevenly(now, span),
        }
    }

    /// Lets a packet follow those that the busy transmitter holds, at equal distances. Returns its arrival, computed with `sum`; `None` if that needs a
    /// closer look.
    #[inline(always)]
    fn follow(&mut self, now: Moment, span: Span, sum: impl Fn(Time, Span) -> Time) -> Option<Moment> {
        let start = self.backlog.free_at();
        let departs = sum(start, span);
        let phase = self.backlog.follow(now, departs, self.params.limit_packets)?;
        self.add(now, [start, departs]);
        Some(Moment::new(sum(departs, self.params.delay), phase))
    }

    /// Like [`Link::wait_behind`], but for any packet.
    #[inline(never)]
    fn carry_unevenly(&mut self, now: Moment, span: Span) -> Moment {
        let start = self.backlog.free_at();
        let departs = start + span;
        let Some(phase) = self.backlog.follow_otherwise(now, departs, self.params.limit_packets) else {
            return self.refuse();
        };
        self.add(now, [start, departs]);
        Moment::new(departs + self.params.delay, phase)
    }

    /// Counts a packet that finds the queue full.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self) -> Moment {
        self.backlog.refuse();
        Moment::NEVER
    }

    /// Carries a packet over a link with random loss, outages or a limit in bytes.
    #[inline(never)]
    fn carry_special(&mut self, now: Moment, bytes: u32) -> Moment {
        let span = self.params.transmission_time(bytes);
        let busy = self.backlog.is_busy(now);
        let full = match self.params.limit_bytes {
            Some(limit) => self.backlog.bytes(now) + u64::from(bytes) > limit,
            None => busy && self.backlog.is_full(self.params.limit_packets, now),
        };
        let free = self.backlog.free_at().max(now.at);
        if let Some(impairments) = self.backlog.impairments_mut()
            && impairments.loses_on_arrival(now.at, bytes)
        {
            return Moment::NEVER;
        }
        if full {
            return self.refuse();
        }
        let (mut start, mut lost) = (free, false);
        if let Some(impairments) = self.backlog.impairments_mut() {
            start = impairments.transmission_start(now.at, free, span);
            lost = impairments.loses_in_transit(start, start + span, start + span + self.params.delay, bytes);
        }
        let departs = start + span;
        let phase = self.hold(now, busy, departs);
        self.add(now, [start, departs]);
        if self.params.limit_bytes.is_some() {
            self.backlog.note_length(bytes);
        }
        Moment::new(if lost { Time::NEVER } else { departs + self.params.delay }, phase)
    }

    /// Returns the number of packets held when one arrives at `now`: waiting, or in transmission.
    pub fn queue_packets(&self, now: impl Into<Moment>) -> usize {
        self.backlog.count(now.into())
    }

    /// Returns the number of packets held, integrated over time up to `now`: the time that packets spend here, less the remaining time of those
    /// held.
    pub fn queue_integral(&self, now: Time) -> SpanSum {
        let mut residence = self.backlog.waiting();
        residence += self.transmission;
        residence - self.backlog.residence_to_come(now)
    }

    /// Returns the time that the transmitter was sending, up to `now`. It sends the packets held without gaps, unless an outage delays them.
    pub fn busy(&self, now: Time) -> Span {
        let pauses = self.backlog.impairments().map_or(Span::ZERO, |it| it.pauses_to_come(now));
        self.transmission + pauses - self.backlog.free_at().since(now)
    }

    /// Returns the counts since the start of the run.
    pub fn stats(&self) -> LinkStats {
        let [lost_errors, lost_outage] = self.backlog.impairments().map_or([0; 2], Impairments::lost);
        LinkStats {
            offered: self.offered,
            dropped: self.backlog.refused(),
            discipline: DisciplineStats::default(),
            lost_errors,
            lost_outage,
        }
    }

    /// Adds a packet that leaves at `departs`. Returns the phase in which it leaves.
    fn hold(&mut self, now: Moment, busy: bool, departs: Time) -> Phase {
        if busy {
            return self.backlog.extend(now, departs, self.params.limit_packets);
        }
        self.backlog.begin(now.phase, departs);
        now.phase
    }

    /// Adds up the times of a packet that is sent from `start` until `departs`.
    #[inline(always)]
    fn add(&mut self, now: Moment, [start, departs]: [Time; 2]) {
        self.transmission += departs - start;
        self.backlog.note_wait(start - now.at);
    }
}

#[cfg(test)]
pub(crate) mod tests;
