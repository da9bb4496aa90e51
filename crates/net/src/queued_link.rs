//! One direction of a wired link with a queue discipline: the next packet is known only when the transmitter is free.
//!
//! Unlike a [`Link`](crate::Link), which computes departures on arrival, a [`QueuedLink`] keeps its packets and has a deadline: the
//! end of the transmission, or the time until which a shaper holds packets back. When a transmission starts, the packet's departure
//! and arrival are known.

use crate::config::LinkConfig;
use crate::impairments::Impairments;
use crate::link::{LinkStats, Transit};
use crate::tx_ring::Ring;
use airfair_core::{Moment, Phase, Rate, Span, SpanSum, Time};
use airfair_queue::{Queue, QueueConfig, Queued};

/// One direction of a wired link with a queue discipline. A shaper may keep it idle while packets wait. At one moment departures come before
/// arrivals: call [`QueuedLink::on_deadline`] before [`QueuedLink::offer`].
#[derive(Clone, Debug)]
pub struct QueuedLink<P> {
    rate: Rate,
    delay: Span,
    /// Arrival of the last packet at the far end. No packet arrives earlier, even after a change to a shorter delay.
    last_arrival: Moment,
    queue: Queue<P>,
    ring: Option<Box<Ring<P>>>,
    /// Departure of the packet in transmission; `None` if there is none.
    departs: Option<Time>,
    /// Phase in which packets leave: that of the packet that began the busy period. A busy period lasts as long as a packet waits or is sent.
    phase: Phase,
    started: Option<(P, Transit)>,
    /// Start of the last transmission. The next field: the sum of the times of all transmissions.
    start: Time,
    transmission: Span,
    lost_on_arrival: u64,
    /// Number of packets held, integrated over time up to `integrated_until`.
    integral: SpanSum,
    integrated_until: Time,
    impairments: Option<Box<Impairments>>,
}

/// Returns the configuration of a direction's queue; drop-tail unless the direction has another discipline.
fn queue_of(config: &LinkConfig) -> QueueConfig {
    let discipline = config.discipline.as_deref().cloned().unwrap_or_default();
    QueueConfig { limit: config.queue, discipline, rate: config.rate, weights: Vec::new() }
}

/// Returns the name of the random stream of a direction's queue.
fn name_of(config: &LinkConfig) -> String {
    format!("link {}", config.name)
}

impl<P: Queued> QueuedLink<P> {
    /// Returns a direction of `link`, idle, in the run with this `seed` that ends at `end`; `None` if it has no discipline. Both
    /// directions share the states of loss models and the outages.
    pub fn new(config: &LinkConfig, link: &str, seed: u64, end: Time) -> Option<QueuedLink<P>> {
        config.discipline.as_ref()?;
        Some(QueuedLink {
            rate: config.rate,
            delay: config.delay,
            last_arrival: Moment::from(Time::ZERO),
            queue: Queue::new(&queue_of(config), seed, &name_of(config)),
            ring: config.tx_ring.map(|ring| Box::new(Ring::new(ring))),
            departs: None,
            phase: Phase::FIRST,
            started: None,
            start: Time::ZERO,
            transmission: Span::ZERO,
            lost_on_arrival: 0,
            integral: SpanSum::default(),
            integrated_until: Time::ZERO,
            impairments: Impairments::new(config, link, seed, end),
        })
    }

    /// Changes rate, delay and queue to those of `config`, from `now` on. A transmission under way ends as it was begun, and packets
    /// stay in order: after a change to a shorter delay none arrives before those already on the wire.
    pub fn change(&mut self, now: Time, config: &LinkConfig, seed: u64) {
        self.integrate(now);
        (self.rate, self.delay) = (config.rate, config.delay);
        self.queue.change(now, &queue_of(config), self.in_service(), seed, &name_of(config));
        // Without its shaper the queue may have packets that nothing holds back any longer.
        self.go_on(now);
    }

    /// Changes the random loss to that of `config`, which draws anew, from `now` on.
    pub fn change_loss(&mut self, now: Time, config: &LinkConfig, link: &str, seed: u64) {
        let impairments = self.impairments.get_or_insert_with(Box::default);
        impairments.change_loss(now, config, link, seed);
    }

    /// Offers a packet at `now`. If the link is idle, the packet's transmission starts: see [`QueuedLink::poll_start`].
    pub fn offer(&mut self, now: impl Into<Moment>, packet: P) {
        let Moment { at: now, phase } = now.into();
        debug_assert!(Moment::new(now, phase) < self.next_deadline(), "departures come first");
        if let Some(impairments) = &mut self.impairments
            && impairments.loses_on_arrival(now, packet.bytes())
        {
            self.lost_on_arrival += 1;
            return;
        }
        self.integrate(now);
        if self.departs.is_none() && self.queue.is_empty() {
            self.phase = phase.of_any_flow();
        }
        self.queue.enqueue(now, packet, self.in_service());
        self.go_on(now);
    }

