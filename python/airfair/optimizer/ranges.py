"""Values to choose from, as people write them: `2..10:2`, `10..200 Mb/s:10 Mb/s`, `reno,vegas`.

A range is kept as numbers in its own unit, and its members are written out for the engine, which reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from airfair import _engine

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*")
#: Units of parameters whose whole values are one apart.
_WHOLE = frozenset({"count", "packet", "segment"})
#: How each SI unit is written.
_SPELT = {"bit/s": "b/s", "s": "s", "byte": "B"}
#: Into how many steps a range without a step is divided.
DIVISIONS = 100
#: A range has no more values.
MOST = 1_000_000


@dataclass(frozen=True)
class Dimension:
    """A parameter and the values to choose from, in order."""

    name: str
    #: SI unit; none for words.
    unit: str | None
    values: Range | Listed

    def __len__(self) -> int:
        return len(self.values)

    def value(self, place: int) -> str:
        """A value as the engine reads it."""
        return self.values.value(place)

    @property
    def probes(self) -> list[int]:
        """Places that show whether the engine takes all values: of a range the first two and the last."""
        if isinstance(self.values, Listed):
            return list(range(len(self)))
        return sorted({0, min(1, len(self) - 1), len(self) - 1})


@dataclass(frozen=True)
class Range:
    """A range: `low + i step` for i below `count`, in `unit`."""

    low: Decimal
    step: Decimal
    count: int
    unit: str

    def __len__(self) -> int:
        return self.count

    def value(self, place: int) -> str:
        """The value at this place."""
        number = f"{self.low + place * self.step:f}"
        number = number.rstrip("0").rstrip(".") if "." in number else number
        return f"{number} {self.unit}".rstrip()


@dataclass(frozen=True)
class Listed:
    """A list of values."""

    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values)

    def value(self, place: int) -> str:
        """The value at this place."""
        return self.values[place]

    @property
    def words(self) -> bool:
        """Whether they have no order that means anything."""
        return not all(_NUMBER.fullmatch(value) for value in self.values)


def read(name: str, text: str, parameter: Mapping[str, Any], *, alone: bool) -> Dimension:
    """The dimension that `--over name=text` asks for.

    `parameter` describes it, as in `airfair describe --json`. Without a step, whole numbers of things are one apart
    (or the parameter's `multiple_of`); reals need one if the parameter is `alone`, and are divided into
    `DIVISIONS` steps otherwise. Raises `InputError`.
    """
    where = f"--over {name}={text}"
    if ".." in text:
        return Dimension(name, parameter["unit"], _range(where, text, parameter, alone=alone))
    entries = [entry.strip() for entry in text.split(",")]
    if not all(entries):
        raise _engine.InputError(f"{where}: a value is missing: LOW..HIGH[:STEP], or a list A,B,C is needed")
    return Dimension(name, parameter["unit"], Listed(tuple(dict.fromkeys(_with_units(entries)))))


def _with_units(entries: Sequence[str]) -> list[str]:
    """A bare number has the unit of the next one that has one: `1,2,5 Mb/s`."""
    unit = ""
    written = []
    for entry in reversed(entries):
        number = _NUMBER.fullmatch(entry)
        if number and number[2]:
            unit = number[2]
        written.append(f"{entry} {unit}" if number and not number[2] and unit else entry)
    return written[::-1]


def _range(where: str, text: str, parameter: Mapping[str, Any], *, alone: bool) -> Range:
    low_text, _, rest = text.partition("..")
    high_text, colon, step_text = rest.partition(":")
    texts = [low_text, high_text, *([step_text] if colon else [])]
    matched = [_NUMBER.fullmatch(part) for part in texts]
    for part, number in zip(texts, matched, strict=True):
        if number is None:
            raise _engine.InputError(
                f"{where}: `{part.strip()}` is no number: a range is LOW..HIGH[:STEP], a list A,B,C"
            )
    units = [number[2] for number in matched if number]
    # What has no unit has the unit of the range's end.
    units = [unit or units[1] for unit in units]
    numbers = [Decimal(number[1]) for number in matched if number]
    if not colon:
        default = _default_step(numbers, units[1], parameter)
        if default is not None:
            numbers.append(default[0])
            units.append(default[1])
    unit = units[0]
    # Asked for in any case: it refuses what the parameter does not measure.
    in_si = _in_si(where, numbers, units, parameter["unit"])
    if len(set(units)) > 1:
        numbers, unit = in_si, _SPELT.get(parameter["unit"], "")
    low, high = numbers[:2]
    if low > high:
        raise _engine.InputError(f"{where}: the range is empty: {low_text.strip()} is above {high_text.strip()}")
    if len(numbers) < 3 and alone and low < high:
        example = f"{text.strip()}:{Range((high - low) / 20, low, 1, unit).value(0)}"
        raise _engine.InputError(f"{where}: a range of real numbers needs a step, as in {example}")
    step = numbers[2] if len(numbers) > 2 else (high - low) / DIVISIONS
    if step < 0 or (step == 0 and low < high):
        raise _engine.InputError(f"{where}: the step must be above zero")
    steps = (high - low) / step if step else Decimal(0)
    if steps > MOST:
        raise _engine.InputError(f"{where}: that is more than {MOST} values: take a larger step")
    # The end belongs to it, also where a conversion between units has left it a hair short.
    return Range(low, step, int(steps + Decimal("1e-9")) + 1, unit)


def _default_step(ends: list[Decimal], unit: str, parameter: Mapping[str, Any]) -> tuple[Decimal, str] | None:
    multiple = parameter["multiple_of"]
    if multiple is not None:
        return Decimal(repr(multiple)), _SPELT.get(parameter["unit"] or "", "")
    if parameter["unit"] in _WHOLE and not unit and all(end == int(end) for end in ends):
        return Decimal(1), ""
    return None


def _in_si(where: str, numbers: list[Decimal], units: list[str], si: str | None) -> list[Decimal]:
    if si is None:
        if len(set(units)) > 1:
            raise _engine.InputError(f"{where}: write both ends and the step in the same unit")
        return numbers
    try:
        return [
            Decimal(repr(_engine.quantity(f"{number} {unit}", si))) for number, unit in zip(numbers, units, strict=True)
        ]
    except _engine.InputError as error:
        raise _engine.InputError(f"{where}: {error}") from None
