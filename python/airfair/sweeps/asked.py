"""Which sweep a command or a call asks for: what its source says, and what is said beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from airfair import _engine
from airfair.sweeps import sweep_file
from airfair.sweeps.directory import Directory
from airfair.sweeps.spec import MOST_SEEDS, Sweep, Until


@dataclass(frozen=True)
class Source:
    """Where a sweep comes from."""

    sweep: Sweep
    #: The directory that holds it, which is continued; `None` where there is none yet.
    directory: Path | None = None
    #: A name for a directory of results.
    label: str = ""


def read(source: str) -> Source:
    """A packaged scenario by name, a scenario file, a sweep file, or the directory of a sweep.

    Raises:
        InputError: There is no such thing, or something is wrong with it.
    """
    path = Path(source)
    if path.is_dir():
        return Source(Directory(path).sweep(), path)
    if sweep_file.is_sweep_file(path):
        directory = path.parent if sweep_file.holds_its_scenario(path) else None
        if directory is not None and path.name == sweep_file.NAME:
            return read(str(directory))
        return Source(sweep_file.read(path), directory, path.stem)
    name = path.name if path.is_file() else source
    return Source(Sweep(name, _engine.scenario_text(source)), None, name.removesuffix(".toml").replace("/", "-"))


@dataclass(frozen=True)
class Changes:
    """What is said beside the source. `None` and empty: as the source has it."""

    over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    set: Mapping[str, str] = field(default_factory=dict)
    zip: tuple[tuple[str, ...], ...] = ()
    sample: int | None = None
    seed: int | None = None
    seeds: int | None = None
    until_ci: str | None = None
    metrics: tuple[str, ...] = ()


def changed(base: Sweep, changes: Changes) -> Sweep:
    """The sweep with its changes: an axis takes the place of a fixed value, and the other way round.

    Raises:
        InputError: They contradict each other, or the sweep.
    """
    over, fixed = dict(changes.over), dict(changes.set)
    until = Until.read(changes.until_ci) if changes.until_ci else base.until if changes.seeds is None else None
    seeds = changes.seeds if changes.seeds is not None else MOST_SEEDS if changes.until_ci else base.seeds
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