    /// Returns the departure of the packet in transmission, or when a shaper hands out the next one, if that is earlier; [`Moment::NEVER`] if
    /// there is neither.
    #[inline]
    pub fn next_deadline(&self) -> Moment {
        let next = self.departs.into_iter().chain(self.handed_out_at()).min();
        next.map_or(Moment::NEVER, |at| Moment::new(at, self.phase))
    }

    /// Returns when the queue, whose shaper holds packets back, hands out the next one. `None` if no packet waits, or the transmitter has no room for
    /// it.
    fn handed_out_at(&self) -> Option<Time> {
        let has_room = self.ring.as_ref().map_or(self.departs.is_none(), |ring| ring.has_room());
        (has_room && !self.queue.is_empty()).then(|| self.queue.ready_at())
    }

    /// Ends the transmission of a packet that departs now. Starts the next one, if there is one.
    pub fn on_deadline(&mut self, now: Time) {
        debug_assert_eq!(now, self.next_deadline().at);
        self.integrate(now);
        if self.departs == Some(now) {
            self.departs = None;
            if let Some(ring) = &mut self.ring {
                ring.on_sent(now);
            }
        }
        self.go_on(now);
    }

    /// Takes packets from the queue as far as there is room for them, and starts a transmission if there is none.
    fn go_on(&mut self, now: Time) {
        self.fill_ring(now);
        if self.departs.is_none() {
            self.start_next(now);
        }
    }

    /// Returns the packet whose transmission the last call has started, with its transit. The phase is without a flow's rank.
    #[inline]
    pub fn poll_start(&mut self) -> Option<(P, Transit)> {
        self.started.take()
    }

    /// Returns the number of packets held: waiting, or in transmission.
    pub fn queue_packets(&self) -> u32 {
        let left = self.ring.as_ref().map_or(u32::from(self.departs.is_some()), |ring| ring.packets());
        self.queue.packets() + left
    }

    /// Returns the number of packets that have left the queue and still count against its limit. Those of a ring do not.
    fn in_service(&self) -> u32 {
        u32::from(self.departs.is_some() && self.ring.is_none())
    }

    fn fill_ring(&mut self, now: Time) {
        let Some(ring) = &mut self.ring else { return };
        while ring.has_room() {
            let Some(packet) = self.queue.dequeue(now) else { return };
            ring.push(packet);
        }
    }

    /// Returns the number of packets held, integrated over time up to `now`.
    pub fn queue_integral(&mut self, now: Time) -> SpanSum {
        self.integrate(now);
        self.integral
    }

    /// Returns the time that the transmitter was sending, up to `now`.
    pub fn busy(&self, now: Time) -> Span {
        let to_come = self.departs.map_or(Span::ZERO, |departs| departs.since(now.max(self.start)));
        self.transmission - to_come
    }

    /// Returns the counts since the start of the run. The fate of a packet is counted when it is dropped, or when its transmission
    /// starts.
    pub fn stats(&self) -> LinkStats {
        let [lost_errors, lost_outage] = self.impairments.as_ref().map_or([0; 2], |it| it.lost());
        let queue = self.queue.stats();
        LinkStats {
            offered: queue.offered + self.lost_on_arrival,
            dropped: queue.dropped(),
            discipline: queue.discipline,
            lost_errors,
            lost_outage,
        }
    }

    fn start_next(&mut self, now: Time) {
        let next = match &mut self.ring {
            Some(ring) => ring.pop(),
            None => self.queue.dequeue(now),
        };
        let Some(packet) = next else { return };
        let bytes = packet.bytes();
        let span = self.rate.span_of_bytes(u64::from(bytes));
        // The discipline is charged for time by destination: destinations share the transmitter as stations share the air.
        self.queue.charge(now, packet.station(), span);
        let impairments = self.impairments.as_deref_mut();
        let (start, departs, lost) = match impairments {
            None => (now, now + span, false),
            Some(impairments) => {
                let start = impairments.transmission_start(now, now, span);
                let departs = start + span;
                (start, departs, impairments.loses_in_transit(start, departs, departs + self.delay, bytes))
            }
        };
        self.start = start;
        self.transmission += departs - start;
        self.departs = Some(departs);
        self.last_arrival = self.last_arrival.max(Moment::new(departs + self.delay, self.phase));
        let Moment { at, phase } = self.last_arrival;
        self.started = Some((packet, Transit { departs, arrives: (!lost).then_some(at), phase }));
    }

    fn integrate(&mut self, now: Time) {
        self.integral += now.since(self.integrated_until).times(self.queue_packets());
        self.integrated_until = self.integrated_until.max(now);
    }
}

#[cfg(test)]
mod tests;
