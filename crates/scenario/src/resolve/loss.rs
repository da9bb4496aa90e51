//! Random loss on links and on the air.

use airfair_core::{LossModel, LossProbability, LossUnit, Span};
use airfair_net::{LinkLoss, LossPosition};
use airfair_wifi::{FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames};

use super::link::EachWay;
use crate::file::{FrameLoss as RawFrameLoss, LinkLoss as RawLinkLoss, ModelKeys};
use crate::problem::{Located, Problem, Result};
use crate::resolve::changes::not_too_often;
use crate::scope::{Scope, above_zero, absent, needed};
use crate::value::WordValue;

#[derive(Clone, Copy)]
enum Model {
    None,
    Constant(LossUnit),
    GilbertElliott,
}

/// The last three are former names.
const MODELS: [(&str, Model); 7] = [
    ("none", Model::None),
    ("bernoulli", Model::Constant(LossUnit::Packet)),
    ("per-bit", Model::Constant(LossUnit::Bit)),
    ("gilbert-elliott", Model::GilbertElliott),
    ("constant", Model::Constant(LossUnit::Packet)),
    ("on-off", Model::GilbertElliott),
    ("two-state", Model::GilbertElliott),
];
const UNITS: [(&str, LossUnit); 2] = [("packet", LossUnit::Packet), ("bit", LossUnit::Bit)];
const FRAME_POSITIONS: [(&str, FrameLossPosition); 2] =
    [("mac", FrameLossPosition::Mac), ("above-mac", FrameLossPosition::AboveMac)];
const FRAMES: [(&str, LossyFrames); 2] = [("data", LossyFrames::Data), ("all", LossyFrames::All)];
const FRAME_DIRECTIONS: [(&str, FrameLossDirection); 2] =
    [("both", FrameLossDirection::Both), ("to", FrameLossDirection::To)];

/// The loss on a link in a run of this length. The model `none` ignores all other keys.
pub fn on_link(raw: &RawLinkLoss, scope: &Scope, run: Span) -> Result<EachWay<LinkLoss>> {
    let Some(model) = model(&raw.model(), scope, run)? else { return Ok(EachWay::default()) };
    EachWay::of(LinkLoss { model, position: position(&raw.position, scope)? }, &raw.direction, scope)
}

/// The position that the word under `position` names.
pub fn position(word: &Option<WordValue>, scope: &Scope) -> Result<LossPosition> {
    let words = [("before-queue", LossPosition::BeforeQueue), ("after-queue", LossPosition::AfterQueue)];
    Ok(scope.word(word, "position", "position", &words)?.unwrap_or(LossPosition::BeforeQueue))
}

/// The loss of a station's frames in a run of this length. The model `none` ignores all other keys.
pub fn on_air(raw: &RawFrameLoss, scope: &Scope, run: Span) -> Result<Option<FrameLoss>> {
    let Some(model) = model(&raw.model(), scope, run)? else { return Ok(None) };
    let position = scope.word(&raw.position, "position", "position", &FRAME_POSITIONS)?.unwrap_or_default();
    let frames = scope.word(&raw.frames, "frames", "kind of frames", &FRAMES)?.unwrap_or_default();
    let direction =
        scope.word(&raw.direction, "direction", "direction", &FRAME_DIRECTIONS)?.unwrap_or_default();
    if position == FrameLossPosition::AboveMac && frames == LossyFrames::All {
        let message = "`all` needs `position = \"mac\"`: above the MAC there are data frames alone";
        return Err(Problem::new(message).at("frames"));
    }
    Ok(Some(FrameLoss { model, position, frames, direction }))
}

fn model(keys: &ModelKeys, scope: &Scope, run: Span) -> Result<Option<LossModel>> {
    let model = scope.word(&Some(keys.model.clone()), "model", "loss model", &MODELS)?;
    match model.unwrap_or(Model::None) {
        Model::None => Ok(None),
        Model::Constant(of) => {
            let owner = "`gilbert-elliott` loss";
            absent(keys.good, scope, "good", owner)?;
            absent(keys.bad, scope, "bad", owner)?;
            absent(keys.mean_good, scope, "mean_good", owner)?;
            absent(keys.mean_bad, scope, "mean_bad", owner)?;
            let probability = scope.optional(keys.probability, "probability")?;
            let probability = needed(probability, "probability", "`bernoulli` and `per-bit` loss")?;
            Ok(Some(LossModel { probability: LossProbability::Constant(probability), of }))
        }
        Model::GilbertElliott => gilbert_elliott(keys, scope, run).map(Some),
    }
}

fn gilbert_elliott(keys: &ModelKeys, scope: &Scope, run: Span) -> Result<LossModel> {
    absent(keys.probability, scope, "probability", "`bernoulli` and `per-bit` loss")?;
    let of = scope.word(keys.of, "of", "unit", &UNITS)?.unwrap_or(LossUnit::Packet);
    let owner = "`gilbert-elliott` loss";
    let mean = |value, key| above_zero(needed(scope.optional(value, key)?, key, owner)?).at(key);
    let (mean_good, mean_bad) = (mean(keys.mean_good, "mean_good")?, mean(keys.mean_bad, "mean_bad")?);
    not_too_often(run, mean_good + mean_bad, "mean_good")?;
    let probability = LossProbability::GilbertElliott {
        good: scope.or(keys.good, "good", 0.0)?,
        bad: needed(scope.optional(keys.bad, "bad")?, "bad", owner)?,
        mean_good,
        mean_bad,
    };
    Ok(LossModel { probability, of })
}
