"""The part of a report on the effects of axes on metrics, with the figures."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import polars

from airfair.catalogue.known import every_metric
from airfair.catalogue.left_out import counted, flag
from airfair.catalogue.units import quantity
from airfair.catalogue.wording import title
from airfair.figures.charts.choice import Asked
from airfair.figures.charts.figure import figure
from airfair.figures.charts.picture import Along
from airfair.pages import inline
from airfair.sweeps.headlines import view
from airfair.sweeps.page.subject import Subject
from airfair.sweeps.sensitivity import Effect, Sensitivity

#: Maximum magnification of figures on a page.
_LARGER = 1.15


def drawn(subject: Subject, metric: str, by_share: Sequence[str]) -> dict[str, Any]:
    """Draw the figure of one of the report's first metrics."""
    chosen = view(subject.data, metric, by_share)
    data = subject.data
    for name, values in chosen.only.items():
        data = replace(data, frame=data.frame.filter(polars.col(name).is_in(values)))
    picture = figure(data, chosen.asked, height=200)
    held = "; ".join(_held(subject.along[name], values) for name, values in chosen.only.items())
    return {
        "metric": metric,
        "title": title(metric),
        "svg": inline(picture.svg, metric),
        "width": round(_LARGER * float(picture.svg.split('width="', 1)[1].split('"', 1)[0])),
        "caption": picture.caption + (f" Shown: {held}." if held else ""),
        "definition": every_metric()[metric]["definition"],
        "command": _plot_command(subject, metric, chosen.asked, chosen.only),
    }


def _plot_command(subject: Subject, metric: str, asked: Asked, only: Mapping[str, Any]) -> str:
    words = ["airfair", "plot", "DIR", "--y", metric]
    places = (("--x", asked.x), ("--color", asked.color), ("--facet", asked.facet), ("--kind", asked.kind))
    words += [word for option, value in places if value and value != "line" for word in (option, value)]
    if only:
        chosen = (f"{name} IN ({', '.join(map(_sql, values))})" for name, values in only.items())
        words += ["--where", " AND ".join(chosen)]
    return shlex.join(words)


def _held(along: Along, values: Sequence[Any]) -> str:
    if len(values) == 1:
        return along.whole(values[0])
    return f"{len(values)} of {len(along.values)} values of {along.name}"


def _sql(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def shares(subject: Subject, item: Sensitivity) -> dict[str, Any]:
    """The row of a metric in the table of effects."""
    unit = subject.data.units.get(item.metric, "")
    order = {name: place for place, name in enumerate(subject.data.axes)}
    effects = sorted(item.effects, key=lambda effect: order[effect.axis])
    largest = max(effect.share for effect in effects)
    left_out, _ = counted(item.metric, subject.data.frame) or (0, 0)
    return {
        "metric": item.metric,
        "title": title(item.metric),
        "range": f"{quantity(item.low, unit, 3)} to {quantity(item.high, unit, 3)}{flag(left_out)}",
        "effects": [_effect(subject, item.metric, effect, unit, largest) for effect in effects],
        "chance": None if item.chance is None else _percent(item.chance),
    }


def _effect(subject: Subject, metric: str, effect: Effect, unit: str, largest: float) -> dict[str, Any]:
    along = subject.along[effect.axis]
    ends = ((effect.low, effect.lowest_at), (effect.high, effect.highest_at))
    low, high = (f"{quantity(value, unit, 3)} at {_at(along, at)}" for value, at in ends)
    return {
        "share": round(effect.share * 100, 1),
        "percent": _percent(effect.share),
        "why": f"{title(metric)}, by {along.label}: means from {low} to {high}",
        "most": effect.share == largest,
    }


def _percent(share: float) -> str:
    return "< 1 %" if 0 < share < 0.01 else f"{share * 100:.0f} %"


def _at(along: Along, value: Any) -> str:
    return f"{along.text(value)} {along.scale.symbol}".strip()


def overlap(subject: Subject) -> bool:
    """Whether points of the grid are missing, so that the effects of single axes cannot be separated."""
    data = subject.data
    if data.sampled or data.frame.is_empty() or not data.axes:
        return False
    whole = prod(data.frame[name].n_unique() for name in data.axes)
    return data.frame.select(data.axes).n_unique() < whole
