"""The timeline as a self-contained HTML page."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from airfair import pages
from airfair.catalogue.parameters import equations
from airfair.catalogue.units import number, quantity
from airfair.figures.timeline import exchanges
from airfair.figures.timeline.air import percent


def render(document: dict[str, Any], *, title: str, command: str, svg: str, narrow: str) -> str:
    """Render the page: the picture for wide and for narrow screens, and the values that its script shows."""
    return pages.render(
        "timeline.html",
        script="timeline.js",
        scenario=document["scenario"],
        title=title,
        command=command,
        svg=Markup(svg),
        narrow=Markup(narrow),
        runs=[_told(run) for run in document["runs"]],
        data=pages.embedded(_readable(document)),
    )


def _told(run: dict[str, Any]) -> dict[str, Any]:
    """A run's sessions and shares of the air, as tables."""
    return {
        "title": equations(run["set"].items()),
        "sessions": [
            {
                "flow": bar["flow"],
                "start": f"{bar['start']:.4f}",
                "bytes": quantity(bar["bytes"], "byte"),
                "ideal": _time(bar["ideal"]),
                "sent": _time(bar["sent"]) or "not ended",
                "fairness": "" if bar["fairness_sent"] is None else number(bar["fairness_sent"], 3),
            }
            for bar in run["sessions"]
        ],
        "air": [row for medium in run["air"] for row in _rows(medium)],
        "edca": any(map(exchanges.has_categories, run["air"])),
    }


def _rows(medium: dict[str, Any]) -> list[dict[str, str]]:
    """The shares of a medium; with EDCA, those of each direction by itself."""
    rows = []
    for lane in medium["lanes"]:
        both = (("access point", lane["down"]), ("station", lane["up"]))
        ways = [(by, way) for by, way in both if way] if exchanges.has_categories(medium) else []
        rows += [_row(lane["user"], way["share"], by=by, **_summed(way)) for by, way in ways]
        if not ways:
            rows.append(_row(lane["user"], lane["share"]))
    return [*rows, _row("collisions", medium["collisions"]["share"]), _row("idle", medium["idle"])]


def _row(name: str, share: float, **facts: str) -> dict[str, str]:
    """A row of the table, with its facts where there is EDCA."""
    columns = ("by", "exchanges", "block_acks", "mpdus", "rate", "categories")
    return {"name": name, "share": percent(share), **dict.fromkeys(columns, ""), **facts}


def _summed(way: dict[str, Any]) -> dict[str, str]:
    """The exchanges of one direction in words."""
    categories = (f"{exchanges.CATEGORIES[name]} {percent(share)}" for name, share in way["categories"])
    return {
        "exchanges": str(way["exchanges"]),
        "block_acks": str(way["block_acks"]),
        "mpdus": number(way["mpdus"], 3),
        "rate": exchanges.rates(way),
        "categories": ", ".join(categories),
    }


def _time(seconds: float | None) -> str:
    return "" if seconds is None else quantity(seconds, "s", 3)


def _readable(document: dict[str, Any]) -> dict[str, Any]:
    """Values for the pointer: queues, windows and users of the air."""
    start, end = document["window"]["from"], document["window"]["to"]
    return {
        "from": start,
        "to": end,
        "runs": [
            {
                "title": equations(run["set"].items()),
                "queues": [
                    {"name": queue["subject"], "time": queue["held"]["time"], "value": queue["held"]["value"]}
                    for queue in run["queues"]
                ],
                "windows": [
                    {"name": window["flow"], "time": window["time"], "value": window["value"]}
                    for window in run["windows"]
                ],
                "air": [
                    {
                        "bin": medium["bin"],
                        "lanes": [
                            {"name": lane["user"], "bins": lane["bins"]}
                            for lane in [*medium["lanes"], {**medium["collisions"], "user": "collisions"}]
                        ],
                    }
                    for medium in run["air"]
                ],
            }
            for run in document["runs"]
        ],
    }
