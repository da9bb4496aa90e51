"""The values of one metric over seeds."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """The values of one metric, in the order of the seeds."""

    values: tuple[float, ...]

    def __len__(self) -> int:
        """Return the number of seeds."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Arithmetic mean. Raises `StatisticsError` if there are no values."""
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float:
        """Sample standard deviation (n - 1); 0 for a single value."""
        return statistics.stdev(self.values) if len(self.values) > 1 else 0.0

    def of_seeds_in(self, other: Sample) -> Sample:
        """Return the values of the seeds that `other` has. Both samples begin with the same seed."""
        return Sample(self.values[: len(other)])

    def __add__(self, other: Sample) -> Sample:
        """Return the values of both samples, one after the other."""
        return Sample(self.values + other.values)
