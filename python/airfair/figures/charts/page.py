"""A figure as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airfair import pages
from airfair.catalogue.left_out import flag
from airfair.catalogue.parameters import shown
from airfair.catalogue.units import Scale, number, scale_of
from airfair.catalogue.wording import of_seeds, title
from airfair.figures.charts.choice import Choice
from airfair.figures.charts.kinds import BOX, CDF
from airfair.figures.charts.picture import Along
from airfair.figures.charts.points import Numbers
from airfair.figures.charts.spread import PARTS
from airfair.figures.drawing import Drawing


def render(choice: Choice, numbers: Numbers, drawing: Drawing, *, name: str, caption: str) -> str:
    """Render the page: the figure with its caption, its values as a table, and the constant parameters."""
    data = choice.data
    along = {name: Along.of(data, name) for name in choice.shown}
    rows = _rows(choice, numbers, along)
    return pages.render(
        "plot.html",
        script="plot.js",
        name=data.name,
        file=name,
        heading="; ".join(map(title, choice.y)),
        axes=[along[name].label for name in choice.shown],
        seeds=_seeds(choice),
        set=data.set,
        where=data.where,
        constant=_constant(choice),
        caption=caption,
        svg=pages.inline(drawing.svg, "figure"),
        width=round(float(drawing.svg.split('width="', 1)[1].split('"', 1)[0])),
        heads=[*(along[name].label for name in choice.shown), *_heads(choice)],
        rows=rows[: pages.MOST_ROWS],
        left=max(0, len(rows) - pages.MOST_ROWS),
        source=pages.embedded(drawing.source),
    )


def _seeds(choice: Choice) -> str:
    if "seed" not in choice.data.frame.columns:
        return ""
    seeds = choice.data.frame["seed"].unique().sort().to_list()
    whole = seeds == list(range(seeds[0], seeds[-1] + 1))
    return of_seeds(seeds) if whole else f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}"


def _constant(choice: Choice) -> list[tuple[str, str]]:
    """Parameters with one value at all points."""
    data, found = choice.data, []
    others = {*data.axes, *data.metrics, *data.set, "seed", "flow"}
    for name in data.frame.columns:
        column = data.frame[name]
        if name in others or data.of_sessions or column.n_unique() != 1:
            continue
        found.append((name, shown(column[0], data.units.get(name))))
    return found


def _heads(choice: Choice) -> list[str]:
    """The heads of the columns with values."""
    if choice.kind == BOX:
        return ["Metric", *(part.capitalize() for part in PARTS), "n"]
    if choice.kind == CDF:
        return ["Metric", "10 %", "Median", "90 %", "Missing", "n"]
    return ["Metric", "Mean", "95 % interval", "Seeds"]


def _rows(choice: Choice, numbers: Numbers, along: Mapping[str, Along]) -> list[list[str]]:
    units = choice.data.units
    found = []
    for item in numbers:
        scale = scale_of(item.drawn, units.get(item.metric, ""))
        at = [along[name].text(item.at[name]) for name in choice.shown]
        found.append([*at, title(item.metric), *_values(item, choice.kind, scale)])
    return found


def _values(item: Any, kind: str, scale: Scale) -> list[str]:
    def words(value: float) -> str:
        return f"{number(value / scale.factor)} {scale.symbol}".strip()

    if kind == BOX:
        parts = (item.low, item.quartile, item.median, item.upper_quartile, item.high)
        return [*map(words, parts), str(item.n)]
    if kind == CDF:
        shares = (next((value for value, share in item.steps if share >= wanted), None) for wanted in (0.1, 0.5, 0.9))
        return [*("" if value is None else words(value) for value in shares), str(item.missing), str(item.n)]
    if item.estimate is None:
        return ["no value", "", "0"]
    ends = item.estimate.ci95
    mean = words(item.estimate.mean) + flag(item.left_out[0] if item.left_out else 0)
    return [mean, f"{words(ends[0])} to {words(ends[1])}" if ends else "", str(item.estimate.n)]
