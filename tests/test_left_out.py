"""Means over sessions report the number of unfinished sessions that they leave out."""

import json
import os
import re
from pathlib import Path

import polars
import pytest
from conftest import call

import airfair as af
from airfair.catalogue.left_out import note, told
from airfair.figures.charts.choice import Asked
from airfair.figures.charts.figure import figure
from airfair.figures.charts.maps import FLAGGED
from airfair.runs.estimate import HOLLOW
from airfair.sweeps.data import read
from airfair.sweeps.study_directory import counts
from airfair.theme import PAPER

pytestmark = pytest.mark.slow

#: Sessions that are far too long for the run.
STARVED = ["--set", "session_bytes=400 kB", "--set", "stations=8", "--set", "duration=20 s", "--set", "warmup=5 s"]
SOME = {"session_bytes": "400 kB", "stations": 8, "duration": "20 s", "warmup": "5 s"}


@pytest.fixture(scope="module")
def starved(tmp_path_factory):
    out = tmp_path_factory.mktemp("starved") / "out"
    made = call("sweep", "jung/mixed", *STARVED, "--over", "tcp=reno,vegas", "--seeds", "3", "--out", str(out))
    assert made.returncode == 0, made.stderr
    return out


def unfinished(directory, **where):
    sessions = polars.read_parquet(directory / "sessions.parquet").filter(**where)
    return sessions["acked"].null_count(), sessions.height


def test_a_run_says_it_of_each_mean(airfair):
    document = json.loads(airfair("run", "jung/mixed", *STARVED, "--seeds", "3", "--json").stdout)
    left, count = document["sessions"]["unfinished"], document["sessions"]["count"]
    assert 0 < left < count
    mean = document["metrics"]["finish_time_acked_mean"]
    assert (mean["left_out"], mean["sessions"]) == (left, count)
    assert "left_out" not in document["metrics"]["throughput_total"]
    shown = airfair("run", "jung/mixed", *STARVED, "--seeds", "3", env={**os.environ, "COLUMNS": "200"}).stdout
    [line] = [line for line in shown.splitlines() if line.startswith("finish_time_acked_mean")]
    assert f"({left} of {count} sessions unfinished: left out)" in line
    fine = airfair("run", "jung/mixed", "--set", "duration=20 s").stdout
    assert "left out" not in fine


def test_unsent_and_unacknowledged_sessions_are_counted_separately():
    metrics = af.run("jung/mixed", seeds=3, **SOME).document["metrics"]
    sessions = af.run("jung/mixed", seeds=3, **SOME).sessions.to_polars()
    for stage in ("sent", "acked", "delivered"):
        assert metrics[f"finish_time_{stage}_mean"]["left_out"] == sessions[stage].null_count()


def test_python_says_it_of_each_mean():
    result = af.run("jung/mixed", seeds=3, **SOME)
    mean, counted = result.metrics["finish_time_acked_mean"], result.document["sessions"]
    assert 0 < mean.left_out == counted["unfinished"] < mean.sessions == counted["count"]
    text = told(mean.left_out, mean.sessions)
    [line] = [line for line in repr(result).splitlines() if line.startswith("finish_time_acked_mean")]
    assert text in line and text in mean._repr_html_() and text in result._repr_html_()
    assert result.metrics["throughput_total"].left_out == 0


def test_a_difference_says_it_of_both_sides(airfair, starved):
    both = {tcp: unfinished(starved, tcp=tcp) for tcp in ("reno", "vegas")}
    assert both["reno"] != both["vegas"]
    note = "; ".join(f"{mark} {told(*both[tcp])}" for mark, tcp in (("A", "reno"), ("B", "vegas")))
    for tcp in both:
        made = airfair("run", "jung/mixed", *STARVED, "--set", f"tcp={tcp}", "--seeds", "3", "--out", tcp)
        assert made.returncode == 0, made.stderr
    metric = ["--metrics", "finish_time_acked_mean"]
    seeds = ["--set-a", "tcp=reno", "--set-b", "tcp=vegas", "--seeds", "3"]
    for sides in (["jung/mixed", *STARVED, *seeds], ["reno", "vegas"]):
        shown = airfair("diff", *sides, *metric).stdout
        assert f"finish_time_acked_mean: {note}" in " ".join(shown.split())
        [entry] = json.loads(airfair("diff", *sides, *metric, "--json").stdout)["metrics"]
        for at, tcp in (("a", "reno"), ("b", "vegas")):
            assert (entry["left_out"][at], entry["sessions"][at]) == both[tcp]


