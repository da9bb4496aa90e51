"""The progress of a sweep: a bar in a terminal, a line now and then in a pipe or a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from airfair import console
from airfair.catalogue.units import duration, pace
from airfair.runs.executor import Failure, Progress

#: Seconds between lines in a log.
_EVERY = 30.0
#: Number of points from which on checking them takes some seconds, and shows progress.
_MANY = 20_000


@dataclass
class Shown:
    """Callbacks for a sweep in progress."""

    #: Called after each point.
    update: Progress
    #: The runs that have failed.
    failures: list[Failure] = field(default_factory=list)

    def fail(self, failure: Failure) -> None:
        """Add a failure."""
        self.failures.append(failure)


@contextmanager
def shown(title: str, things: str = "runs") -> Iterator[Shown]:
    """Show the progress of runs or other things on stderr while the block runs."""
    with console.progress(title, things) as bar:
        yield _log(title, things) if bar is None else _in(bar)


@contextmanager
def checking(title: str) -> Iterator[Progress]:
    """Show the progress of checking points while the block runs, if there are many."""
    with ExitStack() as stack:
        told: Shown | None = None

        def update(done: int, reused: int, total: int) -> None:
            nonlocal told
            if total >= _MANY:
                told = told or stack.enter_context(shown(f"{title}: checking", "points"))
                told.update(done, reused, total)

        yield update


def _in(bar: console.Bar) -> Shown:
    def advance(done: int, reused: int, total: int) -> None:
        failed = len(told.failures)
        bar(done, reused, total, f"{failed} failed" if failed else "")

    told = Shown(advance)
    return told


def _log(title: str, things: str) -> Shown:
    started = last = time.monotonic()

    def line(done: int, reused: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _EVERY or done == total or console.err.quiet:
            return
        last = now
        rate = (done - reused) / (now - started)
        speed = f", {pace(rate, things)}" if rate else ""
        left = f", {duration((total - done) / rate)} left" if rate else ""
        failed = f", {len(told.failures)} failed" if told.failures else ""
        text = f"{title}: {done} of {total} {things}{speed}{left}{failed}"
        print(console.one_line(text), file=sys.stderr, flush=True)

    told = Shown(line)
    return told
