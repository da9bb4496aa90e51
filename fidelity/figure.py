"""Figures of the comparisons, in the style of the studies' figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from airfair.figures import drawn
from airfair.theme import FONT, GRID, INK, PALETTE, QUIET, SHAPES, places
from fidelity.document import DOCS

IMAGES = DOCS / "images"


def draw(name: str, rows: Sequence[dict[str, object]], theory: str) -> None:
    """Write docs/images/NAME.png: for each panel the rates over loss, and measured over predicted rates.

    A row has `panel`, `loss`, `series`, `tcp` (the theme's word, which decides the colour), `measured` and `predicted`.
    """
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    charts = [_panel(panel, [row for row in rows if row["panel"] == panel], theory) for panel in panels]
    write(name, alt.vconcat(*charts))


def write(name: str, chart: Any) -> None:
    """Write docs/images/NAME.png."""
    chart = chart.configure(background="white", font=FONT, padding=8, view=alt.ViewConfig(stroke=None))
    chart = chart.configure_axis(
        labelColor=INK, titleColor=INK, titleFontWeight="normal", domainColor=QUIET, tickColor=QUIET, gridColor=GRID
    )
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / f"{name}.png").write_bytes(drawn.png(drawn.svg(chart.to_dict(), version), 2))


def _panel(title: str, rows: list[dict[str, object]], theory: str) -> Any:
    data = [{**row, "ratio": _number(row["measured"]) / _number(row["predicted"])} for row in rows]
    words = {str(row["series"]): str(row["tcp"]) for row in rows}
    names, taken = list(words), places(list(words.values()))
    percent = "format(100 * datum.value, '~') + ' %'"
    x = alt.X("loss:Q", title="loss probability", axis=alt.Axis(labelExpr=percent, values=[1e-4, 1e-3, 1e-2, 5e-2]))
    x = x.scale(type="log", nice=False, padding=10)
    colour = alt.Color(
        "series:N", title=None, sort=names, scale=alt.Scale(domain=names, range=[PALETTE[place] for place in taken])
    )
    shape = alt.Shape(
        "series:N", title=None, sort=names, scale=alt.Scale(domain=names, range=[SHAPES[place] for place in taken])
    )
    base = alt.Chart(alt.InlineData(values=data)).properties(width=330, height=250)
    predicted = {(row["loss"], row["predicted"]) for row in rows}
    same_for_all = len(predicted) == len({row["loss"] for row in rows})
    rates = alt.layer(
        base.mark_line(strokeWidth=1.4).encode(
            x, _log("predicted", "segments sent per second"), color=alt.value(INK) if same_for_all else colour
        ),
        base.mark_point(filled=True, size=52, opacity=1).encode(
            x, _log("measured", "segments sent per second"), colour, shape
        ),
        title=alt.Title(
            title, subtitle=f"points: measured; lines: {theory}", anchor="start", color=INK, subtitleColor=INK
        ),
    )
    one = base.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(y=alt.datum(1))
    ratios = alt.layer(
        one,
        base.mark_line(strokeWidth=1.4).encode(x, _ratio(theory), colour),
        base.mark_point(filled=True, size=52, opacity=1).encode(x, _ratio(theory), colour, shape),
        title=alt.Title("", subtitle=f"measured over {theory}", anchor="start", color=INK, subtitleColor=INK),
    )
    return alt.hconcat(rates, ratios, spacing=30)


def _number(value: object) -> float:
    return float(str(value))


def _log(field: str, title: str) -> Any:
    return alt.Y(f"{field}:Q", title=title, scale=alt.Scale(type="log", nice=False, padding=8))


def _ratio(theory: str) -> Any:
    return alt.Y("ratio:Q", title=f"measured / {theory}", scale=alt.Scale(domain=[0.8, 1.2], zero=False))
