"""Conversion of SI units to the units that people read. Results stay in SI; only terminals and figures convert."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from airfair import _engine


class Scale(NamedTuple):
    """A readable unit: a value in SI divided by `factor` is in `symbol`."""

    factor: float
    symbol: str

    @property
    def counts(self) -> bool:
        """Whether the value is a count, which may be zero."""
        return self.symbol in _engine.COUNTED_THINGS

    @property
    def many(self) -> str:
        """The unit as written after a number other than one: `packets`, `Mb/s`."""
        return _engine.plural(self.symbol)

    def label(self, text: str) -> str:
        """An axis label: the quantity with its unit in brackets; counts have no unit."""
        if not self.symbol or self.counts:
            return text
        return f"{text} ({self.many})"


#: The units behind numbers in commands and scenario files, by the names of the units in results.
WRITTEN = dict(_engine.WRITTEN_UNITS)
#: The scale of fractions along an axis. A metric that is a probability stays a number from 0 to 1.
PERCENT = Scale(0.01, "%")


def scale_for(largest: float, unit: str) -> Scale:
    """The most readable scale for values up to `largest`, in SI."""
    return Scale(*_engine.scale(largest, unit))


def scale_of(values: Iterable[float], unit: str) -> Scale:
    """The most readable scale for the largest magnitude among values in SI."""
    return scale_for(max(map(abs, values), default=0.0), unit)


def number(value: float, digits: int = 4) -> str:
    """A number to `digits` significant digits, with an exponent only where people would write one."""
    return _engine.number(value, digits)


def quantity(value: float, unit: str, digits: int = 4) -> str:
    """A value in SI as people write it: `quantity(5.2e6, "bit/s")` is `5.2 Mb/s`."""
    return _engine.readable_quantity(value, unit, digits)


def interval(low: float, high: float, around: float, unit: str, digits: int = 4) -> str:
    """An interval in the most readable unit of `around`: `5.19 to 5.25`."""
    return _engine.interval(low, high, around, unit, digits)


#: Maximum number of significant digits of a mean, however narrow its interval is.
_DIGITS = 6


def plus_minus(mean: float, half: float) -> str:
    """A mean ± half the width of its interval, both rounded to the second digit of the half width: `68.00 ± 0.48`."""
    if half <= 0 or not (math.isfinite(half) and math.isfinite(mean)):
        return f"{number(mean)} ± {number(half, 2)}"
    place, top = _first_place(half, 2) - 1, _first_place(mean or half, _DIGITS)
    last = top - _DIGITS + 1
    if top >= _DIGITS or max(place, last) < -_DIGITS:  # people would write an exponent
        return f"{number(mean, max(1, min(_DIGITS, top - place + 1)))} ± {number(half, 2)}"
    if place < last and half < 0.5 * 10.0**last:
        return f"{_to_place(mean, last)} ± < {_to_place(0.5 * 10.0**last, last - 1)}"
    place = max(place, last)
    return f"{_to_place(mean, place)} ± {_to_place(half, place)}"


def _first_place(value: float, digits: int) -> int:
    """The power of ten of the first digit of a value that is rounded to `digits` digits."""
    return int(f"{abs(value):.{digits - 1}e}".partition("e")[2])


def _to_place(value: float, place: int) -> str:
    return f"{round(value, -place):z.{max(0, -place)}f}"


def pace(rate: float, things: str) -> str:
    """Write a rate of things, in 1/s, for people: `12.3 runs/s`, `4.0 runs/min`, `1.5 runs/h`."""
    for seconds, unit in ((1, "s"), (60, "min")):
        if rate * seconds >= 1:
            return f"{rate * seconds:.1f} {things}/{unit}"
    return f"{rate * 3600:.1f} {things}/h"


def duration(seconds: float) -> str:
    """A duration in s as people write it: `0.2 s`, `50 s`, `12 min`, `3.5 h`, `4 days`."""
    if seconds < 120:
        return f"{number(max(seconds, 0.01), 1)} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.0f} days"
