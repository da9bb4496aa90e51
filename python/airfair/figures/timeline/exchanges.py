"""Frame exchanges one by one: aggregates, answers, access categories and rates, where there is EDCA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import Any

from airfair.catalogue.units import number, quantity
from airfair.figures import svg
from airfair.figures.timeline.scene import Column
from airfair.theme import INK, PAPER

#: Access categories as people call them.
CATEGORIES = {"bk": "background", "be": "best effort", "vi": "video", "vo": "voice"}
#: The usual category, which pictures do not name.
_USUAL = "be"
#: About so many exchanges of a run are shown one by one, and up to twice as many where the whole picture has no more.
_MOST = 50
#: Exchanges narrower than this, in pixels, show neither their answer nor who began them.
_VISIBLE = 3.0
_SIZE = 10.0


def ways(medium: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The exchanges of each station, in each direction, summed up."""
    return (way for lane in medium["lanes"] for way in (lane["down"], lane["up"]) if way)


def has_categories(medium: dict[str, Any]) -> bool:
    """Whether a medium has EDCA."""
    return any(way["categories"] for way in ways(medium))


def are_few(medium: dict[str, Any]) -> bool:
    """Whether exchanges are shown one by one without an excerpt."""
    return has_categories(medium) and bool(medium["every_turn"]) and _count(medium) <= 2 * _MOST


def _count(medium: dict[str, Any]) -> int:
    """The number of exchanges."""
    alone: int = sum(way["exchanges"] for way in ways(medium))
    return alone + len(medium["collisions"]["turns"])


def excerpt(runs: Sequence[dict[str, Any]], start: float, end: float) -> tuple[float, float] | None:
    """The time from whose exchanges a picture of all runs shows one by one; `None` without EDCA, or if it shows all."""
    media = [medium for run in runs for medium in run["air"] if has_categories(medium)]
    if not media or all(map(are_few, media)):
        return None
    longest = (end - start) * _MOST / max(map(_count, media))
    length = 10.0 ** floor(log10(longest))
    length *= max(factor for factor in (1, 2, 5) if length * factor <= longest)
    begin = floor((start + end) / 2 / length) * length
    return (begin, begin + length) if start <= begin and begin + length <= end else None


def draw(column: Column, lane: dict[str, Any], top: float, high: float, colour: str) -> str:
    """The exchanges of a station: the access point's in full colour, its own pale, block acks as bars at the ends."""
    rows = lane["exchanges"]
    parts = []
    for place, (start, end) in enumerate(lane["turns"]):
        exchange = {name: values[place] for name, values in rows.items()}
        x1, x2 = column.x(start), column.x(end)
        x2 = max(x2, x1 + 1.0)
        pale = not exchange["down"] and x2 - x1 >= _VISIBLE
        look: dict[str, Any] = {"fill_opacity": 0.4, "stroke": colour, "stroke_width": 0.75} if pale else {}
        parts.append(svg.rect(x1, top, x2 - x1, high, fill=colour, tip=told(lane["user"], start, exchange), **look))
        words = label(exchange)
        room = x2 - x1
        # The end of the time shown may cut an exchange off before its answer.
        if exchange["block_ack"] and exchange["answered"] < end and room >= _VISIBLE:
            answer = min(column.x(exchange["answered"]), x2 - 1.5)
            parts.append(svg.rect(answer, top, x2 - answer, high, fill=INK))
            room = answer - x1
        if words and svg.width(words, _SIZE) + 3 <= room:
            middle, fill = x1 + room / 2, INK if pale else PAPER
            parts.append(
                svg.text(middle, top + high - 5, words, size=_SIZE, fill=fill, text_anchor="middle", class_="count")
            )
    return "".join(parts)


def label(exchange: dict[str, Any]) -> str:
    """The words on an exchange: the number of MPDUs of an A-MPDU, and the category if it is not the usual one."""
    category = "" if exchange["category"] in (None, _USUAL) else exchange["category"]
    mpdus = "BAR" if exchange["mpdus"] == 0 else str(exchange["mpdus"]) if exchange["mpdus"] > 1 else ""
    return f"{category} {mpdus}".strip()


def told(user: str, start: float, exchange: dict[str, Any]) -> str:
    """An exchange in words."""
    way = f"to {user}" if exchange["down"] else f"from {user}"
    category = "" if exchange["category"] is None else f", {CATEGORIES[exchange['category']]}"
    mpdus, arrived = exchange["mpdus"], exchange["arrived"]
    if mpdus == 0:
        carried = "block ack request"
    else:
        plural = "MPDU" if mpdus == 1 else "MPDUs"
        lost = "" if arrived == mpdus else f", {arrived} of which arrive" if arrived else ", lost"
        carried = f"{mpdus} {plural}{lost}, {quantity(exchange['bytes'], 'byte', 3)} at {rate(exchange['rate'])}"
    answer = "" if exchange["answered"] is None else ", block ack" if exchange["block_ack"] else ", ACK"
    return f"{start:.6f} s {way}: {carried}{category}{answer}"


def rate(bits: float) -> str:
    """A data rate."""
    return quantity(bits, "bit/s", 3)


def rates(way: dict[str, Any]) -> str:
    """The data rates of exchanges: one, or the lowest and the highest."""
    lowest, highest = way["rates"][0][0], way["rates"][-1][0]
    return rate(highest) if lowest == highest else f"{number(lowest / 1e6, 3)} to {rate(highest)}"


def in_short(lane: dict[str, Any]) -> tuple[str, str]:
    """A station's aggregates and rates in its main direction: `3 MPDUs`, `7.2 Mb/s`."""
    way = max((way for way in (lane["down"], lane["up"]) if way), key=lambda way: way["share"])
    if not way["categories"]:
        return "", ""
    mpdus = number(round(way["mpdus"], 0 if way["mpdus"] >= 9.95 else 1))
    return f"{mpdus} MPDU{'' if mpdus == '1' else 's'}", rates(way)
