"""Tables for the terminal and for documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import rich.table
from rich import box
from rich.console import Console


@dataclass
class Table:
    """A table of text. The first column is aligned left; the others are numbers, aligned right."""

    title: str
    header: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def show(self, console: Console) -> None:
        """Print the table."""
        table = rich.table.Table(title=self.title, title_justify="left", box=box.SIMPLE_HEAD)
        for i, name in enumerate(self.header):
            table.add_column(name, justify="left" if i == 0 else "right")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)

    def markdown(self, others: str = "---:") -> str:
        """The table in Markdown. `others` is the alignment of all columns but the first."""
        lines = [self.header, ["---", *[others] * (len(self.header) - 1)], *self.rows]
        return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def update(document: Path, section: str, text: str) -> None:
    """Put `text` between the marks `<!-- section -->` and `<!-- /section -->` of a document."""
    before = document.read_text()
    pattern = re.compile(rf"(<!-- {section} -->\n).*?(<!-- /{section} -->)", re.DOTALL)
    after, found = pattern.subn(lambda marks: f"{marks[1]}\n{text}\n\n{marks[2]}", before)
    if found != 1:
        raise ValueError(f"{document.name} has {found} sections between marks named {section}")
    document.write_text(after)


def number(value: float) -> str:
    """A number to four significant digits."""
    return f"{value:.4g}"


def percent(difference: float, of: float) -> str:
    """A difference as a signed percentage of `of`; if that is 0, the difference itself."""
    return f"{difference / of:+.1%}".replace("%", " %") if of else f"{difference:+.3g}"


def probability(p: float) -> str:
    """A probability to two significant digits."""
    return f"{p:.2g}" if p >= 1e-4 else "< 0.0001"
