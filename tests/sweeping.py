"""Helpers of the tests of sweeps."""

import json
from collections.abc import Callable
from pathlib import Path

import polars

from airfair.store import segments
from airfair.store.store import Store

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


def points(directory: Path) -> dict[str, str]:
    """The place of each stored outcome by key. The place changes when an outcome is computed again."""
    return {stored.key: stored.where for stored in Store(directory).each() if stored.key is not None}


def change(directory: Path, key: str, do: Callable[[bytes], bytes | None]) -> None:
    """Change the packed outcome with this key in its segment, and its length in the header; with `None` remove it."""
    for path in directory.glob("points/*.segment"):
        with path.open("rb") as file:
            entries = [(part.key, segments.contents(file, part.key, part.start)) for part in segments.parts(file)]
        changed = [(one, do(contents) if one == key else contents) for one, contents in entries]
        path.write_bytes(b"".join(segments.framed(*entry) for entry in changed if entry[1] is not None))


def remove(directory: Path) -> str:
    """Remove one of the stored outcomes; returns its key."""
    key = min(points(directory))
    change(directory, key, lambda _: None)
    return key


def earlier(directory: Path) -> None:
    """Store the outcomes as earlier versions did: each in a file of its own."""
    store = Store(directory)
    for key in store:
        path = directory / "points" / key[:2] / f"{key}.json.gz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(store.contents(key))
    for path in directory.glob("points/*.segment"):
        path.unlink()


def results(directory: Path) -> polars.DataFrame:
    """Read the table of results: one row for each point and seed."""
    return polars.read_parquet(directory / "results.parquet")


def last_command(directory: Path) -> dict:
    """The last command in the manifest."""
    return json.loads((directory / "manifest.json").read_text())["commands"][-1]
