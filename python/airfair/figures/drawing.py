"""Drawing charts: Vega-Lite through Altair, rendered to SVG and PNG without a browser or a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any

import altair as alt

from airfair import theme
from airfair.catalogue.wording import visible
from airfair.figures import drawn
from airfair.theme import DASHES, FONT, INK, PALETTE, SHAPES, ordered, places, ramp

#: Panels whose largest values differ by more than this factor have separate scales.
APART = 5
#: Pixels of a PNG for each pixel of a picture for screens.
PIXELS = 2.5
#: Approximate widths in pixels: of a legend in one row, of a symbol with its space, of a character.
ROW, _SYMBOL, CHARACTER = 480, 46, 7
#: Size of a legend's line whose dashes show: Vega draws it as long as the root of this.
_DASHED = 26**2

#: Vega gives each group of marks a role and no name. Screen readers shall read only the figure and marks with names.
_NAMELESS = re.compile(
    r'(<g class="[^"]*"(?: clip-path="[^"]*")?) role="graphics-(?:object|symbol)" aria-roledescription="[^"]*"'
)
#: Width or height of a picture for paper.
_IN_POINTS = re.compile(r'\b(width|height)="([\d.]+)pt"')
_VERSION = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


@dataclass(frozen=True)
class Drawing:
    """A drawn figure."""

    svg: str
    #: The chart in Vega-Lite.
    spec: Mapping[str, Any] = field(repr=False)
    #: Pixels of a PNG for each pixel of the picture.
    pixels: float = PIXELS

    @cached_property
    def png(self) -> bytes:
        """The figure as PNG on white."""
        return drawn.png(on_white(self.svg), self.pixels)

    @cached_property
    def pdf(self) -> bytes:
        """The figure as PDF."""
        return drawn.pdf(_IN_POINTS.sub(r'\1="\2"', self.svg, count=2))  # a point of the PDF is a pixel of the SVG

    @property
    def chart(self) -> Any:
        """The figure as a chart of Altair, to be changed: `figure.chart.properties(title="Mine").save("mine.html")`."""
        return alt.Chart.from_dict(deepcopy(self.source))

    @property
    def source(self) -> dict[str, Any]:
        """The figure in Vega-Lite with `$schema`: without it, editors take figures of several panels for Vega."""
        return {"$schema": alt.SCHEMA_URL, **self.spec, "background": "white"}


def drawing(chart: Any) -> Drawing:
    """Draw a chart of Altair, or one in Vega-Lite, with the theme of all figures."""
    config = theme.config()
    spec = _visible({**chart, "config": config} if isinstance(chart, dict) else chart.configure(**config).to_dict())
    return Drawing(_NAMELESS.sub(r"\1", drawn.svg(spec, _VERSION)), spec)


def _visible(part: Any) -> Any:
    """Escape the invisible characters in all texts of a part of a chart."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, dict):
        return {name: _visible(value) for name, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list | tuple) else part


def on_white(svg: str) -> str:
    """Put an SVG on a white background."""
    start = svg.index(">") + 1
    return f'{svg[:start]}<rect width="100%" height="100%" fill="white"/>{svg[start:]}'


def side_by_side(
    layered: Any, rows: list[dict[str, Any]], panels: list[str], *, columns: int = 0, apart: str | None = None
) -> dict[str, Any]:
    """A chart for each panel, as Vega-Lite; four and more in two columns, unless `columns` is given.

    Only outer axes have labels. Altair would validate each panel repeatedly, which takes longer than drawing, so the
    panels are combined here. `apart` names the axis, "x" or "y", that has a scale of its own in each panel.
    """
    columns = columns or (2 if len(panels) > 3 else len(panels))
    spec = without_data(layered)
    charts = []
    for place, panel in enumerate(panels):
        chart = deepcopy(spec)
        if apart != "x" and place + columns < len(panels):
            _without_axis(chart, "x")
        if apart != "y" and place % columns:
            _without_axis(chart, "y")
        chart["layer"].append(_heading(panel, spec["width"]))
        charts.append(chart | {"data": {"values": [row for row in rows if row["panel"] == panel]}})
    scales = {channel: "independent" if channel == apart else "shared" for channel in ("x", "y", "color", "shape")}
    return {"concat": charts, "columns": columns, "spacing": 24, "resolve": {"scale": scales}}


