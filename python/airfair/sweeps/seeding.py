"""How many seeds each point gets: a fixed number, or as many as its confidence interval asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from airfair import _engine
from airfair.sweeps.spec import LEAST_SEEDS, Sweep, Until


@dataclass(slots=True)
class Seeding:
    """The seeds of one point. Where the first few give no value, there are no more.

    Which seeds count follows from results alone, in the order of the seeds: neither the number of jobs nor what was
    found in a store changes it.
    """

    sweep: Sweep
    #: How many seeds have been asked for.
    asked: int = 0
    #: Whether no more will be.
    settled: bool = False
    #: Whether the interval became narrow enough; `None` where nothing was aimed at.
    reached: bool | None = None
    #: By seed: the value of the metric aimed at, `None` where the run failed or does not define it.
    _values: dict[int, float | None] = field(default_factory=dict)
    _count: int = 0

    def first(self) -> range:
        """The seeds to start with."""
        if self.sweep.until is None:
            self.settled = True
            self._count = self.sweep.seeds
            return self._ask(self.sweep.seeds)
        return self._ask(LEAST_SEEDS)

    @property
    def seeds(self) -> range:
        """The seeds that count: where it is not settled yet, those asked for."""
        return range(self.sweep.seed, self.sweep.seed + (self._count if self.settled else self.asked))

    def note(self, seed: int, value: float | None) -> range:
        """Take the value of a seed; returns the seeds to run besides."""
        self._values[seed] = value
        if self.settled or self.sweep.until is None or len(self._values) < self.asked:
            return range(0)
        return self._decide(self.sweep.until)

    def _decide(self, until: Until) -> range:
        """All seeds asked for are there: the fewest that are enough, or more of them."""
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
    """How many seeds it takes if the spread stays as it is; at most twice as many as before, since the spread of a few
    values says little.
    """
    if len(values) < LEAST_SEEDS:
        return 2 * asked
    half, mean = _half_width(values)
    wanted = asked * (half / (share * abs(mean))) ** 2 if mean else math.inf
    return max(asked + 1, min(2 * asked, math.ceil(min(wanted, 2 * asked))))
