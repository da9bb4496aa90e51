"""Figures of a given width on paper, with text of the size that journals print."""

from __future__ import annotations

import re
from dataclasses import replace
from math import floor

from airfair import _engine
from airfair.figures.charts.draw import draw
from airfair.figures.charts.kinds import HEATMAP
from airfair.figures.charts.picture import Picture
from airfair.figures.drawing import Drawing

#: Size of labels on paper, in points. On screens they have 12 pixels, 9 points.
_LABELS = 8
_SHRUNK = _LABELS / 9
#: How many points, of each unit, and pixels of a picture make an inch.
_POINTS = 72
_UNITS = {"mm": 25.4, "cm": 2.54, "in": 1.0, "pt": _POINTS}
_INCH = 96
#: Pixels of a PNG in an inch of paper: IEEE asks for 600 where lines and text are drawn.
_DENSITY = 600
#: The width in pixels of the narrowest panel, and of the one that shows how much room all else takes.
_NARROWEST, _ANY = 80, 230


def pixels(width: str) -> float:
    """A width on paper, as in `88 mm`, in pixels of a picture.

    Raises:
        InputError: It is no width.
    """
    found = re.fullmatch(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})\s*", width)
    if not found or not float(found[1]):
        raise _engine.InputError(f"--width {width}: expected a width on paper, such as '88 mm', '3.5 in' or '252 pt'")
    return float(found[1]) / _UNITS[found[2]] * _INCH


def fitted(picture: Picture, width: float) -> Drawing:
    """Draw a figure of this width in pixels. Panels take what labels leave, fewer of them side by side if need be.

    The cells of a heatmap are as large as their numbers: if they need more, the whole figure is smaller.

    Raises:
        InputError: A panel would be too narrow.
    """
    room = width / _SHRUNK
    for columns in range(max(picture.columns, 1), 0, -1):
        tried = replace(picture, panel=_ANY, most_columns=columns)
        panel = _ANY + floor((room - _size(draw(tried))[0]) / columns)
        if panel >= _NARROWEST or picture.choice.kind == HEATMAP:
            break
    else:
        least = (width + (_NARROWEST - panel) * _SHRUNK) / _INCH * _UNITS["mm"]
        raise _engine.InputError(f"--width: too narrow for this figure, which needs {least:.0f} mm")
    drawn = draw(replace(tried, panel=panel, row=floor(room)))
    across, down = _size(drawn)
    scale = min(_SHRUNK, width / across)
    points = _POINTS / _INCH
    size = f'width="{width * points:.2f}pt" height="{down * scale * points:.2f}pt"'
    head = f'{size} viewBox="0 0 {width / scale:.2f} {down:g}"'
    return replace(drawn, svg=_HEAD.sub(head, drawn.svg, count=1), pixels=_DENSITY / _INCH)


_HEAD = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*"')


def _size(drawn: Drawing) -> tuple[float, float]:
    found = _HEAD.search(drawn.svg)
    assert found
    return float(found[1]), float(found[2])
