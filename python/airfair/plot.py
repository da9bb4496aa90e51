"""Figures that can go into a paper: Vega-Lite through Altair, drawn to SVG and PNG without a browser or a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import altair as alt

from airfair import drawn
from airfair.figures import FigurePoint, label
from airfair.study import Figure, Study
from airfair.units import Scale, scale_for
from airfair.wording import visible

# Okabe and Ito's palette: told apart with any colour vision. Shapes repeat what the colours say.
PALETTE = ("#D55E00", "#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#8C6D31", "#555555")
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
)
#: Of lines in their order; the first one is drawn first, below the others.
DASHES = ([1, 0], [7, 4], [3, 3], [9, 3, 2, 3], [2, 4], [12, 4], [6, 2, 2, 2, 2, 2], [4, 6])
# For axes whose values have no place of their own in the study's labels.
OTHER_PALETTE = ("#5b6570", "#56B4E9", "#8C6D31", "#CC79A7")
# Characters in a row of the legend; with more it has several.
LEGEND_LENGTH = 90
# Along an axis; a probability as a metric stays a number from 0 to 1.
PERCENT = Scale(0.01, "%")
# `report.html` replaces these in dark mode.
INK, QUIET, GRID = "#1c2126", "#5b6570", "#e3e6ea"
#: Panels whose largest values differ by more than this factor have scales of their own.
APART = 5
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

_VERSION = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


@dataclass(frozen=True)
class Drawing:
    """A drawn figure."""

    svg: str
    #: As Vega-Lite.
    spec: Mapping[str, Any] = field(repr=False)

    @cached_property
    def png(self) -> bytes:
        """On white, 2.5 pixels for each of the SVG's."""
        return drawn.png(on_white(self.svg), 2.5)

    @property
    def source(self) -> dict[str, Any]:
        """As Vega-Lite that names itself: without that, editors take figures of several panels for Vega."""
        return {"$schema": alt.SCHEMA_URL, **self.spec, "background": "white"}


def draw(study: Study, figure: Figure, points: list[FigurePoint]) -> Drawing:
    """Draw a figure."""
    return drawing(_chart(study, figure, points))


def drawing(chart: Any) -> Drawing:
    """A chart, Altair's or Vega-Lite's, as a drawing in the house style."""
    spec = {**chart, "config": _theme()} if isinstance(chart, dict) else chart.configure(**_theme()).to_dict()
    spec = _visible(spec)
    return Drawing(drawn.svg(spec, _VERSION), spec)


def _visible(part: Any) -> Any:
    """A part of a chart with all words in it made visible."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, dict):
        return {name: _visible(value) for name, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list | tuple) else part


def on_white(svg: str) -> str:
    """A picture on a white ground."""
    start = svg.index(">") + 1
    return f'{svg[:start]}<rect width="100%" height="100%" fill="white"/>{svg[start:]}'


def _chart(study: Study, figure: Figure, points: list[FigurePoint]) -> Any:
    panel = "metric" if len(figure.y) > 1 else figure.panel
    y_scale = _scale([p.estimate.mean for p in points if p.estimate], points[0].unit)
    numeric = figure.kind == "line"
    xs = [p.value_on(figure.x) for p in points]
    x_unit = _unit(points[0], figure.x)
    x_scale = _scale([x for x in xs if isinstance(x, float)], x_unit) if numeric else Scale(1, "")
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
            "series": study.value_label(figure.series, p.text_on(figure.series)) if figure.series else "",
            "panel": _panel_name(study, panel, p),
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


def side_by_side(
    layered: Any, rows: list[dict[str, Any]], panels: list[str], *, columns: int = 0, apart: str | None = None
) -> dict[str, Any]:
    """A chart for each panel, as Vega-Lite; four and more in two columns, unless `columns` says otherwise.

    Axes have words where there is no panel below or to the left. Put together here and not by Altair, which checks each
    panel again and again: that takes longer than drawing them. `apart`: "x" or "y" has a scale for each panel.
    """
    columns = columns or (2 if len(panels) > 3 else len(panels))
    spec = without_data(layered)
    charts = []
    for place, panel in enumerate(panels):
        chart = deepcopy(spec)
        if apart != "x" and place + columns < len(panels):
            _without_axis(chart, "x")
        if apart != "y" and place % columns:
            _without_axis(chart, "y")
        chart["layer"].append(_heading(panel, spec["width"]))
        charts.append(chart | {"data": {"values": [row for row in rows if row["panel"] == panel]}})
    scales = {channel: "independent" if channel == apart else "shared" for channel in ("x", "y", "color", "shape")}
    return {"concat": charts, "columns": columns, "spacing": 24, "resolve": {"scale": scales}}


def without_data(layered: Any) -> dict[str, Any]:
    """A chart as Vega-Lite, to be given its values.

    Altair would name them and keep them beside the chart, and within others Vega-Lite does not find them there.
    """
    spec = {key: value for key, value in layered.to_dict().items() if key in ("layer", "width", "height")}
    for layer in spec["layer"]:
        layer.pop("data", None)
    return spec


def _heading(panel: str, width: float) -> dict[str, Any]:
    """A panel's name above it. A Vega title would stand higher where labels of an axis reach beyond the panel."""
    mark = {"type": "text", "text": panel, "font": FONT, "fontSize": 12.5, "fontWeight": "bold", "color": INK}
    place = {"x": {"value": width / 2}, "y": {"value": -14}}
    return {"mark": mark, "data": {"values": [{"panel": panel}]}, "encoding": place}


