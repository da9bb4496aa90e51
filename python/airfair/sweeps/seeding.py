"""The number of seeds of each point: fixed, or as many as a narrow confidence interval needs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import overload

from airfair import _engine
from airfair.sweeps.spec import LEAST_SEEDS, Sweep, Until


@dataclass(slots=True)
class Seeding:
    """The seeds of one point. If no requested seed gives a value, no more are run.

    The seeds that count depend only on the results, in the order of the seeds: neither the number of jobs nor the
    contents of a store changes them.
    """

    sweep: Sweep
    #: Number of seeds requested so far.
    asked: int = 0
    #: Whether no more seeds will be requested.
    settled: bool = False
    #: Whether the interval became narrow enough; `None` without a target.
    reached: bool | None = None
    #: The value of the target metric by seed; `None` if the run failed or the metric has no value.
    _values: dict[int, float | None] = field(default_factory=dict)
    #: Number of seeds that count, once settled.
    _count: int = 0

    def first(self) -> range:
        """Request the first seeds, and return them."""
        if self.sweep.until is None:
            self.settled = True
            self._count = self.sweep.seeds
            return self._ask(self.sweep.seeds)
        return self._ask(LEAST_SEEDS)

    @property
    def seeds(self) -> range:
        """The seeds that count; before the point is settled, all requested seeds."""
        return range(self.sweep.seed, self.sweep.seed + (self._count if self.settled else self.asked))

    def note(self, seed: int, value: float | None) -> range:
        """Take the value of a seed; returns further seeds to run."""
        self._values[seed] = value
        if self.settled or self.sweep.until is None or len(self._values) < self.asked:
            return range(0)
        return self._decide(self.sweep.until)

    def _decide(self, until: Until) -> range:
        """Settle on the fewest seeds that are enough, or request more. Called when all requested seeds have ended."""
        values = [self._values[seed] for seed in range(self.sweep.seed, self.sweep.seed + self.asked)]
        for count in range(LEAST_SEEDS, len(values) + 1):
            if _narrow([value for value in values[:count] if value is not None], until.share):
                self.settled, self.reached, self._count = True, True, count
                return range(0)
        hopeless = all(value is None for value in values)
        if hopeless or self.asked == self.sweep.seeds:
            self.settled, self.reached, self._count = True, False, self.asked
            return range(0)
        return self._ask(_next([value for value in values if value is not None], self.asked, until.share))

    def _ask(self, count: int) -> range:
        before, self.asked = self.asked, min(count, self.sweep.seeds)
        return range(self.sweep.seed + before, self.sweep.seed + self.asked)


class Seedings(Sequence[Seeding]):
    """The seeding of each point. Only those in progress are objects: a sweep may have millions of points."""

    def __init__(self, sweep: Sweep, size: int) -> None:
        """Start with no seeds requested."""
        self._sweep = sweep
        self._size = size
        self._in_progress: dict[int, Seeding] = {}
        #: The seeding of all points, without a target.
        self._fixed: Seeding | None = None
        if sweep.until is None:
            self._fixed = Seeding(sweep)
            self._fixed.first()
        #: With a target, the number of seeds of each settled point, and whether the point reached the target.
        self._counts = array("I", bytes(4 * size if sweep.until else 0))
        self._reached = bytearray(size if sweep.until else 0)

    def first(self, place: int) -> range:
        """Request the first seeds of a point, and return them."""
        if self._fixed is not None:
            return self._fixed.seeds
        seeding = self._in_progress[place] = Seeding(self._sweep)
        return seeding.first()

    def note(self, place: int, seed: int, value: float | None) -> range:
        """Take the value of a point's seed; returns further seeds to run."""
        seeding = self._in_progress[place]
        further = seeding.note(seed, value)
        if seeding.settled:
            self._counts[place], self._reached[place] = len(seeding.seeds), bool(seeding.reached)
            del self._in_progress[place]
        return further

    def spans(self, places: range) -> list[tuple[int, int, bool | None]]:
        """For each of these points, the first seed that counts, the number of seeds, and whether they were enough."""
        some = [self._fixed] if self._fixed is not None else self[places.start : places.stop]
        found = [(one.seeds.start, len(one.seeds), one.reached) for one in some]
        return found * (len(places) // len(found))

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> Seeding: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Seeding]: ...
    def __getitem__(self, place: int | slice) -> Seeding | Sequence[Seeding]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(self._size))]
        place = range(self._size)[place]
        if self._fixed is not None:
            return self._fixed
        if place in self._in_progress:
            return self._in_progress[place]
        if self._counts and (count := self._counts[place]):
            return Seeding(self._sweep, count, True, bool(self._reached[place]), _count=count)
        seeding = Seeding(self._sweep)
        seeding.first()
        return seeding


def _half_width(values: Sequence[float]) -> tuple[float, float]:
    """Half the width of the 95 % confidence interval, and the mean."""
    mean, low, high = _engine.mean_ci95(list(values))
    return (math.inf if low is None or high is None else (high - low) / 2), mean


def _narrow(values: Sequence[float], share: float) -> bool:
    if len(values) < LEAST_SEEDS:
        return False
    half, mean = _half_width(values)
    return half <= share * abs(mean)


def _next(values: Sequence[float], asked: int, share: float) -> int:
    """The number of seeds needed if the spread stays as it is.

    It is at most twice the number so far, since the spread of a few values is uncertain.
    """
    if len(values) < LEAST_SEEDS:
        return 2 * asked
    half, mean = _half_width(values)
    target = share * abs(mean)  # may be 0 by underflow, too
    wider = min(half / target, 2.0) if target else 2.0
    return max(asked + 1, min(2 * asked, math.ceil(asked * wider**2)))
