"""The executor: runs points and returns their outcomes. Every command that runs the engine uses it."""

from __future__ import annotations

import itertools
import queue
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from airfair import _engine
from airfair.runs.engines import agree
from airfair.runs.signals import ENDING, Terminated, hearing
from airfair.runs.workers import (
    Asked,
    Board,
    Done,
    Finished,
    Interrupted,
    Many,
    Point,
    Report,
    Reported,
    Saved,
    Stretch,
    Task,
    Threads,
    Workers,
)
from airfair.store.entries import check_size, too_large, unpacked
from airfair.store.saver import Saver
from airfair.store.segments import Entries, together
from airfair.store.store import DamagedError, Entry, Origin, Store, TooLargeError

__all__ = ["Execution", "Failure", "Point", "Progress", "execute"]


class Failure(NamedTuple):
    """A point that gave no outcome."""

    point: Point
    reason: str

    def __str__(self) -> str:
        return f"{self.point.scenario.name}, seed {self.point.seed}: {self.reason}"


@dataclass
class Execution:
    """The results of an execution."""

    outcomes: dict[Point, _engine.Outcome] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    #: The signal that ended the execution early: SIGINT (Ctrl-C), SIGTERM or SIGHUP.
    ended_by: signal.Signals | None = None
    #: Number of outcomes found in the store.
    reused: int = 0
    #: Number of outcomes computed.
    computed: int = 0
    #: Number of damaged parts of the store; their points were computed again.
    damaged: int = 0
    #: Number of points with neither an outcome nor a failure.
    missing: int = 0
    #: For each metric, the number of stored outcomes that lack it; their points were computed again.
    lacking: Counter[str] = field(default_factory=Counter)
    #: Number of points with an outcome.
    answered: int = 0

    @property
    def interrupted(self) -> bool:
        """Whether a signal ended the execution early."""
        return self.ended_by is not None

    @property
    def how(self) -> str:
        """The word for the signal that ended the execution early: SIGINT interrupts, the others terminate."""
        return "interrupted" if self.ended_by == signal.SIGINT else "terminated"

    @property
    def status(self) -> int:
        """The exit status of the command: 130, 143 or 129 if a signal ended it, as shells have it, else 0."""
        return 0 if self.ended_by is None else 128 + self.ended_by

    def end(self, cause: signal.Signals) -> None:
        """Record the signal that ends the execution."""
        self.ended_by = cause

    def raise_if_ended(self) -> None:
        """If a signal ended the execution, raise `KeyboardInterrupt` or `Terminated`, as the signal would have."""
        if self.ended_by == signal.SIGINT:
            raise KeyboardInterrupt
        if self.ended_by is not None:
            raise Terminated(self.status)

    def raise_if_failed(self) -> None:
        """Raise what `raise_if_ended` raises, or else the first failure as `EngineError`, with the number of others."""
        self.raise_if_ended()
        if self.failures:
            first, *others = self.failures
            raise _engine.EngineError(f"{first}; {len(others)} more failed" if others else str(first))


#: Seconds between checks for a signal. Python runs a signal's handler when a wait of the main thread ends, and the
#: handler that Polars sets for SIGINT does not end one (SA_RESTART).
_LOOK = 0.1

#: Maximum number of points that wait for workers. Further points are made later, so a plan may be of any length.
_WAITING = 8192
#: Number of points that are made at a time.
_PIECE = 256

#: Called in the main thread after each batch of points, with the number done, the number found in the store and the
#: total so far.
Progress = Callable[[int, int, int], None]
#: Called with each outcome.
Take = Callable[[Point, _engine.Outcome, Origin], None]
#: Called with the results of a stretch.
TakeAll = Callable[[Done], None]
#: Called in the main thread after the first Ctrl-C, with the number of runs in progress.
Finishing = Callable[[int], None]


