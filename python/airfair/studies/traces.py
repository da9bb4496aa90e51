"""The data of a study's trace figures: quantities over the time of one run for each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars

from airfair import _engine
from airfair.runs.executor import Point, execute

if TYPE_CHECKING:
    from airfair.studies.plan import Plan
    from airfair.studies.study import Cell, Figure


@dataclass(frozen=True)
class Trace:
    """One quantity of one cell over time."""

    cell: Cell
    quantity: str
    #: SI unit.
    unit: str
    #: Columns `time_s` and `value`.
    series: polars.DataFrame


def record(what: Plan, figure: Figure) -> list[Trace]:
    """Run the figure's cells with the first seed and keep the traces."""
    traces: list[Trace] = []
    cells = [
        (cell, checked)
        for cell, checked in what.cells
        if cell.experiment == figure.experiment and not cell.setup and cell.matches(figure.where)
    ]
    points = {Point(checked, what.seeds[0], figure.y): cell for cell, checked in cells}
    outcomes = execute(list(points)).outcomes
    for point, cell in points.items():
        if point in outcomes:
            traces += (_trace(cell, name, outcomes[point], figure.times) for name in figure.y)
    return traces


def _trace(cell: Cell, quantity: str, outcome: _engine.Outcome, times: tuple[float, float] | None) -> Trace:
    frame = polars.DataFrame(outcome.series).filter(polars.col("quantity") == quantity)
    unit = str(frame["unit"][0]) if frame.height else ""
    series = frame.select("time_s", "value")
    if times:
        # A value holds until the next one: extend the earlier one to the start, the last one to the end.
        shown = series.filter(polars.col("time_s") <= times[1])
        before = shown.filter(polars.col("time_s") < times[0]).tail(1).with_columns(time_s=polars.lit(times[0]))
        last = shown.tail(1).with_columns(time_s=polars.lit(times[1]))
        series = polars.concat([before, shown.filter(polars.col("time_s") >= times[0]), last])
    return Trace(cell, quantity, unit, series)
