"""A sweep's tables, in SI units. `results`, `sessions` and `failures` do not depend on time or computer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars

from airfair import _engine
from airfair._engine import Table
from airfair.catalogue.known import every_metric
from airfair.catalogue.left_out import SESSIONS, all_columns
from airfair.catalogue.left_out import columns as counting
from airfair.runs.estimate import metrics_of
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
#: Number of points whose sessions are joined at a time: small frames need more memory than their contents.
_CHUNK = 256


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
    _metrics: dict[tuple[int, int], Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    _origins: dict[tuple[int, int], Origin] = field(default_factory=dict)
    _failures: dict[tuple[int, int], str] = field(default_factory=dict)
    _fresh: list[tuple[int, int, Table]] = field(default_factory=list)
    _sessions: list[polars.DataFrame] = field(default_factory=list)

    @cached_property
    def _columns(self) -> dict[str, str]:
        return columns((*self.plan.axes, *self.plan.fixed))

    def take(self, combination: Combination, seed: int, outcome: _engine.Outcome) -> None:
        """Take an outcome."""
        self._metrics[combination.place, seed] = metrics_of(outcome)
        self._fresh.append((combination.place, seed, outcome.sessions))
        if len(self._fresh) == _CHUNK:
            self._pack()

    def came_from(self, combination: Combination, seed: int, origin: Origin) -> None:
        """Record the origin of an outcome."""
        self._origins[combination.place, seed] = origin

    def fail(self, combination: Combination, seed: int, reason: str) -> None:
        """Record a failure."""
        self._failures[combination.place, seed] = reason

    def value(self, combination: Combination, seed: int, metric: str) -> float | None:
        """The value of a metric, if it is defined."""
        entry = self._metrics.get((combination.place, seed), {}).get(metric)
        return None if entry is None else entry["value"]

    def frames(self, seeds: Sequence[range]) -> dict[str, polars.DataFrame]:
        """The tables, with the results available for these seeds of each combination."""
        wanted = [(place, seed) for place, chosen in enumerate(seeds) for seed in chosen]
        there = [point for point in wanted if point in self._metrics]
        return {
            "results": self._results(there),
            "sessions": self._all_sessions(there),
            "failures": self._all_failures(wanted),
            "timings": self._timings(there),
        }

    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        found = self.plan.all
        of_parameters = {column: str(found.unit(name)) for name, column in self._columns.items() if found.unit(name)}
        of_metrics = {name: str(every_metric()[name]["unit"]) for name in self.plan.metrics}
        return of_parameters | of_metrics | session_columns.OWN_UNITS | {"wall_time": "s"}

    def _results(self, there: list[tuple[int, int]]) -> polars.DataFrame:
        axes, fixed = self._parameters(self.plan.axes), self._parameters(self.plan.fixed)
        metrics = {
            name: polars.Series(
                name, [self._metrics[point].get(name, {}).get("value") for point in there], dtype=polars.Float64
            )
            for name in self.plan.metrics
        }
        return polars.DataFrame(
            [*_at(axes, there), _seeds(there), *_at(fixed, there), *metrics.values(), *self._counts(there)],
        )

    def _counts(self, there: list[tuple[int, int]]) -> list[polars.Series]:
        """The numbers of sessions, and of sessions that the means leave out."""
        wanted = [(name, metric, "left_out") for name, metric in counting(self.plan.metrics).items()]
        if wanted:
            wanted.insert(0, (SESSIONS, wanted[0][1], "sessions"))
        return [
            polars.Series(name, [self._metrics[point].get(metric, {}).get(key) for point in there], dtype=polars.Int64)
            for name, metric, key in wanted
        ]

    def _all_sessions(self, there: list[tuple[int, int]]) -> polars.DataFrame:
        self._pack()
        order = polars.DataFrame(
            {
                "place": polars.Series([place for place, _ in there], dtype=polars.UInt32),
                "seed": polars.Series([seed for _, seed in there], dtype=polars.UInt64),
                "row": polars.Series(range(len(there)), dtype=polars.UInt32),
            }
        )
        packed = polars.concat(self._sessions) if self._sessions else _no_sessions()
        rows = packed.join(order, on=["place", "seed"], maintain_order="left").sort("row", maintain_order=True)
        axes = [values.gather(rows["place"]).alias(values.name) for values in self._parameters(self.plan.axes)]
        return polars.DataFrame([*axes, *rows.select("seed", *session_columns.OWN).get_columns()])

    def _pack(self) -> None:
        """Join the sessions that arrived since the last call."""
        if self._fresh:
            frames = [polars.DataFrame(table) for _, _, table in self._fresh]
            sizes = polars.DataFrame(
                {
                    "place": polars.Series([place for place, _, _ in self._fresh], dtype=polars.UInt32),
                    "seed": polars.Series([seed for _, seed, _ in self._fresh], dtype=polars.UInt64),
                    "size": polars.Series([frame.height for frame in frames], dtype=polars.UInt32),
                }
            ).filter(polars.col("size") > 0)
            points = sizes.select(polars.col("place", "seed").repeat_by("size").explode())
            sessions = polars.concat(frames, rechunk=True)
            self._sessions.append(polars.concat([points, sessions], how="horizontal"))
        self._fresh.clear()

    def _all_failures(self, wanted: list[tuple[int, int]]) -> polars.DataFrame:
        failed = [point for point in wanted if point in self._failures]
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

    def _timings(self, there: list[tuple[int, int]]) -> polars.DataFrame:
        origins = [self._origins[point] for point in there]
        return polars.DataFrame(
            [
                *_at(self._parameters(self.plan.axes), there),
                _seeds(there),
                polars.Series("wall_time", [origin.seconds for origin in origins], dtype=polars.Float64),
                polars.Series("host", [origin.host for origin in origins], dtype=polars.String),
                polars.Series("finished", [origin.finished for origin in origins], dtype=polars.String),
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


def _at(parameters: list[polars.Series], points: list[tuple[int, int]]) -> list[polars.Series]:
    places = polars.Series([place for place, _ in points], dtype=polars.UInt32)
    return [values.gather(places) for values in parameters]


def _seeds(points: list[tuple[int, int]]) -> polars.Series:
    return polars.Series("seed", [seed for _, seed in points], dtype=polars.UInt64)


def _no_sessions() -> polars.DataFrame:
    reals = dict.fromkeys(("ideal", "sent", "acked", "delivered"), polars.Float64)
    kinds = {"place": polars.UInt32, "seed": polars.UInt64, "flow": polars.String, "start": polars.Float64}
    return polars.DataFrame(schema={**kinds, "bytes": polars.UInt64, **reals})
