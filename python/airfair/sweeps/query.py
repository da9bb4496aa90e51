"""`airfair results`: a sweep's tables, asked by SQL."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars

from airfair import _engine, console, received
from airfair.api import nearest
from airfair.commands import Common, output
from airfair.sweeps import frames, sql
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import plan
from airfair.sweeps.runner import stored
from airfair.tables import parquet
from airfair.units import number, quantity, scale_for

FORMATS = ("table", "csv", "json", "parquet")

#: Rows that people are shown in a terminal.
_SHOWN = 50
#: Characters that a column of long texts has at least.
_LEAST = 40


@dataclass(frozen=True)
class Query:
    """What is asked of a table."""

    table: str = "results"
    #: Expressions over the columns, as behind SELECT; empty: the axes, the seed and what is measured.
    select: str = ""
    #: A condition over the columns, as behind WHERE.
    where: str = ""
    #: Columns: rows that agree in them become one, with means and intervals.
    group: str = ""

    @property
    def groups(self) -> list[str]:
        """The columns of `group`."""
        return [name.strip() for name in self.group.split(",")] if self.group.strip() else []

    @property
    def rows(self) -> str:
        """The rows of the table for which the condition holds, as behind FROM."""
        return f"{self.table} WHERE ({self.where}\n)" if self.where.strip() else self.table


@dataclass(frozen=True)
class Source:
    """A table and what its columns are."""

    frame: polars.DataFrame | None
    #: Its file, where it holds all there is.
    file: Path | None
    axes: tuple[str, ...]
    metrics: tuple[str, ...]
    units: Mapping[str, str]
    #: Why it is not the whole table, if it is not.
    note: str = ""


def results(directory: Path, query: Query, form: str, common: Common) -> int:
    """Answer a query in one of `FORMATS`."""
    if form not in FORMATS:
        raise _engine.InputError(f"--format {form}: expected {', '.join(FORMATS)}{nearest(form, FORMATS)}")
    if query.table not in frames.TABLES:
        tables = ", ".join(frames.TABLES)
        raise _engine.InputError(f"--table {query.table}: there is {tables}{nearest(query.table, frames.TABLES)}")
    form = "json" if common.json else form
    source = opened(directory, query.table)
    if source.note:
        console.err.print(source.note, soft_wrap=True)
    found = asked(source, query)
    if mixed := _mixed(source, query):
        console.err.print(f"means over {', '.join(mixed)} as well as over seeds: group by them to tell them apart")
    if common.out is not None:
        kind = "csv" if form == "table" else form
        output(common, common.out).publish({f"{query.table}.{kind}": _bytes(kind, found, source.units)})
    keys = query.groups or [*source.axes, "seed"]
    _print(form, found, source.units, keys, written=common.out is not None)
    return 0


def opened(directory: Path, table: str) -> Source:
    """A table of a sweep's directory; of a sweep that has not ended, put together from its store."""
    held = Directory(directory)
    sweep = held.sweep()
    facts = held.facts(table)
    if facts is not None:
        with contextlib.suppress(ValueError, RecursionError):
            axes, metrics = received.strings(facts, "axes"), received.strings(facts, "metrics")
            return Source(None, held.table(table), axes, metrics, received.texts(facts, "units"))
    ran = stored(plan(sweep), directory)
    runs = ran.tables["results"].height
    if ran.whole:
        note = f"{held.table(table)} is missing, damaged or older than the {runs} stored runs, which are told instead; "
        note += "write it anew with: "
    else:
        note = f"the sweep has not ended: {runs} runs so far; continue with: "
    note += shlex.join(["airfair", "sweep", str(directory)])
    axes = received.strings(ran.facts(), "axes")
    return Source(ran.tables[table], None, axes, ran.plan.metrics, ran.units, note)


def asked(source: Source, query: Query) -> polars.DataFrame:
    """The rows that a query asks for.

    Raises:
        InputError: It is no SQL, or names what is not there.
    """
    if not query.groups:
        columns = query.select or _usual(source, query.table)
        return _answer(source, query.table, f"SELECT {columns} FROM {query.rows}")
    if query.table != "results" and not query.select:
        raise _engine.InputError(f"--group: of {query.table}, name the columns to take means of: --select LIST")
    keys = ", ".join(_quoted(name) for name in query.groups)
    rows = _answer(source, query.table, f"SELECT {keys}, {query.select or _measured(source)} FROM {query.rows}")
    return _means(rows, len(query.groups))


def _mixed(source: Source, query: Query) -> list[str]:
    """Axes over which the means of groups are taken."""
    others = [axis for axis in source.axes if axis not in query.groups]
    if not query.groups or not others:
        return []
    keys = ", ".join(_quoted(name) for name in query.groups)
    counts = ", ".join(f"count(DISTINCT {_quoted(axis)}) AS {_quoted(axis)}" for axis in others)
    found = _answer(source, query.table, f"SELECT {counts} FROM {query.rows} GROUP BY {keys}")
    return [axis for axis in others if any(count > 1 for count in found[axis])]


def _answer(source: Source, table: str, query: str) -> polars.DataFrame:
    held = source.file if source.frame is None else source.frame
    assert held is not None  # one of the two is there
    return sql.answer(table, held, query)


