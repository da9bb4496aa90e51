//! Expressions over parameters, evaluated by MiniJinja, with the operators of Python and `a if b else c`.
//!
//! Parameters enter as SI numbers (bit/s, s, byte, counts), and a quantity with its unit may stand wherever a number may: `16 Mb/s /
//! stations`. Every expression is evaluated twice, the second time with bits, seconds, metres and decibels counted in smaller units, and
//! 0 dBm moved. This checks units: a quantity of the right dimension changes exactly as its dimension says, while a sum of a time and a
//! size does not. The difference of two powers is a level.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use minijinja::value::{Object, Rest, Value, ValueKind};
use minijinja::{Environment, ErrorKind, Expression, UndefinedBehavior};

use crate::problem::{Problem, Result, shortened, unknown};
use crate::setting::DEFAULT;
use crate::spelling::{
    DECIMAL_COMMA, UNIT_LENGTH, UNIT_LEVEL, UNIT_RATE, UNIT_SIZE, UNIT_TIME, ZERO_POWER, has_decimal_comma,
    with_units_spelt_out,
};
use crate::units::Dimension;

/// The name of a group's index, counted from 0.
pub const INDEX: &str = "i";

/// The name of the index of a group of WLANs in expressions of its stations, which may have an index of their own.
pub const WLAN_INDEX: &str = "wlan";

/// The indices of the members of groups that a value is evaluated for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indices {
    /// Index in the innermost group.
    pub member: Option<u64>,
    /// Index in a group of WLANs.
    pub wlan: Option<u64>,
}

impl Indices {
    fn named(self, name: &str) -> Option<u64> {
        match name {
            INDEX => self.member,
            WLAN_INDEX => self.wlan,
            _ => None,
        }
    }
}

/// Most characters of an expression: more than a sensible one needs, and few enough that a hostile one stays cheap.
const LONGEST: usize = 1000;

/// The units of the second evaluation. Powers of two keep scaling exact in floating point.
const SMALLER: Units =
    Units { bits: 2.0, seconds: 8.0, metres: 32.0, decibels: 128.0, zero_power: 1_048_576.0 };

/// How many units of an evaluation a bit, a second, a metre and a decibel have: powers of two, so that scaling is exact in floating
/// point.
#[derive(Clone, Copy, Debug)]
struct Units {
    bits: f64,
    seconds: f64,
    metres: f64,
    decibels: f64,
    /// Where the scale of powers has 0 dBm.
    zero_power: f64,
}

impl Units {
    const SI: Units = Units { bits: 1.0, seconds: 1.0, metres: 1.0, decibels: 1.0, zero_power: 0.0 };

    /// `number` in SI of this dimension in these units.
    fn of(&self, number: f64, dimension: Dimension) -> f64 {
        let zero = if dimension == Dimension::Power { self.zero_power } else { 0.0 };
        number * self.scale(dimension) + zero
    }

    fn scale(&self, dimension: Dimension) -> f64 {
        match dimension {
            Dimension::Pure => 1.0,
            Dimension::Rate => self.bits / self.seconds,
            Dimension::Time => self.seconds,
            Dimension::Size => self.bits,
            Dimension::Length => self.metres,
            Dimension::Level | Dimension::Power => self.decibels,
        }
    }
}

const FUNCTIONS: [&str; 6] = ["abs", "ceil", "floor", "max", "min", "round"];

/// Whether expressions give the name a meaning already, so that no parameter may have it.
pub fn is_reserved(name: &str) -> bool {
    let words = ["and", "else", "false", "if", "in", "is", "none", "not", "or", "true", INDEX, WLAN_INDEX];
    let units = [UNIT_RATE, UNIT_TIME, UNIT_SIZE, UNIT_LENGTH, UNIT_LEVEL, ZERO_POWER];
    words.contains(&name) || units.contains(&name) || FUNCTIONS.contains(&name)
}

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_function("abs", f64::abs);
    environment.add_function("ceil", f64::ceil);
    environment.add_function("floor", f64::floor);
    environment.add_function("round", f64::round);
    environment.add_function("min", |first: f64, rest: Rest<f64>| rest.iter().copied().fold(first, f64::min));
    environment.add_function("max", |first: f64, rest: Rest<f64>| rest.iter().copied().fold(first, f64::max));
    environment
});

