"""Instructions per segment sent, counted by callgrind: they decide where clocks disagree."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure
from bench.programs import ROOT, AirFair

HEAD = ["| Scenario | Simulated time | Instructions per segment sent |", "|---|---|---|"]


@dataclass(frozen=True)
class Work:
    """A scenario as it is, or with other settings, from one simulated second to another.

    What comes before the first, set-up and slow start, does not count.
    """

    scenario: str
    first: int
    last: int
    settings: tuple[str, ...] = ()
    #: The most instructions wanted, if there is such a target.
    target: float = math.nan
    #: The largest ratio wanted to the scenario with its defaults, if there is one.
    most: float = math.nan

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
    Work("bench/wlan", 20, 60, target=1_650),
    Work("bench/ax", 5, 10),
    Work("bench/ax", 5, 10, ("stations=64",)),
    Work("bench/dumbbell", 5, 10, target=750),
    Work("bench/dumbbell", 5, 10, ("profile=linux", "tcp=cubic")),
    *(
        Work("bench/dumbbell", 5, 10, settings, most=most)
        for settings, most in [
            (("recovery=sack",), 1.5),
            (("tcp.delayed_ack=true",), 1.5),
            (("tcp=vegas",), 1.5),
            (("tcp=cubic", "recovery=sack"), 1.3),
            (("tcp=bbr", "recovery=sack"), 2.0),
            (("profile=linux", "tcp=bbr"), 2.0),
        ]
    ),
]


def targets() -> dict[str, float]:
    """The targets by the names of their figures."""
    wanted = {work.name: work.most if work.is_compared else work.target for work in WORKS}
    return {name: target for name, target in wanted.items() if not math.isnan(target)}


def absent() -> list[str]:
    """The reason why instructions are not counted, if they are not."""
    return [] if shutil.which("valgrind") else ["valgrind is not installed: no instructions are counted"]


def measure(airfair: AirFair) -> tuple[list[str], list[Figure]]:
    """Rows and figures; without valgrind, none."""
    rows, figures = [], []
    plain: dict[str, float] = {}
    for work in WORKS if not absent() else []:
        early, late = (counted(airfair, work, seconds) for seconds in (work.first, work.last))
        each = (late[0] - early[0]) / (late[1] - early[1])
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
    return rows, figures


def counted(airfair: AirFair, work: Work, seconds: int) -> tuple[int, float]:
    """Instructions of a whole process, and the segments that it sends."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={Path(folder) / 'profile'}"]
        done = subprocess.run(
            [*command, str(airfair.binary), work.scenario, *work.settings, f"duration={seconds} s"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
    return instructions(done.stderr), json.loads(done.stdout)["segments_sent"]


def instructions(said: str) -> int:
    """The total that callgrind tells on its way out."""
    found = re.search(r"Collected : (\d+)", said)
    if found is None:
        raise ValueError(f"callgrind told no total: {said[-200:]}")
    return int(found[1])
