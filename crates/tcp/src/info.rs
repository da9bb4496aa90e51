//! What a sender reports beside its window and its counts, as Linux's `TCP_INFO` does for a connection.

use crate::scoreboard::{Run, State};
use airfair_core::Span;

/// A sender's stage in its answer to losses and marks: Linux's `tcpi_ca_state`, in the same order.
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
    /// The stage of the answer to losses and marks.
    pub phase: Phase,
    /// The congestion window. During a recovery with Proportional Rate Reduction (RFC 9937) it is what is in the network plus what may still
    /// go out, as in Linux, and not the window after the recovery.
    pub cwnd: f64,
    /// Segments that are not cumulatively acknowledged.
    pub unacked: u64,
    /// Segments of these that are SACKed.
    pub sacked: u64,
    /// Segments of these that count as lost, whether retransmitted or not.
    pub lost: u64,
    /// Segments of these that were retransmitted and are not known to have arrived.
    pub resent: u64,
    /// The shortest round trip, where the recovery watches it.
    pub min_rtt: Option<Span>,
    /// The distance in segments by which the path is known to reorder; zero where the recovery does not watch it.
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
