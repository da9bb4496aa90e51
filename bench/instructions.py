"""Instructions per segment sent, counted by callgrind: they decide where clocks disagree."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.figures import Figure
from bench.programs import ROOT, AirFair

#: Simulated seconds of each scenario: what comes before the first, set-up and slow start, does not count.
SPANS = {"bench/wlan": (20, 60), "bench/dumbbell": (5, 10)}
TARGETS = {"bench/wlan": 1_650.0, "bench/dumbbell": 750.0}

HEAD = ["| Scenario | Simulated time | Instructions per segment sent |", "|---|---|---|"]


def absent() -> list[str]:
    """The reason why instructions are not counted, if they are not."""
    return [] if shutil.which("valgrind") else ["valgrind is not installed: no instructions are counted"]


def name(scenario: str) -> str:
    return f"{scenario}: instructions per segment sent"


def measure(airfair: AirFair) -> tuple[list[str], list[Figure]]:
    """Rows and figures; without valgrind, none."""
    rows, figures = [], []
    for scenario, (first, last) in SPANS.items() if not absent() else ():
        early, late = (counted(airfair, scenario, seconds) for seconds in (first, last))
        each = (late[0] - early[0]) / (late[1] - early[1])
        figures.append(Figure.of(name(scenario), [each], larger_is_better=False))
        rows.append(f"| `{scenario}` | {first} s to {last} s | **{each:,.0f}** (target {TARGETS[scenario]:,.0f}) |")
    return rows, figures


def counted(airfair: AirFair, scenario: str, seconds: int) -> tuple[int, float]:
    """Instructions of a whole process, and the segments that it sends."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={Path(folder) / 'profile'}"]
        done = subprocess.run(
            [*command, str(airfair.binary), scenario, f"duration={seconds} s"],
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
