"""Runs that are stopped or killed."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ENDLESS, call, computing, launch, needs_proc, patience, rest_of, start, stop_twice, until
from sweeping import points

pytestmark = pytest.mark.slow

STUDY = ["reproduce", "jung", "--quick", "--figure", "restart", "--jobs", "2", "--out", "out"]


def results(directory: Path) -> dict[str, str]:
    return points(directory / "out")


def stopped(cause: signal.Signals, *command: str, cwd: Path) -> str:
    """Stop an endless command by a signal, check its status and its empty stdout, and return its stderr."""
    process = start(*command, *ENDLESS, cwd=cwd)
    assert until(lambda: computing(process), process)
    process.send_signal(cause)
    stdout, stderr = rest_of(process)
    assert (process.returncode, stdout) == (128 + cause, "")
    return stderr


@needs_proc
@pytest.mark.parametrize("seeds", ["1", "3"])
def test_ctrl_c_stops_a_run(tmp_path, seeds):
    stderr = stopped(signal.SIGINT, "run", "jung/mixed", "--seeds", seeds, "--out", "out", cwd=tmp_path)
    assert "Traceback" not in stderr
    assert "interrupted" in stderr and ("the same command continues: out" in stderr) == (seeds == "3")
    assert not (tmp_path / "out" / "run.json").exists()


@needs_proc
@pytest.mark.parametrize(
    "command",
    [
        ["diff", "jung/mixed", "--set-b", "tcp=vegas", "--seeds", "2"],
        ["fair-share", "jung/mixed", "--set", "stations=200", "--seeds", "1000"],
    ],
)
def test_ctrl_c_stops_a_comparison_or_a_measurement_and_is_told(tmp_path, command):
    stderr = stopped(signal.SIGINT, *command, cwd=tmp_path)
    assert stderr.splitlines()[-1] == "interrupted"


@needs_proc
@pytest.mark.parametrize(
    "command",
    [
        ["run", "jung/mixed"],
        ["run", "jung/mixed", "--seeds", "3"],
        ["run", "jung/mixed", "--set", "fair_share=measured"],
        ["timeline", "jung/mixed", "--out", "out"],
        ["diff", "jung/mixed", "--set-b", "tcp=vegas", "--seeds", "2"],
    ],
)
def test_sigterm_is_told_and_leaves_no_output(tmp_path, command):
    stderr = stopped(signal.SIGTERM, *command, cwd=tmp_path)
    assert stderr.splitlines()[-1] == "terminated"
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} <= {".lock"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, Any]:
    """What the study answers that nobody stops."""
    finished = call(*STUDY, "--json", cwd=tmp_path_factory.mktemp("whole"))
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_ctrl_c_lets_a_study_finish_its_runs_and_the_next_call_continues(tmp_path, whole):
    process = start(*STUDY, cwd=tmp_path)
    assert until(lambda: len(results(tmp_path)) >= 3, process)
    process.send_signal(signal.SIGINT)
    _, stderr = rest_of(process)
    assert process.returncode == 130 and "Traceback" not in stderr
    kept = results(tmp_path)
    assert not (tmp_path / "out" / "report.html").exists()
    finish(tmp_path, kept, whole)


@needs_proc
def test_a_second_ctrl_c_stops_a_study_at_once(tmp_path):
    process = start(*STUDY, *ENDLESS, cwd=tmp_path)
    stop_twice(process)
    assert process.returncode == 130
    assert results(tmp_path) == {}


def test_a_killed_study_continues(tmp_path, whole):
    process = start(*STUDY, cwd=tmp_path)
    assert until(lambda: len(results(tmp_path)) >= 3, process)
    process.kill()
    rest_of(process)
    finish(tmp_path, results(tmp_path), whole)


def finish(tmp_path: Path, kept: dict[str, str], whole: dict[str, Any]) -> None:
    """Run the study to its end. It reuses stored results, and gives the same output as without interruption."""
    assert len(kept) >= 3
    again = call(*STUDY, "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    everything = results(tmp_path)
    assert kept.items() <= everything.items()
    assert len(everything) > len(kept)
    assert json.loads(again.stdout) == whole
    assert re.search(r"<!doctype html>", (tmp_path / "out" / "report.html").read_text())


LATE = """
from airfair import Scenario
from airfair._engine import scenario_text
from airfair.runs.executor import Point, execute
from airfair.sweeps.recipe import Recipe, check

def take(point, outcome, origin):
    import polars

short = Scenario.load("jung/mixed", [("duration", "10 s"), ("warmup", "1 s")])
endless = check(Recipe(scenario_text("jung/mixed"), "jung/mixed", (("duration", "1000000 s"),)))
points = [Point(short, 1), *(Point(endless, seed) for seed in range(1, 9))]  # two of them are taken together
told = lambda running: print("finishing", running, flush=True)
print(execute(points, jobs=1, take=take, finishing=told).status)
"""


@needs_proc
def test_ctrl_c_is_heard_when_polars_is_loaded_meanwhile():
    """Polars installs a SIGINT handler that lets an endless wait continue."""
    process = launch([sys.executable, "-c", LATE], stdout=subprocess.PIPE, text=True)
    assert until(lambda: computing(process), process)
    with patience(process):
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None and process.stdout.readline() == "finishing 1\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "130\n"
