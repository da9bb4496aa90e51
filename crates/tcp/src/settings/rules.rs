//! Ties between settings: defaults that follow from another setting, and combinations that make no sense.

use super::{Growth, Recovery, Settings};
use crate::profile::{Profile, TcpName, settings};
use airfair_core::Span;
use airfair_core::schema::{Refused, Value, apply};

/// The initial window of RFC 3390 in segments of this size.
pub const fn initial_window_rfc3390(segment_bytes: u32) -> f64 {
    match segment_bytes {
        0..=1095 => 4.0,
        1096..=2190 => 3.0,
        _ => 2.0,
    }
}

/// The settings of `tcp` in `profile`, with these `values` over the defaults; the parameters of the control are not among them.
///
/// # Errors
/// When there is no setting of a name, a value is out of range, or values contradict each other.
pub fn given(profile: Profile, tcp: TcpName, values: &[(&str, Value)]) -> Result<Settings, Refused> {
    let mut made = settings(profile, tcp);
    let sets = |key: &str| values.iter().any(|(set, _)| *set == key);
    if sets("growth") {
        made.growth_limit = None;
    }
    apply(&mut made, values)?;
    if profile == Profile::Rfc {
        // RFC 3390 counts the initial window in bytes; the restart window is the initial one.
        let window = initial_window_rfc3390(made.segment_bytes);
        if !sets("initial_window") {
            made.initial_window = window;
        }
        if !sets("restart_window") {
            made.restart_window = window;
        }
    }
    if sets("recovery") {
        made.recovery = profile.recovery(made.recovery);
    }
    contradiction(&made, sets).map_or(Ok(made), Err)
}

impl Profile {
    /// The recovery that a scenario asks for by this one's word: ns-2's SACK is its own.
    fn recovery(self, asked: Recovery) -> Recovery {
        match (self, asked) {
            (Profile::Ns2, Recovery::Sack) => Recovery::SackPipe,
            (_, other) => other,
        }
    }
}

const RACK: &str = "`recovery = \"rack\"`";

