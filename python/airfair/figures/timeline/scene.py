"""The parts that all panels of a timeline share: columns, the time axis, a colour for each user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from airfair.figures import svg
from airfair.theme import GREYS, GRID, PALETTE, QUIET, SHADES

#: Colours of users with sessions, and of all users if they are few. Vermilion first: it contrasts best with grey.
ACCENTS = (*PALETTE[:3], PALETTE[4], PALETTE[3], *PALETTE[5:7])
#: Maximum number of sessions in a column with texts and bands through all panels.
BANDS = 3

#: The values of an area of steps, its colour, and its text for the pointer.
Layer = tuple[Sequence[float], str, str]


@dataclass(frozen=True)
class Column:
    """One of the runs side by side."""

    #: The parameters that differ between columns, `tcp = vegas`; empty for a single column.
    title: str
    #: The run in the timeline's document.
    shown: dict[str, Any]
    #: The left and the right end of its time axis.
    left: float = 0.0
    right: float = 0.0

    def x(self, time: float) -> float:
        """The x of a time; times outside are moved to the nearer end."""
        start: float = self.shown["from"]
        end: float = self.shown["to"]
        share = (time - start) / (end - start)
        return self.left + min(max(share, 0.0), 1.0) * (self.right - self.left)

    @property
    def wide(self) -> float:
        """The length of the time axis."""
        return self.right - self.left


class People:
    """The users of all columns, each with its colour: wireless stations, or flows without a station."""

    def __init__(self, columns: Sequence[Column]) -> None:
        """Find the users."""
        flows = {flow["flow"]: flow for column in columns for flow in column.shown["flows"]}
        self.of_flow: dict[str, str] = {name: flow["user"] for name, flow in flows.items()}
        self.traffic = {name: flow["traffic"] for name, flow in flows.items()}
        heard = [lane["user"] for column in columns for medium in column.shown["air"] for lane in medium["lanes"]]
        served = set(self.of_flow.values())
        #: Users in the order of stations, then of flows.
        self.users = list(dict.fromkeys([*(user for user in heard if user in served), *self.of_flow.values()]))
        self.direction = {flow["user"]: flow["direction"] for flow in flows.values()}
        waking = {flow["user"] for flow in flows.values() if flow["traffic"] != "persistent"}
        bars = sorted((bar for column in columns for bar in column.shown["sessions"]), key=lambda bar: bar["start"])
        #: Users with sessions in the time shown, in the order of these.
        self.awake = list(dict.fromkeys(bar["user"] for bar in bars))
        #: All users with sessions.
        self.waking = [*self.awake, *(user for user in self.users if user in waking and user not in self.awake)]
        #: Whether some users wake up while others transfer all the time.
        self.mixed = 0 < len(self.waking) < len(self.users)
        self._colours = self._choose()

    def in_order(self, among: Iterable[str]) -> list[str]:
        """These users in the order of `users`, then others as they come."""
        given = list(among)
        return [*(user for user in self.users if user in given), *(user for user in given if user not in self.users)]

    def colour(self, user: str) -> str:
        """A user's colour, the same in all panels and columns."""
        return self._colours.get(user, QUIET)

    def is_quiet(self, user: str) -> bool:
        """Whether a user transfers all the time while others wake up."""
        return self.mixed and user not in self.waking

    def is_asleep(self, user: str) -> bool:
        """Whether a user has sessions, but none in the time shown."""
        return user in self.waking and user not in self.awake

    def kind(self, user: str) -> str:
        """The name of a user's kind."""
        if self.mixed:
            return "persistent" if self.is_quiet(user) else "sessions"
        return {"up": "uploads", "down": "downloads"}.get(self.direction.get(user, ""), "flows")

    def _choose(self) -> dict[str, str]:
        if not self.mixed and len(self.users) > len(ACCENTS):
            kinds: dict[str, list[str]] = {}
            for user in self.users:
                kinds.setdefault(self.direction[user], []).append(user)
            shades = {kind: SHADES.get(kind, SHADES["other"]) for kind in kinds}
            return {
                user: shades[kind][i % len(shades[kind])]
                for kind, users in kinds.items()
                for i, user in enumerate(users)
            }
        loud = self.waking if self.mixed else self.users
        quiet = [user for user in self.users if self.is_quiet(user)]
        chosen = {user: ACCENTS[i % len(ACCENTS)] for i, user in enumerate(loud)}
        if len(loud) > len(ACCENTS):
            # Sleeping users do not share a colour with one that is awake.
            chosen |= {user: ACCENTS[-1] for user in loud[len(ACCENTS) :] if self.is_asleep(user)}
        return chosen | {user: GREYS[i % len(GREYS)] for i, user in enumerate(quiet)}


def spread(places: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Positions for labels at ascending `places`: as near as possible, at least `apart` apart."""
    result: list[float] = []
    for place in places:
        result.append(max([place, low, *(before + apart for before in result[-1:])]))
    limit = high
    for i in reversed(range(len(result))):
        result[i] = min(result[i], limit)
        limit = result[i] - apart
    return result


def ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers from `low` to `high`, about `about` of them."""
    step = 10 ** floor(log10((high - low) / about))
    step *= min((1, 2, 5, 10), key=lambda factor: abs((high - low) / (step * factor) - about))
    return [n * step for n in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def stacked(xs: Sequence[float], layers: Iterable[Layer], at: Callable[[float], float]) -> str:
    """Areas on top of each other; `at` gives the y of a value."""
    base = [0.0] * (len(xs) - 1)
    parts = []
    for values, fill, tip in layers:
        top = [low + value for low, value in zip(base, values, strict=False)]
        parts.append(svg.area(xs, [*map(at, base)], [*map(at, top)], fill=fill, tip=tip))
        base = top
    return "".join(parts)


class Scaled:
    """A panel with a numeric scale from 0 to `top`, the same in all columns."""

    height: float
    top: float

    def _y(self, value: float, y: float) -> float:
        return y + self.height * (1 - min(value, self.top) / self.top)

    def labels(self, x: float, y: float) -> str:
        """The scale."""
        return "".join(
            svg.text(x, self._y(tick, y) + 4, f"{tick:g}", size=11, fill=QUIET, text_anchor="end")
            for tick in ticks(0, self.top, 3)
        )

    def _grid(self, column: Column, y: float) -> list[str]:
        heights = [self._y(tick, y) for tick in ticks(0, self.top, 3)]
        return [svg.line(column.left, at, column.right, at, stroke=GRID) for at in heights]
