//! A link's errors.

use airfair_core::Span;
use airfair_net::{ErrorModel, ErrorUnit, Errors, Position};

use super::{EachWay, absent, needed};
use crate::file::LinkErrors as Raw;
use crate::problem::{Located, Result};
use crate::resolve::changes::not_too_often;
use crate::scope::{Scope, above_zero};
use crate::value::WordValue;

#[derive(Clone, Copy, PartialEq)]
enum Model {
    None,
    Bernoulli,
    PerBit,
    OnOff,
}

const MODELS: [(&str, Model); 4] = [
    ("none", Model::None),
    ("bernoulli", Model::Bernoulli),
    ("per-bit", Model::PerBit),
    ("on-off", Model::OnOff),
];

/// The errors that `raw` describes; in the model `none` its other values are not looked at.
pub fn resolve(raw: &Raw, scope: &Scope, run: Span) -> Result<EachWay<Errors>> {
    let model = scope.word(&Some(raw.model.clone()), "model", "error model", &MODELS)?;
    let (model, of) = match model.unwrap_or(Model::None) {
        Model::None => return Ok(EachWay::default()),
        Model::OnOff => on_off(raw, scope, run)?,
        other => {
            let owner = "`on-off` errors";
            absent(&raw.good, scope, "good", owner)?;
            absent(&raw.bad, scope, "bad", owner)?;
            absent(&raw.mean_good, scope, "mean_good", owner)?;
            absent(&raw.mean_bad, scope, "mean_bad", owner)?;
            let unit = if other == Model::PerBit { ErrorUnit::Bit } else { ErrorUnit::Packet };
            let probability = scope.optional(&raw.probability, "probability")?;
            (ErrorModel::Constant(needed(probability, "probability", "these errors")?), unit)
        }
    };
    EachWay::of(Errors { model, of, position: position(&raw.position, scope)? }, &raw.direction, scope)
}

/// Where the word under `position` says that packets are lost.
pub fn position(word: &Option<WordValue>, scope: &Scope) -> Result<Position> {
    let words = [("before-queue", Position::BeforeQueue), ("after-queue", Position::AfterQueue)];
    Ok(scope.word(word, "position", "position", &words)?.unwrap_or(Position::BeforeQueue))
}

fn on_off(raw: &Raw, scope: &Scope, run: Span) -> Result<(ErrorModel, ErrorUnit)> {
    absent(&raw.probability, scope, "probability", "`bernoulli` and `per-bit` errors")?;
    let units = [("packet", ErrorUnit::Packet), ("bit", ErrorUnit::Bit)];
    let of = scope.word(&raw.of, "of", "unit", &units)?.unwrap_or(ErrorUnit::Packet);
    let mean = |value, key| above_zero(needed(scope.optional(value, key)?, key, "`on-off` errors")?).at(key);
    let (mean_good, mean_bad) = (mean(&raw.mean_good, "mean_good")?, mean(&raw.mean_bad, "mean_bad")?);
    not_too_often(run, mean_good + mean_bad, "mean_good")?;
    let model = ErrorModel::OnOff {
        good: scope.or(&raw.good, "good", 0.0)?,
        bad: needed(scope.optional(&raw.bad, "bad")?, "bad", "`on-off` errors")?,
        mean_good,
        mean_bad,
    };
    Ok((model, of))
}
