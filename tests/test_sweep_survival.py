"""Sweeps lose no finished point when killed or interrupted, or when the disk is full, read-only, in use or damaged."""

import json
import random
import re
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest
from conftest import ENDLESS, call, dying, limited, needs_proc, rest_of, start, stop_twice, until
from sweeping import OUTAGES, TINY_OPTIONS, change, last_command, points, results, tables

#: Sixty runs of a few milliseconds.
SWEEP = ["sweep", "jung/mixed", "--over", "stations=2..16:2", "--over", "tcp=reno,vegas", "--seeds", "4"]
WIDE = [*SWEEP, *TINY_OPTIONS, "--out", "out"]
#: Four runs.
SMALL = ["sweep", "jung/mixed", "--over", "stations=2,4", "--seeds", "2", *TINY_OPTIONS, "--out", "out"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The sweeps without interruption."""
    directory = tmp_path_factory.mktemp("whole")
    for name, arguments in (("wide", WIDE), ("small", SMALL)):
        (directory / name).mkdir()
        ran = call(*arguments, cwd=directory / name)
        assert ran.returncode == 0, ran.stderr
    return {name: directory / name / "out" for name in ("wide", "small")}


def killed_and_resumed(directory: Path, kills: int, whole: Path, moments: random.Random) -> None:
    """Kill a sweep `kills` times at random moments, each time after some progress; then let it end."""
    out = directory / "out"
    kept: dict = {}
    while kills:
        process = start(*WIDE, cwd=directory)
        wanted = len(kept) + moments.randrange(3)
        if until(lambda wanted=wanted: len(points(out)) >= wanted, process):
            time.sleep(moments.random() * 0.05)
        if process.poll() is None:
            kills -= 1
        process.kill()
        rest_of(process)
        now = points(out)
        assert kept.items() <= now.items(), "finished points were computed again"
        if (out / "sweep.json").exists():  # the sweep has ended: start again
            shutil.rmtree(out)
            now = {}
        kept = now
    ran = call(*WIDE, cwd=directory)
    assert ran.returncode == 0, ran.stderr
    assert last_command(out)["reused"] == len(kept) and last_command(out)["computed"] == 64 - len(kept)
    assert kept.items() <= points(out).items()
    assert tables(out) == tables(whole)


def test_a_sweep_that_is_killed_ten_times(tmp_path, whole):
    killed_and_resumed(tmp_path, 10, whole["wide"], random.Random(1))


@pytest.mark.long
def test_a_sweep_that_is_killed_fifty_times(tmp_path, whole):
    killed_and_resumed(tmp_path, 50, whole["wide"], random.Random(2))


#: Every file that a sweep writes, in the order of the writes; the number distinguishes the first write from the second.
WRITES = [
    ("sweep.toml", 1),
    ("manifest.json", 1),
    ("*.segment", 1),
    ("*.segment", 2),
    ("results.parquet", 1),
    ("sessions.parquet", 1),
    ("failures.parquet", 1),
    ("timings.parquet", 1),
    ("manifest.json", 2),
    ("sweep.json", 1),
]


@pytest.mark.parametrize("stage", ["torn", "written", "named"])
def test_a_sweep_that_is_killed_at_each_write(tmp_path, whole, stage):
    """Each command continues the one before, and is killed at a later write."""
    out = tmp_path / "out"
    kept: dict = {}
    for file, count in WRITES:
        died = dying(stage, file, count, *SMALL, "--jobs", "1", cwd=tmp_path)
        assert died.returncode == -signal.SIGKILL, (file, died.stderr)
        assert kept.items() <= points(out).items(), file
        kept = points(out)
    assert len(kept) == 4
    ran = call(*SMALL, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert last_command(out)["computed"] == 0
    assert tables(out) == tables(whole["small"])
    assert not list(out.glob("*.tmp"))


def test_ctrl_c_finishes_current_runs_and_prints_how_to_continue(tmp_path, whole):
    out = tmp_path / "out"
    ended = dying("interrupted", "*.segment", 3, *WIDE, "--jobs", "2", cwd=tmp_path)
    assert ended.returncode == 130 and ended.stdout == "" and "Traceback" not in ended.stderr
    again = re.search(r"Continue with: airfair (.*)", ended.stderr)
    assert again, ended.stderr
    kept = points(out)
    assert results(out).height == len(kept) and 3 <= len(kept) < 64
    assert f"kept in out: {len(kept)} runs." in ended.stderr
    assert call(*again[1].split(), cwd=tmp_path).returncode == 0
    assert last_command(out)["reused"] == len(kept) and tables(out) == tables(whole["wide"])


@needs_proc
def test_a_second_ctrl_c_stops_at_once(tmp_path):
    arguments = ["--over", "stations=2,4,6", *ENDLESS, "--jobs", "2", "--out", "out"]
    process = start("sweep", "jung/mixed", *arguments, cwd=tmp_path)
    said = stop_twice(process)
    assert process.returncode == 130 and "Traceback" not in said
    assert points(tmp_path / "out") == {} and "kept in out: 0 runs." in said


def test_two_sweeps_into_one_directory(tmp_path):
    arguments = ["sweep", "jung/mixed", "--over", "stations=2", *ENDLESS, "--out", "out"]
    first = start(*arguments, cwd=tmp_path)
    assert until((tmp_path / "out" / "manifest.json").exists, first)
    second = call(*arguments, cwd=tmp_path)
    first.kill()
    rest_of(first)
    assert second.returncode == 2 and second.stdout == ""
    assert f"another airfair (process {first.pid}) is writing there" in second.stderr


def test_a_damaged_result_is_found_computed_again_and_told(tmp_path, whole):
    out = shutil.copytree(whole["small"], tmp_path / "out")
    first, second, *rest = sorted(points(out))
    change(out, first, lambda contents: contents[:100] + bytes([contents[100] ^ 0xFF]) + contents[101:])
    change(out, second, lambda contents: b"")
    kept = {key: points(out)[key] for key in rest}
    ran = call(*SMALL, cwd=tmp_path)
    assert ran.returncode == 0 and "2 damaged results" in ran.stderr
    assert last_command(out)["computed"] == 2 and last_command(out)["damaged_files"] == 2
    assert kept.items() <= points(out).items()
    assert tables(out) == tables(whole["small"])


def test_a_full_disk(tmp_path):
    """The limit rises with each call, so that each time another file does not fit."""
    (tmp_path / "mine.toml").write_text(OUTAGES)
    arguments = ["sweep", "mine.toml", "--over", "down=100..300 ms:50 ms", "--seeds", "2"]
    assert call(*arguments, "--out", "whole", cwd=tmp_path).returncode == 0
    sizes = {path.stat().st_size for path in (tmp_path / "whole").rglob("*.*") if path.is_file()}
    out = tmp_path / "out"
    failed = 0
    for size in [*sorted(sizes)[::2], resource.RLIM_INFINITY]:
        kept = points(out)
        ran = call(*arguments, "--out", "out", cwd=tmp_path, preexec_fn=limited(size))
        assert kept.items() <= points(out).items()
        if ran.returncode == 0:
            break
        failed += 1
        assert ran.returncode == 1 and ran.stdout == "", ran.stderr
        assert "cannot write" in ran.stderr and "`airfair sweep out` continues" in ran.stderr
        assert "Traceback" not in ran.stderr
        assert not list(out.rglob("*.tmp"))
    assert failed >= 3 and ran.returncode == 0
    assert tables(out) == tables(tmp_path / "whole")


def test_an_output_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for place in ("file/out", "/proc/out"):
        refused = call("sweep", "jung/mixed", "--over", "stations=2", "--out", place, cwd=tmp_path)
        assert refused.returncode == 2 and "cannot write there" in refused.stderr
        assert refused.stdout == "" and "Traceback" not in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_logs_are_plain_lines(tmp_path, monkeypatch):
    monkeypatch.setenv("CI", "true")
    ran = call(*SMALL, "--json", cwd=tmp_path)
    assert ran.stderr == "" and json.loads(ran.stdout)["runs"] == 4
