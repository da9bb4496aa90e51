"""`airfair report`: one page on a sweep."""

import html
import json
import re
import shutil

import polars
import pytest
from sweeping import OUTAGES, TINY, remove

import airfair as af
from airfair.figures.charts.choice import Asked
from airfair.figures.charts.data import Data
from airfair.sweeps.headlines import headlines, importance, view
from airfair.sweeps.page.again import again
from airfair.sweeps.page.subject import Subject
from airfair.sweeps.report import render
from airfair.sweeps.sensitivity import sensitivities
from airfair.sweeps.spec import Sweep


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    out = tmp_path_factory.mktemp("swept") / "out"
    over = {"stations": [2, 4, 8], "tcp": ["reno", "vegas"], "session_bytes": ["5 kB", "20 kB"]}
    af.sweep("jung/mixed", over, seeds=3, out=out, **TINY)
    return out


def cells(page, table):
    """The text of the cells of the table with this class, row by row."""
    [body] = re.findall(rf'<table class="{table}">.*?<tbody>(.*?)</tbody>', page, re.S)
    rows = re.findall(r"<tr.*?</tr>", body, re.S)
    return [[html.unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]


def test_a_page_of_its_own(airfair, swept, tmp_path):
    written = airfair("report", str(swept), "--out", "there", "--json")
    assert written.returncode == 0, written.stderr
    document = json.loads(written.stdout)
    assert (document["points"], document["runs"], document["failures"]) == (12, 36, 0)
    page = (tmp_path / "there" / "report.html").read_text()
    assert document["file"] == "there/report.html" and document["bytes"] == len(page.encode()) < 2_000_000
    assert not re.search(r"<(link|iframe|img)\b|<script[^>]+src|url\((?!#)|@import", page)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)) and set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)
    assert page.count("<svg") == len(document["figures"]) > 2
    assert "12 points over stations, TCP, session length; 36 runs, seeds 1 to 3." in page
    assert "instantaneous_fairness_sent" in document["figures"]
    assert "instantaneous_fairness_acked" not in document["figures"]
    assert not (swept / "report.html").exists()


def test_its_numbers_are_those_of_results(airfair, swept, tmp_path):
    assert airfair("report", str(swept), "--out", "there").returncode == 0
    page = (tmp_path / "there" / "report.html").read_text()
    group = ["--group", "stations,tcp,session_bytes", "--select", "throughput_total", "--json"]
    rows = json.loads(airfair("results", str(swept), *group).stdout)["rows"]
    heads = [html.unescape(head) for head in re.findall(r"<button>(.*?)</button>", page)]
    place = heads.index("Total throughput (Mb/s)")
    table = cells(page, "sortable")
    assert len(table) == len(rows) == 12
    for row, wanted in zip(table, rows, strict=True):
        kilobytes = wanted["session_bytes"] // 1000
        assert row[:4] == [str(wanted["stations"]), wanted["tcp"], str(kilobytes), "3"]
        mean, half = map(float, row[place].split(" ± "))
        assert mean == pytest.approx(wanted["throughput_total"] / 1e6, abs=half / 10)
        exact = (wanted["throughput_total_high"] - wanted["throughput_total_low"]) / 2e6
        assert half == pytest.approx(exact, rel=0.06)


def test_failures_and_their_reasons(airfair, tmp_path):
    (tmp_path / "a.toml").write_text(OUTAGES)
    swept = airfair("sweep", "a.toml", "--over", "down=100 ms,1 s", "--over", "period=1 s,2 s", "--out", "s")
    assert swept.returncode == 1
    assert airfair("report", "s").returncode == 0
    page = (tmp_path / "s" / "report.html").read_text()
    assert "<b>1</b> failed" in page and "or the link is never up" in page and "down = 1 s, period = 1 s" in page
    assert "shares overlap" in page


