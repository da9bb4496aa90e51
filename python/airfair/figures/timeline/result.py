"""A timeline: as a JSON document and as a picture."""

from __future__ import annotations

import json
import shlex
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue.parameters import equations, set_options
from airfair.catalogue.units import quantity
from airfair.figures.saved import Saved
from airfair.figures.timeline import exchanges
from airfair.figures.timeline.air import percent

if TYPE_CHECKING:
    from airfair.figures.timeline.make import Made, Variant
    from airfair.figures.timeline.scene import Column, People

#: Raised when the document's shape changes.
_SCHEMA_VERSION = 1


class Timeline(Saved):
    """One run over time, or several side by side."""

    def __init__(self, made: Made) -> None:
        """Take the runs."""
        self._made = made

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self._made.title

    @property
    def command(self) -> str:
        """The command that draws the same timeline."""
        asked = self._made.asked
        words = ["airfair", "timeline", asked.scenario, *set_options(asked.set)]
        if asked.compare:
            words += ["--compare", f"{asked.compare[0]}={','.join(asked.compare[1])}"]
        ends = [
            word for option, time in (("--from", asked.start), ("--to", asked.end)) if time for word in (option, time)
        ]
        return shlex.join([*words, *ends, "--seed", str(asked.seed)])

    @cached_property
    def document(self) -> dict[str, Any]:
        """The document that `airfair timeline --json` prints: all data drawn, in SI units."""
        made = self._made
        start, end = made.window
        runs = [self._shown(variant, start, end) for variant in made.variants]
        part = exchanges.excerpt(runs, start, end)
        excerpts = [self._shown(variant, *part) if part else None for variant in made.variants]
        return {
            "schema_version": _SCHEMA_VERSION,
            "engine_version": _engine.__version__,
            "scenario": made.name,
            "seed": made.asked.seed,
            "window": {"from": start, "to": end, "unit": "s"},
            "runs": [
                {
                    "set": dict(variant.set),
                    "parameters": json.loads(variant.scenario.parameters_json),
                    "metrics": json.loads(variant.outcome.metrics_json),
                    **shown,
                    # The air alone: a picture of the whole has no room for single exchanges.
                    "excerpt": excerpt and {name: excerpt[name] for name in ("from", "to", "air")},
                }
                for variant, shown, excerpt in zip(made.variants, runs, excerpts, strict=True)
            ],
        }

    @staticmethod
    def _shown(variant: Variant, start: float, end: float) -> dict[str, Any]:
        """The data of a run from `start` to `end`."""
        shown: dict[str, Any] = json.loads(variant.scenario.timeline_json(variant.outcome, start, end))
        return shown

    @cached_property
    def svg(self) -> str:
        """The picture as SVG."""
        from airfair.figures.timeline import figure

        return figure.draw(**self._contents)

    @cached_property
    def narrow_svg(self) -> str:
        """The picture as SVG for narrow screens: runs one above the other."""
        from airfair.figures.timeline import figure

        return figure.draw_stacked(**self._contents)

    @cached_property
    def _contents(self) -> dict[str, Any]:
        from airfair.figures.timeline.scene import Column, People

        runs = self.document["runs"]
        columns = [Column(equations(run["set"].items()), run) for run in runs]
        people = People(columns)
        findings = [
            finding(column, variant.sessions, people)
            for column, variant in zip(columns, self._made.variants, strict=True)
        ]
        return {"columns": columns, "title": self._made.title, "facts": self._facts(), "findings": findings}

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

        return render(self.document, title=self.title, command=self.command, svg=self.svg, narrow=self.narrow_svg)

    def _facts(self) -> str:
        asked = self._made.asked
        start, end = self._made.window
        digits = 3 if end - start < 10 else 1
        shown = f"{start:.{digits}f} s to {end:.{digits}f} s of the run"
        settings = [equations(asked.set)] if asked.set else []
        return ", ".join([self._made.name, *settings, f"seed {asked.seed}, {shown}"])

    def __repr__(self) -> str:
        return f"<airfair.Timeline {self._facts()}>"


def finding(column: Column, sessions: int, people: People) -> str:
    """A summary of a column: its first session, and the run's fairness index."""
    from airfair.figures.timeline.queue import found
    from airfair.figures.timeline.scene import BANDS
    from airfair.figures.timeline.sessions import multiple

    sentences = []
    whole = [bar for bar in column.shown["sessions"] if bar["start"] >= column.shown["from"]]
    if whole and len(column.shown["sessions"]) <= BANDS:
        bar = min(whole, key=lambda bar: bar["start"])
        words = f"{bar['flow']} wakes and asks for {quantity(bar['bytes'], 'byte')}"
        ahead = next((ahead for queue in column.shown["queues"] if (ahead := found(queue, bar, people))), None)
        if ahead is not None:
            words += f", with {ahead:g} packets ahead of it at the access point"
        if bar["sent"] is not None:
            words += f". Its last byte is sent after {quantity(bar['sent'], 's', 3)}"
            if bar["fairness_sent"] is not None:
                words += f": {multiple(1 / bar['fairness_sent'])} times its fair share"
        sentences.append(words + ".")
    index = column.shown["metrics"].get("instantaneous_fairness_sent", {}).get("value")
    if index is not None:
        sentences.append(f"IF of the whole run: {index:.2f} ({sessions} sessions).")
    if not sentences:
        sentences = _found_on_air(column)
    return " ".join(sentences)


def _found_on_air(column: Column) -> list[str]:
    """The throughput, and who has most of the air: where there is EDCA and several stations."""
    media = [medium for medium in column.shown["air"] if exchanges.has_categories(medium) and len(medium["lanes"]) > 1]
    if not media:
        return []
    sentences = []
    throughput = column.shown["metrics"].get("throughput_total", {}).get("value")
    if throughput is not None:
        sentences.append(f"Whole run: {quantity(throughput, 'bit/s', 3)}.")
    lane = max((lane for medium in media for lane in medium["lanes"]), key=lambda lane: lane["share"])
    mpdus, rate = exchanges.in_short(lane)
    return [
        *sentences,
        f"{lane['user']} has {percent(lane['share'])} of the air ({rate}, {mpdus} at a time).",
    ]
