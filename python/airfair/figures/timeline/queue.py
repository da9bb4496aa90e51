"""The panel of a queue: its length by station, its limit, its drops."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from airfair.catalogue.units import quantity
from airfair.figures import svg
from airfair.figures.timeline.scene import BANDS, Column, People, Scaled, stacked
from airfair.theme import AREA, INK, QUIET

#: A limit above the longest queue by more than this factor is written, not drawn.
_OFF_SCALE = 2.5
#: Drops closer than this, in pixels, are drawn as ticks instead of crosses.
_APART = 6.0


class Queue(Scaled):
    """One queue of each column."""

    height = 132.0

    def __init__(self, columns: Sequence[Column], people: People, number: int) -> None:
        """Take the queue of this number, with one scale for all columns."""
        self.people = people
        self.number = number
        queues = [queue for column in columns if (queue := self._of(column))]
        first = queues[0]
        several = any(sum(queue["access_point"] for queue in column.shown["queues"]) > 1 for column in columns)
        #: Whether the columns show different queues, which are then named in each.
        self.differ = len({queue["subject"] for queue in queues}) > 1
        if self.differ:
            self.title = "Queue"
        elif first["access_point"]:
            self.title = f"Queue at access point {first['subject']}" if several else "Queue at the access point"
        else:
            self.title = f"Queue of the link {first['subject']}"
        self.unit = "packets, by the station that they are for" if first["backlog"] else "packets"
        most = max((value for queue in queues for value in queue["held"]["value"]), default=0.0)
        limits = [queue["limit_packets"] for queue in queues if queue["limit_packets"] is not None]
        if limits and max(limits) <= _OFF_SCALE * max(most, 1):
            most = max(most, *limits)
        self.top = max(most, 1.0) * 1.12

    def _of(self, column: Column) -> dict[str, Any] | None:
        queues: list[dict[str, Any]] = column.shown["queues"]
        return queues[self.number] if self.number < len(queues) else None

    def draw(self, column: Column, y: float) -> str:
        """The queue's length, stacked by station; stations that wake up are on top."""
        queue = self._of(column)
        if queue is None:
            return ""
        parts = self._grid(column, y)
        parts.append(self._stack(column, queue, y))
        xs = [column.x(time) for time in queue["held"]["time"]]
        ys = [self._y(value, y) for value in queue["held"]["value"]]
        if not queue["backlog"] and xs:
            parts.append(svg.area([*xs, column.right], [self._y(0, y)] * len(xs), ys, fill=AREA))
        # A line that moves up and down within each pixel would hide the areas.
        stroke, thick = (INK, 0.9) if len(xs) < column.wide / 2 else (QUIET, 0.6)
        parts.append(svg.steps(xs, ys, column.right, stroke=stroke, stroke_width=thick))
        parts.append(self._limit(column, queue, y))
        if self.differ:
            kind = "access point" if queue["access_point"] else "link"
            parts.append(svg.text(column.left + 6, y + 12, f"{kind} {queue['subject']}", size=11.5, **svg.HALO))
        return "".join(parts)

    def remarks(self, column: Column, y: float) -> str:
        """The queue length at the start of each of a few sessions."""
        queue, bars = self._of(column), column.shown["sessions"]
        return "".join(self._found(column, queue, bar, y) for bar in bars) if queue and len(bars) <= BANDS else ""

    def _stack(self, column: Column, queue: dict[str, Any], y: float) -> str:
        held = {backlog["user"]: backlog["frames"] for backlog in queue["backlog"]}
        order = sorted(self.people.in_order(held), key=lambda user: not self.people.is_quiet(user))
        layers = ((held[user], self.people.colour(user), f"held for {user}") for user in order)
        return stacked([column.x(time) for time in queue["sampled"]], layers, lambda value: self._y(value, y))

    def _found(self, column: Column, queue: dict[str, Any], bar: dict[str, Any], y: float) -> str:
        """The queue ahead of a session's data, if its data passes this queue and there is room for the text."""
        ahead = found(queue, bar, self.people)
        if ahead is None:
            return ""
        x, at = column.x(bar["start"]), self._y(ahead, y)
        words = f"{ahead:g} packets ahead"
        end = x + 8 + svg.width(words, 11.5)
        beside = [
            value
            for time, value in zip(queue["held"]["time"], queue["held"]["value"], strict=True)
            if x - 4 <= column.x(time) <= end
        ]
        above = self._y(max([ahead, *beside]), y) - 7
        dot = svg.element("circle", cx=x, cy=at, r=3.4, fill=INK)
        return dot + svg.text(x + 7, above, words, size=11.5, font_weight="bold", **svg.HALO)

    def _limit(self, column: Column, queue: dict[str, Any], y: float) -> str:
        limit = queue["limit_packets"]
        dropped = sum(queue["drops"]["value"])
        words = f"{dropped:g} dropped" if dropped else "no drops"
        if limit is None or limit > self.top:
            bound = quantity(queue["limit_bytes"], "byte") if limit is None else f"{limit:g}"
            at = y + 6
            parts = [svg.text(column.right + 6, at, f"limit {bound},", size=11, fill=QUIET)]
            parts.append(svg.text(column.right + 6, at + 13, "off the scale", size=11, fill=QUIET))
            parts.append(svg.text(column.right + 6, at + 26, words, size=11, fill=INK if dropped else QUIET))
        else:
            at = self._y(limit, y)
            parts = [
                svg.line(column.left, at, column.right, at, stroke_width=1, stroke_dasharray="5 3"),
                svg.text(column.right + 6, at + 4, f"limit {limit:g}", size=11),
                svg.text(column.right + 6, at + 17, words, size=11, fill=INK if dropped else QUIET),
            ]
        xs = [column.x(time) for time in queue["drops"]["time"]]
        crowded = any(right - left < _APART for left, right in pairwise(xs))
        for x, count in zip(xs, queue["drops"]["value"], strict=True):
            tip = f"{count:g} dropped"
            if crowded:
                parts.append(svg.element("path", d=f"M{x:.1f} {at - 8:.1f}v7", stroke=INK, stroke_width=0.9, tip=tip))
            else:
                cross = f"M{x - 3.2:.1f} {at - 3.2:.1f}l6.4 6.4m0 -6.4l-6.4 6.4"
                parts.append(svg.element("path", d=cross, stroke=INK, stroke_width=1.7, fill="none", tip=tip))
        return "".join(parts)


def found(queue: dict[str, Any], bar: dict[str, Any], people: People) -> float | None:
    """The number of packets in an access point's queue at the start of a session whose data passes it."""
    if not queue["access_point"] or people.direction.get(bar["user"]) != "down":
        return None
    times: list[float] = queue["held"]["time"]
    last = bisect_right(times, bar["start"]) - 1
    return None if last < 0 else float(queue["held"]["value"][last])
