"""Colours, marks, fonts and orders of all figures and pages, for light and for dark screens.

The engine, which draws timelines, defines the colours of figures on white.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from airfair._engine import AREA, EMPTY, FONT, GREYS, GRID, INK, PALETTE, PAPER, QUIET, SHADES

__all__ = [
    "AREA",
    "DARK",
    "DASHES",
    "EMPTY",
    "FONT",
    "GREYS",
    "GRID",
    "INK",
    "PAGE",
    "PALETTE",
    "PAPER",
    "PLACES",
    "QUIET",
    "RAMP",
    "RAMP_OF_MANY",
    "SHADES",
    "SHAPES",
    "config",
    "ordered",
    "places",
    "ramp",
]

#: The shapes of marks, in the order of `PALETTE`.
SHAPES = (
    *("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "triangle-left"),
    # As SVG: an hourglass, a bow tie, a star, a saltire, a hexagon, a half disc, a pentagon, a star of four points.
    *("M-0.9,-0.9H0.9L-0.9,0.9H0.9Z", "M-0.9,-0.9V0.9L0.9,-0.9V0.9Z"),
    "M0.00,-1.00L0.24,-0.32L0.95,-0.31L0.38,0.12L0.59,0.81L0.00,0.40L-0.59,0.81L-0.38,0.12L-0.95,-0.31L-0.24,-0.32Z",
    "M-0.9,-0.6L-0.6,-0.9L0,-0.3L0.6,-0.9L0.9,-0.6L0.3,0L0.9,0.6L0.6,0.9L0,0.3L-0.6,0.9L-0.9,0.6L-0.3,0Z",
    "M-0.5,-0.87H0.5L1,0L0.5,0.87H-0.5L-1,0Z",
    "M-1,0.5A1,1,0,0,1,1,0.5Z",
    "M0,-1L0.95,-0.31L0.59,0.81H-0.59L-0.95,-0.31Z",
    "M0,-1L0.3,-0.3L1,0L0.3,0.3L0,1L-0.3,0.3L-1,0L-0.3,-0.3Z",
)
#: The dashes of lines without shapes, in the order of `PALETTE`.
DASHES = (
    *([1, 0], [7, 4], [3, 3], [9, 3, 2, 3], [2, 4], [12, 4], [6, 2, 2, 2, 2, 2], [4, 6]),
    *([14, 3, 3, 3], [1, 3], [8, 2], [5, 2, 1, 2]),
    *([16, 4], [10, 2, 2, 2, 2, 2], [1, 5], [2, 2, 6, 2]),
)
#: The place of each TCP and each policy in the palette, the shapes and the dashes, in every figure. Legends and axes
#: have them in this order.
PLACES = {
    # TCPs
    "tahoe": 7,
    "reno": 0,
    "newreno": 5,
    "sack": 6,
    "reno-maxwin10": 3,
    "vegas": 1,
    "vegas-fair": 4,
    "westwood": 2,
    "westwood-plus": 10,
    "aimd": 9,
    "constant": 8,
    "cubic": 11,
    "bbr": 12,
    "bbr3": 13,
    "dctcp": 14,
    "prague": 15,
    # policies
    "none": 7,
    "drop_tail": 7,
    "fifo": 7,
    "rate_limiter": 3,
    "lossless": 4,
    "red": 0,
    "choke": 6,
    "codel": 5,
    "fq_codel": 1,
    "fq_mac": 3,
    "airtime_drr": 2,
    "airtime": 2,
    "mac80211": 8,
    "pie": 10,
    "dualpi2": 9,
    "cake": 11,
    "fq": 12,
}
#: Colours of ordered numbers: viridis up to the palest colour with enough contrast on light pages. Dark pages have the
#: other end.
RAMP = ("#440154", "#471d6e", "#44367f", "#3c4d8a", "#33648d", "#2b778e", "#248a8d", "#1f9e89")
_RAMP_ON_DARK = ("#2a788e", "#238c8c", "#22a287", "#33b57a", "#5cc762", "#8ed543", "#c5e02a", "#fde725")
#: Colours of more ordered numbers than `RAMP` has, from the same part of viridis.
RAMP_OF_MANY = (
    *("#440154", "#461365", "#462473", "#44347d", "#404385", "#3a518b"),
    *("#35608c", "#2f6d8d", "#2a798e", "#26858d", "#22918c", "#1f9e89"),
)
_MANY_ON_DARK = (
    *("#2a788e", "#26858d", "#23928b", "#22a087", "#2bac80", "#3ab876"),
    *("#55c466", "#73cd54", "#93d641", "#b6dd31", "#d9e328", "#fde725"),
)
_PALETTE_ON_DARK = (
    *("#d55e00", "#4aaced", "#009078", "#e69f00", "#d384b7", "#76e1ff", "#b2965b", "#c1bab3"),
    *("#af4e5a", "#867edb", "#999933", "#a84599", "#cc6677", "#127c39", "#44aa99", "#6699cc"),
)
#: For each colour of figures that dark pages replace, the colour there.
DARK = {
    INK: "#e7eaed",
    QUIET: "#a0a9b2",
    GRID: "#32383e",
    **dict(zip(PALETTE, _PALETTE_ON_DARK, strict=True)),
    **dict(zip(RAMP_OF_MANY, _MANY_ON_DARK, strict=True)),
    **dict(zip(RAMP, _RAMP_ON_DARK, strict=True)),
    EMPTY: "#2b3137",
    AREA: "#2b3137",
    # Lines have the first shade of a hue, and bands a later one. On dark pages the order is reversed: lines are pale.
    **{light: dark for shades in SHADES for light, dark in zip(shades, reversed(shades), strict=True)},
    **dict(zip(GREYS, ("#75808a", "#4c555d", "#606a73", "#3c444b"), strict=True)),
}
#: Colours of pages other than those of figures: on light and on dark screens.
PAGE = {
    "paper": (PAPER, "#14171a"),
    "raised": ("#f6f7f9", "#1d2125"),
    "ink": (INK, DARK[INK]),
    "quiet": (QUIET, DARK[QUIET]),
    "line": (GRID, DARK[GRID]),
    "link": ("#0061a1", "#6db9f2"),
    "holds": ("#1b7a4b", "#5cc491"),
    "fails": ("#b3261e", "#ff8a80"),
    "undecided": ("#8a6100", "#e3b341"),
}


def ordered(words: Iterable[str]) -> list[str]:
    """Words in the order of figures: TCPs and policies as in `PLACES`, all others as they are given."""
    found = list(words)
    order = list(PLACES)
    return sorted(found, key=order.index) if all(word in PLACES for word in found) else found


def places(words: Sequence[str], axis: Sequence[str] = ()) -> list[int]:
    """The place of each word in the palette, the shapes and the dashes.

    Words that are neither a TCP nor a policy take the remaining places in the order of `axis`. `axis` has all words of
    the axis, so that a word keeps its place whichever others are shown beside it.
    """
    every = list(dict.fromkeys([*axis, *words]))
    taken = {PLACES[word] for word in every if word in PLACES}
    left = [place for place in range(len(PALETTE)) if place not in taken]
    others = [word for word in every if word not in PLACES]
    found = PLACES | {word: left[number % len(left)] for number, word in enumerate(others)}
    return [found[word] for word in words]


def ramp(count: int) -> tuple[str, ...]:
    """Colours for `count` ordered values, all of them keys of `DARK`; distinct up to the length of `RAMP_OF_MANY`."""
    if count == 1:
        return (RAMP[3],)
    colours = RAMP if count <= len(RAMP) else RAMP_OF_MANY
    return tuple(colours[round(place * (len(colours) - 1) / (count - 1))] for place in range(count))


def config() -> dict[str, Any]:
    """The theme as a Vega-Lite configuration."""
    text = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": 12, "titleFontSize": 12.5}
    ink = {"labelColor": INK, "titleColor": INK}
    axis = {"domainColor": QUIET, "tickColor": QUIET, "gridColor": GRID, "labelPadding": 5}
    return {
        "aria": False,  # a label for each mark makes files several times as large; pages label the whole figure
        "background": "transparent",
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        "axis": {**text, **ink, **axis, "titleFontWeight": "normal", "titlePadding": 9},
        "legend": {**text, **ink, "labelFontSize": 12.5, "columnPadding": 18, "offset": 10},
        "header": {**text, **ink, "labelFontSize": 12.5, "labelFontWeight": "bold", "labelPadding": 8},
    }