/// The value of an expression, or of a parameter in one.
#[derive(Clone, Debug, PartialEq)]
pub enum Got {
    /// `none`, which counts as if the key were missing.
    Unset,
    /// True or false.
    Flag(bool),
    /// A word.
    Text(String),
    /// A number in SI with its dimension. Zero has no dimension: it is zero in every unit.
    Number(f64, Option<Dimension>),
}

/// Evaluates expressions over one set of parameters, compiling each distinct one once.
pub struct Evaluator {
    parameters: Arc<BTreeMap<String, Got>>,
    compiled: RefCell<BTreeMap<String, Rc<Compiled>>>,
    /// Number of members of groups for which values have been evaluated so far.
    members: Cell<u64>,
}

struct Compiled {
    expression: Expression<'static, 'static>,
    /// The names of indices that the expression uses.
    indices: Vec<&'static str>,
    constant: OnceCell<Got>,
}

/// The meaning of names during one evaluation.
#[derive(Debug)]
struct Names {
    parameters: Arc<BTreeMap<String, Got>>,
    indices: Indices,
    units: Units,
}

impl Object for Names {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        Some(match key {
            UNIT_RATE => Value::from(self.units.scale(Dimension::Rate)),
            UNIT_TIME => Value::from(self.units.scale(Dimension::Time)),
            UNIT_SIZE => Value::from(self.units.scale(Dimension::Size)),
            UNIT_LENGTH => Value::from(self.units.scale(Dimension::Length)),
            UNIT_LEVEL => Value::from(self.units.scale(Dimension::Level)),
            ZERO_POWER => Value::from(self.units.zero_power),
            INDEX | WLAN_INDEX => Value::from(self.indices.named(key)?),
            _ => match self.parameters.get(key)? {
                Got::Unset => Value::from(()),
                Got::Flag(flag) => Value::from(*flag),
                Got::Text(text) => Value::from(text.as_str()),
                // Whole counts stay integers, so that `i % 2` and names are printed as people expect.
                Got::Number(number, Some(Dimension::Pure)) if is_whole(*number) => {
                    Value::from(*number as i64)
                }
                Got::Number(number, dimension) => {
                    Value::from(dimension.map_or(*number, |it| self.units.of(*number, it)))
                }
            },
        })
    }
}

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= 9e15
}

impl Evaluator {
    /// Makes an evaluator over these parameters.
    pub fn new(parameters: BTreeMap<String, Got>) -> Evaluator {
        Evaluator { parameters: Arc::new(parameters), compiled: RefCell::default(), members: Cell::default() }
    }

