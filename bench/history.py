"""What was measured before: every run's figures are kept, and each run is compared with the last one.

`history.jsonl` is this machine's own and in no repository. `published.json`, which is, has the figures that stand in
the docs; where nothing was measured yet, they are what is compared with.
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
    """One run's figures."""

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
    """This machine's last run, or the published one."""
    history, published = folder / "history.jsonl", folder / "published.json"
    if history.exists() and (lines := history.read_text().splitlines()):
        return Run.from_json(json.loads(lines[-1]))
    return Run.from_json(json.loads(published.read_text())) if published.exists() else None


def store(folder: Path, run: Run, *, publish: bool) -> None:
    """Keep a run; where asked, as the published one too."""
    with (folder / "history.jsonl").open("a") as history:
        history.write(json.dumps(run.to_json()) + "\n")
    if publish:
        (folder / "published.json").write_text(json.dumps(run.to_json(), indent=1) + "\n")


def changes(before: Run, now: Run) -> list[str]:
    """A line for each figure that both have: what it was, what it is, and whether that is more than noise."""
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
    """A change counts when the ranges of the pairs do not meet; one pair has no range."""
    if min(old.pairs, new.pairs) < 2:
        return "one pair: no telling"
    if old.low <= new.high and new.low <= old.high:
        return "within the noise"
    return "BETTER" if (new.median > old.median) == new.larger_is_better else "WORSE"


def missed(figures: list[Figure], targets: dict[str, float]) -> list[str]:
    """A sentence for each figure that misses its target."""
    sentences = []
    for figure in figures:
        target = targets.get(figure.name)
        if target is not None and (figure.median < target) == figure.larger_is_better and figure.median != target:
            bound = "at least" if figure.larger_is_better else "at most"
            sentences.append(f"missed: {figure.name}: {figure}, {bound} {short(target)} is wanted")
    return sentences
