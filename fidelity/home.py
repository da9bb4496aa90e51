"""`python -m fidelity.home`: BBR or CUBIC on Wi-Fi? Grades of the devices of `wifi/home` with either.

With `--write` the grades go into docs/bbr-or-cubic.md.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean
from typing import Any

from rich.console import Console

from fidelity import options
from fidelity.document import DOCS
from fidelity.report import Table, number, update

DOCUMENT = DOCS / "bbr-or-cubic.md"
SCENARIO = "wifi/home"
CONTROLS = ("cubic", "bbr3")
POLICIES = ("fifo", "fq_codel", "fq_mac", "airtime", "mac80211")
#: The mark of each grade, for means: 5 for A to 0 for F.
MARKS = {grade: mark for mark, grade in enumerate("FEDCBA")}

Device = dict[str, Any]


def devices(policy: str, control: str, seeds: int) -> list[Device]:
    """The devices with their grades, which are those of the means over the seeds."""
    settings = [f"--set=policy={policy}", f"--set=tcp={control}"]
    command = [sys.executable, "-m", "airfair", "run", SCENARIO, "--json", f"--seeds={seeds}", *settings]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[Device] = json.loads(done.stdout)["devices"]
    return found


def kinds(graded: list[Device]) -> dict[tuple[str, str], list[Device]]:
    """Group devices by name without number, and by measure. Laptops differ in distance, so each is its own kind."""
    found: dict[tuple[str, str], list[Device]] = {}
    for device in graded:
        name = device["device"]
        kind = name if name.startswith("laptop") else re.sub(r"\d+$", "", name)
        if device["grade"] is not None:
            found.setdefault((kind, device["measure"]), []).append(device)
    return found


def cell(graded: list[Device]) -> str:
    """The grades of a kind, the best first, and the mean of the values; some devices that fail have no value."""
    counts = Counter(device["grade"] for device in graded)
    grades = ", ".join(f"{n} x {grade}" if n > 1 else grade for grade, n in sorted(counts.items()))
    values = [device["value"] for device in graded if device["value"] is not None]
    return f"{grades} ({number(fmean(values))})" if values else grades


def tables(results: dict[tuple[str, str], list[Device]]) -> list[Table]:
    """A table of mean marks, and for each policy a table of the kinds of devices."""
    summary = Table("All devices", ["Queues (`policy`)", *(f"`{control}`" for control in CONTROLS)])
    made = [summary]
    for policy in POLICIES:
        both = [kinds(results[policy, control]) for control in CONTROLS]
        marks = [fmean(MARKS[device["grade"]] for kind in home.values() for device in kind) for home in both]
        summary.rows.append([f"`{policy}`", *(f"{mark:.2f}" for mark in marks)])
        table = Table(f"`{policy}`", ["Device", "Judged by", *(f"`{control}`" for control in CONTROLS)])
        for kind in both[0]:
            table.rows.append([*kind, *(cell(home.get(kind, [])) if home.get(kind) else "none" for home in both)])
        made.append(table)
    return made


def main() -> int:
    """Run, show the tables, and with `--write` put them into the page."""
    arguments = options.parser("home", __doc__, seeds=10).parse_args()
    cases = [(policy, control) for policy in POLICIES for control in CONTROLS]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = pool.map(lambda case: devices(case[0], case[1], arguments.seeds), cases)
        results = dict(zip(cases, found, strict=True))
    made = tables(results)
    for table in made:
        table.show(Console())
    if arguments.write:
        told = f"{arguments.seeds} seeds. A is 5 marks and F none; the mean over all devices and measures."
        parts = [options.dated(told), made[0].markdown()]
        parts += [f"## {table.title}\n\n{table.markdown('---')}" for table in made[1:]]
        update(DOCUMENT, "home", "\n\n".join(parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
