"""Figures with a bar for each flow of a run."""

from __future__ import annotations

import altair as alt
import polars

from airfair.catalogue.known import every_metric
from airfair.catalogue.units import scale_of
from airfair.figures.drawing import Drawing, drawing, side_by_side
from airfair.studies.draw import series_of
from airfair.studies.plan import Plan
from airfair.studies.study import Figure
from airfair.theme import INK, PALETTE


def draw_flows(plan: Plan, figure: Figure) -> Drawing:
    """Draw a count of each flow of each cell's first run, and the mean of each run's flows as a line."""
    study = plan.study
    runs = [(cell, polars.DataFrame(outcome.flows)[figure.y[0]].to_list()) for cell, outcome in plan.first_runs(figure)]
    unit = str(every_metric().get(figure.y[0], {}).get("unit", ""))
    scale = scale_of((value for _, values in runs for value in values), unit)
    rows = [
        {
            "flow": place,
            "value": value / scale.factor,
            "series": study.value_label(figure.series, cell.at[figure.series]) if figure.series else "",
            "panel": study.value_label(figure.panel, cell.at[figure.panel]) if figure.panel else "",
        }
        for cell, values in runs
        for place, value in enumerate(values, start=1)
    ]
    axis = figure.series
    series = series_of(study, axis, (cell.at[axis] for cell, _ in runs)) if axis else None
    colour = series.encoding("color") if series else alt.value(PALETTE[1])
    x = alt.X("flow:O", title=study.labels.get("flow", "Sender"), axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("value:Q", title=scale.label(figure.y_label or study.label(figure.y[0])))
    bars = alt.Chart().mark_bar().encode(x=x, y=y, color=colour)
    if series and axis != figure.panel:
        bars = bars.encode(xOffset=alt.XOffset("series:N", sort=list(series.labels)))
    mean = (
        alt.Chart()
        .mark_rule(strokeWidth=1.3, strokeDash=[5, 4], color=INK)
        .encode(y=alt.Y("mean(value):Q"), detail="series:N")
    )
    layered = alt.layer(bars, mean).properties(width=320, height=200)
    data = alt.InlineData(values=rows)
    if not figure.panel:
        return drawing(layered.properties(data=data))
    return drawing(side_by_side(layered, rows, list(dict.fromkeys(str(row["panel"]) for row in rows))))
