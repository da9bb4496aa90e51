"""The panel of sessions: from the request to the last byte, with the finish at the fair share marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from airfair.catalogue.units import quantity
from airfair.figures import svg
from airfair.figures.timeline.scene import Column, People
from airfair.theme import INK, QUIET

#: Rows that have room for the words below and above their bars, and those that have room beside them.
_SPACIOUS, _WORDY = 3, 10
#: Maximum number of rows; a note below the picture counts the sessions left out.
_MOST = 40


class Sessions:
    """A row for each flow with sessions, and more for one whose sessions wait for each other."""

    title = "Sessions"
    unit = "from the request to the last byte sent, and on to its acknowledgement"

    def __init__(self, columns: Sequence[Column], people: People) -> None:
        """Find the rows that all columns share."""
        self.people = people
        placed = [_rows(column) for column in columns]
        starts: dict[str, float] = {}
        for column in columns:
            for bar in column.shown["sessions"]:
                starts[bar["flow"]] = min(bar["start"], starts.get(bar["flow"], bar["start"]))
        flows = sorted(starts, key=lambda flow: starts[flow])[:_MOST]
        each = max(1, _MOST // max(len(flows), 1))
        rows = self.rows = [
            (flow, lane)
            for flow in flows
            for lane in range(min(each, max(sum(of == flow for of, _ in rows) for rows in placed)))
        ]
        self.left_out = sum(len(bars) for bars_of in placed for row, bars in bars_of.items() if row not in rows)
        few = len(rows) <= _SPACIOUS and all(len(bars) == 1 for bars_of in placed for bars in bars_of.values())
        self.spacious = few
        self.wordy = len(rows) <= _WORDY
        self.row = 56.0 if self.spacious else 26.0 if self.wordy else 10.0
        self.thick = 15.0 if self.spacious else 12.0 if self.wordy else 6.0
        self.height = self.row * len(self.rows)

    def labels(self, x: float, y: float) -> str:
        """The flows' names."""
        size, fill = (12.0, INK) if self.wordy else (8.5, QUIET)
        return "".join(
            svg.text(x, y + (i + 0.5) * self.row + 0.34 * size, flow, size=size, text_anchor="end", fill=fill)
            for i, (flow, lane) in enumerate(self.rows)
            if lane == 0
        )

    def draw(self, column: Column, y: float) -> str:
        """The bars."""
        parts = []
        for row, bars in _rows(column).items():
            if row in self.rows:
                middle = y + (self.rows.index(row) + 0.5) * self.row
                parts += [self._bar(column, bar, middle) for bar in bars]
                if self.wordy:
                    parts += self._words(column, bars, middle)
        return "".join(parts)

    def _bar(self, column: Column, bar: dict[str, Any], middle: float) -> str:
        colour, tip, thick = self.people.colour(bar["user"]), told(bar), self.thick
        top, end = middle - thick / 2, column.shown["to"]
        sent, acked, ideal = (
            None if bar[name] is None else bar["start"] + bar[name] for name in ("sent", "acked", "ideal")
        )
        x1, x2 = column.x(bar["start"]), column.x(end if sent is None else sent)
        fair = x2 if ideal is None else column.x(ideal)
        tail = column.x(end if acked is None else acked)
        parts = [svg.rect(x1, top, min(x2, fair) - x1, thick, fill=colour, tip=tip)]
        if x2 > fair:
            parts.append(svg.rect(fair, top, x2 - fair, thick, fill=colour, fill_opacity=0.42, tip=tip))
        if tail > x2:
            parts.append(svg.line(x2, middle, tail, middle, stroke=colour, stroke_width=2))
        if acked is None or acked > end:
            arrow = f"M{column.right:.1f} {middle - 4.5:.1f}l7 4.5l-7 4.5z"
            parts.append(svg.element("path", d=arrow, fill=colour))
        elif tail > x2:
            parts.append(svg.line(tail, middle - 4, tail, middle + 4, stroke=colour, stroke_width=2))
        if ideal is not None and column.shown["from"] <= ideal <= end:
            reach = thick * 0.4
            parts.append(svg.line(fair, top - reach, fair, top + thick + reach, stroke_width=2))
            if self.spacious:
                words = f"fair share {quantity(bar['ideal'], 's', 3)}"
                parts.append(svg.text(fair, top - reach - 5, words, size=11, text_anchor="middle", **svg.HALO))
        if self.spacious and sent is not None and sent <= end:
            words = f"sent {quantity(bar['sent'], 's', 3)}"
            parts.append(svg.text(x2, top + thick + 17, words, size=11, text_anchor="middle", **svg.HALO))
        return "".join(parts)

    def _words(self, column: Column, bars: Sequence[dict[str, Any]], middle: float) -> list[str]:
        """The result of each session in a row, after its bar or before it; left out if there is no room."""
        size = 13.0 if self.spacious else 12.0
        parts: list[str] = []
        free = column.left
        for bar, following in zip_longest(bars, bars[1:]):
            start, end, goes_on = _extent(column, bar)
            limit = column.x(following["start"]) - 4 if following else column.right + 60
            for loud, quiet in _verdicts(bar):
                room = svg.width(loud + quiet, size) + 10
                if not goes_on and end + room < limit:
                    x, anchor = end + 9, "start"
                elif start - room > free:
                    x, anchor = start - 9, "end"
                else:
                    continue
                words: list[tuple[str, dict[str, Any]]] = [(loud, {"font_weight": "bold"}), (quiet, {"fill": QUIET})]
                parts.append(svg.spans(x, middle + 4.5, words, size=size, text_anchor=anchor, **svg.HALO))
                end += room if anchor == "start" else 0
                break
            free = end
        return parts


