//! What a sender tells of itself beside its window and its counts: what Linux's `TCP_INFO` tells of a connection.

use crate::scoreboard::{Run, State};
use airfair_core::Span;

/// Where a sender is in its answer to losses and marks: Linux's `tcpi_ca_state`, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing out of the ordinary.
    Open,
    /// Segments arrived out of order, and none counts as lost.
    Disorder,
    /// A mark is answered.
    Reduced,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

/// A sender's view of the data outstanding, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Where it is.
    pub phase: Phase,
    /// The congestion window. In a recovery with Proportional Rate Reduction (RFC 9937) it is what is in the network and what may still go
    /// out, as in Linux, and not the window that comes after.
    pub cwnd: f64,
    /// Outstanding by the cumulative ACK.
    pub unacked: u64,
    /// Of these: SACKed; lost, whether sent again or not; sent again and not known to have arrived.
    pub sacked: u64,
    /// See `sacked`.
    pub lost: u64,
    /// See `sacked`.
    pub resent: u64,
    /// The shortest round trip, where the recovery watches it.
    pub min_rtt: Option<Span>,
    /// By how many segments the path is known to reorder, where the recovery watches it; else zero.
    pub reordering: u64,
}

/// What a recovery knows of the data outstanding.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct View {
    pub recovering: bool,
    pub cwnd: Option<f64>,
    pub sacked: u64,
    pub lost: u64,
    pub resent: u64,
    pub min_rtt: Option<Span>,
    pub reordering: u64,
}

impl View {
    /// The segments in these runs.
    pub fn of(runs: &[Run], segment: u64) -> View {
        let mut view = View::default();
        for run in runs {
            let segments = (run.end - run.start).div_ceil(segment);
            match run.state {
                State::InFlight => {}
                State::Sacked => view.sacked += segments,
                State::Lost => view.lost += segments,
                State::Resent { .. } => {
                    view.lost += segments;
                    view.resent += segments;
                }
            }
        }
        view
    }
}
