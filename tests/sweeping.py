"""Helpers of the tests of sweeps."""

import json
from pathlib import Path

import polars

#: Parameters for runs of a few milliseconds.
TINY = {"duration": "10 s", "warmup": "5 s"}
TINY_OPTIONS = ["--set", "duration=10 s", "--set", "warmup=5 s"]
#: The tables that do not depend on when, where and in how many pieces a sweep runs.
SAME = ("results.parquet", "sessions.parquet", "failures.parquet")

#: Two hosts and a link with periodic outages. An outage as long as the period is refused.
OUTAGES = """\
run.duration = "2 s"
node = [{ name = "a" }, { name = "b" }]
flow = [{ name = "f", from = "a", to = "b" }]
tcp = { segment_bytes = "1000 B", header_bytes = "40 B" }
[parameters]
down = { unit = "s", default = "100 ms" }
period = { unit = "s", default = "1 s" }
start = { unit = "s", default = "0 s" }
[[link]]
from = "a"
to = "b"
rate = "1 Mb/s"
delay = "1 ms"
outage = { duration = "down", repeat = "periodic", period = "period", start = "start", direction = "forward" }
"""


def tables(directory: Path) -> dict[str, bytes]:
    """The bytes of the tables in `SAME`."""
    return {name: (directory / name).read_bytes() for name in SAME}


def points(directory: Path) -> dict[Path, tuple[int, int]]:
    """The stored outcomes, each with its time stamp and inode, which change when the file is written again."""
    return {
        path.relative_to(directory): (path.stat().st_mtime_ns, path.stat().st_ino)
        for path in directory.glob("points/*/*.json.gz")
    }


def results(directory: Path) -> polars.DataFrame:
    """One row for each point and seed."""
    return polars.read_parquet(directory / "results.parquet")


def last_command(directory: Path) -> dict:
    """The last command in the manifest."""
    return json.loads((directory / "manifest.json").read_text())["commands"][-1]
