//! Frame errors.

use airfair_core::Span;
use airfair_wifi::{ErrorDirection, ErrorFrames, ErrorPosition, ErrorScope, FrameErrors};

use crate::file::FrameErrors as Raw;
use crate::problem::{Located, Problem, Result};
use crate::resolve::changes::not_too_often;
use crate::scope::{Scope, above_zero};
use crate::value::Value;

#[derive(Clone, Copy)]
enum Model {
    None,
    Constant,
    PerBit,
    TwoState,
}

const MODELS: [(&str, Model); 4] = [
    ("none", Model::None),
    ("constant", Model::Constant),
    ("per-bit", Model::PerBit),
    ("two-state", Model::TwoState),
];

const POSITIONS: [(&str, ErrorPosition); 2] =
    [("mac", ErrorPosition::Mac), ("above-mac", ErrorPosition::AboveMac)];
const FRAMES: [(&str, ErrorFrames); 2] = [("data", ErrorFrames::Data), ("all", ErrorFrames::All)];
const DIRECTIONS: [(&str, ErrorDirection); 2] = [("both", ErrorDirection::Both), ("to", ErrorDirection::To)];

/// The errors that `raw` describes in a run of this length, and which frames they hit. Without errors nothing else is looked at.
pub fn resolve(raw: &Raw, scope: &Scope, run: Span) -> Result<(FrameErrors, ErrorScope)> {
    match model(raw, scope, run)? {
        FrameErrors::None => Ok((FrameErrors::None, ErrorScope::default())),
        errors => Ok((errors, error_scope(raw, scope)?)),
    }
}

fn error_scope(raw: &Raw, scope: &Scope) -> Result<ErrorScope> {
    let position = scope.word(&raw.position, "position", "position", &POSITIONS)?.unwrap_or_default();
    let frames = scope.word(&raw.frames, "frames", "kind of frames", &FRAMES)?.unwrap_or_default();
    let direction = scope.word(&raw.direction, "direction", "direction", &DIRECTIONS)?.unwrap_or_default();
    if position == ErrorPosition::AboveMac && frames == ErrorFrames::All {
        let message =
            "`all` belongs to errors with `position = \"mac\"`: above it there are data frames alone";
        return Err(Problem::new(message).at("frames"));
    }
    Ok(ErrorScope { position, frames, direction })
}

fn model(raw: &Raw, scope: &Scope, run: Span) -> Result<FrameErrors> {
    let model = scope.word(&Some(raw.model.clone()), "model", "error model", &MODELS)?.unwrap_or(Model::None);
    if matches!(model, Model::None) {
        return Ok(FrameErrors::None);
    }
    let two_state = matches!(model, Model::TwoState);
    let one_state = matches!(model, Model::Constant | Model::PerBit);
    belongs(&raw.probability, one_state, "probability", "`constant` and `per-bit`")?;
    belongs(&raw.good, two_state, "good", "`two-state`")?;
    belongs(&raw.bad, two_state, "bad", "`two-state`")?;
    belongs(&raw.mean_good, two_state, "mean_good", "`two-state`")?;
    belongs(&raw.mean_bad, two_state, "mean_bad", "`two-state`")?;
    let probability = || needed(scope.optional(&raw.probability, "probability")?, "probability");
    Ok(match model {
        Model::None => FrameErrors::None,
        Model::Constant => FrameErrors::Constant(probability()?),
        Model::PerBit => FrameErrors::PerBit(probability()?),
        Model::TwoState => {
            let mean = |value, key| above_zero(needed(scope.optional(value, key)?, key)?).at(key);
            let (mean_good, mean_bad) =
                (mean(&raw.mean_good, "mean_good")?, mean(&raw.mean_bad, "mean_bad")?);
            not_too_often(run, mean_good + mean_bad, "mean_good")?;
            FrameErrors::TwoState {
                good: needed(scope.optional(&raw.good, "good")?, "good")?,
                bad: needed(scope.optional(&raw.bad, "bad")?, "bad")?,
                mean_good,
                mean_bad,
            }
        }
    })
}

fn belongs<K>(value: &Option<Value<K>>, fits: bool, key: &str, models: &str) -> Result<()> {
    if value.is_none() || fits {
        return Ok(());
    }
    Err(Problem::new(format!("it belongs to {models} errors alone")).at(key))
}

fn needed<T>(value: Option<T>, key: &str) -> Result<T> {
    value.ok_or_else(|| Problem::new(format!("this error model needs `{key}`")))
}
