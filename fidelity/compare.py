"""The bar: how far AirFair's means may be from another simulator's, and at how many points they must be that close."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fidelity.points import Measurements, Metric, P, Point, PointSet
from fidelity.sample import Sample


@dataclass(frozen=True)
class Comparison:
    """The comparison of one metric at one point."""

    point: Point
    name: str
    metric: Metric
    ours: Sample
    theirs: Sample

    @property
    def difference(self) -> float:
        """AirFair's mean less the other simulator's."""
        return self.ours.mean - self.theirs.mean

    @property
    def allowed(self) -> float:
        """The allowed difference: the largest of what the metric's `deviations`, `relative` and `absolute` allow."""
        deviation = self.theirs.deviation
        if self.metric.rare:
            deviation = max(deviation, math.sqrt(self.theirs.mean))
        return max(
            self.metric.deviations * deviation, self.metric.relative * abs(self.theirs.mean), self.metric.absolute
        )

    @property
    def within(self) -> bool:
        """Whether the difference is allowed."""
        return abs(self.difference) <= self.allowed


@dataclass(frozen=True)
class Rate:
    """How many comparisons of a group are within the bar, and the share that must be."""

    group: str
    within: int
    total: int
    needed: float

    @property
    def holds(self) -> bool:
        """Whether enough comparisons are within the bar."""
        return self.within >= self.needed * self.total


def compare(point_set: PointSet[P], ours: Measurements[P], theirs: Measurements[P]) -> list[Comparison]:
    """All comparisons of a set, in the order of the points in `theirs`."""

    def own(point: P, name: str) -> Sample:
        found = ours[point].get(name, Sample((math.nan,)))
        # Keep the seeds that were recorded, so that both sides have the same losses and starts.
        return found.of_seeds_in(theirs[point][name]) if point_set.paired else found

    return [
        Comparison(point, name, point_set.metrics[name], own(point, name), samples[name])
        for point, samples in theirs.items()
        for name in point_set.compared(point, samples)
    ]


def rates(point_set: PointSet[P], comparisons: Sequence[Comparison]) -> list[Rate]:
    """The pass rate of each metric, then of each group of points for each metric."""

    def grouped(key: Callable[[Comparison], str], needed: float) -> list[Rate]:
        groups: dict[str, list[bool]] = {}
        for comparison in comparisons:
            groups.setdefault(key(comparison), []).append(comparison.within)
        return [Rate(group, sum(within), len(within), needed) for group, within in groups.items()]

    by_metric = grouped(lambda one: one.name, point_set.all_points)
    return by_metric + grouped(lambda one: f"{one.name}, {one.point.group}", point_set.each_group)


def missed(found: Iterable[Rate]) -> list[str]:
    """The groups of which too few comparisons are within the bar."""
    return [rate.group for rate in found if not rate.holds]
