"""The table at the head of docs/fidelity.md: each set, its judge, and how much of it is inside the bar.

It is made of the sections that the comparisons wrote, so it is renewed whenever one of them is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fidelity import document
from fidelity.points import PointSet
from fidelity.report import Table
from fidelity.sets import SETS

SECTION = "overview"


@dataclass(frozen=True)
class Standing:
    """How far one set reaches its bar."""

    points: int
    #: Number of points that are inside the bar in everything compared; `None` if there is no bar.
    inside: int | None
    #: Number of values inside the bar, and of all values, if a point has several.
    values: str = ""
    bar: str = ""


@dataclass(frozen=True)
class Entry:
    """One row: what is compared, with what, and a section of the page that shows it."""

    name: str
    judge: str
    section: str
    standing: Callable[[str], Standing]


def write(texts: Mapping[str, str]) -> None:
    """Put each text into its section, and renew the overview."""
    for section, text in texts.items():
        document.put(section, text)
    document.put(SECTION, table().markdown())


def table() -> Table:
    """Make the overview from the present sections."""
    made = Table("Overview", ["set", "judge", "points", "inside", "values inside", "bar"])
    for one in entries():
        found = one.standing(one.section)
        page = os.path.relpath(document.page_of(one.section), document.ENTRANCE.parent)
        inside = "" if found.inside is None else str(found.inside)
        made.rows.append([f"[{one.name}]({page})", one.judge, str(found.points), inside, found.values, found.bar])
    return made


def entries() -> list[Entry]:
    """The rows of the overview, in order."""
    return [
        *(entry for point_set in SETS.values() for entry in _of_set(point_set)),
        Entry("`l4s`: coupled queues", "closed forms", "l4s-coupled", _told),
        Entry("`l4s`: DCTCP", "closed forms", "l4s-dctcp", _told),
        Entry("random loss", "Padhye et al.", "padhye-1000", _without_a_bar(columns=3)),
        Entry("random loss, small window", "Padhye et al.", "padhye-32", _without_a_bar(columns=3)),
        Entry("random loss, TCP(alpha, beta)", "GAIMD equation", "gaimd-half", _without_a_bar(columns=3)),
        Entry("BBR beside a loss-based flow", "Ware et al.", "ware", _without_a_bar(columns=4)),
        *(
            Entry(f"BBR version 3: `{test}`", "its authors' matrix", f"bbr3-{test.replace('_', '-')}", _marked("pass"))
            for test in ("coexist", "random_loss", "shallow", "bufferbloat")
        ),
        Entry("CUBIC's window", "tests of ns-3", "cubic-ranges", _marked("yes")),
        Entry("packetdrill, our scripts", "RFCs", "packetdrill-own", _marked("passed", column=2)),
        Entry("packetdrill, Google's scripts", "Linux", "packetdrill-first", _marked("passed", column=2, least=24)),
    ]


def _of_set(point_set: PointSet[Any]) -> Iterator[Entry]:
    source = point_set.sources[-1].name
    judge = point_set.simulator if source == point_set.simulator else f"{point_set.simulator}, {source}"
    if point_set.metrics:
        yield Entry(f"`{point_set.name}`", judge, f"{point_set.name}-passed", lambda _: _of_points(point_set))
    if point_set.counts:
        yield Entry(f"`{point_set.name}`, run by run", judge, f"{point_set.name}-counts", lambda _: _of_runs(point_set))


def _of_points(point_set: PointSet[Any]) -> Standing:
    name, source = point_set.name, point_set.sources[-1].name
    points = len(document.table(f"{name}-all-{source}").rows)
    outside = document.table(f"{name}-outside-{source}").rows
    passed = [row for row in document.table(f"{name}-passed").rows if row[-1]]
    values = [_told_of(row[-2]) for row in passed if row[0] in point_set.metrics]
    missed = sum(row[-1] != "holds" for row in passed)
    unknown = sum(not row[-1] for row in document.table(f"{name}-bias").rows)
    bar = f"**missed** in {missed} of {len(passed)}" if missed else "holds"
    if unknown:
        bar += f"; {unknown} biases without a known cause"
    within, total = (sum(numbers) for numbers in zip(*values, strict=True))
    return Standing(points, points - len({row[0] for row in outside}), f"{within} of {total}", bar)


def _of_runs(point_set: PointSet[Any]) -> Standing:
    rows = document.table(f"{point_set.name}-counts").rows
    differ = document.table(f"{point_set.name}-counts-differ").rows
    runs, equal = (sum(int(row[column]) for row in rows) for column in (1, 2))
    return Standing(runs, equal, bar="holds" if all(row[-1] for row in differ) else "**missed**")


def _told(section: str) -> Standing:
    """The standing that a section states at its beginning: `N of M`."""
    within, total = _told_of(document.text(section).splitlines()[0])
    return Standing(total, within, bar=_bar(within, total))


def _told_of(text: str) -> tuple[int, int]:
    found = re.search(r"(\d+) of (\d+)", text)
    if found is None:
        raise ValueError(f"{text!r} does not say how many of how many")
    return int(found[1]), int(found[2])


def _marked(good: str, column: int = -1, least: int | None = None) -> Callable[[str], Standing]:
    """A function that reads a standing from a table whose `column` has `good` in rows inside the bar.

    Rows without an entry there are not judged. All other rows must be inside, or `least` of them.
    """

    def standing(section: str) -> Standing:
        cells = [row[column] for row in document.table(section).rows if row[column]]
        within = sum(cell == good for cell in cells)
        asked = "" if least is None else f" ({least} asked for)"
        return Standing(len(cells), within, bar=_bar(within, least or len(cells)) + asked)

    return standing


def _bar(within: int, asked: int) -> str:
    return "holds" if within >= asked else "**missed**"


def _without_a_bar(columns: int) -> Callable[[str], Standing]:
    """A function that makes a standing without a bar of a table with this number of measured columns."""
    return lambda section: Standing(columns * len(document.table(section).rows), None, bar="none")
