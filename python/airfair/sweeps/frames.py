"""A sweep's tables, in SI units. `results`, `sessions` and `failures` do not depend on time or computer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import polars

from airfair import _engine
from airfair.catalogue.known import every_metric
from airfair.catalogue.left_out import SESSIONS, all_columns
from airfair.catalogue.left_out import columns as counting
from airfair.runs.tables import GrowingTable
from airfair.store.store import Origin
from airfair.sweeps import session_columns
from airfair.sweeps.grid import Setting
from airfair.sweeps.plan import Combination, Plan
from airfair.sweeps.seeding import Seedings

#: Columns that are neither parameters nor metrics.
_OWN = frozenset({"seed", "reason", "wall_time", "host", "finished", *session_columns.OWN}) | all_columns()
#: Keys of the points in `airfair plot --json` beside the axes.
_IN_PLOTS = frozenset(
    {"metric", "mean", "ci95", "n", "p5", "p25", "median", "p75", "p95", "values", "shares", "missing"}
)
_PREFIX = "parameter_"

_WHOLE_UNITS = frozenset({"count", "packet", "byte"})
#: Number of outcomes that are joined at a time: small frames need more memory than their contents.
_CHUNK = 512
#: The columns that identify a run, and those that tell its origin.
_POINT = {"place": polars.UInt32, "seed": polars.UInt64}
_ORIGIN = {"wall_time": polars.Float64, "host": polars.String, "finished": polars.String}


def columns(names: Iterable[str]) -> dict[str, str]:
    """The columns of these parameters, by name: `parameter_NAME` if another column, or a parameter before it, has the
    name. SQL does not distinguish upper and lower case.
    """
    taken = {name.lower() for name in _OWN | _IN_PLOTS | every_metric().keys()}
    found = {}
    for name in names:
        column = f"{_PREFIX}{name}" if name.startswith(_PREFIX) else name  # another may be called `parameter_NAME`
        while column.lower() in taken:
            column = _PREFIX + column
        taken.add(column.lower())
        found[name] = column
    return found


class Rows:
    """Makes the rows of tables, in the order of the plan, from results in any order."""

    def __init__(self, plan: Plan, seedings: Seedings, folder: Path | None, *, kept: bool) -> None:
        """Write the tables to files on the disk of a folder; with `kept`, keep them in memory, too."""
        self.plan = plan
        self._seedings = seedings
        self._folder = folder
        self._kept = kept
        self._files: dict[str, GrowingTable] = {}
        self._frames: dict[str, list[polars.DataFrame]] = {}
        self._columns = columns((*plan.axes, *plan.fixed))
        #: Outcomes that arrived since the last call of `_pack`.
        self._fresh: list[tuple[int, int, _engine.Outcome, Origin]] = []
        self._runs: list[polars.DataFrame] = []
        self._sessions: list[polars.DataFrame] = []
        #: Number of rows of each table.
        self.heights: Counter[str] = Counter()
        #: The columns of the results that count sessions.
        self.counts: list[str] = []

    def take(self, combination: Combination, seed: int, outcome: _engine.Outcome, origin: Origin) -> None:
        """Take an outcome."""
        self._fresh.append((combination.place, seed, outcome, origin))
        if len(self._fresh) == _CHUNK:
            self._pack()

    def take_all(self, results: _engine.Results, failed: set[int]) -> None:
        """Take all outcomes of results but those that failed."""
        metrics = list(self.plan.metrics)
        self._runs.append(polars.DataFrame(results.rows(failed, metrics, self._counting)))
        self._sessions.append(polars.DataFrame(results.sessions(failed)))

    def flush(self, place: int, seed: int) -> None:
        """Append the rows before this combination and seed: all of them have arrived.

        Raises:
            OSError: The disk is full.
        """
        self._append((polars.col("place") < place) | ((polars.col("place") == place) & (polars.col("seed") < seed)))

    def finish(self, failures: Iterable[tuple[Combination, int, str]]) -> None:
        """Append all rows that are left, and the failures."""
        self._append(polars.lit(value=True))
        self._out("failures", self._failures(failures))

    @property
    def tables(self) -> dict[str, polars.DataFrame]:
        """The tables that are kept, and the failures."""
        return {table: polars.concat(frames, rechunk=True) for table, frames in self._frames.items()}

    def files(self, facts: Mapping[str, str]) -> dict[str, BinaryIO]:
        """The whole files of the tables, with facts in their metadata."""
        return {table: file.finish(facts) for table, file in self._files.items()}

    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        found = self.plan.all
        of_parameters = {column: str(found.unit(name)) for name, column in self._columns.items() if found.unit(name)}
        of_metrics = {name: str(every_metric()[name]["unit"]) for name in self.plan.metrics}
        return of_parameters | of_metrics | session_columns.OWN_UNITS | {"wall_time": "s"}

    @cached_property
    def _counting(self) -> list[tuple[str, str, bool]]:
        """The columns for the numbers of sessions, and of sessions that the means leave out; see `Outcome.rows`."""
        counts = [(name, metric, True) for name, metric in counting(self.plan.metrics).items()]
        return [(SESSIONS, counts[0][1], False), *counts] if counts else []

    def _pack(self) -> None:
        """Join the outcomes that arrived since the last call."""
        places, seeds, outcomes, origins = map(list, zip(*self._fresh, strict=True)) if self._fresh else ([],) * 4
        points = _frame({"place": places, "seed": seeds}, _POINT)
        origin = {
            "wall_time": [origin.seconds for origin in origins],
            "host": [origin.host for origin in origins],
            "finished": [origin.finished for origin in origins],
        }
        values = polars.DataFrame(_engine.Outcome.rows(outcomes, list(self.plan.metrics), self._counting))
        self._runs.append(points.hstack(values).hstack(_frame(origin, _ORIGIN)))
        sessions = polars.DataFrame(_engine.Outcome.sessions_of_all(outcomes)).get_columns()
        of = [points[name].gather(sessions[0]) for name in _POINT]
        self._sessions.append(polars.DataFrame([*of, *sessions[1:]]))
        self._fresh.clear()

    def _append(self, ready: polars.Expr) -> None:
        """Append the rows that are ready to the tables, and keep the others."""
        self._pack()
        runs, sessions = polars.concat(self._runs), polars.concat(self._sessions)
        self._runs, self._sessions = [runs.filter(~ready)], [sessions.filter(~ready)]
        runs = self._counted(runs.filter(ready)).sort(*_POINT, maintain_order=True)
        sessions = self._counted(sessions.filter(ready)).sort(*_POINT, maintain_order=True)
        axes, fixed = self._parameters(self.plan.axes, runs), self._parameters(self.plan.fixed, runs)
        own = runs.drop(*_POINT, *_ORIGIN)
        self.counts = [name for name in own.columns if name in all_columns()]
        self._out("results", polars.DataFrame([*axes, runs["seed"], *fixed, *own.get_columns()]))
        self._out("timings", polars.DataFrame([*axes, runs["seed"], *runs.select(*_ORIGIN).get_columns()]))
        axes, own = self._parameters(self.plan.axes, sessions), sessions.select("seed", *session_columns.OWN)
        self._out("sessions", polars.DataFrame([*axes, *own.get_columns()]))

    def _out(self, table: str, rows: polars.DataFrame) -> None:
        self.heights[table] += rows.height
        if self._kept or table == "failures":
            self._frames.setdefault(table, []).append(rows)
        if self._folder is not None:
            if table not in self._files:
                self._files[table] = GrowingTable(self._folder, rows)
            self._files[table].append(rows)

    def _counted(self, rows: polars.DataFrame) -> polars.DataFrame:
        """The rows of the seeds that count."""
        if self.plan.sweep.until is None:
            return rows
        places = rows["place"].unique(maintain_order=True)
        stops = polars.Series("stop", [self._seedings[place].seeds.stop for place in places], dtype=polars.UInt64)
        counted = rows.join(polars.DataFrame([places, stops]), on="place", maintain_order="left")
        return counted.filter(polars.col("seed") < polars.col("stop")).drop("stop")

    def _failures(self, failures: Iterable[tuple[Combination, int, str]]) -> polars.DataFrame:
        failed = [*failures]
        refused = self.plan.refused
        ats: list[Mapping[str, Setting]] = [combination.at for combination, _, _ in failed]
        ats += [entry.at for entry in refused]
        seeds = [*(seed for _, seed, _ in failed), *(None for _ in refused)]
        reasons = [*(reason for _, _, reason in failed), *(entry.reason for entry in refused)]
        return polars.DataFrame(
            [
                *(self._series(name, [at[name].value for at in ats]) for name in self.plan.axes),
                polars.Series("seed", seeds, dtype=polars.UInt64),
                polars.Series("reason", reasons, dtype=polars.String),
            ]
        )

    def _parameters(self, names: Iterable[str], rows: polars.DataFrame) -> list[polars.Series]:
        """The values of these parameters in the rows, which are in the order of the plan."""
        places = rows["place"]
        first, last = (places[0], places[-1]) if rows.height else (0, -1)
        every = range(first, last + 1)
        return [self._series(name, self.plan.all.values(name, every)).gather(places - first) for name in names]

    def _series(self, name: str, values: list[Any]) -> polars.Series:
        """A column with these values of a parameter."""
        kind = self._kinds[name]
        if kind == polars.String:
            values = [None if value is None else _plain(value) for value in values]
        elif kind == polars.Float64:
            values = [None if value is None else float(value) for value in values]
        return polars.Series(self._columns[name], values, dtype=kind)

    @cached_property
    def _kinds(self) -> dict[str, type[polars.DataType]]:
        """The type of each parameter's column. One that is a word at any point is text at all."""
        return {name: _kind(self._values(name), self.plan.all.unit(name)) for name in self._columns}

    def _values(self, name: str) -> Iterator[Any]:
        """Every value of a parameter, those of refused combinations too."""
        yield from self.plan.all.distinct(name)
        if name in self.plan.axes:
            yield from (entry.at[name].value for entry in self.plan.refused)


def _frame(columns: Mapping[str, list[Any]], kinds: Mapping[str, type[polars.DataType]]) -> polars.DataFrame:
    return polars.DataFrame([polars.Series(name, columns[name], dtype=kind) for name, kind in kinds.items()])


def _kind(values: Iterable[Any], unit: str | None) -> type[polars.DataType]:
    kinds = set(map(type, values))
    if str in kinds:
        return polars.String
    if bool in kinds:
        return polars.Boolean
    return polars.Int64 if unit in _WHOLE_UNITS else polars.Float64


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
