//! The part of a run that a timeline shows.

use crate::outcome::{Outcome, SessionRecord};
use crate::timeline::drawn;
use airfair_scenario::quantity;
use airfair_scenario::resolved::Scenario;

/// Time before the start of the first session that is shown, as a multiple of the session's duration; [`AFTER`] is that after its start.
const BEFORE: f64 = 0.5;
const AFTER: f64 = 2.5;
/// Time in seconds that is shown of a run whose picture has no sessions.
const BEGINNING: f64 = 30.0;

/// Returns the part of a run from `from` to `to`, in seconds. Both are times since the start of the run, written with their units.
///
/// Without either, it is the time around the first of the longest sessions (in bytes) of these `outcomes`, except sessions of a single datagram; if
/// there are no such sessions, it is the beginning of the measured window. Without `from` it begins with the measured window, and without `to` it
/// ends with the run.
///
/// # Errors
/// A message about a text that is not a time, a time that is not recorded, or an end before the start.
pub fn window(
    scenario: &Scenario,
    outcomes: &[&Outcome],
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(f64, f64), String> {
    let measured = (scenario.warmup.as_secs(), (scenario.warmup + scenario.duration).as_secs());
    if from.is_none() && to.is_none() {
        let beginning = (measured.0, measured.1.min(measured.0 + BEGINNING));
        return Ok(around_first_session(scenario, outcomes, measured).unwrap_or(beginning));
    }
    let read = |name: &str, text: Option<&str>, default: f64| {
        let Some(text) = text else { return Ok(default) };
        let time = quantity(text, "s").map_err(|error| format!("the timeline's {name}, {error}"))?;
        if (measured.0..=measured.1).contains(&time) {
            Ok(time)
        } else {
            let (warmup, end) = measured;
            Err(format!(
                "the timeline's {name}, {text}: the run is recorded from the end of its warm-up at {warmup} s to its end at {end} s"
            ))
        }
    };
    let (start, end) = (read("start", from, measured.0)?, read("end", to, measured.1)?);
    if start < end {
        Ok((start, end))
    } else {
        Err(format!("the timeline would end at {end} s, which is not after its start at {start} s"))
    }
}

fn around_first_session(
    scenario: &Scenario,
    outcomes: &[&Outcome],
    measured: (f64, f64),
) -> Option<(f64, f64)> {
    let is_drawn = drawn(scenario);
    let all = || outcomes.iter().flat_map(|outcome| &outcome.sessions).filter(|session| is_drawn(session));
    let longest = all().map(|session| session.bytes).max()?;
    let sessions = || all().filter(|session| session.bytes == longest);
    let start = sessions().map(|session| session.start).min_by(f64::total_cmp)?;
    let lasts = |session: &SessionRecord| {
        let until_end = measured.1 - session.start;
        session.acked.unwrap_or(until_end).max(session.ideal.unwrap_or(0.0)).min(until_end)
    };
    let first = sessions().filter(|session| session.start == start);
    let lasts = first.map(lasts).max_by(f64::total_cmp).filter(|&lasts| lasts > 0.0)?;
    Some((measured.0.max(start - BEFORE * lasts), measured.1.min(start + AFTER * lasts)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use crate::timeline::timeline;
    use airfair_scenario::Override;

    fn asked(from: Option<&str>, to: Option<&str>) -> Result<(f64, f64), String> {
        let experiment = Experiment::load("jung/mixed", &[]).unwrap();
        window(&experiment.loaded.scenario, &[], from, to)
    }

    #[test]
    fn ends_that_are_not_given_are_those_of_the_measured_window() {
        assert_eq!(asked(None, None), Ok((20.0, 50.0)), "no session to show");
        assert_eq!(asked(Some("21.5 s"), None), Ok((21.5, 170.0)));
        assert_eq!(asked(None, Some("25000 ms")), Ok((20.0, 25.0)));
    }

    #[test]
    fn what_cannot_be_shown_is_told() {
        for (from, to, wanted) in [
            (Some("21"), None, "the timeline's start, 21: it is a bare number where a time is needed"),
            (None, Some("soon"), "the timeline's end, soon: a time is needed"),
            (
                Some("19 s"),
                None,
                "19 s: the run is recorded from the end of its warm-up at 20 s to its end at 170 s",
            ),
            (None, Some("171 s"), "171 s: the run is recorded from"),
            (Some("30 s"), Some("30 s"), "would end at 30 s, which is not after its start at 30 s"),
        ] {
            let message = asked(from, to).unwrap_err();
            assert!(message.contains(wanted), "{message}");
        }
    }

    #[test]
    fn of_sessions_of_several_lengths_the_default_is_the_first_of_the_longest() {
        let session = |start, bytes| SessionRecord {
            flow: "f".to_owned(),
            start,
            bytes,
            ideal: None,
            sent: None,
            acked: Some(2.0),
            delivered: None,
        };
        let experiment = Experiment::load("tcp/losses", &[]).unwrap();
        let mut outcome = experiment.run(1, &[]);
        outcome.sessions = vec![session(21.0, 5), session(30.0, 9), session(40.0, 9)];
        let found = around_first_session(&experiment.loaded.scenario, &[&outcome], (20.0, 50.0));
        assert_eq!(found, Some((29.0, 35.0)));
    }

    #[test]
    fn datagrams_that_are_not_drawn_do_not_choose_the_default() {
        let short = Override { name: "duration".to_owned(), value: "1 s".to_owned() };
        let experiment = Experiment::load("flent/voip_rrul", &[short]).unwrap();
        let outcome = experiment.run(1, &[]);
        let scenario = &experiment.loaded.scenario;
        assert!(!outcome.sessions.is_empty());
        assert!(timeline(scenario, &outcome, 0.0, 100.0).sessions.is_empty());
        let begins = scenario.warmup.as_secs();
        let ends = begins + scenario.duration.as_secs();
        assert_eq!(window(scenario, &[&outcome], None, None), Ok((begins, ends.min(begins + BEGINNING))));
    }

    #[test]
    fn the_default_is_the_first_session_and_what_is_around_it() {
        let experiment = Experiment::load("jung/mixed", &[]).unwrap();
        let outcome = experiment.run(1, &[]);
        let first = outcome.sessions.iter().min_by(|a, b| a.start.total_cmp(&b.start)).unwrap();
        let lasts = first.acked.unwrap();
        let (from, to) = window(&experiment.loaded.scenario, &[&outcome], None, None).unwrap();
        assert_eq!((from, to), (first.start - BEFORE * lasts, first.start + AFTER * lasts));
    }
}