def without_data(layered: Any) -> dict[str, Any]:
    """A chart as Vega-Lite without its values.

    Altair names the values and stores them beside the chart, where Vega-Lite does not find them in a nested chart.
    """
    spec = {key: value for key, value in layered.to_dict().items() if key in ("layer", "width", "height")}
    for layer in spec["layer"]:
        layer.pop("data", None)
    return spec


def _heading(panel: str, width: float) -> dict[str, Any]:
    """A heading with the panel's name. A title of Vega would move up where an axis label extends beyond the panel."""
    mark = {"type": "text", "text": panel, "font": FONT, "fontSize": 12.5, "fontWeight": "bold", "color": INK}
    place = {"x": {"value": width / 2}, "y": {"value": -14}}
    return {"mark": mark, "data": {"values": [{"panel": panel}]}, "encoding": place}


def _without_axis(chart: dict[str, Any], channel: str) -> None:
    """Remove all of an axis but its grid."""
    for layer in chart["layer"]:
        encoding = layer.get("encoding", {}).get(channel)
        if encoding is not None:
            axis = encoding.get("axis") or {}
            encoding["axis"] = axis | {"labels": False, "ticks": False, "title": None, "domain": channel == "x"}
            encoding.pop("title", None)


def scales_apart(largest: Iterable[float]) -> bool:
    """Whether panels with these largest values would be hard to read on one scale."""
    values = [value for value in largest if value > 0]
    return len(values) > 1 and max(values) > APART * min(values)


def dash_and_width(domain: Sequence[str]) -> dict[str, Any]:
    """Dashes and widths for lines that may overlap: wide lines show between the dashes of those above."""
    places = range(len(domain))
    dashes = [DASHES[place % len(DASHES)] for place in places]
    widths = [max(3.4 - 0.7 * place, 1.3) for place in places]
    return {
        "strokeDash": alt.StrokeDash(
            "series:N", scale=alt.Scale(domain=list(domain), range=dashes), legend=legend(domain)
        ),
        "strokeWidth": alt.StrokeWidth("series:N", scale=alt.Scale(domain=list(domain), range=widths), legend=None),
    }


def legend(labels: Sequence[str], title: str | None = None, row: int = ROW, *, dashed: bool = False) -> Any:
    """A legend above the figure, in several rows if it is longer than `row`. Dashed lines need longer symbols."""
    size = _DASHED if dashed else 90
    wide = [_SYMBOL + CHARACTER * len(label) + sqrt(size) - sqrt(90) for label in labels]
    columns = max(2, int(row // max(wide))) if sum(wide) > row else alt.Undefined
    return alt.Legend(
        title=title,
        orient="top",
        symbolSize=size,
        clipHeight=14 if dashed else alt.Undefined,  # else a row is as high as its symbols are long
        symbolOpacity=1,
        labelLimit=300,
        titleFontWeight="normal",
        columns=columns,
    )


@dataclass(frozen=True)
class Series:
    """The values shown by colour, with their colours and marks."""

    labels: Sequence[str]
    #: For each label its place in the palette, the shapes and the dashes.
    places: Sequence[int]
    colours: Sequence[str]
    title: str | None = None
    #: The width of a legend's row in pixels.
    row: int = ROW

    @classmethod
    def of_words(
        cls, words: Iterable[str], axis: Sequence[str], label: Callable[[str], str], title: str | None = None
    ) -> Series:
        """A series of words; `axis` has all words of their axis, in order."""
        domain = ordered(dict.fromkeys(words))
        found = places(domain, axis)
        return cls([label(word) for word in domain], found, [PALETTE[place] for place in found], title)

    @classmethod
    def of_numbers(cls, labels: Sequence[str], title: str | None = None) -> Series:
        """A series of ordered numbers."""
        return cls(labels, range(len(labels)), ramp(len(labels)), title)

    def encoding(self, channel: str, *, dashed: bool = False) -> Any:
        """The encoding of the series in a channel: `color`, `shape` or `strokeDash`; `dashed` is the legend's."""
        kinds: dict[str, tuple[Any, Sequence[Any]]] = {
            "color": (alt.Color, self.colours),
            "shape": (alt.Shape, [SHAPES[place % len(SHAPES)] for place in self.places]),
            "strokeDash": (alt.StrokeDash, [DASHES[place % len(DASHES)] for place in self.places]),
        }
        kind, values = kinds[channel]
        scale = alt.Scale(domain=list(self.labels), range=list(values))
        return kind("series:N", scale=scale, legend=legend(self.labels, self.title, self.row, dashed=dashed))
