//! Impairments of a link: random loss and outages.

use crate::config::{LinkConfig, LinkLoss, LossPosition, OutagePackets};
use crate::outage::Outages;
use airfair_core::{LossProcess, Span, Stream, Time};
use std::collections::VecDeque;

/// Random loss and outages of one direction of a link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Impairments {
    loss: Option<(LossPosition, LossProcess)>,
    outages: Option<(OutagePackets, Outages)>,
    lost_errors: u64,
    lost_outage: u64,
    /// Begin and end of each period by which an outage delays the transmitter, in order; past ones are removed.
    pauses: VecDeque<(Time, Time)>,
}

impl Impairments {
    /// Returns the impairments of a direction of `link` in a run that ends at `end`; `None` if it has none.
    pub fn new(config: &LinkConfig, link: &str, seed: u64, end: Time) -> Option<Box<Impairments>> {
        let loss = config.loss.as_deref();
        let outage = config.outage.as_deref();
        (loss.is_some() || outage.is_some()).then(|| {
            let outages =
                |outage| Outages::new(outage, Stream::new(seed, &format!("link {link} outages")), end);
            Box::new(Impairments {
                loss: loss.map(|it| (it.position, process(it, link, &config.name, seed, Time::ZERO))),
                outages: outage.map(|it| (it.packets, outages(it))),
                lost_errors: 0,
                lost_outage: 0,
                pauses: VecDeque::new(),
            })
        })
    }

    /// Changes the random loss to that of `config`, from `now` on.
    pub fn change_loss(&mut self, now: Time, config: &LinkConfig, link: &str, seed: u64) {
        let loss = config.loss.as_deref();
        self.loss = loss.map(|it| (it.position, process(it, link, &config.name, seed, now)));
    }

    /// Returns the packets lost so far at random, and those lost to outages.
    pub fn lost(&self) -> [u64; 2] {
        [self.lost_errors, self.lost_outage]
    }

    /// Whether a packet that arrives at `now` is lost before it gets into the queue. Counts it if so.
    pub fn loses_on_arrival(&mut self, now: Time, bytes: u32) -> bool {
        if let Some((OutagePackets::Lost(LossPosition::BeforeQueue), outages)) = &mut self.outages
            && outages.is_down(now)
        {
            self.lost_outage += 1;
            return true;
        }
        if let Some((LossPosition::BeforeQueue, process)) = &mut self.loss
            && process.loses(now, bytes)
        {
            self.lost_errors += 1;
            return true;
        }
        false
    }

    /// Returns when the transmission of a packet that arrives at `now` starts, if the transmitter is free from `free` on and the
    /// transmission takes `span`.
    pub fn transmission_start(&mut self, now: Time, free: Time, span: Span) -> Time {
        let Some((OutagePackets::Held, outages)) = &mut self.outages else { return free };
        let start = outages.first_gap(free, span);
        if start > free {
            while self.pauses.front().is_some_and(|&(_, until)| until <= now) {
                self.pauses.pop_front();
            }
            self.pauses.push_back((free, start));
        }
        start
    }

    /// Returns the remaining time after `now` by which outages delay packets that have arrived.
    pub fn pauses_to_come(&self, now: Time) -> Span {
        self.pauses.iter().fold(Span::ZERO, |sum, &(from, until)| sum + until.since(from.max(now)))
    }

    /// Whether a packet is lost that is sent from `start` until `departs` and would arrive at `arrives`. Counts it if so.
    pub fn loses_in_transit(&mut self, start: Time, departs: Time, arrives: Time, bytes: u32) -> bool {
        if let Some((OutagePackets::Lost(LossPosition::AfterQueue), outages)) = &mut self.outages
            && outages.interrupts(start, arrives)
        {
            self.lost_outage += 1;
            return true;
        }
        if let Some((LossPosition::AfterQueue, process)) = &mut self.loss
            && process.loses(departs, bytes)
        {
            self.lost_errors += 1;
            return true;
        }
        false
    }
}

/// Returns the loss process of a direction. Both directions of a link share the states of its loss model, and draw for their own
/// packets. A model that holds from a later instant `from` on draws anew.
fn process(loss: &LinkLoss, link: &str, direction: &str, seed: u64, from: Time) -> LossProcess {
    let stream = |of: &str, which| Stream::starting(from, seed, &format!("link {of} {which}"));
    LossProcess::new(loss.model, stream(direction, "errors")).with_sojourns(stream(link, "states"))
}