def test_a_sweep_that_has_not_ended(airfair, swept, tmp_path):
    copy = shutil.copytree(swept, tmp_path / "copy")
    for name in ("results", "sessions", "failures"):
        (copy / f"{name}.parquet").unlink()
    remove(copy)
    written = airfair("report", str(copy))
    assert written.returncode == 0 and "has not ended" in written.stderr
    page = (copy / "report.html").read_text()
    assert "not run yet" not in page
    assert "The sweep has not ended: 35 runs so far" in page and "<b>1</b> with some seeds only" in page


def test_bad_input(airfair, tmp_path):
    for directory, words in ((".", "it holds no sweep"), ("nowhere", "does not exist")):
        refused = airfair("report", directory)
        assert refused.returncode == 2 and words in refused.stderr
    assert list(tmp_path.iterdir()) == []
    assert airfair("run", "jung/mixed", "--set", "duration=5 s", "--out", "one").returncode == 0
    for command in ("report", "results", "sweep"):
        refused = airfair(command, "one")
        assert refused.returncode == 2 and "it has what `airfair run` wrote, which `airfair plot`" in refused.stderr


def test_from_python(tmp_path):
    s = af.sweep("jung/mixed", {"tcp": ["reno", "vegas"]}, seeds=2, **TINY)
    s.save(tmp_path / "page.html")
    assert "2 points over TCP" in (tmp_path / "page.html").read_text()
    af.sweep("jung/mixed", seeds=2, **TINY).save(tmp_path / "one.html")
    assert "There is one point." in (tmp_path / "one.html").read_text()


def test_one_run_and_a_description_with_a_list(tmp_path):
    af.sweep("ghosh/wireless", **TINY).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "1 point; 1 run, seed 1." in page
    assert "<ul><li><code>above_mac</code>: TCP sees every loss." in page


def grid(rows):
    return polars.DataFrame(rows)


def test_shares_of_the_variance():
    # 3 a + b over a in 0, 1 and b in -1, 1: variances 9 / 4 and 1.
    rows = [{"a": a, "b": b, "seed": s, "m": 3.0 * a + b + s} for a in (0, 1) for b in (-1, 1) for s in (-0.1, 0.1)]
    [found] = sensitivities(grid(rows), ["a", "b"], ["m"], sampled=False)
    assert [effect.share for effect in found.effects] == pytest.approx([9 / 13, 4 / 13])
    assert (found.effects[0].low, found.effects[0].high) == pytest.approx((0, 3))
    assert (found.low, found.high) == pytest.approx((-1, 4))
    assert found.chance == pytest.approx(0.02 / 2 / (13 / 4))


def test_an_interaction_is_in_no_axiss_share():
    rows = [{"a": a, "b": b, "seed": 1, "m": float(a * b)} for a in (-1, 1) for b in (-1, 1)]
    [found] = sensitivities(grid(rows), ["a", "b"], ["m"], sampled=False)
    assert [effect.share for effect in found.effects] == [0, 0] and found.chance is None


def test_in_a_sample_an_axis_without_effect_has_about_no_share():
    rows = [{"a": place, "b": (37 * place) % 101, "seed": 1, "m": float(place)} for place in range(101)]
    [found] = sensitivities(grid(rows), ["a", "b"], ["m"], sampled=True)
    assert found.effects[0].share > 0.9 and found.effects[1].share < 0.1


def test_metrics_that_do_not_differ_are_left_out():
    rows = [{"a": a, "seed": 1, "m": 1.0, "n": None} for a in (1, 2)]
    assert sensitivities(grid(rows), ["a"], ["m", "n"], sampled=False) == []


def test_metrics_without_a_value_are_not_the_same_at_all_points(airfair, tmp_path):
    metrics = ["throughput_total", "rexmit_fraction", "throughput_up"]
    af.sweep("jung/mixed", {"stations": [2, 4]}, metrics=metrics, out=tmp_path / "out", **TINY)
    assert airfair("report", "out").returncode == 0
    words = re.sub(r"<[^>]+>", "", (tmp_path / "out" / "report.html").read_text())
    assert re.findall("^The same at all points: .*", words, re.M) == ["The same at all points: rexmit_fraction (0)."]
    assert "\nWithout a value at any point: throughput_up (there are no such flows).\n" in words


