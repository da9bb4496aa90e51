"""The numbers behind a study's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from airfair.catalogue import left_out
from airfair.catalogue.left_out import told
from airfair.runs.estimate import CUT, HOLLOW, NOT_FROM_ZERO, Estimate, as_json, leaves_out_zero, number, within
from airfair.studies import formula
from airfair.studies.measurements import Measurements, Row, best_over, mean_over, ratio
from airfair.studies.study import CASE, FLOWS, SETUP, TRACE, Experiment, Figure, Study


@dataclass(frozen=True)
class FigurePoint:
    """One point of a figure."""

    row: Row
    metric: str
    unit: str
    estimate: Estimate | None
    #: The number that the paper prints; `None` if it prints none.
    published: float | None
    #: The prediction of a closed form; `None` if there is none.
    predicted: float | None
    #: Whether the value is a quotient of two values of the metric, to which the metric's range does not apply.
    ratio: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """The interval as drawn: clipped to the metric's range."""
        assert self.estimate is not None
        if self.ratio:
            return self.estimate.ci95 or (self.estimate.mean, self.estimate.mean)
        return within(self.metric, self.estimate)

    @property
    def cut(self) -> bool:
        """Whether the interval is clipped."""
        return self.estimate is not None and self.estimate.ci95 is not None and self.ends != self.estimate.ci95

    @property
    def left_out(self) -> tuple[int, int]:
        """How many unfinished sessions the mean leaves out, of how many; zeros if it is no mean over sessions."""
        return self.row.left_out(self.metric) or (0, 0)

    def value_on(self, axis: str) -> float | str:
        """The point's value on an axis: a number (SI) or a name."""
        if axis == "metric":
            return self.metric
        resolved = None if axis in (CASE, SETUP) else number(self.row.parameters.get(axis))
        return self.row.cell.at[axis] if resolved is None else resolved

    def text_on(self, axis: str | None) -> str:
        """The value on an axis as written in the study; empty without an axis."""
        return self.metric if axis == "metric" else self.row.cell.at[axis] if axis else ""

    def document(self) -> dict[str, Any]:
        """As JSON: the parameters, the mean and its interval, in SI units."""
        document: dict[str, Any] = {axis: self.value_on(axis) for axis in self.row.cell.at}
        document["metric"] = self.metric
        document["unit"] = self.unit
        document |= as_json(self.estimate, "mean") | left_out.as_json(self.row.left_out(self.metric))
        if self.estimate is None:
            document["reason"] = self.row.reason(self.metric)
        if self.published is not None:
            document["published"] = self.published
        if self.predicted is not None:
            document["predicted"] = self.predicted
        return document


def points(study: Study, figure: Figure, measured: Measurements) -> list[FigurePoint]:
    """A figure's points, metric by metric, in the order of its experiment's sweep."""
    experiment = study.experiments[figure.experiment]
    rows = measured.rows(figure.experiment, figure.where)
    if figure.mean_over:
        rows = mean_over(rows, figure.mean_over, figure.y)
    if figure.best_over:
        rows = best_over(rows, figure.best_over)
    if figure.over:
        rows = ratio(rows, figure.over, figure.y)
    return [
        FigurePoint(
            row,
            metric,
            row.unit(metric),
            Estimate.of(list(row.values(metric).values())),
            experiment.published_value(metric, row.cell),
            _predicted(experiment, metric, row),
            ratio=bool(figure.over),
        )
        for metric in figure.y
        for row in rows
    ]


def _predicted(experiment: Experiment, metric: str, row: Row) -> float | None:
    closed_form = experiment.formula(metric)
    return None if closed_form is None else formula.value(closed_form, row.known)


def remarks(study: Study, figure: Figure, measured: Measurements) -> list[str]:
    """Remarks on a figure: an axis that does not start at zero, clipped intervals of means, unfinished sessions."""
    if figure.kind in (TRACE, FLOWS):
        return [] if figure.zero else [NOT_FROM_ZERO]
    rows = measured.rows(figure.experiment, figure.where)
    if figure.best_over:
        rows = best_over(rows, figure.best_over)
    drawn = points(study, figure, measured)
    found = [NOT_FROM_ZERO] if not figure.zero and leaves_out_zero(_values(drawn)) else []
    found += [
        f"{study.label(metric)}: {words}." if len(figure.y) > 1 else f"{words}."
        for metric in figure.y
        if (words := told(_total(rows, metric, "left_out"), _total(rows, metric, "sessions")))
    ]
    if any(point.left_out[0] and point.estimate for point in drawn):
        found.append(HOLLOW)
    if any(point.cut for point in drawn):
        found.append(CUT)
    return found


def _values(drawn: list[FigurePoint]) -> list[float]:
    """All numbers that the axis of values of a figure of means must cover."""
    values = [value for point in drawn if point.estimate for value in (point.estimate.mean, *point.ends)]
    others = [value for point in drawn if point.estimate for value in (point.published, point.predicted)]
    return values + [value for value in others if value is not None]


def _total(rows: list[Row], metric: str, count: str) -> int:
    """The sum of a metric's count over all rows and seeds."""
    return sum(metrics.get(metric, {}).get(count, 0) for row in rows for metrics in row.metrics.values())


def label(study: Study, figure: Figure) -> str:
    """The label of a figure with one metric."""
    return figure.y_label or study.label(figure.y[0])
