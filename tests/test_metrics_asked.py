"""The choice of metrics by `--metrics`, and the runs needed to add a metric to a sweep."""

import json

import polars
import pytest
from sweeping import TINY, TINY_OPTIONS, last_command, points, results

import airfair as af
from airfair.runs.executor import Point, execute
from airfair.store.store import Store

SHORT = ["jung/mixed", "--set", "duration=10 s", "--set", "warmup=5 s"]
#: A metric that needs a record which runs keep only on request.
COSTLY = "time_to_fairness"


def test_run_reports_the_metrics_asked_for_in_their_order(airfair):
    shown = airfair("run", *SHORT, "--metrics", "jain, finish_time_delivered_median")
    assert [line.split()[0] for line in shown.stdout.splitlines()[2:]] == ["jain", "finish_time_delivered_median"]
    document = json.loads(airfair("run", *SHORT, "--metrics", "jain,finish_time_delivered_median", "--json").stdout)
    assert list(document["metrics"]) == ["jain", "finish_time_delivered_median"]
    usual = json.loads(airfair("run", *SHORT, "--json").stdout)["metrics"]
    assert "jain" not in usual and list(usual) == af.Scenario.load("jung/mixed").metrics


def test_all_metrics_are_those_of_the_registry_and_people_see_those_with_a_value(airfair):
    known = [entry["name"] for entry in af.metrics()]
    everything = json.loads(airfair("run", *SHORT, "--metrics", "all", "--json").stdout)["metrics"]
    assert list(everything) == known
    shown = airfair("run", *SHORT, "--metrics", "all").stdout
    names = {line.split()[0] for line in shown.splitlines() if line and line[0].isalpha()}
    assert "limiter_drop_rate" not in names and "collision_rate" in names
    assert "without a value here" in shown and "limiter_drop_rate" in shown


@pytest.mark.parametrize(
    ("metrics", "words"),
    [("jani", "did you mean `jain`?"), ("jain,jain", "listed twice"), ("all,jain", "`all` names all metrics")],
)
def test_unknown_metrics_are_refused(airfair, tmp_path, metrics, words):
    for command in (["run", *SHORT], ["sweep", *SHORT, "--over", "stations=2,4"]):
        refused = airfair(*command, "--metrics", metrics, "--out", "out")
        assert refused.returncode == 2 and words in refused.stderr and refused.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_metric_is_added_to_a_sweep_from_stored_results(airfair, tmp_path):
    sweep = ["sweep", *SHORT, "--over", "stations=2,4", "--seeds", "2", "--out", "mine"]
    assert airfair(*sweep).returncode == 0
    before, kept = results(tmp_path / "mine"), points(tmp_path / "mine")
    added = airfair("sweep", "mine", "--metrics", "throughput_total,finish_time_delivered_median")
    assert added.returncode == 0, added.stderr
    assert "added finish_time_delivered_median: taken from the 4 stored runs\n" in added.stderr
    assert points(tmp_path / "mine") == kept and last_command(tmp_path / "mine")["computed"] == 0
    after = results(tmp_path / "mine")
    assert after["throughput_total"].equals(before["throughput_total"])
    fresh = [af.run("jung/mixed", stations=n, seed=s, metrics="all", **TINY) for n in (2, 4) for s in (1, 2)]
    assert after["finish_time_delivered_median"].to_list() == [
        run.metrics["finish_time_delivered_median"].value for run in fresh
    ]
    # The directory remembers its metrics.
    assert airfair("sweep", "mine").returncode == 0
    assert results(tmp_path / "mine").equals(after)


def test_a_metric_in_the_scenario_file_keeps_the_sweep(airfair, tmp_path):
    text = airfair("show", "jung/mixed").stdout
    (tmp_path / "c.toml").write_text(text)
    sweep = ["sweep", "c.toml", "--over", "stations=2,4", *TINY_OPTIONS, "--out", "mine"]
    assert airfair(*sweep).returncode == 0
    (tmp_path / "c.toml").write_text(text.replace("metrics = [", 'metrics = ["finish_time_delivered_median", ', 1))
    added = airfair(*sweep)
    assert added.returncode == 0, added.stderr
    assert "added finish_time_delivered_median: taken from the 2 stored runs" in added.stderr
    assert "finish_time_delivered_median" in results(tmp_path / "mine").columns
    assert last_command(tmp_path / "mine")["computed"] == 0


def test_only_runs_that_lack_a_metric_run_again(airfair, tmp_path):
    sweep = ["sweep", *SHORT, "--over", "stations=2,4", "--out", "mine"]
    assert airfair(*sweep, "--metrics", f"jain,{COSTLY}").returncode == 0
    assert airfair(*sweep, "--metrics", "jain").returncode == 0
    assert last_command(tmp_path / "mine")["computed"] == 0
    wider = ["sweep", *SHORT, "--over", "stations=2,4,6", "--metrics", "jain", "--out", "mine"]
    assert airfair(*wider).returncode == 0
    again = airfair("sweep", "mine", "--metrics", f"jain,{COSTLY}")
    assert f"added {COSTLY}: 1 stored run did not record its source, and ran again" in again.stderr
    assert last_command(tmp_path / "mine")["computed"] == 1 and last_command(tmp_path / "mine")["reused"] == 2


def test_a_changed_model_lists_the_differences(airfair, tmp_path):
    text = airfair("show", "jung/mixed").stdout
    (tmp_path / "c.toml").write_text(text)
    sweep = ["sweep", "c.toml", "--over", "tcp=reno,vegas", *TINY_OPTIONS, "--out", "mine"]
    assert airfair(*sweep).returncode == 0
    changed = text.replace("4.96 Mb/s", "5.96 Mb/s")
    assert changed != text
    (tmp_path / "c.toml").write_text(changed)
    refused = airfair(*sweep)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert 'fair_share.download: there "4.96 Mb/s if ' in refused.stderr and ', here "5.96 Mb/s if ' in refused.stderr


def scenario(*metrics):
    return af.Scenario.load("jung/mixed", list(TINY.items()), list(metrics))


def test_a_stored_outcome_never_loses_a_metric(tmp_path):
    store = Store(tmp_path)
    points = [Point(scenario("jain", COSTLY), 1), Point(scenario("jain", "cwnd_mean"), 1), Point(scenario("jain"), 1)]
    assert len({point.key for point in points}) == 1
    for point in points[:2]:
        assert execute([point], store=store).computed == 1
    found = execute(points, store=store)
    assert found.computed == 0
    assert [list(json.loads(found.outcomes[point].metrics_json)) for point in points] == [
        list(point.scenario.metrics) for point in points
    ]


def test_points_with_one_key_are_each_answered(tmp_path):
    points = [Point(scenario("jain"), 1), Point(scenario(COSTLY), 1)]
    found = execute(points, store=Store(tmp_path), jobs=2)
    assert [list(json.loads(found.outcomes[point].metrics_json)) for point in points] == [["jain"], [COSTLY]]
    # Each may have replaced the other's outcome in the store; the next command joins them.
    assert execute(points, store=Store(tmp_path)).computed <= 1
    assert execute(points, store=Store(tmp_path)).computed == 0


def test_python_chooses_metrics_too():
    result = af.run("jung/mixed", metrics="jain, collision_rate", **TINY)
    assert list(result.metrics) == ["jain", "collision_rate"]
    swept = af.sweep("jung/mixed", {"stations": [2]}, metrics=["jain"], **TINY)
    frame = swept.results.to_polars()
    assert frame.schema["jain"] == polars.Float64 and "throughput_total" not in frame.columns
