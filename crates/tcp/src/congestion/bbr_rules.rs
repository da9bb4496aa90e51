//! Rules that versions 1 and 3 of BBR share: how to count round trips, and when the pipe is full. Section numbers are those of
//! draft-cardwell-iccrg-bbr-congestion-control-00 (version 1) and, after a slash, of draft-ietf-ccwg-bbr (version 3).

use crate::delivery::Sample;
use airfair_core::Span;

/// Section 4.2.3.2 / 2.7: `MinPipeCwnd`, in segments.
pub const LEAST_WINDOW: f64 = 4.0;
/// Section 4.3.5 / 5.3.4.2: `ProbeRTTDuration`.
pub const PROBE_RTT: Span = Span::from_millis(200);
/// Section 4.2.1 / 5.6.2: the round trip that is assumed before the first sample, in s.
pub const NOMINAL_RTT: f64 = 0.001;

/// Counts round trips (section 4.1.1.2 / 5.5.1).
#[derive(Debug, Default)]
pub struct Rounds {
    /// Round trips so far.
    pub count: u64,
    /// The round trip ends with the delivery of a segment that was sent when at least this many bytes were delivered.
    ends: u64,
    /// The latest ACK began a round trip.
    pub starts: bool,
}

impl Rounds {
    /// `UpdateRound`: takes an ACK. Returns whether it begins a round trip.
    pub fn on_ack(&mut self, sample: &Sample) -> bool {
        self.starts = sample.acked > 0 && sample.prior_delivered >= self.ends;
        if self.starts {
            self.begin(sample);
            self.count += 1;
        }
        self.starts
    }

    /// `StartRound`: begins a round trip, which ends with data that are sent from now on.
    pub fn begin(&mut self, sample: &Sample) {
        self.ends = sample.delivered;
    }
}

/// The pipe is full when in three round trips the bandwidth has not grown by a quarter (section 4.3.2.2 / 5.3.1.2).
#[derive(Debug, Default)]
pub struct FullPipe {
    bandwidth: f64,
    /// Round trips without such growth.
    pub rounds: u32,
}

impl FullPipe {
    const GROWTH: f64 = 1.25;
    const ROUNDS: u32 = 3;

    /// Takes the bandwidth of a round trip, in byte/s. Returns whether it has grown.
    pub fn has_grown(&mut self, bandwidth: f64) -> bool {
        let grown = bandwidth >= FullPipe::GROWTH * self.bandwidth;
        if grown {
            self.reset(bandwidth);
        } else {
            self.rounds += 1;
        }
        grown
    }

    /// Starts again from this bandwidth, in byte/s.
    pub fn reset(&mut self, bandwidth: f64) {
        (self.bandwidth, self.rounds) = (bandwidth, 0);
    }

    pub fn is_full(&self) -> bool {
        self.rounds >= FullPipe::ROUNDS
    }
}
