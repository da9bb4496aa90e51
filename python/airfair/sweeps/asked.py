"""The sweep that a command or a call asks for: its source, with changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from airfair import _engine
from airfair.runs.loading import STDIN, File, ScenarioLike
from airfair.sweeps import sweep_file
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import Plan, plan
from airfair.sweeps.spec import MOST_SEEDS, Sweep, Until


class Source(NamedTuple):
    """What a sweep is made of: a scenario, a sweep file, or a directory to continue."""

    sweep: Sweep
    #: The directory of the sweep to continue; `None` for a new sweep.
    directory: Path | None = None
    #: Name for the default directory of results.
    label: str = ""
    #: The sweep file that a user wrote; `None` if the source is something else.
    file: Path | None = None
    #: The engine of a `Scenario`.
    engine: str | None = None


def of(given: ScenarioLike) -> Source:
    """Read the source of a sweep: a scenario in any form, or what `read` takes.

    Raises:
        InputError: The source does not exist, or is invalid.
    """
    if isinstance(given, str | PathLike):
        return read(str(given))
    file = File.of(given)
    return Source(Sweep(file.name, file.text, metrics=file.metrics), engine=file.engine)


def read(source: str) -> Source:
    """Read the source of a sweep.

    It is a packaged scenario by name, a scenario file or standard input (`-`), a sweep file, or the directory of a
    sweep.

    Raises:
        InputError: The source does not exist, or is invalid.
    """
    path = Path(source)
    if source == STDIN:
        file = File.of(source)
        return Source(Sweep(file.name, file.text), None, file.name)
    if path.is_dir():
        return Source(Directory(path).sweep(), path)
    if sweep_file.is_sweep_file(path):
        if path.name == sweep_file.NAME and sweep_file.holds_its_scenario(path):
            return read(str(path.parent))
        return Source(sweep_file.read(path), None, path.stem, path)
    name = path.name if path.is_file() else source
    return Source(Sweep(name, _engine.scenario_text(source)), None, name.removesuffix(".toml").replace("/", "-"))


class Changes(NamedTuple):
    """Changes to a source. `None` and empty values keep the source's settings."""

    over: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    set: Mapping[str, str] = MappingProxyType({})
    zip: tuple[tuple[str, ...], ...] = ()
    sample: int | None = None
    seed: int | None = None
    seeds: int | None = None
    until_ci: str | Mapping[str, object] | None = None
    metrics: tuple[str, ...] = ()


def changed(base: Sweep, changes: Changes) -> Sweep:
    """Apply changes to a sweep: an axis replaces a fixed value of the parameter, and the other way round.

    Raises:
        InputError: The changes contradict each other, or the sweep.
    """
    over, fixed = dict(changes.over), dict(changes.set)
    until = (
        Until.read(changes.until_ci) if changes.until_ci is not None else base.until if changes.seeds is None else None
    )
    seeds = changes.seeds if changes.seeds is not None else MOST_SEEDS if changes.until_ci is not None else base.seeds
    return replace(
        base,
        set={name: value for name, value in base.set.items() if name not in over} | fixed,
        over={name: values for name, values in base.over.items() if name not in fixed} | over,
        zip=changes.zip or base.zip,
        sample=changes.sample if changes.sample is not None else base.sample,
        seed=changes.seed if changes.seed is not None else base.seed,
        seeds=seeds,
        until=until,
        metrics=changes.metrics or base.metrics,
    )


def planned(source: Source, wanted: Sweep, engine: str | None = None, **options: Any) -> Plan:
    """Make the plan of `wanted`, the source's sweep with changes; see `plan`. Errors in a sweep file name the file."""
    try:
        return plan(wanted, engine, **options)
    except _engine.InputError as error:
        place = source.file or source.directory
        if place and str(error) == _fault(source.sweep, engine):
            raise _engine.InputError(f"{place}: {error}") from None
        raise


def _fault(sweep: Sweep, engine: str | None) -> str:
    try:
        plan(sweep, engine)
    except _engine.InputError as error:
        return str(error)
    return ""