def execute(
    points: Iterable[Point] | Many,
    *,
    count: int | None = None,
    store: Store | None = None,
    verify: bool = False,
    jobs: int | None = None,
    workers: Workers | None = None,
    computes: bool = True,
    progress: Progress | None = None,
    finishing: Finishing | None = None,
    take: Take | None = None,
    take_all: TakeAll | None = None,
    fail: Callable[[Failure], None] | None = None,
    more: Callable[[Point], Iterable[Point]] | None = None,
) -> Execution:
    """Run all points, by `workers`; by default in `jobs` threads.

    With `count`, the number of points, they are made when they are needed, and few are in memory at a time.
    Points with the same key run once. With a `store`, outcomes found there are reused, and each new one is saved at
    once, so that a killed command loses at most the points in progress. `progress` counts synced outcomes, which
    survive a power failure; when this returns, all outcomes are synced. Without `computes`, nothing runs: points that
    are not stored are left out.
    With `verify`, every point runs. A point whose outcome differs from the stored one fails; the stored one stays.
    With `take`, outcomes are passed to it, in no particular order, instead of being kept: thousands fill the memory.
    With `take_all` as well, the outcomes of stretches of `Many` points are passed to `take_all`.
    With `more`, each point that has succeeded or failed may add further points.
    A point that fails is recorded with its reason and passed to `fail`, and the others continue. Bad input, and a
    store that cannot be written, end the execution and are raised.

    Ctrl-C: with `finishing`, the first Ctrl-C calls it with the number of runs in progress, lets them end and saves
    them; the second one stops at once. Without `finishing`, the first one stops at once. SIGTERM and SIGHUP stop at
    once. In all cases the call returns, with `ended_by` set.
    """
    if isinstance(points, Many):
        count = len(points)
    elif count is None:
        points = list(points)
        count = len(points)
    workers = workers or Threads(jobs)
    collector = _Collector(
        rest=_pieces(points),
        total=count,
        store=store,
        computes=computes,
        verify=verify,
        progress=progress,
        take=take,
        take_all=take_all if workers.takes_stretches and not verify and more is None else None,
        fail=fail,
        more=more,
        finishing=finishing,
        at_once=workers.at_once,
    )
    with collector, hearing(collector.end, signal.SIGINT, *ENDING):
        collector.refill(_PIECE)  # no more points yet, so that the workers begin at once
        if waiting := len(collector.board):
            known = waiting < _PIECE and more is None
            collector.collect(workers.start(collector.board, waiting if known else None))
        collector.save()
    return collector.result()


def _pieces(points: Iterable[Point] | Many) -> Iterator[Sequence[Point] | Stretch]:
    """Yield the points, up to `_PIECE` at a time."""
    if isinstance(points, Many):
        for start in range(0, len(points), _PIECE):
            yield points.stretch(start, min(start + _PIECE, len(points)))
    else:
        rest = iter(points)
        while some := list(itertools.islice(rest, _PIECE)):
            yield some


def fitting(entry: Entry, point: Point) -> _engine.Outcome:
    """Read the outcome of a point from its entry.

    Raises:
        DamagedError: The entry is not an outcome, or is another point's. Its digest does not prove who wrote it.
    """
    outcome = entry.read()
    if outcome.seed != point.seed:
        raise DamagedError(f"{entry.key} is another point's")
    return outcome


