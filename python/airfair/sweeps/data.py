"""Reading the tables of sweeps, studies and runs as data for figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import polars

from airfair import _engine
from airfair.catalogue.known import nearest
from airfair.catalogue.left_out import SESSIONS
from airfair.catalogue.left_out import columns as counting
from airfair.figures.charts.data import Data
from airfair.store import received
from airfair.store.files import Folder
from airfair.store.reading import json_of, read_text
from airfair.store.store import DamagedError, Store
from airfair.sweeps import session_columns, sweep_file
from airfair.sweeps import study_directory as study
from airfair.sweeps.directory import Directory
from airfair.sweeps.frames import columns
from airfair.sweeps.query import Query, Source, asked, opened, values

if TYPE_CHECKING:
    from airfair.sweeps.runner import Ran
    from airfair.sweeps.spec import Sweep

#: The tables of a sweep that can be plotted.
TABLES = ("results", "sessions")
#: Maximum number of stored results that are read to find the reasons for missing values.
_READ = 50


def read(directory: Path, table: str | None, where: str, metrics: Iterable[str] = ()) -> Data:
    """Read a table of the results in a directory.

    Args:
        directory: The output directory of `airfair sweep`, `airfair reproduce` or `airfair run`.
        table: `results` or `sessions`; for a study, the experiment.
        where: A condition in SQL over the columns; values are in SI.
        metrics: Metrics that are needed. Those of a sweep that have no column are taken from its stored runs.

    Raises:
        InputError: The directory has no such result or table, or the condition is not valid SQL.
    """
    Folder.given(directory)
    if (directory / sweep_file.NAME).is_file() or Directory(directory).copy() is not None:
        return _of_sweep(directory, _checked(table, TABLES), where, metrics)
    if (directory / study.RESULTS).is_file() and (directory / "summary.md").is_file():
        return _of_study(directory, table, where)
    if (directory / "run.json").is_file() and (directory / "sessions.parquet").is_file():
        return _of_run(directory, _checked(table or "sessions", ("sessions",)), where)
    raise _engine.InputError(
        f"{directory}: it holds no sweep (no {sweep_file.NAME}) and no result of `airfair reproduce` or of "
        "`airfair run --out`"
    )


def _checked(table: str | None, tables: tuple[str, ...]) -> str:
    if table is None:
        return tables[0]
    if table not in tables:
        raise _engine.InputError(f"--table {table}: expected {' or '.join(tables)}{nearest(table, tables)}")
    return table


def _of_sweep(directory: Path, table: str, where: str, metrics: Iterable[str]) -> Data:
    source = opened(directory, table, [*metrics, *Query(where=where).words])
    return _swept(Directory(directory).sweep(), source, table, where, Store(directory))


def of_ran(ran: Ran, table: str | None, where: str) -> Data:
    """Make data of a table of a sweep that is in memory."""
    facts = ran.facts
    name = _checked(table, TABLES)
    axes = tuple(json.loads(facts["axes"]))
    source = Source(ran.tables[name].to_polars(), None, axes, ran.plan.metrics, ran.units)
    return _swept(ran.plan.sweep, source, name, where, None)


def _swept(sweep: Sweep, source: Source, table: str, where: str, store: Store | None) -> Data:
    data = of_source(sweep.name, source, table, where, sampled=sweep.sample is not None, store=store)
    given = zip(columns(sweep.over).values(), sweep.over.values(), strict=True)
    orders = {name: tuple(word.strip() for text in texts for word in text.split(",")) for name, texts in given}
    return replace(data, orders=orders, set=sweep.set)


def of_source(name: str, source: Source, table: str, where: str, *, sampled: bool, store: Store | None) -> Data:
    """Make data of a table of `airfair results`."""
    frame = asked(source, Query(table, select="*", where=where))
    metrics, units = source.metrics, dict(source.units)
    if table == "sessions":
        units |= session_columns.UNITS
        metrics = (*session_columns.UNITS, *(name for name in ("bytes", "start") if name in frame.columns))
    reason = _reasons(store)
    there = values(source, Query(table, where=where)) if frame.is_empty() else ""
    note = "; ".join(part for part in (source.note, there) if part)
    return Data(name, table, frame, source.axes, metrics, units, sampled, note, reason, where=where.strip())


def _reasons(store: Store | None) -> Callable[[str], str]:
    def reason(metric: str) -> str:
        """The engine's reasons why a metric has no value, from the first stored results."""
        told: dict[str, None] = {}
        for key in islice(store or (), _READ):
            try:
                entry = store.entry(key) if store else None
                found = json.loads(entry.read().metrics_json).get(metric, {}) if entry else {}
            except (DamagedError, _engine.InputError):
                continue
            if found.get("value", 0) is None and found.get("reason"):
                told[str(found["reason"])] = None
        return "; elsewhere ".join(told)

    return reason


