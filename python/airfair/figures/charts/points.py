"""The numbers behind a figure, in SI units. The engine computes means and their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars

from airfair.catalogue import left_out
from airfair.catalogue.left_out import told
from airfair.figures.charts.choice import Choice
from airfair.figures.charts.kinds import CDF
from airfair.runs.estimate import Estimate, as_json

#: Maximum number of steps of a distribution: more could not be seen.
_STEPS = 400


@dataclass(frozen=True)
class Point:
    """A mean over seeds at one point of the sweep."""

    metric: str
    #: The point's values by axis.
    at: Mapping[str, Any]
    #: The mean and its interval; `None` if no seed has a value.
    estimate: Estimate | None
    #: Of a mean over sessions: how many it leaves out as unfinished, of how many.
    left_out: tuple[int, int] | None = None

    @property
    def drawn(self) -> Sequence[float]:
        """The values that have a place in the figure."""
        return (self.estimate.mean,) if self.estimate else ()

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {**self.at, "metric": self.metric, **as_json(self.estimate, "mean"), **left_out.as_json(self.left_out)}

    @property
    def unfinished(self) -> list[str]:
        """The note on the sessions that the mean leaves out; empty without any."""
        note = told(*(self.left_out or (0, 0)))
        return [note] if note else []

    @property
    def flagged(self) -> bool:
        """Whether the mean leaves sessions out."""
        return bool(self.unfinished)


@dataclass(frozen=True)
class Spread:
    """The spread of values: quartiles, and the 5th and 95th percentile."""

    metric: str
    at: Mapping[str, Any]
    low: float
    quartile: float
    median: float
    upper_quartile: float
    high: float
    #: All values, if there are at most `_FEW`; else empty.
    values: tuple[float, ...]
    n: int

    @property
    def drawn(self) -> Sequence[float]:
        """The values that have a place in the figure."""
        return (self.low,)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        names = {"p5": self.low, "p25": self.quartile, "median": self.median, "p75": self.upper_quartile}
        return {**self.at, "metric": self.metric, **names, "p95": self.high, "n": self.n}


@dataclass(frozen=True)
class Distribution:
    """A cumulative distribution."""

    metric: str
    at: Mapping[str, Any]
    #: Values in ascending order, each with the share of all values up to it.
    steps: tuple[tuple[float, float], ...]
    n: int
    #: Number of missing values. They count as larger than all others, or as smaller: see `counts_below`.
    missing: int

    @property
    def drawn(self) -> Sequence[float]:
        """The values that have a place in the figure."""
        return [value for value, _ in self.steps]

    def document(self) -> dict[str, Any]:
        """As JSON."""
        steps = {"values": [value for value, _ in self.steps], "shares": [share for _, share in self.steps]}
        return {**self.at, "metric": self.metric, **steps, "n": self.n, "missing": self.missing}


Numbers = Sequence[Point] | Sequence[Spread] | Sequence[Distribution]

#: Column names that no axis has: their names have no spaces.
_LEFT_OUT, _EVERY = "sessions left out", "all sessions"
#: A box with at most this many values shows each of them.
_FEW = 12


def points(choice: Choice) -> list[Point]:
    """Means over the seeds, one for each point of the sweep. The sessions of a run count as one value: their mean."""
    axes = keys(choice)
    found = []
    for metric in choice.y:
        frame = choice.data.frame.select(*axes, "seed", polars.col(metric).cast(polars.Float64)).sort(*axes, "seed")
        if choice.data.of_sessions:
            frame = frame.group_by(*axes, "seed", maintain_order=True).agg(polars.col(metric).mean())
        counts = _left_out(choice, metric)
        for at, values in _grouped(frame, axes, metric):
            estimate = Estimate.of([value for value in values if value is not None])
            found.append(Point(metric, at, estimate, counts.get(tuple(at.values()))))
    return found


def _left_out(choice: Choice, metric: str) -> dict[tuple[Any, ...], tuple[int, int]]:
    """For each point whose mean of `metric` is one over sessions: how many it leaves out, of how many."""
    data, axes = choice.data, keys(choice)
    if data.of_sessions:
        sums: tuple[polars.Expr, polars.Expr] | None = polars.col(metric).null_count(), polars.len()
    else:
        sums = left_out.sums(metric, data.frame.columns)
    if sums is None:
        return {}
    left, every = sums[0].alias(_LEFT_OUT), sums[1].alias(_EVERY)
    frame = data.frame.group_by(axes).agg(left, every) if axes else data.frame.select(left, every)
    return {tuple(row[name] for name in axes): (row[_LEFT_OUT], row[_EVERY]) for row in frame.iter_rows(named=True)}


def spreads(choice: Choice) -> list[Spread]:
    """Quartiles over the seeds, or over the sessions of all seeds."""
    return [_spread(metric, at, polars.Series(values)) for metric, at, values, _ in _sorted(choice)]


def _spread(metric: str, at: Mapping[str, Any], values: polars.Series) -> Spread:
    quantiles = (values.quantile(share, "linear") for share in (0.05, 0.25, 0.5, 0.75, 0.95))
    low, quartile, median, upper, high = (float(value or 0.0) for value in quantiles)
    few = tuple(values.to_list()) if values.len() <= _FEW else ()
    return Spread(metric, at, low, quartile, median, upper, high, few, values.len())


def distributions(choice: Choice) -> list[Distribution]:
    """Cumulative distributions over the seeds, or over the sessions of all seeds."""
    found = []
    for metric, at, values, undefined in _sorted(choice):
        missing = undefined if choice.data.of_sessions else 0
        found.append(Distribution(metric, at, _steps(metric, values, missing), len(values), missing))
    return found


def counts_below(metric: str) -> bool:
    """Whether unfinished sessions count as smaller than all values of a metric.

    They took longer than all others, so their fairness is lower.
    """
    return metric.startswith("instantaneous_fairness")


def _steps(metric: str, values: list[float], missing: int) -> tuple[tuple[float, float], ...]:
    total = len(values) + missing
    before = missing if counts_below(metric) else 0
    places = list(range(1, len(values) + 1))
    if len(values) > _STEPS:
        places = [round(1 + step * (len(values) - 1) / (_STEPS - 1)) for step in range(_STEPS)]
    return tuple((values[place - 1], (before + place) / total) for place in places)


def _sorted(choice: Choice) -> Iterator[tuple[str, dict[str, Any], list[float], int]]:
    """Each metric at each shown position: its sorted values, and the number of missing ones."""
    axes = choice.shown
    for metric in choice.y:
        frame = choice.data.frame.select(*axes, polars.col(metric).cast(polars.Float64)).sort(*axes, metric)
        for at, every in _grouped(frame, axes, metric):
            if values := [value for value in every if value is not None]:
                yield metric, at, values, len(every) - len(values)


def keys(choice: Choice) -> list[str]:
    """The names of all axes: first those shown, then the others in their order."""
    rest = [name for name in choice.data.axes if name not in choice.shown]
    return [*choice.shown, *rest]


def _grouped(frame: polars.DataFrame, axes: list[str], metric: str) -> list[tuple[dict[str, Any], list[float | None]]]:
    if not axes:
        return [({}, frame[metric].to_list())]
    groups = frame.group_by(axes, maintain_order=True).agg(polars.col(metric))
    return [({name: row[name] for name in axes}, row[metric]) for row in groups.iter_rows(named=True)]


def numbers(choice: Choice) -> Numbers:
    """The numbers of a figure: points, spreads or distributions, as its kind needs."""
    if choice.kind == CDF:
        return distributions(choice)
    return spreads(choice) if choice.kind == "box" else points(choice)
