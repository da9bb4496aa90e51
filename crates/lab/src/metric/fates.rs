//! Datagrams, and what has become of them. Nothing is sent again, so one that is lost has no time.

use airfair_core::{Span, Time};
use airfair_sim::Session;

/// The datagrams of a flow, apart from those that may still come when the run ends.
pub struct Fates {
    /// Times in seconds until they came.
    pub times: Vec<f64>,
    /// How many are lost.
    pub lost: usize,
}

impl Fates {
    /// Of the sessions of a flow in a run until `end`; `come` is [`Time::NEVER`] for those that have not come.
    ///
    /// One may still come if it was sent no longer before the end than the slowest of its flow took, or, where none has come, than `patience`.
    pub fn of<'a>(
        sessions: impl IntoIterator<Item = &'a Session>,
        end: Time,
        patience: Span,
        come: fn(&Session) -> Time,
    ) -> Fates {
        let (came, open): (Vec<_>, Vec<_>) =
            sessions.into_iter().partition(|session| come(session) < Time::NEVER);
        let times: Vec<Span> = came.into_iter().map(|session| come(session) - session.start).collect();
        let longest = times.iter().copied().max().unwrap_or(patience);
        let lost = open.into_iter().filter(|session| end.since(session.start) > longest).count();
        Fates { times: times.into_iter().map(Span::as_secs).collect(), lost }
    }

    /// The share that is lost, from 0 to 1; `None` where there are none.
    pub fn share(&self) -> Option<f64> {
        let all = self.times.len() + self.lost;
        (all > 0).then(|| self.lost as f64 / all as f64)
    }
}
