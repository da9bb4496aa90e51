//! Turns values as written into values that the engine takes, and checks their units and ranges.

use airfair_core::{Rate, Span};

use crate::expression::Got;
use crate::problem::{Problem, Result, shortened};
use crate::scope::{Readable, Scope};
use crate::units::{self, Dimension};
use crate::value::{
    CountKind, FlagKind, FractionKind, LengthKind, LevelKind, NumberKind, PowerKind, RateKind, Scalar,
    SizeKind, TimeKind,
};

/// Longest time in seconds that a setting may have: sums of a few stay far from the end of 64-bit nanoseconds.
const LONGEST_SECONDS: f64 = 1e9;
/// Highest rate in bit/s that a setting may have.
const HIGHEST_RATE: f64 = 1e15;
/// Largest count or size: up to here floating-point numbers hold integers exactly.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

impl Scope<'_> {
    /// Evaluates a value of the file.
    pub fn got(&self, scalar: &Scalar) -> Result<Got> {
        match scalar {
            Scalar::Whole(number) => Ok(Got::Number(*number as f64, Some(Dimension::Pure))),
            Scalar::Real(number) => Ok(Got::Number(*number, Some(Dimension::Pure))),
            Scalar::Flag(flag) => Ok(Got::Flag(*flag)),
            Scalar::Text(text) => match units::literal(text) {
                Some(literal) => literal.map(|(number, dimension)| Got::Number(number, Some(dimension))),
                None => self.evaluate(text),
            },
        }
    }

    /// Reads a number of this dimension, in SI.
    fn number(&self, scalar: &Scalar, wanted: Dimension) -> Result<Option<f64>> {
        match self.got(scalar)? {
            Got::Unset => Ok(None),
            Got::Number(number, None) => Ok(Some(number)),
            Got::Number(number, Some(dimension)) if wanted.takes(dimension) => Ok(Some(number)),
            Got::Number(number, Some(dimension)) => {
                Err(units::wrong_dimension(&shown(scalar, number, dimension), number, dimension, wanted))
            }
            other => {
                let message = format!(
                    "`{}` gives {} where {} is needed",
                    shortened(&scalar.to_string()),
                    told(&other),
                    wanted.noun()
                );
                Err(Problem::new(message))
            }
        }
    }

    fn whole(&self, scalar: &Scalar, wanted: Dimension) -> Result<Option<u64>> {
        let Some(number) = self.number(scalar, wanted)? else { return Ok(None) };
        whole(scalar, number, wanted).map(Some)
    }
}

/// Returns `number`, which `scalar` gives, as a whole number; a negative or fractional one is an error.
pub fn whole(scalar: &Scalar, number: f64, dimension: Dimension) -> Result<u64> {
    let shown = || shown(scalar, number, dimension);
    let nearest = units::whole(number, dimension, shown)?;
    if nearest < 0.0 {
        return Err(Problem::new(format!("{}: it cannot be negative", shown())));
    }
    if nearest > LARGEST_COUNT {
        return Err(Problem::new(format!("{}: it is too large", shown())));
    }
    Ok(nearest as u64)
}

/// Returns `number` seconds, which `scalar` gives, as a time.
pub fn time(scalar: &Scalar, number: f64) -> Result<Span> {
    let shown = || shown(scalar, number, Dimension::Time);
    if number < 0.0 {
        return Err(Problem::new(format!("{}: a time cannot be negative", shown())));
    }
    if number > LONGEST_SECONDS {
        return Err(Problem::new(format!("{}: a time is at most {LONGEST_SECONDS} s", shown())));
    }
    Ok(Span::from_secs_f64(number))
}

/// Returns the value as written, and for an expression its result as well.
fn shown(scalar: &Scalar, number: f64, dimension: Dimension) -> String {
    let written = shortened(&scalar.to_string());
    match scalar {
        Scalar::Text(text) if units::literal(text).is_none() => {
            format!("`{written}` = {}", units::display(number, dimension))
        }
        _ => format!("`{written}`"),
    }
}

/// Returns the result of an expression as messages show it.
pub fn told(got: &Got) -> String {
    match got {
        Got::Unset => "no value".to_owned(),
        Got::Flag(flag) => flag.to_string(),
        Got::Text(text) => format!("the word '{}'", shortened(text)),
        Got::Number(number, dimension) => units::display(*number, dimension.unwrap_or(Dimension::Pure)),
    }
}

