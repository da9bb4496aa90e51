"""The body of `airfair report`: a self-contained page on a sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _engine, console, pages
from airfair.catalogue.known import every_metric
from airfair.catalogue.wording import paragraphs, title
from airfair.command import Common, answer, output
from airfair.sweeps.headlines import headlines, importance
from airfair.sweeps.page.again import again, first_point, told
from airfair.sweeps.page.effects import drawn, overlap, shares
from airfair.sweeps.page.subject import Subject, of_directory
from airfair.sweeps.page.tables import alone, constant, failures, means, settings, undefined

if TYPE_CHECKING:
    from airfair.sweeps.spec import Sweep

NAME = "report.html"
#: Maximum number of values of an axis listed one by one.
_VALUES = 8
#: Maximum number of commands that the page lists, the last ones.
_COMMANDS = 10
#: A column name that no parameter has: their names have no spaces.
_ROWS = "number of rows"


def report(directory: Path, common: Common) -> int:
    """Write the page, and print its path."""
    with console.status(f"reading {directory}"):
        subject = of_directory(directory)
        text = render(subject)
    into = output(common, directory, [NAME])
    into.publish({NAME: text.encode()})
    file = into.path / NAME
    if subject.data.note:
        console.err.line(subject.data.note)
    shown = [item.metric for item in headlines(subject.sensitivities)]
    document = {
        "scenario": subject.sweep.name,
        "points": subject.data.frame.select(subject.data.axes).n_unique() if subject.data.axes else 1,
        "runs": subject.data.frame.height,
        "failures": subject.failures.height,
        "figures": shown,
        "file": str(file),
        "bytes": len(text.encode()),
    }
    answer(Common(common.json), "report.json", document, lambda: console.out.line(str(file)))
    return 0


def render(subject: Subject) -> str:
    """Render the page on a sweep."""
    sweep, data = subject.sweep, subject.data
    shown = [] if data.frame.is_empty() else headlines(subject.sensitivities)
    described = _described(sweep)
    return pages.render(
        "sweep.html",
        script="sweep.js",
        model=_engine.MODEL_VERSION,
        sweep=sweep,
        heading=described.get("title") or sweep.name,
        description=paragraphs(described.get("description") or ""),
        note=data.note,
        warnings=subject.warnings,
        counts=_counts(subject),
        axes=[_axis(subject, name) for name in data.axes],
        sampled=data.sampled,
        seeds=_seeds(subject),
        figures=[drawn(subject, item.metric, importance(shown)) for item in shown],
        shown=[item.metric for item in shown],
        sensitivity=[shares(subject, item) for item in subject.sensitivities],
        overlap=overlap(subject),
        alone=alone(subject),
        constant=constant(subject),
        undefined=undefined(subject),
        table=means(subject, [item.metric for item in shown]),
        failures=failures(subject),
        settings=settings(subject, described),
        commands=[told(entry) for entry in subject.commands[-_COMMANDS:]],
        again=again(sweep),
        one=first_point(subject),
        definitions=[every_metric()[name] for name in data.metrics],
        title=title,
    )


def _described(sweep: Sweep) -> dict[str, Any]:
    """The packaged scenario's description; for a file its name."""
    try:
        if _engine.scenario_text(sweep.name) == sweep.text:
            found: dict[str, Any] = json.loads(_engine.describe_json(sweep.name))
            return found
    except _engine.InputError:
        pass
    return {}


def _counts(subject: Subject) -> dict[str, Any]:
    """The numbers of complete, partial and failed points."""
    data, sweep = subject.data, subject.sweep
    axes = list(data.axes)
    found = data.frame.group_by(axes).len(_ROWS)[_ROWS].to_list() if axes else [data.frame.height]
    seeds = found if data.frame.height else []
    failed = subject.failures.select(axes).unique() if axes else subject.failures.head(1).select("reason")
    # A point that failed with only some of its seeds has results, too.
    only = failed.join(data.frame, on=axes, how="anti", nulls_equal=True).height if axes else 0
    whole = sum(count >= sweep.seeds for count in seeds) if sweep.until is None else len(seeds)
    missing = 0 if subject.wanted is None else max(0, subject.wanted - len(seeds) - only)
    return {
        "runs": data.frame.height,
        "points": subject.wanted or len(seeds),
        "whole": whole,
        "failed": failed.height,
        "part": max(0, len(seeds) - whole - (failed.height - only)),
        "missing": missing,
        "most": max(seeds, default=0),
    }


def _axis(subject: Subject, name: str) -> dict[str, Any]:
    along = subject.along[name]
    texts = [along.text(value) for value in along.values]
    few = ", ".join(texts) if len(texts) <= _VALUES else f"{texts[0]} to {texts[-1]}, {len(texts)} values"
    return {"name": name, "label": title(name), "unit": along.scale.symbol, "shown": few}


def _seeds(subject: Subject) -> str:
    sweep = subject.sweep
    if sweep.until:
        share = f"{sweep.until.share * 100:g} %"
        return f"seeds from {sweep.seed} on until the interval of {sweep.until.metric} is within {share}"
    last = sweep.seed + sweep.seeds - 1
    return f"seed {sweep.seed}" if sweep.seeds == 1 else f"seeds {sweep.seed} to {last}"
