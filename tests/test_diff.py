"""`airfair diff`, through the command line and in Python."""

import json
import warnings

import polars
import pytest
from conftest import SHORT

import airfair as af
from airfair import console
from airfair.comparison.command import _narrow
from airfair.comparison.difference import ENDS


def by_metric(document):
    return {entry["metric"]: entry for entry in document["metrics"]}


def test_scenarios_are_compared_without_a_run(answer):
    document = answer("diff", "jung/mixed", "--set-b", "tcp=vegas", "--set", "stations=6")
    assert document["parameters"] == {
        "tcp": {"a": {"value": "reno", "unit": None}, "b": {"value": "vegas", "unit": None}}
    }
    assert document["settings"] == {} and document["metrics"] == []
    assert document["differs"] is True and document["same_results"] is False


def test_a_scenario_is_the_same_as_itself(airfair, answer):
    document = answer("diff", "jung/mixed")
    assert document["differs"] is False and document["same_results"] is True
    same = airfair("diff", "jung/mixed").stdout
    assert "same results" in same and "change B with --set-b" in same and "--seeds" not in same


def test_files_differ_in_keys_that_no_parameter_sets(airfair, answer, tmp_path):
    shown = airfair("show", "jung/mixed").stdout
    old = 'data_rate = "11 Mb/s"'
    assert old in shown
    (tmp_path / "mine.toml").write_text(shown.replace(old, 'data_rate = "5.5 Mb/s"'))
    document = answer("diff", "jung/mixed", "mine.toml")
    assert document["settings"] == {"wlan[0].data_rate": {"a": '"11 Mb/s"', "b": '"5.5 Mb/s"'}}


def test_a_setting_by_path_is_told_once(answer):
    document = answer("diff", "jung/mixed", "--set-b", "link.server-ap.rate=5 Mb/s")
    assert document["parameters"].keys() == {"link.server-ap.rate"} and document["settings"] == {}


def test_scenarios_of_one_name_may_have_other_files():
    text = af.load("jung/mixed").toml
    a, b = (af.Scenario.parse(text.replace("11 Mb/s", rate), "mine") for rate in ("11 Mb/s", "5.5 Mb/s"))
    assert [path for path, _, _ in af.diff(a, b, tcp="vegas").settings] == ["wlan[0].data_rate"]


def test_settings_of_named_lists_are_told_once_under_their_own_names(tmp_path, airfair):
    length = {"up": 1, "down": 1, "warmup": "9 s", "duration": "2 s"}
    loss = {"link.server-ap.loss.model": "bernoulli", "link.server-ap.loss.probability": "1 %"}
    set_there = {"link.server-ap.rate": "5 Mb/s", "node.ap.queue.length": 30, "limiter_rate": "2 Mb/s", **loss}
    with warnings.catch_warnings(action="ignore"):
        a, b = af.run("blefari/hotspot", **length), af.run("blefari/hotspot", **length, **set_there)
    found = af.diff(a, b)
    # `wired_rate` and `buffer` are other names for two of the paths.
    assert [one.name for one in found.parameters] == ["buffer", "limiter_rate", "wired_rate", *loss]
    assert found.settings == []
    for name, given in (("a", length), ("b", length | set_there)):
        options = [word for each in given.items() for word in ("--set", "=".join(map(str, each)))]
        assert airfair("run", "blefari/hotspot", *options, "--out", name).returncode == 0
    stored = af.diff(tmp_path / "a", tmp_path / "b")
    assert stored.parameters == found.parameters and stored.settings == []


def test_metrics_are_compared_in_pairs(answer):
    document = answer("diff", "jung/mixed", *SHORT, "--set-b", "tcp=vegas", "--seeds", "4", "--seed", "3")
    found = by_metric(document)["throughput_total"]
    each = [
        [
            af.run("jung/mixed", duration="20 s", tcp=tcp, seed=seed).metrics["throughput_total"].value
            for seed in range(3, 7)
        ]
        for tcp in ("reno", "vegas")
    ]
    mean, low, high = af._engine.paired_difference(each[1], each[0])
    assert (found["n"], found["difference"], found["ci95"]) == (4, mean, [low, high])
    assert found["a"] == pytest.approx(sum(each[0]) / 4) and found["unit"] == "bit/s"
    assert by_metric(document)["instantaneous_fairness_acked"]["verdict"] == "higher"
    assert by_metric(document)["sessions_unfinished"]["verdict"] == "same"


def test_both_engines_give_the_same(answer):
    asked = ["diff", "jung/mixed", *SHORT, "--set-b", "tcp=vegas", "--seeds", "2"]
    assert answer(*asked, "--engine", "plain")["metrics"] == answer(*asked)["metrics"]


