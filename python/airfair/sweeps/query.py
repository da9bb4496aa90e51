"""The body of `airfair results`: SQL queries of a sweep's tables."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars

from airfair import _engine, console
from airfair.catalogue.known import every_metric, nearest
from airfair.catalogue.left_out import SESSIONS, all_columns, column, note
from airfair.catalogue.units import WRITTEN
from airfair.catalogue.wording import counted
from airfair.command import Common, output
from airfair.store import received
from airfair.sweeps import session_columns, sql
from airfair.sweeps.answer import Answer
from airfair.sweeps.directory import TABLES, Directory
from airfair.sweeps.expressions import split
from airfair.sweeps.plan import Plan, plan
from airfair.sweeps.runner import Ran, stored
from airfair.sweeps.spec import Sweep

#: The column with the number of rows of a group.
_ROWS = "n"

FORMATS = ("table", "csv", "json", "parquet")

#: A number followed by a word that may be a unit. Scenario files have units, SQL has none.
_QUANTITY = re.compile(r"(?<![\w.'])\d[\d.]*\s*[^\W\d_]+(?:/s)?")
#: The largest number that SQL takes as a limit.
_MOST_ROWS = 2**63 - 1
#: Maximum number of an axis' values that a message names.
_NAMED = 8


@dataclass(frozen=True)
class Query:
    """A query on a table."""

    table: str = "results"
    #: Expressions over the columns, as after SELECT; empty: the axes, the seed and the metrics.
    select: str = ""
    #: A condition over the columns, as after WHERE.
    where: str = ""
    #: Columns to group by: each group becomes one row, with means and intervals.
    group: str = ""
    #: Expressions to sort the rows by, as after ORDER BY.
    order: str = ""
    #: Maximum number of rows.
    limit: int | None = None

    @property
    def groups(self) -> list[str]:
        """The columns of `group`, each once."""
        return list(dict.fromkeys(name.strip() for name in self.group.split(","))) if self.group.strip() else []

    @property
    def rows(self) -> str:
        """SQL for the rows that meet the condition, as after FROM. Raises `InputError` if the condition is invalid."""
        table = session_columns.relation(self.table) if self.table == "sessions" else self.table
        if not self.where.strip():
            return table
        split(self.where)  # alone first: an error in the whole query could name a part of ours
        return f"{table} WHERE ({self.where}\n)"

    @property
    def words(self) -> list[str]:
        """The names in the query, and the words of its SQL."""
        return re.findall(r"\w+", " ".join([self.select, self.where, self.group, self.order]))

    @property
    def end(self) -> str:
        """SQL for the order and the number of rows, as at the end of a statement."""
        order = f" ORDER BY {self.order}\n" if self.order.strip() else ""
        return order + ("" if self.limit is None else f" LIMIT {min(self.limit, _MOST_ROWS)}")


@dataclass(frozen=True)
class Source:
    """A table and the meaning of its columns."""

    frame: polars.DataFrame | None
    #: The table's file, if it is complete.
    file: Path | None
    axes: tuple[str, ...]
    metrics: tuple[str, ...]
    units: Mapping[str, str]
    #: The reason for an incomplete table; empty if it is complete.
    note: str = ""
    #: Columns that count the sessions that means leave out.
    counts: tuple[str, ...] = ()


def results(directory: Path, query: Query, form: str, common: Common) -> int:
    """Answer a query in one of `FORMATS`."""
    if form not in FORMATS:
        raise _engine.InputError(f"--format {form}: expected {', '.join(FORMATS)}{nearest(form, FORMATS)}")
    if query.table not in TABLES:
        raise _engine.InputError(f"--table {query.table}: expected {', '.join(TABLES)}{nearest(query.table, TABLES)}")
    form = "json" if common.json else form
    source = opened(directory, query.table, query.words)
    if source.note:
        console.err.line(source.note)
    keys = query.groups or [*source.axes, "seed"]
    named = bool(query.select.strip())
    answer = Answer(asked(source, query), source.units, keys, left_out(source, query), named)
    if mixed := _mixed(source, query):
        console.err.print(f"means over {', '.join(mixed)} as well as over seeds: group by them to tell them apart")
    if form == "table" and answer.frame.is_empty() and (there := values(source, query)):
        console.err.line(there)
    if form == "table" and (unnamed := _unnamed(source, query, answer.frame)):
        console.err.print(f"rows of several {', '.join(unnamed)}: name them in --select to tell the rows apart")
    for metric, told in answer.left_out.items():
        console.err.line(f"{metric}: {told}")
    if common.out is not None:
        kind = "csv" if form == "table" else form
        name = f"{query.table}.{kind}"
        output(common, common.out, [name]).publish({name: answer.bytes(kind)})
        console.err.line(f"written: {common.out / name}")
    if common.out is None or common.json or form == "table":
        answer.show(form)
    return 0


def opened(directory: Path, table: str, words: Iterable[str] = ()) -> Source:
    """Read a table of a sweep's directory; if the sweep has not ended, make the table from its store.

    Metrics among `words` that have no column in the results are taken from the stored runs.

    Raises:
        InputError: There is no sweep, or not every stored run has such a metric.
    """
    held = Directory(directory)
    sweep = held.sweep()
    source = _written(held, table)
    if source is None:
        ran = stored(_planned(sweep, directory), directory)
        source = _stored(ran, table, _why(held, ran, table))
    wanted = dict.fromkeys(words) if table == "results" else {}
    more = [name for name in wanted if name in every_metric() and name not in source.metrics]
    return _with_metrics(source, sweep, more, directory) if more else source


def _planned(sweep: Sweep, directory: Path) -> Plan:
    """Make the plan of a directory's sweep, which another version may have written in a way that this one rejects."""
    try:
        return plan(sweep)
    except _engine.InputError as error:
        raise _engine.InputError(f"{directory}: {error}") from None