def many(**axes):
    """A row for each combination, with 10 seeds."""
    frame = polars.DataFrame({"seed": range(1, 11)}).cast(polars.UInt64)
    for name, values in axes.items():
        frame = polars.DataFrame({name: list(values)}).join(frame, how="cross")
    numbers = [name for name in axes if frame[name].dtype.is_numeric()]
    value = sum(polars.col(name).cast(polars.Float64) for name in numbers) + polars.col("seed") / 100
    names = ("throughput_total", "finish_time_sent_mean", "finish_time_acked_mean", "jain_persistent")
    return Data(
        "jung/mixed", "results", frame.with_columns(value.alias(name) for name in names), tuple(axes), names, {}
    )


def test_the_first_metric_of_each_kind():
    data = many(stations=range(3))
    found = sensitivities(data.frame, data.axes, data.metrics, sampled=False)
    assert [item.metric for item in headlines(found)] == [
        "throughput_total",
        "finish_time_sent_mean",
        "jain_persistent",
    ]


@pytest.mark.parametrize(
    ("axes", "asked", "only"),
    [
        ({"a": range(5)}, Asked(("throughput_total",), "a", None, None, "line"), {}),
        ({"a": range(20), "b": range(14)}, Asked(("throughput_total",), "a", "b", None, "heatmap"), {}),
        (
            {"a": range(20), "b": range(8), "t": ["x", "y"]},
            Asked(("throughput_total",), "a", "t", "b", "line"),
            {"b": [0, 1, 3, 4, 6, 7]},
        ),
        (
            {"a": range(9), "b": range(3), "c": range(0, 40, 10), "t": ["x", "y", "z"]},
            Asked(("throughput_total",), "a", "b", "c", "line"),
            {"t": ["y"]},
        ),
    ],
)
def test_a_report_chooses_axes_and_values(axes, asked, only):
    data = many(**axes)
    item = sensitivities(data.frame, data.axes, data.metrics, sampled=False)[0]
    chosen = view(data, item.metric, importance([item]))
    assert chosen.asked == asked and chosen.only == only


def test_figures_of_a_page_agree_on_the_meaning_of_colours():
    """Another axis moves each metric most; the first metric of the page does not decide alone."""
    data = many(n=range(5), a=["x", "y"], b=["u", "v"])
    moved = polars.col("a").eq("x"), polars.col("b").eq("u")
    frame = data.frame.with_columns(throughput_total=moved[0] * 1.0, finish_time_sent_mean=moved[1] * 1.0)
    shown = sensitivities(frame, data.axes, ("throughput_total", "finish_time_sent_mean"), sampled=False)
    views = [view(data, item.metric, importance(shown)) for item in shown]
    assert len({(v.asked.x, v.asked.color, v.asked.facet) for v in views}) == 1
    alone = [view(data, item.metric, importance([item])) for item in shown]
    assert len({v.asked.color for v in alone}) == 2


def test_a_thousand_points_of_ten_seeds_give_a_page_of_sane_size():
    data = many(stations=range(2, 42, 2), session_bytes=range(5000, 130000, 5000), tcp=["reno", "vegas"])
    assert data.frame.height == 10_000
    sweep = Sweep("jung/mixed", "", over=dict.fromkeys(data.axes, ("1",)), seeds=10)
    failures = data.frame.select(*data.axes, "seed").clear().with_columns(reason=polars.lit(""))
    page = render(Subject(sweep, data, failures, [], 1000))
    assert len(page) < 3_000_000 and len(cells(page, "sortable")) == 1000


def test_the_command_that_computes_it_anew():
    over, metrics = {"stations": ("2..8", "12")}, ("jain", "throughput_total")
    sweep = Sweep("jung/mixed", "", {"duration": "60 s"}, over, sample=5, seed=2, seeds=3, metrics=metrics)
    wanted = (
        "--over stations=2..8,12 --sample 5 --seed 2 --seeds 3 --metrics jain,throughput_total --set 'duration=60 s'"
    )
    assert again(sweep) == f"airfair sweep jung/mixed {wanted}"
