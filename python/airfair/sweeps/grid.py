"""The sorted, distinct combinations of a sweep's axes, stored as indices of values to save memory."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars

from airfair import _engine
from airfair.sweeps.spec import MOST_RUNS, MOST_SAMPLES, Sweep

#: Number of values of an axis that are read at a time.
_CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class Setting:
    """A value on an axis."""

    #: As text for the engine.
    text: str
    #: In SI.
    value: str | float | bool | None


class Axis:
    """The distinct values of one axis: numbers by size, then words alphabetically, then unset."""

    def __init__(self, texts: polars.Series, values: polars.Series) -> None:
        """Take the values as text for the engine, and as JSON in SI."""
        self._texts = texts
        self._values = values

    def __getitem__(self, number: int) -> Setting:
        """The value with this index."""
        return Setting(self._texts[number], json.loads(self._values[number]))


class Grid:
    """All combinations."""

    def __init__(self, axes: dict[str, Axis], numbers: polars.DataFrame, size: int) -> None:
        """Take axes, and the indices of their values in each combination."""
        self._axes = axes
        self._numbers = numbers
        self._size = size

    def __len__(self) -> int:
        """The number of combinations."""
        return self._size

    def at(self, index: int) -> dict[str, Setting]:
        """The values of one combination, in the order of the axes."""
        return {name: axis[self._numbers[name][index]] for name, axis in self._axes.items()}

    def values(self, name: str, indices: Sequence[int]) -> list[Any]:
        """The values on an axis in these combinations, in SI."""
        axis, numbers = self._axes[name], self._numbers[name]
        known: dict[int, Any] = {}
        found = []
        for number in numbers.gather(polars.Series(indices, dtype=polars.UInt32)):
            if number not in known:
                known[number] = axis[number].value
            found.append(known[number])
        return found

    def __iter__(self) -> Iterator[dict[str, Setting]]:
        """The values of each."""
        return (self.at(index) for index in range(self._size))


def grid(sweep: Sweep) -> Grid:
    """The combinations that a sweep asks for: the product of its groups of axes, or a sample of it.

    Raises:
        InputError: A value that its parameter does not allow, or too many combinations.
    """
    if not sweep.over:
        refuse_too_many(1, sweep.seeds)
        return Grid({}, polars.DataFrame(), 1)
    axes: dict[str, Axis] = {}
    if sweep.sample is None:
        groups = [_together(sweep, group, axes) for group in sweep.groups]
        size = math.prod(group.height for group in groups)
        refuse_too_many(size, sweep.seeds)
        numbers = _product([group.unique().sort(group.columns) for group in groups])
        if numbers.columns != list(sweep.over):  # axes that vary together are not adjacent
            numbers = numbers.select(list(sweep.over)).sort(list(sweep.over))
    else:
        if sweep.sample > MOST_SAMPLES:
            raise _engine.InputError(f"--sample {sweep.sample}: {MOST_SAMPLES:,} points are possible at most")
        refuse_too_many(sweep.sample, sweep.seeds)
        places = _engine.latin_hypercube(sweep.sample, len(sweep.groups), sweep.seed)
        columns: list[polars.Series] = []
        for group, at in zip(sweep.groups, places, strict=True):
            for name in group:
                axes[name], column = _numbered(name, _sampled(sweep, name, at))
                columns.append(column)
        names = list(sweep.over)
        numbers = polars.DataFrame(columns).select(names).unique().sort(names)
    return Grid({name: axes[name] for name in sweep.over}, numbers, numbers.height)


def refuse_too_many(points: int, seeds: int) -> None:
    """Refuse a sweep that would exhaust the memory."""
    if points * seeds > MOST_RUNS:
        runs = f"{points:,} {'point' if points == 1 else 'points'}"
        runs += f" with {seeds:,} seeds each" if seeds > 1 else ""
        raise _engine.InputError(f"{runs}: a sweep can have {MOST_RUNS:,} runs at most")


def _together(sweep: Sweep, group: Sequence[str], axes: dict[str, Axis]) -> polars.DataFrame:
    """The indices of the values of axes that vary together, a row for each value; adds the axes to `axes`."""
    columns: list[polars.Series] = []
    for name in group:
        written = _engine.axis_values_json(sweep.text, sweep.name, name, list(sweep.over[name]))
        axes[name], column = _numbered(name, _entries(written))
        if columns and len(column) != len(columns[0]):
            raise _engine.InputError(
                f"--zip {','.join(group)}: {group[0]} has {len(columns[0])} values and {name} has {len(column)}"
            )
        columns.append(column)
    return polars.DataFrame(columns)


def _sampled(sweep: Sweep, name: str, places: Sequence[float]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(places), _CHUNK):
        some = list(places[start : start + _CHUNK])
        yield from _entries(_engine.axis_samples_json(sweep.text, sweep.name, name, list(sweep.over[name]), some))


def _entries(written: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON list, one by one: a million at once would take half a gigabyte."""
    decoder = json.JSONDecoder()
    at = 1
    while at < len(written) - 1:
        entry, end = decoder.raw_decode(written, at)
        yield entry
        at = end + 1


def _numbered(name: str, entries: Iterator[dict[str, Any]]) -> tuple[Axis, polars.Series]:
    """An axis, and the index of each of these values on it. Of equal values in different texts, the first is kept."""
    kinds = {"text": polars.String, "value": polars.String, "kind": polars.UInt8, "size": polars.Float64}
    schema = polars.Schema({**kinds, "word": polars.String})
    chunks = [polars.DataFrame(schema=schema)]
    rows: list[tuple[Any, ...]] = []
    for entry in entries:
        value = entry["value"]
        rows.append((entry["text"], json.dumps(value), *_sort_key(value)))
        if len(rows) == _CHUNK:
            chunks.append(polars.DataFrame(rows, schema=schema, orient="row"))
            rows.clear()
    chunks.append(polars.DataFrame(rows, schema=schema, orient="row"))
    found = polars.concat(chunks)
    key = ["kind", "size", "word"]
    distinct = found.unique(key, keep="first", maintain_order=True).sort(key)
    numbers = polars.Series("number", range(distinct.height), dtype=polars.UInt32)
    distinct = distinct.with_columns(numbers)
    each = found.select(key).join(distinct.select(*key, "number"), on=key, how="left", maintain_order="left")
    return Axis(distinct["text"].rechunk(), distinct["value"].rechunk()), each["number"].rechunk().alias(name)


def _sort_key(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then words alphabetically, then unset."""
    if value is None:
        return (2, 0.0, "")
    return (1, 0.0, value) if isinstance(value, str) else (0, float(value), "")


def _product(groups: Sequence[polars.DataFrame]) -> polars.DataFrame:
    """The product of the rows of all groups; sorted if they are."""
    columns: list[polars.Series] = []
    size = math.prod(group.height for group in groups)
    index = polars.int_range(size, dtype=polars.UInt32, eager=True)
    stride = size
    for group in groups:
        stride //= group.height
        row = (index // stride) % group.height
        columns += [column.gather(row) for column in group.get_columns()]
    return polars.DataFrame(columns)
