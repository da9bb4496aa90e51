"""Instructions per segment sent, counted by callgrind: they decide if measured times disagree."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bench import parts
from bench.figures import Figure
from bench.programs import ROOT, AirFair

HEAD = ["| Scenario | Simulated time | Instructions per segment sent |", "|---|---|---|"]
#: Programs that count instructions and find their source, each with the Debian package that contains it.
TOOLS = {"valgrind": "valgrind", "addr2line": "binutils"}


@dataclass(frozen=True)
class Work:
    """A scenario, with other settings if any, from one simulated second to another.

    Instructions before the first second, of set-up and slow start, do not count.
    """

    scenario: str
    first: int
    last: int
    settings: tuple[str, ...] = ()
    #: Target: the most instructions per segment; NaN if there is no such target.
    target: float = math.nan
    #: Target: the largest ratio to the scenario with its defaults; NaN if there is no such target.
    most: float = math.nan
    #: Whether the docs show the instructions of each part of the engine.
    in_parts: bool = False

    @property
    def title(self) -> str:
        return " ".join([self.scenario, *self.settings])

    @property
    def name(self) -> str:
        of = "over those of NewReno" if self.is_compared else "per segment sent"
        return f"{self.title}: instructions {of}"

    @property
    def is_compared(self) -> bool:
        """Whether the figure is a ratio to the scenario with its defaults."""
        return not math.isnan(self.most)


WORKS = [
    Work("bench/wlan", 20, 60, target=1_650, in_parts=True),
    Work("bench/ax", 5, 10, in_parts=True),
    Work("bench/ax", 5, 10, ("stations=64",)),
    Work("bench/dumbbell", 5, 10, target=750, in_parts=True),
    Work("bench/dumbbell", 5, 10, ("recovery=sack",), most=1.5),
    Work("bench/dumbbell", 5, 10, ("tcp.delayed_ack=true",), most=1.5),
    Work("bench/dumbbell", 5, 10, ("tcp=vegas",), most=1.5),
    Work("bench/dumbbell", 5, 10, ("tcp=cubic", "recovery=sack"), most=1.3),
    Work("bench/dumbbell", 5, 10, ("tcp=bbr", "recovery=sack"), most=2.0, in_parts=True),
    Work("bench/dumbbell", 5, 10, ("profile=linux", "tcp=cubic"), in_parts=True),
    Work("bench/dumbbell", 5, 10, ("profile=linux", "tcp=bbr"), most=2.0, in_parts=True),
]


def targets() -> dict[str, float]:
    """The targets by the names of their figures."""
    wanted = {work.name: work.most if work.is_compared else work.target for work in WORKS}
    return {name: target for name, target in wanted.items() if not math.isnan(target)}


def absent() -> list[str]:
    """Lines with the reason why instructions cannot be counted; empty if they can."""
    missing = [f"{tool} (package {package})" for tool, package in TOOLS.items() if shutil.which(tool) is None]
    return [f"no instructions are counted: not installed: {', '.join(missing)}"] if missing else []


def measure(airfair: AirFair) -> tuple[dict[str, list[str]], list[Figure]]:
    """Count all instructions; returns the tables by the names of their markers, and the figures."""
    if why := absent():
        return {"instructions": why, "parts": why}, []
    rows, figures = [], []
    plain: dict[str, float] = {}
    columns: dict[str, dict[str, float]] = {}
    for work in WORKS:
        costs, segments = grown(airfair, work)
        each = costs.total() / segments
        if work.in_parts:
            columns[work.title] = {part: cost / segments for part, cost in parts.by_part(costs, airfair.binary).items()}
        if work.is_compared:
            ratio = each / plain[work.scenario]
            figures.append(Figure.of(work.name, [ratio], larger_is_better=False))
            told = f"{each:,.0f}, **{ratio:.2f}x** (target {work.most:g}x)"
        else:
            if not work.settings:
                plain[work.scenario] = each
            figures.append(Figure.of(work.name, [each], larger_is_better=False))
            told = f"**{each:,.0f}**" + ("" if math.isnan(work.target) else f" (target {work.target:,.0f})")
        rows.append(f"| `{work.title}` | {work.first} s to {work.last} s | {told} |")
    return {"instructions": [*HEAD, *rows], "parts": in_parts(columns)}, figures


def in_parts(columns: dict[str, dict[str, float]]) -> list[str]:
    """A table with the instructions per segment sent of each part of the engine, a column for each piece of work."""
    head = ["| Part | " + " | ".join(f"`{title}`" for title in columns) + " |", "|---|" + "---|" * len(columns)]
    names = [*parts.PARTS, parts.ELSEWHERE]
    counts = [[column.get(name, 0) for column in columns.values()] for name in names]
    rows = [(name, row) for name, row in zip(names, counts, strict=True) if max(row) >= 0.5]
    sums = [sum(column.values()) for column in columns.values()]
    told = [(name, [f"{count:,.0f}" if count >= 0.5 else "" for count in row]) for name, row in rows]
    told.append(("All", [f"**{total:,.0f}**" for total in sums]))
    return [*head, *(f"| {name} | {' | '.join(row)} |" for name, row in told)]


def grown(airfair: AirFair, work: Work) -> tuple[Counter[int | None], float]:
    """Instructions at each address of the program between the two times of the work, and the segments sent."""
    (early, before), (late, after) = (counted(airfair, work, seconds) for seconds in (work.first, work.last))
    late.subtract(early)
    return Counter({address: cost for address, cost in late.items() if cost}), after - before


def counted(airfair: AirFair, work: Work, seconds: int) -> tuple[Counter[int | None], float]:
    """Instructions of a whole process at each address of the program, and the segments that it sends."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        command = ["valgrind", "--tool=callgrind", *parts.OPTIONS, f"--callgrind-out-file={profile}"]
        done = subprocess.run(
            [*command, str(airfair.binary), work.scenario, *work.settings, f"duration={seconds} s"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        costs = parts.by_address(profile.read_text().splitlines(), str(airfair.binary))
    return costs, json.loads(done.stdout)["segments_sent"]
