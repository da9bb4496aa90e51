"""`python -m fidelity.kernels`: where Linux 6.18 in real time and Linux 6.12 in virtual time differ.

A point at which AirFair is outside the bar against one of them, and the two are as far apart, says nothing of AirFair.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

from rich.console import Console

from fidelity import kernel, overview
from fidelity.kernel import Cell
from fidelity.points import Measurements
from fidelity.report import Table, percent
from fidelity.tables import spread


def apart() -> tuple[Table, int]:
    """The points whose mean queues differ by more than the set's bar, and how many are compared."""
    (real,), (calm,) = (point_set.sources for point_set in (kernel.SET, kernel.VIRTUAL))
    found: list[tuple[float, list[str]]] = []
    compared = 0
    recorded: tuple[Measurements[Cell], Measurements[Cell]] = (real.recorded(), calm.recorded())
    for cell in kernel.virtual_points():
        for name in kernel.compared(cell):
            if not name.startswith("queue"):
                continue
            compared += 1
            late, exact = (one[cell][name] for one in recorded)
            difference = late.mean - exact.mean
            metric = kernel.METRICS[name]
            if abs(difference) > (metric.relative or 0) * exact.mean:
                worst = recorded[0][cell]["lateness_worst"]
                row = [
                    str(cell),
                    spread(metric, late),
                    spread(metric, exact),
                    percent(difference, exact.mean),
                    f"{1e3 * worst.mean:.1f}",
                ]
                found.append((difference / exact.mean, row))
    made = Table("Where the kernels differ", ["point", "6.18, real time", "6.12, virtual", "difference", "latest, ms"])
    made.rows += [row for _, row in sorted(found)]
    return made, compared


def main() -> int:
    """Show the table, and with `--write` put it into the documents."""
    parser = argparse.ArgumentParser(prog="python -m fidelity.kernels", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables into the documents")
    arguments = parser.parse_args()
    made, compared = apart()
    made.show(Console())
    if arguments.write:
        facts = f"{datetime.now(UTC).date()}: mean queues in packets; {len(made.rows)} of {compared} points."
        overview.write({"kernels-apart": f"{facts}\n\n{made.markdown('---:')}"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
