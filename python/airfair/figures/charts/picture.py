"""The parts that all kinds of figures share: axes, series, panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, floor, log10
from statistics import median, median_high
from textwrap import wrap
from typing import Any

import altair as alt

from airfair.catalogue.parameters import is_number, written
from airfair.catalogue.units import PERCENT, Scale, number, scale_for, scale_of
from airfair.catalogue.wording import title
from airfair.figures.charts.choice import Choice
from airfair.figures.charts.data import Data
from airfair.figures.charts.kinds import HEATMAP
from airfair.figures.charts.points import Numbers
from airfair.figures.drawing import CHARACTER, ROW, Drawing, Series, drawing, side_by_side, without_data
from airfair.figures.marks import number_axis
from airfair.theme import PALETTE, ordered

#: Maximum number of values on an axis that are all labelled.
_MARKED = 16
#: Heatmaps with more columns than the first number are one below the other; with more than the second, in pairs.
_WIDE_MAPS = (14, 6)
#: Smallest ratio of the largest to the smallest value for a logarithmic axis, along x and along y. An x axis must also
#: have values that are spaced more evenly on a logarithmic axis.
_WIDE_X, _WIDE_Y = 20, 100


@dataclass(frozen=True)
class Along:
    """An axis of the data, with labels."""

    name: str
    #: The distinct values in SI: numbers ascend, words are in the order of `theme.ordered`, unset comes last.
    values: tuple[Any, ...]
    numeric: bool
    scale: Scale
    #: All words of the axis in order, also those that these rows lack.
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Data, name: str) -> Along:
        """An axis with its values in these rows."""
        column = data.frame[name].unique()
        words = data.orders.get(name, ())
        found = column.drop_nulls().to_list()
        found.sort(key=_order if column.dtype.is_numeric() else lambda value: _given(words, value))
        if not column.dtype.is_numeric():
            found = ordered(found)
        values = tuple(found) + ((None,) if column.null_count() else ())
        return cls.over(name, values, data.units.get(name, ""), words)

    @classmethod
    def over(cls, name: str, values: tuple[Any, ...], unit: str, words: tuple[str, ...] = ()) -> Along:
        """An axis with these distinct values."""
        numeric = bool(values) and all(is_number(value) for value in values)
        if not numeric:
            return cls(name, values, numeric, Scale(1.0, ""), words)
        if unit == "fraction":
            return cls(name, values, numeric, PERCENT)
        return cls(name, values, numeric, scale_for(median_high(abs(value) for value in values), unit))

    @property
    def counts(self) -> bool:
        """Whether the values are whole numbers that are shown unscaled."""
        return self.numeric and self.scale.factor == 1 and all(isinstance(value, int) for value in self.values)

    @property
    def label(self) -> str:
        """The name of the axis and its unit."""
        return self.scale.label(title(self.name))

    @property
    def logarithmic(self) -> bool:
        """Whether the values are spaced more evenly on a logarithmic axis."""
        if not self.numeric or len(self.values) < 3 or min(self.values) <= 0:
            return False
        low, high = min(self.values), max(self.values)
        # The middle value is nearer to the geometric mean of the ends than to the arithmetic one.
        return bool(high >= _WIDE_X * low and median(self.values) ** 2 < (low * high) ** 0.5 * (low + high) / 2)

    def place(self, value: Any) -> Any:
        """The position of a value on the axis: a number in the axis' unit, or a word."""
        if self.numeric:
            return float(f"{value / self.scale.factor:.12g}")
        return self.text(value)

    def text(self, value: Any) -> str:
        """A value as text, without its unit."""
        if value is None:
            return "unset"
        return number(value / self.scale.factor) if is_number(value) else written(value)

    def whole(self, value: Any) -> str:
        """A value as text, with the name of the axis and the unit."""
        unit = f" {self.scale.symbol}" if self.scale.symbol and value is not None else ""
        return f"{title(self.name)}: {self.text(value)}{unit}"


def _given(words: Sequence[str], value: Any) -> tuple[int, bool, float, str]:
    """Sort key: words in the order given, then others by `_order`."""
    word = written(value)
    return (words.index(word) if word in words else len(words), *_order(value))


def _order(value: Any) -> tuple[bool, float, str]:
    """Sort key: numbers by size, also in a column of words; then words alphabetically."""
    try:
        return (False, float(value), "")
    except ValueError:
        return (True, 0.0, written(value))