def test_a_difference_of_sweeps_says_it_over_all_points(starved):
    left, _ = unfinished(starved, tcp="reno", seed=2)
    assert f" s ({left} left out)</td>" in af.sweep(starved)._repr_html_() and left
    wider = af.sweep("jung/mixed", {"tcp": ["reno", "vegas"]}, seeds=3, **(SOME | {"session_bytes": "300 kB"}))
    counts = {tcp: unfinished(starved, tcp=tcp) for tcp in ("reno", "vegas")}
    found = af.diff(str(starved), wider)
    [metric] = [ones for name, ones in found.metrics.items() if name == "finish_time_acked_mean"]
    assert [one.left_out[0] for one in metric] == [counts[one.at["tcp"]["value"]] for one in metric]
    text = told(*map(sum, zip(*counts.values(), strict=True)))
    assert any("finish_time_acked_mean" in note and f"A {text}; B " in note for note in found.notes)
    assert text in repr(found) and text in found._repr_html_()


def test_a_search_says_it_of_each_candidate(starved):
    goal = "finish_time_acked_mean"
    found = af.optimize("jung/mixed", over={"tcp": ["reno", "vegas"]}, minimize=goal, seeds=3, **SOME)
    assert found.best == {"tcp": "vegas"}
    left, count = unfinished(starved, tcp="vegas")
    assert (found.metric.left_out, found.metric.sessions) == (left, count)
    assert told(left, count) in found._repr_html_()
    assert HOLLOW in found.html and f"({left} left out)" in repr(found)
    document = found.document
    assert (document["left_out"], document["sessions"]) == (left, count)
    every = {at["at"]["tcp"]: at for at in document["evaluations"]}
    assert found.evaluations.to_polars()[f"{goal}_left_out"].to_list() == [at["left_out"] for at in every.values()]
    for tcp in ("reno", "vegas"):
        assert f"({unfinished(starved, tcp=tcp)[0]} left out)" in found.html
        assert (every[tcp]["left_out"], every[tcp]["sessions"]) == unfinished(starved, tcp=tcp)


def test_a_search_says_it_of_constraints():
    bound = "finish_time_acked_mean <= 1 ms"
    over = {"tcp": ["reno", "vegas"]}
    found = af.optimize("jung/mixed", over=over, maximize="throughput_total", subject_to=bound, seeds=3, **SOME)
    [closest] = [at for at in found.document["evaluations"] if f"tcp = {at['at']['tcp']}" in found.infeasible]
    [reached] = closest["constraints"]
    assert "left_out" not in closest and told(reached["left_out"], reached["sessions"]) in found.infeasible


def test_groups_say_it_in_every_format(airfair, starved):
    query = ["results", str(starved), "--group", "tcp", "--select", "finish_time_acked_mean, throughput_total"]
    shown = airfair(*query)
    left, count = unfinished(starved)
    assert shown.stderr == f"finish_time_acked_mean: {left} of {count} sessions unfinished: left out\n"
    reno, _ = unfinished(starved, tcp="reno")
    [line] = [line for line in shown.stdout.splitlines() if line.startswith("reno")]
    assert f"s ({reno} left out)" in line and line.count("left out") == 1
    document = json.loads(airfair(*query, "--json").stdout)
    assert document["left_out"] == {"finish_time_acked_mean": f"{left} of {count} sessions unfinished: left out"}
    [row] = [row for row in document["rows"] if row["tcp"] == "reno"]
    assert row["finish_time_acked_mean_left_out"] == reno and "throughput_total_left_out" not in row


def test_the_columns_of_the_results_are_those_of_the_sessions(starved):
    rows = polars.read_parquet(starved / "results.parquet")
    left, count = unfinished(starved)
    assert (rows["sessions_unacked"].sum(), rows["sessions"].sum()) == (left, count)
    assert note("finish_time_acked_mean", rows) == told(left, count) != ""
    assert note("throughput_total", rows) == note("finish_time_acked_mean", rows.drop("sessions")) == ""
    assert told(0, 400) == ""


def test_a_condition_counts_only_matching_sessions(airfair, starved):
    left, count = unfinished(starved, tcp="vegas")
    shown = airfair("results", str(starved), "--where", "tcp = 'vegas'", "--select", "seed, finish_time_acked_mean")
    assert shown.stderr == f"finish_time_acked_mean: {left} of {count} sessions unfinished: left out\n"
    assert airfair("results", str(starved), "--select", "seed, tcp, throughput_total").stderr == ""


def test_rows_of_single_runs_say_it(airfair, starved):
    rows = polars.read_parquet(starved / "results.parquet").filter(polars.col("sessions_unacked") > 0)
    [*_, shown] = airfair(
        "results", str(starved), "--where", f"seed = {rows['seed'][0]} AND tcp = 'reno'"
    ).stdout.splitlines()
    left = rows["sessions_unacked"][0]
    assert rows["tcp"][0] == "reno" and f" s ({left} left out)" in shown and "Mb/s (" not in shown


