//! Starts of a flow's sessions: the traffic model U = <T(s, l)> of Jung & Park, section 3.1.

use airfair_core::{Span, Stream, Time};
use airfair_scenario::resolved::{Gap, Traffic};

/// A flow's future sessions.
#[derive(Clone, Debug)]
pub struct Source {
    next_start: Time,
    /// When a persistent source stops writing.
    stop_at: Time,
    /// `None`: the one session is unbounded. Boxed, because most flows of a large network are of that kind.
    sessions: Option<Box<Sessions>>,
}

/// Finite sessions.
#[derive(Clone, Debug)]
struct Sessions {
    bytes: u64,
    gap: Gap,
    stream: Stream,
}

/// An action of the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts a session of this many bytes.
    Start(u64),
    /// Starts the unbounded session.
    StartUnbounded,
    /// Stops writing.
    Stop,
}

impl Source {
    /// The source of the flow `name`, with random draws of its own.
    pub fn new(traffic: &Traffic, seed: u64, name: &str) -> Source {
        let mut stream = Stream::new(seed, &format!("traffic of {name}"));
        let mut first = |start: Span, spread: Span| Time::ZERO + start + Span(stream.below(spread.0 + 1));
        match *traffic {
            Traffic::Persistent { start, spread, stop } => Source {
                next_start: first(start, spread),
                stop_at: stop.map_or(Time::NEVER, |stop| Time::ZERO + stop),
                sessions: None,
            },
            Traffic::Intermittent { start, spread, bytes, gap } => Source {
                next_start: first(start, spread),
                stop_at: Time::NEVER,
                sessions: Some(Box::new(Sessions { bytes, gap, stream })),
            },
            Traffic::Voice { start, spread, codec, .. } => Source {
                next_start: first(start, spread),
                stop_at: Time::NEVER,
                sessions: Some(Box::new(Sessions {
                    bytes: u64::from(codec.frame_bytes()),
                    gap: Gap::Fixed(codec.frame()),
                    stream,
                })),
            },
        }
    }

    /// A source that does nothing.
    pub fn silent() -> Source {
        Source { next_start: Time::NEVER, stop_at: Time::NEVER, sessions: None }
    }

    /// Sessions have another length from the next one on, and another gap after it.
    pub fn change(&mut self, to: &Traffic) {
        if let (Some(sessions), &Traffic::Intermittent { bytes, gap, .. }) = (&mut self.sessions, to) {
            (sessions.bytes, sessions.gap) = (bytes, gap);
        }
    }

    /// The application's next action.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.next_start.min(self.stop_at)
    }

    /// The action that is due at `now`, if any.
    pub fn poll(&mut self, now: Time) -> Option<Action> {
        if self.next_start <= now && self.next_start <= self.stop_at {
            return Some(match &mut self.sessions {
                None => {
                    self.next_start = Time::NEVER;
                    Action::StartUnbounded
                }
                Some(sessions) => {
                    self.next_start += sessions.draw_gap();
                    Action::Start(sessions.bytes)
                }
            });
        }
        if self.stop_at <= now {
            self.stop_at = Time::NEVER;
            self.next_start = Time::NEVER;
            return Some(Action::Stop);
        }
        None
    }
}

impl Sessions {
    fn draw_gap(&mut self) -> Span {
        match self.gap {
            Gap::Fixed(span) => span,
            Gap::Uniform { low, high } => Span(low.0 + self.stream.below(high.0 - low.0 + 1)),
            Gap::Exponential(mean) => Span::from_secs_f64(self.stream.exponential(mean.as_secs())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_scenario::resolved::VoiceCodec;

    fn intermittent(gap: Gap) -> Source {
        let traffic = Traffic::Intermittent {
            start: Span::from_secs(1),
            spread: Span::from_secs(2),
            bytes: 10_000,
            gap,
        };
        Source::new(&traffic, 1, "flow")
    }

    #[test]
    fn sessions_come_once_a_period() {
        let mut source = intermittent(Gap::Fixed(Span::from_secs(10)));
        let first = source.next_deadline();
        assert!(first >= Time::ZERO + Span::from_secs(1) && first <= Time::ZERO + Span::from_secs(3));
        assert_eq!(source.poll(first - Span(1)), None);
        assert_eq!(source.poll(first), Some(Action::Start(10_000)));
        assert_eq!(source.next_deadline(), first + Span::from_secs(10));
    }

    #[test]
    fn a_voice_sends_a_frame_every_20_ms() {
        let traffic = Traffic::Voice {
            start: Span::from_secs(1),
            spread: Span::ZERO,
            codec: VoiceCodec::G711,
            playout_delay: Span::ZERO,
        };
        let mut source = Source::new(&traffic, 1, "flow");
        assert_eq!(source.poll(Time::ZERO + Span::from_secs(1)), Some(Action::Start(160)));
        assert_eq!(source.next_deadline(), Time::ZERO + Span::from_millis(1020));
    }

    #[test]
    fn random_gaps_have_their_mean() {
        let mean = Span::from_secs(4);
        for gap in [Gap::Exponential(mean), Gap::Uniform { low: Span::ZERO, high: mean * 2 }] {
            let mut source = intermittent(gap);
            let first = source.next_deadline();
            for _ in 0..20_000 {
                source.poll(source.next_deadline());
            }
            let measured = (source.next_deadline() - first).as_secs() / 20_000.0;
            assert!((measured - 4.0).abs() < 0.1, "{measured}");
        }
    }

    #[test]
    fn a_persistent_source_starts_once_and_may_stop() {
        let traffic =
            Traffic::Persistent { start: Span::ZERO, spread: Span::ZERO, stop: Some(Span::from_secs(5)) };
        let mut source = Source::new(&traffic, 1, "flow");
        assert_eq!(source.poll(Time::ZERO), Some(Action::StartUnbounded));
        assert_eq!(source.poll(Time::ZERO), None);
        assert_eq!(source.next_deadline(), Time::ZERO + Span::from_secs(5));
        assert_eq!(source.poll(source.next_deadline()), Some(Action::Stop));
        assert_eq!(source.next_deadline(), Time::NEVER);
    }
}