def _of_study(directory: Path, experiment: str | None, where: str) -> Data:
    rows = study.rows(directory)
    known = rows["experiment"].unique(maintain_order=True).to_list()
    if experiment is None and len(known) > 1:
        raise _engine.InputError(f"--table: name one of the study's experiments: {', '.join(known)}")
    experiment = _checked(experiment, tuple(known))
    rows = rows.filter(polars.col("experiment") == experiment)
    if "setup" in rows.columns:
        rows = rows.filter(polars.col("setup") == "").drop("setup")
    scenario = rows["scenario"][0]
    keys = rows.columns[2 : rows.columns.index("seed")]
    axes = [name for name in keys if rows[name].null_count() < rows.height]
    units = dict(rows.select("metric", "unit").unique().iter_rows())
    study.check_points(directory, rows)
    wide = _with_counts(rows.pivot("metric", index=[*axes, "seed"], values="value", maintain_order=True), rows, axes)
    parameters = {entry["name"]: entry["unit"] for entry in json.loads(_engine.describe_json(scenario))["parameters"]}
    for name in axes:
        numbers = _numbers(wide[name], parameters.get(name))
        if numbers is not None:
            wide = wide.with_columns(numbers)
            units[name] = parameters.get(name) or ""
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    source = Source(wide, None, tuple(axes), tuple(metrics), units)
    data = of_source(f"{directory.name}, {experiment}", source, "results", where, sampled=False, store=None)
    return replace(data, orders={name: tuple(rows[name].drop_nulls().unique(maintain_order=True)) for name in axes})


def _with_counts(wide: polars.DataFrame, rows: polars.DataFrame, axes: list[str]) -> polars.DataFrame:
    """Add the columns that count sessions, as the results of a sweep have them."""
    counted, place = study.counted(rows), [*axes, "seed"]
    left_out, sessions = study.COUNTS
    for name, metric in counting(counted["metric"].unique(maintain_order=True)).items():
        of_metric = counted.filter(metric=metric)
        wide = wide.join(of_metric.select(*place, polars.col(left_out).alias(name)), place, "left", nulls_equal=True)
        if SESSIONS not in wide.columns:
            every = of_metric.select(*place, polars.col(sessions).alias(SESSIONS))
            wide = wide.join(every, place, "left", nulls_equal=True)
    return wide


def _numbers(texts: polars.Series, unit: str | None) -> polars.Series | None:
    """Convert values of a study to numbers in SI; `None` if they are words."""
    if unit is None:
        return None
    try:
        values = [None if text is None else _engine.quantity(text, unit) for text in texts]
    except _engine.InputError:
        return None
    return polars.Series(texts.name, values, dtype=polars.Float64)


def _of_run(directory: Path, table: str, where: str) -> Data:
    frame = received.frame(directory, f"{table}.parquet", "airfair run")
    try:
        name = str(json_of(read_text(directory / "run.json"))["scenario"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise _engine.InputError(f"{directory / 'run.json'} is damaged; run airfair run again") from None
    source = Source(frame, None, (), (), session_columns.OWN_UNITS)
    return of_source(name, source, table, where, sampled=False, store=None)
