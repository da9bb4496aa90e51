"""Untrusted input: files of a sweep's directory, and arguments of the engine."""

import gzip
import hashlib
import json
import os
import shutil
import signal
from pathlib import Path

import polars
import pytest
from conftest import call, computing, needs_proc, rest_of, start, until
from sweeping import TINY, change, earlier, points

import airfair as af
from airfair import _engine
from airfair.runs.executor import execute
from airfair.runs.workers import Point
from airfair.store import entries
from airfair.store.files import Folder
from airfair.store.record import Record
from airfair.store.store import DamagedError, Store
from airfair.sweeps import sql


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A finished sweep."""
    directory = tmp_path_factory.mktemp("whole") / "sweep"
    af.sweep("jung/mixed", over={"stations": [2, 4]}, seeds=2, out=directory, **TINY)
    return directory


@pytest.fixture
def copy(swept, tmp_path):
    """A copy of the sweep, for the test to damage."""
    return Path(shutil.copytree(swept, tmp_path / "copy"))


def forged(directory: Path, head=None, outcome=None, text=None) -> None:
    """Replace values in an entry and correct its digest."""

    def forge(contents: bytes) -> bytes:
        first, second, _ = gzip.decompress(contents).decode().split("\n")
        second = text if text is not None else json.dumps(json.loads(second) | (outcome or {}))
        facts = json.loads(first) | {"sha256": hashlib.sha256(second.encode()).hexdigest()}
        first = head if isinstance(head, str) else json.dumps(facts | (head or {}))
        return gzip.compress(f"{first}\n{second}\n".encode())

    change(directory, min(points(directory)), forge)


FORGERIES = {
    "a nested head": {"head": "[" * 100_000},
    "a short nested head": {"head": "[" * 3000},
    "seconds in words": {"head": {"origin": {"seconds": "soon", "host": "a", "finished": "b"}}},
    "seconds without end": {"head": {"origin": {"seconds": float("inf"), "host": "a", "finished": "b"}}},
    "more seconds than a float holds": {"head": {"origin": {"seconds": 10**400, "host": "a", "finished": "b"}}},
    "half a surrogate pair": {"head": {"origin": {"seconds": 1.0, "host": "\ud800", "finished": "b"}}},
    "an origin with more": {"head": {"origin": {"seconds": 1.0, "host": "a", "finished": "b", "more": 1}}},
    "a host that is not a text": {"head": {"origin": {"seconds": 1.0, "host": ["a"], "finished": "b"}}},
    "half a version": {"head": {"model_version": 2.5}},
    "a version in words": {"head": {"model_version": "3"}},
    "true as a version": {"head": {"model_version": True}},
    "a list": {"head": "[1]"},
    "a nested outcome": {"text": "[" * 100_000},
    "another seed": {"outcome": {"seed": 77}},
    "a metric nobody knows": {"outcome": {"metrics": [{"name": "\x1b[2J", "value": 1.0}]}},
    "columns that differ": {
        "outcome": {"series": [{"quantity": "cwnd", "unit": "s", "subject": "f", "time": [1.0], "value": []}]}
    },
}


@pytest.mark.parametrize("case", FORGERIES)
def test_a_forged_entry_is_computed_again(copy, case):
    before = (copy / "results.parquet").read_bytes()
    forged(copy, **FORGERIES[case])
    result = af.sweep(copy / "sweep.toml", out=copy)
    assert result._ran.execution.damaged == 1
    assert result._ran.execution.computed == 1
    assert (copy / "results.parquet").read_bytes() == before


def test_a_manifest_that_no_utf8_can_hold_counts_as_damaged(copy):
    before = (copy / "manifest.json").read_bytes()
    document = json.loads(before) | {"note": "\ud800"}
    files = document.pop("files")
    document["sha256"] = hashlib.sha256(
        json.dumps(
            [{name: fact for name, fact in document.items() if name != "sha256"}, files], sort_keys=True
        ).encode()
    ).hexdigest()
    (copy / "manifest.json").write_text(json.dumps(document | {"files": files}))
    assert Record.of(Folder(copy)).damaged
    continued = call("sweep", str(copy))
    assert (continued.returncode, continued.stderr) == (0, "")
    assert Record.of(Folder(copy)).sound


def test_an_entry_that_lacks_metrics_is_computed_again(copy):
    before = (copy / "results.parquet").read_bytes()
    forged(copy, outcome={"metrics": []})
    result = af.sweep(copy / "sweep.toml", out=copy)
    assert result._ran.execution.computed == 1
    assert (copy / "results.parquet").read_bytes() == before


def test_an_entry_that_unpacks_to_too_much_is_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MOST_BYTES", 100_000)
    store = Store(tmp_path)
    store.append({"ab" * 32: gzip.compress(b" " * 10_000_000)})
    with pytest.raises(DamagedError, match="too long"):
        store.entry("ab" * 32)


def test_an_outcome_beyond_the_limit_fails_its_point_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MOST_BYTES", 20_000)
    small = _engine.Scenario.load("jung/mixed", [("duration", "10 s"), ("warmup", "5 s"), ("stations", "2")])
    large = _engine.Scenario.load("jung/mixed", [("duration", "10 s"), ("warmup", "5 s"), ("stations", "20")])
    wanted = [Point(large, 1), Point(small, 1)]
    execution = execute(wanted, store=Store(tmp_path), jobs=1)
    assert [failure.point for failure in execution.failures] == wanted[:1]
    assert "20,000 can be stored" in execution.failures[0].reason
    assert list(execution.outcomes) == wanted[1:]


@pytest.mark.parametrize("file", ["points", "segment", "sweep.toml"])
def test_links_and_pipes_are_not_read(copy, tmp_path, file):
    secret = tmp_path / "secret"
    if file == "points":
        earlier(copy)
    pattern = {"points": "points/*/*.json.gz", "segment": "points/*.segment"}.get(file, file)
    path = next(copy.glob(pattern))
    shutil.copy(path, secret)
    path.unlink()
    path.symlink_to(secret)
    if file == "segment":
        assert list(Store(copy)) == []
        assert call("cache", str(copy), "--verify").returncode == 1
        path.unlink()
        os.mkfifo(path)
        assert list(Store(copy)) == []
    elif file == "points":
        with pytest.raises(DamagedError, match="link"):
            Store(copy).entry(path.name.removesuffix(".json.gz"))
        path.unlink()
        os.mkfifo(path)
        with pytest.raises(DamagedError, match="not a regular file"):
            Store(copy).entry(path.name.removesuffix(".json.gz"))
    else:
        with pytest.raises(af.InputError, match="link"):
            af.sweep(copy / "sweep.toml", out=copy)


CROSS = "(SELECT sum(b.range * c.range) FROM range(100000) b, range(100000) c, range(1000) d) > seed"
NESTED = "list_sum(list_transform(range(100000000), lambda x: x + seed)) > 0"


@needs_proc
@pytest.mark.parametrize("where", [CROSS, NESTED])
@pytest.mark.parametrize(("cause", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_signal_ends_any_query_and_its_temporary_files(swept, tmp_path, monkeypatch, where, cause, word):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process = start("results", str(swept), "--where", where, cwd=tmp_path)
    assert until(lambda: computing(process), process)
    process.send_signal(cause)
    _, said = rest_of(process)  # the query would take hours
    assert process.returncode == 128 + cause, said
    assert said.strip() == word and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["./.tmp/secret.csv", "secret.csv", "/etc/passwd", "https://localhost/a.csv", "*.csv"])
def test_sql_reads_nothing_but_the_table(swept, tmp_path, path):
    (tmp_path / ".tmp").mkdir()
    (tmp_path / ".tmp" / "secret.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    finished = call("results", str(swept), "--where", f"(SELECT count(*) FROM read_csv('{path}')) > 0", cwd=tmp_path)
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: SQL: ")
    assert len(finished.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT a.range FROM range(20000000) a", "more than 1,000 rows"),
        ("SELECT list(a.range || repeat('x', 1000)) FROM range(100000000) a", "takes more than"),
    ],
)
def test_a_query_is_bounded(monkeypatch, query, words):
    monkeypatch.setattr(sql, "ROWS", 1000)
    monkeypatch.setattr(sql, "MEMORY", "100MB")
    monkeypatch.setattr(sql, "SPILL", "10MB")
    with pytest.raises(af.InputError, match=words):
        sql.answer("results", polars.DataFrame({"a": [1]}), query)


def test_an_answer_keeps_its_order():
    found = sql.answer("t", polars.DataFrame({"a": range(100_000)}), "SELECT a FROM t ORDER BY a DESC")
    assert found["a"].to_list() == list(range(99_999, -1, -1))


def test_recomputing_tells_a_forged_result(copy, tmp_path):
    finished = call("cache", str(copy), "--recompute", "10", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert "4 results" in finished.stdout and "the same bytes" in finished.stdout
    outcome = json.loads(Store(copy).entry(min(points(copy))).outcome)
    metric = next(metric for metric in outcome["metrics"] if metric["value"] is not None)
    metric["value"] += 1
    forged(copy, outcome=outcome)
    finished = call("cache", str(copy), "--recompute", "10", "--json", cwd=tmp_path)
    assert finished.returncode == 1
    found = json.loads(finished.stdout)["recomputed"]
    assert (found["runs"], len(found["different"]), found["failed"]) == (4, 1, [])
    other = call("cache", str(copy), "--recompute", "10", "--json", "--engine", "plain", cwd=tmp_path)
    assert json.loads(other.stdout)["recomputed"] == found
    one = call("cache", str(copy), "--recompute", "1", "--json", "--seed", "7", cwd=tmp_path)
    assert json.loads(one.stdout)["recomputed"]["runs"] == 1


def test_recomputing_needs_a_sweep(tmp_path):
    finished = call("cache", ".", "--recompute", "1", cwd=tmp_path)
    assert finished.returncode == 2
    assert "it holds no sweep" in finished.stderr


def test_a_trace_that_fills_the_memory_ends_with_one_line(tmp_path):
    finished = call("run", "jung/mixed", "--set", "duration=1e9 s", "--trace", "queue,acked,cwnd,air", cwd=tmp_path)
    assert finished.returncode == 1
    [line] = [line for line in finished.stderr.splitlines() if line.startswith("failed")]
    assert "samples over time" in line
