"""`python -m fidelity.kernel_window`: windows over time, the running kernel's with AirFair's laid over them.

It draws docs/images/kernel-window.png from the recorded windows; `--record` records them anew.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import altair as alt

import airfair
from airfair.theme import INK, PALETTE
from fidelity import figure, kernel, linux
from fidelity.kernel import Cell
from fidelity.references import REFERENCES

FILE = REFERENCES / "kernel_window.csv"
#: Length of a run, and the interval of recorded windows, in s.
DURATION, STEP = 25, 0.05
CELLS = {control: Cell(control, 20, 40, 100) for control in kernel.CONTROLS}


def record() -> None:
    """Run the kernel, and write its windows to `FILE`."""
    with FILE.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["control", "t", "cwnd"])
        for control, cell in CELLS.items():
            flow = {"control": control, "start": 0, "writes": []}
            found = linux.run(kernel.link(cell, 1), [flow], DURATION)
            cwnd = found["columns"].index("cwnd")
            taken = [(row[0], row[cwnd]) for row in found["flows"][0]["rows"]]
            rows.writerows([control, f"{t:.2f}", value] for t, value in _thinned(taken))


def _thinned(series: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The last value of each interval of `STEP`, with the start of the interval."""
    steps = {int(t / STEP): value for t, value in series}
    return ((number * STEP, value) for number, value in steps.items())


def kernels() -> list[dict[str, object]]:
    """The recorded windows of the kernel, as rows of the figure."""
    with FILE.open(newline="") as file:
        return [
            {"panel": row["control"], "series": "Linux 6.18", "t": float(row["t"]), "cwnd": float(row["cwnd"])}
            for row in csv.DictReader(file)
        ]


def ours() -> list[dict[str, object]]:
    """AirFair's windows, as rows of the figure."""
    rows = []
    for control, cell in CELLS.items():
        parameters: dict[str, Any] = {**cell.parameters, "duration": f"{DURATION} s"}
        picture = airfair.timeline(cell.scenario, start="0 s", end=f"{DURATION} s", **parameters)
        window = picture.document["runs"][0]["windows"][0]
        series = _thinned(zip(window["time"], window["value"], strict=True))
        rows += [{"panel": control, "series": "AirFair", "t": t, "cwnd": cwnd} for t, cwnd in series]
    return rows


def main() -> int:
    """Record the kernel's windows if asked to, and draw the figure."""
    parser = argparse.ArgumentParser(prog="python -m fidelity.kernel_window", description=__doc__)
    parser.add_argument("--record", action="store_true", help="run the kernel, and record its windows")
    if parser.parse_args().record:
        if reason := linux.unavailable():
            print(reason, file=sys.stderr)
            return 2
        record()
    rows = [*kernels(), *ours()]
    figure.write("kernel-window", alt.vconcat(*(_panel(control, rows) for control in CELLS)))
    return 0


def _panel(control: str, rows: list[dict[str, object]]) -> Any:
    names = ["Linux 6.18", "AirFair"]
    colours = alt.Color("series:N", legend=None, scale=alt.Scale(domain=names, range=[PALETTE[1], INK]))
    widths = alt.StrokeWidth("series:N", legend=None, scale=alt.Scale(domain=names, range=[3, 1.2]))
    lines = (
        alt.Chart(alt.InlineData(values=[row for row in rows if row["panel"] == control and row["series"] == name]))
        .mark_line(interpolate="step-after")
        .encode(
            alt.X("t:Q", title="time, s", scale=alt.Scale(domain=[0, DURATION])),
            alt.Y("cwnd:Q", title="congestion window, segments"),
            colours,
            widths,
        )
        for name in names
    )
    titles = {"reno": "Reno", "cubic": "CUBIC", "bbr": "BBR"}
    return alt.layer(
        *lines,
        title=alt.Title(
            titles[control],
            subtitle="thick, blue: Linux 6.18; thin, dark: AirFair",
            anchor="start",
            color=INK,
            subtitleColor=INK,
        ),
    ).properties(width=640, height=170)


if __name__ == "__main__":
    sys.exit(main())
