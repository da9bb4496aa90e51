"""The timeline as a self-contained HTML page."""

from __future__ import annotations

from typing import Any

from airfair import pages
from airfair.catalogue.parameters import equations


def render(
    document: dict[str, Any], tables: list[dict[str, Any]], *, title: str, command: str, svg: str, narrow: str
) -> str:
    """Render the page: pictures for wide and for narrow screens, its tables, and the values that its script shows."""
    return pages.render(
        "timeline.html",
        script="timeline.js",
        scenario=document["scenario"],
        title=title,
        command=command,
        start=document["window"]["from"],
        svg=pages.inline(svg, "beside"),
        narrow=pages.inline(narrow, "stacked"),
        runs=[
            {"title": equations(run["set"].items()), **told} for run, told in zip(document["runs"], tables, strict=True)
        ],
        data=pages.embedded(_readable(document)),
    )


def _readable(document: dict[str, Any]) -> dict[str, Any]:
    """The values that the page shows at the pointer, in readable units: queues, windows and users of the air."""
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
