"""The timeline as one HTML file that needs nothing else, not even a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from airfair import pages

if TYPE_CHECKING:
    from airfair.timelines.result import Timeline


def render(timeline: Timeline) -> str:
    """Render the page: the picture, and what its script reads values from."""
    document = timeline.document
    return pages.render(
        "timeline.html",
        script="timeline.js",
        scenario=document["scenario"],
        title=timeline.title,
        command=timeline.command,
        svg=Markup(timeline.svg),
        data=pages.embedded(_readable(document)),
    )


def _readable(document: dict[str, Any]) -> dict[str, Any]:
    """What can be read off at the pointer: queues, windows and who is on the air."""
    start, end = document["window"]["from"], document["window"]["to"]
    return {
        "from": start,
        "to": end,
        "runs": [
            {
                "title": ", ".join(f"{name} = {value}" for name, value in run["set"].items()),
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
