"""The best candidate, and the candidates that are as good.

A candidate counts if the goal and all constraints have a value for every seed, and is feasible if the constraints hold
for their means. The best candidate is the feasible one with the best mean, the first of equals. Another feasible
candidate is as good unless the 95 % interval of its difference from the best, paired by seed, lies on the worse side.
A significant difference may still be small, so the candidates within 5 % of the best are listed as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue.parameters import is_number
from airfair.runs.estimate import Estimate

if TYPE_CHECKING:
    from airfair.optimizer.evaluator import Evaluation
    from airfair.optimizer.problem import Problem

#: Candidates within this share of the best goal are near it, and this in words.
NEAR = 0.05
WITHIN = f"within {100 * NEAR:g} %"


@dataclass(frozen=True)
class Judged:
    """A candidate with its estimates and its rank."""

    evaluation: Evaluation
    #: The goal's mean and interval over the seeds that have a value.
    estimate: Estimate | None
    #: For each constraint, the mean and interval of its metric.
    constraints: tuple[Estimate | None, ...]
    #: Whether each constraint holds.
    satisfied: tuple[bool, ...]
    #: Whether the candidate counts: the goal and all constraints have a value for every seed.
    counts: bool
    #: The candidate's goal minus that of the best one, seed by seed.
    difference: Estimate | None = None
    #: Whether the candidate is as good as the best one.
    as_good: bool = False
    #: Whether the candidate is feasible, and its mean is within `NEAR` of that of the best one.
    near: bool = False

    @property
    def feasible(self) -> bool:
        """Whether the candidate counts and satisfies all constraints."""
        return self.counts and all(self.satisfied)


@dataclass(frozen=True)
class Judgement:
    """All candidates, in order, and the best of them."""

    candidates: tuple[Judged, ...]
    #: The best candidate; `None` if none is feasible.
    best: Judged | None
    #: If no candidate is feasible, the one that violates the constraints least.
    closest: Judged | None

    @property
    def leader(self) -> Judged | None:
        """The candidate to search around."""
        return self.best or self.closest

    def as_good(self, name: str) -> list[Any]:
        """The lowest and the highest value of a parameter among candidates as good as the best.

        If the values are words, all of these words.
        """
        return _range([item.evaluation.at[name] for item in self.candidates if item.as_good])

    def near(self, name: str) -> list[Any]:
        """The range of a parameter over the candidates whose mean is within `NEAR` of the best one's."""
        return _range([item.evaluation.at[name] for item in self.candidates if item.near])


def _range(found: list[Any]) -> list[Any]:
    values = list(dict.fromkeys(found))
    if values and all(is_number(value) for value in values):
        return [min(values), max(values)]
    return values


def judge(problem: Problem, evaluations: Sequence[Evaluation]) -> Judgement:
    """Compare the candidates that were evaluated."""
    ordered = sorted(evaluations, key=lambda evaluation: evaluation.candidate)
    first = [_worth(problem, evaluation) for evaluation in ordered]
    sign = problem.goal.sign
    feasible = [item for item in first if item.feasible]
    if not feasible:
        counting = [item for item in first if item.counts]
        closest = min(counting, key=lambda item: _violation(problem, item), default=None)
        return Judgement(tuple(first), None, closest)
    best = max(feasible, key=lambda item: sign * _mean(item))
    judged = [_compared(problem, item, best) for item in first]
    return Judgement(tuple(judged), judged[first.index(best)], None)


def _worth(problem: Problem, evaluation: Evaluation) -> Judged:
    def estimate(metric: str) -> Estimate | None:
        if evaluation.failed:
            return None
        return Estimate.of([value for _, value in sorted(evaluation.metrics[metric].items())])

    estimates = tuple(estimate(constraint.metric) for constraint in problem.constraints)
    satisfied = tuple(
        found is not None and constraint.violation(found.mean) == 0.0
        for constraint, found in zip(problem.constraints, estimates, strict=True)
    )
    counts = not evaluation.failed and all(
        len(evaluation.metrics[metric]) == len(problem.seeds) for metric in problem.metrics
    )
    return Judged(evaluation, estimate(problem.goal.metric), estimates, satisfied, counts)


def _compared(problem: Problem, item: Judged, best: Judged) -> Judged:
    if not item.counts:
        return item
    metric, seeds = problem.goal.metric, problem.seeds
    mine, its = ([one.evaluation.metrics[metric][seed] for seed in seeds] for one in (item, best))
    mean, low, high = _engine.paired_difference(mine, its)
    ci95 = None if low is None or high is None else (low, high)
    reaches = high if problem.goal.maximize else low
    as_good = item.feasible and reaches is not None and problem.goal.sign * reaches >= 0.0
    near = item.feasible and -problem.goal.sign * mean <= NEAR * abs(_mean(best))
    return replace(item, difference=Estimate(mean, ci95, len(mine)), as_good=as_good, near=near)


def _mean(item: Judged) -> float:
    assert item.estimate is not None  # candidates that count have an estimate
    return item.estimate.mean


def _violation(problem: Problem, item: Judged) -> float:
    pairs = zip(problem.constraints, item.constraints, strict=True)
    return sum(constraint.violation(found.mean) for constraint, found in pairs if found)
