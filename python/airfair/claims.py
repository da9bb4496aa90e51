"""Claims: tests on measured statistics, with a confidence interval over seeds.

A test selects points of one experiment and asks that a statistic of each lies within bounds. Its verdict at a point is
`holds` if the whole 95 % interval does, `fails` if none of it does, and `undecided` otherwise. A claim holds if all
its points hold and fails if one fails; nothing corrects for the number of points. Where two sides are compared, values
are paired by seed.

The statistic is built from three choices that a test's `test` names together:

==========  =====================================  ==========================================================
`test`      of the two sides                       at each point, or along the axis `along`
==========  =====================================  ==========================================================
`within`    `left` alone                           its value, or its ratio to the number the paper prints
`greater`   `left - right`                         above 0
`ratio`     `left / right`                         between `low` and `high`
`product`   `left * right`                         between `low` and `high`
`monotone`  `left` (or `combine`d with `right`)    every step along the axis has the `direction`'s sign
`trend`     the same                               change of the least-squares line over the axis, as a share
                                                   of the mean (of a difference: as it is), between the bounds
`steady`    the same                               largest over smallest value along the axis, at most `high`
==========  =====================================  ==========================================================

`left` and `right` give values of axes (`metric` counts as one); `right` may be a list, each of which is compared, or
`{mean_of = [...]}`. Axes that neither they nor `where` pin are taken point by point.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from airfair.measurements import Estimate, Measurements
from airfair.study import Claim, Experiment, Study, Variant
from airfair.units import quantity

#: Values by seed.
BySeed = dict[int, float]
Where = Mapping[str, str]

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


@dataclass(frozen=True)
class Evidence:
    """One statistic and what it says."""

    #: What was computed, for people.
    what: str
    #: The point: values of the axes.
    at: Where
    metric: str
    #: SI unit of the statistic and its bounds.
    unit: str
    estimate: Estimate | None
    low: float | None
    high: float | None
    #: Whether the bounds themselves are outside.
    strict: bool
    verdict: str
    #: Why there is no verdict.
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        estimate = self.estimate
        document: dict[str, Any] = {
            "statistic": self.what,
            "metric": self.metric,
            "unit": self.unit,
            "at": dict(self.at),
            "value": estimate.mean if estimate else None,
            "ci95": list(estimate.ci95) if estimate and estimate.ci95 else None,
            "n": estimate.n if estimate else 0,
            "asked": {"low": self.low, "high": self.high, "strict": self.strict},
            "verdict": self.verdict,
        }
        return document | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict in one variant."""

    claim: Claim
    variant: Variant | None
    verdict: str
    evidence: tuple[Evidence, ...]

    @property
    def note(self) -> str:
        """What we think is the reason, where the claim fails."""
        if self.verdict != "fails":
            return ""
        notes = self.claim.notes
        return notes.get(self.variant.name if self.variant else "", notes.get("", ""))

    def document(self, *, first: bool) -> dict[str, Any]:
        """As JSON. The first variant's claims carry the plain id."""
        suffix = "" if first or self.variant is None else f"/{self.variant.name}"
        document: dict[str, Any] = {
            "id": self.claim.id + suffix,
            "source": self.claim.source,
            "sentence": self.claim.sentence,
            "variant": self.variant.name if self.variant else None,
            "verdict": self.verdict,
            "evidence": [evidence.document() for evidence in self.evidence],
        }
        return document | ({"note": self.note} if self.note else {})


def judge(study: Study, measured: Measurements) -> list[Judged]:
    """Judge every claim, in each variant that its experiments have. Claims that lack points are left out."""
    judged = []
    for claim in study.claims:
        experiments = [study.experiments[test["experiment"]] for test in claim.tests]
        fitting: list[Variant | None] = [
            variant
            for variant in study.variants
            if all(set(variant.where) <= set(experiment.axis_names) for experiment in experiments)
        ]
        for variant in fitting or [None]:
            evidence = tuple(
                item
                for test, experiment in zip(claim.tests, experiments, strict=True)
                for item in _Test(test, experiment, variant, study, measured).evidence()
            )
            if evidence:
                judged.append(Judged(claim, variant, overall([item.verdict for item in evidence]), evidence))
    return judged


def overall(verdicts: list[str]) -> str:
    """The verdict of a claim from those of its points."""
    if "fails" in verdicts:
        return "fails"
    return "holds" if all(verdict == "holds" for verdict in verdicts) else "undecided"


def verdict(estimate: Estimate | None, low: float | None, high: float | None, *, strict: bool = False) -> str:
    """Whether the interval lies within the bounds. `strict`: the bounds themselves are outside."""
    if estimate is None or estimate.ci95 is None:
        return "undecided"
    bottom, top = estimate.ci95
    if (low is not None and (top <= low if strict else top < low)) or (
        high is not None and (bottom >= high if strict else bottom > high)
    ):
        return "fails"
    inside = (low is None or (bottom > low if strict else bottom >= low)) and (
        high is None or (top < high if strict else top <= high)
    )
    return "holds" if inside else "undecided"


