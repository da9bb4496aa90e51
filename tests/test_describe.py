"""`airfair describe`, and the notes that accompany the results of runs."""

import json
import os

import pytest

import airfair as af

WIDE = {**os.environ, "COLUMNS": "200"}


def test_metrics_are_listed(airfair):
    shown = airfair("describe", "metrics")
    names = [entry["name"] for entry in af.metrics()]
    assert shown.returncode == 0 and all(name in shown.stdout for name in names)
    assert [entry["name"] for entry in json.loads(airfair("describe", "metrics", "--json").stdout)["metrics"]] == names


@pytest.mark.parametrize(
    ("name", "scenario", "setting"),
    [("fq_codel", "blefari/hotspot", "--set policy=fq_codel"), ("vegas", "jung/mixed", "--set tcp=vegas")],
)
def test_a_value_of_a_parameter_says_where_it_is_set(airfair, name, scenario, setting):
    shown = airfair("describe", name, env=WIDE)
    assert shown.returncode == 0, shown.stderr
    assert any(scenario in line and setting in line for line in shown.stdout.splitlines())


def test_a_parameter_says_which_scenarios_have_it(airfair):
    uses = json.loads(airfair("describe", "max_window", "--json").stdout)["used_by"]
    assert {use["scenario"] for use in uses} == {
        entry["name"]
        for entry in af.scenarios()
        if "max_window" in {parameter["name"] for parameter in af.describe(entry["name"])["parameters"]}
    }
    assert all(use["value"] is None and use["help"] for use in uses)


def test_an_unknown_name_gets_a_suggestion(airfair):
    refused = airfair("describe", "fq_codle")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "did you mean fq_codel?" in refused.stderr and "airfair describe metrics" in refused.stderr


def test_misleading_names_have_a_note(airfair):
    names = ["--metrics", "throughput_total,throughput,drop_rate,ap_drop_rate"]
    short = ["--set", "duration=1 s", "--set", "warmup=1 s"]
    shown = airfair("run", "blefari/hotspot", *short, *names, env=WIDE).stdout.splitlines()
    assert "throughput_total: goodput: payload once, no headers, nothing sent again" in shown
    assert "throughput: all bytes sent: headers and retransmissions included" in shown
    assert "drop_rate: at the queues of the wired links" in shown
    assert "ap_drop_rate: at the access point's wireless queue" in shown
    for metric in ("throughput_total", "drop_rate"):
        assert af.describe(metric)["note"] in airfair("describe", metric, env=WIDE).stdout


def test_traces_without_a_place_are_warned_of(airfair, tmp_path):
    short = ["run", "jung/mixed", "--set", "duration=5 s", "--trace", "cwnd"]
    lost = airfair(*short, "--json")
    assert lost.returncode == 0 and json.loads(lost.stdout)
    assert lost.stderr == "warning: --trace cwnd: the recorded series are kept only with --out DIR\n"
    assert airfair(*short, "--out", "kept").stderr == "" and (tmp_path / "kept" / "series.parquet").is_file()
