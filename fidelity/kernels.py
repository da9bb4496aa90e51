"""`python -m fidelity.kernels`: where Linux 6.18 differs between real and virtual time, and what 6.12 does there.

If a kernel differs as much from itself, AirFair's difference from the kernel in real time says nothing about AirFair.
"""

from __future__ import annotations

import sys

from rich.console import Console

from fidelity import kernel, linux, options, overview
from fidelity.kernel import Cell
from fidelity.points import Measurements
from fidelity.report import Table, percent
from fidelity.tables import spread


def in_virtual_time() -> tuple[Measurements[Cell], Measurements[Cell]]:
    """The results of 6.12 and of 6.18 in virtual time."""
    earlier, exact = (source.recorded() for source in kernel.VIRTUAL.sources)
    return earlier, exact


def queues() -> list[tuple[Cell, str]]:
    """The points that are compared by their mean queue in virtual time, each with the name of the metric."""
    return [
        (cell, name) for cell in kernel.virtual_points() for name in kernel.compared(cell) if name.startswith("queue")
    ]


def apart() -> Table:
    """A table of the points at which the mean queues of 6.18 in real and virtual time differ by more than the bar."""
    late, (earlier, exact) = kernel.SET.sources[0].recorded(), in_virtual_time()
    found: list[tuple[float, list[str]]] = []
    for cell, name in queues():
        metric, of, real = kernel.METRICS[name], exact[cell][name], late[cell][name]
        if cell.loss:
            # Keep the seeds with the same losses.
            real = real.of_seeds_in(of)
        difference = real.mean - of.mean
        if abs(difference) <= (metric.relative or 0) * of.mean:
            continue
        row = [
            str(cell),
            spread(metric, real),
            spread(metric, of),
            percent(difference, of.mean),
            spread(metric, earlier[cell][name]),
            *(f"{1e3 * late[cell][f'lateness_{which}'].mean:.2f}" for which in linux.LATEST),
        ]
        found.append((difference / of.mean, row))
    made = Table(
        "Where the kernels differ",
        ["point", "6.18, real time", "6.18, virtual", "difference", "6.12, virtual", "late, ms: 99 %", "latest"],
    )
    made.rows += [row for _, row in sorted(found)]
    return made


def between_versions() -> tuple[float, Cell]:
    """The largest difference of 6.18's mean queue from 6.12's, as a fraction of the latter, and its point."""
    earlier, exact = in_virtual_time()
    found = []
    for cell, name in queues():
        pairs = list(zip(exact[cell][name].values, earlier[cell][name].values, strict=False))
        now, then = (sum(values) for values in zip(*pairs, strict=True))
        found.append((now / then - 1, cell))
    return max(found, key=lambda one: abs(one[0]))


def main() -> int:
    """Show the table, and with `--write` put it into the documents."""
    arguments = options.parser("kernels", __doc__).parse_args()
    made = apart()
    made.show(Console())
    most, where = between_versions()
    facts = options.dated(
        f"mean queues in packets; {len(made.rows)} of {len(queues())} points. "
        f"In virtual time 6.18 and 6.12 are furthest apart at {where}: {percent(most, 1)}."
    )
    print(facts)
    if arguments.write:
        overview.write({"kernels-apart": f"{facts}\n\n{made.markdown('---:')}"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
