//! The values along one axis of a sweep: lists and ranges as people write them.
//!
//! `2,4,8`, `1,2,5 Mb/s`, `2..10:2`, `10..200 Mb/s:10 Mb/s`, `1..64:x2`; ranges include both ends. In a list, a number
//! without a unit takes the unit of the next number that has one; in a range, it takes the unit behind the range's end. A
//! step adds, and with an `x` it multiplies. A range without a step has the multiples of the parameter's `multiple_of` as
//! its values, or whole numbers where the parameter counts things; other ranges need a step, except in a sample.

use serde::Serialize;

use crate::declaration::Meaning;
use crate::error::Error;
use crate::parameter::ParameterValue;
use crate::problem::{Problem, Result, shortened};
use crate::setting;
use crate::template::Template;
use crate::units::{self, Dimension};
use crate::value::Scalar;

/// Most values that an axis may have.
pub const MOST_VALUES: u32 = 1_000_000;
/// Significant digits of the values of a range, so that the sum of 0.1 and 0.2 is 0.3.
const RANGE_DIGITS: usize = 12;
/// Significant digits of the values drawn from a continuous range.
const SAMPLE_DIGITS: usize = 6;

/// One value on an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AxisValue {
    /// The value as `--set` takes it.
    pub text: String,
    /// The value in SI units.
    pub value: ParameterValue,
}

/// Returns the values that `written` gives the parameter or setting `name`, in the order written. `text` is the scenario's
/// file, `file` its name in messages. `divisions` is the number of steps into which a range of reals without a step is
/// divided; without it, such a range is refused.
///
/// # Errors
/// When there is no such parameter or setting, or one of the values is not allowed for it.
pub fn axis_values(
    text: &str,
    file: &str,
    name: &str,
    written: &[String],
    divisions: Option<u32>,
) -> std::result::Result<Vec<AxisValue>, Error> {
    with_axis(text, file, name, written, |axis| axis.values(divisions))
}

/// Returns the values at these places, each from 0 up to but not including 1, along the axis that `written` gives. Each
/// listed value, or each value of a range, takes an equal part of the axis; a range of reals without a step is continuous.
///
/// # Errors
/// As [`axis_values`].
pub fn axis_samples(
    text: &str,
    file: &str,
    name: &str,
    written: &[String],
    places: &[f64],
) -> std::result::Result<Vec<AxisValue>, Error> {
    with_axis(text, file, name, written, |axis| axis.samples(places))
}

/// Reads a share such as `1 %` or `0.01`, above 0 and below 1.
///
/// # Errors
/// A message when `text` is not such a share.
pub fn share(text: &str) -> std::result::Result<f64, String> {
    match units::literal(text) {
        Some(Ok((value, Dimension::Pure))) if value > 0.0 && value < 1.0 => Ok(value),
        Some(Err(problem)) => Err(problem.to_string()),
        _ => Err(format!("`{}` is not a share above 0 and below 1, such as `1 %`", shortened(text))),
    }
}

fn with_axis<T>(
    text: &str,
    file: &str,
    name: &str,
    written: &[String],
    give: impl FnOnce(&Axis) -> Result<T>,
) -> std::result::Result<T, Error> {
    let template = Template::new(file, text)?;
    let pieces: Vec<&str> = written.iter().flat_map(|part| part.split(',')).map(str::trim).collect();
    let unlocated = |problem: Problem| Error::unlocated(file, &problem);
    let declared = template.names().any(|known| known == name);
    if !declared && !setting::is_path(name) {
        return Err(unlocated(template.no_parameter(name)));
    }
    let place = |problem: Problem| {
        let problem = problem.at(name);
        if declared { problem.at("parameters") } else { problem }
    };
    let unit = pieces.iter().map(|piece| unit_of(piece)).find(|unit| !unit.is_empty());
    let declaration = template.declaration(name, unit.map(|unit| format!("1 {unit}")).as_deref());
    let declaration =
        &declaration.map_err(|problem| unlocated(if declared { place(problem) } else { problem }))?;
    let blame = |problem: Problem| unlocated(place(problem));
    let meaning = Meaning::of(declaration).map_err(|problem| Error::located(file, text, &place(problem)))?;
    let sets = !declared || !declaration.sets.is_empty();
    let may_be_unset = sets || declaration.optional == Some(true) && declaration.default.is_none();
    let counted = matches!(declaration.unit.as_deref(), Some("count" | "packet" | "segment"));
    let axis = Axis { meaning, may_be_unset, counted, pieces };
    give(&axis).map_err(blame)
}

