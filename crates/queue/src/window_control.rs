//! Lossless rate control: an access point writes into passing acknowledgements how much each flow may have in flight, so that all of
//! it together fits into its downlink buffer (S. Pilosof, R. Ramjee, D. Raz, Y. Shavitt and P. Sinha, "Understanding TCP fairness over
//! wireless LAN", IEEE INFOCOM 2003; as N. Blefari-Melazzi et al. simulate it, and name it).
//!
//! The rule is theirs: a flow's window is the least of what its receiver advertises and floor(B / n), of a buffer of B packets and n
//! flows. What it leaves open, and what was chosen:
//!
//! * *Which flows count.* All connections through the access point, uploads and downloads alike: an upload's acknowledgements take
//!   places in the same buffer. Traffic without windows has no share, and what it puts into the buffer is not foreseen.
//! * *How many there are* has to be estimated as packets pass. Here a connection counts from its first packet, either way, until none
//!   has been seen for `flow_timeout`. Too short a timeout forgets flows that wait for their retransmission timer, and grants
//!   the others places that are taken when those come back; too long a one counts flows that have ended.
//! * *Packets.* B and the window are numbers of packets, which are full segments in the window that is written.
//! * *Windows shrink when flows come*, and what was granted before is still in flight: the promise of no loss holds once the number
//!   of flows has been the same for a round trip.
//! * *More flows than places* leave a window of zero. It is granted as it is: senders probe it as they do any other, ever more
//!   seldom; those that probe less often than every `flow_timeout` are forgotten, and leave their places to the rest.

use airfair_core::{Span, Time};
use std::collections::BTreeMap;

/// The buffer that flows share by their windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowControlConfig {
    /// Its size in packets.
    pub buffer_packets: u32,
    /// A flow counts as long as its last packet is no older.
    pub flow_timeout: Span,
}

/// The receive window that every flow through a buffer is granted.
#[derive(Clone, Debug)]
pub struct WindowControl {
    config: WindowControlConfig,
    /// When each flow was last seen; the expired are removed before they are counted.
    seen: BTreeMap<u64, Time>,
    /// No flow expires before.
    check_at: Time,
}

impl WindowControl {
    /// No flow has been seen.
    pub fn new(config: WindowControlConfig) -> WindowControl {
        WindowControl { config, seen: BTreeMap::new(), check_at: Time::NEVER }
    }

    /// A packet of the connection `flow` passes, in whichever direction.
    pub fn see(&mut self, now: Time, flow: u64) {
        self.seen.insert(flow, now);
        self.check_at = self.check_at.min(self.expiry(now));
    }

    /// What each flow may have in flight, in packets: the buffer divided by the flows, rounded down; zero where they are more.
    pub fn receive_window(&mut self, now: Time) -> u32 {
        self.config.buffer_packets / self.flows(now).max(1)
    }

    /// How many flows share the buffer.
    pub fn flows(&mut self, now: Time) -> u32 {
        if now > self.check_at {
            let timeout = self.config.flow_timeout;
            self.seen.retain(|_, last| now.since(*last) <= timeout);
            let oldest = self.seen.values().min();
            self.check_at = oldest.map_or(Time::NEVER, |&last| self.expiry(last));
        }
        self.seen.len() as u32
    }

    /// Until when a flow seen at `last` counts.
    fn expiry(&self, last: Time) -> Time {
        Time(last.0.saturating_add(self.config.flow_timeout.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(flow_timeout: Span) -> WindowControl {
        WindowControl::new(WindowControlConfig { buffer_packets: 100, flow_timeout })
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    #[test]
    fn the_buffer_is_divided_by_the_flows_and_rounded_down() {
        let mut windows = control(Span::from_secs(1));
        assert_eq!(windows.receive_window(Time::ZERO), 100);
        let mut granted = Vec::new();
        for flow in 0..101 {
            windows.see(Time::ZERO, flow);
            granted.push(windows.receive_window(Time::ZERO));
        }
        assert_eq!([0, 1, 2, 29, 49, 50, 99, 100].map(|flow| granted[flow]), [100, 50, 33, 3, 2, 1, 1, 0]);
    }

    #[test]
    fn a_flow_counts_until_it_has_been_silent_for_longer_than_the_timeout() {
        let mut windows = control(Span::from_millis(100));
        windows.see(at(0), 1);
        windows.see(at(50), 2);
        windows.see(at(60), 1);
        assert_eq!((windows.flows(at(150)), windows.flows(at(151))), (2, 1));
        assert_eq!((windows.flows(at(160)), windows.flows(at(161))), (1, 0));
        windows.see(at(161), 2);
        assert_eq!(windows.receive_window(at(200)), 100);
    }
}
