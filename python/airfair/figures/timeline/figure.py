"""The whole picture: texts, panels one above the other, columns side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from airfair.catalogue.units import quantity
from airfair.figures import svg
from airfair.figures.timeline.air import Air
from airfair.figures.timeline.exchanges import are_few
from airfair.figures.timeline.queue import Queue
from airfair.figures.timeline.scene import BANDS, Column, People, ticks
from airfair.figures.timeline.sessions import Sessions
from airfair.figures.timeline.windows import Windows
from airfair.theme import INK, QUIET

#: Widths: names and scales on the left, names on the right of each column.
_LEFT, _RIGHT, _EDGE = 88.0, 106.0, 22.0
_PLOT = {1: 900.0, 2: 540.0, 3: 420.0}
_SMALL = 360.0
#: Widths for phones, with columns one above the other.
_NARROW = 250.0
#: Maximum number of sessions whose starts are drawn as lines through all panels.
_GUIDES = 24
_TITLE, _BETWEEN = 12.0, 30.0
#: Distance by which lines through all panels extend above each.
_REACH = 5.0


class Panel(Protocol):
    """A row of the picture."""

    title: str
    unit: str
    height: float

    def labels(self, x: float, y: float) -> str:
        """The names and scales on the left."""

    def draw(self, column: Column, y: float) -> str:
        """The content of a column."""


def draw_stacked(columns: Sequence[Column], *, title: str, facts: str, findings: Sequence[str]) -> str:
    """The picture for narrow screens as SVG: the columns one above the other, on the same axes."""
    placed = [replace(column, left=_EDGE + _LEFT, right=_EDGE + _LEFT + _NARROW) for column in columns]
    total = _EDGE + _LEFT + _NARROW + _RIGHT
    people = People(placed)
    panels = _panels(placed, people)
    parts: list[str] = []
    y = _paragraph(parts, title, total, 30.0, size=18, font_weight="bold")
    y = _paragraph(parts, facts, total, y, size=13, fill=QUIET) + 18
    for column, found in zip(placed, findings, strict=True):
        if column.title:
            parts.append(svg.text(_EDGE, y, column.title, size=16, font_weight="bold"))
            y += 20
        y = _paragraph(parts, found, total, y, size=13) + 14 if found else y + 8
        y = _body(parts, panels, [column], people, y)
        y = _magnified(parts, [column], people, y) + 80
    return _closed(parts, reading(panels, people, placed), total, y - 18, title, [facts, *findings])


def _paragraph(parts: list[str], words: str, total: float, y: float, *, size: float, **style: Any) -> float:
    """Lines of text from `y` on; returns where the next one goes."""
    for line in svg.wrapped(words, total - 2 * _EDGE, size):
        parts.append(svg.text(_EDGE, y, line, size=size, **style))
        y += 1.35 * size
    return y


def _magnified(parts: list[str], columns: Sequence[Column], people: People, y: float) -> float:
    """The excerpts of columns, with a time axis of their own; returns their end, which is `y` without any."""
    parts_of_runs = [column.shown["excerpt"] for column in columns]
    if not all(parts_of_runs):
        return y
    placed = [
        replace(column, shown={**column.shown, **part, "sessions": []})
        for column, part in zip(columns, parts_of_runs, strict=True)
    ]
    panels = []
    for number in range(len(placed[0].shown["air"])):
        panel = Air(placed, people, number)
        start, end = placed[0].shown["from"], placed[0].shown["to"]
        panel.title = panel.title.replace("On the air", "On the air, magnified")
        panel.unit = f"{quantity(end - start, 's', 3)} of the time above"
        panels.append(panel)
    body, bottom = _stack(panels, placed, people, y + 66)
    parts += body
    parts += [_time_axis(column, bottom) for column in placed]
    return bottom


def draw(columns: Sequence[Column], *, title: str, facts: str, findings: Sequence[str]) -> str:
    """The picture as SVG. `facts` identifies the runs; `findings` has a text for each column."""
    wide = _PLOT.get(len(columns), _SMALL)
    placed = []
    x = _EDGE + _LEFT
    for column in columns:
        placed.append(replace(column, left=x, right=x + wide))
        x += wide + _RIGHT
    total = x + 8
    people = People(placed)
    panels = _panels(placed, people)
    parts = [
        svg.text(_EDGE, 36, title, size=20, font_weight="bold"),
        svg.text(_EDGE, 57, facts, size=13, fill=QUIET),
    ]
    bottom = _body(parts, panels, placed, people, _heads(parts, placed, findings, 92.0))
    bottom = _magnified(parts, placed, people, bottom)
    return _closed(parts, reading(panels, people, placed), total, bottom + 62, title, [facts, *findings])


def _body(parts: list[str], panels: Sequence[Panel], columns: Sequence[Column], people: People, y: float) -> float:
    """The panels and the time axis of columns side by side; returns the end of the panels."""
    top = y + _TITLE - _REACH
    body, bottom = _stack(panels, columns, people, y)
    if all(len(column.shown["sessions"]) <= BANDS for column in columns):
        parts += [_bands(column, people, top, bottom) for column in columns]
    parts += body
    parts += [_time_axis(column, bottom) for column in columns]
    # The page's script reads the axes from these attributes.
    ends: dict[str, Any] = {"data_top": top, "data_bottom": bottom, "class_": "axis"}
    parts += [svg.element("g", data_left=column.left, data_right=column.right, **ends) for column in columns]
    return bottom


def _closed(parts: list[str], note: str, total: float, y: float, title: str, told: Sequence[str]) -> str:
    """The whole picture, with the legend below, from `y` on."""
    for words in svg.wrapped(note, total - 2 * _EDGE, 11.5):
        parts.append(svg.text(_EDGE, y, words, size=11.5, fill=QUIET))
        y += 16
    return svg.document(total, y + 4, *parts, title=title, description=" ".join([*told, note]))


def _stack(panels: Sequence[Panel], columns: Sequence[Column], people: People, y: float) -> tuple[list[str], float]:
    """The panels from `y` on, and their end."""
    parts: list[str] = []
    for panel in panels:
        head: list[tuple[str, dict[str, Any]]] = [
            (panel.title, {"font_weight": "bold"}),
            (f"   {panel.unit}", {"fill": QUIET, "font_size": 11.5}),
        ]
        room = columns[-1].right + _RIGHT - columns[0].left
        if svg.width(panel.title, 13) + svg.width(panel.unit, 11.5) + 12 > room:
            unit = head.pop()
            parts.append(svg.spans(_EDGE, y + 15, [(panel.unit, unit[1])], size=13, **svg.HALO))
        parts.append(svg.spans(columns[0].left, y, head, size=13, **svg.HALO))
        y += _TITLE + 15 * (len(head) == 1)
        extent = (y - _REACH, y + panel.height + 3)
        parts.append(panel.labels(columns[0].left - 9, y))
        lines = [_guides(column, people, extent, ends=not isinstance(panel, Sessions)) for column in columns]
        drawn = [panel.draw(column, y) for column in columns]
        # Lines must not cross the texts of sessions, which stand at their start.
        parts += [*lines, *drawn] if isinstance(panel, Sessions) else [*drawn, *lines]
        if isinstance(panel, Queue):
            parts += [panel.remarks(column, y) for column in columns]
        y += panel.height + _BETWEEN
    return parts, y - _BETWEEN + 3


def _panels(columns: Sequence[Column], people: People) -> list[Panel]:
    panels: list[Panel] = []
    if any(column.shown["sessions"] for column in columns):
        panels.append(Sessions(columns, people))
    queues = max(len(column.shown["queues"]) for column in columns)
    panels += [Queue(columns, people, number) for number in range(queues)]
    media = max(len(column.shown["air"]) for column in columns)
    panels += [Air(columns, people, number) for number in range(media)]
    if any(column.shown["windows"] or column.shown["crowds"] for column in columns):
        panels.append(Windows(columns, people))
    return panels


def reading(panels: Sequence[Panel], people: People, columns: Sequence[Column]) -> str:
    """A legend of the panels, and notes on elements that are not drawn."""
    notes = []
    for panel in panels:
        if isinstance(panel, Sessions):
            notes.append("A session's bar ends when its last byte is sent.")
            if any(bar["ideal"] is not None for column in columns for bar in column.shown["sessions"]):
                notes.append(
                    "The upright mark is where it ends at the fair share: its length over the user's share of the "
                    "bandwidth. Time beyond it is pale. IF: the time to the mark over the time to the last byte sent."
                )
            if panel.left_out:
                notes.append(f"{panel.left_out} more sessions are not drawn, for lack of room.")
        elif isinstance(panel, Windows) and panel.limit is not None:
            notes.append("The part of a congestion window above the receiver's window (dashed) has no effect.")
    if any(column.shown["excerpt"] or any(map(are_few, column.shown["air"])) for column in columns):
        notes.append(
            "An exchange has its number of MPDUs on it if these are several, its access category unless that is best "
            "effort, and its block ack as a bar at its end; those that stations begin are pale."
        )
    if people.mixed:
        notes.append("Grey are users that transfer all the time.")
    if any(column.shown["crowds"] for column in columns):
        notes.append("Of many persistent flows' windows there are the median and the band that eight in ten are in.")
    return " ".join(notes)


def _heads(parts: list[str], columns: Sequence[Column], findings: Sequence[str], y: float) -> float:
    """The titles and findings of columns; returns the start of the panels."""
    lines = [
        svg.wrapped(finding, column.wide + _RIGHT - 24, 13) for column, finding in zip(columns, findings, strict=True)
    ]
    for column, words in zip(columns, lines, strict=True):
        at = y
        if column.title:
            parts.append(svg.text(column.left, at, column.title, size=16, font_weight="bold"))
            at += 20
        for row in words:
            parts.append(svg.text(column.left if column.title else _EDGE, at, row, size=13))
            at += 17
    titled = 20 if columns[0].title else 0
    return y + titled + 17 * max(map(len, lines)) + 22 if any(findings) else y + titled + (8 if titled else 0)


def _bands(column: Column, people: People, top: float, bottom: float) -> str:
    """Bands behind all panels: a session's time at its fair share, and its actual time."""
    parts = []
    for bar in column.shown["sessions"]:
        colour = people.colour(bar["user"])
        x1 = column.x(bar["start"])
        sent = column.right if bar["sent"] is None else column.x(bar["start"] + bar["sent"])
        parts.append(svg.rect(x1, top, sent - x1, bottom - top, fill=colour, fill_opacity=0.08))
        if bar["ideal"] is not None:
            fair = column.x(bar["start"] + bar["ideal"])
            parts.append(svg.rect(x1, top, fair - x1, bottom - top, fill=colour, fill_opacity=0.1))
    return "".join(parts)


