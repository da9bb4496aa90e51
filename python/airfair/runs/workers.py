"""Where points are computed: the board that work is taken from, and the threads of this process that take it."""

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

#: The name of a result, and what is reported of it.
Asked = tuple[str, tuple[str, ...]]


class Runnable(Protocol):
    """What the executor needs of a scenario."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics that it reports, in order."""

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
        """Equal for points that one outcome answers."""
        return self.key, tuple(self.scenario.metrics)


@dataclass(frozen=True, slots=True)
class Task:
    """A point to be run, and the name of its result."""

    key: str
    point: Point


@dataclass(frozen=True)
class Finished:
    """What became of a task: an outcome, or an error."""

    task: Task
    outcome: _engine.Outcome | None
    origin: Origin | None
    error: BaseException | None = None


@dataclass(frozen=True)
class Saved:
    """The outcomes of these keys are on the disk."""

    keys: frozenset[str]


@dataclass(frozen=True)
class Interrupted:
    """Ctrl-C: what runs is to end, nothing more is taken."""


class Board:
    """What waits to be run. Workers take from it until it is closed, and report what became of each task."""

    def __init__(self, saving: Callable[[Task, _engine.Outcome, Origin], Callable[[], None]]) -> None:
        """Start empty and open; `saving` gives what keeps an outcome, and reports by itself when that is done."""
        self._saving = saving
        self._waiting: deque[Task] = deque()
        # Reentrant: a signal's handler closes the board in the midst of anything.
        self._changed = threading.Condition(threading.RLock())
        self._closed = False
        #: Ends what runs.
        self.stop = _engine.StopFlag()
        #: What became of the tasks; Ctrl-C; an error that ends everything; `None` for each worker that has left.
        self.reports: queue.SimpleQueue[Finished | Saved | Interrupted | BaseException | None] = queue.SimpleQueue()

    def put(self, tasks: Iterable[Task]) -> None:
        """Put up tasks."""
        with self._changed:
            self._waiting.extend(tasks)
            self._changed.notify_all()

    def close(self) -> None:
        """Have nothing more taken; what runs goes on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        """Whether nothing more will be taken."""
        return self._closed

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self, most: int = 1, patience: float | None = None) -> list[Task]:
        """The next tasks: at least one, unless the board is closed or nothing has come up for `patience` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting, patience)
            count = 0 if self._closed else min(most, len(self._waiting))
            return [self._waiting.popleft() for _ in range(count)]

    def done(self, task: Task, outcome: _engine.Outcome, origin: Origin) -> None:
        """Report and save an outcome. Where it cannot be saved, whatever the reason, everything ends.

        One too large to be stored fails alone.
        """
        try:
            save = self._saving(task, outcome, origin)
        except TooLargeError as error:
            self.failed(task, error)
            return
        self.reports.put(Finished(task, outcome, origin))
        try:
            save()
        except BaseException as error:
            self.abort(error)

    def failed(self, task: Task, error: BaseException) -> None:
        """Report a task that gave no outcome."""
        self.reports.put(Finished(task, None, None, error))

    def abort(self, error: BaseException) -> None:
        """End everything because of this error."""
        if not isinstance(error, _engine.InputError | _engine.EngineError | OSError):
            cause = error
            error = _engine.EngineError(f"{type(cause).__name__}: {cause}")
            error.__cause__ = cause
        self.stop.set()
        self.close()
        self.reports.put(error)


class Workers(Protocol):
    """Those who take from the board."""

    def start(self, board: Board, tasks: int | None) -> int:
        """Start working in the background; `tasks` is how many there will be, where that is known.

        Returns how many times `None` will be reported: once for each worker that leaves.
        """


def default_jobs() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """Threads of this process: the engine lets go of Python's lock while it runs, so they use all cores.

    Each takes the next point when it is done with one, so that long and short ones even out.
    """

    def __init__(self, jobs: int | None = None) -> None:
        """Use so many threads; by default one for each core that this process may use."""
        self._jobs = jobs or default_jobs()

    def start(self, board: Board, tasks: int | None) -> int:
        """Start the threads, no more than there are tasks."""
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
