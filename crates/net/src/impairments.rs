//! What a link may do to packets beside queueing them: lose them to errors, be down.

use crate::config::{LinkConfig, OutagePackets, Position};
use crate::loss::Losses;
use crate::outage::Outages;
use airfair_core::{Span, Stream, Time};

/// One direction's errors and outages.
#[derive(Clone, Debug)]
pub(crate) struct Impairments {
    errors: Option<(Position, Losses)>,
    outages: Option<(OutagePackets, Outages)>,
    lost_errors: u64,
    lost_outage: u64,
}

impl Impairments {
    /// Those of a direction of `link` in a run that ends at `end`; `None` if it has none.
    pub fn new(config: &LinkConfig, link: &str, seed: u64, end: Time) -> Option<Box<Impairments>> {
        let errors = config.errors.as_deref();
        let outage = config.outage.as_deref();
        (errors.is_some() || outage.is_some()).then(|| {
            let outages =
                |outage| Outages::new(outage, Stream::new(seed, &format!("link {link} outages")), end);
            Box::new(Impairments {
                errors: errors.map(|it| (it.position, Losses::new(it, link, &config.name, seed))),
                outages: outage.map(|it| (it.packets, outages(it))),
                lost_errors: 0,
                lost_outage: 0,
            })
        })
    }

    /// Packets lost to errors and to outages so far.
    pub fn lost(&self) -> [u64; 2] {
        [self.lost_errors, self.lost_outage]
    }

    /// Whether a packet that arrives at `now` is lost before it gets into the queue.
    pub fn hit_on_arrival(&mut self, now: Time, bytes: u32) -> bool {
        if let Some((OutagePackets::Lost(Position::BeforeQueue), outages)) = &mut self.outages
            && outages.is_down(now)
        {
            self.lost_outage += 1;
            return true;
        }
        if let Some((Position::BeforeQueue, losses)) = &mut self.errors
            && losses.hits(now, bytes)
        {
            self.lost_errors += 1;
            return true;
        }
        false
    }

    /// When a transmission starts that could from `free` on.
    pub fn transmission_start(&mut self, free: Time, span: Span) -> Time {
        match &mut self.outages {
            Some((OutagePackets::Held, outages)) => outages.first_gap(free, span),
            _ => free,
        }
    }

    /// Whether a packet is lost that is sent from `start` until `departs` and would arrive at `arrives`.
    pub fn hit_under_way(&mut self, start: Time, departs: Time, arrives: Time, bytes: u32) -> bool {
        if let Some((OutagePackets::Lost(Position::AfterQueue), outages)) = &mut self.outages
            && outages.interrupts(start, arrives)
        {
            self.lost_outage += 1;
            return true;
        }
        if let Some((Position::AfterQueue, losses)) = &mut self.errors
            && losses.hits(departs, bytes)
        {
            self.lost_errors += 1;
            return true;
        }
        false
    }
}
