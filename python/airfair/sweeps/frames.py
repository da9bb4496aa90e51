"""A sweep's tables, in SI units. `results`, `sessions` and `failures` do not depend on time or computer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from airfair import _engine
from airfair._engine import Table
from airfair.catalogue.known import every_metric
from airfair.catalogue.left_out import SESSIONS, all_columns
from airfair.catalogue.left_out import columns as counting
from airfair.runs.growing_table import GrowingTable
from airfair.store.store import Origin
from airfair.sweeps import session_columns
from airfair.sweeps.grid import Setting
from airfair.sweeps.plan import Combination, Plan
from airfair.sweeps.seeding import Seedings

#: Names of columns that are neither parameters nor metrics.
_OWN = frozenset({"seed", "reason", "wall_time", "host", "finished", *session_columns.OWN}) | all_columns()
#: Keys of points in `airfair plot --json` other than axes.
_IN_PLOTS = frozenset(
    {"metric", "mean", "ci95", "n", "p5", "p25", "median", "p75", "p95", "values", "shares", "missing"}
)
_PREFIX = "parameter_"

_WHOLE_UNITS = frozenset({"count", "packet", "byte"})
#: Number of outcomes that are joined at a time, because small tables take more memory than their contents.
_CHUNK = 512


def columns(names: Iterable[str]) -> dict[str, str]:
    """The column of each parameter, by the parameter's name.

    It is `parameter_NAME` if another column, or that of an earlier parameter, has the name already: SQL does not
    distinguish upper and lower case.
    """
    taken = {name.lower() for name in _OWN | _IN_PLOTS | every_metric().keys()}
    found = {}
    for name in names:
        column = f"{_PREFIX}{name}" if name.startswith(_PREFIX) else name  # `parameter_NAME` may be the column of NAME
        while column.lower() in taken:
            column = _PREFIX + column
        taken.add(column.lower())
        found[name] = column
    return found


class Rows:
    """Makes the rows of a sweep's tables, in the order of the plan, from results that arrive in any order."""

    def __init__(self, plan: Plan, seedings: Seedings, folder: Path | None, *, kept: bool) -> None:
        """Write the tables to files on the disk of a folder; with `kept`, keep them in memory, too."""
        self.plan = plan
        self._seedings = seedings
        self._folder = folder
        self._kept = kept
        self._files: dict[str, GrowingTable] = {}
        self._tables: dict[str, list[Table]] = {}
        self._columns = columns((*plan.axes, *plan.fixed))
        #: Outcomes that arrived since the last call of `_pack`.
        self._fresh: list[tuple[int, int, _engine.Outcome, Origin]] = []
        counts = [(name, metric, True) for name, metric in counting(plan.metrics).items()]
        if counts:
            counts.insert(0, (SESSIONS, counts[0][1], False))
        #: The columns of the results that count sessions.
        self.counts = [name for name, _, _ in counts]
        self._waiting = _engine.Rows(list(plan.metrics), counts)
        #: Number of rows of each table.
        self.heights: Counter[str] = Counter()

    def take(self, combination: Combination, seed: int, outcome: _engine.Outcome, origin: Origin) -> None:
        """Take the outcome of a point."""
        self._fresh.append((combination.place, seed, outcome, origin))
        if len(self._fresh) == _CHUNK:
            self._pack()

    def take_all(self, results: _engine.Results, failed: set[int]) -> None:
        """Take the outcomes of a stretch's results, except those at the indices in `failed`."""
        self._waiting.take_all(results, failed)

    def flush(self, place: int, seed: int) -> None:
        """Append the rows before this combination and seed to the tables; all of these rows must have arrived.

        Raises:
            OSError: The disk is full.
        """
        self._append((place, seed))

    def finish(self, failures: Iterable[tuple[Combination, int, str]]) -> None:
        """Append all remaining rows to the tables, and make the table of failures."""
        self._append(None)
        self._out("failures", self._failures(failures))

    @property
    def tables(self) -> dict[str, Table]:
        """The tables that are kept in memory: all, or only the failures."""
        return {name: Table.joined(tables) for name, tables in self._tables.items()}

    def files(self, facts: Mapping[str, str]) -> dict[str, BinaryIO]:
        """Finish the files of the tables, with facts in their metadata, and return them by table."""
        return {table: file.finish(facts) for table, file in self._files.items()}

    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        found = self.plan.all
        of_parameters = {column: str(found.unit(name)) for name, column in self._columns.items() if found.unit(name)}
        of_metrics = {name: str(every_metric()[name]["unit"]) for name in self.plan.metrics}
        return of_parameters | of_metrics | session_columns.OWN_UNITS | {"wall_time": "s"}

    def _pack(self) -> None:
        """Join the outcomes that arrived since the last call."""
        if self._fresh:
            origins = [(place, seed, its.seconds, its.host, its.finished) for place, seed, _, its in self._fresh]
            self._waiting.take([outcome for _, _, outcome, _ in self._fresh], origins)
            self._fresh.clear()

    def _append(self, before: tuple[int, int] | None) -> None:
        """Append the rows before this combination and seed to the tables; with `None`, all rows."""
        self._pack()
        ready = self._waiting.ready(before)
        first, last = ready.places or (0, -1)
        every = range(first, last + 1)
        until = self.plan.sweep.until
        stops = [self._seedings[place].seeds.stop for place in every] if until else None
        axes, fixed = ([self._column(name, every) for name in names] for names in (self.plan.axes, self.plan.fixed))
        tables = ready.tables(first, axes, fixed, stops)
        for name, table in zip(("results", "timings", "sessions"), tables, strict=True):
            self._out(name, table)

    def _out(self, name: str, table: Table) -> None:
        self.heights[name] += len(table)
        if self._kept or name == "failures":
            self._tables.setdefault(name, []).append(table)
        if self._folder is not None:
            if name not in self._files:
                self._files[name] = GrowingTable(self._folder, table)
            self._files[name].append(table)

    def _failures(self, failures: Iterable[tuple[Combination, int, str]]) -> Table:
        failed = [*failures]
        refused = self.plan.refused
        ats: list[Mapping[str, Setting]] = [combination.at for combination, _, _ in failed]
        ats += [entry.at for entry in refused]
        seeds = [*(seed for _, seed, _ in failed), *(None for _ in refused)]
        reasons = [*(reason for _, _, reason in failed), *(entry.reason for entry in refused)]
        axes = (self._typed(name, [at[name].value for at in ats]) for name in self.plan.axes)
        return _engine.table_of([*axes, ("seed", "seed", seeds), ("reason", "text", reasons)])

    def _column(self, name: str, places: range) -> _engine.Column:
        """The column of a parameter's values in these combinations; a single value if all combinations share it."""
        found = self.plan.all
        return self._typed(name, found.distinct(name) if found.is_constant(name) else found.values(name, places))

    def _typed(self, name: str, values: list[Any]) -> _engine.Column:
        """A column with these values of a parameter, converted to the column's type."""
        kind = self._kinds[name]
        if kind == "text":
            values = [None if value is None else _plain(value) for value in values]
        elif kind == "real":
            values = [None if value is None else float(value) for value in values]
        return self._columns[name], kind, values

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """The type of each parameter's column. If the parameter is a word at any point, the column is text."""
        return {name: self._kind(name) for name in self._columns}

    def _kind(self, name: str) -> str:
        kinds, unit = set(map(type, self._values(name))) - {type(None)}, self.plan.all.unit(name)
        if not kinds and unit is None:  # unset: typed as if set, so that tables can be joined; numbers have a unit
            return "flag" if self.plan.all.is_flag(name) else "text"
        if str in kinds:
            return "text"
        if bool in kinds:
            return "flag"
        return "whole" if unit in _WHOLE_UNITS else "real"

    def _values(self, name: str) -> Iterator[Any]:
        """Yield every value of a parameter, including values in refused combinations."""
        yield from self.plan.all.distinct(name)
        if name in self.plan.axes:
            yield from (entry.at[name].value for entry in self.plan.refused)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