def _written(held: Directory, table: str) -> Source | None:
    """The table in its file, if the file exists and is complete; else `None`."""
    facts = held.facts(table)
    if facts is None:
        return None
    with contextlib.suppress(ValueError, RecursionError):
        axes, metrics = received.strings(facts, "axes"), received.strings(facts, "metrics")
        counts = received.strings(facts, "counts") if "counts" in facts else ()
        return Source(None, held.table(table), axes, metrics, received.texts(facts, "units"), counts=counts)
    return None


def _stored(ran: Ran, table: str, why: str) -> Source:
    axes, counts = (received.strings(ran.facts, key) for key in ("axes", "counts"))
    return Source(ran.tables[table].to_polars(), None, axes, ran.plan.metrics, ran.units, why, counts)


def _why(held: Directory, ran: Ran, table: str) -> str:
    """The reason why a table is made from the store."""
    runs = ran.runs
    if ran.whole:
        bad = f"{held.table(table)} is missing, damaged or outdated"
        why = f"{bad}: showing the {counted(runs, 'stored run')}; renew it with: "
    else:
        why = f"the sweep has not ended: {counted(runs, 'run')} so far; continue with: "
    return why + shlex.join(["airfair", "sweep", str(held.path)])


def _with_metrics(source: Source, sweep: Sweep, more: Sequence[str], directory: Path) -> Source:
    """Add columns for further metrics, from the stored runs, to the results."""
    metrics = (*source.metrics, *more)
    ran = stored(_planned(replace(sweep, metrics=metrics), directory), directory)
    if not ran.whole:
        lacking = stored(plan(sweep), directory).runs - ran.runs
        if lacking:
            runs = "stored run lacks" if lacking == 1 else "stored runs lack"
            again = shlex.join(["airfair", "sweep", str(directory), "--metrics", ",".join(metrics)])
            raise _engine.InputError(
                f"{', '.join(more)}: {lacking} {runs} the data that it needs; run again with: {again}"
            )
    found = _stored(ran, "results", source.note)
    if _rows(found) < (rows := _rows(source)):
        again = shlex.join(["airfair", "sweep", str(directory)])
        raise _engine.InputError(
            f"{', '.join(more)}: the store, which has it, holds {_rows(found)} of the table's {counted(rows, 'run')}; "
            f"compute the others with: {again}"
        )
    return found


