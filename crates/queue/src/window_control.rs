//! Lossless rate control: an access point limits each flow's data in flight through the receive window of passing
//! acknowledgements, so that all flows together fit into its downlink buffer (S. Pilosof, R. Ramjee, D. Raz, Y.
//! Shavitt and P. Sinha, "Understanding TCP fairness over wireless LAN", IEEE INFOCOM 2003; simulated and named by N.
//! Blefari-Melazzi et al.).
//!
//! The rule is theirs: with a buffer of B packets and n flows, a flow's window is the lesser of its receiver's window
//! and floor(B / n). Choices where the papers are silent:
//!
//! * *Which flows count.* All connections through the access point, uploads and downloads alike: an upload's
//!   acknowledgements take places in the same buffer. Traffic without windows has no share, and its use of the buffer
//!   is ignored.
//! * *Number of flows.* It is estimated from passing packets. A connection counts from its first packet, in either
//!   direction, until it has been silent for `flow_timeout`. Too short a timeout forgets flows that wait for their
//!   retransmission timer, and grants the others places that are taken when those come back; too long a timeout
//!   counts flows that have ended.
//! * *Packets.* B and the windows are numbers of packets: full segments.
//! * *New flows shrink the windows*, while data granted before is still in flight: there is no loss only once the
//!   number of flows has been constant for a round trip.
//! * *More flows than places* give a window of zero. Senders probe it like any other, ever more rarely; those that
//!   probe less often than every `flow_timeout` are forgotten, and leave their places to the rest.

use airfair_core::{Span, Time};
use std::collections::BTreeMap;

/// Configuration of a window control: the buffer that flows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowControlConfig {
    /// Size of the buffer in packets.
    pub buffer_packets: u32,
    /// Age of a flow's last packet up to which the flow counts.
    pub flow_timeout: Span,
}

/// The receive window that every flow through a buffer is granted.
#[derive(Clone, Debug)]
pub struct WindowControl {
    config: WindowControlConfig,
    /// Time of the last packet of each flow. Expired flows are removed before they are counted.
    seen: BTreeMap<u64, Time>,
    /// No flow expires before this instant.
    check_at: Time,
}

impl WindowControl {
    /// Returns a window control without flows.
    pub fn new(config: WindowControlConfig) -> WindowControl {
        WindowControl { config, seen: BTreeMap::new(), check_at: Time::NEVER }
    }

    /// Notes that a packet of the connection `flow` passes, in either direction.
    pub fn see(&mut self, now: Time, flow: u64) {
        self.seen.insert(flow, now);
        self.check_at = self.check_at.min(self.expiry(now));
    }

    /// Returns the receive window of each flow in packets: the buffer divided by the flows, rounded down; zero if there
    /// are more flows than packets.
    pub fn receive_window(&mut self, now: Time) -> u32 {
        self.config.buffer_packets / self.flows(now).max(1)
    }

    /// Returns the number of flows that share the buffer.
    pub fn flows(&mut self, now: Time) -> u32 {
        if now > self.check_at {
            let timeout = self.config.flow_timeout;
            self.seen.retain(|_, last| now.since(*last) <= timeout);
            let oldest = self.seen.values().min();
            self.check_at = oldest.map_or(Time::NEVER, |&last| self.expiry(last));
        }
        self.seen.len() as u32
    }

    /// Returns the last instant at which a flow counts whose last packet passed at `last`.
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
