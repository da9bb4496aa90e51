"""The tests that claims are made of: statistics of a study's points, by seed.

The statistic is built from three choices that a test's `test` names together:

==========  =====================================  ==========================================================
`test`      of the two sides                       at each point, or along the axis `along`
==========  =====================================  ==========================================================
`within`    `left` alone                           its value, or its ratio to what the paper
                                                   prints or a closed form predicts, within the bounds
`greater`   `left - right`                         above 0
`ratio`     `left / right`                         between `low` and `high`
`product`   `left * right`                         between `low` and `high`
`monotone`  `left` (or `combine`d with `right`)    every step along the axis has the `direction`'s sign
`trend`     as for `monotone`                      change of the least-squares line over the axis, as a share
                                                   of the mean (of a difference: as it is), between the bounds
`steady`    as for `monotone`                      largest over smallest value along the axis, at most `high`
==========  =====================================  ==========================================================

`left` and `right` give values of axes (`metric` counts as one); `right` may be a list, each of which is compared, or
`{mean_of = [...]}`. The test runs at each point of the axes that neither they nor `where` pin.
With `mean_over` each value is the mean over that axis, seed by seed; with `best_over = {axis, metric}` it is the one at
the axis' best value (`study.Best`), on either side. A test with `given = true` asks for what the claim presupposes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from airfair.catalogue.left_out import total
from airfair.catalogue.units import quantity
from airfair.runs.estimate import Estimate
from airfair.studies import formula
from airfair.studies.evidence import Evidence, verdict
from airfair.studies.file import best
from airfair.studies.measurements import Measurements, Row, best_over, mean_over
from airfair.studies.study import Experiment, Filter, Study

#: The values of a statistic by seed.
BySeed = dict[int, float]
Where = Mapping[str, str]

#: The reason why a test has no evidence if its points were not run.
NOT_RUN = "its points were not run"

_COMBINE: dict[str, Callable[[float, float], float]] = {
    "difference": lambda left, right: left - right,
    "ratio": lambda left, right: left / right,
    "product": lambda left, right: left * right,
}
_POINTWISE: dict[str, str | None] = {
    "within": None,
    "greater": "difference",
    "ratio": "ratio",
    "product": "product",
}


class ClaimTest:
    """One test of a claim, in one variant or set-up."""

    def __init__(
        self,
        test: Mapping[str, Any],
        experiment: Experiment,
        pinned: Where,
        study: Study,
        measured: Measurements,
        *,
        taken: Filter | None = None,
        setup: str = "",
    ) -> None:
        """`pinned` fixes axes; `taken` narrows the other axes; `setup` selects the runs of a set-up."""
        self.test = test
        self.kind: str = test["test"]
        self.experiment = experiment
        self.study = study
        self.measured = measured
        self.pinned = pinned
        self.taken: Filter = taken or {}
        self.setup = setup
        self.mean_over: str | None = test.get("mean_over")
        self.best_over = best(test)
        self.left: dict[str, Any] = test.get("left", {})
        self.rights: list[dict[str, Any] | None] = [*_rights(test)] or [None]
        self.combine: str | None = _POINTWISE.get(self.kind, test.get("combine"))
        #: Reasons why points that the test selects have no evidence.
        self.skipped: list[str] = []
        #: By point and metric that the present statistic has used: `Row.left_out`, where that is not `None`.
        self._left_out: dict[tuple[frozenset[tuple[str, str]], str], tuple[int, int]] = {}

    def evidence(self) -> Iterator[Evidence]:
        """Yield the evidence of the test at every point, or along its axis."""
        along: str | None = self.test.get("along")
        compared = axes_compared(self.test)
        passed = (along, self.mean_over, self.best_over.axis if self.best_over else None)
        free = [
            axis
            for axis in self.experiment.axis_names
            if axis not in compared and axis not in self.pinned and axis not in passed
        ]
        for values in itertools.product(*(self._values(axis) for axis in free)):
            at = dict(zip(free, values, strict=True))
            for right in self.rights:
                if along is None:
                    yield from self._at_point(at, right)
                else:
                    yield from self._along(along, at, right)

    def _values(self, axis: str) -> list[str]:
        """The values of an axis that were run and that the test selects."""
        wanted: list[Filter] = [self.test.get("where", {}), self.taken]
        return [value for value in self.experiment.axis(axis) if all(_allows(where, axis, value) for where in wanted)]

    def _at_point(self, at: Where, right: dict[str, Any] | None) -> Iterator[Evidence]:
        self._left_out = {}
        values = self._combined(at, right)
        if values is None:
            self._skip(at)
            return
        what = self._name(right)
        low, high = self.test.get("low"), self.test.get("high")
        strict = self.kind == "greater"
        if strict:
            low = 0.0
        of = self.test.get("of")
        if of:
            reference = self._published(at) if of == "published" else self._predicted(at)
            if reference is None:
                self.skipped.append(f"the closed form of {self.test['metric']} has no value")
                return
            values = {seed: value / reference for seed, value in values.items()}
            whose = "the paper's" if of == "published" else "the predicted"
            what = f"{what} / {whose} {quantity(reference, self._unit(self.test['metric']))}"
        yield self._judge(what, at, values, low, high, strict=strict)

    def _along(self, axis: str, at: Where, right: dict[str, Any] | None) -> Iterator[Evidence]:
        positions = self._values(axis)
        steps, left_out = [], []
        for value in positions:
            self._left_out = {}
            here = self._combined({**at, axis: value}, right)
            if here is None:
                self._skip({**at, axis: value})
                return
            steps.append(here)
            left_out.append(self._left_out)
        if len(steps) < 2:
            self.skipped.append(f"fewer than two values of {self.study.label(axis)} were run")
            return
        name = self._name(right)
        label = self.study.label(axis)
        if self.kind == "monotone":
            sign = 1.0 if self.test["direction"] == "rising" else -1.0
            for (before, old, first), (after, new, second) in itertools.pairwise(
                zip(positions, steps, left_out, strict=True)
            ):
                self._left_out = first | second
                change = {seed: new[seed] - old[seed] for seed in old if seed in new}
                what = f"change of {name} from {label} {before} to {after}"
                low, high = (0.0, None) if sign > 0 else (None, 0.0)
                yield self._judge(what, at, change, low, high, strict=True)
            return
        self._left_out = {key: counts for of_step in left_out for key, counts in of_step.items()}
        seeds = [seed for seed in steps[0] if all(seed in step for step in steps)]
        low, high = self.test.get("low"), self.test.get("high")
        if self.kind == "steady":
            values = {s: max(step[s] for step in steps) / min(step[s] for step in steps) for s in seeds}
            yield self._judge(f"largest over smallest {name} along {label}", at, values, low, high)
            return
        x = [self.measured.resolved(axis, value) for value in positions]
        numbers = [float(i) if v is None else v for i, v in enumerate(x)]
        relative = self.combine != "difference"
        values = {s: _change(numbers, [step[s] for step in steps], relative=relative) for s in seeds}
        what = f"{'relative ' if relative else ''}change of {name} along {label}"
        yield self._judge(what, at, values, low, high)

    def _judge(
        self,
        what: str,
        at: Where,
        values: BySeed,
        low: float | None,
        high: float | None,
        *,
        strict: bool = False,
    ) -> Evidence:
        estimate = Estimate.of(list(values.values()))
        reason = ""
        if estimate is None:
            reason = self._reason(at)
        elif estimate.ci95 is None:
            reason = "one seed gives no interval"
        metric = str(self.left.get("metric", self.test["metric"]))
        result = verdict(estimate, low, high, strict=strict)
        unit = "1" if self._dimensionless() else self._unit(metric)
        at = {**self.pinned, **at}
        given = bool(self.test.get("given"))
        left_out = total(self._left_out.values())
        return Evidence(what, at, metric, unit, estimate, low, high, strict, result, reason, given, left_out)

    def _dimensionless(self) -> bool:
        relative = self.kind == "steady" or (self.kind == "trend" and self.combine != "difference")
        return relative or self.combine == "ratio" or "of" in self.test

    def _unit(self, metric: str) -> str:
        rows = self.measured.rows(self.experiment.name, setup=self.setup)
        return next((unit for row in rows if (unit := row.unit(metric))), "1" if self.best_over else "")

    def _combined(self, at: Where, right: dict[str, Any] | None) -> BySeed | None:
        """The statistic by seed at one point; `None` if the point was not run."""
        left = self._side(self.left, at)
        if left is None or right is None or self.combine is None:
            return left
        other = self._side(right, at)
        if other is None:
            return None
        combine = _COMBINE[self.combine]
        divides = self.combine == "ratio"
        return {
            seed: combine(value, other[seed])
            for seed, value in left.items()
            if seed in other and not (divides and other[seed] == 0.0)
        }

    def _side(self, side: Mapping[str, Any], at: Where) -> BySeed | None:
        if "mean_of" in side:
            parts = [self._side(part, at) for part in side["mean_of"]]
            present = [part for part in parts if part is not None]
            if len(present) < len(parts):
                return None
            seeds = [seed for seed in present[0] if all(seed in part for part in present)]
            return {seed: sum(part[seed] for part in present) / len(present) for seed in seeds}
        metric = side.get("metric", self.test["metric"])
        where: Filter = {**self.pinned, **at, **{axis: str(side[axis]) for axis in _axes(side)}}
        if self.mean_over:
            over = self._values(self.mean_over)
            rows = self._rows({**where, self.mean_over: over})
            return self._of(mean_over(rows, self.mean_over, (metric,)), metric) if len(rows) == len(over) else None
        if self.best_over:
            axis = self.best_over.axis
            return self._of(best_over(self._rows({**where, axis: self._values(axis)}), self.best_over), metric)
        return self._of(self._rows(where), metric)

    def _of(self, rows: list[Row], metric: str) -> BySeed | None:
        """The values of the first row; `None` without rows."""
        if not rows:
            return None
        if counts := rows[0].left_out(metric):
            self._left_out[frozenset(rows[0].cell.at.items()), metric] = counts
        return rows[0].values(metric)

    def _rows(self, where: Filter) -> list[Row]:
        return self.measured.rows(self.experiment.name, where, self.setup)

    def _row(self, at: Where) -> Row:
        return self._rows({**self.pinned, **at, **{axis: str(self.left[axis]) for axis in _axes(self.left)}})[0]

    def _published(self, at: Where) -> float:
        published = self.experiment.published_value(self.test["metric"], self._row(at).cell)
        assert published is not None, f"{self.experiment.name} has no published number at {at}"
        return published

    def _predicted(self, at: Where) -> float | None:
        return formula.value(self.experiment.formula(self.test["metric"]), self._row(at).known)

    def _skip(self, at: Where) -> None:
        rows = self._rows({**self.pinned, **at})
        missing = "some of the points that it compares were not run" if rows else NOT_RUN
        self.skipped.append(self._lacking(rows) or missing)

    def _reason(self, at: Where) -> str:
        return self._lacking(self._rows({**self.pinned, **at})) or "no seed gives a value"

    def _lacking(self, rows: list[Row]) -> str:
        """The reason why one of these rows lacks a metric of the test; empty if none does."""
        sides = (self.left, *(right or {} for right in self.rights))
        metrics = [side.get("metric", self.test["metric"]) for side in sides]
        if self.best_over:
            metrics = [self.best_over.metric]
        return next((reason for row in rows for metric in metrics if (reason := row.reason(metric))), "")

    def _name(self, right: dict[str, Any] | None) -> str:
        left = self._side_name(self.left)
        if right is None or self.combine is None:
            return left
        sign = {"difference": "-", "ratio": "/", "product": "x"}[self.combine]
        return f"{left} {sign} {self._side_name(right)}"

    def _side_name(self, side: Mapping[str, Any]) -> str:
        if "mean_of" in side:
            return "mean of " + " and ".join(self._side_name(part) for part in side["mean_of"])
        names = [self.study.value_label(axis, str(side[axis])) for axis in _axes(side)]
        if "metric" in side or not names:
            names.append(self.study.label(side.get("metric", self.test["metric"])))
        if self.mean_over:
            names.append(f"(mean over {self.study.label(self.mean_over)})")
        if self.best_over:
            names.append(f"(best {self.study.label(self.best_over.axis)})")
        return " ".join(names)


def axes_compared(test: Mapping[str, Any]) -> set[str]:
    """The axes whose values the two sides of a test name."""
    return {axis for side in parts(test) for axis in _axes(side)}


def parts(test: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a test compares: its sides; of a side that is a mean, each part."""
    for side in (test.get("left", {}), *_rights(test)):
        yield from side.get("mean_of", [side])


def _rights(test: Mapping[str, Any]) -> list[dict[str, Any]]:
    right = test.get("right", [])
    return list(right) if isinstance(right, list) else [right]


def _allows(where: Filter, axis: str, value: str) -> bool:
    wanted = where.get(axis, value)
    return value in map(str, wanted) if isinstance(wanted, list) else value == str(wanted)


def _axes(side: Mapping[str, Any]) -> list[str]:
    if "mean_of" in side:
        return list(dict.fromkeys(axis for part in side["mean_of"] for axis in _axes(part)))
    return [name for name in side if name != "metric"]


def _change(x: list[float], y: list[float], *, relative: bool) -> float:
    """Change of the least-squares line from the first to the last x; if `relative`, divided by the mean of y."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)
    change = slope * (x[-1] - x[0])
    return change / mean_y if relative else change
