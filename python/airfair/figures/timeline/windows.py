"""The panel of congestion windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airfair.figures import svg
from airfair.figures.timeline.scene import ACCENTS, Column, People, Scaled, spread
from airfair.theme import GREYS, INK, QUIET, SHADES

#: Windows that go further beyond the receiver's than this are cut off: they have no effect there.
_BEYOND = 1.25
_PERSISTENT = "persistent"


class Windows(Scaled):
    """Windows of all flows: those that wake up stand out, many persistent ones are a band."""

    height = 118.0
    title = "Congestion windows"
    unit = "segments"

    def __init__(self, columns: Sequence[Column], people: People) -> None:
        """Find the scale that all columns share."""
        self.people = people
        most = [value for column in columns for window in column.shown["windows"] for value in window["value"]]
        most += [value for column in columns for crowd in column.shown["crowds"] for value in crowd["high"]]
        self.top = max(most, default=1.0) * 1.1
        limits = {flow["receive_window"] for column in columns for flow in column.shown["flows"]} - {None}
        #: The receivers' window, where it is drawn: if it is one, and not far above the rest.
        self.limit: float | None = None
        if limits and self.top > _BEYOND * max(limits):
            self.top = _BEYOND * max(limits)
        if len(limits) == 1 and max(limits) <= self.top:
            self.limit = float(max(limits))

    def draw(self, column: Column, y: float) -> str:
        """The lines, with the flows' names at their ends."""
        parts = self._grid(column, y)
        names: list[tuple[float, str, str]] = []
        if self.limit is not None:
            at = self._y(self.limit, y)
            parts.append(svg.line(column.left, at, column.right, at, stroke_width=1, stroke_dasharray="5 3"))
            names.append((at, f"receiver's {self.limit:g}", INK))
        for crowd in column.shown["crowds"]:
            parts.append(self._crowd(column, crowd, y, names))
        windows = sorted(column.shown["windows"], key=lambda window: not self._is_muted(window))
        for window in windows:
            parts.append(self._line(column, window, y, names))
        names.sort(key=lambda name: name[0])
        room = int(self.height // 12)
        shown = names if len(names) <= room else names[:: -(-len(names) // room)]
        places = spread([name[0] for name in shown], 12, y - 2, y + self.height)
        for at, (_, name, colour) in zip(places, shown, strict=True):
            parts.append(svg.text(column.right + 6, at + 4, name, size=11, fill=colour))
        return "".join(parts)

    def _user(self, window: dict[str, Any]) -> str:
        return self.people.of_flow[window["flow"]]

    def _is_muted(self, window: dict[str, Any]) -> bool:
        return self.people.is_quiet(self._user(window)) or self.people.is_asleep(self._user(window))

    def _line(self, column: Column, window: dict[str, Any], y: float, names: list[tuple[float, str, str]]) -> str:
        muted = self._is_muted(window)
        xs = [column.x(time) for time in window["time"]]
        ys = [self._y(value, y) for value in window["value"]]
        colour = GREYS[0] if muted else self.people.colour(self._user(window))
        beyond = " ↑" if window["value"][-1] > self.top else ""
        if not muted:
            names.append((ys[-1], window["flow"] + beyond, colour if colour in ACCENTS else QUIET))
        elif self.people.is_quiet(self._user(window)) and not any(name.startswith(_PERSISTENT) for _, name, _ in names):
            names.append((ys[-1], _PERSISTENT + beyond, QUIET))
        thick = 1.0 if muted else 2.0 if self.people.mixed else 1.4
        return svg.steps(xs, ys, column.right, stroke=colour, stroke_width=thick, tip=window["flow"])

    def _crowd(self, column: Column, crowd: dict[str, Any], y: float, names: list[tuple[float, str, str]]) -> str:
        shades = SHADES[crowd["direction"]]
        fill, stroke = (GREYS[3], QUIET) if self.people.mixed else (shades[3], shades[0])
        xs = [column.x(time) for time in crowd["time"]]
        low, median, high = ([self._y(value, y) for value in crowd[name]] for name in ("low", "median", "high"))
        kind = {"up": "uploads", "down": "downloads"}.get(crowd["direction"], "flows")
        words = f"{crowd['flows']} {_PERSISTENT if self.people.mixed else kind}"
        names.append((median[-1], words, stroke))
        tip = f"{words}: the median, and the band that eight in ten are in"
        return svg.area(xs, low[:-1], high[:-1], fill=fill, fill_opacity=0.6, tip=tip) + svg.steps(
            xs, median, column.right, stroke=stroke, stroke_width=1.3, tip=tip
        )