def _usual(source: Source, table: str) -> str:
    if table != "results":
        return "*"
    return ", ".join(_quoted(name) for name in (*source.axes, "seed", *source.metrics))


def _measured(source: Source) -> str:
    return ", ".join(_quoted(name) for name in source.metrics)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _means(rows: polars.DataFrame, keys: int) -> polars.DataFrame:
    """One row for each group: its size, and each number's mean with its 95 % interval over those that are there."""
    names, measured = rows.columns[:keys], rows.columns[keys:]
    for name in measured:
        if not rows[name].dtype.is_numeric():
            raise _engine.InputError(f"--group: {name} is no number, so it has no mean: leave it out of --select")
    records = []
    for group in rows.partition_by(names, maintain_order=True):
        record: dict[str, Any] = dict(zip(names, group.row(0), strict=False)) | {"n": group.height}
        for name in measured:
            record |= _estimate(name, [float(value) for value in group[name].drop_nulls()])
        records.append(record)
    kinds: dict[str, Any] = {name: rows.schema[name] for name in names} | {"n": polars.Int64}
    kinds |= {f"{name}{end}": polars.Float64 for name in measured for end in ("", "_low", "_high")}
    return polars.DataFrame(records, schema=kinds).sort(names)


def _estimate(name: str, values: list[float]) -> dict[str, float | None]:
    mean, low, high = _engine.mean_ci95(values) if values else (None, None, None)
    return {name: mean, f"{name}_low": low, f"{name}_high": high}


def _bytes(form: str, found: polars.DataFrame, units: Mapping[str, str]) -> bytes:
    if form == "csv":
        return found.write_csv().encode()
    if form == "json":
        return (_document(found, units) + "\n").encode()
    return parquet(found)


def _document(found: polars.DataFrame, units: Mapping[str, str]) -> str:
    columns = {name: {"unit": _unit(name, units)} for name in found.columns}
    return console.json_text({"columns": columns, "rows": found.to_dicts()})


def _unit(column: str, units: Mapping[str, str]) -> str | None:
    for end in ("", "_low", "_high"):
        if column.endswith(end) and (unit := units.get(column.removesuffix(end))):
            return unit
    return None


def _print(form: str, found: polars.DataFrame, units: Mapping[str, str], keys: Sequence[str], *, written: bool) -> None:
    if form == "table":
        _table(found, units, keys)
    elif form != "parquet":
        console.write(_bytes(form, found, units).decode())
    elif written:
        return
    elif not sys.stdout.isatty():
        sys.stdout.buffer.write(parquet(found))
    else:
        raise _engine.InputError("--format parquet: give --out DIR, or send the output to a file")


def _table(found: polars.DataFrame, units: Mapping[str, str], keys: Sequence[str]) -> None:
    """For people: their units, as many columns as there is room for, in blocks that each start with the `keys`."""
    rows = found.head(_SHOWN).to_dicts()
    intervals = {name for name in found.columns if f"{name}_low" in found.columns}
    texts = {
        name: [_cell(row, name, _unit(name, units) or "", interval=name in intervals) for row in rows]
        for name in found.columns
        if not any(name in (f"{of}_low", f"{of}_high") for of in intervals)
    }
    if not rows:
        console.err.print("no rows", style="dim")
        return
    numbers = tuple(name for name in found.columns if found[name].dtype.is_numeric())
    keys = [name for name in keys if name in texts]
    wide = {name: max(len(text) for text in (name, *cells)) + 2 for name, cells in texts.items()}
    for block in _blocks(wide, keys, console.out.width):
        table = console.table(None, *block, right=numbers)
        for name, column in zip(block, table.columns, strict=True):
            column.no_wrap = name in (*keys, *numbers)
        # Texts such as reasons may take several lines; of anything else nothing may be cut off.
        least = sum(wide[name] if column.no_wrap else _LEAST for name, column in zip(block, table.columns, strict=True))
        if least - 2 > console.out.width:
            table.width = least - 2
        for cells in zip(*(texts[name] for name in block), strict=True):
            table.add_row(*cells)
        console.out.print(table, crop=False)
    if found.height > _SHOWN:
        console.err.print(f"{_SHOWN} of {found.height} rows; all of them with --format csv", style="dim")


def _blocks(wide: Mapping[str, int], keys: list[str], width: int) -> Iterator[list[str]]:
    """Columns that fit side by side, the keys before them; `wide` is what each takes."""
    block: list[str] = []
    for name in wide:
        if name in keys:
            continue
        if block and sum(wide[other] for other in [*keys, *block, name]) > width:
            yield keys + block
            block = []
        block.append(name)
    yield keys + block


def _cell(row: Mapping[str, Any], name: str, unit: str, *, interval: bool) -> str:
    """One value; of a mean with an interval half of its width behind it."""
    value = row[name]
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if not interval or row[f"{name}_low"] is None:
        return quantity(value, unit)
    scale = scale_for(value, unit)
    half = number((row[f"{name}_high"] - row[f"{name}_low"]) / 2 / scale.factor, 2)
    return f"{number(value / scale.factor)} ± {half} {scale.many}".rstrip()