struct Axis<'a> {
    meaning: Meaning<'a>,
    /// Whether the word `default` is a value, which leaves the parameter unset.
    may_be_unset: bool,
    /// Whether the parameter counts things, so that its values are whole numbers.
    counted: bool,
    /// The texts between the commas.
    pieces: Vec<&'a str>,
}

/// The parts of a range.
struct Range {
    low: f64,
    high: f64,
    step: Step,
    dimension: Dimension,
}

/// How to get from one value of a range to the next.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// Add this to the value.
    Plus(f64),
    /// Multiply the value by this.
    Times(f64),
    /// The range is continuous: it has all values between its ends.
    Continuous,
}

impl Axis<'_> {
    fn values(&self, divisions: Option<u32>) -> Result<Vec<AxisValue>> {
        if self.pieces.is_empty() {
            return Err(Problem::new("there are no values"));
        }
        let mut values = Vec::new();
        for (place, piece) in self.pieces.iter().enumerate() {
            match self.range(piece)? {
                Some(range) => self.walk(piece, &range, divisions, &mut values)?,
                None => values.push(self.value(&self.in_unit(piece, &self.pieces[place + 1..]))?),
            }
        }
        Ok(values)
    }

    fn samples(&self, places: &[f64]) -> Result<Vec<AxisValue>> {
        if let [piece] = self.pieces.as_slice()
            && let Some(Range { low, high, step: Step::Continuous, dimension }) = self.range(piece)?
        {
            let value = |place: &f64| {
                let drawn = rounded(low + place * (high - low), SAMPLE_DIGITS);
                let drawn = if dimension == Dimension::Size { drawn.round() } else { drawn }.clamp(low, high);
                self.value(&text_of(drawn, dimension))
            };
            return places.iter().map(value).collect();
        }
        let values = self.values(None)?;
        let at = |place: &f64| values[((place * values.len() as f64) as usize).min(values.len() - 1)].clone();
        Ok(places.iter().map(at).collect())
    }

    /// Returns `piece` with the unit of the next piece that has one if `piece` is a bare number, and `piece` itself otherwise.
    fn in_unit(&self, piece: &str, behind: &[&str]) -> String {
        let next = || behind.iter().map(|piece| unit_of(piece)).find(|unit| !unit.is_empty());
        match self.meaning.numbers().and_then(|_| units::bare(piece)).and_then(|_| next()) {
            Some(unit) => format!("{piece} {unit}"),
            None => piece.to_owned(),
        }
    }

    fn value(&self, text: &str) -> Result<AxisValue> {
        if text.is_empty() {
            return Err(Problem::new("a value is empty: values stand between commas, as in `1,2,3`"));
        }
        let text = text.to_owned();
        if text == "default" && self.may_be_unset {
            return Ok(AxisValue { text, value: ParameterValue::Unset });
        }
        let value = self.meaning.checked(&Scalar::Text(text.clone()))?;
        Ok(AxisValue { text, value })
    }

    /// Reads `piece` as a range; `None` if it is not one.
    fn range(&self, piece: &str) -> Result<Option<Range>> {
        let (Some(dimension), Some((low, rest))) = (self.meaning.numbers(), piece.split_once("..")) else {
            return Ok(None);
        };
        let shown = shortened(piece);
        let misshapen = |what: &str| {
            Problem::new(format!(
                "`{shown}`: {what}a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:xFACTOR"
            ))
        };
        if rest.contains("..") {
            return Err(misshapen(""));
        }
        let (high, step) = match rest.rsplit_once(':') {
            Some((high, step)) => (high, Some(step)),
            None => (rest, None),
        };
        let factor = step.and_then(|step| step.trim().strip_prefix('x'));
        let parts = [Some(low), Some(high), step.filter(|_| factor.is_none())];
        if let Some(part) =
            parts.into_iter().flatten().map(str::trim).find(|part| units::literal(part).is_none())
        {
            return Err(misshapen(&match part {
                "" => "a number is missing; ".to_owned(),
                part => format!("`{}` is not a number; ", shortened(part)),
            }));
        }
        let unit = unit_of(piece);
        let number = |part: &str| {
            let part = part.trim();
            match units::bare(part).filter(|_| !unit.is_empty()) {
                Some(_) => self.meaning.quantity(&format!("{part} {unit}")),
                None => self.meaning.quantity(part),
            }
        };
        let (low, high) = (number(low)?, number(high)?);
        let downwards = || Problem::new(format!("`{shown}`: ranges go up, so a step must be above 0"));
        if step.is_some_and(|step| step.trim_start().starts_with('-')) {
            return Err(downwards());
        }
        let step = match (step, factor, self.meaning.multiple_of()?) {
            (_, Some(factor), _) => Step::Times(units::bare(factor.trim()).unwrap_or(f64::NAN)),
            (Some(step), None, _) => Step::Plus(number(step)?),
            (None, None, Some(multiple)) => {
                // A range includes its ends: without this check, an end that is not an allowed value would be left out silently.
                self.value(&text_of(high, dimension))?;
                Step::Plus(multiple)
            }
            (None, None, None) => {
                let whole = self.counted && low.fract() == 0.0 && high.fract() == 0.0;
                if whole { Step::Plus(1.0) } else { Step::Continuous }
            }
        };
        match step {
            Step::Plus(step) if step <= 0.0 => Err(downwards()),
            _ if high < low => {
                Err(Problem::new(format!("the range `{shown}` is empty: it ends before it starts")))
            }
            Step::Times(factor) if !(factor > 1.0 && factor.is_finite() && low > 0.0) => {
                let message =
                    format!("`{shown}`: a factor such as `x2` must be above 1, and the range above 0");
                Err(Problem::new(message))
            }
            step => Ok(Some(Range { low, high, step, dimension })),
        }
    }

    fn walk(
        &self,
        piece: &str,
        range: &Range,
        divisions: Option<u32>,
        values: &mut Vec<AxisValue>,
    ) -> Result<()> {
        let length = range.high - range.low;
        let step = match (range.step, divisions) {
            (Step::Continuous, _) if length == 0.0 => Step::Plus(1.0),
            (Step::Continuous, Some(divisions)) => Step::Plus(length / f64::from(divisions)),
            (Step::Continuous, None) => {
                return Err(Problem::new(format!(
                    "the range `{0}` needs a step, as in `{0}:{1}`",
                    shortened(piece),
                    units::display(rounded(length / 10.0, 3), range.dimension)
                )));
            }
            (step, _) => step,
        };
        let too_many =
            || Err(Problem::new(format!("`{}` has more than {MOST_VALUES} values", shortened(piece))));
        let mut push = |value: f64| {
            values.push(self.value(&text_of(rounded(value, RANGE_DIGITS), range.dimension))?);
            Ok(())
        };
        match step {
            Step::Plus(step) => {
                // The tolerance allows for the rounding of the last step.
                let steps = (length / step + 1e-9).floor();
                if steps >= f64::from(MOST_VALUES) {
                    return too_many();
                }
                (0..=steps as u64).try_for_each(|place| push(range.low + place as f64 * step))
            }
            Step::Times(factor) => {
                let next =
                    |value: &f64| Some(value * factor).filter(|next| *next <= range.high * (1.0 + 1e-9));
                let all = || std::iter::successors(Some(range.low), next);
                if all().nth(MOST_VALUES as usize).is_some() {
                    return too_many();
                }
                all().try_for_each(push)
            }
            Step::Continuous => push(range.low),
        }
    }
}