@dataclass(frozen=True)
class Picture:
    """The parts of a figure."""

    choice: Choice
    numbers: Numbers
    #: The axes to make logarithmic: `x`, `y`; `None`: the values decide.
    log: frozenset[str] | None
    #: The height of a panel in pixels.
    height: int = 230
    #: The width of a panel in pixels; `None`: as many panels as are side by side leave room for.
    panel: int | None = None
    #: The width of a legend's row in pixels.
    row: int = ROW
    most_columns: int = 3

    @cached_property
    def along(self) -> dict[str, Along]:
        """The axes that the figure shows, by name."""
        return {name: Along.of(self.choice.data, name) for name in self.choice.shown}

    @property
    def series(self) -> Along | None:
        """The axis shown by colour; `None` if there is none."""
        return self.along[self.choice.color] if self.choice.color else None

    @property
    def panels(self) -> list[str]:
        """The names of the panels; empty for a single panel."""
        if not self.choice.facet:
            return []
        facet = self.along[self.choice.facet]
        return [facet.whole(value) for value in facet.values]

    @property
    def columns(self) -> int:
        """The number of panels side by side."""
        if self.choice.kind == HEATMAP and self.choice.x:
            count = len(self.along[self.choice.x].values)
            return 1 if count > _WIDE_MAPS[0] else 2 if count > _WIDE_MAPS[1] else min(len(self.panels), 3)
        return min(2 if len(self.panels) in (2, 4) else len(self.panels), self.most_columns)

    @property
    def width(self) -> int:
        """The width of a panel in pixels."""
        return self.panel or (420 if self.columns < 2 else 300 if self.columns == 2 else 230)

    def of(self, metric: str) -> list[Any]:
        """The figure's numbers that belong to a metric."""
        return [item for item in self.numbers if item.metric == metric]

    def at(self, item: Any) -> dict[str, Any]:
        """The position of a number: x, series and panel."""
        found: dict[str, Any] = {"panel": "", "series": ""}
        if self.choice.x:
            found["x"] = self.along[self.choice.x].place(item.at[self.choice.x])
        if self.series:
            found["series"] = self.series.text(item.at[self.series.name])
            if self.choice.data.sampled and self.series.numeric:
                found["series"] = self.series.place(item.at[self.series.name])
        if self.choice.facet:
            found["panel"] = self.along[self.choice.facet].whole(item.at[self.choice.facet])
        return found

    def scale_of(self, metric: str, values: Sequence[float]) -> Scale:
        """The most readable scale for these values of a metric."""
        return scale_of(values, self.choice.data.units.get(metric, ""))

    def tip(self, item: Any, *values: str) -> str:
        """A description of a mark for the pointer and for screen readers: position and values."""
        places = [self.along[name].whole(item.at[name]) for name in self.choice.shown]
        return "; ".join([*places, *values])

    def beneath(self, label: str) -> Any:
        """A title of an x axis, in several lines where a panel on paper is too narrow for one."""
        return label if self.panel is None else wrap(label, max(self.panel // CHARACTER, 1), break_long_words=False)

    def is_log(self, channel: str, chosen: bool) -> bool:
        """Whether the axis `x` or `y` is logarithmic: as the user asks, or else as `chosen`."""
        return chosen if self.log is None else channel in self.log

    def x_axis(self) -> Any:
        """A numeric x axis."""
        assert self.choice.x is not None
        along = self.along[self.choice.x]
        log = self.is_log("x", along.logarithmic)
        places = [along.place(value) for value in along.values]
        marked = places if len(places) <= _MARKED else None
        return number_axis(self.beneath(along.label), marked, log=log, counts=along.counts and not log)

    @cached_property
    def _marks(self) -> Series:
        """The colours, shapes and dashes of the series."""
        series = self.series
        assert series is not None
        words = [series.text(value) for value in series.values]
        if series.numeric:
            return replace(Series.of_numbers(words, series.label), row=self.row)
        return replace(Series.of_words(words, series.words or words, str, series.label), row=self.row)

    def colour(self, *besides: str, dashed: bool = False) -> dict[str, Any]:
        """Encodings that distinguish the series: colour, and what `besides` names: `shape` or `strokeDash` (dashes).

        `dashed` is the same in all layers with one legend: whether it shows dashes.
        """
        series = self.series
        if series is None:
            return {"color": alt.value(PALETTE[1])}
        if self.choice.data.sampled and series.numeric:
            gradient = alt.Legend(title=series.label, orient="right", titleFontWeight="normal", gradientLength=180)
            return {"color": alt.Color("series:Q", scale=alt.Scale(scheme="viridis"), legend=gradient)}
        return {channel: self._marks.encoding(channel, dashed=dashed) for channel in ("color", *besides)}

    def put_together(self, charts: Mapping[str, tuple[Any, list[dict[str, Any]]]]) -> Drawing:
        """Combine the charts of all metrics: panels side by side, metrics one above the other."""
        specs: list[dict[str, Any]] = []
        for layered, values in charts.values():
            panels = [panel for panel in self.panels if any(row["panel"] == panel for row in values)]
            if panels:
                specs.append(side_by_side(layered, values, panels, columns=self.columns))
            else:
                specs.append(without_data(layered) | {"data": {"values": values}})
        if len(specs) == 1:
            return drawing(specs[0])
        # The cells of heatmaps are coloured by their own metric.
        alone = "independent" if self.choice.kind == HEATMAP else "shared"
        scales = {"color": alone, "shape": "shared"}
        return drawing({"vconcat": specs, "spacing": 26, "resolve": {"scale": scales}})


def wide(values: Sequence[float]) -> bool:
    """Whether values are positive and span two decades or more."""
    return bool(values) and min(values) > 0 and max(values) >= _WIDE_Y * min(values)


def value_axis(values: Sequence[float], *, log: bool, **axis: Any) -> Any:
    """The axis of a metric's values; if it is logarithmic, with the marks of `decades`."""
    if not log:
        return alt.Axis(tickCount=5, labelFlush=False, **axis)
    return alt.Axis(values=decades(values), labelExpr="format(datum.value, '~r')", labelFlush=False, **axis)


def decades(values: Sequence[float]) -> list[float]:
    """Marks for positive values: 1, 2 and 5 in each decade, or only the powers of ten."""
    low, high = min(values), max(values)
    steps = (1, 2, 5) if high < 1000 * low else (1,)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    return [float(f"{step}e{power}") for power in powers for step in steps]
