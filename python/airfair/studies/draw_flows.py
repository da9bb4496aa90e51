"""Figures with a bar for each flow of a run."""

from __future__ import annotations

import altair as alt
import polars

from airfair.catalogue.known import every_metric
from airfair.catalogue.units import scale_of
from airfair.figures.drawing import Drawing
from airfair.studies.draw import colour_of, in_panels, series_of
from airfair.studies.plan import Plan
from airfair.studies.study import Figure
from airfair.theme import INK


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
            "series": study.name_on(figure.series, cell.value_on(figure.series)),
            "panel": study.name_on(figure.panel, cell.value_on(figure.panel)),
        }
        for cell, values in runs
        for place, value in enumerate(values, start=1)
    ]
    series = series_of(study, figure.series, (cell.value_on(figure.series) for cell, _ in runs))
    x = alt.X("flow:O", title=study.labels.get("flow", "Sender"), axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("value:Q", title=scale.label(figure.y_label or study.label(figure.y[0])))
    bars = alt.Chart().mark_bar().encode(x=x, y=y, color=colour_of(series))
    if series and figure.series != figure.panel:
        bars = bars.encode(xOffset=alt.XOffset("series:N", sort=list(series.labels)))
    mean = (
        alt.Chart()
        .mark_rule(strokeWidth=1.3, strokeDash=[5, 4], color=INK)
        .encode(y=alt.Y("mean(value):Q"), detail="series:N")
    )
    return in_panels(alt.layer(bars, mean).properties(width=320, height=200), rows, figure)
