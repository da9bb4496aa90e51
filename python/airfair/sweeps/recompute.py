"""`airfair cache DIR --recompute N`: run some points again and compare them with the stored outcomes byte for byte."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from airfair import _engine, console
from airfair.catalogue.wording import counted
from airfair.runs.engines import agree
from airfair.runs.executor import execute, fitting
from airfair.runs.workers import Point
from airfair.store.store import DamagedError, Store
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import plan


@dataclass(frozen=True)
class Recomputed:
    """The result of running stored points again."""

    #: Number of points run.
    runs: int
    #: Names, for people, of the points whose stored outcome differs.
    different: tuple[str, ...]
    #: Names of the points that failed now.
    failed: tuple[str, ...]


def recompute(directory: Path, count: int, seed: int, engine: str | None = None) -> Recomputed:
    """Run `count` stored points of the directory's sweep again, or all if there are fewer. `seed` draws the points.

    Raises:
        InputError: The directory has no sweep, or no stored point of its sweep, or there is no such engine.
        KeyboardInterrupt: Ctrl-C.
    """
    found = plan(Directory(directory).sweep(), engine)
    sweep, store = found.sweep, Store(directory)
    # The draw does not depend on the store, so a forger cannot know which results are checked.
    total = len(found.combinations) * sweep.seeds
    chosen: list[Point] = []
    for place in _shuffled(total, seed):
        point = Point(found.combinations[place // sweep.seeds], sweep.seed + place % sweep.seeds)
        if point.key in store:
            chosen.append(point)
        if len(chosen) == count:
            break
    if not chosen:
        raise _engine.InputError(f"{directory}: no result of its sweep is stored")
    with console.progress(f"recomputing {directory}") as progress:
        execution = execute(chosen, progress=progress)
    if execution.interrupted:
        raise KeyboardInterrupt
    ran = [point for point in chosen if point in execution.outcomes]
    return Recomputed(
        len(chosen),
        tuple(_named(point) for point in ran if not _same(store, point, execution.outcomes[point])),
        tuple(f"{_named(failure.point)}: {failure.reason}" for failure in execution.failures),
    )


def show(directory: Path, found: Recomputed) -> None:
    """Print the result."""
    for name in found.different:
        console.out.line(f"differs from the stored result: {name}")
    for name in found.failed:
        console.out.line(f"failed: {name}")
    if not found.different and not found.failed:
        results = counted(found.runs, "result")
        console.out.line(f"{results} of {directory} computed again: the same bytes")


def _shuffled(size: int, seed: int) -> list[int]:
    """The numbers below `size` in a random order; if there are very many, a sample, to save memory."""
    most = 100_000
    return random.Random(seed).sample(range(size), min(size, most))


def _same(store: Store, point: Point, outcome: _engine.Outcome) -> bool:
    """Whether the stored outcome of a point equals `outcome`."""
    try:
        entry = store.entry(point.key)
        return entry is not None and agree(outcome, fitting(entry, point))
    except DamagedError:
        return False


def _named(point: Point) -> str:
    return f"{point.scenario}, seed {point.seed}"
