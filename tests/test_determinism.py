"""The same scenario and seed give the same bytes, with any number of jobs and in both engines."""

import gzip
import hashlib
import json
import re

import pytest
from conftest import SHORT
from sweeping import change

from airfair.store.store import Store

pytestmark = pytest.mark.slow


def test_the_same_seed_twice(airfair):
    arguments = ["run", "jung/mixed", *SHORT, "--set", "tcp=vegas", "--json"]
    first, second = airfair(*arguments), airfair(*arguments)
    assert first.returncode == 0 and first.stdout == second.stdout
    assert airfair(*arguments, "--seed", "2").stdout != first.stdout


def test_one_job_and_two(airfair, tmp_path):
    arguments = ["run", "jung/mixed", *SHORT, "--seeds", "4", "--trace", "cwnd", "--json"]
    one = airfair(*arguments, "--jobs", "1", "--out", "one")
    two = airfair(*arguments, "--jobs", "2", "--out", "two")
    assert one.returncode == 0 and one.stdout == two.stdout
    written = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert "series.parquet" in written
    for name in written:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_both_engines(airfair, tmp_path):
    arguments = ["run", "jung/mixed", *SHORT, "--seeds", "2", "--trace", "cwnd,queue,air", "--json"]
    fast = airfair(*arguments, "--out", "fast")
    plain = airfair(*arguments, "--engine", "plain", "--out", "plain")
    assert fast.returncode == 0 and fast.stdout == plain.stdout
    for path in (tmp_path / "fast").glob("*.parquet"):
        assert path.read_bytes() == (tmp_path / "plain" / path.name).read_bytes(), path.name


RUNNING = {
    "run": ["run", "jung/mixed", *SHORT, "--seeds", "2"],
    "sweep": ["sweep", "jung/mixed", *SHORT, "--over", "stations=2,4"],
    "reproduce": ["reproduce", "jung", "--quick", "--figure", "restart", "--seeds", "1", *SHORT],
    "optimize": [
        "optimize",
        "jung/mixed",
        *SHORT,
        "--over",
        "stations=2,4",
        "--maximize",
        "throughput_total",
        "--seeds",
        "2",
    ],
}


@pytest.mark.parametrize("arguments", RUNNING.values(), ids=RUNNING)
def test_the_plain_engine_verifies_stored_results(airfair, tmp_path, arguments):
    arguments = [*arguments, "--json", "--out", "out"]
    fast = airfair(*arguments)
    assert fast.returncode == 0, fast.stderr
    stored = contents(tmp_path / "out")
    plain = airfair(*arguments, "--engine", "plain")
    assert (plain.returncode, plain.stdout) == (0, fast.stdout), plain.stderr
    assert contents(tmp_path / "out") == stored
    change(tmp_path / "out", min(stored), lambda packed: forged(packed, lambda outcome: outcome["sessions"].pop()))
    stored = contents(tmp_path / "out")
    assert airfair(*arguments).returncode == 0, "the default engine takes the stored result"
    differing = airfair(*arguments, "--engine", "plain")
    assert differing.returncode == 1
    assert len(re.findall(r"seed \d+: its result differs from the stored one", differing.stderr)) == 1
    assert contents(tmp_path / "out") == stored


def contents(directory):
    """The packed outcomes of a store."""
    store = Store(directory)
    return {key: store.contents(key) for key in store}


def forged(packed, do):
    """A changed outcome, and its digest with it."""
    head, outcome, _ = gzip.decompress(packed).decode().split("\n")
    held = json.loads(outcome)
    do(held)
    text = json.dumps(held)
    facts = json.loads(head) | {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    return gzip.compress(f"{json.dumps(facts)}\n{text}\n".encode())


def test_a_timeline_by_both_engines(airfair):
    arguments = ["timeline", "jung/mixed", *SHORT, "--json"]
    fast, plain = airfair(*arguments, "--out", "fast"), airfair(*arguments, "--engine", "plain", "--out", "plain")
    assert fast.returncode == 0, fast.stderr
    assert fast.stdout == plain.stdout


@pytest.mark.parametrize("arguments", [*RUNNING.values(), ["timeline", "jung/mixed"]], ids=[*RUNNING, "timeline"])
def test_an_unknown_engine(airfair, tmp_path, arguments):
    finished = airfair(*arguments, "--engine", "plane")
    assert finished.returncode == 2 and "engine `plane` is not known; there are fast and plain" in finished.stderr
    assert not list(tmp_path.iterdir())


def test_a_study_at_one_job_and_two(airfair):
    arguments = ["reproduce", "jung", "--quick", "--figure", "restart", "--seeds", "2", *SHORT, "--json"]
    one = airfair(*arguments, "--jobs", "1", "--out", "one")
    two = airfair(*arguments, "--jobs", "2", "--out", "two")
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