    /// Returns the value of the parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Got> {
        self.parameters.get(name)
    }

    /// Counts another member of a group and returns how many have been counted.
    pub fn count_member(&self) -> u64 {
        self.members.update(|members| members + 1);
        self.members.get()
    }

    /// Evaluates `source` for these members of groups.
    pub fn evaluate(&self, source: &str, indices: Indices) -> Result<Got> {
        if let Some(index) = indices.named(source) {
            // In a large group nearly all evaluations are of the members' names, which need the index alone.
            return Ok(Got::Number(index as f64, (index > 0).then_some(Dimension::Pure)));
        }
        let compiled = self.compile(source, indices)?;
        if let Some(got) = compiled.constant.get() {
            return Ok(got.clone());
        }
        let got = self.measure(&compiled.expression, source, indices)?;
        if compiled.indices.is_empty() {
            // The cell is still empty: no evaluation runs inside another one.
            let _ = compiled.constant.set(got.clone());
        }
        Ok(got)
    }

    fn compile(&self, source: &str, indices: Indices) -> Result<Rc<Compiled>> {
        let has_all = |known: &&Rc<Compiled>| known.indices.iter().all(|name| indices.named(name).is_some());
        if let Some(known) = self.compiled.borrow().get(source).filter(has_all) {
            return Ok(Rc::clone(known));
        }
        if source.len() > LONGEST {
            return Err(Problem::new(format!("the expression is longer than {LONGEST} bytes")));
        }
        if source.contains("**") {
            let why = "its last digit would differ between machines";
            return Err(Problem::new(format!("`{}`: there is no power operator ({why})", shortened(source))));
        }
        let expression = ENVIRONMENT
            .compile_expression_owned(with_units_spelt_out(source))
            .map_err(|error| refused(source, &error))?;
        let mut names: Vec<String> = expression.undeclared_variables(false).into_iter().collect();
        names.sort();
        for name in &names {
            self.check_name(name, indices)?;
        }
        let used = [INDEX, WLAN_INDEX].into_iter().filter(|index| names.iter().any(|name| name == index));
        let compiled = Rc::new(Compiled { expression, indices: used.collect(), constant: OnceCell::new() });
        self.compiled.borrow_mut().insert(source.to_owned(), Rc::clone(&compiled));
        Ok(compiled)
    }

    fn check_name(&self, name: &str, indices: Indices) -> Result<()> {
        let counted = match name {
            INDEX => "the members of a group",
            WLAN_INDEX => "the WLANs of a group",
            _ => "",
        };
        if !counted.is_empty() && indices.named(name).is_none() {
            return Err(Problem::new(format!("`{name}` counts {counted}: it means nothing here")));
        }
        if is_reserved(name) || self.parameters.contains_key(name) {
            return Ok(());
        }
        if name == DEFAULT {
            return Err(Problem::new(
                "`default` is for `--set`; in a file, a key with the value `none` is left out",
            ));
        }
        Err(unknown("parameter", name, self.parameters.keys().map(String::as_str)))
    }

    fn measure(&self, expression: &Expression, source: &str, indices: Indices) -> Result<Got> {
        let run = |units| {
            let names = Names { parameters: Arc::clone(&self.parameters), indices, units };
            expression.eval(Value::from_object(names)).map_err(|error| refused(source, &error))
        };
        let value = run(Units::SI)?;
        Ok(match value.kind() {
            ValueKind::None => Got::Unset,
            ValueKind::Bool => Got::Flag(value.is_true()),
            ValueKind::String => Got::Text(value.to_string()),
            ValueKind::Number => {
                let number = finite(&value, source)?;
                Got::Number(number, dimension_of(number, &run(SMALLER)?, source)?)
            }
            kind => {
                let message = format!("`{}` gives a {kind}, not a number or a word", shortened(source));
                return Err(Problem::new(message));
            }
        })
    }
}

fn finite(value: &Value, source: &str) -> Result<f64> {
    f64::try_from(value.clone())
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| Problem::new(format!("`{}` gives {value}, not a finite number", shortened(source))))
}

/// Returns the dimension of a result, which follows from its change in the units of the second evaluation.
fn dimension_of(number: f64, rescaled: &Value, source: &str) -> Result<Option<Dimension>> {
    let rescaled = f64::try_from(rescaled.clone()).unwrap_or(f64::NAN);
    if number == 0.0 && rescaled == 0.0 {
        return Ok(None);
    }
    let dimensions = [
        Dimension::Pure,
        Dimension::Rate,
        Dimension::Time,
        Dimension::Size,
        Dimension::Length,
        Dimension::Level,
        Dimension::Power,
    ];
    let is_of = |dimension: &Dimension| {
        let changed = SMALLER.of(number, *dimension);
        (rescaled - changed).abs() < 1e-9 * changed.abs()
    };
    dimensions.into_iter().find(is_of).map(Some).ok_or_else(|| {
        let message = format!(
            "`{}` mixes units: it gives neither a bare number nor a rate, a time, a size, a length, a level \
             or a power; put a unit behind its numbers, as in `period + 1 s`, and dB behind what is added to dBm",
            shortened(source)
        );
        Problem::new(message)
    })
}

