"""The spread of values over seeds or sessions: boxes and cumulative distributions."""

from __future__ import annotations

from typing import Any

import altair as alt

from airfair.catalogue.units import number
from airfair.catalogue.wording import title
from airfair.figures.charts.picture import Picture, value_axis, wide
from airfair.figures.charts.points import Distribution, Spread
from airfair.theme import INK

#: The parts of a box, and their fields in a row.
PARTS = {"5 %": "low", "quartile": "q1", "median": "median", "upper quartile": "q3", "95 %": "high"}


def boxes(picture: Picture, metric: str) -> tuple[Any, list[dict[str, Any]]]:
    """Draw a box of quartiles for each value on x, with whiskers from 5 % to 95 % and a line at the median."""
    items: list[Spread] = picture.of(metric)
    scale = picture.scale_of(metric, [item.median for item in items])
    log = _is_log(picture, items)
    rows: list[dict[str, Any]] = []
    for item in items:
        at = picture.at(item) | {"part": "box"}
        ends = {"low": item.low, "q1": item.quartile, "median": item.median, "q3": item.upper_quartile}
        box = {name: value / scale.factor for name, value in (ends | {"high": item.high}).items()}
        if log and box["low"] <= 0:
            continue
        words = (f"{name} {number(box[key])} {scale.symbol}".strip() for name, key in PARTS.items())
        rows.append(at | box | {"tip": picture.tip(item, title(metric), *words)})
        rows += [at | {"part": "value", "value": value / scale.factor} for value in item.values]
    along, series = picture.along[str(picture.choice.x)], picture.series
    domain = [series.text(value) for value in series.values] if series else []
    x = alt.X(
        "x:O",
        title=along.label,
        sort=[along.place(value) for value in along.values],
        axis=alt.Axis(
            labelAngle=0,
            ticks=False,
            labelOverlap=True,
            labelExpr="isNumber(datum.value) ? format(datum.value, '.4~r') : datum.value",
        ),
        scale=alt.Scale(paddingInner=0.25, paddingOuter=0.15),
    )
    place: dict[str, Any] = {"x": x}
    if series:
        place["xOffset"] = alt.XOffset("series:N", sort=domain, scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1))
    colour = picture.colour()["color"]
    value_scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=_from_zero(items), nice=True)
    axis = value_axis([row[end] for row in rows if row["part"] == "box" for end in ("low", "high")], log=log)
    y_title = scale.label(title(metric))

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", title=y_title, scale=value_scale, axis=axis)

    width = picture.panel or (420 if len(picture.panels) < 2 else 300)
    one = min(width / len(along.values) * 0.7 / max(len(domain), 1), 34)
    base = alt.Chart().transform_filter(alt.datum.part == "box")
    layered = alt.layer(
        base.mark_rule(strokeWidth=1.2).encode(**place, y=y("low"), y2="high:Q", color=colour),
        base.mark_bar(size=max(one, 2), opacity=0.45, aria=True).encode(
            **place, y=y("q1"), y2="q3:Q", color=colour, description="tip:N"
        ),
        base.mark_tick(size=max(one, 2), thickness=2, orient="horizontal").encode(**place, y=y("median"), color=colour),
        alt.Chart()
        .transform_filter(alt.datum.part == "value")
        .mark_point(filled=True, size=14, opacity=0.75, color=INK)
        .encode(**place, y=y("value")),
    )
    return layered.properties(width=width, height=picture.height), rows


def from_zero(picture: Picture, metric: str) -> bool:
    """Whether the axis of a metric's boxes starts at zero, or is logarithmic and has no zero."""
    items: list[Spread] = picture.of(metric)
    return _is_log(picture, items) or _from_zero(items)


def _is_log(picture: Picture, items: list[Spread]) -> bool:
    return picture.is_log("y", wide([item.low for item in items] + [item.high for item in items]))


def _from_zero(items: list[Spread]) -> bool:
    return min(item.low for item in items) < 0.5 * max(item.high for item in items)


def distribution(picture: Picture, metric: str) -> tuple[Any, list[dict[str, Any]]]:
    """Draw cumulative distributions: the share of values at or below each value."""
    items: list[Distribution] = picture.of(metric)
    values = [value for item in items for value, _ in item.steps]
    scale = picture.scale_of(metric, sorted(values)[len(values) // 2 :][:1])
    log = picture.is_log("x", wide(_inner(items)))
    rows = []
    for item in items:
        at, before = picture.at(item), item.steps[0][1]
        started = [(item.steps[0][0], max(0.0, before - 1 / (item.n + item.missing))), *item.steps]
        rows += [
            at | {"value": value / scale.factor, "share": share} for value, share in started if value > 0 or not log
        ]
    what = "sessions" if picture.choice.data.of_sessions else "runs"
    x = alt.X(
        "value:Q",
        title=picture.beneath(scale.label(title(metric))),
        scale=alt.Scale(type="log" if log else "linear", nice=not log, zero=False),
        axis=value_axis([row["value"] for row in rows], log=log, grid=False, labelOverlap="greedy", labelSeparation=6),
    )
    y = alt.Y(
        "share:Q",
        title=f"Share of {what} at or below (%)",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(labelExpr="format(datum.value * 100, 'd')", values=[0, 0.25, 0.5, 0.75, 1]),
    )
    marks = picture.colour("strokeDash", dashed=True)
    line = alt.Chart().mark_line(strokeWidth=1.8, interpolate="step-after").encode(x=x, y=y, **marks)
    return alt.layer(line).properties(width=picture.width, height=picture.height), rows


def _inner(items: list[Distribution]) -> list[float]:
    """The 5th and the 95th percentile of each distribution, which decide the scale instead of outliers."""
    return [item.steps[round(share * (len(item.steps) - 1))][0] for item in items for share in (0.05, 0.95)]
