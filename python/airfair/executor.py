"""The one executor: points in, outcomes out. Every command that runs the engine is a front end of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from airfair import _engine
from airfair.store import DamagedError, Origin, Store
from airfair.workers import Board, Finished, Interrupted, Point, Task, Threads, Workers

__all__ = ["Execution", "Failure", "Point", "Progress", "execute"]


@dataclass(frozen=True)
class Failure:
    """A point that gave no outcome."""

    point: Point
    reason: str


@dataclass
class Execution:
    """What became of the points."""

    outcomes: dict[Point, _engine.Outcome] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    #: Whether Ctrl-C ended it before every point was done.
    interrupted: bool = False
    #: How many outcomes were found in the store.
    reused: int = 0
    #: How many outcomes were computed.
    computed: int = 0
    #: How many files of the store were damaged; their points were computed again.
    damaged: int = 0
    #: Where and when each outcome was computed.
    origins: dict[Point, Origin] = field(default_factory=dict)


#: Called in the main thread after each point, with the number done, the number found in the store and the total so far.
Progress = Callable[[int, int, int], None]
#: Takes an outcome.
Take = Callable[[Point, _engine.Outcome], None]
#: Called in the main thread after the first Ctrl-C, with the number of runs in progress.
Finishing = Callable[[int], None]


def execute(
    points: Sequence[Point],
    *,
    store: Store | None = None,
    jobs: int | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
    finishing: Finishing | None = None,
    take: Take | None = None,
    fail: Callable[[Failure], None] | None = None,
    more: Callable[[Point], Iterable[Point]] | None = None,
) -> Execution:
    """Run all points, by `workers`; by default in `jobs` threads.

    Points with the same key are run once. With a `store`, outcomes found there are not computed again, and each new
    one is saved as soon as it is there, so that a run that is killed loses at most the points in progress.
    With `take`, outcomes are handed to it, in no particular order, instead of being kept: thousands fill the memory.
    With `more`, each point that is done, well or not, may ask for further ones.
    A point that fails is recorded with its reason, told to `fail`, and the rest goes on; bad input, and a store that
    cannot be written, end everything and are raised.

    Ctrl-C: with `finishing` the first one lets the points in progress end and saves them, having told how many they
    are, and the second stops at once; without it the first one stops at once. Either way the call returns, with
    `interrupted` set.
    """
    collector = _Collector(store, progress, take, fail, more, finishing)
    collector.add(points)
    waiting = len(collector.board)
    with _interrupts(collector):
        if waiting and not collector.board.closed:
            running = (workers or Threads(jobs)).start(collector.board, None if more else waiting)
            collector.collect(running)
    return collector.result()


class _Collector:
    """Puts up tasks and takes what became of them, all in one thread."""

    def __init__(
        self,
        store: Store | None,
        progress: Progress | None,
        take: Take | None,
        fail: Callable[[Failure], None] | None,
        more: Callable[[Point], Iterable[Point]] | None,
        finishing: Finishing | None,
    ) -> None:
        self._store = store
        self._progress = progress
        self._take = take
        self._fail = fail
        self._more = more
        self._finishing = finishing
        self._execution = Execution()
        #: Points whose results are not there yet, by key.
        self._open: dict[str, list[Point]] = {}
        self._order: dict[Point, int] = {}
        self._total = 0
        self._failed = 0
        self._error: BaseException | None = None
        self.board = Board(self._save)

    def _save(self, task: Task, outcome: _engine.Outcome, origin: Origin) -> None:
        # A stored outcome has no time series.
        if self._store is not None and not task.point.traces:
            self._store.put(task.key, outcome, origin)

    def add(self, points: Iterable[Point]) -> None:
        """Take what is there, put up what is not."""
        fresh: dict[str, list[Point]] = {}
        for point in points:
            self._order[point] = len(self._order)
            key = point.key
            if key in self._open:
                self._open[key].append(point)
            else:
                fresh.setdefault(key, []).append(point)
        self._total += len(fresh)
        for key, group in fresh.items():
            stored = self._stored(key, group[0])
            if stored is None:
                self._open[key] = group
                self.board.put([Task(key, group[0])])
            else:
                self._execution.reused += 1
                self._keep(group, *stored)
        self._tell()

    def _stored(self, key: str, point: Point) -> tuple[_engine.Outcome, Origin] | None:
        if self._store is None or point.traces:
            return None
        try:
            entry = self._store.entry(key)
            return (entry.read(), entry.origin) if entry else None
        except (DamagedError, _engine.InputError):
            self._execution.damaged += 1
            return None

    def _keep(self, group: list[Point], outcome: _engine.Outcome, origin: Origin) -> None:
        for point in group:
            self._execution.origins[point] = origin
            if self._take is None:
                self._execution.outcomes[point] = outcome
            else:
                self._take(point, outcome)
        self._follow(group)

    def _follow(self, group: list[Point]) -> None:
        if self._more is not None:
            further = [point for done in group for point in self._more(done)]
            if further:
                self.add(further)

    def collect(self, running: int) -> None:
        """Take reports until every worker has left."""
        while running:
            if not self._open:
                self.board.close()
            report = self.board.reports.get()
            if report is None:
                running -= 1
            elif isinstance(report, Interrupted):
                self._tell_what_ends()
            elif isinstance(report, Finished):
                self._finish(report)
                self._tell()
            else:
                self._error = self._error or report

    def _finish(self, report: Finished) -> None:
        group = self._open.pop(report.task.key)
        if report.outcome is not None and report.origin is not None:
            self._execution.computed += 1
            self._keep(group, report.outcome, report.origin)
        elif isinstance(report.error, _engine.InputError):
            self.board.abort(report.error)
        elif self.board.stop.is_set():
            self._open[report.task.key] = group  # stopped, not failed
        else:
            reason = str(report.error) or type(report.error).__name__
            self._failed += 1
            failures = [Failure(point, reason) for point in group]
            self._execution.failures += failures
            if self._fail:
                for failure in failures:
                    self._fail(failure)
            self._follow(group)

    def _tell(self) -> None:
        if self._progress:
            done = self._execution.reused + self._execution.computed + self._failed
            self._progress(done, self._execution.reused, self._total)

    def interrupt(self) -> None:
        """Ctrl-C."""
        if self._execution.interrupted or not self._finishing:
            self.board.stop.set()
        else:
            # Told from `collect`: a signal's handler may come in the midst of other printing.
            self.board.reports.put(Interrupted())
        self._execution.interrupted = True
        self.board.close()

    def _tell_what_ends(self) -> None:
        running = len(self._open) - len(self.board)
        if self._finishing and running:
            self._finishing(running)

    def result(self) -> Execution:
        """What became of the points. Raises the error that ended everything."""
        self._execution.interrupted &= bool(self._open)
        if self._error is not None:
            raise self._error
        self._execution.failures.sort(key=lambda failure: self._order[failure.point])
        return self._execution


@contextmanager
def _interrupts(collector: _Collector) -> Iterator[None]:
    """Tell the collector of Ctrl-C while the block runs. Only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_interrupt(_signal: int, _frame: FrameType | None) -> None:
        collector.interrupt()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