fn refused(source: &str, error: &minijinja::Error) -> Problem {
    if source.trim().is_empty() {
        return Problem::new("the text is empty, and a value is needed");
    }
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let what = if error.kind() == ErrorKind::SyntaxError {
        "is not a valid expression"
    } else {
        "cannot be evaluated"
    };
    let comma = has_decimal_comma(source) && error.kind() == ErrorKind::SyntaxError;
    let detail = if comma { DECIMAL_COMMA.to_owned() } else { detail };
    Problem::new(format!("`{}` {what}: {detail}", shortened(source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluator() -> Evaluator {
        Evaluator::new(BTreeMap::from([
            ("stations".to_owned(), Got::Number(4.0, Some(Dimension::Pure))),
            ("period".to_owned(), Got::Number(10.0, Some(Dimension::Time))),
            ("session_bytes".to_owned(), Got::Number(10_000.0, Some(Dimension::Size))),
            ("direction".to_owned(), Got::Text("upload".to_owned())),
            ("max_window".to_owned(), Got::Unset),
            ("power".to_owned(), Got::Number(-62.0, Some(Dimension::Power))),
        ]))
    }

    fn eval(source: &str) -> Got {
        evaluator().evaluate(source, Indices { member: Some(3), wlan: None }).unwrap()
    }

    fn error(source: &str) -> String {
        evaluator().evaluate(source, Indices::default()).unwrap_err().to_string()
    }

    #[test]
    fn arithmetic_is_pythons() {
        assert_eq!(eval("stations / 2"), Got::Number(2.0, Some(Dimension::Pure)));
        assert_eq!(eval("stations / 3 * 3"), Got::Number(4.0, Some(Dimension::Pure)));
        assert_eq!(eval("i % 2 == 1 and direction == 'upload'"), Got::Flag(true));
        assert_eq!(eval("'a' if i > 3 else 'b'"), Got::Text("b".to_owned()));
        assert_eq!(eval("max(stations, 7, i)"), Got::Number(7.0, Some(Dimension::Pure)));
        assert_eq!(eval("max_window"), Got::Unset);
    }

    #[test]
    fn quantities_keep_their_dimension() {
        assert_eq!(eval("16 Mb/s / stations"), Got::Number(4e6, Some(Dimension::Rate)));
        assert_eq!(eval("period + 10ms"), Got::Number(10.01, Some(Dimension::Time)));
        assert_eq!(eval("session_bytes * 8 / period"), Got::Number(8000.0, Some(Dimension::Rate)));
        assert_eq!(eval("period / 2 s"), Got::Number(5.0, Some(Dimension::Pure)));
        assert_eq!(eval("1 s * 0"), Got::Number(0.0, None));
        assert_eq!(eval("1 s if i > 5 else 2 s"), Got::Number(2.0, Some(Dimension::Time)));
    }

    #[test]
    fn a_power_is_a_level_above_another() {
        let power = |number| Got::Number(number, Some(Dimension::Power));
        assert_eq!(eval("power + 3 dB"), power(-59.0));
        assert_eq!(eval("20 dBm - 3 dB * i"), power(11.0));
        assert_eq!(eval("-82 dBm if i > 5 else -7 dBm"), power(-7.0));
        assert_eq!(eval("max(power, -82 dBm)"), power(-62.0));
        assert_eq!(eval("power + 62 dB"), power(0.0));
        assert_eq!(eval("20 dBm - power"), Got::Number(82.0, Some(Dimension::Level)));
        assert_eq!(eval("power > -70 dBm"), Got::Flag(true));
        for source in ["power + 3", "power + 3 dBm", "2 * power", "3 dB + 1"] {
            assert!(error(source).contains("mixes units"), "{source}: {}", error(source));
        }
    }

    #[test]
    fn mixed_units_are_refused() {
        for source in ["period + 1", "period + session_bytes", "1 / period", "round(period + 0.3 s) + 1"] {
            assert!(error(source).contains("mixes units"), "{source}: {}", error(source));
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert!(error("station / 2").contains("unknown parameter `station`; did you mean `stations`?"));
        assert!(error("default").contains("a key with the value `none` is left out"));
        assert!(error("stations /").contains("is not a valid expression"));
        assert_eq!(error(" "), "the text is empty, and a value is needed");
        assert!(error("0,5 s").ends_with("a number has a decimal point, not a comma"));
        assert!(error("direction / 2").contains("cannot be evaluated"));
        assert!(error("stations / 0").contains("cannot be evaluated"), "{}", error("stations / 0"));
        assert!(error("1e300 * 1e300").contains("not a finite number"));
        assert!(error("stations ** 2").contains("no power operator"));
        assert!(error("[1]").contains("not a number or a word"));
        assert!(error("i").contains("means nothing here"));
        assert!(error(&"1+".repeat(600)).contains("longer than"));
    }

    #[test]
    fn text_in_quotes_keeps_its_units() {
        assert_eq!(eval("'10 ms' ~ \"5 s\""), Got::Text("10 ms5 s".to_owned()));
    }
}
