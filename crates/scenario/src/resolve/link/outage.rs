//! A link's outages.

use airfair_core::Span;
use airfair_net::{LossPosition, Outage, OutagePackets, Repeat};

use super::EachWay;
use crate::file::LinkOutage as Raw;
use crate::problem::{Located, Problem, Result};
use crate::resolve::changes::not_too_often;
use crate::scope::{Readable, Scope, above_zero, absent, needed};
use crate::value::TimeKind;

/// The outages that `raw` describes.
pub fn resolve(raw: &Raw, scope: &Scope, run: Span) -> Result<EachWay<Outage>> {
    let Some(duration) = TimeKind::read(scope, &raw.duration.scalar).at("duration")? else {
        return Ok(EachWay::default());
    };
    let duration = above_zero(duration).at("duration")?;
    let outage = Outage {
        start: scope.or(&raw.start, "start", Span::ZERO)?,
        spread: scope.or(&raw.spread, "spread", Span::ZERO)?,
        duration,
        repeat: repeat(raw, scope, duration, run)?,
        packets: packets(raw, scope)?,
    };
    EachWay::of(outage, &raw.direction, scope)
}

fn repeat(raw: &Raw, scope: &Scope, duration: Span, run: Span) -> Result<Repeat> {
    type Make = fn(Span) -> Repeat;
    let words: [(&str, Make); 3] =
        [("once", |_| Repeat::Once), ("periodic", Repeat::Periodic), ("random", Repeat::Random)];
    let make = scope.word(&raw.repeat, "repeat", "repetition", &words)?.unwrap_or(words[0].1);
    if make(duration) == Repeat::Once {
        absent(&raw.period, scope, "period", "`periodic` and `random` outages")?;
        return Ok(Repeat::Once);
    }
    let period = scope.optional(&raw.period, "period")?;
    let period = needed(period, "period", "a `periodic` or `random` outage")?;
    if period <= duration {
        return Err(Problem::new("it must be longer than `duration`, or the link is never up").at("period"));
    }
    not_too_often(run, period, "period")?;
    Ok(make(period))
}

fn packets(raw: &Raw, scope: &Scope) -> Result<OutagePackets> {
    let lost = scope.word(&raw.packets, "packets", "choice", &[("lost", true), ("held", false)])?;
    if lost.unwrap_or(true) {
        return position(raw, scope).map(OutagePackets::Lost);
    }
    if raw.position.is_some() {
        return Err(Problem::new("it belongs to outages with `packets = \"lost\"` alone").at("position"));
    }
    Ok(OutagePackets::Held)
}

fn position(raw: &Raw, scope: &Scope) -> Result<LossPosition> {
    let Some(word) = &raw.position else { return Ok(LossPosition::BeforeQueue) };
    let word = scope.one_of(&word.scalar, "position", LossPosition::WORDS).at("position")?;
    Ok(word.and_then(LossPosition::from_word).unwrap_or(LossPosition::BeforeQueue))
}
