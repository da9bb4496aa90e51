"""The cost of points: how many there are, how many are stored, and how long the others take to run."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from airfair import _engine, console
from airfair.catalogue.units import duration
from airfair.catalogue.wording import counted
from airfair.command import Common, answer
from airfair.runs.executor import Point, execute
from airfair.runs.workers import default_jobs
from airfair.store.store import Origin, Store

#: Least wall time of the last probe of a point, in seconds, unless the whole run takes less.
_PATIENCE = 0.05
#: Wall time in seconds after which a probe is stopped.
_MOST = 1.0
#: Simulated time of the first probe in seconds, and the factor by which each further probe is longer.
_FIRST, _LONGER = 1.0, 4
#: Maximum number of points of a scenario that are probed.
_PROBES = 5
#: Runs that simulate less than this many seconds in all are not probed.
_LITTLE = 600.0
#: Estimated wall time in seconds from which a warning is printed.
_LONG = 3600.0
#: Stands for the rate that users get alone, in bit/s, where it has not been measured. It does not affect how long runs
#: take.
_ANY = 1e6


class Cost(NamedTuple):
    """The runs that a command would compute, and the time they would take."""

    #: Number of runs, each counted once.
    runs: int
    #: Number of runs whose results are stored.
    stored: int
    #: Number of parallel runs.
    jobs: int
    #: Estimated wall time of one run that is not stored, in s; `None` if none is left, or none could be probed.
    seconds_per_run: float | None
    #: How exact `runs` is: `fixed`, `at least` (further seeds may follow) or `at most` (a search may end earlier).
    bound: str = "fixed"
    #: Number of further runs, of users alone, that measure fair shares first and are not stored. For many scenarios it
    #: is estimated from some of them.
    alone: int = 0
    #: Estimated wall time of one run of a user alone in s; `None` if there are none, or none could be probed.
    seconds_alone: float | None = None

    @property
    def left(self) -> int:
        """Number of runs to compute."""
        return self.runs - self.stored

    @property
    def seconds(self) -> float | None:
        """Estimated wall time of all runs to compute, in s; `None` if unknown."""
        if not self.left:
            return 0.0
        if self.seconds_per_run is None:
            return None
        first = (self.seconds_alone or 0.0) * self.alone / min(self.jobs, max(self.alone, 1))
        return first + self.left * self.seconds_per_run / min(self.jobs, self.left)

    def __str__(self) -> str:
        bound = "" if self.bound == "fixed" else f"{self.bound} "
        runs = f"{bound}{counted(self.runs, 'run')}"
        if not self.left:
            return f"{runs}, all of them stored"
        text = f"{runs}: {self.stored} stored, {self.left} to compute" if self.stored else f"{runs} to compute"
        if self.alone:
            text += f" after {counted(self.alone, 'run')} of users alone, for the fair share"
        if self.seconds is None or self.seconds_per_run is None:
            return text
        each = f"{duration(self.seconds_per_run)} each, {counted(min(self.jobs, self.left), 'run')} at a time"
        return f"{text}; {bound}about {duration(self.seconds)} ({each})"


def cost(
    points: Iterable[Point], store: Path | None, jobs: int | None, *, verify: bool = False, bound: str = "fixed"
) -> Cost:
    """The cost of points whose results may be stored in a directory. Nothing is written.

    The time of a run is estimated from five points of each scenario, spread evenly, which are run for a short simulated
    time without warm-up.
    """
    points = list(points)
    kept = Store(store) if store is not None and store.is_dir() and not verify else None
    stored = _stored(points, kept)
    left: dict[str, Point] = {}
    every: set[str] = set()
    for point in points:
        key = point.key
        every.add(key)
        if key not in stored:
            left.setdefault(key, point)
    alone, seconds_alone = _alone(list(left.values()), kept)
    each = _each(list(left.values()))
    return Cost(len(every), len(every) - len(left), jobs or default_jobs(), each, bound, alone, seconds_alone)


def _stored(points: Sequence[Point], store: Store | None) -> set[str]:
    """The keys of the points whose results are stored."""
    stored: set[str] = set()
    if store is not None:

        def take(point: Point, _outcome: _engine.Outcome, _origin: Origin) -> None:
            stored.add(point.key)

        execute(points, store=store, computes=False, take=take)
    return stored


def _alone(points: Sequence[Point], store: Store | None) -> tuple[int, float | None]:
    """The number of runs of users alone that these points need first, and the wall time of one in s."""
    scenarios = list({point.scenario.key(0): point for point in points}.values())
    some = _some(scenarios)
    needed: dict[str, Point] = {}
    for point in some:
        needed |= {user.key: user for user in _users(point)}
    for key in _stored(list(needed.values()), store):
        del needed[key]
    if not needed:
        return 0, None
    return round(len(needed) * len(scenarios) / len(some)), _each(list(needed.values()))


def dry_run(name: str, found: Cost, common: Common) -> int:
    """Print the cost as a command's answer, and write no file."""
    document = {
        "scenario": name,
        "dry_run": True,
        **found._asdict(),
        "to_compute": found.left,
        "seconds": found.seconds,
    }
    answer(common._replace(out=None), "", document, lambda: console.out.line(f"{name}: {found}"))
    return 0


