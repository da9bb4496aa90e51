"""The part of a report with the commands that ran the sweep, and commands to run it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airfair.catalogue.parameters import is_number, seed_options, set_options, written
from airfair.catalogue.units import WRITTEN
from airfair.sweeps.page.subject import Subject

if TYPE_CHECKING:
    from airfair.sweeps.spec import Sweep


def told(entry: Mapping[str, Any]) -> dict[str, str]:
    """Describe a command that the manifest records, with how it ended, for the page."""
    finished = entry.get("finished")
    how = "killed or still running" if finished is None else "complete" if entry.get("complete") else "interrupted"
    if finished is not None:
        how += f", {entry.get('computed', 0)} computed, {entry.get('reused', 0)} found"
    where = ", ".join(str(entry[key]) for key in ("system", "machine") if key in entry)
    versions = f"AirFair {entry.get('airfair', '?')}, model {entry.get('model_version', '?')}"
    return {
        "command": shlex.join(entry.get("command", [])),
        "started": str(entry.get("started", "")),
        "how": how,
        "where": f"{versions}; {where}",
    }


def again(sweep: Sweep) -> str:
    """The command that runs the same sweep again."""
    words = ["airfair", "sweep", sweep.name]
    for name, values in sweep.over.items():
        words += ["--over", f"{name}={','.join(values)}"]
    for group in sweep.zip:
        words += ["--zip", ",".join(group)]
    words += ["--sample", str(sweep.sample)] if sweep.sample is not None else []
    words += ["--until-ci", f"{sweep.until.metric}={sweep.until.share * 100:g}%"] if sweep.until else []
    words += seed_options(sweep.seed, sweep.seeds)
    words += ["--metrics", ",".join(sweep.metrics)] if sweep.metrics else []
    words += set_options(sweep.set.items())
    return shlex.join(words)


def first_point(subject: Subject) -> str:
    """The command that runs the sweep's first point; empty if there are no results."""
    data, sweep = subject.data, subject.sweep
    if data.frame.is_empty():
        return ""
    words = ["airfair", "run", sweep.name]
    first = ((name, data.frame[name][0]) for name in data.axes)
    words += set_options(
        (name.removeprefix("parameter_"), _exact(value, data.units.get(name, "")))
        for name, value in first
        if value is not None
    )
    words += set_options(sweep.set.items())
    words += seed_options(sweep.seed, 1 if sweep.until else sweep.seeds)
    words += ["--metrics", ",".join(sweep.metrics)] if sweep.metrics else []
    return shlex.join(words)


def _exact(value: Any, unit: str) -> str:
    if not is_number(value):
        return written(value)
    symbol = WRITTEN.get(unit)
    return f"{value:.15g} {symbol}" if symbol else f"{value:.15g}"
