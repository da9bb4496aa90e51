//! Datagrams, and whether they arrived. They are not retransmitted, so a lost one has no delay.

use crate::grade::Rule;
use airfair_core::{Span, Time};
use airfair_sim::Session;

/// The datagrams of a flow, without those that may still arrive when the run ends.
pub struct Fates {
    /// Delays in seconds of the datagrams that arrived.
    pub times: Vec<f64>,
    /// Number of lost datagrams.
    pub lost: usize,
}

impl Fates {
    /// Finds the fates of the sessions of a flow in a run until `end`. `come` returns the time of arrival, [`Time::NEVER`] for a datagram that
    /// has not arrived.
    ///
    /// A datagram may still arrive if it was sent no longer before the end than the slowest one of its flow took. If none has arrived, it may
    /// until it is an F by `rule`, which grades such flows: waiting for it longer would tell nothing new.
    pub fn of<'a>(
        sessions: impl IntoIterator<Item = &'a Session>,
        end: Time,
        rule: &Rule,
        come: fn(&Session) -> Time,
    ) -> Fates {
        let (came, open): (Vec<_>, Vec<_>) =
            sessions.into_iter().partition(|session| come(session) < Time::NEVER);
        let times: Vec<Span> = came.into_iter().map(|session| come(session) - session.start).collect();
        let longest = times.iter().copied().max().unwrap_or(Span::from_secs_f64(rule.last_limit()));
        let lost = open.into_iter().filter(|session| end.since(session.start) > longest).count();
        Fates { times: times.into_iter().map(Span::as_secs).collect(), lost }
    }

    /// Returns the share of lost datagrams, from 0 to 1; `None` if there are no datagrams.
    pub fn share(&self) -> Option<f64> {
        let all = self.times.len() + self.lost;
        (all > 0).then(|| self.lost as f64 / all as f64)
    }
}
