"""Measure the engine's speed.

Programs run in turn, A B C A B C ..., so that a noisy machine affects all of them. The result is the median of the
ratios of adjacent runs. Costs are CPU seconds of the whole process (user and system) less those of the same process
stopped right after set-up, over the data segments acknowledged (beside ns-3: delivered).

    python -m bench [--runs N] [--write]

The number of instructions does not depend on other work on the machine. This counts them, and measures no times:

    python -m bench --instructions [--write]
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from bench import document, history, instructions, learning, limit, readme, set_up, side_by_side, sizes, sweep
from bench.figures import Figure, today
from bench.programs import ROOT, AirFair
from bench.side_by_side import Case
from bench.sizes import Size

FOLDER = ROOT / "bench"
DOCUMENT = ROOT / "docs" / "performance.md"
#: `--quick` divides the length of each run by this.
QUICK = 20.0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(quick: bool, runs: int) -> tuple[dict[str, list[str]], list[Figure]]:
    """Run all benchmarks. Return the tables by the names of their markers, and the figures."""
    by = QUICK if quick else 1.0
    cases: list[Case] = [case.shorter(by) if quick else case for case in side_by_side.CASES]
    flows: list[Size] = [size.shorter(by) if quick else size for size in sizes.FLOWS]
    stations: list[Size] = [size.shorter(by) if quick else size for size in sizes.STATIONS]
    for sentence in [*side_by_side.absent(), *instructions.absent()]:
        say(sentence)
    airfair = AirFair.build()
    tables = {"bench": [*side_by_side.HEAD], "limit": [*limit.HEAD]}
    figures: list[Figure] = []
    for case in cases:
        say(f"running {case.scenario} ...")
        costs = side_by_side.measure(case, airfair, runs)
        tables["bench"] += side_by_side.rows(case, costs)
        figures += side_by_side.figures(case, costs)
    for case in cases:
        say(f"running the bare operations of {case.scenario} ...")
        reports = limit.measure(case, airfair, runs)
        tables["limit"].append(limit.row(case, reports))
        figures.append(limit.figure(case, reports))
    say("counting instructions ...")
    counts, counted = instructions.measure(airfair)
    tables |= counts
    figures += counted
    say("running dumbbells of all sizes ...")
    rounds = sizes.flows(flows, airfair, runs)
    tables["sizes"] = [*sizes.FLOWS_HEAD, *sizes.flow_rows(flows, rounds)]
    figures.append(sizes.growth(rounds))
    say("running WLANs of all sizes ...")
    rounds = sizes.stations(stations, airfair, runs)
    tables["wlan-sizes"] = [*sizes.STATIONS_HEAD, *sizes.station_rows(stations, rounds)]
    say("running many short runs ...")
    tables["set-up"] = [*set_up.HEAD, *set_up.measure(airfair, runs)]
    say("running a sweep ...")
    busy = sweep.measure(runs, sweep.POINT_MS / by)
    tables["sweep"] = [sweep.sentence(busy)]
    figures.append(busy.share)
    rows, of_nothing = sweep.nothing(runs, int(sweep.POINTS / by))
    tables["sweep-of-nothing"] = [*sweep.NOTHING_HEAD, *rows]
    figures += of_nothing
    say("stepping environments ...")
    steps = learning.measure(runs)
    tables["learning"] = [*learning.HEAD, *learning.rows(steps)]
    figures += steps
    return tables, figures


def targets() -> dict[str, float]:
    """The targets by the names of their figures."""
    wanted = {sizes.GROWTH: sizes.GROWTH_TARGET, sweep.NAME: sweep.TARGET}
    wanted |= instructions.targets()
    wanted |= {sweep.nothing_name(kind): sweep.NOTHING_TARGET for kind in sweep.KINDS}
    wanted |= {sweep.gain_name(kind): sweep.GAIN_TARGET for kind in sweep.KINDS}
    for case in side_by_side.CASES:
        wanted |= side_by_side.targets(case)
    return wanted


def commit() -> str:
    """The commit that is checked out."""
    command = ["git", "describe", "--always", "--dirty"]
    described = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return described.stdout.strip() or "no commit"


def main() -> None:
    """Print the tables and the changes since the last run; with `--write`, publish them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, help="runs of each program for each case (default 5)")
    parser.add_argument(
        "--write", action="store_true", help="renew docs/performance.md, the README's figures and bench/published.json"
    )
    parser.add_argument("--quick", action="store_true", help="short runs that only try it out; nothing is stored")
    parser.add_argument(
        "--instructions", action="store_true", help="count instructions alone; other figures stay those published"
    )
    arguments = parser.parse_args()
    if arguments.instructions:
        if why := instructions.absent():
            sys.exit(why[0])
        tables, figures = instructions.measure(AirFair.build())
        all_figures = history.completed(FOLDER, figures)
    else:
        tables, figures = measure(arguments.quick, arguments.runs)
        all_figures = figures
    tables["targets"] = history.reached(all_figures, targets())
    for table in tables.values():
        print("\n".join(table), end="\n\n")
    run = history.Run(today(), commit(), figures)
    before = history.last(FOLDER)
    print("\n".join(history.changes(before, run) if before else ["Nothing was measured before."]))
    if arguments.write:
        of_each = f"Measured {today()}, {arguments.runs} runs of each in turn, medians."
        said = {"targets": "Medians.", **dict.fromkeys(("instructions", "parts"), f"Counted {today()}.")}
        for name, table in tables.items():
            document.write(DOCUMENT, name, [said.get(name, of_each), "", *table])
        readme.renew(all_figures)
    if not arguments.quick:
        history.store(FOLDER, history.Run(run.date, run.commit, all_figures), publish=arguments.write)


if __name__ == "__main__":
    main()
