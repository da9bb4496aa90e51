"""A metric over two axes, as colour."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import Any

import altair as alt

from airfair.catalogue.units import Scale, number
from airfair.catalogue.wording import title
from airfair.figures.charts.picture import Along, Picture, decades, wide
from airfair.figures.charts.points import Point
from airfair.figures.marks import least_step, step_axis

#: Width and height in pixels of a cell that shows its value.
_CELL = (46, 26)
#: Range of the width of cells without values, and the number of columns up to which cells show values.
_SMALL_CELL = (14, 24)
_WITH_VALUES = 20
#: Width of a character of a label in pixels: labels wider than a cell are slanted.
_CHARACTER = 7
#: The remark on cells with a star.
FLAGGED = "* leaves sessions out."
#: From this place in viridis on, text is black. Here black and white both have a contrast of 4.5 (WCAG 2, 1.4.3).
_LIGHT = 0.44


def heatmap(picture: Picture, metric: str) -> tuple[Any, list[dict[str, Any]]]:
    """Draw a metric over two axes: a cell for each point, or a dot for each point of a sample."""
    across, up = picture.along[str(picture.choice.x)], picture.along[str(picture.choice.color)]
    means = [item.estimate.mean for item in picture.of(metric) if item.estimate]
    scale = picture.scale_of(metric, means)
    log = picture.is_log("y", wide(means))
    shown = [mean / scale.factor for mean in means if mean > 0 or not log]
    rows = [
        picture.at(item) | {"up": up.place(item.at[up.name]), **_cell(picture, item, scale, shown, log=log)}
        for item in picture.of(metric)
        if item.estimate and (item.estimate.mean > 0 or not log)
    ]
    heat = alt.Color(
        "mean:Q",
        scale=alt.Scale(scheme="viridis", zero=False, nice=False, type="log" if log else "linear"),
        legend=alt.Legend(
            title=scale.label(title(metric)),
            orient="top",
            titleFontWeight="normal",
            titleLimit=400,
            gradientLength=300,
            gradientThickness=12,
            tickCount=5,
            values=[at for at in decades(shown) if min(shown) <= at <= max(shown)] if log else alt.Undefined,
        ),
    )
    base = alt.Chart()
    tip = alt.Description("tip:N")
    if _of_dots(picture, across, up):
        axis = alt.Axis(tickMinStep=least_step(counts=up.counts))
        y = alt.Y("up:Q", title=up.label, scale=alt.Scale(zero=False, nice=False, padding=12), axis=axis)
        marks = base.mark_point(filled=True, shape="square", size=110, opacity=1, aria=True)
        layered = alt.layer(marks.encode(x=picture.x_axis(), y=y, color=heat, description=tip))
        return layered.properties(width=picture.width, height=picture.height + 40), rows
    values = _shows_values(picture, across, up)
    cell = (max(_CELL[0], *(7 * len(row["text"]) + 8 for row in rows)), _CELL[1]) if values else _small(across)
    slanted = any(_CHARACTER * len(across.text(value)) > cell[0] for value in across.values) and not across.numeric
    x = _steps(alt.X, "x", across, labelAngle=-45 if slanted else 0)
    y = _steps(alt.Y, "up", up)
    layers = [base.mark_rect(aria=True).encode(x=x, y=y, color=heat, description=tip)]
    if values:
        ink = alt.condition("datum.pale", alt.value("black"), alt.value("white"))
        words = base.mark_text(fontSize=12).encode(x=x, y=y, text="text:N", color=ink)
        layers.append(words)
    layered = alt.layer(*layers)
    return layered.properties(width=cell[0] * len(across.values), height=cell[1] * len(up.values)), rows


def _cell(picture: Picture, item: Point, scale: Scale, shown: Sequence[float], *, log: bool) -> dict[str, Any]:
    """The fields of a cell: among others its value, its text, and the shade of the text."""
    assert item.estimate is not None
    mean = item.estimate.mean / scale.factor
    text = number(mean, 3) + ("*" if item.flagged else "")
    pale = _share(mean, shown, log=log) > _LIGHT
    named = f"{title(item.metric)} {number(mean)} {scale.symbol}".strip()
    return {"mean": mean, "text": text, "pale": pale, "tip": picture.tip(item, named, *item.unfinished)}


def remarks(picture: Picture) -> list[str]:
    """The note on the mark of cells whose means leave sessions out."""
    across, up = (picture.along[str(name)] for name in (picture.choice.x, picture.choice.color))
    flagged = any(item.flagged for metric in picture.choice.y for item in picture.of(metric))
    return [FLAGGED] if flagged and _shows_values(picture, across, up) else []


def _shows_values(picture: Picture, across: Along, up: Along) -> bool:
    return not _of_dots(picture, across, up) and len(across.values) <= _WITH_VALUES


def _of_dots(picture: Picture, across: Along, up: Along) -> bool:
    return picture.choice.data.sampled and across.numeric and up.numeric


def _share(value: float, among: Sequence[float], *, log: bool) -> float:
    """The place of a value in the colour scale, from 0 to 1."""
    low, high = min(among), max(among)
    if log:
        low, high, value = log10(low), log10(high), log10(value)
    return (value - low) / (high - low) if high > low else 0.0


def _small(along: Along) -> tuple[int, int]:
    low, high = _SMALL_CELL
    return min(max(600 // len(along.values), low), high), high


def _steps(channel: Any, field: str, along: Along, **axis: Any) -> Any:
    values = [along.place(value) for value in along.values]
    return step_axis(channel, field, along.label, values, numeric=along.numeric, **axis)