impl Readable for RateKind {
    type Out = Rate;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<Rate>> {
        let Some(number) = scope.number(scalar, Dimension::Rate)? else { return Ok(None) };
        let shown = || shown(scalar, number, Dimension::Rate);
        if number > HIGHEST_RATE {
            return Err(Problem::new(format!("{}: a rate is at most {HIGHEST_RATE} b/s", shown())));
        }
        // The conversion turns negative numbers into zero, which is not a valid rate either.
        match Rate::new(number.round() as u64) {
            Some(rate) => Ok(Some(rate)),
            None => Err(Problem::new(format!("{}: a rate must be above zero, at least 1 b/s", shown()))),
        }
    }
}

impl Readable for TimeKind {
    type Out = Span;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<Span>> {
        scope.number(scalar, Dimension::Time)?.map(|number| time(scalar, number)).transpose()
    }
}

impl Readable for SizeKind {
    type Out = u64;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<u64>> {
        scope.whole(scalar, Dimension::Size)
    }
}

impl Readable for LengthKind {
    type Out = f64;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<f64>> {
        scope.number(scalar, Dimension::Length)
    }
}

impl Readable for LevelKind {
    type Out = f64;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<f64>> {
        scope.number(scalar, Dimension::Level)
    }
}

impl Readable for PowerKind {
    type Out = f64;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<f64>> {
        scope.number(scalar, Dimension::Power)
    }
}

impl Readable for CountKind {
    type Out = u64;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<u64>> {
        scope.whole(scalar, Dimension::Pure)
    }
}

impl Readable for NumberKind {
    type Out = f64;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<f64>> {
        scope.number(scalar, Dimension::Pure)
    }
}

impl Readable for FractionKind {
    type Out = f64;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<f64>> {
        let Some(number) = scope.number(scalar, Dimension::Pure)? else { return Ok(None) };
        if (0.0..=1.0).contains(&number) {
            return Ok(Some(number));
        }
        let shown = shown(scalar, number, Dimension::Pure);
        Err(Problem::new(format!("{shown}: a fraction is from 0 to 1 (0 % to 100 %)")))
    }
}

impl Readable for FlagKind {
    type Out = bool;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<bool>> {
        match scope.got(scalar)? {
            Got::Unset => Ok(None),
            Got::Flag(flag) => Ok(Some(flag)),
            other => {
                let written = shortened(&scalar.to_string());
                Err(Problem::new(format!("`{written}` gives {} where true or false is needed", told(&other))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::tests::with_scope;

    fn text(text: &str) -> Scalar {
        Scalar::Text(text.to_owned())
    }

    fn problem<K: Readable>(scalar: Scalar) -> String {
        with_scope(|scope| match K::read(&scope, &scalar) {
            Ok(_) => panic!("{scalar} was taken"),
            Err(problem) => problem.to_string(),
        })
    }

    #[test]
    fn literals_and_expressions_become_engine_values() {
        with_scope(|scope| {
            assert_eq!(RateKind::read(&scope, &text("11 Mb/s")).unwrap(), Rate::new(11_000_000));
            assert_eq!(TimeKind::read(&scope, &text("period / 4")).unwrap(), Some(Span::from_millis(2500)));
            assert_eq!(SizeKind::read(&scope, &text("10 kB")).unwrap(), Some(10_000));
            assert_eq!(FractionKind::read(&scope, &text("2 %")).unwrap(), Some(0.02));
        });
    }

    #[test]
    fn a_bare_number_names_the_unit_that_is_needed() {
        let message = problem::<TimeKind>(Scalar::Whole(10));
        assert!(message.contains("`10` is a bare number where a time is needed"), "{message}");
        assert!(message.contains("`10 s`"), "{message}");
        assert!(problem::<RateKind>(text("queue * 2")).contains("`queue * 2` = 100 is a bare number"));
        assert!(problem::<TimeKind>(Scalar::Whole(0)).contains("bare number"));
    }

    #[test]
    fn a_wrong_unit_is_told() {
        assert!(problem::<RateKind>(text("10 ms")).contains("`10 ms` is a time where a rate is needed (b/s"));
        assert!(problem::<CountKind>(text("10 kB")).contains("is a size where a bare number is needed"));
    }

    #[test]
    fn ranges_are_checked() {
        assert!(problem::<RateKind>(text("0 Mb/s")).contains("must be above zero"));
        assert!(problem::<RateKind>(text("-1 Mb/s")).contains("must be above zero"));
        assert!(problem::<TimeKind>(text("-1 ms")).contains("cannot be negative"));
        assert!(problem::<TimeKind>(text("1e300 s")).contains("at most"));
        assert!(problem::<CountKind>(Scalar::Real(2.5)).contains("a whole number is needed"));
        assert!(problem::<CountKind>(Scalar::Whole(-2)).contains("cannot be negative"));
        assert!(problem::<FractionKind>(text("200 %")).contains("from 0 to 1"));
    }
}
