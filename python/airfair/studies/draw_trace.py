"""Figures over the time of a run."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import polars

from airfair import _engine
from airfair.catalogue.units import scale_for
from airfair.figures.drawing import Drawing, dash_and_width, drawing, side_by_side
from airfair.studies.draw import series_of
from airfair.studies.plan import Plan
from airfair.studies.study import Cell, Figure
from airfair.theme import PALETTE


@dataclass(frozen=True)
class Trace:
    """One quantity of one cell over time."""

    cell: Cell
    quantity: str
    #: SI unit.
    unit: str
    #: Columns `time_s` and `value`.
    series: polars.DataFrame


def draw_trace(plan: Plan, figure: Figure) -> Drawing:
    """Draw quantities of each cell's first run over time as steps, because each value holds until the next one."""
    study = plan.study
    runs = plan.first_runs(figure, figure.y)
    traces = [_trace(cell, quantity, outcome, figure.times) for cell, outcome in runs for quantity in figure.y]
    largest = max((float(trace.series["value"].max() or 0.0) for trace in traces), default=0.0)  # type: ignore[arg-type]
    scale = scale_for(largest, traces[0].unit if traces else "")
    rows = [
        {"time": time, "value": value / scale.factor, "series": series, "panel": panel}
        for trace in traces
        for series, panel in [[study.name_on(axis, _value(axis, trace)) for axis in (figure.series, _panel(figure))]]
        for time, value in trace.series.iter_rows()
    ]
    x = alt.X(
        "time:Q",
        title="Time (s)",
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=6, labelOverlap=True),
    )
    y = alt.Y(
        "value:Q",
        title=scale.label(figure.y_label or study.label(figure.y[0])),
        scale=alt.Scale(zero=figure.zero, nice=True),
    )
    axis = figure.series
    series = series_of(study, axis, (_value(axis, trace) for trace in traces)) if axis else None
    colour = series.encoding("color") if series else alt.value(PALETTE[1])
    drawn = dash_and_width(series.labels) if series and len(series.labels) > 1 else {"strokeWidth": alt.value(1.5)}
    lines = alt.Chart().mark_line(interpolate="step-after").encode(x=x, y=y, color=colour, **drawn)
    chart = alt.layer(lines).properties(width=330, height=210)
    data = alt.InlineData(values=rows)
    if _panel(figure) is None:
        return drawing(chart.properties(data=data))
    return drawing(side_by_side(chart, rows, list(dict.fromkeys(row["panel"] for row in rows))))


def _panel(figure: Figure) -> str | None:
    return "metric" if len(figure.y) > 1 else figure.panel


def _value(axis: str | None, trace: Trace) -> str:
    return trace.quantity if axis == "metric" else trace.cell.at[axis] if axis else ""


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