def _guides(column: Column, people: People, extent: tuple[float, float], *, ends: bool) -> str:
    """Lines through one panel: the starts of sessions and, for a few, their `ends` at the fair share."""
    high, low = extent
    bars = column.shown["sessions"]
    few = len(bars) <= BANDS
    parts = []
    for bar in bars:
        if column.shown["from"] <= bar["start"] and len(bars) <= _GUIDES:
            x = column.x(bar["start"])
            stroke = people.colour(bar["user"])
            parts.append(svg.line(x, high, x, low, stroke=stroke, stroke_width=1, stroke_opacity=None if few else 0.6))
        if ends and few and bar["ideal"] is not None and bar["start"] + bar["ideal"] <= column.shown["to"]:
            x = column.x(bar["start"] + bar["ideal"])
            parts.append(svg.line(x, high, x, low, stroke_width=1, stroke_dasharray="2 3"))
    return "".join(parts)


def _time_axis(column: Column, y: float) -> str:
    start, end = column.shown["from"], column.shown["to"]
    parts = [svg.line(column.left, y, column.right, y, stroke=QUIET)]
    for tick in ticks(start, end, max(3, round(column.wide / 110))):
        x = column.x(tick)
        parts.append(svg.line(x, y, x, y + 5, stroke=QUIET))
        parts.append(svg.text(x, y + 18, f"{round(tick, 9):g}", size=11.5, text_anchor="middle"))
    middle = (column.left + column.right) / 2
    parts.append(
        svg.text(middle, y + 36, "Time since the start of the run (s)", size=12, fill=INK, text_anchor="middle")
    )
    return "".join(parts)
