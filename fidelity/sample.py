"""The values of one metric over seeds."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """The values that some seeds gave."""

    values: tuple[float, ...]

    def __len__(self) -> int:
        """Return the number of seeds."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Arithmetic mean; an error for no values."""
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float:
        """Sample standard deviation (n - 1); 0 for a single value."""
        return statistics.stdev(self.values) if len(self.values) > 1 else 0.0

    def of_seeds_in(self, other: Sample) -> Sample:
        """Return the values of as many seeds as the other has: its runs began with the same one."""
        return Sample(self.values[: len(other)])

    def __add__(self, other: Sample) -> Sample:
        """Return the values of both."""
        return Sample(self.values + other.values)
