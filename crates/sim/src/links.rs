//! All wired links: drop-tail links, whose departures are computed on arrival, and links with a queue discipline.

use crate::flow::Side;
use crate::packet::{LinkPacket, Packet};
use crate::record::LinkCounts;
use crate::route::Routes;
use airfair_core::{Moment, Time};
use airfair_net::{Link, QueuedLink, Transit};
use airfair_scenario::resolved::Scenario;

/// The directions of all links.
#[derive(Debug)]
pub struct Links {
    /// One link for each direction, in the scenario's order. It stays idle if the direction has a discipline.
    pub drop_tail: Vec<Link>,
    /// Directions with a discipline, in the scenario's order.
    pub queued: Vec<QueuedDirection>,
    /// Source and sink node of each flow; empty if no direction has a discipline.
    ends: Vec<[u32; 2]>,
}

/// A direction with a queue discipline.
#[derive(Debug)]
pub struct QueuedDirection {
    /// Number of the direction among all directions.
    pub direction: usize,
    /// The link with its queue.
    pub link: QueuedLink<LinkPacket>,
}

impl QueuedDirection {
    /// Returns the packet whose transmission the last call has started, on the way to its next step, and when it
    /// arrives there.
    #[inline]
    pub fn poll_start(&mut self) -> Option<(Time, Packet)> {
        let (LinkPacket { mut packet, .. }, Transit { arrives, phase, .. }) = self.link.poll_start()?;
        packet.at += 1;
        packet.phase = packet.phase.moved_to(phase);
        Some((arrives?, packet))
    }
}

impl Links {
    /// Returns the links of a scenario, idle, in a run that ends at `end`.
    pub fn new(scenario: &Scenario, seed: u64, end: Time) -> Links {
        let mut links: Vec<Link> = Vec::with_capacity(2 * scenario.links.len());
        for link in &scenario.links {
            let mut pair = Link::pair(&link.forward, &link.backward, seed, end);
            // Links of a group follow each other in the scenario.
            if let [.., forward, backward] = links.as_slice() {
                pair[0].share_params_with(forward);
                pair[1].share_params_with(backward);
            }
            links.extend(pair);
        }
        let names = scenario.links.iter().flat_map(|link| [&link.forward.name; 2]);
        let directions = scenario.link_directions().zip(names).enumerate();
        let queued: Vec<QueuedDirection> = directions
            .filter_map(|(direction, (config, link))| {
                QueuedLink::new(config, link, seed, end).map(|link| QueuedDirection { direction, link })
            })
            .collect();
        let ends = scenario.flows.iter().map(|flow| [flow.source as u32, flow.sink as u32]);
        let ends = if queued.is_empty() { Vec::new() } else { ends.collect() };
        Links { drop_tail: links, queued, ends }
    }

    /// Offers a packet to a link with a discipline.
    pub fn offer(&mut self, now: Time, queue: usize, packet: Packet) {
        let [source, sink] = self.ends[packet.to.flow() as usize];
        let destination = match packet.to.side() {
            Side::Sender => source,
            Side::Receiver => sink,
        };
        self.queued[queue].link.offer(Moment::new(now, packet.phase), LinkPacket { packet, destination });
    }

    /// Makes room for a packet that goes on behind all else at `now`: if its step `at` leads over a drop-tail link, lets the packets that leave
    /// that link at `now` leave first.
    #[inline]
    pub fn go_last(&mut self, now: Time, at: u32, routes: &Routes) {
        if let Some(link) = routes.drop_tail_link(at) {
            self.drop_tail[link as usize].let_leave(now);
        }
    }

    /// Returns the number of packets held by each link with a discipline.
    pub fn held(&self) -> Vec<u32> {
        self.queued.iter().map(|queued| queued.link.queue_packets()).collect()
    }

    /// Changes settings of links from those of `old` to those of `new`. Every direction must have a discipline.
    pub fn change(&mut self, now: Time, old: &Scenario, new: &Scenario, seed: u64) {
        let directions: Vec<_> = old.link_directions().zip(new.link_directions()).collect();
        for QueuedDirection { direction, link } in &mut self.queued {
            let (old, config) = directions[*direction];
            link.change(now, config, seed);
            if old.loss != config.loss {
                link.change_loss(now, config, &new.links[*direction / 2].forward.name, seed);
            }
        }
    }

    /// Returns the counts of each direction at `now`.
    pub fn counts(&mut self, now: Time) -> Vec<LinkCounts> {
        let read = |link: &mut Link| LinkCounts {
            packets: link.stats(),
            busy: link.busy(now),
            queue_integral: link.queue_integral(now),
        };
        let mut counts: Vec<_> = self.drop_tail.iter_mut().map(read).collect();
        for QueuedDirection { direction, link } in &mut self.queued {
            let (packets, busy, queue_integral) = (link.stats(), link.busy(now), link.queue_integral(now));
            counts[*direction] = LinkCounts { packets, busy, queue_integral };
        }
        counts
    }
}
