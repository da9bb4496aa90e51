"""A metric over two axes, told by colour."""

from __future__ import annotations

from typing import Any

import altair as alt

from airfair.plots.draw import Along, Picture, decades, wide
from airfair.wording import title

#: The width of a cell in pixels lies between these.
_CELL = (14, 44)


def heatmap(picture: Picture, metric: str) -> tuple[Any, list[dict[str, Any]]]:
    """A cell for each point; of a sample a dot for each."""
    across, up = picture.along[str(picture.choice.x)], picture.along[str(picture.choice.color)]
    items = [item for item in picture.of(metric) if item.estimate]
    means = [item.estimate.mean for item in items]
    scale = picture.scale_of(metric, means)
    rows = [
        picture.at(item) | {"up": up.place(item.at[up.name]), "mean": item.estimate.mean / scale.factor}
        for item in items
    ]
    log = picture.is_log("y", wide(means))
    shown = [row["mean"] for row in rows]
    heat = alt.Color(
        "mean:Q",
        scale=alt.Scale(scheme="viridis", zero=False, type="log" if log else "linear"),
        legend=alt.Legend(
            title=scale.label(title(metric)),
            orient="top",
            titleFontWeight="normal",
            titleLimit=400,
            gradientLength=220,
            gradientThickness=12,
            tickCount=5,
            values=[at for at in decades(shown) if min(shown) <= at <= max(shown)] if log else alt.Undefined,
        ),
    )
    tooltip = [
        alt.Tooltip("x", type="nominal", title=across.label),
        alt.Tooltip("up", type="nominal", title=up.label),
        alt.Tooltip("mean:Q", title=scale.label(title(metric)), format=".4~g"),
    ]
    base = alt.Chart()
    if picture.choice.data.sampled and across.numeric and up.numeric:
        y = alt.Y("up:Q", title=up.label, scale=alt.Scale(zero=False, nice=False, padding=12))
        marks = base.mark_point(filled=True, shape="square", size=110, opacity=1)
        layered = alt.layer(marks.encode(x=picture.x_axis(), y=y, color=heat, tooltip=tooltip))
        return layered.properties(width=picture.width, height=picture.height + 40), rows
    x = _steps(alt.X, "x", across, labelAngle=0 if across.numeric or len(across.values) < 8 else -45)
    y = _steps(alt.Y, "up", up)
    layered = alt.layer(base.mark_rect().encode(x=x, y=y, color=heat, tooltip=tooltip))
    room = 480 if len(picture.panels) < 2 else 280
    return layered.properties(width=_size(room, across), height=_size(300, up)), rows


def _size(room: int, along: Along) -> int:
    count = len(along.values)
    return count * min(max(room // count, _CELL[0]), _CELL[1] if count > 4 else 70)


def _steps(channel: Any, field: str, along: Along, **axis: Any) -> Any:
    """An axis with a step for each value, the smallest at the left and at the bottom."""
    values = [along.place(value) for value in along.values]
    if channel is alt.Y:
        values.reverse()
    shown = alt.Axis(
        labelOverlap=True,
        labelExpr="isNumber(datum.value) ? format(datum.value, '.4~r') : datum.value",
        ticks=False,
        domain=False,
        **axis,
    )
    return channel(f"{field}:O", title=along.label, sort=values, axis=shown)