def warn_of_hours(points: Sequence[Point], store: Path | None, jobs: int | None) -> float | None:
    """Warn if the points that are not stored take an hour or more.

    Returns the estimated time of the largest of some points, in s; `None` if nothing was probed: the points simulate
    little. Others are probed only if it is slow.
    """
    sizes = {point: _size(point) for point in {point.scenario.key(0): point for point in _some(points)}.values()}
    if not sizes:
        return None
    largest = max(sizes, key=lambda point: sizes[point].work)
    users = _users(largest)
    alone = sum(_size(user).seconds for user in users[:1]) * len(users)
    if (fmean(size.seconds for size in sizes.values()) + alone) * len(points) < _LITTLE:
        return None
    each = seconds_of(largest)
    if each is None:
        return None
    mean = each * fmean(size.work for size in sizes.values()) / sizes[largest].work
    mean += sum(seconds_of(user) or 0.0 for user in users[:1]) * len(users)
    if mean * len(points) / min(len(points), jobs or default_jobs()) >= _LONG / _PROBES:
        found = cost(points, store, jobs)
        if found.seconds and found.seconds >= _LONG:
            console.warn([f"{found}; --dry-run tells without running"])
    return each


def _each(points: Sequence[Point]) -> float | None:
    """The mean wall time of a run in s, estimated from some points of each scenario; `None` if none could be probed."""
    by_scenario: dict[str, list[Point]] = {}
    for point in points:
        by_scenario.setdefault(point.scenario.name, []).append(point)
    total, known = 0.0, 0
    for alike in by_scenario.values():
        times = [seconds for point in _some(alike) if (seconds := seconds_of(point)) is not None]
        if times:
            total += sum(times) / len(times) * len(alike)
            known += len(alike)
    return total / known if known else None


def _users(point: Point) -> list[Point]:
    """The runs of users alone that a point needs first; empty unless its fair share is to be measured."""
    try:
        scenario = _loaded(point)
    except _engine.InputError:
        return []
    users = scenario.users_alone() if scenario.measures_share else []
    return [Point(user, seed) for user in users for seed in _engine.ALONE_SEEDS]


def _some(points: Sequence[Point]) -> Sequence[Point]:
    """At most `_PROBES` of the points, spread evenly from the first to the last."""
    if len(points) <= _PROBES:
        return points
    return [points[place * (len(points) - 1) // (_PROBES - 1)] for place in range(_PROBES)]


def seconds_of(point: Point) -> float | None:
    """Estimate the wall time of a run in s; `None` if it fails, or if even a very short beginning of it takes too long.

    Ever longer beginnings of the run are simulated, until one takes some time. The difference between the last two is
    extrapolated to the rest of the run, so that loading and the start of the flows are not counted several times.
    """
    try:
        scenario = _settled(_loaded(point))
        end = _engine.World(scenario, point.seed).end
        before = (0.0, 0.0)
        length = min(_FIRST, end)
        while True:
            took = _wall(_shortened(scenario, length) if length < end else scenario, point.seed)
            if took is None:
                if length <= 1e-3:
                    return None
                before, length = (0.0, 0.0), length / _LONGER**2
                continue
            if length >= end:
                return took
            if took >= _PATIENCE:
                rate = (took - before[1]) / (length - before[0])
                return took + max(rate, 0.0) * (end - length)
            before, length = (length, took), min(length * _LONGER, end)
    except (_engine.InputError, _engine.EngineError):
        return None


class _Size(NamedTuple):
    """How much a run simulates."""

    #: The simulated time in s, the warm-up included.
    seconds: float = 0.0
    flows: int = 0

    @property
    def work(self) -> float:
        """A measure of the work, by which runs of one scenario compare."""
        return self.seconds * self.flows


def _size(point: Point) -> _Size:
    """How much a run simulates; nothing if it fails."""
    try:
        world = _engine.World(_loaded(point), point.seed)
        return _Size(world.end, len(json.loads(world.counts_json())["flows"]))
    except (_engine.InputError, _engine.EngineError):
        return _Size()


def _loaded(point: Point) -> _engine.Scenario:
    """The scenario of a point. Its fair share may still have to be measured."""
    scenario: Any = point.scenario
    if isinstance(scenario, _engine.Scenario):
        return scenario
    loaded: _engine.Scenario = scenario.recipe.load()
    return loaded


def _shortened(scenario: _engine.Scenario, length: float) -> _engine.Scenario:
    """The scenario with a run of `length` s and no warm-up."""
    overrides = [("run.warmup", "0 s"), ("run.duration", f"{length:.9f} s")]
    return _settled(_engine.Scenario.parse(scenario.toml, scenario.name, overrides))


def _settled(scenario: _engine.Scenario) -> _engine.Scenario:
    """The scenario with some fair share, so that running it measures none."""
    return scenario.sharing(_ANY, _ANY) if scenario.measures_share else scenario


def _wall(scenario: _engine.Scenario, seed: int) -> float | None:
    """The wall time of a run in s; `None` if it takes longer than `_MOST` and is stopped."""
    stop = _engine.StopFlag()
    timer = threading.Timer(_MOST, stop.set)
    timer.start()
    started = time.perf_counter()
    try:
        scenario.run(seed, [], stop)
    except KeyboardInterrupt:
        if not stop.is_set():
            raise
        return None
    finally:
        timer.cancel()
    return time.perf_counter() - started
