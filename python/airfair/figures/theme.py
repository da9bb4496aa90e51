"""Colours, marks and fonts of all figures."""

from __future__ import annotations

from typing import Any

from airfair.catalogue.units import Scale

# Okabe and Ito's palette: told apart with any colour vision. Shapes repeat what the colours say.
PALETTE = ("#D55E00", "#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#8C6D31", "#555555")
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
)
#: Of lines in their order; the first one is drawn first, below the others.
DASHES = ([1, 0], [7, 4], [3, 3], [9, 3, 2, 3], [2, 4], [12, 4], [6, 2, 2, 2, 2, 2], [4, 6])
# For axes whose values have no place of their own in the study's labels.
OTHER_PALETTE = ("#5b6570", "#56B4E9", "#8C6D31", "#CC79A7")
# Characters in a row of the legend; with more it has several.
LEGEND_LENGTH = 90
# Along an axis; a probability as a metric stays a number from 0 to 1.
PERCENT = Scale(0.01, "%")
# `report.html` replaces these in dark mode.
INK, QUIET, GRID = "#1c2126", "#5b6570", "#e3e6ea"
#: Panels whose largest values differ by more than this factor have scales of their own.
APART = 5
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


def config() -> dict[str, Any]:
    """The theme as a Vega-Lite configuration."""
    text = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": 12, "titleFontSize": 12.5}
    ink = {"labelColor": INK, "titleColor": INK}
    return {
        "aria": False,  # a label for each mark makes files several times as large; pages label the whole figure
        "background": "transparent",
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        "axis": text
        | ink
        | {
            "titleFontWeight": "normal",
            "titlePadding": 9,
            "domainColor": QUIET,
            "tickColor": QUIET,
            "gridColor": GRID,
            "labelPadding": 5,
        },
        "legend": text | ink | {"labelFontSize": 12.5, "columnPadding": 18, "offset": 10},
        "header": text | ink | {"labelFontSize": 12.5, "labelFontWeight": "bold", "labelPadding": 8},
    }
