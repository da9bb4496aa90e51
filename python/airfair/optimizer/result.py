"""The result of an optimisation: as a Python object, a JSON document and a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair._engine import Table
from airfair.catalogue import left_out, notebook
from airfair.catalogue.left_out import flag
from airfair.catalogue.parameters import equations, is_number
from airfair.catalogue.units import quantity
from airfair.command import HEAD
from airfair.figures.saved import suffix
from airfair.optimizer import words
from airfair.runs.estimate import as_json, told
from airfair.runs.result import Metric
from airfair.store.files import write_bytes

if TYPE_CHECKING:
    from airfair.figures.drawing import Drawing
    from airfair.optimizer.judgement import Judged, Judgement
    from airfair.optimizer.problem import Problem
    from airfair.runs.estimate import Estimate


class Optimum:
    """The result of an optimisation: the best candidate, and all others."""

    def __init__(self, problem: Problem, judgement: Judgement, method: str, warnings: Sequence[str]) -> None:
        """Make the result of a search from its judgement and the warnings on its candidates."""
        self._problem = problem
        self._judgement = judgement
        #: How candidates were chosen: `grid` (all of them), `coarse-to-fine` or `tpe`.
        self.method = method
        #: The warnings on the candidates' scenarios.
        self.warnings = list(warnings)

    @property
    def best(self) -> dict[str, Any] | None:
        """The best values by name: numbers in SI, or words. `None` if no candidate satisfies the constraints."""
        best = self._judgement.best
        return dict(best.evaluation.at) if best else None

    @property
    def metric(self) -> Metric:
        """The goal at the best values, with its confidence interval."""
        goal, best = self._problem.goal, self._judgement.best
        if best is None or best.estimate is None:
            return Metric(goal.metric, None, goal.unit, None, 0, self.infeasible)
        mean, ci95, n = best.estimate
        unfinished, sessions = best.evaluation.left_out.get(goal.metric, (0, 0))
        return Metric(goal.metric, mean, goal.unit, ci95, n, sessions=sessions, left_out=unfinished)

    @property
    def as_good_as_best(self) -> dict[str, list[Any]]:
        """For each parameter the lowest and the highest value among candidates as good as the best; of words, all."""
        return self._ranges(self._judgement.as_good)

    @property
    def within_5_percent(self) -> dict[str, list[Any]]:
        """Like `as_good_as_best`, for candidates whose mean is within 5 % of the best, significantly worse or not."""
        return self._ranges(self._judgement.near)

    def _ranges(self, of: Callable[[str], list[Any]]) -> dict[str, list[Any]]:
        return {dimension.name: of(dimension.name) for dimension in self._problem.dimensions} if self.best else {}

    @property
    def infeasible(self) -> str:
        """The reason why no candidate is best: the constraints, and the candidate closest to them; else empty."""
        if self._judgement.best:
            return ""
        closest = self._judgement.closest
        if closest is None:
            reason = next((item.evaluation.reason for item in self._judgement.candidates), "")
            return f"no candidate counts: {reason}"
        wanted = " and ".join(words.constraints(self._problem))
        reached = ", ".join(
            f"{constraint.metric} {told(found, constraint.unit)}{words.unfinished(closest, constraint.metric)}"
            for constraint, found, satisfied in zip(
                self._problem.constraints, closest.constraints, closest.satisfied, strict=True
            )
            if not satisfied
        )
        where = equations(self._problem.values(closest.evaluation.candidate))
        return f"no candidate satisfies {wanted}; the closest is {where}, with {reached}"

    @property
    def evaluations(self) -> Table:
        """One row for each candidate, in order: its values, its metrics, its difference from the best."""
        import polars

        frame = polars.DataFrame(columns(self._problem, self._judgement), strict=False)
        # Polars exports a column without values in a form that the engine's Arrow cannot read.
        return Table(frame.cast({polars.Null: polars.Float64}))

    @property
    def document(self) -> dict[str, Any]:
        """The document that `airfair optimize --json` prints, as a dictionary (SI units)."""
        problem, judgement = self._problem, self._judgement
        best, leader = judgement.best, judgement.leader
        shown = leader or judgement.candidates[0]
        parameters = problem.parameters(shown.evaluation.candidate)
        document: dict[str, Any] = {
            **HEAD,
            "scenario": problem.name,
            "warnings": self.warnings,
            "parameters": {
                name: value for name, value in parameters.items() if name not in {d.name for d in problem.dimensions}
            },
            "seeds": list(problem.seeds),
            "method": self.method,
            "metric": problem.goal.metric,
            "goal": "maximize" if problem.goal.maximize else "minimize",
            "unit": problem.goal.unit,
            "best": self.best,
            **as_json(best.estimate if best else None),
            **(_left_out(best, problem.goal.metric) if best else {}),
            "as_good_as_best": self.as_good_as_best,
            "within_5_percent": self.within_5_percent,
            "constraints": [
                {
                    "metric": constraint.metric,
                    "relation": constraint.relation,
                    "bound": constraint.bound,
                    "unit": constraint.unit,
                    **as_json(best.constraints[place] if best else None),
                    **(_left_out(best, constraint.metric) if best else {}),
                }
                for place, constraint in enumerate(problem.constraints)
            ],
            "evaluations": [_evaluation(problem, item) for item in judgement.candidates],
        }
        return document if best else document | {"reason": self.infeasible}

    @cached_property
    def figure(self) -> Drawing | None:
        """The figure of the goal over the parameters; `None` if no candidate has a value."""
        from airfair.optimizer.chart import draw

        return draw(self._problem, self._judgement)

    @property
    def html(self) -> str:
        """A self-contained page: the figure, the best values, and all candidates."""
        from airfair.optimizer.page import render

        return render(
            *(self._problem, self._judgement, self.figure),
            method=self.method,
            infeasible=self.infeasible,
            warnings=self.warnings,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page (.html) or the figure (.png, .svg or .pdf) to a file.

        Raises:
            InputError: The path has another suffix, or no candidate has a value to draw.
        """
        kind = suffix(path)
        figure = self.figure if kind != "html" else None
        if kind != "html" and figure is None:
            raise _engine.InputError(f"{path}: no candidate has a value to draw")
        drawn: str | bytes = getattr(figure, kind) if figure else self.html
        write_bytes(Path(path), drawn if isinstance(drawn, bytes) else drawn.encode())

    def _repr_html_(self) -> str:
        problem, judgement = self._problem, self._judgement
        told = words.reached(problem, judgement) or [self.infeasible]
        rows = words.summary(problem, judgement)
        parts = [notebook.paragraph(problem.name, *told), notebook.table(words.SUMMARY, rows) if rows else ""]
        figure = self.figure
        return "".join([*parts, figure.svg if figure else ""])

    def __repr__(self) -> str:
        metric = self.metric
        if self.best is None or metric.value is None:
            return f"<airfair.Optimum {self._problem.name}: {self.infeasible}>"
        values = equations(self.best.items())
        value = quantity(metric.value, metric.unit) + flag(metric.left_out)
        return f"<airfair.Optimum {self._problem.name}: {values}, {metric.name} {value}>"


