"""The console that draws tables, and lines on terminals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from airfair.catalogue.wording import INVISIBLE, visible


class Terminal(Console):
    """A console that prints names as they are: it makes control characters visible, and knows no markup."""

    def __init__(self, **options: Any) -> None:
        """Make a console with options of `Console`."""
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escape the text of segments; keep rich's own control segments."""
        for segment in super().render(renderable, options):
            if segment.control or not INVISIBLE.search(segment.text):
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Let the command handle a closed pipe, instead of ending the process."""
        raise  # the `BrokenPipeError` that Rich handles


#: Spaces between the columns of a table.
_GAP = 2
#: A width at which nothing wraps.
_ENDLESS = 10_000
#: Two spaces before the lines of a list.
_INDENT = (0, 0, 0, 2)
#: A number and its unit, which stay together.
_QUANTITY = re.compile(r"[+-]?[\d.]+ \S+")


class HouseTable(Table):
    """A table whose columns wrap between words alone. Without room for that, each row becomes a list."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the table, or the lists, in the width of the console or, if it is set, of the table."""
        room = options.max_width - _GAP * (len(self.columns) - 1)
        ends = [_ends(column, console, options) for column in self.columns]
        if self.width is not None or sum(most for _, most in ends) <= room:
            yield from super().__rich_console__(console, options)
        elif sum(least for least, _ in ends) > room:
            yield from self._lists()
        else:
            given = [column.width for column in self.columns]
            self._set(_shared(ends, room))
            yield from super().__rich_console__(console, options)
            self._set(given)

    def _set(self, widths: Sequence[int | None]) -> None:
        for column, width in zip(self.columns, widths, strict=True):
            column.width = width

    def _lists(self) -> Iterator[RenderableType]:
        """Yield for each row its first cell and, below it, the others with their heads."""
        if self.title:
            yield Text.assemble((str(self.title), self.title_style or ""))
        heads = [f"{column.header}: " if column.header else "" for column in self.columns]
        cells = zip(*(column.cells for column in self.columns), strict=True)
        for row, (first, *others) in zip(self.rows, cells, strict=True):
            style = row.style or ""
            yield Text.assemble(first, style=style)
            for head, cell in zip(heads[1:], others, strict=True):
                if cell:
                    yield Padding(Text.assemble((head, self.header_style), cell, style=style), _INDENT, expand=False)


def _ends(column: Column, console: Console, options: ConsoleOptions) -> tuple[int, int]:
    """The least width of a column that breaks nothing, and the width at which nothing wraps."""
    if column.width is not None:
        return column.width, column.width
    wide = options.update(max_width=_ENDLESS)
    sizes = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
    most = max(size.maximum for size in sizes)
    if column.no_wrap:
        return most, most
    whole = [len(str(cell)) for cell in column.cells if _QUANTITY.fullmatch(str(cell))]
    return max([size.minimum for size in sizes] + whole), most


def _shared(ends: list[tuple[int, int]], room: int) -> list[int]:
    """Widths from the least to the largest of each column, as even as possible, that fill the room."""

    def widths(cap: int) -> list[int]:
        return [min(most, max(least, cap)) for least, most in ends]

    found = widths(next(cap for cap in range(room, -1, -1) if sum(widths(cap)) <= room))
    for place, (_, most) in enumerate(ends):
        found[place] = min(most, found[place] + room - sum(found))
    return found
