"""`python -m fidelity.padhye`: AirFair's TCP under random loss against the model of Padhye et al.

The runs are those of the program in fidelity/padhye, which needs Rust's `cargo`.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from itertools import groupby

from rich.console import Console

from fidelity.references import HERE
from fidelity.report import DOCUMENT, Table, percent, update

SHOWN = {
    "reno": "Reno",
    "newreno": "NewReno",
    "sack": "SACK",
    "reno_rest_of_round": "Reno, rest of round lost",
    "sack_rest_of_round": "SACK, rest of round lost",
}
FIGURE = DOCUMENT.parent / "figures" / "padhye.svg"

Rates = list[dict[str, float]]


def main() -> int:
    """Run, show, and with `--write` put table and figure into the documents."""
    parser = argparse.ArgumentParser(prog="python -m fidelity.padhye", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/fidelity.md and its figure")
    arguments = parser.parse_args()
    if shutil.which("cargo") is None:
        print("cargo is not installed: https://rustup.rs", file=sys.stderr)
        return 2
    rates = measure()
    tables = [table(max_window, list(rows)) for max_window, rows in groupby(rates, lambda r: r["max_window"])]
    for one in tables:
        one.show(Console())
    if arguments.write:
        text = "\n\n".join(f"{one.title}:\n\n{one.markdown()}" for one in tables)
        picture = "![Send rate against loss](figures/padhye.svg)"
        update(DOCUMENT, "padhye", f"{datetime.now(UTC).date().isoformat()}.\n\n{text}\n\n{picture}")
        draw(rates)
    return 0


def measure() -> Rates:
    """Send rates in segments per second, for each receiver's window and loss probability."""
    command = ["cargo", "run", "--quiet", "--release", "--package", "airfair-padhye"]
    run = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True)
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(run.stdout.splitlines())]


def table(max_window: float, rows: Rates) -> Table:
    """The model, and how far each TCP is from it."""
    shown = Table(f"Receiver's window of {max_window:g} segments", ["loss", "model, segments/s", *SHOWN.values()])
    for row in rows:
        cells = [f"{row[name]:.4g} ({percent(row[name] - row['model'], row['model'])})" for name in SHOWN]
        shown.rows.append([f"{row['loss']:.2%}".replace("%", " %"), f"{row['model']:.4g}", *cells])
    return shown


def draw(rates: Rates) -> None:
    """Send rates over loss, both axes logarithmic, one panel for each receiver's window."""
    import altair as alt
    import polars as pl

    names = {"model": "model", **SHOWN}
    data = (
        pl.DataFrame(rates)
        .unpivot(list(names), index=["max_window", "loss"], variable_name="tcp", value_name="rate")
        .with_columns(pl.col("tcp").replace(names), window=pl.format("window {}", pl.col("max_window").cast(int)))
    )
    chart = (
        alt.Chart(data)
        .mark_line(point=True)
        .encode(
            alt.X("loss:Q", title="loss probability").scale(type="log"),
            alt.Y("rate:Q", title="segments sent per second").scale(type="log"),
            alt.Color("tcp:N", title=None, sort=list(names.values())),
            alt.StrokeDash("tcp:N", title=None, sort=list(names.values())),
            alt.Column("window:N", title=None, sort="descending"),
        )
        .properties(width=300, height=260)
    )
    FIGURE.parent.mkdir(exist_ok=True)
    chart.save(FIGURE)


if __name__ == "__main__":
    sys.exit(main())
