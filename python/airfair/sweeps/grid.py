"""The sorted, distinct combinations of a sweep's axes, stored as indices of values to save memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from airfair import _engine
from airfair._engine import Axis
from airfair.sweeps.spec import MOST_RUNS, MOST_SAMPLES, Sweep


class Setting(NamedTuple):
    """A value on an axis."""

    #: The value as text for the engine.
    text: str
    #: The value in SI; a word, a flag or `None` (unset) as it is.
    value: str | float | bool | None


class Grid:
    """All combinations of a sweep's axes."""

    def __init__(self, axes: Mapping[str, Axis], numbers: Mapping[str, Sequence[int]], size: int) -> None:
        """`numbers` has, for each axis, the index of its value in each of the `size` combinations."""
        self._axes = axes
        self._numbers = numbers
        self._size = size

    def __len__(self) -> int:
        """The number of combinations."""
        return self._size

    def at(self, index: int) -> dict[str, Setting]:
        """The values of one combination, in the order of the axes."""
        numbers = {name: column[index] for name, column in self._numbers.items()}
        return {
            name: Setting(axis.text(numbers[name]), axis.values([numbers[name]])[0])
            for name, axis in self._axes.items()
        }

    def text(self, index: int) -> list[tuple[str, str]]:
        """The axes of one combination with their values, as text for the engine."""
        return [(name, axis.text(self._numbers[name][index])) for name, axis in self._axes.items()]

    def columns(self, indices: Sequence[int]) -> list[tuple[str, Axis, list[int]]]:
        """For each axis its name, the axis, and the index of its value in each of these combinations."""
        return [(name, axis, [self._numbers[name][index] for index in indices]) for name, axis in self._axes.items()]

    def values(self, name: str, indices: Iterable[int]) -> list[Any]:
        """The values on an axis in these combinations, in SI."""
        return self._axes[name].values(list(map(self._numbers[name].__getitem__, indices)))

    def __iter__(self) -> Iterator[dict[str, Setting]]:
        """Yield the values of each combination, as `at` returns them."""
        return (self.at(index) for index in range(self._size))


def grid(sweep: Sweep) -> Grid:
    """The combinations that a sweep asks for: the product of its groups of axes, or a sample of it.

    Raises:
        InputError: A value that its parameter does not allow, or too many combinations.
    """
    axes: dict[str, Axis] = {}
    columns: dict[str, array[int]] = {}
    names = list(sweep.over)
    if sweep.sample is None:
        groups = [_together(sweep, group, axes) for group in sweep.groups]
        size = math.prod(len(columns[0]) for columns in groups)
        refuse_too_many(size, sweep.seeds)
        for group, column in zip(sweep.groups, _product(groups), strict=True):
            columns |= zip(group, column, strict=True)
        if list(columns) != names:  # axes that vary together are not adjacent
            order: Sequence[int] = range(size)
            for name in reversed(names):
                order = sorted(order, key=columns[name].__getitem__)
            columns = {name: array("I", map(column.__getitem__, order)) for name, column in columns.items()}
    else:
        if sweep.sample > MOST_SAMPLES:
            raise _engine.InputError(f"--sample {sweep.sample}: {MOST_SAMPLES:,} points are possible at most")
        refuse_too_many(sweep.sample, sweep.seeds)
        places = _engine.latin_hypercube(sweep.sample, len(sweep.groups), sweep.seed)
        for group, at in zip(sweep.groups, places, strict=True):
            for name in group:
                written = list(sweep.over[name])
                axes[name], numbers = Axis.of_samples(sweep.text, sweep.name, name, written, at)
                columns[name] = array("I", numbers)
        rows = sorted(set(zip(*(columns[name] for name in names), strict=True)))
        size = len(rows)
        columns = {name: array("I", column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    return Grid({name: axes[name] for name in names}, columns, size)


def refuse_too_many(points: int, seeds: int) -> None:
    """Raise `InputError` if a sweep has more than `MOST_RUNS` runs, which would exhaust the memory."""
    if points * seeds > MOST_RUNS:
        runs = f"{points:,} {'point' if points == 1 else 'points'}"
        runs += f" with {seeds:,} seeds each" if seeds > 1 else ""
        raise _engine.InputError(f"{runs}: a sweep can have {MOST_RUNS:,} runs at most")


def _together(sweep: Sweep, group: Sequence[str], axes: dict[str, Axis]) -> list[array[int]]:
    """The sorted, distinct combinations of axes that vary together, as a column of indices for each axis.

    Adds the axes to `axes`.
    """
    columns: list[array[int]] = []
    for name in group:
        axes[name], numbers = Axis.of_values(sweep.text, sweep.name, name, list(sweep.over[name]))
        column = array("I", numbers)
        if columns and len(column) != len(columns[0]):
            raise _engine.InputError(
                f"--zip {','.join(group)}: {group[0]} has {len(columns[0])} values and {name} has {len(column)}"
            )
        columns.append(column)
    if len(group) == 1:
        return [array("I", range(len(axes[group[0]])))]
    rows = sorted(set(zip(*columns, strict=True)))
    return [array("I", column) for column in zip(*rows, strict=True)]


def _product(groups: Sequence[Sequence[array[int]]]) -> Iterator[list[array[int]]]:
    """Yield the columns of each group in the product of all groups' rows, which is sorted if the rows are."""
    size = stride = math.prod(len(columns[0]) for columns in groups)
    for columns in groups:
        rows = len(columns[0])
        stride //= rows
        repeats = size // (stride * rows)
        yield [_stretched(column, stride) * repeats for column in columns]


def _stretched(numbers: array[int], times: int) -> array[int]:
    """Repeat each number `times` times."""
    if times == 1:
        return numbers
    found = array("I")
    for number in numbers:
        found.extend(array("I", [number]) * times)
    return found
