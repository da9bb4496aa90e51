"""Quantiles of sessions and packets: not listed, there for whoever asks."""

import json
import statistics

import polars
import pytest
from sweeping import TINY_OPTIONS, points

import airfair as af

SHORT = ["jung/mixed", "--set", "duration=60 s", "--set", "warmup=5 s"]
#: Sessions that are far too long for the run.
STARVED = ["jung/mixed", "--set", "session_bytes=400 kB", "--set", "stations=8", "--set", "duration=20 s"]
ENDS = ("p50", "p90", "p95", "p99")


def metrics(airfair, *arguments):
    shown = airfair("run", *arguments, "--json")
    assert shown.returncode == 0, shown.stderr
    return json.loads(shown.stdout)["metrics"]


def percentile(values, end):
    # `inclusive` is definition 7 of Hyndman & Fan.
    return statistics.quantiles(values, n=100, method="inclusive")[int(end[1:]) - 1]


def test_they_are_the_quantiles_of_the_sessions(airfair, tmp_path):
    names = [f"finish_time_acked_{end}" for end in ENDS] + [f"instantaneous_fairness_acked_{end}" for end in ENDS]
    found = metrics(airfair, *SHORT, "--metrics", ",".join(names), "--out", "one")
    assert list(found) == names
    sessions = polars.read_parquet(tmp_path / "one/sessions.parquet")
    assert sessions.height > 5 and sessions["acked"].null_count() == 0
    for end in ENDS:
        times, ratios = sessions["acked"].to_list(), (sessions["ideal"] / sessions["acked"]).to_list()
        assert found[f"finish_time_acked_{end}"]["value"] == pytest.approx(percentile(times, end), rel=1e-12)
        assert found[f"instantaneous_fairness_acked_{end}"]["value"] == pytest.approx(
            percentile(ratios, end), rel=1e-12
        )
    assert found["finish_time_acked_p95"]["unit"] == "s"


def test_unfinished_sessions_are_the_latest_and_the_least_fair(airfair, tmp_path):
    names = ["finish_time_acked_p50", "finish_time_acked_p99", "instantaneous_fairness_acked_p99", "jain"]
    found = metrics(airfair, *STARVED, "--metrics", ",".join(names), "--out", "one")
    sessions = polars.read_parquet(tmp_path / "one/sessions.parquet")
    unfinished = sessions["acked"].null_count()
    assert 0 < unfinished < sessions.height
    late = found["finish_time_acked_p99"]
    assert (late["value"], late["n"]) == (None, 0)
    assert late["reason"] == "the quantile falls among sessions that had not finished"
    # Fairness counts them as lowest: the best one is known, and so is the 99th percentile if few sessions are between.
    ratios = [0.0 if ratio is None else ratio for ratio in (sessions["ideal"] / sessions["acked"]).to_list()]
    best = found["instantaneous_fairness_acked_p99"]
    known = unfinished <= 0.99 * (sessions.height - 1)
    assert best["value"] == (pytest.approx(percentile(ratios, "p99")) if known else None)


def test_delays_of_packets_are_recorded_when_asked_for_and_change_nothing(airfair):
    usual = metrics(airfair, *SHORT, "--metrics", "ap_queue_delay_mean,throughput_total")
    names = [f"ap_queue_delay_{end}" for end in ENDS]
    found = metrics(airfair, *SHORT, "--metrics", ",".join(["ap_queue_delay_mean", "throughput_total", *names]))
    assert {name: found[name] for name in usual} == usual
    delays = [found[name]["value"] for name in names]
    assert delays == sorted(delays) and 0 < delays[0] < delays[3]
    wired = metrics(airfair, "lee/path", "--set", "duration=1 s", "--metrics", "ap_queue_delay_p95")
    assert wired["ap_queue_delay_p95"]["reason"] == "there are no access points"


def test_they_are_described_and_not_listed(airfair):
    described = af.describe("finish_time_acked_p95")
    assert described["unit"] == "s" and "Hyndman & Fan" in described["source"]
    assert "finish_time_acked_p95" in af.describe("finish_time_acked_mean")["quantiles"]
    assert "95th percentile" in airfair("describe", "finish_time_acked_p95").stdout
    assert "finish_time_acked_p95" not in [entry["name"] for entry in af.metrics()]
    assert "_p95" not in airfair("describe", "metrics").stdout
    assert "did you mean `finish_time_acked_p95`?" in airfair("run", *SHORT, "--metrics", "finish_time_aked_p95").stderr


@pytest.fixture
def swept(airfair, tmp_path):
    made = airfair("sweep", "jung/mixed", "--over", "stations=2,4", "--seeds", "2", *TINY_OPTIONS, "--out", "mine")
    assert made.returncode == 0, made.stderr
    return tmp_path / "mine"


def test_results_take_them_from_stored_sessions(airfair, swept):
    kept = points(swept)
    select = "stations, seed, finish_time_acked_p95"
    shown = airfair("results", "mine", "--select", select, "--order-by", "stations, seed", "--json")
    assert shown.returncode == 0, shown.stderr
    rows = json.loads(shown.stdout)["rows"]
    fresh = [
        af.run("jung/mixed", stations=n, seed=s, duration="10 s", warmup="5 s", metrics="finish_time_acked_p95")
        for n in (2, 4)
        for s in (1, 2)
    ]
    assert [row["finish_time_acked_p95"] for row in rows] == [
        run.metrics["finish_time_acked_p95"].value for run in fresh
    ]
    assert points(swept) == kept
    drawn = airfair("plot", "mine", "--y", "finish_time_acked_p95", "--format", "svg", "--json")
    assert drawn.returncode == 0, drawn.stderr
    assert {point["metric"] for point in json.loads(drawn.stdout)["points"]} == {"finish_time_acked_p95"}


def test_results_say_what_stored_runs_lack(airfair, swept):
    refused = airfair("results", "mine", "--select", "stations, ap_queue_delay_p95")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
    assert "ap_queue_delay_p95: 4 stored runs lack the data that it needs" in refused.stderr
    again = refused.stderr.strip().split("run again with: ")[1].split()
    assert again[:3] == ["airfair", "sweep", "mine"]
    assert airfair(*again[1:]).returncode == 0
    # The recording has given the other quantiles as well.
    shown = airfair("results", "mine", "--select", "ap_queue_delay_p95, ap_queue_delay_p50", "--format", "csv")
    assert shown.returncode == 0, shown.stderr
    assert len(shown.stdout.splitlines()) == 5 and ",," not in shown.stdout
