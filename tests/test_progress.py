"""The progress of a sweep, in a log and in a terminal."""

import io
import itertools

from rich.console import Console

from airfair import console
from airfair.catalogue.units import pace
from airfair.sweeps import progress


def test_the_pace_of_slow_and_of_fast_runs():
    assert [pace(rate, "runs") for rate in (250.0, 1.0, 0.5, 1 / 60, 0.01, 1 / 7200)] == [
        *("250.0 runs/s", "1.0 runs/s", "30.0 runs/min", "1.0 runs/min", "36.0 runs/h", "0.5 runs/h")
    ]


def test_a_log_has_a_line_for_long_runs(monkeypatch, capsys):
    clock = itertools.count(0, 600)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    told = progress._log("mine", "runs")
    for done in (0, 1, 2):
        told.update(done, 0, 10)
    assert capsys.readouterr().err.splitlines() == [
        "mine: 0 of 10 runs",
        "mine: 1 of 10 runs, 3.0 runs/h, 3.0 h left",
        "mine: 2 of 10 runs, 4.0 runs/h, 2.0 h left",
    ]


def test_a_bar_tells_the_time_left_of_long_runs(monkeypatch):
    now = 0.0
    shown = io.StringIO()
    terminal = Console(file=shown, force_terminal=True, width=120, color_system=None)
    terminal.get_time = lambda: now
    monkeypatch.setattr(console.err, "rich", terminal)
    monkeypatch.setattr(console, "_is_watched", lambda: True)
    with console.progress("mine") as bar:
        for done in range(5):
            now += 600
            bar(done, 0, 1000)
    assert "6.0 runs/h 166:00:00" in shown.getvalue()
