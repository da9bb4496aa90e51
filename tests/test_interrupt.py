"""Runs that are stopped or killed."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import AIRFAIR, ENDLESS

STUDY = ["reproduce", "jung", "--quick", "--figure", "restart", "--jobs", "2", "--out", "out"]


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([AIRFAIR, *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(condition, process: subprocess.Popen[str], seconds: float = 60.0) -> None:
    """Wait until `condition`, as long as the process lives."""
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end
        time.sleep(0.02)


def results(directory: Path) -> dict[Path, tuple[int, bytes]]:
    return {
        path.relative_to(directory): (path.stat().st_mtime_ns, path.read_bytes())
        for path in directory.glob("out/points/*/*.json.gz")
    }


def computing(process: subprocess.Popen[str]) -> bool:
    """Whether the engine's threads are at work: more CPU time than start-up takes."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > 1.5


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")


@needs_proc
@pytest.mark.parametrize("seeds", ["1", "3"])
def test_ctrl_c_stops_a_run(tmp_path, seeds):
    process = start("run", "jung/mixed", *ENDLESS, "--seeds", seeds, "--out", "out", cwd=tmp_path)
    until(lambda: computing(process), process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    assert stdout == "" and "Traceback" not in stderr
    assert not (tmp_path / "out" / "run.json").exists()


def test_ctrl_c_lets_a_study_finish_what_runs_and_the_next_call_continues(tmp_path):
    process = start(*STUDY, cwd=tmp_path)
    until(lambda: len(results(tmp_path)) >= 3, process)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in stderr
    kept = results(tmp_path)
    assert not (tmp_path / "out" / "report.html").exists()
    finish(tmp_path, kept)


@needs_proc
def test_a_second_ctrl_c_stops_a_study_at_once(tmp_path):
    process = start(*STUDY, *ENDLESS, cwd=tmp_path)
    until(lambda: computing(process), process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130
    assert results(tmp_path) == {}


def test_a_killed_study_continues(tmp_path):
    process = start(*STUDY, cwd=tmp_path)
    until(lambda: len(results(tmp_path)) >= 3, process)
    process.kill()
    process.communicate(timeout=10)
    finish(tmp_path, results(tmp_path))


def finish(tmp_path: Path, kept: dict[Path, tuple[int, bytes]]) -> None:
    """Run the study to its end; what was kept is used, and what comes out is the same as without a break."""
    assert len(kept) >= 3
    again = subprocess.run(
        [AIRFAIR, *STUDY, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    everything = results(tmp_path)
    assert all(everything[path] == contents for path, contents in kept.items())
    assert len(everything) > len(kept)
    fresh = [*STUDY[:-1], "fresh", "--json"]
    whole = subprocess.run([AIRFAIR, *fresh], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(again.stdout) == json.loads(whole.stdout)
    assert re.search(r"<!doctype html>", (tmp_path / "out" / "report.html").read_text())