def _rows(source: Source) -> int:
    """The number of rows of a table."""
    if source.frame is not None:
        return source.frame.height
    return received.rows(source.file) if source.file else 0


def asked(source: Source, query: Query) -> polars.DataFrame:
    """The rows that a query asks for.

    Raises:
        InputError: The query is not valid SQL, or has an unknown name.
    """
    try:
        return _asked(source, query)
    except _engine.InputError as error:
        raise _engine.InputError(f"{error}{_in_si(query.where)}") from None


def _in_si(where: str) -> str:
    """Explain how to write the first number with a unit in a condition in SQL, which has no units."""
    for text in _QUANTITY.findall(where):
        for unit in WRITTEN:
            with contextlib.suppress(_engine.InputError):
                return f"; values are in SI, without units: {_engine.quantity(text, unit):.12g} for {text}"
    return ""


def values(source: Source, query: Query) -> str:
    """List the values of the axes that a condition names, as SQL writes them: `stations has 2, 4`."""
    words = re.findall(r"\w+", query.where)
    return "; ".join(_has(source, query.table, axis) for axis in source.axes if axis in words)


def _has(source: Source, table: str, axis: str) -> str:
    rows = Query(table).rows
    found = _answer(source, table, f"SELECT DISTINCT {_quoted(axis)} AS value FROM {rows} ORDER BY value")["value"]
    shown = [_literal(value) for value in found.head(_NAMED)]
    more = ["..."] if len(found) > _NAMED else []
    unit = source.units.get(axis, "")
    return f"{axis} has {', '.join(shown + more)}{f' {unit}' if unit in WRITTEN else ''}"