def test_runs_are_compared_by_the_seeds_that_both_have(airfair, answer):
    for out, seed, tcp in (("a", "1", "reno"), ("b", "2", "vegas")):
        run = airfair("run", "jung/mixed", *SHORT, "--set", f"tcp={tcp}", "--seed", seed, "--seeds", "3", "--out", out)
        assert run.returncode == 0, run.stderr
    document = answer("diff", "a", "b")
    assert set(document["parameters"]) == {"tcp"}
    assert by_metric(document)["throughput_total"]["n"] == 2
    run = af.run("jung/mixed", duration="20 s", seed=2, seeds=2)
    assert by_metric(document)["throughput_total"]["a"] == run.metrics["throughput_total"].value


def test_a_run_of_several_seeds_without_their_metrics_is_unpaired(airfair, answer, tmp_path):
    for out in ("a", "b"):
        airfair("run", "jung/mixed", *SHORT, "--seeds", "2", "--out", out)
    (tmp_path / "b" / "metrics.parquet").unlink()
    found = by_metric(answer("diff", "a", "b"))["throughput_total"]
    assert found["verdict"] == "unpaired" and found["difference"] is None and found["a"] == found["b"]


def test_sweeps_are_compared_point_by_point(airfair, answer):
    sweep = ["sweep", "jung/mixed", *SHORT, "--seeds", "2"]
    assert airfair(*sweep, "--over", "stations=2,4", "--over", "tcp=reno,vegas", "--out", "a").returncode == 0
    assert airfair(*sweep, "--over", "stations=4,6", "--set", "queue=10", "--out", "b").returncode == 0
    document = answer("diff", "a", "b")
    assert document["parameters"]["queue"]["a"]["value"] == 50
    assert document["parameters"]["tcp"]["a"]["value"] == "reno, vegas"
    [found] = [one for one in document["metrics"] if one["metric"] == "throughput_total"]
    assert {name: entry["value"] for name, entry in found["at"].items()} == {"stations": 4, "tcp": "reno"}
    assert document["points_only_in"] == {"a": 3, "b": 1}


def test_studies_are_compared_point_by_point(airfair, answer, tmp_path):
    asked = ["reproduce", "jung", "--quick", "--seeds", "2", "--figure", "vegas_fair"]
    for out, more in (("a", ["--figure", "restart"]), ("b", ["--set", "queue=10"])):
        assert airfair(*asked, *more, "--out", out).returncode == 0
    document = answer("diff", "a", "b")
    assert document["a"] == {"source": "a", "scenario": "jung"} and document["settings"] == {}
    assert document["parameters"] == {"queue": {"a": None, "b": {"value": "10", "unit": None}}}
    both = [one for one in document["metrics"] if one["metric"] == "throughput_total"]
    assert {one["at"]["experiment"]["value"] for one in both} == {"vegas_fair"} and {one["n"] for one in both} == {2}
    place = {"experiment": "vegas_fair", "direction": "download", "window": "20", "case": "Vegas"}
    [found] = [one for one in both if {name: entry["value"] for name, entry in one["at"].items()} == place]
    rows = polars.read_parquet(tmp_path / "b/results.parquet").filter(metric="throughput_total", **place)
    assert found["b"] == pytest.approx(rows["value"].mean())
    cells = polars.read_parquet(tmp_path / "a/results.parquet").filter(experiment="restart")
    of_restart = cells.select("direction", "tcp", "restart", "window").unique().height
    assert document["points_only_in"] == {"a": of_restart, "b": 0}
    assert "No difference" in airfair("diff", "a", "a").stdout
    refused = airfair("diff", "jung/mixed", "a")
    assert refused.returncode == 2 and "a holds a study, and jung/mixed does not" in refused.stderr


def test_a_table_of_a_sweep_that_was_changed_by_hand_is_refused(airfair, tmp_path):
    airfair("sweep", "jung/mixed", *SHORT, "--over", "stations=2,4", "--out", "a")
    airfair("run", "jung/mixed", *SHORT, "--out", "b")
    frame = polars.read_parquet(tmp_path / "b" / "metrics.parquet")
    frame.with_columns(throughput_total=polars.lit(1.0)).write_parquet(tmp_path / "b" / "metrics.parquet")
    refused = airfair("diff", "a", "b")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and "metrics.parquet" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["jung/mixed", "jung/mixd"], "did you mean"),
        (["empty", "jung/mixed"], "it holds no sweep"),
        (["torn", "jung/mixed"], "run.json is damaged"),
        (["jung/mixed", "--set-b", "tcp"], "expected NAME=VALUE"),
        (["jung/mixed", "--set-b", "tcp=cubik"], "tcp"),
        (["jung/mixed", "--metrics", "jane", "--seeds", "1"], "jane"),
    ],
)
def test_bad_input_is_refused(airfair, tmp_path, arguments, said):
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "run.json").write_text('{"parameters": [], "metrics": {}}')
    refused = airfair("diff", *arguments)
    assert refused.returncode == 2 and refused.stdout == "" and refused.stderr.count("\n") == 1
    assert said in refused.stderr


