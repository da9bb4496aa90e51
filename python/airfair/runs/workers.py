"""Computing points: a board of tasks, and the threads of this process that take them."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from airfair import _engine
from airfair.store.store import Origin, TooLargeError

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
        """Run with one seed."""


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
    """A point to run, and the key of its result."""

    key: str
    point: Point


@dataclass(frozen=True)
class Finished:
    """The result of a task: an outcome or an error."""

    task: Task
    outcome: _engine.Outcome | None
    origin: Origin | None
    error: BaseException | None = None


@dataclass(frozen=True)
class Saved:
    """The outcomes with these keys are synced."""

    keys: frozenset[str]


@dataclass(frozen=True)
class Interrupted:
    """Ctrl-C: no more tasks are taken; runs in progress end."""


class Board:
    """Tasks that wait to run. Workers take them until the board is closed, and report the result of each."""

    def __init__(self, saving: Callable[[Task, _engine.Outcome, Origin], Callable[[], None]]) -> None:
        """Start empty and open; `saving` returns a function that saves an outcome and reports by itself when done."""
        self._saving = saving
        self._waiting: deque[Task] = deque()
        # Reentrant: a signal's handler may close the board at any time.
        self._changed = threading.Condition(threading.RLock())
        self._closed = False
        #: Stops the runs in progress.
        self.stop = _engine.StopFlag()
        #: Results of tasks; Ctrl-C; an error that ends everything; `None` for each worker that has ended.
        self.reports: queue.SimpleQueue[Finished | Saved | Interrupted | BaseException | None] = queue.SimpleQueue()

    def put(self, tasks: Iterable[Task]) -> None:
        """Add tasks."""
        with self._changed:
            self._waiting.extend(tasks)
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

    def done(self, task: Task, outcome: _engine.Outcome, origin: Origin) -> None:
        """Report and save an outcome. If saving fails, the whole execution ends.

        Only an outcome that is too large to store, or differs from the stored one, fails alone.
        """
        try:
            save = self._saving(task, outcome, origin)
        except (TooLargeError, _engine.EngineError) as error:
            self.failed(task, error)
            return
        self.reports.put(Finished(task, outcome, origin))
        try:
            save()
        except BaseException as error:
            self.abort(error)

    def failed(self, task: Task, error: BaseException) -> None:
        """Report a failed task."""
        self.reports.put(Finished(task, None, None, error))

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

    Each takes one point at a time, so that long and short runs balance.
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

    @staticmethod
    def _work(board: Board) -> None:
        while batch := board.take():
            [task] = batch
            started = time.perf_counter()
            try:
                outcome = task.point.scenario.run(task.point.seed, list(task.point.traces), board.stop)
            except BaseException as error:
                board.failed(task, error)
            else:
                board.done(task, outcome, Origin.now(time.perf_counter() - started))
        board.reports.put(None)