def _without_axis(chart: dict[str, Any], channel: str) -> None:
    """Leave the grid of an axis, and no words."""
    for layer in chart["layer"]:
        encoding = layer.get("encoding", {}).get(channel)
        if encoding is not None:
            axis = encoding.get("axis") or {}
            encoding["axis"] = axis | {"labels": False, "ticks": False, "title": None, "domain": channel == "x"}
            encoding.pop("title", None)


def scales_apart(largest: Iterable[float]) -> bool:
    """Whether panels whose largest values these are would be hard to read on one scale."""
    values = [value for value in largest if value > 0]
    return len(values) > 1 and max(values) > APART * min(values)


def _lines(
    study: Study,
    figure: Figure,
    points: list[FigurePoint],
    rows: list[dict[str, Any]],
    x_title: str,
    y_title: str,
) -> list[Any]:
    ticks = sorted({row["x"] for row in rows})
    log = figure.x_scale == "log"
    x = alt.X(
        "x:Q",
        title=x_title,
        scale=alt.Scale(type="log" if log else "linear", nice=False, zero=False, padding=14),
        axis=alt.Axis(
            values=ticks, labelExpr="format(datum.value, '.4~r')", grid=False, labelOverlap="greedy", labelSeparation=4
        ),
    )
    y_scale = alt.Scale(zero=figure.zero, nice=True)
    colour, shape = _series(study, figure, points)
    base = alt.Chart()
    predicted = [
        base.mark_line(strokeWidth=1.3, strokeDash=[5, 4]).encode(
            x=x, y=alt.Y("predicted:Q", title=y_title, scale=y_scale), color=colour
        )
    ]
    return [
        *(predicted if any(row["predicted"] is not None for row in rows) else []),
        base.mark_rule(strokeWidth=1.3).encode(
            x=x, y=alt.Y("low:Q", title=y_title, scale=y_scale), y2="high:Q", color=colour
        ),
        base.mark_line(strokeWidth=1.8).encode(x=x, y=alt.Y("mean:Q", title=y_title, scale=y_scale), color=colour),
        base.mark_point(filled=True, size=58, opacity=1).encode(
            x=x, y=alt.Y("mean:Q", title=y_title, scale=y_scale), color=colour, shape=shape
        ),
    ]


def _dots(
    study: Study,
    figure: Figure,
    points: list[FigurePoint],
    rows: list[dict[str, Any]],
    x_title: str,
    y_title: str,
) -> list[Any]:
    categories = list(dict.fromkeys(row["x"] for row in rows))
    colour, shape = _series(study, figure, points)
    row = alt.Y("x:N", sort=categories, title=x_title if figure.x != "case" else None, axis=alt.Axis(labelLimit=300))
    offset = alt.YOffset("series:N", sort=_domain(study, figure, points))
    scale = alt.Scale(zero=figure.zero, nice=True)
    flat = alt.Axis(labelFlush=False)
    base = alt.Chart()
    layers = [
        base.mark_rule(strokeWidth=1.6).encode(
            y=row, yOffset=offset, x=alt.X("low:Q", title=y_title, scale=scale, axis=flat), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=58, opacity=1).encode(
            y=row, yOffset=offset, x=alt.X("mean:Q", title=y_title, scale=scale, axis=flat), color=colour, shape=shape
        ),
    ]
    if any(entry["published"] is not None for entry in rows):
        layers.append(
            base.mark_point(shape="diamond", size=90, filled=False, color=INK, strokeWidth=1.3).encode(
                y=row, yOffset=offset, x=alt.X("published:Q", title=y_title, scale=scale, axis=flat)
            )
        )
    return layers