def test_a_report_says_it(airfair, starved, tmp_path):
    assert airfair("report", str(starved), "--out", "page").returncode == 0
    page = (tmp_path / "page" / "report.html").read_text()
    left, count = unfinished(starved)
    assert f"{left} of {count} sessions unfinished: left out" in page
    assert re.search(r"± [^<]* \(\d+ left out\)", page)
    assert re.search(rf"s to [^<]* s \({left} left out\)</td>", page)
    assert HOLLOW in page
    assert "<code>sessions_unacked</code>" not in page


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """A sweep in which the sessions of some points are all finished, and those of others are not."""
    out = tmp_path_factory.mktemp("some") / "out"
    axes = ["--over", "stations=2,8", "--over", "session_bytes=10 kB,400 kB"]
    made = call("sweep", "jung/mixed", *STARVED[4:], *axes, "--seeds", "2", "--out", str(out))
    assert made.returncode == 0, made.stderr
    return out


@pytest.mark.parametrize(
    ("kind", "mark", "remark"),
    [("line", f'fill="{PAPER}"', HOLLOW), ("heatmap", "*</text>", FLAGGED), ("box", "", "")],
)
def test_a_figure_marks_each_mean(airfair, some, kind, mark, remark):
    points = polars.read_parquet(some / "results.parquet").group_by("stations", "session_bytes")
    left = {at[:2]: at[2] for at in points.agg(polars.col("sessions_unacked").sum()).iter_rows()}
    marked = sum(count > 0 for count in left.values())
    assert 0 < marked < len(left)
    options = ["--kind", kind, "--x", "stations", "--color", "session_bytes", "--format", "svg", "--json"]
    drawn = json.loads(airfair("plot", str(some), "--y", "finish_time_acked_mean", *options).stdout)
    assert remark in drawn["caption"]
    if mark:
        assert Path(drawn["files"][0]).read_text().count(mark) == marked
        assert {(at["stations"], at["session_bytes"]): at["left_out"] for at in drawn["points"]} == left
    fine = json.loads(airfair("plot", str(some), "--y", "throughput_total", *options).stdout)
    assert all("left_out" not in at for at in fine["points"])
    assert not mark or mark not in Path(fine["files"][0]).read_text()


def test_a_study_says_it_in_figures_and_differences(airfair, tmp_path):
    short = {"duration": "12 s", "session_bytes": "400 kB"}
    settings = (part for name, value in short.items() for part in ("--set", f"{name}={value}"))
    asked = ["reproduce", "jung", "--quick", "--figure", "vegas_fair", "--seeds", "2", *settings]
    assert airfair(*asked, "--out", "study").returncode == 0
    metric, at = "finish_time_acked_mean", {"direction": "upload", "window": 20, "case": "Vegas"}
    alone = af.run("jung/mixed", seeds=2, direction="upload", max_window=20, tcp="vegas", **short).metrics[metric]
    options = ["--table", "vegas_fair", "--y", metric, "--x", "window"]
    drawn = json.loads(airfair("plot", "study", *options, "--json").stdout)
    [point] = [point for point in drawn["points"] if at.items() <= point.items()]
    assert (point["mean"], point["left_out"], point["sessions"]) == (alone.value, alone.left_out, alone.sessions)
    assert alone.left_out and HOLLOW in drawn["caption"]
    both = json.loads(airfair("diff", "study", "study", "--metrics", metric, "--json").stdout)["metrics"]
    assert sum(one["left_out"]["a"] for one in both) == sum(point["left_out"] for point in drawn["points"])
    older = polars.read_parquet(tmp_path / "study" / "results.parquet").drop("left_out", "sessions")
    assert counts(older, ["window"]).is_empty()


def test_the_page_of_a_figure_says_it_of_each_mean(some):
    data = read(some, "results", "", ("finish_time_acked_mean",))
    page = figure(data, Asked(("finish_time_acked_mean",), "stations", "session_bytes")).html
    counts = polars.read_parquet(some / "results.parquet").filter(stations=8, session_bytes=400_000)
    left, count = counts["sessions_unacked"].sum(), counts["sessions"].sum()
    assert left and f" s ({left} left out)</td>" in page and f"; {told(left, count)}" in page


def test_a_figure_says_it_in_its_caption(airfair, starved):
    left, count = unfinished(starved)
    told_of = f"Mean finish time, until acknowledged: {left} of {count} sessions unfinished: left out."
    drawn = json.loads(airfair("plot", str(starved), "--y", "finish_time_acked_mean", "--json").stdout)
    assert told_of in drawn["caption"]
    sessions = ["plot", str(starved), "--table", "sessions", "--y", "finish_time_acked", "--x", "tcp"]
    assert f"{left} of {count} sessions unfinished" in airfair(*sessions, "--kind", "line").stdout

    def caption(table, asked):
        return figure(read(starved, table, "", asked.y), asked).caption

    assert "left out" not in caption("results", Asked(("throughput_total",)))
    assert "left out" not in caption("sessions", Asked(("finish_time_acked",), kind="cdf"))
