"""`airfair timeline` in the terminal."""

from __future__ import annotations

from pathlib import Path

from airfair import console
from airfair.commands import Common, answer, probe
from airfair.timelines.make import Asked, FailedRunError, load, run
from airfair.timelines.result import Timeline


def timeline(asked: Asked, common: Common, kind: str) -> int:
    """Run, draw, write."""
    scenarios = load(asked)
    out = probe(common.out or Path("airfair-results") / "timeline" / scenarios[0].name.replace("/", "-"))
    console.warnings(scenarios)
    try:
        with console.status("running"):
            drawn = Timeline(run(asked, scenarios))
    except FailedRunError as error:
        if not error.failures:
            console.err.print("interrupted")
            return 130
        console.failures(error.failures)
        return 1
    path = out / f"timeline.{kind}"
    with console.status("drawing"):
        drawn.save(path)
    answer(
        Common(common.json, out),
        "timeline.json",
        drawn.document,
        lambda: console.out.print(f"timeline: {path}", soft_wrap=True),
    )
    return 0
