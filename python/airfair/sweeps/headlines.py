"""The metrics that a report shows first, and the axes to show them along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airfair.catalogue.known import every_metric
from airfair.figures.charts.choice import MOST_NUMBERS, MOST_WORDS, Asked, follows
from airfair.figures.charts.data import Data, is_numeric
from airfair.figures.charts.kinds import HEATMAP, LINE
from airfair.sweeps.sensitivity import Sensitivity

#: Maximum number of figures in a report.
_MOST = 6
#: Maximum number of panels in a figure of a report.
_PANELS = 6


def headlines(sensitivities: Sequence[Sensitivity]) -> list[Sensitivity]:
    """The first metric of each family in the scenario's order: `finish_time_sent_mean`, not all its variants."""
    found: dict[str, Sensitivity] = {}
    for item in sensitivities:
        family = every_metric().get(item.metric, {}).get("family", item.metric)
        found.setdefault(family, item)
    return list(found.values())[:_MOST]


@dataclass(frozen=True)
class View:
    """The figure of a metric."""

    asked: Asked
    #: The values shown of axes with too many values, or without a role.
    only: Mapping[str, Sequence[Any]]


def importance(shown: Sequence[Sensitivity]) -> list[str]:
    """The axes, those with the largest effects on a page's metrics first; all its figures use this order."""
    shares: dict[str, float] = {}
    for item in shown:
        for effect in item.effects:
            shares[effect.axis] = shares.get(effect.axis, 0.0) + effect.share
    return sorted(shares, key=lambda axis: -shares[axis])


def view(data: Data, metric: str, by_share: Sequence[str]) -> View:
    """The numeric axis with the most values along x; colour and panels for the axes with the largest effects.

    Colour shows the one with fewer values. Surplus panels are left out; further axes are fixed at their middle value.
    """
    counts = {name: data.frame[name].n_unique() for name in data.axes}
    if data.sampled:
        x = next((name for name in by_share if is_numeric(data, name)), by_share[0])
        color = next((name for name in by_share if name != x and _colours(data, name, counts[name])), None)
        return View(Asked((metric,), x, color), {})
    numbers = [name for name in by_share if is_numeric(data, name)]
    x = max(numbers, key=lambda name: counts[name]) if numbers else by_share[0]
    free = [name for name in by_share if name != x and not follows(data, name, [x])]
    color, facet = [*sorted(free[:2], key=lambda name: counts[name]), None, None][:2]
    kind = LINE if color is None or _colours(data, color, counts[color]) else HEATMAP
    only = {name: _spaced(data, name, 1) for name in free[2:]}
    if facet and counts[facet] > _PANELS:
        only[facet] = _spaced(data, facet, _PANELS)
    return View(Asked((metric,), x, color, facet, kind), only)


def _colours(data: Data, name: str, count: int) -> bool:
    """Whether colours can distinguish this many values."""
    if is_numeric(data, name):
        return data.sampled or count <= MOST_NUMBERS
    return count <= MOST_WORDS


def _spaced(data: Data, name: str, count: int) -> list[Any]:
    """`count` of an axis' values, evenly from end to end; if one, the middle."""
    values = data.frame[name].unique().drop_nulls().sort().to_list()
    if count == 1:
        return [values[(len(values) - 1) // 2]]
    return [values[round(place * (len(values) - 1) / (count - 1))] for place in range(count)]
