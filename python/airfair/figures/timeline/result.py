"""A timeline: as a JSON document and as a picture."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue import warned
from airfair.catalogue.parameters import equations, seed_options, set_options
from airfair.command import HEAD
from airfair.figures.saved import Saved

if TYPE_CHECKING:
    from airfair.figures.timeline.make import Asked, Made


class Timeline(Saved):
    """One run over time, or several side by side."""

    def __init__(self, made: Made) -> None:
        """Make a timeline of runs."""
        self._made = made

    def __reduce__(self) -> tuple[Callable[..., Timeline], tuple[object, ...]]:
        """Support `pickle`: keep what was asked, with the scenario's file, and the outcomes as text."""
        made = self._made
        return _restored, (made.asked, [variant.outcome.to_json() for variant in made.variants])

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self._made.title

    @property
    def command(self) -> str:
        """The command that draws the same timeline."""
        asked = self._made.asked
        words = ["airfair", "timeline", asked.file.given, *set_options(asked.set)]
        if asked.compare:
            words += ["--compare", f"{asked.compare[0]}={','.join(asked.compare[1])}"]
        ends = [
            word for option, time in (("--from", asked.start), ("--to", asked.end)) if time for word in (option, time)
        ]
        return shlex.join([*words, *ends, *seed_options(asked.seed)])

    @cached_property
    def document(self) -> dict[str, Any]:
        """The document that `airfair timeline --json` prints: all data drawn, in SI units."""
        made = self._made
        start, end = made.window
        return {
            **HEAD,
            "scenario": made.name,
            "warnings": warned.texts(variant.scenario for variant in made.variants),
            "seed": made.asked.seed,
            "window": {"from": start, "to": end, "unit": "s"},
            "runs": [
                {
                    "set": dict(variant.set),
                    "parameters": variant.scenario.parameters,
                    "metrics": json.loads(variant.outcome.metrics_json),
                    **shown,
                }
                for variant, shown in zip(made.variants, json.loads(self._picture.runs_json), strict=True)
            ],
        }

    @cached_property
    def _picture(self) -> _engine.Picture:
        runs = [(equations(each.set), each.scenario, each.outcome) for each in self._made.variants]
        return _engine.Picture(runs, *self._made.window)

    @cached_property
    def svg(self) -> str:
        """The picture as SVG."""
        return self._picture.svg(self.title, self._facts())

    @cached_property
    def narrow_svg(self) -> str:
        """The picture as SVG for narrow screens: runs one above the other."""
        return self._picture.narrow_svg(self.title, self._facts())

    @cached_property
    def tables(self) -> list[dict[str, Any]]:
        """Each run's sessions and shares of the air in words."""
        found: list[dict[str, Any]] = json.loads(self._picture.tables_json)
        return found

    @cached_property
    def png(self) -> bytes:
        """The picture as PNG, on white."""
        from airfair.figures import drawn
        from airfair.figures.drawing import on_white

        return drawn.png(on_white(self.svg), 1.5)

    @cached_property
    def html(self) -> str:
        """The picture as a self-contained page that shows values at the pointer."""
        from airfair.figures.timeline.page import render

        pictures = {"svg": self.svg, "narrow": self.narrow_svg}
        return render(self.document, self.tables, title=self.title, command=self.command, **pictures)

    def _facts(self) -> str:
        asked = self._made.asked
        start, end = self._made.window
        digits = 3 if end - start < 10 else 1
        shown = f"{start:.{digits}f} s to {end:.{digits}f} s of the run"
        settings = [equations(asked.set)] if asked.set else []
        return ", ".join([self._made.name, *settings, f"seed {asked.seed}, {shown}"])

    def __repr__(self) -> str:
        return f"<airfair.Timeline {self._facts()}>"


def _restored(asked: Asked, outcomes: Sequence[str]) -> Timeline:
    """Rebuild a timeline from what `Timeline.__reduce__` keeps."""
    from airfair.figures.timeline.make import load, made

    return Timeline(made(asked, load(asked), [_engine.Outcome.from_json(outcome) for outcome in outcomes]))
