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
#: Maximum number of panels in one of a report's figures.
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
    """How a report's figure shows a metric."""

    asked: Asked
    #: By axis, the only values shown: of axes with too many values, and of axes without a role.
    only: Mapping[str, Sequence[Any]]


def importance(shown: Sequence[Sensitivity]) -> list[str]:
    """The axes in the order of their effects on a page's metrics, the largest first. All figures use this order."""
    shares: dict[str, float] = {}
    for item in shown:
        for effect in item.effects:
            shares[effect.axis] = shares.get(effect.axis, 0.0) + effect.share
    return sorted(shares, key=lambda axis: -shares[axis])


def view(data: Data, metric: str, by_share: Sequence[str]) -> View:
    """Choose the numeric axis with the most values as x, and the axes with the largest effects as colour and panels.

    Of these two, colour shows the axis with fewer values. Surplus panels are left out; further axes are fixed at their
    middle value.
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
    """`count` values of an axis, spaced evenly from end to end; if `count` is 1, the middle one."""
    values = data.frame[name].unique().drop_nulls().sort().to_list()
    if count == 1:
        return [values[(len(values) - 1) // 2]]
    return [values[round(place * (len(values) - 1) / (count - 1))] for place in range(count)]
