"""The rows of a query's answer, for people and for programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars

from airfair import _engine, console
from airfair.catalogue.known import every_metric
from airfair.catalogue.left_out import flag, flag_in
from airfair.catalogue.parameters import is_number, written
from airfair.catalogue.units import plus_minus, quantity, scale_for
from airfair.runs.tables import parquet

#: Maximum number of rows in a terminal.
_SHOWN = 50
#: Minimum width of a column of long texts in a terminal.
_LEAST = 40
#: Suffixes of the columns that belong to the column of a mean.
_ENDS = ("_low", "_high", "_left_out")


@dataclass(frozen=True)
class Answer:
    """The answer to a query: rows, with units and notes."""

    frame: polars.DataFrame
    #: The SI unit of each column that has one.
    units: Mapping[str, str]
    #: Columns that identify rows: each block of a table starts with them.
    keys: Sequence[str]
    #: By metric, a note on the sessions that its means leave out.
    left_out: Mapping[str, str]
    #: Whether the query named its columns: a terminal then shows all of them.
    named: bool

    def bytes(self, form: str) -> bytes:
        """The contents of a file with the answer, in the form csv, json or parquet."""
        if form == "csv":
            return self._csv().encode()
        if form == "json":
            return (self._document() + "\n").encode()
        return parquet(self.frame)

    def show(self, form: str) -> None:
        """Print the answer in this form: table, csv, json or parquet."""
        if form == "table":
            self._table()
        elif form != "parquet":
            console.write(self.bytes(form).decode())
        elif not sys.stdout.isatty():
            sys.stdout.buffer.write(self.bytes(form))
        else:
            raise _engine.InputError("--format parquet: give --out DIR, or send the output to a file")

    def _csv(self) -> str:
        for name, kind in self.frame.schema.items():
            if kind.is_nested() or kind == polars.Binary:
                raise _engine.InputError(f"--format csv: {name} is of type {kind}, which CSV lacks: try --format json")
        return self.frame.write_csv()

    def _document(self) -> str:
        columns = {name: {"unit": self._unit(name)} for name in self.frame.columns}
        document = {"columns": columns, "rows": self.frame.to_dicts(), "left_out": dict(self.left_out)}
        return console.json_text(document)

    def _unit(self, name: str) -> str | None:
        for end in ("", "_low", "_high"):
            if name.endswith(end) and (unit := self.units.get(name.removesuffix(end))):
                return unit
        return None

    def _left_out(self, row: Mapping[str, Any], name: str) -> str:
        """The number of sessions that a value leaves out, for narrow columns, if the answer has it."""
        return flag(row.get(f"{name}_left_out") or 0) or flag_in(row, name)

    def _table(self) -> None:
        """Print the answer in readable units. A terminal shows the columns that fit, and names the rest.

        If the query named its columns, all of them come in blocks below each other, each of which starts with the keys.
        A pipe gets one block with all columns.
        """
        found = self.frame
        rows = found.head(_SHOWN).to_dicts()
        if not rows:
            console.err.print("no rows", style="dim")
            return
        means = {name for name in found.columns if f"{name}_low" in found.columns}
        beside = {f"{name}{end}" for name in means for end in _ENDS}
        measured = [name for name in found.columns if name not in beside and name not in self.keys]
        empty = [name for name in measured if found[name].null_count() == found.height]
        texts = {
            name: [
                _cell(row, name, self._unit(name) or "", self._left_out(row, name), mean=name in means) for row in rows
            ]
            for name in found.columns
            if name not in beside and name not in empty
        }
        numbers = tuple(name for name in texts if found[name].dtype.is_numeric())
        keys = [name for name in self.keys if name in texts]
        wide = {name: max(len(text) for text in (name, *cells)) + 2 for name, cells in texts.items()}
        room = console.out.width if console.out.is_terminal else sum(wide.values())
        blocks = _blocks(wide, keys, room) if self.named else [_first(wide, keys, room)]
        for block in blocks:
            _print(block, texts, wide, (*keys, *numbers), numbers)
        shown = {name for block in blocks for name in block}
        if more := [name for name in texts if name not in shown]:
            console.err.print(f"no room for {', '.join(more)}", style="dim")
            leads_on = "--select LIST shows columns of your choice, `| less -S` behind the command all of them"
            console.err.print(leads_on, style="dim")
        if empty:
            console.err.line(f"without a value: {', '.join(empty)}", style="dim")
        if found.height > _SHOWN:
            console.err.print(f"{_SHOWN} of {found.height} rows; all of them with --format csv", style="dim")


def _print(
    block: list[str],
    texts: Mapping[str, list[str]],
    wide: Mapping[str, int],
    whole: Sequence[str],
    numbers: tuple[str, ...],
) -> None:
    """Print columns side by side; nothing is cut off.

    In a terminal, texts such as reasons may take several lines; those of the columns in `whole` never wrap.
    """
    table = console.table(None, *block, right=numbers)
    piped = not console.out.is_terminal
    least = 0
    for name, drawn in zip(block, table.columns, strict=True):
        drawn.no_wrap = piped or name in whole
        least += wide[name] if drawn.no_wrap else _LEAST
    if least - 2 > console.out.width:
        table.width = least - 2
    for cells in zip(*(texts[name] for name in block), strict=True):
        table.add_row(*cells)
    console.out.print(table, crop=False, soft_wrap=piped)


def _blocks(wide: Mapping[str, int], keys: list[str], width: int) -> list[list[str]]:
    """Groups of columns that fit side by side, each after the keys; `wide` has their widths."""
    blocks = [list(keys)]
    for name in wide:
        if name in keys:
            continue
        if len(blocks[-1]) > len(keys) and sum(wide[other] for other in [*blocks[-1], name]) > width:
            blocks.append(list(keys))
        blocks[-1].append(name)
    return blocks


def _first(wide: Mapping[str, int], keys: list[str], width: int) -> list[str]:
    """The columns that fit side by side, in order: the keys, a metric of each family, then the others."""
    firsts = {every_metric().get(name, {}).get("family", name): name for name in reversed(list(wide))}
    by_rank = sorted(wide, key=lambda name: name not in firsts.values())
    chosen = _blocks({name: wide[name] for name in by_rank}, keys, width)[0]
    return [name for name in wide if name in chosen]


def _cell(row: Mapping[str, Any], name: str, unit: str, left_out: str, *, mean: bool) -> str:
    """One value as text; after a mean, half the width of its interval. `left_out` is said of both."""
    value = row[name]
    if value is None:
        return ""
    if not is_number(value):
        return written(value)
    if not mean:
        return quantity(value, unit) + left_out
    if row[f"{name}_low"] is None:
        return quantity(value, unit) + left_out
    scale = scale_for(value, unit)
    half = (row[f"{name}_high"] - row[f"{name}_low"]) / 2
    return f"{plus_minus(value / scale.factor, half / scale.factor)} {scale.many}".rstrip() + left_out
