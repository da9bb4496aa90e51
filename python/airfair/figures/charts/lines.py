"""Means along an axis: numbers as a line with its confidence band, words as dots with their intervals."""

from __future__ import annotations

from typing import Any

import altair as alt

from airfair.catalogue.units import Scale, number
from airfair.catalogue.wording import counted, title
from airfair.figures.charts.picture import Picture, value_axis, wide
from airfair.figures.charts.points import Point
from airfair.figures.marks import Means
from airfair.runs.estimate import HOLLOW, NOT_FROM_ZERO, leaves_out_zero, within

#: Maximum number of points along x at which each interval is also drawn as a line.
_FEW = 24
#: Maximum number of series whose overlapping bands are distinguishable.
_BANDS = 4


def lines(picture: Picture, metric: str) -> tuple[Any, list[dict[str, Any]]]:
    """Draw a metric over a numeric axis as lines; over a sample, whose points share no values, as dots."""
    rows, scale, log = _rows(picture, metric)
    means = Means(
        scale.label(title(metric)),
        _scale(rows, log=log),
        upright=True,
        place={"x": picture.x_axis()},
        axis=_value_axis(rows, log=log),
    )
    sampled = picture.choice.data.sampled
    # In print without colours, shapes distinguish the lines, or dashes where there are no shapes.
    few = _has_dots(picture, rows)
    plain = picture.colour(dashed=not few)
    rules = means.intervals(**plain)
    dots = _dots(picture, means, rows, 34 if sampled else 56)
    layers = [rules, *dots]
    if not sampled:
        crowded = len({row["series"] for row in rows}) > _BANDS
        band = means.band(0.08 if crowded else 0.2, **plain)
        line = means.line(**(plain if few else picture.colour("strokeDash", dashed=True)))
        layers = [*([] if crowded and few else [band]), *([rules] if few else []), line, *(dots if few else [])]
    return alt.layer(*layers).properties(width=picture.width, height=picture.height), rows


def dots(picture: Picture, metric: str) -> tuple[Any, list[dict[str, Any]]]:
    """Draw a metric over an axis of words, as a row of dots for each word."""
    rows, scale, log = _rows(picture, metric)
    along = picture.along[str(picture.choice.x)]
    order = [along.text(value) for value in along.values]
    series = picture.series
    domain = [series.text(value) for value in series.values] if series else []
    row = alt.Y("x:N", sort=order, title=along.label, axis=alt.Axis(labelLimit=300, ticks=False, domain=False))
    means = Means(
        picture.beneath(scale.label(title(metric))),
        _scale(rows, log=log),
        upright=False,
        place={"y": row} | ({"yOffset": alt.YOffset("series:N", sort=domain)} if series else {}),
        axis=_value_axis(rows, log=log),
    )
    layered = alt.layer(means.intervals(**picture.colour()), *_dots(picture, means, rows, 62))
    return layered.properties(width=picture.width, height=len(order) * (16 + 12 * max(len(domain), 1))), rows


def _dots(picture: Picture, means: Means, rows: list[dict[str, Any]], size: int) -> list[Any]:
    shape = picture.colour("shape")
    hollow = {"shape": shape["shape"]} if "shape" in shape else {}
    inside = [means.hollow(size, **hollow)] if any(row["flagged"] for row in rows) else []
    return [means.points(size, **shape, description="tip:N"), *inside]


def _has_dots(picture: Picture, rows: list[dict[str, Any]]) -> bool:
    """Whether means are drawn as dots, and not as a line alone."""
    numeric = picture.choice.x and picture.along[picture.choice.x].numeric
    return not numeric or picture.choice.data.sampled or len({row["x"] for row in rows}) <= _FEW


def remarks(picture: Picture, metric: str) -> list[str]:
    """Notes on values that are cut or left out, on sessions left out, and on an axis that does not start at zero."""
    rows, _, log = _rows(picture, metric)
    found = [HOLLOW] if any(row["flagged"] for row in rows) and _has_dots(picture, rows) else []
    if left := sum(item.estimate is not None for item in picture.of(metric)) - len(rows):
        found.append(f"{counted(left, 'mean')} at or below zero: left out, as the axis is logarithmic.")
    if any(row["cut"] for row in rows):
        found.append("Intervals are cut where the metric's range or the logarithmic axis ends.")
    if not log and not _from_zero(rows) and leaves_out_zero(row[end] for row in rows for end in ("low", "high")):
        found.append(NOT_FROM_ZERO)
    return found


def _rows(picture: Picture, metric: str) -> tuple[list[dict[str, Any]], Scale, bool]:
    items: list[Point] = [item for item in picture.of(metric) if item.estimate]
    means = [item.estimate.mean for item in items if item.estimate]
    scale = picture.scale_of(metric, means)
    ends = [within(metric, item.estimate) for item in items if item.estimate]
    # A logarithmic axis can show neither a count of zero nor an interval that reaches zero.
    log = picture.is_log("y", wide(means) and not scale.counts and min(low for low, _ in ends) > 0)
    floor = min((mean for mean in means if mean > 0), default=1.0) / 2
    rows = []
    for item, (low, high) in zip(items, ends, strict=True):
        assert item.estimate is not None
        mean = item.estimate.mean
        if log and mean <= 0:
            continue
        low = max(low, min(floor, mean)) if log else low
        values = {"mean": mean, "low": low, "high": high}
        cut = item.estimate.ci95 is not None and (low, high) != item.estimate.ci95
        row = picture.at(item) | {name: value / scale.factor for name, value in values.items()}
        rows.append(row | {"cut": cut, "flagged": item.flagged, "tip": picture.tip(item, *_words(item, scale))})
    return rows, scale, log


def _words(item: Point, scale: Scale) -> list[str]:
    """A mean and its interval as computed, not cut."""
    assert item.estimate is not None
    mean, *ends = (number(value / scale.factor) for value in (item.estimate.mean, *(item.estimate.ci95 or ())))
    words = [f"{title(item.metric)} {mean} {scale.symbol}".strip()]
    words += [f"95 % interval {ends[0]} to {ends[1]}"] if ends else []
    return [*words, *item.unfinished]


def _scale(rows: list[dict[str, Any]], *, log: bool) -> Any:
    return alt.Scale(type="log", nice=False) if log else alt.Scale(zero=_from_zero(rows), nice=True)


def _from_zero(rows: list[dict[str, Any]]) -> bool:
    """Whether the axis of values starts at zero: it does unless that flattens the curve."""
    low, high = (pick((row[end] for row in rows), default=0.0) for pick, end in ((min, "low"), (max, "high")))
    return bool(low < 0.5 * high)


def _value_axis(rows: list[dict[str, Any]], *, log: bool) -> Any:
    return value_axis([row[end] for row in rows for end in ("low", "high")], log=log)
