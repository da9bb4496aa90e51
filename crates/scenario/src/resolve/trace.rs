//! Values over time, as text: a station's signal-to-noise ratio, and the sessions of a flow.

use airfair_core::Span;
use airfair_core::schema::{Settings, Value};
use airfair_wifi::{LinkSnr, RadioSettings, SnrPoint};

use crate::beside;
use crate::file::Given;
use crate::problem::{Problem, Result, shortened};
use crate::resolve::declared;
use crate::scope::Scope;

/// Most points of a trace.
const MOST_POINTS: usize = 100_000;

/// The allowed ratios in dB, as for `snr`.
const RATIOS: std::ops::RangeInclusive<f64> = -50.0..=100.0;

/// Latest time of a point in seconds, far beyond any run.
const LONGEST: f64 = 1e9;

/// Settings of a station that fix its ratio as well, so that they conflict with a trace.
const OTHERS: [&str; 3] = ["snr", "distance", "snr_variation"];

/// Reads the trace of a station with the settings `own`; `usual` is the ratio that it would have without the trace.
pub fn read(text: &str, usual: Option<&LinkSnr>, own: &Given, scope: &Scope) -> Result<Vec<SnrPoint>> {
    let settings: RadioSettings = declared::settings(own, scope)?;
    if let Some(key) = OTHERS.iter().find(|key| settings.get(key) != Some(Value::None)) {
        return Err(Problem::new(format!("`{key}` says how strong frames arrive, too: give one of the two")));
    }
    if usual.is_some() {
        return Err(Problem::new(
            "how strong its frames arrive follows from its place, or the network says it",
        ));
    }
    points(text)
}

/// What the lines of a trace mean.
struct Lines {
    needed: &'static str,
    allows: fn(f64) -> bool,
    allowed: &'static str,
    /// Whether a point may have the time of the one before, or must be later.
    may_repeat: bool,
}

fn points(text: &str) -> Result<Vec<SnrPoint>> {
    const RATIO: Lines = Lines {
        needed: "a time in seconds and a ratio in dB are needed, such as `1.5, 18`",
        allows: |snr| RATIOS.contains(&snr),
        allowed: "a ratio from -50 to 100 dB is needed",
        may_repeat: false,
    };
    Ok(timed(text, &RATIO)?.into_iter().map(|(from, snr)| SnrPoint { from, snr }).collect())
}

/// Reads the times and bytes of sessions.
pub fn sizes(text: &str) -> Result<Vec<(Span, u64)>> {
    const SIZE: Lines = Lines {
        needed: "a time in seconds and a size in bytes are needed, such as `1.5, 1200`",
        allows: |bytes| (1.0..=1e12).contains(&bytes) && bytes.fract() == 0.0,
        allowed: "a whole number of bytes from 1 to 1e12 is needed",
        may_repeat: true,
    };
    Ok(timed(text, &SIZE)?.into_iter().map(|(at, bytes)| (at, bytes as u64)).collect())
}

fn timed(text: &str, lines: &Lines) -> Result<Vec<(Span, f64)>> {
    if beside::is_file(text) {
        return Err(Problem::new(
            "only a scenario in a file of its own can name another file, beside which it lies",
        ));
    }
    let mut points: Vec<(Span, f64)> = Vec::new();
    for (number, line) in (1..).zip(text.split(['\n', ';'])) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if points.len() == MOST_POINTS {
            return Err(Problem::new(format!("it has more than {MOST_POINTS} points")));
        }
        let wrong = |what: &str| Problem::new(format!("line {number}, `{}`: {what}", shortened(line)));
        // Other programs write the names of the columns into the first line.
        let names = number == 1 && line.starts_with(|first: char| first.is_alphabetic() || first == '"');
        let hint = if names {
            "; leave out the names of columns"
        } else if text.contains(';') && !line.contains(',') {
            "; a comma parts the two, and a semicolon ends the line"
        } else {
            ""
        };
        let (seconds, value) = pair(line).ok_or_else(|| wrong(&format!("{}{hint}", lines.needed)))?;
        if !(0.0..=LONGEST).contains(&seconds) {
            let hint = if seconds > LONGEST { ", counted from the start of the run" } else { "" };
            return Err(wrong(&format!("a time from 0 to {LONGEST:e} s is needed{hint}")));
        }
        let at = Span::from_secs_f64(seconds);
        if !(lines.allows)(value) {
            return Err(wrong(lines.allowed));
        }
        if let Some(&(before, _)) = points.last()
            && (at < before || at == before && !lines.may_repeat)
        {
            let order = if lines.may_repeat { "is before" } else { "is not after" };
            return Err(wrong(&format!("its time {order} that of the point before")));
        }
        points.push((at, value));
    }
    if points.is_empty() { Err(Problem::new("it has no point")) } else { Ok(points) }
}