def _series(study: Study, figure: Figure, points: list[FigurePoint]) -> tuple[Any, Any]:
    if not figure.series:
        return alt.value(PALETTE[1]), alt.value(SHAPES[0])
    return colour_and_shape(study, figure.series, _domain(study, figure, points))


def colour_and_shape(study: Study, axis: str, domain: list[str]) -> tuple[Any, Any]:
    """Colour and shape by the values of an axis; one has the same ones in every figure of the study."""
    known = list(study.value_labels.get(axis, {}).values())
    places = [(known or domain).index(value) for value in domain]
    palette = PALETTE if known else OTHER_PALETTE
    colours = [palette[place % len(palette)] for place in places]
    shapes = [SHAPES[place % len(SHAPES)] for place in places]
    legend = _legend(domain)
    return (
        alt.Color("series:N", scale=alt.Scale(domain=domain, range=colours), legend=legend),
        alt.Shape("series:N", scale=alt.Scale(domain=domain, range=shapes), legend=legend),
    )


def dash_and_width(domain: list[str]) -> dict[str, Any]:
    """Dashes and widths of lines that may lie on each other: wide ones below show between the dashes above."""
    places = range(len(domain))
    dashes = [DASHES[place % len(DASHES)] for place in places]
    widths = [max(3.4 - 0.7 * place, 1.3) for place in places]
    return {
        "strokeDash": alt.StrokeDash("series:N", scale=alt.Scale(domain=domain, range=dashes), legend=_legend(domain)),
        "strokeWidth": alt.StrokeWidth("series:N", scale=alt.Scale(domain=domain, range=widths), legend=None),
    }


def _legend(domain: list[str]) -> Any:
    columns = 3 if sum(map(len, domain)) > LEGEND_LENGTH else alt.Undefined
    return alt.Legend(title=None, orient="top", symbolSize=90, labelLimit=300, columns=columns)


def _domain(study: Study, figure: Figure, points: list[FigurePoint]) -> list[str]:
    series = figure.series
    return list(dict.fromkeys(study.value_label(series, p.text_on(series)) for p in points)) if series else []


def _panel_name(study: Study, panel: str | None, point: FigurePoint) -> str:
    if panel is None:
        return ""
    text = point.text_on(panel)
    return study.label(text) if panel == "metric" else study.value_label(panel, text)


def _size(figure: Figure, rows: list[dict[str, Any]]) -> dict[str, Any]:
    panels = len({row["panel"] for row in rows})
    width = 300 if panels > 1 else 400
    if figure.kind == "line":
        return {"width": width, "height": 230}
    series = len({row["series"] for row in rows})
    return {"width": width, "height": len({row["x"] for row in rows}) * (12 + 10 * series)}


def _scale(values: list[float], unit: str) -> Scale:
    return scale_for(max((abs(value) for value in values), default=0.0), unit)


def _unit(point: FigurePoint, axis: str) -> str:
    parameter = point.row.parameters.get(axis)
    return str(parameter.get("unit") or "") if isinstance(parameter, dict) else ""


def _theme() -> dict[str, Any]:
    text = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": 12, "titleFontSize": 12.5}
    ink = {"labelColor": INK, "titleColor": INK}
    return {
        "aria": False,  # a label for each mark makes files several times as large; pages label the whole figure
        "background": "transparent",
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        "axis": text
        | ink
        | {
            "titleFontWeight": "normal",
            "titlePadding": 9,
            "domainColor": QUIET,
            "tickColor": QUIET,
            "gridColor": GRID,
            "labelPadding": 5,
        },
        "legend": text | ink | {"labelFontSize": 12.5, "columnPadding": 18, "offset": 10},
        "header": text | ink | {"labelFontSize": 12.5, "labelFontWeight": "bold", "labelPadding": 8},
    }