impl Meaning<'_> {
    /// Reads one number of a range, in SI.
    fn quantity(&self, text: &str) -> Result<f64> {
        match self.read(&Scalar::Text(text.to_owned()))? {
            ParameterValue::Number(number) => Ok(number),
            _ => Err(Problem::new(format!("`{}` is not a number", shortened(text)))),
        }
    }
}

/// Returns the unit of a number, or of a range's end; empty if there is none.
fn unit_of(piece: &str) -> &str {
    let range = piece.split_once("..").map_or(piece, |(_, rest)| rest);
    let end = range.rsplit_once(':').map_or(range, |(high, _)| high).trim();
    units::leading_number(end).map_or("", |(_, length)| end[length..].trim())
}

/// Writes a value as people do if that reads back to the last bit, or else in its SI unit.
fn text_of(value: f64, dimension: Dimension) -> String {
    let text = units::display(value, dimension);
    match (units::literal(&text), dimension) {
        (Some(Ok((read, _))), _) if read == value => text,
        (_, Dimension::Pure) => format!("{value}"),
        (_, Dimension::Rate) => format!("{value} b/s"),
        (_, Dimension::Time) => format!("{value} s"),
        (_, Dimension::Size) => format!("{value} B"),
        (_, Dimension::Length) => format!("{value} m"),
        (_, Dimension::Level) => format!("{value} dB"),
        (_, Dimension::Power) => format!("{value} dBm"),
    }
}

fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        run.duration = "1 s"
        node = [{ name = "a" }, { name = "b" }]
        flow = [{ name = "f", from = "a", to = "b" }]
        [parameters]
        stations = { unit = "count", default = 4, min = 2, max = 256, multiple_of = 2 }
        flows = { unit = "count", default = 1 }
        length = { unit = "byte", default = "10 kB" }
        wireless = { unit = "bit/s", default = "50 Mb/s" }
        period = { unit = "s", default = "10 s", min = "1 ms" }
        loss = { unit = "fraction", default = 0 }
        tcp = { default = "reno", choices = ["reno", "vegas"] }
        fair_share = { unit = "bit/s", default = "paper", words = ["paper"] }
        max_window = { unit = "segment", optional = true, min = 1 }
        trace = { default = false }
        power = { unit = "dBm", default = "20 dBm" }
    "#;

    fn values(name: &str, written: &str) -> std::result::Result<Vec<AxisValue>, String> {
        axis_values(FILE, "f.toml", name, &[written.to_owned()], None).map_err(|error| error.to_string())
    }

    fn joined(values: &[AxisValue]) -> String {
        values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn lists_and_ranges() {
        for (name, written, wanted) in [
            ("stations", "2, 4,8", "2 | 4 | 8"),
            ("stations", "2..10", "2 | 4 | 6 | 8 | 10"),
            ("stations", "2..10:4", "2 | 6 | 10"),
            ("stations", "2,8..12", "2 | 8 | 10 | 12"),
            ("flows", "1..3", "1 | 2 | 3"),
            ("flows", "2..9:3", "2 | 5 | 8"),
            ("wireless", "10..30 Mb/s:10 Mb/s", "10 Mb/s | 20 Mb/s | 30 Mb/s"),
            ("wireless", "10..30 Mb/s:10", "10 Mb/s | 20 Mb/s | 30 Mb/s"),
            ("wireless", "500 kb/s..1.5 Mb/s:500 kb/s", "500 kb/s | 1 Mb/s | 1.5 Mb/s"),
            ("period", "0.1..0.5 s:0.1 s", "100 ms | 200 ms | 300 ms | 400 ms | 500 ms"),
            ("loss", "0..2 %:1 %", "0 | 0.01 | 0.02"),
            ("loss", "0.1..0.3:0.1", "0.1 | 0.2 | 0.3"),
            ("tcp", "reno,vegas", "reno | vegas"),
            ("fair_share", "paper,1..2 Mb/s:1 Mb/s", "paper | 1 Mb/s | 2 Mb/s"),
            ("wireless", "1,2, 5 Mb/s", "1 Mb/s | 2 Mb/s | 5 Mb/s"),
            ("loss", "1,5 %", "1 % | 5 %"),
            ("max_window", "default,10..12", "default | 10 | 11 | 12"),
            ("max_window", "1..2:0.5", "1 | 1.5 | 2"),
            ("trace", "true,false", "true | false"),
            ("flows", "1..64:x4", "1 | 4 | 16 | 64"),
            ("flows", "1..20:x2", "1 | 2 | 4 | 8 | 16"),
            ("loss", "0.01..10 %: x 10", "0.0001 | 0.001 | 0.01 | 0.1"),
            ("wireless", "1..4 Mb/s:x2", "1 Mb/s | 2 Mb/s | 4 Mb/s"),
            ("period", "2..2 s", "2 s"),
            ("power", "-5..5 dBm:5 dBm", "-5 dBm | 0 dBm | 5 dBm"),
        ] {
            assert_eq!(joined(&values(name, written).unwrap()), wanted, "{name}={written}");
        }
    }

    #[test]
    fn reals_without_a_step_are_divided_where_that_is_asked_for() {
        let divided = |name: &str, written: &str| {
            joined(&axis_values(FILE, "f.toml", name, &[written.to_owned()], Some(4)).unwrap())
        };
        assert_eq!(divided("wireless", "1..2 Mb/s"), "1 Mb/s | 1.25 Mb/s | 1.5 Mb/s | 1.75 Mb/s | 2 Mb/s");
        assert_eq!(divided("flows", "1..3"), "1 | 2 | 3");
    }

    #[test]
    fn values_are_in_si() {
        let si: Vec<ParameterValue> =
            values("wireless", "10..20 Mb/s:10 Mb/s").unwrap().into_iter().map(|v| v.value).collect();
        assert_eq!(si, [ParameterValue::Number(10e6), ParameterValue::Number(20e6)]);
        assert_eq!(values("max_window", "default").unwrap()[0].value, ParameterValue::Unset);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (name, written, wanted) in [
            ("station", "2", "unknown parameter `station`; did you mean `stations`?"),
            ("stations", "2..9:3", "f.toml: parameters.stations: `5` is not a multiple of 2"),
            ("stations", "2..5", "f.toml: parameters.stations: `5` is not a multiple of 2"),
            ("stations", "3..6", "`3` is not a multiple of 2"),
            ("stations", "10..2", "the range `10..2` is empty: it ends before it starts"),
            ("stations", "2..10..2", "`2..10..2`: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:xFACTOR"),
            (
                "stations",
                "2..20/4",
                "`2..20/4`: `20/4` is not a number; a range is LOW..HIGH, LOW..HIGH:STEP",
            ),
            ("wireless", "10..20 Mb/s/5", "`20 Mb/s/5` is not a number; a range is"),
            ("stations", "2..20:/4", "`/4` is not a number; a range is"),
            ("stations", "2..", "`2..`: a number is missing; a range is"),
            ("stations", "2..20:", "a number is missing"),
            ("stations", "2,,4", "a value is empty"),
            ("stations", "", "a value is empty"),
            ("flows", "1..2:0", "ranges go up, so a step must be above 0"),
            ("flows", "8..2:-2", "ranges go up"),
            ("flows", "1..2000000", "more than 1000000 values"),
            ("flows", "1..64:x1", "a factor such as `x2` must be above 1"),
            ("flows", "0..64:x2", "and the range above 0"),
            ("flows", "1..64:xy", "a factor such as `x2`"),
            ("flows", "1..4:x1.5", "a whole number is needed"),
            ("loss", "1e-300..1:x1.0001", "more than 1000000 values"),
            ("wireless", "10..20 Mb/s", "needs a step, as in `10..20 Mb/s:1 Mb/s`"),
            ("stations", "2..10:-2", "ranges go up"),
            ("wireless", "10..20:1", "`10` is a bare number where a rate is needed"),
            ("wireless", "10..20 s:1 s", "is a time where a rate is needed"),
            ("wireless", "10 Mb/s,20", "is a bare number where a rate is needed"),
            ("max_window", "1..2.5", "needs a step"),
            ("fair_share", "paper..2 Mb/s:1 Mb/s", "`paper` is not a number; a range is"),
            ("tcp", "reno,vegass", "unknown choice `vegass`; did you mean `vegas`?"),
            ("tcp", "reno..vegas", "unknown choice `reno..vegas`"),
        ] {
            let message = values(name, written).unwrap_err();
            assert!(message.contains(wanted), "{name}={written}: {message}");
        }
    }

    #[test]
    fn samples_take_equal_parts_of_the_axis() {
        let samples = |name: &str, written: &str, places: &[f64]| {
            joined(&axis_samples(FILE, "f.toml", name, &[written.to_owned()], places).unwrap())
        };
        assert_eq!(samples("tcp", "reno,vegas", &[0.0, 0.49, 0.5, 0.999]), "reno | reno | vegas | vegas");
        assert_eq!(samples("stations", "2..6", &[0.1, 0.4, 0.9]), "2 | 4 | 6");
        assert_eq!(
            samples("wireless", "10..20 Mb/s", &[0.0, 0.5, 1.0 / 3.0]),
            "10 Mb/s | 15 Mb/s | 13.3333 Mb/s"
        );
        assert_eq!(samples("wireless", "10..20 Mb/s:10 Mb/s", &[0.2, 0.7]), "10 Mb/s | 20 Mb/s");
        assert_eq!(samples("length", "5..100 kB", &[0.0, 0.309]), "5 kB | 34.355 kB");
        assert_eq!(
            samples("wireless", "10..50 Mb/s", &[0.579_445]),
            "33177800 b/s",
            "33.1778 Mb/s reads a bit less"
        );
    }

    #[test]
    fn a_share_is_a_percentage_or_a_fraction() {
        assert_eq!(share("1%"), Ok(0.01));
        assert_eq!(share("0.05"), Ok(0.05));
        for text in ["0", "100 %", "1 s", "", "-1 %", "1 percentt"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
