"""What a search has found, in words: for the terminal, for pages and for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airfair.catalogue import left_out
from airfair.catalogue.parameters import equations, is_number, shown
from airfair.catalogue.units import number, plus_minus, quantity, scale_for
from airfair.optimizer.judgement import WITHIN
from airfair.runs.estimate import told

if TYPE_CHECKING:
    from airfair.optimizer.judgement import Judged, Judgement
    from airfair.optimizer.problem import Problem
    from airfair.runs.estimate import Estimate

#: Maximum number of reasons listed one by one.
_REASONS = 5
#: The columns of `summary`.
SUMMARY = ("Parameter", "Best", "As good as the best", f"{WITHIN.capitalize()} of it")


def tried(problem: Problem, judgement: Judgement, method: str) -> str:
    """The seeds and the number of candidates: `seeds 1 to 10, 19 of 19 candidates (grid)`."""
    seeds = f"seeds {problem.seeds[0]} to {problem.seeds[-1]}"
    return f"{seeds}, {len(judgement.candidates)} of {problem.size} candidates ({method})"


def constraints(problem: Problem) -> list[str]:
    """The constraints as text: `throughput_total >= 5 Mb/s`."""
    return [str(one) for one in problem.constraints]


def reached(problem: Problem, judgement: Judgement) -> list[str]:
    """Lines with the goal and the constraints' metrics at the best candidate; empty if there is none."""
    best = judgement.best
    if best is None:
        return []
    verb = "Largest" if problem.goal.maximize else "Smallest"
    goal = problem.goal
    lines = [f"{verb} {goal.metric}: {told(best.estimate, goal.unit)}{unfinished(best, goal.metric)}"]
    for asked, one, found in zip(constraints(problem), problem.constraints, best.constraints, strict=True):
        lines.append(f"with {asked}: {told(found, one.unit)}{unfinished(best, one.metric)}")
    return lines


def unfinished(item: Judged, metric: str) -> str:
    """The note on the sessions that the mean of a metric leaves out, for behind it; empty without any."""
    note = left_out.told(*item.evaluation.left_out.get(metric, (0, 0)))
    return f" ({note})" if note else ""


def _flag(item: Judged, metric: str) -> str:
    return left_out.flag(item.evaluation.left_out.get(metric, (0, 0))[0])


def summary(problem: Problem, judgement: Judgement) -> list[tuple[str, str, str, str]]:
    """For each parameter its name, best value, and values as good and near; empty if no candidate is best."""
    best = judgement.best
    if best is None:
        return []
    return [
        (
            dimension.name,
            shown(best.evaluation.at[dimension.name], dimension.unit),
            _range(judgement.as_good(dimension.name), dimension.unit),
            _range(judgement.near(dimension.name), dimension.unit),
        )
        for dimension in problem.dimensions
    ]


def heads(problem: Problem) -> list[str]:
    """The heads of the columns of `row`: the parameters, the goal, the constraints' other metrics, a remark."""
    return [*(dimension.name for dimension in problem.dimensions), problem.goal.metric, *_bounds(problem), ""]


def row(problem: Problem, judgement: Judgement, item: Judged) -> list[str]:
    """The row of a candidate: its values, the goal with half its interval, the constraints' metrics, a remark."""
    at = item.evaluation.at
    found = {c.metric: (estimate, c.unit) for c, estimate in zip(problem.constraints, item.constraints, strict=True)}
    return [
        *(shown(at[dimension.name], dimension.unit) for dimension in problem.dimensions),
        brief(item.estimate, problem.goal.unit) + _flag(item, problem.goal.metric),
        *(_mean(*found[metric]) + _flag(item, metric) for metric in _bounds(problem)),
        _remark(problem, judgement, item),
    ]


def _bounds(problem: Problem) -> list[str]:
    metrics = dict.fromkeys(constraint.metric for constraint in problem.constraints)
    return [metric for metric in metrics if metric != problem.goal.metric]


def brief(estimate: Estimate | None, unit: str) -> str:
    """A value and half the width of its interval, for narrow columns: `5.2 ± 0.1 Mb/s`."""
    if estimate is None or estimate.ci95 is None:
        return told(estimate, unit)
    scale = scale_for(estimate.mean, unit)
    half = (estimate.ci95[1] - estimate.ci95[0]) / 2
    return f"{plus_minus(estimate.mean / scale.factor, half / scale.factor)} {scale.symbol}".rstrip()


def _remark(problem: Problem, judgement: Judgement, item: Judged) -> str:
    if item is judgement.best:
        return "best"
    if not item.counts:
        return "skipped"
    broken = [c.metric for c, fine in zip(problem.constraints, item.satisfied, strict=True) if not fine]
    if broken:
        return "violates" if len(problem.constraints) == 1 else "violates " + ", ".join(dict.fromkeys(broken))
    return "as good" if item.as_good else WITHIN if item.near else ""


def skipped(problem: Problem, judgement: Judgement) -> list[str]:
    """The reasons why candidates do not count, each once, with the first candidate that it concerns."""
    reasons: dict[str, list[Judged]] = {}
    for item in judgement.candidates:
        if not item.counts:
            reasons.setdefault(item.evaluation.reason, []).append(item)
    lines = []
    for reason, items in list(reasons.items())[:_REASONS]:
        first = equations(problem.values(items[0].evaluation.candidate))
        lines.append(f"skipped: {first}{f' and {len(items) - 1} more' if len(items) > 1 else ''}: {reason}")
    return lines


def holes(problem: Problem, judgement: Judgement) -> str:
    """Values inside the range as good as the best that are worse or infeasible.

    Empty unless there is a best candidate, and one parameter, which is numeric.
    """
    dimension = problem.dimensions[0]
    ends = judgement.as_good(dimension.name)
    if judgement.best is None or len(problem.dimensions) > 1 or not _is_range(ends):
        return ""
    others = [item.evaluation.at[dimension.name] for item in judgement.candidates if not item.as_good]
    inside = [value for value in others if is_number(value) and ends[0] < value < ends[1]]
    return ", ".join(shown(value, dimension.unit) for value in inside)


def _is_range(values: list[Any]) -> bool:
    return len(values) == 2 and all(is_number(value) for value in values)


def _range(values: list[Any], unit: str | None) -> str:
    if _is_range(values):
        low, high = values
        if low == high:
            return shown(low, unit)
        scales = [scale_for(end, unit or "") for end in values]
        start = number(low / scales[1].factor) if scales[0] == scales[1] else shown(low, unit)
        return f"{start} to {shown(high, unit)}"
    return ", ".join(shown(value, unit) for value in values)


def _mean(estimate: Estimate | None, unit: str) -> str:
    return "none" if estimate is None else quantity(estimate.mean, unit)
