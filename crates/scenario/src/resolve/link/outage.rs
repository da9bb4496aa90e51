//! A link's outages.

use airfair_core::Span;
use airfair_net::{LossPosition, Outage, OutagePackets, Repeat};

use super::EachWay;
use crate::file::{LinkOutage as Raw, OutageFate, OutageKeys, Repetition};
use crate::problem::{Located, Problem, Result};
use crate::resolve::changes::not_too_often;
use crate::resolve::declared::{alone, settings};
use crate::scope::{Readable, Scope, needed};
use crate::value::TimeKind;

/// Returns the outages that `raw` describes.
pub fn resolve(raw: &Raw, scope: &Scope, run: Span) -> Result<EachWay<Outage>> {
    let Some(duration) = TimeKind::read(scope, &raw.duration.scalar).at("duration")? else {
        return Ok(EachWay::default());
    };
    if duration == Span::ZERO {
        return Err(Problem::new("it must be above zero").at("duration"));
    }
    let keys: OutageKeys = settings(&raw.given, scope)?;
    let OutageKeys { start, spread, .. } = keys;
    let (repeat, packets) = (repeat(&keys, duration, run)?, packets(&keys)?);
    EachWay::of(Outage { start, spread, duration, repeat, packets }, &raw.direction, scope)
}

fn repeat(keys: &OutageKeys, duration: Span, run: Span) -> Result<Repeat> {
    if keys.repeat == Repetition::Once {
        alone(keys, &["period"], "`periodic` and `random` outages")?;
        return Ok(Repeat::Once);
    }
    let period = needed(keys.period, "period", "a `periodic` or `random` outage")?;
    if period <= duration {
        return Err(Problem::new("it must be longer than `duration`, or the link is never up").at("period"));
    }
    not_too_often(run, period, "period")?;
    Ok(if keys.repeat == Repetition::Periodic { Repeat::Periodic(period) } else { Repeat::Random(period) })
}

fn packets(keys: &OutageKeys) -> Result<OutagePackets> {
    if keys.packets == OutageFate::Lost {
        return Ok(OutagePackets::Lost(keys.position.unwrap_or(LossPosition::BeforeQueue)));
    }
    alone(keys, &["position"], "outages with `packets = \"lost\"`")?;
    Ok(OutagePackets::Held)
}