@dataclass(kw_only=True, eq=False)
class _Collector:
    """Hands tasks to the workers and collects their results, all in one thread."""

    #: The points that are not made yet.
    rest: Iterator[Sequence[Point] | Stretch]
    #: Number of points, including those that `more` has added.
    total: int
    store: Store | None
    computes: bool
    verify: bool
    progress: Progress | None
    take: Take | None
    take_all: TakeAll | None
    fail: Callable[[Failure], None] | None
    more: Callable[[Point], Iterable[Point]] | None
    finishing: Finishing | None
    #: Maximum number of runs in progress, see `Workers.at_once`.
    at_once: int | None
    _execution: Execution = field(default_factory=Execution)
    #: Points that have no result yet and are in no stretch, each with its number among all points. Points that one
    #: outcome answers are one group.
    _open: dict[Asked, list[tuple[int, Point]]] = field(default_factory=dict)
    #: Number of points made from `rest` and `more`.
    _made: int = 0
    #: Number of points in stretches that have no result yet.
    _in_stretches: int = 0
    #: Keys of the results of the points in stretches that have no result yet.
    _keys: _engine.Keys = field(default_factory=_engine.Keys)
    #: By key, further points that await the result of a point in a stretch with the same key.
    _alike: dict[bytes, list[tuple[int, Point]]] = field(default_factory=dict)
    _failures: list[tuple[int, Failure]] = field(default_factory=list)
    #: Keys whose stored outcome lacks a metric that a point asks for.
    _held: set[str] = field(default_factory=set)
    #: The distinct lists of metrics that points ask for.
    _metrics: set[tuple[str, ...]] = field(default_factory=set)
    #: Number of outcomes that are not synced yet.
    _unsaved: int = 0
    _error: BaseException | None = None

    def __post_init__(self) -> None:
        self.board = Board(self._saving, stores=self.store is not None)
        #: The stores to look outcomes up in: the store, and the one it shares, if any.
        self._stores = [store for store in (self.store, self.store and self.store.shared) if store]
        self._saver = None if self.store is None else Saver(self.store, self._saved, self.board.abort)
        self._execution.damaged = self.store.lost if self.store is not None else 0

    def __enter__(self) -> None:
        """Do nothing; the exit stops the workers and syncs the outcomes."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop the workers that still run, and sync all outcomes."""
        if kind is not None:
            self.board.stop.set()
            self.board.close()
        self.save()
        while not self.board.reports.empty():
            self._heed(self.board.reports.get())

    def save(self) -> None:
        """Sync all outcomes. No further outcome may follow."""
        if self._saver is not None:
            self._saver.close()

    def _is_stored(self, point: Point) -> bool:
        """Whether the outcome of a point goes into the store. Outcomes with time series do not."""
        return self._saver is not None and not point.traces

    def _saving(self, finished: Reported) -> tuple[Reported, Callable[[], None]]:
        """Return the results to report, and a function that saves the outcomes among them. Called by workers.

        A result that is too large to store, or differs from the stored one, becomes a failure; the others are saved.
        """
        saver = self._saver
        if saver is None:
            return finished, lambda: None
        if isinstance(finished, Done):
            finished.failed.update(too_large(finished.results))
            segment = Entries(*finished.results.segment(set(finished.failed)))
            return finished, lambda: saver.put(segment)
        reported: list[Finished] = []
        entries: list[tuple[str, bytes]] = []
        verified = 0
        for one in finished:
            try:
                if one.outcome is not None and self._is_stored(one.task.point):
                    if self.verify and self._verified(one.task.point, one.outcome):
                        verified += 1
                    else:
                        entries.append((one.task.key, self._packed(one.task.key, one.outcome, one)))
                reported.append(one)
            except (TooLargeError, _engine.EngineError) as error:
                reported.append(Finished(one.task, None, None, error))

        def save() -> None:
            self._saved(verified)
            saver.put(together(entries))

        return reported, save

    def _packed(self, key: str, outcome: _engine.Outcome, finished: Finished) -> bytes:
        """Pack an outcome for the store. Raises `TooLargeError`."""
        whole = self._with_what_is_known(key, outcome)
        packed = finished.packed
        if packed is None or whole is not outcome:
            assert finished.origin is not None
            packed = whole.packed(key, finished.origin.seconds, finished.origin.host, finished.origin.finished)
        contents, size = packed
        check_size(size)
        return contents

    def _verified(self, point: Point, outcome: _engine.Outcome) -> bool:
        """Whether the store has the outcome already, with all metrics. Raises `EngineError` if a stored one differs."""
        whole = False
        for store in self._stores:
            try:
                entry = store.entry(point.key)
                held = None if entry is None else fitting(entry, point)
            except DamagedError:
                continue
            if held is None:
                continue
            if not agree(outcome, held):
                raise _engine.EngineError("its result differs from the stored one, though every engine gives the same")
            whole = whole or (store is self.store and not held.lacks(list(point.scenario.metrics)))
        return whole

    def _saved(self, count: int) -> None:
        self.board.reports.put(Saved(count))

    def _with_what_is_known(self, key: str, outcome: _engine.Outcome) -> _engine.Outcome:
        """Add to an outcome the further metrics of the stored one, which earlier commands asked for."""
        if self.store is None or (key not in self._held and len(self._metrics) == 1 and not self.verify):
            return outcome  # the store has no other outcome with this key
        try:
            held = self.store.entry(key)
            return outcome.with_metrics_of(held.read()) if held else outcome
        except DamagedError:
            return outcome

    def refill(self, enough: int) -> None:
        """Make points until `enough` wait for workers."""
        while len(self.board) < enough and not self.board.closed and (some := next(self.rest, None)) is not None:
            if not isinstance(some, Stretch):
                self._add(some)
            elif self.take_all is None:
                self._add_numbered(map(some.point, range(len(some))))
            else:
                self._add_stretch(some)

    def _add_stretch(self, stretch: Stretch) -> None:
        """Add the points of a stretch. Points that are not stored stay together in it."""
        known = sorted({number for store in self._stores for number in store.among(stretch.keys)})
        fresh = stretch.without(known)
        if known:
            self._add_numbered(map(stretch.point, known))
        if self.computes and len(fresh):
            again = self._keys.add(fresh.keys)
            for number in again:
                self._alike.setdefault(fresh.key(number), []).append(fresh.point(number))
            fresh = fresh.without(again)
            self._in_stretches += len(fresh)
            self.board.put(fresh)
            self._tell()

    def _add(self, points: Iterable[Point]) -> None:
        """Add points: take outcomes that are stored, and hand out the other points as tasks."""
        first = self._made
        numbered = list(enumerate(points, first))
        self._made += len(numbered)
        self._add_numbered(numbered)

    def _add_numbered(self, points: Iterable[tuple[int, Point]]) -> None:
        fresh: dict[Asked, list[tuple[int, Point]]] = {}
        for number, point in points:
            asked = point.asked
            self._metrics.add(asked[1])
            group = self._open[asked] if asked in self._open else fresh.setdefault(asked, [])
            group.append((number, point))
        tasks: list[Task] = []
        for asked, group in fresh.items():
            first = group[0][1]
            stored = self._stored(first, asked[0])
            if stored is not None:
                self._execution.reused += 1
                self._keep(group, *stored)
            elif self.computes:
                self._open[asked] = group
                tasks.append(Task(asked, first))
        self.board.put(tasks)
        self._tell()

    def _stored(self, point: Point, key: str) -> tuple[_engine.Outcome, Origin] | None:
        """The outcome that answers a point, from the store or the shared store; `None` if neither has it."""
        saver = self._saver
        if saver is None or self.verify or point.traces:
            return None
        lacking: list[str] = []
        try:
            for store in self._stores:
                contents = store.contents(key)
                if contents is None:
                    continue
                entry = unpacked(key, contents)
                outcome = fitting(entry, point)
                metrics = list(point.scenario.metrics)
                if lacking := outcome.lacks(metrics):
                    if store is self.store:
                        self._held.add(key)
                    continue
                if store is not self.store:
                    self._unsaved += 1
                    saver.put(together([(key, contents)]), share=False)
                return outcome.answering(metrics), entry.origin
        except DamagedError:
            self._execution.damaged += 1
            return None
        if lacking:
            self._execution.lacking.update(lacking)
        return None

    def _keep(self, group: Sequence[tuple[int, Point]], outcome: _engine.Outcome, origin: Origin) -> None:
        for _, point in group:
            self._execution.answered += 1
            if self.take is None:
                self._execution.outcomes[point] = outcome
            else:
                self.take(point, outcome, origin)
        self._follow(group)

    def _follow(self, group: Sequence[tuple[int, Point]]) -> None:
        if self.more is not None:
            further = [point for _, done in group for point in self.more(done)]
            if further:
                self.total += len(further)
                self._add(further)

    def collect(self, running: int) -> None:
        """Take reports until every worker has ended."""
        while running:
            self.refill(min(_WAITING, len(self.board) + 4 * _PIECE))  # reports wait meanwhile
            if not self._open and not self._in_stretches:
                self.board.close()
            try:
                report = self.board.report(_LOOK)
            except queue.Empty:
                continue
            if report is None:
                running -= 1
            else:
                self._heed(report)

    def _heed(self, report: Report | None) -> None:
        if isinstance(report, Interrupted):
            self._tell_what_ends()
        elif isinstance(report, Saved):
            self._unsaved -= report.outcomes
            self._tell()
        elif isinstance(report, BaseException):
            self._error = self._error or report
        elif isinstance(report, Done):
            self._finish_all(report)
            self._tell()
        elif report is not None:
            for finished in report:
                self._finish(finished)
            self._tell()

    def _finish(self, report: Finished) -> None:
        group = self._open.pop(report.task.asked)
        if report.outcome is not None and report.origin is not None:
            self._execution.computed += 1
            if self._is_stored(report.task.point):
                self._unsaved += 1
            self._keep(group, report.outcome, report.origin)
        elif not self._failed(group, report.error):
            self._open[report.task.asked] = group

    def _finish_all(self, done: Done) -> None:
        """Take the results of a stretch, as `_finish` does for a task."""
        stretch, results = done.stretch, done.results
        count = len(stretch) - len(done.failed)
        self._execution.computed += count
        self._execution.answered += count
        if self._saver is not None:
            self._unsaved += count
        assert self.take_all is not None
        self.take_all(done)
        for number, error in done.failed.items():
            self._failed([stretch.point(number)], error)
        for number in range(len(stretch)) if self._alike else ():
            if group := self._alike.pop(stretch.key(number), None):
                if number in done.failed:
                    self._failed(group, done.failed[number])
                elif (outcome := (run := results[number]).outcome) is not None:
                    self._keep(group, outcome, Origin(run.seconds, done.host, run.finished))
        self._keys.remove(stretch.keys)
        self._in_stretches -= len(stretch)

    def _failed(self, group: Sequence[tuple[int, Point]], error: BaseException | None) -> bool:
        """Record the failure of points; returns false if they have not failed but were only stopped."""
        if isinstance(error, _engine.InputError):
            self.board.abort(error)
        elif self.board.stop.is_set():
            return False
        else:
            reason = str(error) or type(error).__name__
            for place, point in group:
                failure = Failure(point, reason)
                self._failures.append((place, failure))
                if self.fail:
                    self.fail(failure)
            self._follow(group)
        return True

    def _tell(self) -> None:
        if self.progress:
            self.progress(self._done - self._unsaved, self._execution.reused, self.total)

    @property
    def _done(self) -> int:
        """Number of points with an outcome or a failure."""
        return self._execution.answered + len(self._failures)

    def end(self, cause: signal.Signals) -> None:
        """Handle Ctrl-C, SIGTERM or SIGHUP: take no more tasks, and stop runs in progress unless they may finish."""
        if self._execution.interrupted or not self.finishing or cause != signal.SIGINT:
            self.board.stop.set()
        else:
            # Printed from `collect`: a signal's handler may interrupt other printing.
            self.board.reports.put(Interrupted())
        self._execution.ended_by = cause
        self.board.close()

    def _tell_what_ends(self) -> None:
        taken = len(self._open) + self._in_stretches - len(self.board)
        running = taken if self.at_once is None else min(taken, self.at_once)
        if self.finishing and running:
            self.finishing(running)

    def result(self) -> Execution:
        """Return the results, or raise the error that ended the execution."""
        self._execution.missing = self.total - self._done
        if not self._execution.missing:
            self._execution.ended_by = None
        if self._error is not None:
            raise self._error
        self._failures.sort(key=itemgetter(0))
        self._execution.failures = [failure for _, failure in self._failures]
        return self._execution
