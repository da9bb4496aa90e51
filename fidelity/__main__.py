"""`python -m fidelity`: compare AirFair with ns-2, ns-3 and the running Linux kernel.

Each set of points is compared with recorded results: of ns-2, the sets of wifi of ns-3, and kernel, kernel-virtual and
kernel-receiver of Linux. With `--live` the simulator or kernel itself runs beside it instead. l4s is compared with
closed forms. fidelity/references/README.md says how the results were made. The exit status is 1 if a set misses the bar
against the last of its results, or if a metric or group is biased for no known reason. With `--quick`, whose sample is
too small for the bar, it is 1 if a point is outside for no known reason.

`python -m fidelity packetdrill` plays packetdrill's scripts against AirFair's TCP; see its own `--help`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field

from rich.console import Console

from fidelity import bias, compare, counts, l4s, options, ours, overview, packetdrill, tables
from fidelity.points import Measurements, P, PointSet
from fidelity.report import Table
from fidelity.sets import SETS
from fidelity.simulators import UNAVAILABLE, measure_all

#: Sets that are compared only if they are named, because they do not reach their bar yet (docs/fidelity/).
NAMED = ("wifi-tcp", "wifi-places", "kernel")

#: The set that is compared with closed forms: no simulator has results for it.
CLOSED = "l4s"

#: With `--quick`, one point in this many is compared.
QUICK = 8


@dataclass
class Findings:
    """The result of comparing one set."""

    #: Groups that miss the bar, and biases without a known cause.
    missed: list[str]
    #: Tables by the section of the documents that shows each.
    tables: dict[str, Table] = field(default_factory=dict)
    #: Tables that are too long for a terminal, by section.
    long_tables: dict[str, Table] = field(default_factory=dict)


def main() -> int:
    """Compare the sets that the arguments name, and return the exit status."""
    if sys.argv[1:2] == ["packetdrill"]:
        return packetdrill.main(sys.argv[2:])
    arguments = _arguments()
    console = Console()
    missed: list[str] = []
    for name in arguments.sets or [*(name for name in SETS if name not in NAMED), CLOSED]:
        if name == CLOSED:
            console.print(f"{name}: AirFair, {arguments.seeds} seeds, against closed forms\n", style="bold")
            laws = l4s.compare(arguments.seeds, arguments.jobs, write=arguments.write, console=console)
            missed += [f"{name}: {law}" for law in laws]
            continue
        simulator = SETS[name].simulator
        reason = UNAVAILABLE[simulator]() if arguments.live else ""
        live = arguments.live and not reason
        if reason:
            console.print(f"{reason}. The recorded results are used instead.", style="yellow")
        origin = f"{simulator} run beside it" if live else f"recorded {simulator} results"
        seeds = min(arguments.seeds, SETS[name].simulator_seeds) if SETS[name].paired else arguments.seeds
        of = "1 seed" if seeds == 1 else f"{seeds} seeds"
        console.print(f"{name}: AirFair, {of}, against {origin}\n", style="bold")
        found = _compare(SETS[name], arguments, seeds, live)
        for table in found.tables.values():
            table.show(console)
        if arguments.write:
            _write(found, f"AirFair with {of} against {origin}.")
        missed += [f"{name}: {group}" for group in found.missed]
    if missed:
        console.print(f"Missed: {'; '.join(missed)}", style="bold red")
        return 1
    held = "Nothing is outside for an unknown reason" if arguments.quick else "The bar holds"
    console.print(f"{held}, and every bias has a known cause.", style="bold green")
    return 0


def _compare(point_set: PointSet[P], arguments: argparse.Namespace, own_seeds: int, live: bool) -> Findings:
    results: dict[str, Measurements[P]] = {}
    for source in point_set.sources:
        theirs = source.recorded()
        if arguments.quick:
            theirs = {point: theirs[point] for point in sorted(theirs, key=str)[::QUICK]}
        if live:
            seeds = arguments.live_seeds or point_set.simulator_seeds
            runnable = [point for point in theirs if point_set.runnable(point)]
            theirs = theirs | measure_all(point_set, source.run, runnable, seeds, arguments.jobs)
        results[source.name] = theirs
    decisive = point_set.sources[-1].name
    points = dict.fromkeys(point for theirs in results.values() for point in theirs)
    measured = ours.measure_all(point_set, points, own_seeds, arguments.jobs)

    comparisons = {name: compare.compare(point_set, measured, theirs) for name, theirs in results.items()}
    rates = {name: compare.rates(point_set, found) for name, found in comparisons.items()}
    if arguments.quick:
        findings = Findings(missed=tables.unexplained(point_set, comparisons[decisive]))
    else:
        findings = Findings(missed=compare.missed(rates[decisive]))
    if point_set.metrics:
        findings.tables[f"{point_set.name}-passed"] = tables.passed(point_set, rates)
        tested = bias.biases(point_set, measured, results[decisive])
        findings.tables[f"{point_set.name}-bias"] = tables.biases(point_set, [one for one in tested if one.found])
        findings.long_tables[f"{point_set.name}-bias-all"] = tables.biases(point_set, tested)
        findings.missed += tables.unexplained_biases(point_set, tested)
    for name, found in comparisons.items() if point_set.metrics else ():
        findings.tables[f"{point_set.name}-outside-{name}"] = tables.outside(point_set, name, found)
        findings.long_tables[f"{point_set.name}-all-{name}"] = tables.everything(point_set, found)
    if point_set.counts:
        counted = point_set, measured, results[decisive]
        findings.tables[f"{point_set.name}-counts"] = counts.agreement(*counted)
        findings.tables[f"{point_set.name}-counts-differ"] = counts.differences(*counted)
        findings.missed += [f"{point}, for no known reason" for point in counts.unexplained(*counted)]
    return findings


def _write(found: Findings, made: str) -> None:
    dated = options.dated(made)
    texts = {
        section: f"{dated}\n\n{table.markdown() if table.rows else 'None.'}" for section, table in found.tables.items()
    }
    for section, table in found.long_tables.items():
        summary = f"<summary>{len(table.rows)} {'tests' if section.endswith('-bias-all') else 'points'}</summary>"
        texts[section] = f"{dated}\n\n<details>{summary}\n\n{table.markdown()}\n\n</details>"
    overview.write(texts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fidelity", description=__doc__)
    parser.add_argument(
        "sets",
        nargs="*",
        metavar="set",
        help=f"sets of points: {', '.join([*SETS, CLOSED])} (default all but {', '.join(NAMED)})",
    )
    parser.add_argument("--seeds", type=int, default=10, help="seeds for AirFair (default 10)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default 2)")
    parser.add_argument("--quick", action="store_true", help=f"one point in {QUICK}")
    parser.add_argument(
        "--live", action="store_true", help="run ns-2, ns-3 or the kernel itself beside AirFair, where that is possible"
    )
    parser.add_argument("--live-seeds", type=int, help="seeds for it (default: as many as are recorded)")
    parser.add_argument("--write", action="store_true", help="write the tables into the documents")
    arguments = parser.parse_args()
    if unknown := set(arguments.sets) - {*SETS, CLOSED}:
        parser.error(f"no such set: {', '.join(sorted(unknown))}; there are {', '.join([*SETS, CLOSED])}")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