fn pair(line: &str) -> Option<(f64, f64)> {
    let (seconds, snr) = line.split_once(',')?;
    let (seconds, snr): (f64, f64) = (seconds.trim().parse().ok()?, snr.trim().parse().ok()?);
    (seconds.is_finite() && snr.is_finite()).then_some((seconds, snr))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_semicolons_part_points() {
        let read = points("0, 25\r\n\n1.5,18;2, -3.5\n").unwrap();
        let read: Vec<(u64, f64)> = read.iter().map(|point| (point.from.0, point.snr)).collect();
        assert_eq!(read, [(0, 25.0), (1_500_000_000, 18.0), (2_000_000_000, -3.5)]);
    }

    #[test]
    fn sessions_may_start_together() {
        let read = sizes("0, 1200; 0.5,1;0.5, 1000000000000").unwrap();
        let read: Vec<(u64, u64)> = read.iter().map(|&(at, bytes)| (at.0, bytes)).collect();
        assert_eq!(read, [(0, 1200), (500_000_000, 1), (500_000_000, 1_000_000_000_000)]);
        for (text, told) in [
            ("", "no point"),
            ("1, 1200; 0.5, 1200", "line 2, `0.5, 1200`: its time is before"),
            ("0, 0", "a whole number of bytes"),
            ("0, 1.5", "a whole number of bytes"),
            ("0, 2e12", "a whole number of bytes"),
            ("0, 1 kB", "such as `1.5, 1200`"),
            ("-1, 1200", "line 1, `-1, 1200`: a time from 0 to 1e9 s is needed"),
            // The time of day, as captures have it.
            (
                "0, 1; 2e9, 1200",
                "line 2, `2e9, 1200`: a time from 0 to 1e9 s is needed, counted from the start",
            ),
            (
                "time,bytes\n0, 1200",
                "line 1, `time,bytes`: a time in seconds and a size in bytes are needed, such as `1.5, 1200`; leave out",
            ),
            ("0, 1200\ntime,bytes", "such as `1.5, 1200`"),
            (
                "0.5;1200\n",
                "line 1, `0.5`: a time in seconds and a size in bytes are needed, such as `1.5, 1200`; a comma parts",
            ),
            (
                "0,5;1200\n",
                "line 2, `1200`: a time in seconds and a size in bytes are needed, such as `1.5, 1200`; a comma parts",
            ),
        ] {
            let problem = sizes(text).unwrap_err().to_string();
            assert!(problem.contains(told), "{text:?}: {problem}");
            assert_eq!(problem.contains("columns"), text.starts_with("time"), "{problem}");
        }
    }

    #[test]
    fn what_is_no_trace_is_told_by_its_line() {
        for (text, told) in [
            ("", "no point"),
            ("0, 25\nx, 3", "line 2, `x, 3`"),
            ("1 s, 25 dB", "a time in seconds"),
            ("-1, 25", "line 1"),
            ("0, nan", "line 1"),
            ("0, 1e300", "from -50 to 100 dB"),
            ("1, 20; 1, 21", "line 2, `1, 21`: its time is not after"),
            ("1e300, 20", "line 1"),
        ] {
            let problem = points(text).unwrap_err().to_string();
            assert!(problem.contains(told), "{text:?}: {problem}");
        }
        let long = "0,0".to_owned() + &(1..=MOST_POINTS).map(|at| format!(";{at},0")).collect::<String>();
        assert!(points(&long).unwrap_err().to_string().contains("more than 100000 points"));
    }
}