def test_results_have_their_parameters(airfair):
    airfair("run", "jung/mixed", *SHORT, "--out", "a")
    refused = airfair("diff", "a", "jung/mixed", "--set", "tcp=vegas")
    assert refused.returncode == 2 and "tcp: results have their parameters" in refused.stderr


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["seeds"], [float("inf")]),
        (["parameters", "stations", "value"], [4]),
        (["parameters", "stations", "value"], 10**400),
        (["parameters", "stations", "unit"], 1),
        (["parameters", "tcp", "value"], "\ud800"),
        (["metrics", "throughput_total", "value"], 10**400),
    ],
)
def test_values_that_no_run_has_are_damage(airfair, tmp_path, place, value):
    airfair("run", "jung/mixed", *SHORT, "--out", "a")
    document = inner = json.loads((tmp_path / "a" / "run.json").read_text())
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    (tmp_path / "a" / "run.json").write_text(json.dumps(document))
    refused = airfair("diff", "a", "jung/mixed")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "error: a/run.json is damaged; run `airfair run --out` again\n"


def test_exit_code_as_in_git(airfair, tmp_path):
    assert airfair("diff", "jung/mixed", "--set-b", "tcp=vegas").returncode == 0
    assert airfair("diff", "jung/mixed", "--set-b", "tcp=vegas", "--exit-code").returncode == 1
    assert airfair("diff", "jung/mixed", "--exit-code").returncode == 0
    (tmp_path / "copy.toml").write_text(airfair("show", "jung/mixed").stdout)
    assert airfair("diff", "jung/mixed", "copy.toml", "--exit-code").returncode == 0


def test_text_has_both_values_and_the_verdict(airfair):
    shown = airfair("diff", "jung/mixed", *SHORT, "--set-b", "tcp=vegas", "--seeds", "3", "--out", "d")
    line = next(line for line in shown.stdout.splitlines() if line.startswith("instantaneous_fairness_acked "))
    assert "±" in line and line.rstrip().endswith("better")
    assert "the same: " in shown.stdout
    assert shown.stdout.splitlines()[-1] == "without a value on either side: throughput_up"


def test_in_python_results_and_sweeps_are_compared(tmp_path):
    short = {"duration": "20 s"}
    runs = [af.run("jung/mixed", seeds=2, tcp=tcp, **short) for tcp in ("reno", "vegas")]
    found = af.diff(*runs)
    assert [one.name for one in found.parameters] == ["tcp"]
    [throughput] = found.metrics["throughput_total"]
    assert throughput.n == 2 and throughput.difference == pytest.approx(throughput.b - throughput.a)
    assert "<table>" in found._repr_html_() and "throughput_total" in repr(found)
    assert json.loads(json.dumps(found.document)) == found.document
    # A scenario alone is compared with itself.
    assert af.diff("jung/mixed", set_b={"tcp": "vegas"}).parameters == found.parameters
    sweeps = [
        af.sweep("jung/mixed", {"stations": [2, 4]}, tcp=tcp, out=tmp_path / tcp, **short) for tcp in ("reno", "vegas")
    ]
    ones = af.diff(*sweeps, metrics="throughput_total").measured
    assert [one.at["stations"]["value"] for one in ones] == [2, 4]
    assert ones == af.diff(tmp_path / "reno", tmp_path / "vegas", metrics="throughput_total").measured
    with pytest.raises(af.InputError, match="does not have it"):
        af.diff(*sweeps, metrics="jain")


def test_a_narrow_terminal_breaks_no_number():
    row = ("jain", "0.2474", "0.5646", "+36.88 ± 0.34 kb/s", "+125.0 %", "better")
    wide = console.table("Metrics", "Metric", "A", "B", *ENDS, right=("A", "B", *ENDS[:2]), rows=[row])
    narrow = _narrow(wide)
    cells = {column.header: (column.justify, *column.cells) for column in narrow.columns}
    assert list(cells) == ["Metric", "A", "B", "B - A", "B is"]
    assert cells["B - A"] == ("right", "+36.88\n± 0.34 kb/s") and cells["B is"] == ("left", "better")


def test_sweeps_without_a_common_seed_are_told_why_they_have_no_pairs(airfair, tmp_path):
    for name, first in (("a", 1), ("b", 3), ("c", 2)):
        af.sweep("jung/mixed", {"stations": [2, 4]}, seed=first, seeds=2, out=tmp_path / name, duration="20 s")
    shown = " ".join(airfair("diff", "a", "b").stdout.split())
    told = "no pairs: A has seeds 1 to 2 and B seeds 3 to 4; run both with the same --seed and --seeds"
    assert shown.endswith(told)
    found = af.diff(tmp_path / "a", tmp_path / "b")
    assert repr(found).endswith(told) and told in found._repr_html_()
    assert "no pairs" not in airfair("diff", "a", "c").stdout


def test_sweeps_that_are_the_same_are_said_to_be(airfair, tmp_path):
    af.sweep("jung/mixed", {"stations": [2, 4]}, seeds=2, out=tmp_path / "a", duration="5 s", warmup="10 s")
    shown = airfair("diff", "a", "a").stdout
    assert "the same: " in shown and "Greatest difference" not in shown
    shown = airfair("diff", "a", "a", "--metrics", "throughput_total").stdout
    assert "the same: throughput_total" in shown and "at some points" not in shown
