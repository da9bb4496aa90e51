"""From SI units to the units that people read. Results stay in SI; only terminals and figures use this."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A readable unit: a value in SI divided by `factor` is in `symbol`."""

    factor: float
    symbol: str

    @property
    def counts(self) -> bool:
        """Whether the value is a count, which may be zero."""
        return self.symbol in _THINGS

    @property
    def many(self) -> str:
        """The unit behind a number other than one: `packets`, `Mb/s`."""
        return f"{self.symbol}s" if self.symbol in _COUNTED or self.symbol in _THINGS else self.symbol

    def label(self, text: str) -> str:
        """An axis label: the quantity with its unit in brackets; counts have no unit."""
        if not self.symbol or self.symbol in _THINGS:
            return text
        return f"{text} ({self.many})"


#: Of fractions along an axis; a probability as a metric stays a number from 0 to 1.
PERCENT = Scale(0.01, "%")

_STEPS: dict[str, tuple[tuple[float, str], ...]] = {
    "bit/s": ((1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "byte": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "m": ((1.0, "m"),),
    "dB": ((1.0, "dB"),),
    "bit": ((1e6, "Mbit"), (1e3, "kbit"), (1.0, "bit")),
}
# Units of counts and ratios, which are not written.
_BARE = frozenset({"", "1", "count", "fraction", "number"})
# Units of counts whose label already names them: "Starved connections", "Timeouts".
_THINGS = frozenset({"session", "flow", "timeout", "cut"})
_COUNTED = frozenset({"packet", "segment", "frame"})


def scale_for(largest: float, unit: str) -> Scale:
    """The most readable scale for values whose largest, in SI, is given."""
    if unit in _BARE:
        return Scale(1.0, "")
    steps = _STEPS.get(unit)
    if steps is None:
        return Scale(1.0, unit)
    for factor, symbol in steps:
        if abs(largest) >= factor:
            return Scale(factor, symbol)
    return next(Scale(*step) for step in steps if step[0] == 1.0) if largest == 0 else Scale(*steps[-1])


def scale_of(values: Iterable[float], unit: str) -> Scale:
    """The most readable scale for all of these values in SI."""
    return scale_for(max(map(abs, values), default=0.0), unit)


def number(value: float, digits: int = 4) -> str:
    """A number to `digits` significant digits, with an exponent only where people would write one."""
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if 1e-4 <= abs(value) < 1e6:
        text = f"{value:.{digits}g}"
        return text if "e" not in text else f"{value:.0f}"
    return f"{value:.{digits}g}"


def quantity(value: float, unit: str, digits: int = 4) -> str:
    """A value in SI as people write it: `quantity(5.2e6, "bit/s")` is `5.2 Mb/s`."""
    scale = scale_for(value, unit)
    text = number(value / scale.factor, digits)
    if not scale.symbol:
        return text
    return f"{text} {scale.symbol if text == '1' else scale.many}"


def interval(low: float, high: float, around: float, unit: str, digits: int = 4) -> str:
    """An interval in the most readable unit of `around`: `5.19 to 5.25`."""
    factor = scale_for(around, unit).factor
    return f"{number(low / factor, digits)} to {number(high / factor, digits)}"