/// Why these settings make no sense together; `sets` tells which of them were given.
fn contradiction(made: &Settings, sets: impl Fn(&str) -> bool) -> Option<Refused> {
    let refused = |key: &str, reason: String| Some(Refused { parameter: key.to_owned(), reason });
    let owners: [(bool, &[&str], &str); 6] = [
        (made.growth == Growth::PerByte, &["growth_limit"], "`per-byte` growth"),
        (
            made.delayed_ack,
            &["delayed_ack_timeout", "delayed_ack_segments", "quick_acks"],
            "`delayed_ack = true`",
        ),
        (made.small_queue, &["small_queue_time", "small_queue_limit"], "`small_queue = true`"),
        (made.ecn, &["ect1", "ecn_echo"], "`ecn = true`"),
        (made.gro, &["gro_wait"], "`gro = true`"),
        (
            made.is_paced(),
            &["pacing_quantum", "pacing_credit", "unpaced_segments"],
            "`pacing = \"linux\"` and to controls with a rate of their own",
        ),
    ];
    for (is_there, keys, owner) in owners {
        if let Some(key) = keys.iter().find(|key| !is_there && sets(key)) {
            return refused(key, format!("it belongs to {owner}: leave it out here"));
        }
    }
    // To switch off what a recovery has not is no contradiction.
    let is = |one: Recovery| made.recovery == one;
    let sack = made.recovery.uses_sack();
    let parts: [(&str, bool, bool, &str); 6] = [
        ("undo", made.undo, is(Recovery::Rack), RACK),
        ("frto", made.frto, is(Recovery::Rack), RACK),
        ("tail_loss_probe", made.tail_loss_probe, is(Recovery::Rack), RACK),
        ("prr", made.prr, is(Recovery::Rack) || is(Recovery::Sack), "the recoveries `rack` and `sack`"),
        ("dsack", made.dsack, sack, "recoveries with SACK"),
        (
            "sack_compression",
            made.sack_compression,
            sack && made.delayed_ack,
            "recoveries with SACK and `delayed_ack = true`",
        ),
    ];
    if let Some((key, .., owner)) = parts.iter().find(|(key, on, has_it, _)| *on && !has_it && sets(key)) {
        return refused(key, format!("it belongs to {owner}: leave it out here"));
    }
    if made.rto_min > made.rto_max {
        let (least, most) = (made.rto_min, made.rto_max);
        return refused("rto_min", format!("the shortest timer, {least}, is above the longest, {most}"));
    }
    if made.rto_estimator.counts_ticks() && made.rto_granularity == Span::ZERO {
        return refused(
            "rto_granularity",
            "the estimator counts in ticks: they must be above zero".to_owned(),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Estimator;

    fn made(profile: Profile, values: &[(&str, Value)]) -> Result<Settings, String> {
        given(profile, TcpName::named("newreno"), values).map_err(|refused| refused.to_string())
    }

    #[test]
    fn rfc3390_counts_four_segments_or_4380_bytes() {
        assert_eq!([536, 1000, 1460, 4000].map(initial_window_rfc3390), [4.0, 4.0, 3.0, 2.0]);
        let small = ("segment_bytes", Value::Bytes(536));
        let windows = |profile, values: &[(&str, Value)]| {
            let made = made(profile, values).unwrap();
            (made.initial_window, made.restart_window)
        };
        assert_eq!(windows(Profile::Rfc, &[small]), (4.0, 4.0));
        assert_eq!(windows(Profile::Rfc, &[("initial_window", Value::Number(7.0)), small]), (7.0, 4.0));
        assert_eq!(windows(Profile::Linux, &[small]), (10.0, 10.0));
    }

    #[test]
    fn growth_is_without_a_limit_unless_one_is_given() {
        let growth = ("growth", Value::Word("per-byte"));
        assert_eq!(made(Profile::Rfc, &[]).unwrap().growth_limit, Some(1));
        assert_eq!(made(Profile::Rfc, &[growth]).unwrap().growth_limit, None);
        let limited = made(Profile::Ns2, &[("growth_limit", Value::Count(2)), growth]).unwrap();
        assert_eq!((limited.growth, limited.growth_limit), (Growth::PerByte, Some(2)));
    }

    #[test]
    fn sack_is_the_profiles_own() {
        let recovery = |profile| made(profile, &[("recovery", Value::Word("sack"))]).unwrap().recovery;
        assert_eq!(Profile::ALL.map(recovery), [Recovery::SackPipe, Recovery::Sack, Recovery::Sack]);
    }

    #[test]
    fn settings_that_make_no_sense_together_are_refused() {
        let ticks = ("rto_estimator", Value::Word(Estimator::Ticks.word()));
        for (profile, values, wanted) in [
            (
                Profile::Ns2,
                &[("growth_limit", Value::Count(1))][..],
                "growth_limit: it belongs to `per-byte`",
            ),
            (
                Profile::Ns2,
                &[("delayed_ack_segments", Value::Count(1))],
                "delayed_ack_segments: it belongs to",
            ),
            (Profile::Linux, &[("ect1", Value::Flag(true))], "ect1: it belongs to `ecn = true`"),
            (
                Profile::Linux,
                &[("pacing_quantum", Value::Count(1))],
                "pacing_quantum: it belongs to `pacing = \"linux\"` and to",
            ),
            (Profile::Rfc, &[("gro_wait", Value::Time(Span(1)))], "gro_wait: it belongs to `gro = true`"),
            (
                Profile::Linux,
                &[("sack_compression", Value::Flag(true)), ("delayed_ack", Value::Flag(false))],
                "sack_compression: it belongs to recoveries with SACK and",
            ),
            (
                Profile::Rfc,
                &[("frto", Value::Flag(true))],
                "frto: it belongs to `recovery = \"rack\"`: leave it out here",
            ),
            (
                Profile::Linux,
                &[("prr", Value::Flag(true)), ("recovery", Value::Word("newreno"))],
                "prr: it belongs to the recoveries `rack` and `sack`",
            ),
            (
                Profile::Rfc,
                &[("rto_max", Value::Time(Span(1)))],
                "rto_min: the shortest timer, 1 s, is above",
            ),
            (Profile::Rfc, &[ticks], "rto_granularity: the estimator counts in ticks"),
            (Profile::Rfc, &[("halve_threshold", Value::Flag(true))], "halve_threshold: there is no such"),
            (
                Profile::Rfc,
                &[("window", Value::Count(0))],
                "window: 0 is out of range: a whole number of segments",
            ),
        ] {
            assert!(made(profile, values).is_err_and(|message| message.starts_with(wanted)), "{wanted}");
        }
        assert!(made(Profile::Rfc, &[ticks, ("rto_granularity", Value::Time(Span(1)))]).is_ok());
        assert!(made(Profile::Rfc, &[("frto", Value::Flag(false))]).is_ok());
    }
}