def columns(problem: Problem, judgement: Judgement) -> dict[str, list[Any]]:
    """The table of evaluations by columns."""
    items = judgement.candidates
    table: dict[str, list[Any]] = {
        dimension.name: _alike([item.evaluation.at[dimension.name] for item in items])
        for dimension in problem.dimensions
    }
    goal = problem.goal.metric
    for place, constraint in enumerate(problem.constraints):
        table[constraint.metric] = [_mean(item.constraints[place]) for item in items]
    for name, estimates in ((goal, [i.estimate for i in items]), ("difference", [i.difference for i in items])):
        table[name] = [_mean(estimate) for estimate in estimates]
        for end, which in enumerate(("low", "high")):
            table[f"{name}_{which}"] = [e.ci95[end] if e and e.ci95 else None for e in estimates]
    for metric in problem.metrics:
        if any(metric in item.evaluation.left_out for item in items):
            table[f"{metric}_left_out"] = [item.evaluation.left_out.get(metric, (None,))[0] for item in items]
    table["feasible"] = [item.feasible for item in items]
    table["as_good"] = [item.as_good for item in items]
    table["reason"] = [item.evaluation.reason or None for item in items]
    return table


def _left_out(item: Judged, metric: str) -> dict[str, int]:
    return left_out.as_json(item.evaluation.left_out.get(metric))


def _evaluation(problem: Problem, item: Judged) -> dict[str, Any]:
    document: dict[str, Any] = {
        "at": dict(item.evaluation.at),
        **as_json(item.estimate),
        **_left_out(item, problem.goal.metric),
        "constraints": [
            {**as_json(found), **_left_out(item, asked.metric), "satisfied": satisfied}
            for asked, found, satisfied in zip(problem.constraints, item.constraints, item.satisfied, strict=True)
        ],
        "difference": as_json(item.difference) if item.difference else None,
        "feasible": item.feasible,
        "as_good": item.as_good,
    }
    return document | ({"reason": item.evaluation.reason} if item.evaluation.reason else {})


def _mean(estimate: Estimate | None) -> float | None:
    return estimate.mean if estimate else None


def _alike(values: list[Any]) -> list[Any]:
    """Convert values to one type: to words if some are words, else to numbers."""
    if all(value is None or is_number(value) for value in values):
        whole = all(value is None or float(value).is_integer() for value in values)
        return values if whole else [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]
