"""`airfair timeline` in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import console
from airfair.catalogue import warned
from airfair.command import Common, answer, output
from airfair.figures.saved import FORMATS
from airfair.figures.timeline.make import Asked, load, run
from airfair.figures.timeline.result import Timeline
from airfair.store.output import place_for
from airfair.store.record import Record

if TYPE_CHECKING:
    from airfair._engine import Scenario
    from airfair.store.output import Output

#: The manifest's key for the settings of a timeline.
KIND = "timeline"


def timeline(asked: Asked, common: Common, kind: str) -> int:
    """Run the scenarios, draw the timeline, and write its files; returns the exit status."""
    scenarios = load(asked)
    question = settings(asked)
    base = Path("airfair-results") / "timeline" / scenarios[0].name.replace("/", "-")
    into = output(common, place_for(base, KIND, question), [f"timeline.{kind}", "timeline.json"])
    with into.computing():
        return _timeline(asked, scenarios, common, kind, into)


def _timeline(asked: Asked, scenarios: Sequence[Scenario], common: Common, kind: str, into: Output) -> int:
    console.warn(warned.texts(scenarios))
    with console.status("running"):
        drawn = Timeline(run(asked, scenarios))
    with console.status("drawing"):
        contents = drawn.contents(kind)
    if Record.of(into.folder).facts.get(KIND) != settings(asked):
        # The directory's files show a timeline with other settings.
        into.discard(f"timeline.{other}" for other in FORMATS if other != kind)
    into.publish({f"timeline.{kind}": contents}, {KIND: settings(asked)})
    answer(
        common,
        "timeline.json",
        drawn.document,
        lambda: console.out.line(f"timeline: {into.path / f'timeline.{kind}'}"),
        into,
    )
    return 0


def settings(asked: Asked) -> list[str]:
    """The settings that distinguish a timeline from others of the same scenario."""
    found = [f"{name}={value}" for name, value in asked.set]
    if asked.compare:
        found.append(f"{asked.compare[0]}={','.join(asked.compare[1])}")
    ends = (("from", asked.start), ("to", asked.end))
    return [*found, *(f"{option}={time}" for option, time in ends if time), f"seed={asked.seed}"]
