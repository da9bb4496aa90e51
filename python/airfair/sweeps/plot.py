"""The body of `airfair plot`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from airfair import _engine, console
from airfair.catalogue.known import nearest
from airfair.command import Common, answer, output
from airfair.figures.charts.choice import Asked
from airfair.figures.charts.figure import Figure, figure
from airfair.figures.saved import FORMATS
from airfair.sweeps.data import read

#: The words for comparisons in names of files, longer operators first.
_SIGNS = {">=": "ge", "<=": "le", "<>": "ne", "!=": "ne", ">": "gt", "<": "lt"}


def plot(
    directory: Path,
    asked: Asked,
    common: Common,
    *,
    table: str | None,
    where: str,
    log: str | None,
    formats: Sequence[str],
    width: str | None,
) -> int:
    """Draw a figure of the results in a directory."""
    for kind in formats:
        if kind not in FORMATS:
            raise _engine.InputError(f"--format {kind}: expected {', '.join(FORMATS)}{nearest(kind, FORMATS)}")
    data = read(directory, table, where, asked.y)
    with console.status("drawing"):
        drawn = figure(data, asked, log, width=width)
        contents = {kind: drawn.contents(kind) for kind in formats or ("png", "svg")}
    stem = drawn.name + (f"-{_slug(where)}" if where.strip() else "")
    into = output(common, directory)
    inside = "" if common.out else "figures/"
    named = {f"{inside}{stem}.{kind}": content for kind, content in contents.items()}
    into.publish(named)
    files = [into.path / name for name in named]
    if data.note:
        console.err.line(data.note)

    def show() -> None:
        for file in files:
            console.out.line(str(file))
        console.out.line(drawn.caption, style="dim")

    answer(Common(common.json), "plot.json", document(drawn, files), show)
    return 0


def _slug(where: str) -> str:
    """A condition in a form that can be part of a file's name."""
    for sign, word in _SIGNS.items():
        where = where.replace(sign, f" {word} ")
    return re.sub(r"[^A-Za-z0-9._]+", "-", where).strip("-")[:80]


def document(drawn: Figure, files: Sequence[Path]) -> dict[str, Any]:
    """The document that `--json` prints."""
    choice = drawn.choice
    units = choice.data.units

    def axis(name: str | None) -> dict[str, str | None] | None:
        return None if name is None else {"name": name, "unit": units.get(name)}

    return {
        "name": choice.data.name,
        "table": choice.data.table,
        "kind": choice.kind,
        "x": axis(choice.x),
        "y": [axis(name) for name in choice.y],
        "color": axis(choice.color),
        "facet": axis(choice.facet),
        "caption": drawn.caption,
        "note": choice.data.note,
        "files": [str(file) for file in files],
        "points": drawn.points,
    }
