"""Computing points: a board of tasks, and the threads of this process that take them."""

from __future__ import annotations

import itertools
import os
import platform
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from airfair import _engine
from airfair.store.store import Origin

#: Seconds after which a thread reports the points that it has computed. Long enough that reporting costs little, short
#: enough that the last points of a sweep end together and Ctrl-C is heard at once.
_PATIENCE = 0.05
#: Maximum number of points that a thread takes at a time.
_MOST = 256
#: Number of reports not taken at which threads wait.
_MOST_REPORTS = 4

#: The key of a result, and the metrics to report.
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
        """Names the result: the same for the same resolved scenario, seed and model version."""

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed.

        A scenario may have a `source` as well, which the engine loads by itself: then it runs many points in one call.
        """


@dataclass(frozen=True, eq=False, slots=True)
class Point:
    """One run: a scenario with its parameters set, a seed, and the time series to record."""

    scenario: Runnable
    seed: int
    traces: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Names the result: the same for the same resolved scenario, seed and model version."""
        return self.scenario.key(self.seed)

    @property
    def asked(self) -> Asked:
        """The request; equal for points that one outcome answers."""
        return self.key, tuple(self.scenario.metrics)


@dataclass(frozen=True, slots=True)
class Task:
    """A point to run, and its request."""

    asked: Asked
    point: Point

    @property
    def key(self) -> str:
        """The key of its result."""
        return self.asked[0]


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a task: an outcome or an error."""

    task: Task
    outcome: _engine.Outcome | None
    origin: Origin | None
    error: BaseException | None = None
    #: See `Outcome.packed`.
    packed: tuple[bytes, int] | None = None


@dataclass(frozen=True)
class Saved:
    """The outcomes with these keys are synced."""

    keys: frozenset[str]


@dataclass(frozen=True)
class Interrupted:
    """Ctrl-C: no more tasks are taken; runs in progress end."""


#: What the executor hears of: results of tasks, synced outcomes, Ctrl-C, an error that ends everything.
Report = Sequence[Finished] | Saved | Interrupted | BaseException


class Board:
    """Tasks that wait to run. Workers take them until the board is closed, and report the result of each."""

    def __init__(
        self, saving: Callable[[Sequence[Finished]], tuple[Sequence[Finished], Callable[[], None]]], *, stores: bool
    ) -> None:
        """Start empty and open.

        `saving` returns the results to report, and a function that saves the outcomes among them. `stores` tells
        whether outcomes are saved at all.
        """
        self._saving = saving
        self.stores = stores
        self._waiting: deque[Task] = deque()
        # Reentrant: a signal's handler may close the board at any time.
        self._changed = threading.Condition(threading.RLock())
        self._closed = False
        #: Stops the runs in progress.
        self.stop = _engine.StopFlag()
        #: `None` for each worker that has ended.
        self.reports: queue.SimpleQueue[Report | None] = queue.SimpleQueue()

    def put(self, tasks: Iterable[Task]) -> None:
        """Add tasks."""
        with self._changed:
            self._waiting.extend(tasks)
            self._changed.notify_all()

    def put_back(self, tasks: Sequence[Task]) -> None:
        """Return tasks that were taken and not begun, to be taken next."""
        if tasks:
            with self._changed:
                self._waiting.extendleft(reversed(tasks))
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
        return len(self._waiting)

    def take(self, most: int = 1, patience: float | None = None) -> list[Task]:
        """The next tasks: at least one, unless the board is closed or stays empty for `patience` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting, patience)
            count = 0 if self._closed else min(most, len(self._waiting))
            return [self._waiting.popleft() for _ in range(count)]

    def done(self, finished: Sequence[Finished]) -> None:
        """Report results, and save the outcomes among them. If saving fails, the whole execution ends.

        Waits while many reports are not taken: they hold outcomes in memory.
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
        """The next report. Raises `queue.Empty` if there is none for `patience` seconds."""
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

    def start(self, board: Board, tasks: int | None) -> int:
        """Start working in the background; `tasks` is the total number of tasks, if known.

        Returns the number of workers; each reports `None` when it ends.
        """


def default_jobs() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """Threads of this process. The engine releases Python's lock while it runs, so they use all cores.

    Each takes as many points at a time as take some milliseconds, so that long and short runs balance.
    """

    def __init__(self, jobs: int | None = None) -> None:
        """Use `jobs` threads; by default one for each core that this process may use."""
        self._jobs = jobs or default_jobs()

    def start(self, board: Board, tasks: int | None) -> int:
        """Start the threads: no more than there are tasks."""
        count = self._jobs if tasks is None else min(self._jobs, tasks)
        for place in range(count):
            threading.Thread(target=self._work, args=(board,), name=f"airfair-{place}", daemon=True).start()
        return count

    def _work(self, board: Board) -> None:
        most = 1
        try:
            while batch := board.take(max(1, min(most, len(board) // (2 * self._jobs)))):
                finished = computed(batch, board.stop, stored=board.stores)
                board.put_back(batch[len(finished) :])
                board.done(finished)
                most = min(2 * len(finished), _MOST)
        except BaseException as error:
            board.abort(error)
        finally:
            board.reports.put(None)


def computed(tasks: Sequence[Task], stop: _engine.StopFlag, *, stored: bool) -> list[Finished]:
    """Run the first of these tasks, at least one, for some milliseconds. With `stored`, outcomes are packed."""
    together = list(itertools.takewhile(_is_loadable, tasks))
    if not together:
        return [_alone(tasks[0], stop)]
    sources: list[_engine.Source] = []
    jobs = []
    last: object = None
    for task in together:
        scenario: Any = task.point.scenario
        if scenario is not last:
            sources.append(scenario.source)
            last = scenario
        jobs.append((len(sources) - 1, task.point.seed, task.key))
    host = platform.node()
    results = _engine.compute(sources, jobs, stop, _PATIENCE, host if stored else None)
    return [
        Finished(task, run.outcome, Origin(run.seconds, host, run.finished), run.error, run.packed)
        for task, run in zip(together, results, strict=False)
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
