"""Axes and marks that all charts share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from airfair.theme import PAPER

_NUMBER = "format(datum.value, '.4~r')"


def number_axis(
    title: str | Sequence[str],
    values: Sequence[float] | None = None,
    *,
    log: bool = False,
    counts: bool = False,
    field: str = "x",
) -> Any:
    """A numeric x axis, with marks at `values` if given. With `counts`, no marks are between whole numbers."""
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type="log" if log else "linear", nice=False, zero=False, padding=14),
        axis=alt.Axis(
            values=alt.Undefined if values is None else values,
            labelExpr=_NUMBER,
            grid=False,
            labelOverlap="greedy",
            labelSeparation=4,
            tickMinStep=least_step(counts=counts),
        ),
    )


def least_step(*, counts: bool) -> Any:
    """The least distance of marks on an axis: 1 for counts, else undefined."""
    return 1 if counts else alt.Undefined


def step_axis(channel: Any, field: str, title: str, values: Sequence[Any], *, numeric: bool, **axis: Any) -> Any:
    """An axis with a step for each value; on a vertical axis numbers start at the bottom, words at the top."""
    shown = list(reversed(values)) if channel is alt.Y and numeric else list(values)
    labels = alt.Axis(
        # Vega may leave out labels of numbers that overlap, but not of words: a missing word could not be guessed.
        labelOverlap=numeric,
        labelLimit=300,
        labelExpr=f"isNumber(datum.value) ? {_NUMBER} : datum.value",
        ticks=False,
        domain=False,
        **axis,
    )
    return channel(f"{field}:O", title=title, sort=shown, axis=labels)


@dataclass(frozen=True)
class Means:
    """Marks for means with their intervals: rows have the fields `mean`, `low` and `high`."""

    title: str | Sequence[str]
    scale: Any
    #: Whether values run upwards, as over a numeric axis; else they run along x, as in rows of words.
    upright: bool
    #: The encoding in the direction across the values.
    place: dict[str, Any]
    axis: Any = alt.Undefined
    #: The chart that the marks belong to, with or without data of its own.
    base: Any = field(default_factory=alt.Chart)

    def channel(self, name: str) -> dict[str, Any]:
        """The encoding of a field as a value."""
        kind = alt.Y if self.upright else alt.X
        key = "y" if self.upright else "x"
        return {key: kind(f"{name}:Q", title=self.title, scale=self.scale, axis=self.axis)}

    def _ends(self) -> dict[str, Any]:
        return {**self.place, **self.channel("low"), "y2" if self.upright else "x2": "high:Q"}

    def intervals(self, **look: Any) -> Any:
        """The intervals as lines."""
        return self.base.mark_rule(strokeWidth=1.5, clip=True).encode(**self._ends(), **look)

    def band(self, opacity: float, **look: Any) -> Any:
        """The intervals as a band."""
        return self.base.mark_area(opacity=opacity, clip=True, line=False).encode(**self._ends(), **look)

    def line(self, name: str = "mean", *, width: float = 1.8, dash: Sequence[int] = (), **look: Any) -> Any:
        """A line through a field."""
        dashed = {"strokeDash": list(dash)} if dash else {}
        return self.base.mark_line(strokeWidth=width, **dashed).encode(**self.place, **self.channel(name), **look)

    def points(self, size: int = 56, **look: Any) -> Any:
        """The means as points; screen readers read a `description`."""
        marks = self.base.mark_point(
            filled=True, size=size, opacity=1, **({"aria": True} if "description" in look else {})
        )
        return marks.encode(**self.place, **self.channel("mean"), **look)

    def hollow(self, size: int = 56, **look: Any) -> Any:
        """Paper over the middle of those of `points` whose rows are `flagged`: their means leave sessions out."""
        inside = self.points(round(0.3 * size), color=alt.value(PAPER), **look)
        return inside.transform_filter("datum.flagged")
