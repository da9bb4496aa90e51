"""The rows that answer a query, for people and for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars

from airfair import _engine, console
from airfair.catalogue.units import number, quantity, scale_for
from airfair.runs.tables import parquet

#: Rows that people are shown in a terminal.
_SHOWN = 50
#: Characters that a column of long texts has at least in a terminal.
_LEAST = 40
#: What a mean has beside it.
_ENDS = ("_low", "_high", "_left_out")


@dataclass(frozen=True)
class Answer:
    """Rows, and what is to be said of them."""

    frame: polars.DataFrame
    #: Units in SI by column.
    units: Mapping[str, str]
    #: Columns that tell rows apart: each block of a table starts with them.
    keys: Sequence[str]
    #: By metric, what its means leave out.
    left_out: Mapping[str, str]

    def bytes(self, form: str) -> bytes:
        """A file's contents: csv, json or parquet."""
        if form == "csv":
            return self.frame.write_csv().encode()
        if form == "json":
            return (self._document() + "\n").encode()
        return parquet(self.frame)

    def show(self, form: str) -> None:
        """Put it on stdout."""
        if form == "table":
            self._table()
        elif form != "parquet":
            console.write(self.bytes(form).decode())
        elif not sys.stdout.isatty():
            sys.stdout.buffer.write(self.bytes(form))
        else:
            raise _engine.InputError("--format parquet: give --out DIR, or send the output to a file")

    def _document(self) -> str:
        columns = {name: {"unit": self._unit(name)} for name in self.frame.columns}
        document = {"columns": columns, "rows": self.frame.to_dicts(), "left_out": dict(self.left_out)}
        return console.json_text(document)

    def _unit(self, name: str) -> str | None:
        for end in ("", "_low", "_high"):
            if name.endswith(end) and (unit := self.units.get(name.removesuffix(end))):
                return unit
        return None

    def _table(self) -> None:
        """For people: their units, as many columns as there is room for, in blocks that each start with the keys.

        A pipe has room for all of them.
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
            name: [_cell(row, name, self._unit(name) or "", mean=name in means) for row in rows]
            for name in found.columns
            if name not in beside and name not in empty
        }
        numbers = tuple(name for name in texts if found[name].dtype.is_numeric())
        keys = [name for name in self.keys if name in texts]
        wide = {name: max(len(text) for text in (name, *cells)) + 2 for name, cells in texts.items()}
        room = console.out.width if console.out.is_terminal else sum(wide.values())
        for block in _blocks(wide, keys, room):
            _print(block, texts, wide, (*keys, *numbers), numbers)
        if empty:
            console.err.print(f"without a value: {', '.join(empty)}", style="dim", soft_wrap=True)
        if found.height > _SHOWN:
            console.err.print(f"{_SHOWN} of {found.height} rows; all of them with --format csv", style="dim")


def _print(
    block: list[str],
    texts: Mapping[str, list[str]],
    wide: Mapping[str, int],
    whole: Sequence[str],
    numbers: tuple[str, ...],
) -> None:
    """Columns side by side. Nothing is cut off.

    In a terminal, texts such as reasons may take several lines; those of the columns in `whole` are not broken.
    """
    table = console.table(None, *block, right=numbers)
    piped = not console.out.is_terminal
    least = 0
    for name, column in zip(block, table.columns, strict=True):
        column.no_wrap = piped or name in whole
        least += wide[name] if column.no_wrap else _LEAST
    if least - 2 > console.out.width:
        table.width = least - 2
    for cells in zip(*(texts[name] for name in block), strict=True):
        table.add_row(*cells)
    console.out.print(table, crop=False, soft_wrap=piped)


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


def _cell(row: Mapping[str, Any], name: str, unit: str, *, mean: bool) -> str:
    """One value; of a mean half the width of its interval behind it, and how many sessions it leaves out."""
    value = row[name]
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if not mean:
        return quantity(value, unit)
    left_out = row.get(f"{name}_left_out") or 0
    flag = f" ({left_out} left out)" if left_out else ""
    if row[f"{name}_low"] is None:
        return quantity(value, unit) + flag
    scale = scale_for(value, unit)
    half = number((row[f"{name}_high"] - row[f"{name}_low"]) / 2 / scale.factor, 2)
    return f"{number(value / scale.factor)} ± {half} {scale.many}".rstrip() + flag