def _rows(column: Column) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """A column's sessions by flow and place; sessions in one row do not overlap."""
    rows: dict[tuple[str, int], list[dict[str, Any]]] = {}
    ends: dict[tuple[str, int], float] = {}
    for bar in sorted(column.shown["sessions"], key=lambda bar: bar["start"]):
        start, end, _ = _extent(column, bar)
        lane = 0
        while ends.get((bar["flow"], lane), -1.0) > start + 0.01:
            lane += 1
        rows.setdefault((bar["flow"], lane), []).append(bar)
        ends[bar["flow"], lane] = end
    return rows


def _extent(column: Column, bar: dict[str, Any]) -> tuple[float, float, bool]:
    """The ends of a bar with its mark, and whether it continues beyond the time shown."""
    until = [bar["acked"] if bar["acked"] is not None else float("inf"), bar["ideal"] or 0.0]
    goes_on = bar["start"] + until[0] > column.shown["to"]
    return column.x(bar["start"]), column.x(bar["start"] + max(until)), goes_on


def _verdicts(bar: dict[str, Any]) -> list[tuple[str, str]]:
    """A session's result, each version shorter than the one before."""
    if bar["sent"] is None:
        return [("unfinished", "")]
    if bar["fairness_sent"] is None:
        return [("", "unfinished" if bar["acked"] is None else quantity(bar["acked"], "s", 3))]
    times = multiple(1 / bar["fairness_sent"])
    return [(f"{times}× the fair share", f"   IF {bar['fairness_sent']:.2f}"), (f"{times}×", "")]


def multiple(times: float) -> str:
    """A multiple of the fair share, as text."""
    return f"{times:.1f}" if 0.1 <= times < 10 else f"{times:.2g}" if times < 0.1 else f"{times:.0f}"


def told(bar: dict[str, Any]) -> str:
    """A session in words."""
    words = f"{bar['flow']} asks for {quantity(bar['bytes'], 'byte')} at {bar['start']:.3f} s"
    if bar["sent"] is None:
        return f"{words}; its last byte is not sent by the end of the run"
    words += f"; its last byte is sent {quantity(bar['sent'], 's', 3)} later"
    if bar["fairness_sent"] is not None:
        times = multiple(1 / bar["fairness_sent"])
        words += f", {times} times the {quantity(bar['ideal'], 's', 3)} of its fair share"
    if bar["acked"] is None:
        return f"{words}, and not acknowledged by the end of the run"
    return f"{words}, and acknowledged {quantity(bar['acked'], 's', 3)} after the request"
