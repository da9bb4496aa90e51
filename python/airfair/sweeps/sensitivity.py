"""The effect of each axis on a metric: its share of the variance between a sweep's points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import polars

#: Number of equal parts, by points, into which an axis of a sample is divided.
_PARTS = 5
#: A column name that no parameter has: their names have no spaces.
_CHANCE = "due to chance"


@dataclass(frozen=True)
class Effect:
    """The main effect of an axis on a metric, averaged over the other axes."""

    axis: str
    #: The share of the variance between points that lies between the means at the axis' values, from 0 to 1.
    share: float
    #: The smallest and the largest of these means (SI); then the axis' values there.
    low: float
    high: float
    lowest_at: Any
    highest_at: Any


@dataclass(frozen=True)
class Sensitivity:
    """The effects of all axes on a metric."""

    metric: str
    effects: tuple[Effect, ...]
    #: The share of the variance between points that the seeds explain; `None` for one seed.
    chance: float | None
    #: The smallest and the largest mean of a point (SI).
    low: float
    high: float


def sensitivities(
    frame: polars.DataFrame, axes: Sequence[str], metrics: Sequence[str], *, sampled: bool
) -> list[Sensitivity]:
    """The effects on each metric that varies between points. `frame` has a row for each point and seed."""
    varying = [name for name in axes if frame[name].n_unique() > 1]
    cuts = {name: _cut(frame, name, sampled) for name in varying}
    found = (_of(frame, varying, metric, cuts, sampled) for metric in metrics)
    return [item for item in found if item is not None]


def _of(
    frame: polars.DataFrame, axes: list[str], metric: str, cuts: dict[str, Callable[[Any], Any]], sampled: bool
) -> Sensitivity | None:
    rows = frame.select(*axes, polars.col(metric).cast(polars.Float64)).drop_nulls(metric)
    if not axes or rows.is_empty():
        return None
    value = polars.col(metric)
    points = rows.group_by(axes, maintain_order=True).agg(value.mean(), (value.var() / value.len()).alias(_CHANCE))
    means = points[metric].to_list()
    total = _variance(means)
    if len(means) < 2 or total <= 1e-24 * max(abs(mean) for mean in means) ** 2:
        return None
    effects = tuple(_effect(points, name, metric, total, cuts[name], sampled) for name in axes)
    known = points[_CHANCE].drop_nulls().to_list()
    chance = min(1.0, fsum(known) / len(known) / total) if known else None
    return Sensitivity(metric, effects, chance, min(means), max(means))


def _effect(
    points: polars.DataFrame, axis: str, metric: str, total: float, cut: Callable[[Any], Any], sampled: bool
) -> Effect:
    groups: dict[Any, list[float]] = {}
    for at, mean in zip(points[axis], points[metric], strict=True):
        groups.setdefault(cut(at), []).append(mean)
    middle = fsum(points[metric]) / points.height
    levels = {at: fsum(values) / len(values) for at, values in groups.items()}
    between = fsum(len(groups[at]) * (level - middle) ** 2 for at, level in levels.items()) / points.height
    share = between / total
    if sampled and points.height > len(levels):
        # Parts of few points also differ by chance; Kelley's epsilon squared corrects for that.
        share = 1 - (1 - share) * (points.height - 1) / (points.height - len(levels))
    lowest, highest = min(levels, key=lambda at: levels[at]), max(levels, key=lambda at: levels[at])
    return Effect(axis, min(max(share, 0.0), 1.0), levels[lowest], levels[highest], lowest, highest)


def _variance(values: Sequence[float]) -> float:
    middle = fsum(values) / len(values)
    return fsum((value - middle) ** 2 for value in values) / len(values)


def _cut(frame: polars.DataFrame, axis: str, sampled: bool) -> Callable[[Any], Any]:
    """A function that groups an axis' values: in a sample, it maps a number to the middle of its part."""
    values = frame[axis].unique().drop_nulls().sort()
    if not sampled or not values.dtype.is_numeric() or values.len() <= _PARTS:
        return lambda value: value
    every = values.to_list()
    parts = [every[place * len(every) // _PARTS : (place + 1) * len(every) // _PARTS] for place in range(_PARTS)]
    middles = {value: part[len(part) // 2] for part in parts for value in part}
    return lambda value: middles.get(value)
