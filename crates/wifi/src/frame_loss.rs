//! Frame errors of the air.

use airfair_core::{Stream, Time, TwoState, any_bit_in_error};

use crate::config::{ErrorDirection, ErrorFrames, ErrorPosition, ErrorScope, FrameErrors};

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// A data frame.
    Data,
    /// An RTS, a CTS or an ACK.
    Control,
}

/// Draws which of a station's frames are lost. Questions come in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct FrameLoss {
    model: FrameErrors,
    scope: ErrorScope,
    stream: Stream,
    /// Of the two-state model.
    states: Option<TwoState>,
}

impl FrameLoss {
    pub fn new(model: FrameErrors, scope: ErrorScope, stream: Stream) -> FrameLoss {
        let states = match model {
            FrameErrors::TwoState { mean_good, mean_bad, .. } => Some(TwoState::new(mean_good, mean_bad)),
            _ => None,
        };
        FrameLoss { model, scope, stream, states }
    }

    /// Whether it misses frames other than data on the air.
    pub fn loses_control(&self) -> bool {
        let ErrorScope { position, frames, .. } = self.scope;
        self.model != FrameErrors::None && position == ErrorPosition::Mac && frames == ErrorFrames::All
    }

    /// Whether a frame of `bytes`, headers included, that the station receives until `now` is lost on the air.
    #[inline]
    pub fn loses_received(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.scope.position == ErrorPosition::Mac
            && (kind == FrameKind::Data || self.scope.frames == ErrorFrames::All)
            && self.loses(now, bytes)
    }

    /// The same for a frame that the station sends.
    #[inline]
    pub fn loses_sent(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.scope.direction == ErrorDirection::Both && self.loses_received(kind, now, bytes)
    }

    /// Whether a data frame that the station has received at `now`, and acknowledged, gets no further.
    #[inline]
    pub fn loses_above_mac(&mut self, now: Time, bytes: u32) -> bool {
        self.scope.position == ErrorPosition::AboveMac && self.loses(now, bytes)
    }

    /// The same for one that the station has sent.
    #[inline]
    pub fn loses_sent_above_mac(&mut self, now: Time, bytes: u32) -> bool {
        self.scope.direction == ErrorDirection::Both && self.loses_above_mac(now, bytes)
    }

    #[inline]
    fn loses(&mut self, now: Time, bytes: u32) -> bool {
        let probability = match self.model {
            FrameErrors::None => return false,
            FrameErrors::Constant(probability) => probability,
            FrameErrors::PerBit(probability) => any_bit_in_error(probability, bytes),
            FrameErrors::TwoState { good, bad, .. } => {
                let states = self.states.as_mut();
                if states.is_some_and(|states| states.is_bad(now, &mut self.stream)) { bad } else { good }
            }
        };
        self.stream.chance(probability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Span;

    fn losses(model: FrameErrors, frames: u64) -> f64 {
        let mut process = FrameLoss::new(model, ErrorScope::default(), Stream::new(3, "errors"));
        let lost = (0..frames).filter(|i| process.loses(Time(i * 1_000_000), 125)).count();
        lost as f64 / frames as f64
    }

    #[test]
    fn long_run_rates_are_those_asked_for() {
        assert_eq!(losses(FrameErrors::None, 1000), 0.0);
        assert_eq!(losses(FrameErrors::Constant(1.0), 1000), 1.0);
        assert!((losses(FrameErrors::Constant(0.1), 100_000) - 0.1).abs() < 0.005);
        // 1000 bits at 1e-4: 1 - 0.9999^1000 = 0.09516.
        assert!((losses(FrameErrors::PerBit(1e-4), 100_000) - 0.0952).abs() < 0.005);
        let bursts = FrameErrors::TwoState {
            good: 0.0,
            bad: 0.8,
            mean_good: Span::from_millis(90),
            mean_bad: Span::from_millis(30),
        };
        assert!((losses(bursts, 400_000) - 0.2).abs() < 0.01);
    }

    #[test]
    fn the_two_state_model_starts_good() {
        let never_bad = FrameErrors::TwoState {
            good: 0.0,
            bad: 1.0,
            mean_good: Span::from_secs(1_000_000),
            mean_bad: Span::from_secs(1),
        };
        assert_eq!(losses(never_bad, 1000), 0.0);
    }
}
