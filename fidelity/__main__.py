"""`python -m fidelity`: compare AirFair with ns-2.

Two sets of ns-2 results are compared with: the recorded ones, which the project started from, and matched ones, in
which ns-2 runs without what AirFair leaves out (fidelity/references/README.md). Exit status 1: the bar is missed
against the matched results.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

from rich.console import Console

from fidelity import compare, ns2, ours, paths, references, wlan
from fidelity.report import DOCUMENT, Table, update

#: With `--quick`, one point in so many.
QUICK = 5


def main() -> int:
    """Run what the arguments ask for."""
    arguments = _arguments()
    console = Console()
    recorded = references.table1() | references.mixed()
    matched = references.table1() | references.matched()
    flows = paths.references()
    if arguments.quick:
        recorded = {point: recorded[point] for point in sorted(recorded, key=str)[::QUICK]}
        matched = {point: matched[point] for point in recorded}
        flows = [flow for flow in flows if ("capacity_mbps", "10") in flow.settings]
    origin = "recorded ns-2 results"
    if arguments.ns2 and not ns2.installed():
        console.print(f"{ns2.INSTALL}. The recorded results are used instead.", style="yellow")
    elif arguments.ns2:
        console.print(f"Running ns-2 on {len(recorded)} points, twice with {arguments.ns2_seeds} seeds ...")
        recorded = ns2.measure_all(recorded, arguments.ns2_seeds, arguments.jobs)
        matched = ns2.measure_all(matched, arguments.ns2_seeds, arguments.jobs, ns2.MATCHED)
        flows = [paths.Path(flow.tcp, flow.settings, paths.rerun(flow)) for flow in flows]
        origin = f"ns-2 run beside it with {arguments.ns2_seeds} seeds"

    measured = ours.measure_all(recorded, arguments.seeds, arguments.jobs)
    against_recorded = compare.compare(measured, recorded)
    against_matched = compare.compare(measured, matched)
    rates = compare.rates(against_matched)
    counted = paths.measure(flows)

    tables = {
        "passed": wlan.passed(compare.rates(against_recorded), rates),
        "outside": wlan.outside(against_recorded),
        "outside-matched": wlan.outside(against_matched),
        "flows": paths.agreement(flows, counted),
        "flows-differ": paths.differences(flows, counted),
    }
    console.print(f"AirFair, {arguments.seeds} seeds, against {origin}\n", style="bold")
    for table in tables.values():
        table.show(console)
    if arguments.write:
        tables["all"] = wlan.everything(against_recorded)
        tables["all-matched"] = wlan.everything(against_matched)
        _write(tables, f"AirFair with {arguments.seeds} seeds against {origin}.")

    missed = [rate.group for rate in rates if not rate.holds]
    if missed:
        console.print(f"The bar is missed by: {'; '.join(missed)}", style="bold red")
        return 1
    console.print("The bar holds against the matched results.", style="bold green")
    return 0


def _write(tables: dict[str, Table], made: str) -> None:
    date = datetime.now(UTC).date().isoformat()
    for section, table in tables.items():
        update(DOCUMENT, section, f"{date}: {made}\n\n{table.markdown() if table.rows else 'None.'}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fidelity", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="seeds for AirFair (default 10)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default 2)")
    parser.add_argument("--quick", action="store_true", help="a fifth of the points")
    parser.add_argument("--ns2", action="store_true", help="run the real ns-2 beside, where it is installed")
    parser.add_argument("--ns2-seeds", type=int, default=3, help="seeds for ns-2 (default 3)")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/fidelity.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
