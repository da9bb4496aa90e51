"""Computing points: a board of tasks, and the threads of this process that take them."""

from __future__ import annotations

import itertools
import os
import platform
import queue
import threading
import time
from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from airfair import _engine
from airfair.store.store import KEY, Origin

#: Seconds after which a thread reports the points that it has computed. Long enough that reporting costs little, short
#: enough that the last points of a sweep end together and Ctrl-C is heard at once.
_PATIENCE = 0.05
#: Maximum number of points that a thread takes at a time.
_MOST = 256
#: Number of waiting reports from which on threads wait before they report more.
_MOST_REPORTS = 4

#: A request: the key of a result, and the metrics to report.
Asked = tuple[str, tuple[str, ...]]


class Runnable(Protocol):
    """The part of a scenario that the executor needs."""

    @property
    def name(self) -> str:
        """The scenario's name."""

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics to report, in order."""

    def key(self, seed: int) -> str:
        """The key of the result with this seed. Resolved scenario, seed and model version determine it."""

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed.

        If a scenario also has a `source`, which the engine loads by itself, the engine runs many points in one call.
        """


@dataclass(frozen=True, eq=False, slots=True)
class Point:
    """One run: a scenario with its parameters set, a seed, and the time series to record."""

    scenario: Runnable
    seed: int
    traces: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key of the point's result. Resolved scenario, seed and model version determine it."""
        return self.scenario.key(self.seed)

    @property
    def asked(self) -> Asked:
        """The request of the point. Points with equal requests have one outcome."""
        return self.key, tuple(self.scenario.metrics)


class Task(NamedTuple):
    """A point to run, and its request."""

    asked: Asked
    point: Point

    @property
    def key(self) -> str:
        """The key of the task's result."""
        return self.asked[0]


class Finished(NamedTuple):
    """The result of a task: an outcome or an error."""

    task: Task
    outcome: _engine.Outcome | None
    origin: Origin | None
    error: BaseException | None = None
    #: The outcome packed for the store and its unpacked size, see `Outcome.packed`.
    packed: tuple[bytes, int] | None = None


class Many(ABC):
    """Many points that are made when they are needed, and whose scenarios the engine loads by itself.

    These points are made, run, saved and reported in stretches, so that Python does little for each point.
    """

    @abstractmethod
    def __len__(self) -> int:
        """The number of points."""

    @abstractmethod
    def stretch(self, start: int, stop: int) -> Stretch:
        """The points that run at the places from `start` to `stop` - 1."""

    @abstractmethod
    def sources(self, places: Iterable[int]) -> list[_engine.Source]:
        """The scenarios with these numbers, for the engine. All scenarios report the same metrics."""

    @abstractmethod
    def point(self, place: int, seed: int) -> Point:
        """The point with the scenario of number `place` and this seed."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of `Many` points, in the order of their runs. Points of one scenario follow each other."""

    of: Many
    #: For each point, its number among all points, the number of its scenario, and its seed.
    numbers: array[int]
    places: array[int]
    seeds: array[int]
    #: The keys of the results, one after the other.
    keys: bytes

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, some: slice) -> Stretch:
        start, stop, _ = some.indices(len(self))
        keys = self.keys[start * KEY : stop * KEY]
        return Stretch(self.of, self.numbers[some], self.places[some], self.seeds[some], keys)

    def without(self, numbers: Sequence[int]) -> Stretch:
        """The stretch without the points at these indices."""
        if not numbers:
            return self
        gone = set(numbers)
        left = [number for number in range(len(self)) if number not in gone]
        columns = self.numbers, self.places, self.seeds
        numbers, places, seeds = (array(each.typecode, (each[n] for n in left)) for each in columns)
        return Stretch(self.of, numbers, places, seeds, b"".join(self.key(number) for number in left))

    def key(self, number: int) -> bytes:
        """The key of the result of the point at index `number` of the stretch."""
        return self.keys[number * KEY : (number + 1) * KEY]

    def point(self, number: int) -> tuple[int, Point]:
        """The point at index `number` of the stretch, after its number among all points."""
        return self.numbers[number], self.of.point(self.places[number], self.seeds[number])


