"""A study's figures of metrics: lines over a numeric axis, or dots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt

from airfair.catalogue.units import PERCENT, Scale, scale_of
from airfair.figures.drawing import Drawing, Series, drawing, scales_apart, side_by_side
from airfair.figures.marks import Means, number_axis
from airfair.studies.figures import FigurePoint, label
from airfair.studies.study import Figure, Study
from airfair.theme import INK, PALETTE, SHAPES, ordered


def draw(study: Study, figure: Figure, points: list[FigurePoint]) -> Drawing:
    """Draw a figure."""
    return drawing(_chart(study, figure, points))


def _chart(study: Study, figure: Figure, points: list[FigurePoint]) -> Any:
    panel = "metric" if len(figure.y) > 1 else figure.panel
    y_scale = scale_of((p.estimate.mean for p in points if p.estimate), points[0].unit)
    numeric = figure.kind == "line"
    xs = [p.value_on(figure.x) for p in points]
    x_unit = _unit(points[0], figure.x)
    x_scale = scale_of((x for x in xs if isinstance(x, float)), x_unit) if numeric else Scale(1, "")
    if numeric and x_unit == "fraction":
        x_scale = PERCENT
    rows = [
        {
            "x": x / x_scale.factor
            if isinstance(x, float) and numeric
            else study.value_label(figure.x, p.text_on(figure.x)),
            "mean": p.estimate.mean / y_scale.factor,
            "low": p.ends[0] / y_scale.factor,
            "high": p.ends[1] / y_scale.factor,
            "published": None if p.published is None else p.published / y_scale.factor,
            "predicted": None if p.predicted is None else p.predicted / y_scale.factor,
            "series": study.name_on(figure.series, p.text_on(figure.series)) if figure.series else "",
            "panel": study.name_on(panel, p.text_on(panel)) if panel else "",
        }
        for p, x in zip(points, xs, strict=True)
        if p.estimate
    ]
    name = label(study, figure)
    y_title = y_scale.label(name if figure.y_label or len(figure.y) == 1 else name.split(" (")[0])
    layers = (_lines if numeric else _dots)(study, figure, points, rows, x_scale.label(study.label(figure.x)), y_title)
    layered = alt.layer(*layers).properties(**_size(figure, rows))
    data = alt.InlineData(values=rows)
    if not panel:
        return layered.properties(data=data)
    highest: dict[str, float] = {}
    for row in rows:
        name = str(row["panel"])
        highest[name] = max(highest.get(name, 0.0), abs(float(row["mean"] or 0.0)))
    apart = ("y" if numeric else "x") if scales_apart(highest.values()) else None
    return side_by_side(layered, rows, list(highest), apart=apart)


def _lines(
    study: Study,
    figure: Figure,
    points: list[FigurePoint],
    rows: list[dict[str, Any]],
    x_title: str,
    y_title: str,
) -> list[Any]:
    ticks = sorted({row["x"] for row in rows})
    x = number_axis(x_title, ticks, log=figure.x_scale == "log")
    means = Means(y_title, alt.Scale(zero=figure.zero, nice=True), upright=True, place={"x": x})
    colour, shape = _series(study, figure, points)
    predicted = means.line("predicted", width=1.3, dash=[5, 4], color=colour)
    return [
        *([predicted] if any(row["predicted"] is not None for row in rows) else []),
        means.intervals(color=colour),
        means.line(color=colour),
        means.points(color=colour, shape=shape),
    ]


def _dots(
    study: Study,
    figure: Figure,
    points: list[FigurePoint],
    rows: list[dict[str, Any]],
    x_title: str,
    y_title: str,
) -> list[Any]:
    values = ordered(dict.fromkeys(point.text_on(figure.x) for point in points))
    categories = [study.value_label(figure.x, value) for value in values]
    colour, shape = _series(study, figure, points)
    row = alt.Y("x:N", sort=categories, title=x_title if figure.x != "case" else None, axis=alt.Axis(labelLimit=300))
    offset = alt.YOffset("series:N", sort=_domain(study, figure, points))
    scale = alt.Scale(zero=figure.zero, nice=True)
    place = {"y": row, "yOffset": offset}
    means = Means(y_title, scale, upright=False, place=place, axis=alt.Axis(labelFlush=False))
    layers = [means.intervals(color=colour), means.points(color=colour, shape=shape)]
    if any(entry["published"] is not None for entry in rows):
        marks = means.base.mark_point(shape="diamond", size=90, filled=False, color=INK, strokeWidth=1.3)
        layers.append(marks.encode(**place, **means.channel("published")))
    return layers


def series_of(study: Study, axis: str, values: Iterable[str]) -> Series:
    """Colours, shapes and dashes of an axis' values, the same in every figure of the study."""
    return Series.of_words(values, list(study.value_labels.get(axis, ())), lambda value: study.name_on(axis, value))


def _series(study: Study, figure: Figure, points: list[FigurePoint]) -> tuple[Any, Any]:
    axis = figure.series
    if not axis:
        return alt.value(PALETTE[1]), alt.value(SHAPES[0])
    shown = series_of(study, axis, (point.text_on(axis) for point in points))
    return shown.encoding("color"), shown.encoding("shape")


def _domain(study: Study, figure: Figure, points: list[FigurePoint]) -> list[str]:
    axis = figure.series
    return list(series_of(study, axis, (point.text_on(axis) for point in points)).labels) if axis else []


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