class _Test:
    """One test of a claim in one variant."""

    def __init__(
        self,
        test: Mapping[str, Any],
        experiment: Experiment,
        variant: Variant | None,
        study: Study,
        measured: Measurements,
    ) -> None:
        self.test = test
        self.kind: str = test["test"]
        self.experiment = experiment
        self.study = study
        self.measured = measured
        self.pinned: dict[str, str] = dict(variant.where) if variant else {}
        self.left: dict[str, Any] = test.get("left", {})
        right = test.get("right", [])
        self.rights: list[dict[str, Any] | None] = list(right) if isinstance(right, list) else [right]
        self.rights = self.rights or [None]
        self.combine: str | None = _POINTWISE.get(self.kind, test.get("combine"))

    def evidence(self) -> Iterator[Evidence]:
        """The statistic at every point."""
        along: str | None = self.test.get("along")
        compared = {axis for side in (self.left, *self.rights) for axis in _axes(side or {})}
        free = [
            axis
            for axis in self.experiment.axis_names
            if axis not in compared and axis not in self.pinned and axis != along
        ]
        for values in itertools.product(*(self._values(axis) for axis in free)):
            at = dict(zip(free, values, strict=True))
            for right in self.rights:
                if along is None:
                    yield from self._at_point(at, right)
                else:
                    yield from self._along(along, at, right)

    def _values(self, axis: str) -> tuple[str, ...]:
        wanted = self.test.get("where", {}).get(axis)
        if wanted is None:
            return self.experiment.axis(axis)
        return tuple(str(value) for value in wanted) if isinstance(wanted, list) else (str(wanted),)

    def _at_point(self, at: Where, right: dict[str, Any] | None) -> Iterator[Evidence]:
        values = self._combined(at, right)
        if values is None:
            return
        what = self._name(right)
        low, high = self.test.get("low"), self.test.get("high")
        strict = self.kind == "greater"
        if strict:
            low = 0.0
        if self.test.get("of") == "published":
            published = self._published(at)
            values = {seed: value / published for seed, value in values.items()}
            what = f"{what} / the paper's {quantity(published, self._unit(self.test['metric']))}"
        yield self._judge(what, at, values, low, high, strict=strict)

    def _along(self, axis: str, at: Where, right: dict[str, Any] | None) -> Iterator[Evidence]:
        positions = self._values(axis)
        steps = []
        for value in positions:
            here = self._combined({**at, axis: value}, right)
            if here is None:
                return
            steps.append(here)
        name = self._name(right)
        label = self.study.label(axis)
        if self.kind == "monotone":
            sign = 1.0 if self.test["direction"] == "rising" else -1.0
            for (before, old), (after, new) in itertools.pairwise(zip(positions, steps, strict=True)):
                change = {seed: new[seed] - old[seed] for seed in old if seed in new}
                what = f"change of {name} from {label} {before} to {after}"
                low, high = (0.0, None) if sign > 0 else (None, 0.0)
                yield self._judge(what, at, change, low, high, strict=True)
            return
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
        return Evidence(what, {**self.pinned, **at}, metric, unit, estimate, low, high, strict, result, reason)

    def _dimensionless(self) -> bool:
        relative = self.kind == "steady" or (self.kind == "trend" and self.combine != "difference")
        return relative or self.combine == "ratio" or self.test.get("of") == "published"

    def _unit(self, metric: str) -> str:
        rows = self.measured.rows(self.experiment.name)
        return next((unit for row in rows if (unit := row.unit(metric))), "")

    def _combined(self, at: Where, right: dict[str, Any] | None) -> BySeed | None:
        """The statistic by seed at one point; `None` where the point was not run."""
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
        where = {**self.pinned, **at, **{axis: str(side[axis]) for axis in _axes(side)}}
        rows = self.measured.rows(self.experiment.name, where)
        return rows[0].values(metric) if rows else None

    def _published(self, at: Where) -> float:
        where = {**self.pinned, **at, **{axis: str(self.left[axis]) for axis in _axes(self.left)}}
        row = self.measured.rows(self.experiment.name, where)[0]
        published = self.experiment.published_value(self.test["metric"], row.cell)
        assert published is not None, f"{self.experiment.name} has no published number at {where}"
        return published

    def _reason(self, at: Where) -> str:
        for row in self.measured.rows(self.experiment.name, {**self.pinned, **at}):
            for side in (self.left, *(right or {} for right in self.rights)):
                reason = row.reason(side.get("metric", self.test["metric"]))
                if reason:
                    return reason
        return "no seed gives a value"

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
        return " ".join(names)


def _axes(side: Mapping[str, Any]) -> list[str]:
    if "mean_of" in side:
        return list(dict.fromkeys(axis for part in side["mean_of"] for axis in _axes(part)))
    return [name for name in side if name != "metric"]


def _change(x: list[float], y: list[float], *, relative: bool) -> float:
    """Change of the least-squares line from the first to the last x; relative: over the mean of y."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)
    change = slope * (x[-1] - x[0])
    return change / mean_y if relative else change
