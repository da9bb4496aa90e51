//! Starts of a flow's sessions: the traffic model U = <T(s, l)> of Jung & Park, section 3.1, and applications that start them.

use crate::video::Player;
use crate::web::Pages;
use airfair_core::{Span, Stream, Time};
use airfair_scenario::resolved::{Gap, Traffic};
use std::sync::Arc;

/// A flow's future sessions.
#[derive(Clone, Debug)]
pub struct Source {
    next_start: Time,
    /// When a persistent source stops writing.
    stop_at: Time,
    /// What starts finite sessions; `None` for the one unbounded session. Boxed, because most flows of a large network have none.
    application: Option<Box<Application>>,
}

/// The source of finite sessions.
#[derive(Clone, Debug)]
enum Application {
    /// An application that starts sessions of one length.
    Sessions(Sessions),
    /// One connection of a browser.
    Pages(Pages),
    /// A player of video, and the size of the segment that it asks for next.
    Player(Player, u64),
    /// A camera, and the time from one frame to the next.
    Camera(Span),
    /// Sessions at given times, of given bytes, and the number of the next one.
    Trace(Arc<[(Span, u64)]>, usize),
}

/// Finite sessions of one length, with gaps between their starts.
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
    /// Captures a frame, whose encoder decides the bytes of its session.
    Capture,
    /// Stops writing.
    Stop,
}

impl Source {
    /// Returns the source of the flow `name`, with random draws of its own.
    pub fn new(traffic: &Traffic, seed: u64, name: &str) -> Source {
        let name = match traffic {
            Traffic::Web { page, .. } => &page.name,
            _ => name,
        };
        let mut stream = Stream::new(seed, &format!("traffic of {name}"));
        let mut first = |start: Span, spread: Span| Time::ZERO + start + Span(stream.below(spread.0 + 1));
        let (next_start, application) = match *traffic {
            Traffic::Trace { start, spread, ref sessions } => {
                (first(start, spread) + sessions[0].0, Application::Trace(Arc::clone(sessions), 0))
            }
            Traffic::Persistent { start, spread, stop } => {
                let next_start = first(start, spread);
                let stop_at = stop.map_or(Time::NEVER, |stop| Time::ZERO + stop);
                return Source { next_start, stop_at, application: None };
            }
            Traffic::Intermittent { start, spread, bytes, gap } => {
                (first(start, spread), Application::Sessions(Sessions { bytes, gap, stream }))
            }
            Traffic::RequestResponse { start, spread, gap, request_bytes, .. } => {
                let bytes = u64::from(request_bytes);
                (first(start, spread), Application::Sessions(Sessions { bytes, gap, stream }))
            }
            Traffic::Game { start, spread, tick, update_bytes, .. } => {
                let (bytes, gap) = (u64::from(update_bytes), Gap::Fixed(tick));
                (first(start, spread), Application::Sessions(Sessions { bytes, gap, stream }))
            }
            Traffic::Voice { start, spread, codec, .. } => {
                let (bytes, gap) = (u64::from(codec.frame_bytes()), Gap::Fixed(codec.frame()));
                (first(start, spread), Application::Sessions(Sessions { bytes, gap, stream }))
            }
            Traffic::VideoCall { start, spread, frame_interval, .. } => {
                (first(start, spread), Application::Camera(frame_interval))
            }
            Traffic::Web { start, spread, gap, ref page } => {
                let start = first(start, spread);
                (start, Application::Pages(Pages::new(page.clone(), gap, stream, start)))
            }
            Traffic::Video { start, spread, segment, buffer, bitrate } => {
                let player = Player::new(segment, buffer, bitrate);
                let bytes = player.first();
                (first(start, spread), Application::Player(player, bytes))
            }
        };
        Source { next_start, stop_at: Time::NEVER, application: Some(Box::new(application)) }
    }

    /// Returns a source that does nothing.
    pub fn silent() -> Source {
        Source { next_start: Time::NEVER, stop_at: Time::NEVER, application: None }
    }

    /// Changes the length of sessions from the next one on, and the gap from the one after it on.
    pub fn change(&mut self, to: &Traffic) {
        if let (Some(application), &Traffic::Intermittent { bytes, gap, .. }) = (&mut self.application, to)
            && let Application::Sessions(sessions) = application.as_mut()
        {
            (sessions.bytes, sessions.gap) = (bytes, gap);
        }
    }

    /// Tells the application that `sessions` sessions have been acknowledged, the last of which was delivered at `delivered`. Returns the
    /// length of the next session if the application starts it at once for that reason.
    pub fn on_end(&mut self, now: Time, sessions: usize, delivered: Time) -> Option<u64> {
        let (player, next) = match self.application.as_deref_mut()? {
            Application::Player(player, next) => (player, next),
            Application::Pages(pages) => {
                self.next_start = pages.on_end(sessions)?.max(now);
                return None;
            }
            _ => return None,
        };
        let (wait, bytes) = player.on_segment(delivered);
        if wait == Span::ZERO {
            return Some(bytes);
        }
        *next = bytes;
        self.next_start = now + wait;
        None
    }

