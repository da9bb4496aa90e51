//! Frame errors.

use airfair_wifi::FrameErrors;

use crate::file::FrameErrors as Raw;
use crate::problem::{Located, Problem, Result};
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

/// The error model that `raw` describes.
pub fn resolve(raw: &Raw, scope: &Scope) -> Result<FrameErrors> {
    let model = scope.word(&Some(raw.model.clone()), "model", "error model", &MODELS)?.unwrap_or(Model::None);
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
            FrameErrors::TwoState {
                good: needed(scope.optional(&raw.good, "good")?, "good")?,
                bad: needed(scope.optional(&raw.bad, "bad")?, "bad")?,
                mean_good: mean(&raw.mean_good, "mean_good")?,
                mean_bad: mean(&raw.mean_bad, "mean_bad")?,
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
