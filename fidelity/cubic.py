"""`python -m fidelity.cubic`: CUBIC's window against the ranges that ns-3 tests its own window for.

The ranges are those of ns-3, src/test/ns3tcp/ns3tcp-cubic-test-suite.cc and examples/tcp/tcp-validation.cc. Windows are
compared in segments.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

import airfair
from fidelity import options, overview
from fidelity.references import HERE
from fidelity.report import Table, percent

SCENARIO = HERE / "scenarios" / "cubic.toml"
#: Start in s of AirFair's flow, and of the flows of ns-3's test suite.
START = 0.1


@dataclass(frozen=True)
class Case:
    """One of ns-3's runs. A range is the start and end of a time span in s, and the least and largest window there."""

    title: str
    parameters: Mapping[str, Any]
    ranges: tuple[tuple[float, float, float, float], ...]
    #: Time at which the bottleneck's rate doubles, in s; `None`: never.
    doubles: float | None = None


SHORT: dict[str, Any] = {"rtt": "5 ms", "rate": "100 Mb/s", "friendliness": False}
STEP: dict[str, Any] = {"rtt": "20 ms", "rate": "50 Mb/s", "fast_convergence": True}
CASES = (
    Case("5 ms, neither", {**SHORT, "fast_convergence": False}, ((1, 19, 60, 110), (9, 9.6, 84, 89))),
    Case("5 ms, fast convergence", {**SHORT, "fast_convergence": True}, ((1, 19, 60, 110), (4, 6, 83, 88))),
    Case(
        "20 ms, fast convergence; 50, then 100 Mb/s",
        {**STEP, "friendliness": False},
        ((11, 15, 107, 123), (17.5, 18.5, 169, 215)),
        doubles=10,
    ),
    Case("20 ms, both; 50, then 100 Mb/s", {**STEP, "friendliness": True}, ((13, 15, 150, 220),), doubles=10),
)
#: The run of `tcp-validation`: a flow from 5 s on, without pacing, at CoDel, over 50 Mb/s and 50 ms. `PEAKS` has the
#: peaks of its window: between two times in s, the time and the window.
VALIDATION: dict[str, Any] = {"rtt": "50 ms", "rate": "50 Mb/s", "queue": "codel", "pacing": "off"}
VALIDATION_START = 5.0
PEAKS = ((5.0, 8.0, 5.46, 511), (8.0, 16.0, 14.28, 236), (16.0, 20.0, 18.05, 234))


def window(parameters: Mapping[str, Any], doubles: float | None = None) -> list[tuple[float, float]]:
    """The congestion window over time: pairs of time in s and window in segments."""
    world = airfair.World(SCENARIO, traces="cwnd", **parameters)
    if doubles is not None:
        world.run_until(doubles)
        world.set("rate", "100 Mb/s")
    world.run_until(world.end)
    series = world.record().series.to_pydict()
    return list(zip(series["time_s"], series["value"], strict=True))


def ranges() -> Table:
    """A table of ns-3's ranges of the window, and of AirFair's."""
    made = Table("CUBIC's window, segments", ["ns-3's run", "time, s", "ns-3 allows", "AirFair", "within"])
    for case in CASES:
        series = window(case.parameters, case.doubles)
        for begin, end, low, high in case.ranges:
            seen = [value for time, value in series if begin <= time <= end]
            within = low <= min(seen) and max(seen) <= high
            found = f"{min(seen):g} to {max(seen):g}"
            row = [case.title, f"{begin:g} to {end:g}", f"{low:g} to {high:g}", found, "yes" if within else "no"]
            made.rows.append(row)
    return made


def peaks() -> Table:
    """A table of the peaks of ns-3's window, and of AirFair's."""
    made = Table("CUBIC's peaks, segments", ["between, s", "ns-3's peak", "at, s", "AirFair's", "at, s", "difference"])
    late = VALIDATION_START - START
    series = [(time + late, value) for time, value in window(VALIDATION)]
    for begin, end, at, value in PEAKS:
        ours, when = max((value, time) for time, value in series if begin <= time < end)
        row = [f"{begin:g} and {end:g}", f"{value}", f"{at:.2f}", f"{ours:g}", f"{when:.2f}"]
        made.rows.append([*row, percent(ours - value, value)])
    return made


def main() -> int:
    """Show the tables, and with `--write` put them into the documents."""
    arguments = options.parser("cubic", __doc__).parse_args()
    tables = {"cubic-ranges": ranges(), "cubic-peaks": peaks()}
    for name, table in tables.items():
        table.show(Console())
        if arguments.write:
            overview.write({name: f"{options.dated()}\n\n{table.markdown('---:')}"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
