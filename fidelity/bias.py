"""Bias: a difference that many points share, which the bar for each point cannot see.

Each metric has two tests, over all points and over the points of each group. The *sign test* asks whether too many
points are higher in AirFair, or too many lower. *Mean z* asks whether the differences, each in standard errors of both
sides' seeds, average to zero. Both p-values are two-sided and corrected by Holm (1979) for all tests of the set.

Points share draws: seed 1 loses the same packets at every rate of a link. So points are not independent; seeds are.
Each seed's sum over all points shows how much further such sums vary than sums of independent points would: the design
effect of survey sampling (Kish 1965). The variance of the sum of all z grows by it, and the number of points in the
sign test shrinks by it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean

from fidelity.compare import Comparison, compare
from fidelity.points import Measurements, P, PointSet
from fidelity.sample import Sample

#: A test finds a bias if its corrected p-value is below this.
SIGNIFICANT = 0.01


@dataclass(frozen=True)
class Bias:
    """The results of both tests for one metric, over all points or one group; p-values are corrected."""

    metric: str
    #: The group of points; empty: all points.
    group: str
    points: int
    higher: int
    lower: int
    #: Mean of AirFair's differences from the other simulator, as fractions of its means; in the metric's unit if it has
    #: an absolute tolerance.
    difference: float
    #: Mean z over the points whose seeds vary; NaN if there are none.
    mean_z: float
    design_effect: float
    sign_p: float
    mean_p: float

    @property
    def found(self) -> bool:
        """Whether either test finds a bias."""
        return min(self.sign_p, self.mean_p) < SIGNIFICANT


def biases(point_set: PointSet[P], ours: Measurements[P], theirs: Measurements[P]) -> list[Bias]:
    """Run all tests of a set. Deterministic points, which are compared one to one, are left out."""
    varying = {point: samples for point, samples in theirs.items() if not point_set.deterministic(point)}
    groups: dict[tuple[str, str], list[Comparison]] = {}
    for one in compare(point_set, ours, varying):
        for group in ("", one.point.group):
            groups.setdefault((one.name, group), []).append(one)
    tested = [_tested(metric, group, members) for (metric, group), members in sorted(groups.items())]
    corrected = holm([p for bias in tested for p in (bias.sign_p, bias.mean_p)])
    return [
        Bias(**{**vars(bias), "sign_p": corrected[2 * i], "mean_p": corrected[2 * i + 1]})
        for i, bias in enumerate(tested)
    ]


def _tested(metric: str, group: str, comparisons: Sequence[Comparison]) -> Bias:
    """Run both tests on these comparisons; the p-values are not corrected."""
    higher = sum(one.difference > 0 for one in comparisons)
    lower = sum(one.difference < 0 for one in comparisons)
    varying = [(one, error) for one in comparisons if (error := standard_error(one)) > 0]
    effect, freedom = design_effect(varying)
    scores = [normal_score(one.difference / error, _freedom(one)) for one, error in varying]
    mean_z = fmean(scores) if scores else math.nan
    total = mean_z * math.sqrt(len(scores) / effect) if scores else 0.0
    return Bias(
        metric,
        group,
        len(comparisons),
        higher,
        lower,
        fmean(_relative(one) for one in comparisons),
        mean_z,
        effect,
        sign_test(higher, lower, effect),
        two_sided(normal_score(total, freedom)),
    )


def _relative(one: Comparison) -> float:
    if one.metric.absolute or not one.theirs.mean:
        return one.difference
    return one.difference / one.theirs.mean


def standard_error(one: Comparison) -> float:
    """Standard error of the difference of the means; 0 if neither side's seeds vary or a side has a single seed.

    The variance of a count of rare events is taken as at least Poisson's, even if the few seeds all count the same.
    """
    samples = (one.ours, one.theirs)
    if min(len(sample) for sample in samples) < 2:
        return 0.0
    events = sum(sum(sample.values) for sample in samples) / sum(len(sample) for sample in samples)
    floor = events if one.metric.rare else 0.0
    return math.sqrt(sum(max(sample.deviation**2, floor) / len(sample) for sample in samples))


def _freedom(one: Comparison) -> float:
    """Welch's degrees of freedom of a comparison. A side that does not vary adds none."""
    return _welch([(sample.deviation**2 / len(sample), len(sample)) for sample in (one.ours, one.theirs)])


def _welch(variances: Sequence[tuple[float, int]]) -> float:
    """Degrees of freedom of a sum of estimates, each with its variance and its number of seeds (Welch 1947)."""
    total = sum(variance for variance, _ in variances)
    if not total:
        return math.inf
    return total**2 / sum(variance**2 / (n - 1) for variance, n in variances)


def design_effect(varying: Sequence[tuple[Comparison, float]]) -> tuple[float, float]:
    """The design effect, and its degrees of freedom.

    The effect is the variance of the sum of all z, over its variance if points were independent; at least 1.
    """
    if not varying:
        return 1.0, math.inf
    sides = [[(one.ours, error) for one, error in varying], [(one.theirs, error) for one, error in varying]]
    variances = [(_variance_of_sum(side), min(len(sample) for sample, _ in side)) for side in sides]
    return max(1.0, sum(variance for variance, _ in variances) / len(varying)), _welch(variances)


def _variance_of_sum(side: Sequence[tuple[Sample, float]]) -> float:
    """Variance of one side's part of the sum of all z. The contribution of a seed to all points is one draw."""
    deviations = [
        [(value - sample.mean) / error / math.sqrt(len(sample) * (len(sample) - 1)) for value in sample.values]
        for sample, error in side
    ]
    return sum(sum(seed) ** 2 for seed in zip_longest(*deviations, fillvalue=0.0))


def sign_test(higher: int, lower: int, effect: float = 1.0) -> float:
    """Two-sided p-value of these numbers of higher and lower points, after dividing both by the design effect."""
    points = math.floor((higher + lower) / effect)
    fewer = min(points, math.ceil(min(higher, lower) / effect))
    tail = sum(math.comb(points, i) for i in range(fewer + 1))
    return min(1.0, math.ldexp(tail, 1 - points))


def normal_score(t: float, freedom: float) -> float:
    """The normal deviate as improbable as Student's t (Wallace 1959; within 0.02 for 3 or more degrees of freedom)."""
    if math.isinf(freedom):
        return t
    scale = (8 * freedom + 1) / (8 * freedom + 3)
    return math.copysign(scale * math.sqrt(freedom * math.log1p(t**2 / freedom)), t)


def two_sided(z: float) -> float:
    """The probability of a normal deviate at least as far from 0 as `z`."""
    return math.erfc(abs(z) / math.sqrt(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for the number of tests (Holm 1979)."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected
