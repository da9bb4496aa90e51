"""Figures of quantities over the time of a run."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import polars

from airfair import _engine
from airfair.catalogue.units import scale_for
from airfair.figures.drawing import Drawing, dash_and_width
from airfair.studies.draw import colour_of, in_panels, series_of
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
        for series, panel in [[study.name_on(axis, _value(axis, trace)) for axis in (figure.series, figure.panels)]]
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
    series = series_of(study, figure.series, (_value(figure.series, trace) for trace in traces))
    drawn = dash_and_width(series.labels) if series and len(series.labels) > 1 else {"strokeWidth": alt.value(1.5)}
    lines = alt.Chart().mark_line(interpolate="step-after").encode(x=x, y=y, color=colour_of(series), **drawn)
    return in_panels(alt.layer(lines).properties(width=330, height=210), rows, figure)


def _value(axis: str | None, trace: Trace) -> str:
    return trace.quantity if axis == "metric" else trace.cell.value_on(axis)


def _trace(cell: Cell, quantity: str, outcome: _engine.Outcome, times: tuple[float, float] | None) -> Trace:
    frame = polars.DataFrame(outcome.series).filter(polars.col("quantity") == quantity)
    unit = str(frame["unit"][0]) if frame.height else ""
    series = frame.select("time_s", "value")
    if times:
        # A value holds until the next one: extend the value before the start to it, and the last value to the end.
        shown = series.filter(polars.col("time_s") <= times[1])
        before = shown.filter(polars.col("time_s") < times[0]).tail(1).with_columns(time_s=polars.lit(times[0]))
        last = shown.tail(1).with_columns(time_s=polars.lit(times[1]))
        series = polars.concat([before, shown.filter(polars.col("time_s") >= times[0]), last])
    return Trace(cell, quantity, unit, series)
