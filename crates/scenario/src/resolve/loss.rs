//! Random loss on links and on the air.

use airfair_core::{LossModel, LossProbability, LossUnit, Span};
use airfair_net::LinkLoss;
use airfair_wifi::{FrameLoss, FrameLossPosition, LossyFrames};

use super::link::EachWay;
use crate::file::{
    FrameLoss as RawFrameLoss, FrameLossKeys, Given, LinkLoss as RawLinkLoss, LinkLossKeys, Model, ModelKeys,
};
use crate::problem::{Problem, Result};
use crate::resolve::changes::not_too_often;
use crate::resolve::declared;
use crate::scope::{Scope, needed};
use crate::value::WordValue;

/// What messages call the owners of keys.
const BURSTS: &str = "`gilbert-elliott` loss";
const CONSTANT: &str = "`bernoulli` and `per-bit` loss";

/// Former names of models.
const FORMER: [(&str, Model); 3] =
    [("constant", Model::Bernoulli), ("on-off", Model::GilbertElliott), ("two-state", Model::GilbertElliott)];

/// Returns the loss on a link in a run of length `run`. With the model `none`, all other keys are ignored.
pub fn on_link(raw: &RawLinkLoss, scope: &Scope, run: Span) -> Result<EachWay<LinkLoss>> {
    let Some(model) = model(&raw.model, &raw.given, scope, run)? else { return Ok(EachWay::default()) };
    let LinkLossKeys { position } = declared::settings(&raw.given, scope)?;
    EachWay::of(LinkLoss { model, position }, &raw.direction, scope)
}

/// Returns the loss of a station's frames in a run of length `run`. With the model `none`, all other keys are ignored.
pub fn on_air(raw: &RawFrameLoss, scope: &Scope, run: Span) -> Result<Option<FrameLoss>> {
    let Some(model) = model(&raw.model, &raw.given, scope, run)? else { return Ok(None) };
    let FrameLossKeys { position, frames, direction } = declared::settings(&raw.given, scope)?;
    if position == FrameLossPosition::AboveMac && frames == LossyFrames::All {
        let message = "`all` needs `position = \"mac\"`: above the MAC there are data frames alone";
        return Err(Problem::new(message).at("frames"));
    }
    Ok(Some(FrameLoss { model, position, frames, direction }))
}

fn model(word: &WordValue, given: &Given, scope: &Scope, run: Span) -> Result<Option<LossModel>> {
    let named: Vec<_> = Model::ALL.iter().map(|model| (model.word(), *model)).chain(FORMER).collect();
    match scope.word(&Some(word.clone()), "model", "loss model", &named)?.unwrap_or(Model::None) {
        Model::None => Ok(None),
        Model::Bernoulli => constant(&declared::settings(given, scope)?, LossUnit::Packet).map(Some),
        Model::PerBit => constant(&declared::settings(given, scope)?, LossUnit::Bit).map(Some),
        Model::GilbertElliott => gilbert_elliott(&declared::settings(given, scope)?, run).map(Some),
    }
}

fn constant(keys: &ModelKeys, of: LossUnit) -> Result<LossModel> {
    declared::alone(keys, &["good", "bad", "mean_good", "mean_bad"], BURSTS)?;
    let probability = LossProbability::Constant(needed(keys.probability, "probability", CONSTANT)?);
    Ok(LossModel { probability, of })
}

fn gilbert_elliott(keys: &ModelKeys, run: Span) -> Result<LossModel> {
    declared::alone(keys, &["probability"], CONSTANT)?;
    let mean_good = needed(keys.mean_good, "mean_good", BURSTS)?;
    let mean_bad = needed(keys.mean_bad, "mean_bad", BURSTS)?;
    not_too_often(run, mean_good + mean_bad, "mean_good")?;
    let bad = needed(keys.bad, "bad", BURSTS)?;
    let good = keys.good.unwrap_or(0.0);
    let probability = LossProbability::GilbertElliott { good, bad, mean_good, mean_bad };
    Ok(LossModel { probability, of: keys.of })
}
