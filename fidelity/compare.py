"""The bar: how far AirFair's means may be from ns-2's, and on how many points they must be within that."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fidelity.points import Mixed, Point
from fidelity.references import Measurements
from fidelity.sample import Sample

#: Allowed difference of the means as a fraction of ns-2's, where two deviations of its seeds are less.
RELATIVE = {
    "throughput_total": 0.03,
    "throughput_persistent": 0.03,
    "instantaneous_fairness_acked": 0.08,
    "instantaneous_fairness_sent": 0.08,
    "finish_time_acked_mean": 0.08,
    "finish_time_acked_median": 0.08,
    "sessions_unfinished": 0.08,
}
#: Means over the sessions that did finish: they say nothing where many did not.
OF_FINISHED = ("instantaneous_fairness_acked", "instantaneous_fairness_sent", "finish_time_acked_mean")
#: What is compared in their place.
OF_UNFINISHED = ("finish_time_acked_median", "sessions_unfinished")

#: Share of the points that must be within, of each metric, and of each TCP and direction of a metric.
ALL_POINTS = 0.95
EACH_GROUP = 0.90


@dataclass(frozen=True)
class Comparison:
    """One metric at one point."""

    point: Point
    metric: str
    ours: Sample
    theirs: Sample

    @property
    def difference(self) -> float:
        """AirFair's mean less ns-2's."""
        return self.ours.mean - self.theirs.mean

    @property
    def allowed(self) -> float:
        """Two standard deviations of ns-2's seeds, or the metric's fraction of its mean, whichever is wider.

        A few seeds often count the same number of unfinished sessions; such a count varies like any rare
        event, so its standard deviation is taken as no less than Poisson's.
        """
        deviation = self.theirs.deviation
        if self.metric == "sessions_unfinished":
            deviation = max(deviation, math.sqrt(self.theirs.mean))
        return max(2 * deviation, RELATIVE[self.metric] * abs(self.theirs.mean))

    @property
    def within(self) -> bool:
        """Whether the difference is allowed."""
        return abs(self.difference) <= self.allowed


@dataclass(frozen=True)
class Rate:
    """How many comparisons of a group are within, and how many must be."""

    group: str
    within: int
    total: int
    needed: float

    @property
    def holds(self) -> bool:
        """Whether enough are."""
        return self.within >= self.needed * self.total


def compare(ours: Measurements, theirs: Measurements) -> list[Comparison]:
    """Everything that is compared, in the order of `theirs`."""
    return [
        Comparison(point, metric, ours[point].get(metric, Sample((math.nan,))), sample)
        for point, samples in theirs.items()
        for metric, sample in samples.items()
        if metric in compared(point, samples)
    ]


def compared(point: Point, theirs: dict[str, Sample]) -> tuple[str, ...]:
    """The metrics compared at a point; `theirs` says whether ns-2 left sessions unfinished there."""
    if not isinstance(point, Mixed):
        return ("throughput_total",)
    unfinished = theirs["sessions_unfinished"].mean > 0
    return ("throughput_persistent", *(OF_UNFINISHED if unfinished else OF_FINISHED))


def rates(comparisons: Iterable[Comparison]) -> list[Rate]:
    """The share of comparisons within, of each metric, then of each metric, TCP and direction."""
    comparisons = list(comparisons)

    def grouped(key: Callable[[Comparison], str], needed: float) -> list[Rate]:
        groups: dict[str, list[bool]] = {}
        for comparison in comparisons:
            groups.setdefault(key(comparison), []).append(comparison.within)
        return [Rate(group, sum(within), len(within), needed) for group, within in groups.items()]

    return grouped(lambda c: c.metric, ALL_POINTS) + grouped(
        lambda c: f"{c.metric}, {c.point.tcp} {c.point.direction}", EACH_GROUP
    )
