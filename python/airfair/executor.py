"""The one executor: points in, outcomes out. Every command that runs the engine is a front end of it."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING

from airfair import _engine

if TYPE_CHECKING:
    from airfair.store import Store


@dataclass(frozen=True, eq=False)
class Point:
    """One run: a scenario with its parameters set, a seed, and the time series to record."""

    scenario: _engine.Scenario
    seed: int
    traces: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Names the result: the same for the same resolved scenario, seed and model version."""
        return self.scenario.key(self.seed)


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


#: Called in the main thread after each point, with the number done, the number found in the store and the total.
Progress = Callable[[int, int, int], None]


def default_jobs() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(
    points: Sequence[Point],
    *,
    store: Store | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    finish_running: bool = False,
    take: Callable[[Point, _engine.Outcome], None] | None = None,
) -> Execution:
    """Run all points, at most `jobs` at the same time, each in a thread (the engine releases the GIL).

    Points with the same key are run once. With a `store`, outcomes found there are not computed again, and each new
    one is saved as soon as it is there, so that a run that is killed loses at most the points in progress.
    With `take`, outcomes are handed to it, in no particular order, instead of being kept: thousands fill the memory.
    A point that fails is recorded with its reason and the rest goes on; bad input is raised.

    Ctrl-C: with `finish_running` the first one lets the points in progress end and saves them, and the second stops
    at once; without it the first one stops at once. Either way the call returns, with `interrupted` set.
    """
    execution = Execution()
    same: dict[str, list[Point]] = {}
    for point in points:
        same.setdefault(point.key, []).append(point)
    waiting: queue.SimpleQueue[tuple[str, Point]] = queue.SimpleQueue()
    done = 0

    def keep(group: list[Point], outcome: _engine.Outcome) -> None:
        for point in group:
            if take is None:
                execution.outcomes[point] = outcome
            else:
                take(point, outcome)

    for key, group in same.items():
        # A stored outcome has no time series.
        found = store.get(key) if store is not None and not group[0].traces else None
        if found is None:
            waiting.put((key, group[0]))
        else:
            keep(group, found)
            execution.reused += 1
            done += 1
    if progress:
        progress(done, execution.reused, len(same))

    finished: queue.SimpleQueue[tuple[str, _engine.Outcome | None, BaseException | None] | None] = queue.SimpleQueue()
    stop = _engine.StopFlag()
    closing = threading.Event()

    def work() -> None:
        while not closing.is_set():
            try:
                key, point = waiting.get_nowait()
            except queue.Empty:
                break
            try:
                outcome = point.scenario.run(point.seed, list(point.traces), stop)
                if store is not None and not point.traces:
                    store.put(key, outcome)
                finished.put((key, outcome, None))
            except BaseException as error:
                finished.put((key, None, error))
        finished.put(None)

    workers = [
        threading.Thread(target=work, name=f"airfair-{i}", daemon=True)
        for i in range(min(jobs or default_jobs(), waiting.qsize()))
    ]
    with _interrupts(closing, stop, patient=finish_running):
        for worker in workers:
            worker.start()
        running = len(workers)
        bad_input: _engine.InputError | None = None
        while running:
            message = finished.get()
            if message is None:
                running -= 1
                continue
            key, result, error = message
            if result is not None:
                keep(same[key], result)
            elif isinstance(error, _engine.InputError):
                bad_input = bad_input or error
                closing.set()
            elif not stop.is_set():
                reason = str(error) or type(error).__name__
                execution.failures.extend(Failure(point, reason) for point in same[key])
            done += 1
            if progress:
                progress(done, execution.reused, len(same))
    if bad_input is not None:
        raise bad_input
    order = {point: place for place, point in enumerate(points)}
    execution.failures.sort(key=lambda failure: order[failure.point])
    execution.interrupted = closing.is_set()
    return execution


@contextmanager
def _interrupts(closing: threading.Event, stop: _engine.StopFlag, *, patient: bool) -> Iterator[None]:
    """Turn Ctrl-C into the two flags while the block runs. Only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_interrupt(_signal: int, _frame: FrameType | None) -> None:
        if closing.is_set() or not patient:
            stop.set()
        closing.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
