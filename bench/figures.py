"""Ratios, which are comparable between machines, with the range of the measurements."""

from __future__ import annotations

import datetime
import statistics
from dataclasses import dataclass, field


def today() -> str:
    return datetime.date.today().isoformat()


@dataclass(frozen=True)
class Figure:
    """A ratio of two quantities measured side by side."""

    name: str
    median: float
    low: float
    high: float
    #: The number of pairs behind the median.
    pairs: int
    larger_is_better: bool
    #: Date of the measurement.
    date: str = field(default_factory=today)

    @staticmethod
    def of(name: str, values: list[float], *, larger_is_better: bool = True) -> Figure:
        """The median of the pairs' ratios, and their range."""
        return Figure(name, statistics.median(values), min(values), max(values), len(values), larger_is_better)

    def __str__(self) -> str:
        return f"{short(self.median)} ({short(self.low)} to {short(self.high)})"


def short(number: float) -> str:
    """A number to three significant digits, but with all digits before the decimal point."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"