def _literal(value: object) -> str:
    """A value as SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return sql.quoted(value)
    return str(value).lower() if isinstance(value, bool) else f"{value:.12g}"


def _asked(source: Source, query: Query) -> polars.DataFrame:
    if not query.groups:
        columns = query.select or _usual(source, query)
        return _answer(source, query.table, f"SELECT {columns} FROM {query.rows}{query.end}")
    if query.table != "results" and not query.select:
        raise _engine.InputError(f"--group: of {query.table}, name the columns to take means of: --select LIST")
    grouped = _grouped(source, query)
    return _answer(Source(grouped, None, (), (), {}), query.table, f"SELECT * FROM {query.table}{query.end}")


def _grouped(source: Source, query: Query) -> polars.DataFrame:
    """One row for each group: means of the plain expressions, and the aggregate expressions as they are."""
    keys = ", ".join(_quoted(name) for name in query.groups)
    parts = split(query.select or _measured(source))
    values = [part.sql for part in parts if not part.aggregate] + _counts(source, query)
    rows = _answer(source, query.table, f"SELECT {', '.join([keys, *values])} FROM {query.rows}")
    means = _means(rows, query.groups)
    sums = [part.sql for part in parts if part.aggregate]
    if not sums:
        return means
    summed = _answer(source, query.table, f"SELECT {', '.join([keys, *sums])} FROM {query.rows} GROUP BY {keys}")
    summed = summed.rename(dict(zip(summed.columns, query.groups, strict=False)))
    _check_new(summed.columns[len(query.groups) :], means.columns)
    return means.join(summed, on=query.groups, how="left", nulls_equal=True, maintain_order="left")


def _counts(source: Source, query: Query) -> list[str]:
    """The columns with the numbers of sessions that means leave out, quoted for SQL."""
    if query.table != "results":
        return []
    return [_quoted(name) for name in source.counts if name != SESSIONS]


def left_out(source: Source, query: Query) -> dict[str, str]:
    """By metric, the note on sessions that its means leave out: `77 of 400 sessions unfinished: left out`."""
    if query.table != "results" or not source.counts:
        return {}
    sums = ", ".join(f"sum({_quoted(name)}) AS {_quoted(name)}" for name in source.counts)
    rows = _answer(source, query.table, f"SELECT {sums} FROM {query.rows}").fill_null(0)
    names = {part.sql.strip('"') for part in split(query.select)} if query.select else set(source.metrics)
    shown = [metric for metric in source.metrics if metric in names or "*" in names]
    return {metric: told for metric in shown if (told := note(metric, rows))}


def _mixed(source: Source, query: Query) -> list[str]:
    """The axes over which the groups of a query average."""
    others = [axis for axis in source.axes if axis not in query.groups]
    if not query.groups or not others:
        return []
    keys = ", ".join(_quoted(name) for name in query.groups)
    counts = ", ".join(f"count(DISTINCT {_quoted(axis)}) AS {_quoted(axis)}" for axis in others)
    found = _answer(source, query.table, f"SELECT {counts} FROM {query.rows} GROUP BY {keys}")
    return [axis for axis in others if any(count > 1 for count in found[axis])]


def _unnamed(source: Source, query: Query, rows: polars.DataFrame) -> list[str]:
    """The axes, and the seed, that vary among the rows without being columns of the answer."""
    names = [name for name in (*source.axes, "seed") if name not in rows.columns]
    if not query.select or query.groups or rows.height < 2 or not names:
        return []
    counts = ", ".join(f"count(DISTINCT {_quoted(name)}) AS {_quoted(name)}" for name in names)
    found = _answer(source, query.table, f"SELECT {counts} FROM {query.rows}")
    return [name for name in names if found[name].item() > 1]


def _answer(source: Source, table: str, query: str) -> polars.DataFrame:
    held = source.file if source.frame is None else source.frame
    assert held is not None  # a source has a frame or a file
    return sql.answer(table, held, query)


def _usual(source: Source, query: Query) -> str:
    if query.table == "results":
        names = [*source.axes, "seed", *source.metrics, *source.counts]
    else:
        every = _answer(source, query.table, f"SELECT * FROM {query.rows} LIMIT 0")
        names = [name for name in every.columns if name not in session_columns.UNITS]
    return ", ".join(_quoted(name) for name in names)


def _measured(source: Source) -> str:
    return ", ".join(_quoted(name) for name in source.metrics)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _check_new(names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name in known:
            what = ", the number of its rows" if name == _ROWS else ""
            raise _engine.InputError(f"--select: each group has a column {name} already{what}: choose another name")


def _means(rows: polars.DataFrame, keys: Sequence[str]) -> polars.DataFrame:
    """One row for each group: its size, and the mean of each number with its 95 % interval."""
    rows = rows.rename(dict(zip(rows.columns, keys, strict=False)))
    measured = [name for name in rows.columns[len(keys) :] if name not in all_columns()]
    _check_new(measured, [*keys, _ROWS])
    for name in measured:
        if not rows[name].dtype.is_numeric():
            raise _engine.InputError(f"--group: {name} is not numeric, so it has no mean: leave it out of --select")
        if rows[name].dtype.is_float() and not rows[name].drop_nulls().is_finite().all():
            raise _engine.InputError(f"--group: {name} is infinite or NaN in some rows: leave these out with --where")
    records = []
    for group in rows.partition_by(keys, maintain_order=True):
        record: dict[str, Any] = dict(zip(keys, group.row(0), strict=False)) | {_ROWS: group.height}
        for name in measured:
            record |= _estimate(name, [float(value) for value in group[name].drop_nulls()])
            if (counts := column(name)) in rows.columns:
                record[f"{name}_left_out"] = group[counts].sum()
        records.append(record)
    kinds: dict[str, Any] = {name: rows.schema[name] for name in keys} | {_ROWS: polars.Int64}
    for name in measured:
        kinds |= {f"{name}{end}": polars.Float64 for end in ("", "_low", "_high")}
        kinds |= {f"{name}_left_out": polars.Int64} if column(name) in rows.columns else {}
    return polars.DataFrame(records, schema=kinds).sort(keys)


def _estimate(name: str, values: list[float]) -> dict[str, float | None]:
    mean, low, high = _engine.mean_ci95(values) if values else (None, None, None)
    return {name: mean, f"{name}_low": low, f"{name}_high": high}
