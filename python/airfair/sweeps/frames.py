"""A sweep's tables, in SI units. `results`, `sessions` and `failures` do not depend on time or computer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars

from airfair import _engine
from airfair.catalogue.known import every_metric
from airfair.catalogue.left_out import SESSIONS, all_columns
from airfair.catalogue.left_out import columns as counting
from airfair.store.store import Origin
from airfair.sweeps import session_columns
from airfair.sweeps.grid import Setting
from airfair.sweeps.plan import Combination, Plan

#: Columns that are neither parameters nor metrics.
_OWN = frozenset({"seed", "reason", "wall_time", "host", "finished", *session_columns.OWN}) | all_columns()
#: Keys of the points in `airfair plot --json` beside the axes.
_IN_PLOTS = frozenset(
    {"metric", "mean", "ci95", "n", "p5", "p25", "median", "p75", "p95", "values", "shares", "missing"}
)
_PREFIX = "parameter_"

_WHOLE_UNITS = frozenset({"count", "packet", "byte"})
#: Number of outcomes that are joined at a time: small frames need more memory than their contents.
_CHUNK = 256
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


@dataclass
class Rows:
    """The results of points, as they arrive."""

    plan: Plan
    #: Outcomes that arrived since the last call of `_pack`.
    _fresh: list[tuple[int, int, _engine.Outcome, Origin]] = field(default_factory=list)
    _runs: list[polars.DataFrame] = field(default_factory=list)
    _sessions: list[polars.DataFrame] = field(default_factory=list)
    _failures: dict[tuple[int, int], str] = field(default_factory=dict)

    @cached_property
    def _columns(self) -> dict[str, str]:
        return columns((*self.plan.axes, *self.plan.fixed))

    def take(self, combination: Combination, seed: int, outcome: _engine.Outcome, origin: Origin) -> None:
        """Take an outcome."""
        self._fresh.append((combination.place, seed, outcome, origin))
        if len(self._fresh) == _CHUNK:
            self._pack()

    def fail(self, combination: Combination, seed: int, reason: str) -> None:
        """Record a failure."""
        self._failures[combination.place, seed] = reason

    def frames(self, seeds: Sequence[range]) -> dict[str, polars.DataFrame]:
        """The tables, with the results available for these seeds of each combination."""
        self._pack()
        wanted = _order(seeds)
        runs = wanted.join(polars.concat(self._runs), on=list(_POINT), maintain_order="left").with_row_index("row")
        axes, fixed = ([values.gather(runs["place"]) for values in self._parameters(names)] for names in self._names)
        seed, own = runs["seed"], runs.drop(*_POINT, "row", *_ORIGIN)
        return {
            "results": polars.DataFrame([*axes, seed, *fixed, *own.get_columns()]),
            "sessions": self._all_sessions(runs),
            "failures": self._all_failures(wanted),
            "timings": polars.DataFrame([*axes, seed, *runs.select(*_ORIGIN).get_columns()]),
        }

    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        found = self.plan.all
        of_parameters = {column: str(found.unit(name)) for name, column in self._columns.items() if found.unit(name)}
        of_metrics = {name: str(every_metric()[name]["unit"]) for name in self.plan.metrics}
        return of_parameters | of_metrics | session_columns.OWN_UNITS | {"wall_time": "s"}

    @property
    def _names(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.plan.axes, self.plan.fixed

    @cached_property
    def _counts(self) -> list[tuple[str, str, bool]]:
        """The columns for the numbers of sessions, and of sessions that the means leave out; see `Outcome.rows`."""
        counts = [(name, metric, True) for name, metric in counting(self.plan.metrics).items()]
        return [(SESSIONS, counts[0][1], False), *counts] if counts else []

    def _pack(self) -> None:
        """Join the outcomes that arrived since the last call."""
        if not self._fresh and self._runs:
            return
        places, seeds, outcomes, origins = map(list, zip(*self._fresh, strict=True)) if self._fresh else ([],) * 4
        points = polars.DataFrame({"place": places, "seed": seeds}, schema=_POINT)
        values = polars.DataFrame(_engine.Outcome.rows(outcomes, list(self.plan.metrics), self._counts))
        origin = {
            "wall_time": [origin.seconds for origin in origins],
            "host": [origin.host for origin in origins],
            "finished": [origin.finished for origin in origins],
        }
        self._runs.append(polars.concat([points, values, polars.DataFrame(origin, schema=_ORIGIN)], how="horizontal"))
        sessions = polars.DataFrame(_engine.Outcome.sessions_of_all(outcomes))
        of = [points[name].gather(sessions["place"]) for name in _POINT]
        self._sessions.append(polars.DataFrame([*of, *sessions.drop("place").get_columns()]))
        self._fresh.clear()

    def _all_sessions(self, runs: polars.DataFrame) -> polars.DataFrame:
        order = runs.select(*_POINT, "row")
        packed = polars.concat(self._sessions)
        rows = packed.join(order, on=list(_POINT), maintain_order="left").sort("row", maintain_order=True)
        axes = [values.gather(rows["place"]) for values in self._parameters(self.plan.axes)]
        return polars.DataFrame([*axes, *rows.select("seed", *session_columns.OWN).get_columns()])

    def _all_failures(self, wanted: polars.DataFrame) -> polars.DataFrame:
        failed = [point for point in wanted.iter_rows() if point in self._failures] if self._failures else []
        seeds: list[int | None] = [seed for _, seed in failed]
        refused = self.plan.refused
        ats: list[Mapping[str, Setting]] = [self.plan.combinations[place].at for place, _ in failed]
        ats += [entry.at for entry in refused]
        seeds += [None] * len(refused)
        reasons = [self._failures[point] for point in failed] + [entry.reason for entry in refused]
        axes = [
            _series(self._columns[name], [at[name].value for at in ats], self.plan.all.unit(name), self._texts(name))
            for name in self.plan.axes
        ]
        return polars.DataFrame(
            [
                *axes,
                polars.Series("seed", seeds, dtype=polars.UInt64),
                polars.Series("reason", reasons, dtype=polars.String),
            ]
        )

    def _parameters(self, names: Iterable[str]) -> list[polars.Series]:
        """The values of these parameters, one for each combination."""
        found = self.plan.all
        return [_series(self._columns[name], found.values(name), found.unit(name), self._texts(name)) for name in names]

    def _texts(self, name: str) -> bool:
        """Whether a parameter is a word at any point, so that its column is text."""
        if any(isinstance(value, str) for value in self.plan.all.values(name)):
            return True
        return any(name in entry.at and isinstance(entry.at[name].value, str) for entry in self.plan.refused)


def _series(name: str, values: list[Any], unit: str | None, texts: bool) -> polars.Series:
    if texts:
        return polars.Series(name, [None if value is None else _plain(value) for value in values], dtype=polars.String)
    if any(isinstance(value, bool) for value in values):
        return polars.Series(name, values, dtype=polars.Boolean)
    if unit in _WHOLE_UNITS:
        return polars.Series(name, values, dtype=polars.Int64)
    reals = [None if value is None else float(value) for value in values]
    return polars.Series(name, reals, dtype=polars.Float64)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _order(seeds: Sequence[range]) -> polars.DataFrame:
    """Places and seeds in the order of the tables' rows."""
    each = polars.DataFrame(
        {
            "place": range(len(seeds)),
            "start": [chosen.start for chosen in seeds],
            "stop": [chosen.stop for chosen in seeds],
        },
        schema={"place": polars.UInt32, "start": polars.UInt64, "stop": polars.UInt64},
    )
    every = each.select("place", seed=polars.int_ranges("start", "stop", dtype=polars.UInt64))
    return every.filter(polars.col("seed").list.len() > 0).explode("seed")
