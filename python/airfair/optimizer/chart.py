"""The figure of an optimisation: a curve, a map, or a panel for each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import altair as alt

from airfair.catalogue.parameters import shown
from airfair.catalogue.units import scale_of
from airfair.catalogue.wording import title
from airfair.figures.charts.picture import Along
from airfair.figures.drawing import Drawing, drawing
from airfair.figures.marks import Means, least_step, number_axis, step_axis
from airfair.optimizer.judgement import WITHIN
from airfair.optimizer.words import unfinished
from airfair.runs.estimate import CUT, HOLLOW, NOT_FROM_ZERO, leaves_out_zero, told, within
from airfair.theme import PALETTE, QUIET

if TYPE_CHECKING:
    from airfair.optimizer.judgement import Judged, Judgement
    from airfair.optimizer.problem import Problem
    from airfair.optimizer.ranges import Dimension

BEST, AS_GOOD, NEAR = "best", "as good as the best", f"{WITHIN} of it"
WORSE, VIOLATES = "worse", "violates a constraint"
_STATES = (BEST, AS_GOOD, NEAR, WORSE, VIOLATES)
_COLOURS = {BEST: PALETTE[0], AS_GOOD: PALETTE[2], NEAR: PALETTE[5], WORSE: PALETTE[1], VIOLATES: QUIET}
_SHAPES = {BEST: "diamond", AS_GOOD: "circle", NEAR: "triangle-up", WORSE: "square", VIOLATES: "cross"}
#: Colour of the edges of marks on a map: dark on dark screens, too, where the map keeps its colours.
_EDGE = "black"
_SIZES = {BEST: 130, AS_GOOD: 60, NEAR: 50, WORSE: 28, VIOLATES: 70}


def draw(problem: Problem, judgement: Judgement) -> Drawing | None:
    """Draw the candidates that have a value; `None` if none has."""
    shown = [item for item in judgement.candidates if item.counts and item.estimate]
    if not shown:
        return None
    picture = _Picture(problem, judgement, shown)
    if len(problem.dimensions) == 2:
        return drawing(picture.map())  # without intervals
    if len(problem.dimensions) > 2:
        chart = picture.panels()
    else:
        chart = picture.curve() if picture.numeric(problem.dimensions[0]) else picture.dots()
    remarks = [
        *([HOLLOW] if picture.flagged else []),
        *([CUT] if picture.cut else []),
        *([NOT_FROM_ZERO] if picture.leaves_out_zero else []),
    ]
    below = alt.Title(remarks, orient="bottom", anchor="start", fontSize=12, fontWeight="normal", color=QUIET)
    return drawing(chart.properties(title=below) if remarks else chart)


class _Picture:
    """The figure of an optimisation, part by part."""

    def __init__(self, problem: Problem, judgement: Judgement, shown: Sequence[Judged]) -> None:
        self.problem = problem
        self.judgement = judgement
        self.shown = shown
        goal = problem.goal
        self.scale = scale_of((item.estimate.mean for item in shown if item.estimate), goal.unit)
        self.title = self.scale.label(title(goal.metric))
        self.rows = [self._row(item) for item in shown]
        self.cut = any(
            item.estimate and item.estimate.ci95 not in (None, within(goal.metric, item.estimate)) for item in shown
        )
        self.leaves_out_zero = leaves_out_zero(row[end] for row in self.rows for end in ("low", "high"))
        #: Whether some means leave sessions out.
        self.flagged = any(row["flagged"] for row in self.rows)
        self.along = {d.name: self._axis(d) for d in problem.dimensions}

    def _row(self, item: Judged) -> dict[str, Any]:
        assert item.estimate is not None
        mean = item.estimate.mean
        low, high = within(self.problem.goal.metric, item.estimate)
        row = {"mean": mean, "low": low, "high": high}
        scaled = {name: value / self.scale.factor for name, value in row.items()}
        flagged = bool(unfinished(item, self.problem.goal.metric))
        return scaled | {"state": self._state(item), "flagged": flagged, "tip": self._tip(item)}

    def _tip(self, item: Judged) -> str:
        """The text of a mark: its values, the goal there with its interval, and the verdict on the candidate."""
        goal = self.problem.goal
        at = [f"{d.name} = {shown(item.evaluation.at[d.name], d.unit)}" for d in self.problem.dimensions]
        value = f"{title(goal.metric)} {told(item.estimate, goal.unit)}{unfinished(item, goal.metric)}"
        return "; ".join([*at, value, self._state(item)])

    def _state(self, item: Judged) -> str:
        if item is self.judgement.best:
            return BEST
        if not item.feasible:
            return VIOLATES
        return AS_GOOD if item.as_good else NEAR if item.near else WORSE

    def numeric(self, dimension: Dimension) -> bool:
        """Whether all values of a dimension are numbers."""
        return self.along[dimension.name].numeric

    def _axis(self, dimension: Dimension) -> Along:
        values = dict.fromkeys(item.evaluation.at[dimension.name] for item in self.shown)
        return Along.over(dimension.name, tuple(values), dimension.unit or "")

    def _places(self, dimension: Dimension) -> list[Any]:
        return [self.along[dimension.name].place(item.evaluation.at[dimension.name]) for item in self.shown]

    def _label(self, dimension: Dimension) -> str:
        return self.along[dimension.name].label

    def _numbers(self, dimension: Dimension, field: str = "x") -> Any:
        return number_axis(self._label(dimension), counts=self.along[dimension.name].counts, field=field)

    def _steps(self, channel: Any, field: str, dimension: Dimension, rows: Sequence[dict[str, Any]]) -> Any:
        values = list(dict.fromkeys(row[field] for row in rows))
        numeric = self.numeric(dimension)
        angle = {"labelAngle": 0} if channel is alt.X else {}
        ordered = sorted(values) if numeric else values
        return step_axis(channel, field, self._label(dimension), ordered, numeric=numeric, **angle)

    def _present(self) -> list[str]:
        """The verdicts that occur among the candidates, best first."""
        return [state for state in _STATES if any(row["state"] == state for row in self.rows)]

    def _colour(self) -> Any:
        present = self._present()
        scale = alt.Scale(domain=present, range=[_COLOURS[state] for state in present])
        return alt.Color("state:N", scale=scale, legend=alt.Legend(title=None, orient="top", symbolSize=80))

    def _points(self, means: Means) -> list[Any]:
        """Points with colours and shapes by verdict, the best candidate on top."""
        present = self._present()
        scale = alt.Scale(domain=present, range=[_SHAPES[state] for state in present])
        shape = alt.Shape("state:N", scale=scale, legend=alt.Legend(title=None, orient="top", symbolSize=80))
        layers = []
        for state in reversed(present):
            marks = [means.points(_SIZES[state], color=self._colour(), shape=shape, description="tip:N")]
            marks += [means.hollow(_SIZES[state], shape=shape)] if self.flagged else []
            layers += [layer.transform_filter(alt.datum.state == state) for layer in marks]
        return layers

    def _means(self, rows: Sequence[dict[str, Any]], *, upright: bool = True, **place: Any) -> Means:
        scale, base = alt.Scale(zero=False, nice=True), alt.Chart(alt.InlineData(values=list(rows)))
        return Means(self.title, scale, upright, place, alt.Axis(labelFlush=False), base)

    def curve(self) -> Any:
        """Draw the goal over one parameter, with its confidence band; values as good as the best are shaded."""
        [dimension] = self.problem.dimensions
        rows = [row | {"x": x} for row, x in zip(self.rows, self._places(dimension), strict=True)]
        means = self._means(rows, x=self._numbers(dimension))
        runs = alt.Chart(alt.InlineData(values=_runs(rows)))
        start = self._numbers(dimension, field="from")
        colour = alt.value(PALETTE[1])
        layers = [
            runs.mark_rect(color=_COLOURS[AS_GOOD], opacity=0.16).encode(x=start, x2="to:Q"),
            # A range of a single value has no width, so it is a rule.
            runs.mark_rule(color=_COLOURS[AS_GOOD], opacity=0.16, strokeWidth=6)
            .transform_filter("datum.from == datum.to")
            .encode(x=start),
            means.band(0.22, color=colour),
            means.line(color=colour),
            *self._points(means),
        ]
        return alt.layer(*layers).properties(width=460, height=270)

    def dots(self) -> Any:
        """Draw the goal for each word of one parameter."""
        [dimension] = self.problem.dimensions
        names = self._places(dimension)
        rows = [row | {"x": x} for row, x in zip(self.rows, names, strict=True)]
        means = self._means(rows, upright=False, y=alt.Y("x:N", sort=names, title=None, axis=alt.Axis(labelLimit=300)))
        layers = [means.intervals(color=self._colour()), *self._points(means)]
        return alt.layer(*layers).properties(width=400, height=26 * len(names))

    def map(self) -> Any:
        """Draw the goal over two parameters: as cells if all pairs were evaluated or one has words, else as dots."""
        across, up = self.problem.dimensions
        rows = [
            row | {"x": x, "y": y} for row, x, y in zip(self.rows, self._places(across), self._places(up), strict=True)
        ]
        cells = self.problem.whole or not (self.numeric(across) and self.numeric(up))
        x: Any = self._numbers(across)
        ticks = alt.Axis(tickMinStep=least_step(counts=self.along[up.name].counts))
        y: Any = alt.Y("y:Q", title=self._label(up), scale=alt.Scale(zero=False, nice=False, padding=12), axis=ticks)
        if cells:
            x = self._steps(alt.X, "x", across, rows)
            y = self._steps(alt.Y, "y", up, rows)
        heat = alt.Color(
            "mean:Q",
            title=self.title,
            scale=alt.Scale(scheme="viridis", zero=False),
            legend=alt.Legend(orient="right", titleFontWeight="normal", titleLimit=400, gradientLength=200),
        )
        # Colour already shows which candidates are near the best, so they get no marks.
        marked = [state for state in self._present() if state not in (NEAR, WORSE)]
        shape = alt.Shape(
            "state:N",
            scale=alt.Scale(domain=marked, range=[_SHAPES[state] for state in marked]),
            legend=alt.Legend(title=None, orient="top", symbolSize=80),
        )
        base = alt.Chart(alt.InlineData(values=rows))
        dots = base.mark_point(filled=True, shape="square", size=190, opacity=1, aria=True)
        ground = base.mark_rect(aria=True) if cells else dots
        marks = [
            base.transform_filter(alt.datum.state == state)
            .mark_point(strokeWidth=1.1, opacity=1, size=_SIZES[state])
            .encode(x=x, y=y, shape=shape, fill=alt.value("white"), stroke=alt.value(_EDGE))
            for state in reversed(marked)
        ]
        return alt.layer(ground.encode(x=x, y=y, color=heat, description="tip:N"), *marks).properties(
            width=380, height=300
        )

    def panels(self) -> Any:
        """Draw the goal over each of several parameters, with all candidates in each panel."""
        charts = []
        for dimension in self.problem.dimensions:
            rows = [row | {"x": x} for row, x in zip(self.rows, self._places(dimension), strict=True)]
            numeric = self.numeric(dimension)
            x = self._numbers(dimension) if numeric else self._steps(alt.X, "x", dimension, rows)
            means = self._means(rows, x=x)
            layers = [means.intervals(color=self._colour()), *self._points(means)]
            charts.append(alt.layer(*layers).properties(width=270, height=210))
        return alt.concat(*charts, columns=2, spacing=24)


def _runs(rows: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
    """The unbroken ranges of values that are as good as the best."""
    ordered = sorted(rows, key=lambda row: float(row["x"]))
    good = [row["state"] in (BEST, AS_GOOD) for row in ordered]
    starts = [i for i, here in enumerate(good) if here and (i == 0 or not good[i - 1])]
    ends = [i for i, (here, after) in enumerate(pairwise([*good, False])) if here and not after]
    return [{"from": ordered[a]["x"], "to": ordered[b]["x"]} for a, b in zip(starts, ends, strict=True)]
