"""A study's figures of metrics: lines over a numeric axis, or dots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt

from airfair.catalogue.left_out import told
from airfair.catalogue.units import PERCENT, Scale, interval, quantity, scale_of
from airfair.figures.drawing import Drawing, Series, drawing, scales_apart, side_by_side
from airfair.figures.marks import Means, number_axis
from airfair.studies.figures import FigurePoint, label
from airfair.studies.study import Figure, Study
from airfair.theme import INK, PALETTE, SHAPES, ordered


def draw(study: Study, figure: Figure, points: list[FigurePoint]) -> Drawing:
    """Draw a figure of metrics."""
    y_scale = scale_of((p.estimate.mean for p in points if p.estimate), points[0].unit)
    numeric = figure.kind == "line"
    xs = [p.value_on(figure.x) for p in points]
    x_unit = _unit(points[0], figure.x)
    x_scale = scale_of((x for x in xs if isinstance(x, float)), x_unit) if numeric else Scale(1, "")
    if numeric and x_unit == "fraction":
        x_scale = PERCENT
    rows: list[dict[str, Any]] = [
        {
            "x": x / x_scale.factor
            if isinstance(x, float) and numeric
            else study.value_label(figure.x, p.text_on(figure.x)),
            "mean": p.estimate.mean / y_scale.factor,
            "low": p.ends[0] / y_scale.factor,
            "high": p.ends[1] / y_scale.factor,
            "published": None if p.published is None else p.published / y_scale.factor,
            "predicted": None if p.predicted is None else p.predicted / y_scale.factor,
            "series": study.name_on(figure.series, p.text_on(figure.series)),
            "panel": study.name_on(figure.panels, p.text_on(figure.panels)),
            "flagged": p.left_out[0] > 0,
            "tip": _tip(study, figure, p),
        }
        for p, x in zip(points, xs, strict=True)
        if p.estimate
    ]
    name = label(study, figure)
    y_title = y_scale.label(name if figure.y_label or len(figure.y) == 1 else name.split(" (")[0])
    scale = alt.Scale(zero=figure.zero, nice=True)
    series = series_of(study, figure.series, (point.text_on(figure.series) for point in points))
    x_title = x_scale.label(study.label(figure.x))
    if numeric:
        ticks = sorted({row["x"] for row in rows})
        place: dict[str, Any] = {"x": number_axis(x_title, ticks, log=figure.x_scale == "log")}
        layers = _lines(Means(y_title, scale, upright=True, place=place), series, rows)
    else:
        words = ordered(dict.fromkeys(point.text_on(figure.x) for point in points))
        sort = [study.value_label(figure.x, word) for word in words]
        title = x_title if figure.x != "case" else None
        place = {
            "y": alt.Y("x:N", sort=sort, title=title, axis=alt.Axis(labelLimit=300)),
            "yOffset": alt.YOffset("series:N", sort=list(series.labels) if series else []),
        }
        axis = alt.Axis(labelFlush=False)
        layers = _dots(Means(y_title, scale, upright=False, place=place, axis=axis), series, rows)
    highest: dict[str, float] = {}
    for row in rows:
        panel = str(row["panel"])
        highest[panel] = max(highest.get(panel, 0.0), abs(float(row["mean"] or 0.0)))
    apart = ("y" if numeric else "x") if scales_apart(highest.values()) else None
    return in_panels(alt.layer(*layers).properties(**_size(figure, rows)), rows, figure, apart=apart)


def _tip(study: Study, figure: Figure, point: FigurePoint) -> str:
    """The text of a mark: its place, its mean with the interval, the paper's value, the predicted value."""
    assert point.estimate is not None
    others = [axis for axis in (figure.series, figure.panels) if axis and axis != "metric"]
    ends = point.estimate.ci95
    words = [
        *(f"{study.label(axis)}: {study.value_label(axis, point.text_on(axis))}" for axis in (figure.x, *others)),
        f"{study.label(point.metric)} {quantity(point.estimate.mean, point.unit)}",
        f"95 % interval {interval(*ends, point.estimate.mean, point.unit)}" if ends else "",
        told(*point.left_out),
        f"paper {quantity(point.published, point.unit)}" if point.published is not None else "",
        f"predicted {quantity(point.predicted, point.unit)}" if point.predicted is not None else "",
    ]
    return "; ".join(filter(None, words))


def in_panels(layered: Any, rows: list[dict[str, Any]], figure: Figure, *, apart: str | None = None) -> Drawing:
    """Draw these rows as one chart, or as a panel for each value of the axis that the figure shows by panels."""
    if not figure.panels:
        return drawing(layered.properties(data=alt.InlineData(values=rows)))
    return drawing(side_by_side(layered, rows, list(dict.fromkeys(row["panel"] for row in rows)), apart=apart))


def _lines(means: Means, series: Series | None, rows: list[dict[str, Any]]) -> list[Any]:
    colour = colour_of(series)
    predicted = means.line("predicted", width=1.3, dash=[5, 4], color=colour)
    return [
        *([predicted] if any(row["predicted"] is not None for row in rows) else []),
        means.intervals(color=colour),
        means.line(color=colour),
        *_points(means, series, rows),
    ]


def _points(means: Means, series: Series | None, rows: list[dict[str, Any]]) -> list[Any]:
    colour, shape = colour_of(series), _shape_of(series)
    inside = [means.hollow(shape=shape)] if any(row["flagged"] for row in rows) else []
    return [means.points(color=colour, shape=shape, description="tip:N"), *inside]


def _dots(means: Means, series: Series | None, rows: list[dict[str, Any]]) -> list[Any]:
    layers = [means.intervals(color=colour_of(series)), *_points(means, series, rows)]
    if any(row["published"] is not None for row in rows):
        marks = means.base.mark_point(shape="diamond", size=90, filled=False, color=INK, strokeWidth=1.3)
        layers.append(marks.encode(**means.place, **means.channel("published")))
    return layers


def series_of(study: Study, axis: str | None, values: Iterable[str]) -> Series | None:
    """Colours, shapes and dashes of an axis' values, the same in every figure of the study; `None` without an axis."""
    if axis is None:
        return None
    return Series.of_words(values, list(study.value_labels.get(axis, ())), lambda value: study.name_on(axis, value))


def colour_of(series: Series | None) -> Any:
    """The encoding of a series by colour; a constant colour without a series."""
    return series.encoding("color") if series else alt.value(PALETTE[1])


def _shape_of(series: Series | None) -> Any:
    return series.encoding("shape") if series else alt.value(SHAPES[0])


def _size(figure: Figure, rows: list[dict[str, Any]]) -> dict[str, Any]:
    panels = len({row["panel"] for row in rows})
    width = 300 if panels > 1 else 400
    if figure.kind == "line":
        return {"width": width, "height": 230}
    series = len({row["series"] for row in rows})
    return {"width": width, "height": len({row["x"] for row in rows}) * (12 + 10 * series)}


def _unit(point: FigurePoint, axis: str) -> str:
    parameter = point.row.parameters.get(axis)
    return str(parameter.get("unit") or "") if isinstance(parameter, dict) else ""
