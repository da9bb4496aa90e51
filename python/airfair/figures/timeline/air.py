"""The panel of a medium: its users' transmissions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airfair.figures import svg
from airfair.figures.timeline import exchanges
from airfair.figures.timeline.scene import ACCENTS, Column, People, stacked
from airfair.theme import EMPTY, GREYS, GRID, INK, QUIET, SHADES

#: Maximum number of separate lanes; the other users share one.
_LANES = 9
#: Lanes kept for users that transfer all the time while others wake up: they hold the air.
_QUIET_LANES = 3
#: Maximum number of users named one by one beside stacked shares.
_NAMED = 7
_LANE, _GAP = 13.0, 4.0
#: The same where exchanges are drawn one by one, with their facts on the right.
_HIGH_LANE, _HIGH_GAP = 18.0, 9.0
#: Maximum number of users whose aggregates and rates have room beside stacked shares.
_DETAILED = 4
OTHERS, COLLISIONS, IDLE = "others", "collisions", "idle"


class Air:
    """One medium of each column: a lane for each user, or stacked shares if single frames are too many to see."""

    def __init__(self, columns: Sequence[Column], people: People, number_: int) -> None:
        """Take the medium of this number, with the same lanes in all columns."""
        self.people = people
        self.number = number_
        media = [medium for column in columns if (medium := self._of(column))]
        self.title = "On the air" if len(columns[0].shown["air"]) == 1 else f"On the air, {media[0]['wlan']}"
        self.lanes = all(medium["every_turn"] for medium in media)
        present = {lane["user"]: lane["share"] for medium in media for lane in medium["lanes"]}
        users = people.in_order(present)
        self.users = users
        self.single = users
        if self.lanes and len(users) > _LANES:
            by_share = sorted(users, key=lambda user: -present[user])
            loud = [user for user in by_share if user in people.waking]
            quiet = [user for user in by_share if user not in people.waking]
            loud = loud[: _LANES - min(len(quiet), _QUIET_LANES)]
            quiet = quiet[: _LANES - len(loud)]
            self.single = [user for user in users if user in loud or user in quiet]
        self.left_out = [user for user in users if user not in self.single]
        self.rows = [*self.single, *([OTHERS] if self.left_out else []), COLLISIONS, IDLE]
        #: Whether exchanges are drawn one by one.
        self.each = self.lanes and all(map(exchanges.are_few, media))
        self.lane, self.gap = (_HIGH_LANE, _HIGH_GAP) if self.each else (_LANE, _GAP)
        self.detailed = len(users) <= _DETAILED and any(map(exchanges.has_categories, media))
        shares = 120.0 + (27.0 if self.detailed and len(users) == _DETAILED else 0.0)
        self.height = (self.lane + self.gap) * len(self.rows) - self.gap if self.lanes else shares
        self.unit = (
            "frame exchanges of each station with the access point" if self.lanes else "share of the time, by station"
        )

    def _of(self, column: Column) -> dict[str, Any] | None:
        media: list[dict[str, Any]] = column.shown["air"]
        return media[self.number] if self.number < len(media) else None

    def labels(self, x: float, y: float) -> str:
        """The lanes' names, or the scale."""
        if not self.lanes:
            return "".join(
                svg.text(x, y + self.height * (1 - share) + 4, f"{share:.0%}", size=11, fill=QUIET, text_anchor="end")
                for share in (0, 0.5, 1)
            )
        names = [f"{len(self.left_out)} others" if row == OTHERS else row for row in self.rows]
        return "".join(
            svg.text(
                x,
                y + i * (self.lane + self.gap) + self.lane - 2.5,
                name,
                size=11,
                text_anchor="end",
                fill=QUIET if name in (COLLISIONS, IDLE) or self.people.is_quiet(name) else INK,
            )
            for i, name in enumerate(names)
        )

    def draw(self, column: Column, y: float) -> str:
        """The lanes, or the stacked shares."""
        medium = self._of(column)
        if medium is None:
            return ""
        return self._lanes(column, medium, y) if self.lanes else self._shares(column, medium, y)

    def _lanes(self, column: Column, medium: dict[str, Any], y: float) -> str:
        turns: dict[str, list[list[float]]] = {COLLISIONS: medium["collisions"]["turns"]}
        shares = {COLLISIONS: medium["collisions"]["share"], IDLE: medium["idle"]}
        for lane in medium["lanes"]:
            row = OTHERS if lane["user"] in self.left_out else lane["user"]
            turns.setdefault(row, []).extend(lane["turns"])
            shares[row] = shares.get(row, 0.0) + lane["share"]
        busy = sorted(turn for row in turns.values() for turn in row)
        start, end = column.shown["from"], column.shown["to"]
        edges = [start, *(edge for turn in busy for edge in turn), end]
        turns[IDLE] = [[a, b] for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]
        parts = []
        own = {lane["user"]: lane for lane in medium["lanes"] if lane["user"] in self.single}
        for i, row in enumerate(self.rows):
            top, lane = y + i * (self.lane + self.gap), self.lane
            colour = {COLLISIONS: INK, IDLE: EMPTY}.get(row, self.people.colour(row))
            spans = [(column.x(a), column.x(b)) for a, b in turns.get(row, [])]
            share = shares.get(row, 0.0)
            # Collisions are rare and short: keep them wide enough to see.
            if row == COLLISIONS:
                spans = [(a, max(b, a + 1.2)) for a, b in spans]
            parts.append(svg.line(column.left, top + lane, column.right, top + lane, stroke=GRID))
            beside = percent(share)
            if self.each and row in own:
                parts.append(exchanges.draw(column, own[row], top, lane, colour))
                mpdus, rate = exchanges.in_short(own[row])
                beside += f", {mpdus}"
                parts.append(svg.text(column.right + 6, top + lane + 6, rate, size=10, fill=QUIET))
            else:
                parts.append(
                    svg.blocks(spans, top, lane, fill=colour, tip=f"{row}: {percent(share)} of the time shown")
                )
            lift = 8.0 if self.each and row in own else 2.5
            parts.append(svg.text(column.right + 6, top + lane - lift, beside, size=11, fill=QUIET))
        return "".join(parts)

    def _shares(self, column: Column, medium: dict[str, Any], y: float) -> str:
        lanes = {lane["user"]: lane for lane in medium["lanes"]}
        order = sorted((user for user in self.users if user in lanes), key=lambda user: not self.people.is_quiet(user))
        shown = [(user, lanes[user], self.people.colour(user)) for user in order]
        shown.append((COLLISIONS, medium["collisions"], INK))
        count = len(medium["collisions"]["bins"])
        xs = [column.left + i * column.wide / count for i in range(count + 1)]
        layers = (
            (lane["bins"], colour, f"{name}: {percent(lane['share'])} of the time shown")
            for name, lane, colour in shown
        )
        areas = stacked(xs, layers, lambda share: y + self.height * (1 - share))
        ground = svg.rect(column.left, y, column.wide, self.height, fill=EMPTY)
        return "".join([ground, areas, *self._names(column, medium, y)])

    def _names(self, column: Column, medium: dict[str, Any], y: float) -> list[str]:
        """The share of each kind of user, from top to bottom as stacked."""
        kinds = {IDLE: (medium["idle"], EMPTY), COLLISIONS: (medium["collisions"]["share"], INK)}
        for lane in reversed(medium["lanes"]):
            user = lane["user"]
            kind = user if len(self.users) <= _NAMED else self.people.kind(user)
            share, colour = kinds.get(kind, (0.0, self._swatch(user, kind)))
            kinds[kind] = (share + lane["share"], colour)
        parts = []
        own = {lane["user"]: lane for lane in medium["lanes"]} if self.detailed else {}
        at = y + 4
        for kind, (share, colour) in kinds.items():
            parts.append(svg.rect(column.right + 6, at - 3, 8, 8, fill=colour))
            words: list[tuple[str, dict[str, Any]]] = [(f"{kind} ", {}), (percent(share), {"fill": QUIET})]
            parts.append(svg.spans(column.right + 18, at + 5, words, size=11))
            if kind in own and (facts := ", ".join(filter(None, exchanges.in_short(own[kind])))):
                at += 12
                parts.append(svg.text(column.right + 6, at + 5, facts, size=9.5, fill=QUIET))
            at += 15
        return parts

    def _swatch(self, user: str, kind: str) -> str:
        """A user's colour, or the colour of its kind."""
        if kind == user:
            return self.people.colour(user)
        if self.people.mixed:
            return GREYS[0] if self.people.is_quiet(user) else ACCENTS[0]
        return SHADES[self.people.direction.get(user, "other")][1]


def percent(share: float) -> str:
    """A share as a percentage."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.0995 else f"{100 * share:.1f} %"
