"""Earlier measurements: the figures of every run are kept, and each run is compared with the last one.

`history.jsonl` belongs to this machine and is not in the repository. `published.json` is in the repository and has the
figures in the docs; a machine without a history compares with these.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Figure, short


@dataclass(frozen=True)
class Run:
    """The figures of one benchmark run."""

    date: str
    commit: str
    figures: list[Figure]

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(document: dict[str, Any]) -> Run:
        figures = [Figure(**figure) for figure in document["figures"]]
        return Run(document["date"], document["commit"], figures)


def last(folder: Path) -> Run | None:
    """The last run on this machine, or else the published one; `None` if there is neither."""
    history = folder / "history.jsonl"
    if history.exists() and (lines := history.read_text().splitlines()):
        return Run.from_json(json.loads(lines[-1]))
    return published(folder)


def published(folder: Path) -> Run | None:
    """The published run, which is in the repository; `None` if there is none."""
    file = folder / "published.json"
    return Run.from_json(json.loads(file.read_text())) if file.exists() else None


def completed(folder: Path, figures: list[Figure]) -> list[Figure]:
    """The published figures that new ones do not replace, followed by the new figures."""
    before = published(folder)
    measured = {figure.name for figure in figures}
    kept = [figure for figure in before.figures if figure.name not in measured] if before else []
    return [*kept, *figures]


def store(folder: Path, run: Run, *, publish: bool) -> None:
    """Add a run to the history; `publish` also makes it the published one."""
    with (folder / "history.jsonl").open("a") as history:
        history.write(json.dumps(run.to_json()) + "\n")
    if publish:
        (folder / "published.json").write_text(json.dumps(run.to_json(), indent=1) + "\n")


def changes(before: Run, now: Run) -> list[str]:
    """A table with one line per figure: the old value, the new one, and whether the change exceeds the noise."""
    known = {figure.name: figure for figure in before.figures}
    rows = [("", f"{before.date} ({before.commit})", f"{now.date} ({now.commit})", "", "")]
    for figure in now.figures:
        old = known.get(figure.name)
        if old is None:
            rows.append((figure.name, "not measured", str(figure), "", ""))
        else:
            change = f"{figure.median / old.median - 1:+.1%}"
            rows.append((figure.name, str(old), str(figure), change, verdict(old, figure)))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def verdict(old: Figure, new: Figure) -> str:
    """The verdict on a change, which counts if the ranges of the pairs do not overlap; one pair has no range."""
    if min(old.pairs, new.pairs) < 2:
        return "one pair: no telling"
    if old.low <= new.high and new.low <= old.high:
        return "within the noise"
    return "BETTER" if (new.median > old.median) == new.larger_is_better else "WORSE"


def misses(figure: Figure, target: float) -> bool:
    """Whether a figure is on the wrong side of its target."""
    return figure.median != target and (figure.median < target) == figure.larger_is_better


def reached(figures: list[Figure], targets: dict[str, float]) -> list[str]:
    """A table with each target, and the figure that was measured."""
    measured = {figure.name: figure for figure in figures}
    rows = ["| | Wanted | Measured | | On |", "|---|---|---|---|---|"]
    for name, target in targets.items():
        figure = measured.get(name)
        if figure is None:
            rows.append(f"| {name} | {short(target)} | not measured | | |")
        else:
            bound = "least" if figure.larger_is_better else "most"
            met = "missed" if misses(figure, target) else "met"
            rows.append(f"| {name} | at {bound} {short(target)} | **{figure}** | {met} | {figure.date} |")
    return rows