    /// Returns when the application acts next.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.next_start.min(self.stop_at)
    }

    /// Returns the action that is due at `now`, if any.
    pub fn poll(&mut self, now: Time) -> Option<Action> {
        if self.next_start <= now && self.next_start <= self.stop_at {
            let Some(application) = &mut self.application else {
                self.next_start = Time::NEVER;
                return Some(Action::StartUnbounded);
            };
            let (bytes, gap) = match application.as_mut() {
                Application::Pages(pages) => {
                    let (bytes, next) = pages.next();
                    self.next_start = next.max(now);
                    return Some(Action::Start(bytes));
                }
                Application::Sessions(sessions) => (sessions.bytes, sessions.gap.draw(&mut sessions.stream)),
                Application::Player(_, bytes) => (*bytes, Span(u64::MAX)),
                Application::Camera(interval) => {
                    self.next_start += *interval;
                    return Some(Action::Capture);
                }
                Application::Trace(sessions, next) => {
                    let (at, bytes) = sessions[*next];
                    *next += 1;
                    (bytes, sessions.get(*next).map_or(Span(u64::MAX), |later| later.0 - at))
                }
            };
            self.next_start += gap;
            return Some(Action::Start(bytes));
        }
        if self.stop_at <= now {
            self.stop_at = Time::NEVER;
            self.next_start = Time::NEVER;
            return Some(Action::Stop);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Rate;
    use airfair_scenario::resolved::{Page, VoiceCodec};

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
            playout_delay: None,
        };
        let mut source = Source::new(&traffic, 1, "flow");
        assert_eq!(source.poll(Time::ZERO + Span::from_secs(1)), Some(Action::Start(160)));
        assert_eq!(source.next_deadline(), Time::ZERO + Span::from_millis(1020));
    }

    #[test]
    fn a_trace_is_sent_as_it_was_taken() {
        let sessions = [(1, 10), (3, 20), (3, 30)].map(|(at, bytes)| (Span::from_secs(at), bytes));
        let traffic =
            Traffic::Trace { start: Span::from_secs(5), spread: Span::ZERO, sessions: sessions.into() };
        let mut source = Source::new(&traffic, 1, "trace");
        let at = |seconds| Time::ZERO + Span::from_secs(seconds);
        assert_eq!((source.poll(at(5)), source.next_deadline()), (None, at(6)));
        assert_eq!((source.poll(at(6)), source.next_deadline()), (Some(Action::Start(10)), at(8)));
        let last: Vec<_> = std::iter::from_fn(|| source.poll(at(8))).collect();
        assert_eq!(last, [Action::Start(20), Action::Start(30)]);
        assert_eq!(source.next_deadline(), Time::NEVER);
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
    fn a_page_starts_all_of_its_objects_at_once_when_its_document_is_there() {
        let page = |connection| Page {
            name: "page".to_owned(),
            bytes: 10_000,
            objects: 5,
            connection,
            connections: 2,
            round_trips: 0,
        };
        let gap = Gap::Fixed(Span::from_secs(3));
        let source = |connection, name| {
            let (start, spread) = (Span::from_secs(1), Span::from_secs(1));
            Source::new(&Traffic::Web { start, spread, gap, page: page(connection) }, 1, name)
        };
        // The first start is the page's, whatever the connection is called.
        let (mut source, other) = (source(0, "page"), source(1, "page-1"));
        let first = source.next_deadline();
        assert_eq!(first, other.next_deadline());
        let started = |source: &mut Source, now| std::iter::from_fn(|| source.poll(now)).count();
        assert_eq!((started(&mut source, first), source.next_deadline()), (1, Time::NEVER));
        let later = first + Span::from_secs(4);
        assert_eq!(source.on_end(later, 1, later), None);
        assert_eq!((started(&mut source, later), source.next_deadline()), (1, Time::NEVER), "the document");
        assert_eq!(source.on_end(later, 1, later), None);
        assert_eq!(source.next_deadline(), Time::NEVER, "that was not its end");
        // The next page has had to wait, and begins as soon as this one's two other objects have been asked for.
        assert_eq!(source.on_end(later, 2, later), None);
        assert_eq!((started(&mut source, later), source.next_deadline()), (3, Time::NEVER));
        assert_eq!(source.on_end(later, 5, later), None);
        assert_eq!(started(&mut source, later), 1);
        assert_eq!(source.on_end(later, 6, later), None);
        // The page is over, and the third is not due yet.
        assert_eq!(started(&mut source, later), 2);
        assert_eq!(source.next_deadline(), first + Span::from_secs(6));
    }

    #[test]
    fn a_player_fetches_when_the_segment_before_is_there() {
        let segment = Span::from_secs(4);
        let bitrate = Rate::new(16_000_000).unwrap();
        let traffic =
            Traffic::Video { start: Span::ZERO, spread: Span::ZERO, segment, buffer: segment * 3, bitrate };
        let mut source = Source::new(&traffic, 1, "video");
        assert!(matches!(source.poll(Time::ZERO), Some(Action::Start(_))));
        assert_eq!((source.poll(Time::ZERO), source.next_deadline()), (None, Time::NEVER));
        let [there, known] = [5, 6].map(|seconds| Time::ZERO + Span::from_secs(seconds));
        assert!(source.on_end(known, 1, there).is_some());
        assert!(source.on_end(known, 1, there).is_some());
        // Three segments of video fit: with the third it waits until one has been shown.
        assert_eq!(source.on_end(known, 1, there), None);
        assert_eq!(source.next_deadline(), known + segment);
        assert!(matches!(source.poll(known + segment), Some(Action::Start(_))));
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