@dataclass(frozen=True, slots=True)
class Done:
    """The results of a stretch, in the order of its points."""

    stretch: Stretch
    results: _engine.Results
    host: str
    #: The errors of points without an outcome, by their indices in the stretch.
    failed: dict[int, BaseException] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.results)


class Saved(NamedTuple):
    """Reports that a number of further outcomes are synced."""

    outcomes: int


class Interrupted:
    """Reports Ctrl-C: no more tasks are taken, and runs in progress end."""


#: What the executor gets reports on: results of tasks, synced outcomes, Ctrl-C, an error that ends the execution.
Report = Sequence[Finished] | Done | Saved | Interrupted | BaseException
#: Results that are reported together.
Reported = Sequence[Finished] | Done


class Board:
    """Tasks that wait to run. Workers take them until the board is closed, and report the result of each."""

    def __init__(self, saving: Callable[[Reported], tuple[Reported, Callable[[], None]]], *, stores: bool) -> None:
        """Start empty and open.

        `saving` returns the results to report, and a function that saves the outcomes among them. `stores` says
        whether outcomes are saved at all.
        """
        self._saving = saving
        self.stores = stores
        self._waiting: deque[Task | Stretch] = deque()
        #: Number of points that wait.
        self._count = 0
        # Reentrant: a signal's handler may close the board at any time.
        self._changed = threading.Condition(threading.RLock())
        self._closed = False
        #: Set to stop the runs in progress.
        self.stop = _engine.StopFlag()
        #: Reports for the executor; each worker puts `None` when it ends.
        self.reports: queue.SimpleQueue[Report | None] = queue.SimpleQueue()

    def put(self, tasks: Sequence[Task] | Stretch) -> None:
        """Add tasks."""
        with self._changed:
            self._waiting.extend([tasks] if isinstance(tasks, Stretch) else tasks)
            self._count += len(tasks)
            self._changed.notify_all()

    def put_back(self, tasks: Sequence[Task] | Stretch) -> None:
        """Put back tasks that were taken but not begun; they are taken next."""
        if len(tasks):
            with self._changed:
                self._waiting.extendleft([tasks] if isinstance(tasks, Stretch) else reversed(tasks))
                self._count += len(tasks)
                self._changed.notify_all()

    def close(self) -> None:
        """Let no more tasks be taken; runs in progress continue."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        """Whether no more tasks will be taken."""
        return self._closed

    def __len__(self) -> int:
        return self._count

    def take(self, most: int = 1, patience: float | None = None) -> list[Task] | Stretch:
        """Take the next tasks, up to `most`.

        Waits for at least one task, until the board is closed or has been empty for `patience` seconds.
        """
        taken: list[Task] | Stretch = []
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting, patience)
            while self._waiting and not self._closed and len(taken) < most:
                first = self._waiting[0]
                if isinstance(first, Task) and isinstance(taken, list):
                    taken.append(first)
                elif isinstance(first, Stretch) and not taken:
                    taken = first[:most]
                else:
                    break
                self._waiting.popleft()
                if isinstance(first, Stretch):
                    if len(first) > most:
                        self._waiting.appendleft(first[most:])
                    break
            self._count -= len(taken)
        return taken

    def done(self, finished: Reported) -> None:
        """Report results, and save the outcomes among them. If saving fails, the whole execution ends.

        Waits while many reports wait for the executor, because they hold outcomes in memory.
        """
        reported, save = self._saving(finished)
        with self._changed:
            self._changed.wait_for(lambda: self.reports.qsize() < _MOST_REPORTS or self.stop.is_set())
        self.reports.put(reported)
        try:
            save()
        except BaseException as error:
            self.abort(error)

    def report(self, patience: float) -> Report | None:
        """Take the next report. Raises `queue.Empty` if none arrives within `patience` seconds."""
        report = self.reports.get(timeout=patience)
        with self._changed:
            self._changed.notify_all()
        return report

    def abort(self, error: BaseException) -> None:
        """End the execution with this error."""
        if not isinstance(error, _engine.InputError | _engine.EngineError | OSError):
            cause = error
            error = _engine.EngineError(f"{type(cause).__name__}: {cause}")
            error.__cause__ = cause
        self.stop.set()
        self.close()
        self.reports.put(error)


class Workers(Protocol):
    """Workers that take tasks from the board."""

    #: Whether the workers take stretches.
    takes_stretches: bool
    #: Maximum number of runs in progress; `None`: any run that was taken may be in progress.
    at_once: int | None

    def start(self, board: Board, tasks: int | None) -> int:
        """Start working in the background; `tasks` is the total number of tasks, if known.

        Returns the number of workers; each reports `None` when it ends.
        """


def default_jobs() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """Threads of this process. The engine releases Python's lock while it runs, so they use all cores.

    A thread takes as many points at a time as run in about 50 ms, so that the threads stay balanced.
    """

    takes_stretches = True

    def __init__(self, jobs: int | None = None) -> None:
        """Use `jobs` threads; by default one for each core that this process may use."""
        self._jobs = jobs or default_jobs()
        self.at_once: int | None = self._jobs

    def start(self, board: Board, tasks: int | None) -> int:
        """Start the threads: no more than there are tasks, or than the system allows.

        Raises:
            EngineError: The system allows none.
        """
        count = self._jobs if tasks is None else min(self._jobs, tasks)
        for place in range(count):
            try:
                threading.Thread(target=self._work, args=(board,), name=f"airfair-{place}", daemon=True).start()
            except RuntimeError:
                if place == 0:
                    raise _engine.EngineError("the system allows no further thread, and runs need one") from None
                return place
        return count

    def _work(self, board: Board) -> None:
        most = 1
        try:
            while batch := board.take(max(1, min(most, len(board) // (2 * self._jobs)))):
                finished: Reported
                if isinstance(batch, Stretch):
                    finished = ran(batch, board.stop, stored=board.stores)
                else:
                    finished = computed(batch, board.stop, stored=board.stores)
                board.put_back(batch[len(finished) :])
                board.done(finished)
                most = min(2 * len(finished), _MOST)
        except BaseException as error:
            board.abort(error)
        finally:
            board.reports.put(None)


def ran(stretch: Stretch, stop: _engine.StopFlag, *, stored: bool) -> Done:
    """Run the first points of a stretch, at least one, for about 50 ms. With `stored`, outcomes are packed."""
    sources = stretch.of.sources(place for place, _ in itertools.groupby(stretch.places))
    host = platform.node()
    places, seeds = stretch.places.tolist(), stretch.seeds.tolist()
    results = _engine.compute(sources, places, seeds, stretch.keys, stop, _PATIENCE, host, pack=stored)
    return Done(stretch[: len(results)], results, host, results.errors)


def computed(tasks: Sequence[Task], stop: _engine.StopFlag, *, stored: bool) -> list[Finished]:
    """Run the first of these tasks, at least one, for about 50 ms. With `stored`, the engine packs outcomes."""
    together = list(itertools.takewhile(_is_loadable, tasks))
    if not together:
        return [_alone(tasks[0], stop)]
    sources: list[_engine.Source] = []
    places = []
    last: object = None
    for task in together:
        scenario: Any = task.point.scenario
        if scenario is not last:
            sources.append(scenario.source)
            last = scenario
        places.append(len(sources) - 1)
    host = platform.node()
    seeds, keys = [task.point.seed for task in together], bytes.fromhex("".join(task.key for task in together))
    results = _engine.compute(sources, places, seeds, keys, stop, _PATIENCE, host, pack=stored)
    return [
        Finished(task, run.outcome, Origin(run.seconds, host, run.finished), run.error, run.packed)
        for task, run in zip(together, map(results.__getitem__, range(len(results))), strict=False)
    ]


def _is_loadable(task: Task) -> bool:
    return getattr(task.point.scenario, "source", None) is not None and not task.point.traces


def _alone(task: Task, stop: _engine.StopFlag) -> Finished:
    started = time.perf_counter()
    try:
        outcome = task.point.scenario.run(task.point.seed, list(task.point.traces), stop)
    except BaseException as error:
        return Finished(task, None, None, error)
    return Finished(task, outcome, Origin.now(time.perf_counter() - started))
