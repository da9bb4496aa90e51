"""`--dry-run`, and the warning before hours of work."""

import json

import pytest
from conftest import SHORT

from airfair import _engine
from airfair.runs import cost
from airfair.runs.executor import Point
from airfair.sweeps.asked import Changes, changed, read
from airfair.sweeps.plan import plan
from airfair.sweeps.runner import first_points

GRID = ["sweep", "jung/mixed", *SHORT, "--over", "stations=2,4", "--over", "tcp=reno,vegas"]


@pytest.mark.parametrize(
    ("command", "runs", "bound"),
    [
        (["run", "jung/mixed", "--seeds", "7"], 7, "fixed"),
        ([*GRID, "--seeds", "3"], 12, "fixed"),
        ([*GRID, "--until-ci", "throughput_total=1%"], 12, "at least"),
        (["optimize", "jung/mixed", "--over", "max_window=2..20", "--maximize", "throughput_total"], 190, "fixed"),
        (
            [
                "optimize",
                "jung/mixed",
                "--over",
                "max_window=2..20",
                "--maximize",
                "jain_persistent",
                "--evaluations",
                "5",
            ],
            50,
            "at most",
        ),
    ],
)
def test_runs_are_counted_and_nothing_is_written(answer, tmp_path, command, runs, bound):
    told = answer(*command, "--dry-run")
    assert (told["runs"], told["stored"], told["to_compute"], told["bound"]) == (runs, 0, runs, bound)
    assert told["seconds"] == pytest.approx(told["seconds_per_run"] * runs / min(told["jobs"], runs))
    assert list(tmp_path.iterdir()) == []


def test_a_study_is_counted(answer, tmp_path):
    told = answer("reproduce", "fall-floyd", "--dry-run", "--quick")
    assert told["runs"] > 0 and told["seconds"] > 0 and list(tmp_path.iterdir()) == []


def test_stored_runs_are_not_computed_again(airfair, answer, tmp_path):
    assert airfair(*GRID, "--out", "d").returncode == 0
    before = sorted((path.name, path.stat().st_mtime_ns) for path in (tmp_path / "d").rglob("*"))
    told = answer("sweep", "d", "--dry-run")
    assert (told["runs"], told["stored"], told["seconds"]) == (4, 4, 0)
    wider = answer(*GRID, "--over", "queue=10,50", "--out", "d", "--dry-run")
    assert (wider["runs"], wider["stored"]) == (8, 4)
    assert (
        "8 runs: 4 stored, 4 to compute; about "
        in airfair(*GRID, "--over", "queue=10,50", "--out", "d", "--dry-run").stdout
    )
    assert sorted((path.name, path.stat().st_mtime_ns) for path in (tmp_path / "d").rglob("*")) == before


def test_the_plain_engine_computes_all_again(airfair, answer):
    airfair(*GRID, "--out", "d")
    assert answer("sweep", "d", "--dry-run", "--engine", "plain")["stored"] == 0


def test_bad_input_is_refused_all_the_same(airfair):
    assert airfair("run", "jung/mixed", "--dry-run", "--set", "tcp=cubik").returncode == 2


def test_users_alone_are_counted_beside_the_runs(airfair, answer, tmp_path):
    measured = ["run", "jung/mixed", "--set", "fair_share=measured", "--set", "duration=2000 s"]
    told = answer(*measured, "--seeds", "2", "--dry-run")
    assert (told["runs"], told["alone"]) == (2, 4 * 3)
    given = answer(*measured[:3], "fair_share=paper", *measured[4:], "--seeds", "2", "--dry-run")
    assert given["alone"] == 0 and given["seconds_alone"] is None
    # The runs themselves take the same time, not that of measuring; machines are never quiet.
    assert told["seconds_per_run"] < 10 * given["seconds_per_run"]
    jobs = told["jobs"]
    first, then = told["seconds_alone"] * 12 / min(12, jobs), told["seconds_per_run"] * 2 / min(2, jobs)
    assert told["seconds"] == pytest.approx(first + then)
    assert "2 runs to compute after 12 runs of users alone" in airfair(*measured, "--seeds", "2", "--dry-run").stdout


def test_stored_users_alone_are_not_counted(airfair, answer):
    measured = ["sweep", "jung/mixed", *SHORT, "--set", "fair_share=measured", "--over", "tcp=reno,vegas", "--out", "d"]
    assert answer(*measured, "--dry-run")["alone"] == 24
    airfair(*measured)
    assert answer(*measured, "--over", "session_bytes=5kB,10kB", "--dry-run")["alone"] == 0
    wider = answer(*measured, "--over", "stations=2,4", "--dry-run")
    assert (wider["runs"], wider["stored"], wider["alone"]) == (4, 2, 12)


def test_hours_of_measuring_are_announced(capsys, monkeypatch):
    scenario = _engine.Scenario.load("jung/mixed", [("fair_share", "measured"), ("stations", "200")])
    cost.warn_of_hours([Point(scenario, 1)], None, 1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(cost, "_LONG", 1.0)
    cost.warn_of_hours([Point(scenario, 1)], None, 1)
    assert "after 600 runs of users alone" in capsys.readouterr().err


def test_the_estimate_has_points_of_each_scenario(monkeypatch):
    points = [Point(_engine.Scenario.load(name, []), seed) for name in ("lee/path", "jung/mixed") for seed in range(6)]
    monkeypatch.setattr(cost, "seconds_of", lambda point: 3.0 if point.scenario.name == "jung/mixed" else 1.0)
    assert cost.cost(points[:9], None, 1).seconds == 6 * 1 + 3 * 3


def test_the_estimate_grows_with_the_run():
    short, long = (
        cost.seconds_of(Point(_engine.Scenario.load("jung/mixed", [("duration", f"{length} s")]), 1))
        for length in (1e5, 1e7)
    )
    assert long > 10 * short > 1  # a hundredfold; machines are never quiet


def test_a_run_that_cannot_be_shortened_has_no_estimate(tmp_path):
    class Refusing:
        name, metrics = "refusing", ()

        class recipe:  # noqa: N801
            @staticmethod
            def load():
                raise _engine.InputError("no")

        def key(self, seed):
            return str(seed)

    found = cost.cost([Point(Refusing(), 1)], None, 1)
    assert found.seconds is None and str(found) == "1 run to compute"


def test_hours_of_work_are_announced(capsys):
    scenario = _engine.Scenario.load("jung/mixed", [("duration", "100000000 s")])
    cost.warn_of_hours([Point(scenario, 1)], None, 1)
    assert "1 run to compute; about " in capsys.readouterr().err
    little = _engine.Scenario.load("jung/mixed", [])
    assert cost.warn_of_hours([Point(little, 1)], None, 1) is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("name", "values"), [("duration", "100 s..1e5 s:x10"), ("stations", "2,64,128,256")])
def test_hours_of_a_sweep_that_begins_with_short_runs_are_announced(monkeypatch, capsys, name, values):
    monkeypatch.setattr(cost, "seconds_of", lambda point: cost._size(point).work)
    monkeypatch.setattr(cost, "_LONG", 36_000)
    points = first_points(plan(changed(read("jung/mixed").sweep, Changes(over={name: (values,)}))))
    cost.warn_of_hours(points[:1], None, 1)
    assert capsys.readouterr().err == ""
    cost.warn_of_hours(points, None, 1)
    assert "4 runs to compute; about " in capsys.readouterr().err


def test_json_holds_the_cost_alone(airfair):
    shown = airfair("run", "jung/mixed", "--dry-run", "--json", "--out", "d")
    assert json.loads(shown.stdout)["dry_run"] is True and shown.stderr == ""
