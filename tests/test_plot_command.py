"""`airfair plot`: figures, captions and refusals."""

import itertools
import json
import re
import shutil
from dataclasses import replace

import altair as alt
import polars
import pytest
import vl_convert
from sweeping import OUTAGES, TINY, remove

import airfair as af
from airfair.catalogue.units import Scale, number
from airfair.catalogue.wording import title
from airfair.figures.charts.choice import Asked, choose
from airfair.figures.charts.data import Data
from airfair.figures.charts.figure import figure
from airfair.figures.charts.picture import Along
from airfair.figures.charts.points import distributions
from airfair.figures.drawing import scales_apart, side_by_side
from airfair.figures.marks import number_axis
from airfair.studies.draw import series_of
from airfair.studies.file import load
from airfair.sweeps.data import of_ran, read
from airfair.theme import places


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    out = tmp_path_factory.mktemp("swept") / "out"
    over = {"stations": [2, 4, 8], "tcp": ["reno", "vegas"], "session_bytes": ["5 kB", "20 kB"]}
    af.sweep("jung/mixed", over, seeds=3, out=out, **TINY)
    return out


@pytest.fixture
def plotted(airfair, swept, tmp_path):
    def plot(*arguments, directory=swept):
        finished = airfair("plot", str(directory), *arguments, "--out", "drawn", "--json")
        assert finished.returncode == 0, finished.stderr
        return json.loads(finished.stdout), sorted((tmp_path / "drawn").iterdir())

    return plot


ONE = ["--where", "session_bytes = 5000"]


@pytest.mark.parametrize("kind", ["line", "box", "cdf", "heatmap", "dots"])
def test_a_figure_for_paper_has_its_width_and_labels_of_8_points(plotted, tmp_path, kind):
    asked = ["--color", "tcp", "--kind", kind, "--y", "throughput_total", *ONE]
    if kind == "dots":  # the title of the axis is wider than a panel
        asked = ["--x", "tcp", "--color", "stations", "--facet", "session_bytes", "--y", "finish_time_acked_mean"]
    formats = ["--format", "svg", "--format", "pdf", "--format", "png"]
    document, _ = plotted(*asked, *formats, "--width", "3.5 in")
    svg, pdf, png = ((tmp_path / file).read_bytes() for file in document["files"])
    width, _, room = map(float, re.findall(rb'<svg [^>]*width="(.*?)pt" height="(.*?)pt" viewBox="0 0 (.*?) ', svg)[0])
    assert width == 3.5 * 72 and width / room * 12 == pytest.approx(8, rel=0.01)
    assert b'font-size="12px"' in svg
    assert float(re.findall(rb"/MediaBox ?\[0 0 ([\d.]+)", pdf)[0]) == pytest.approx(3.5 * 72, abs=0.1)
    assert int.from_bytes(png[16:20], "big") == 3.5 * 600


@pytest.mark.parametrize("width", ["88", "0 mm", "88 px", "wide"])
def test_what_is_no_width_on_paper_is_refused(airfair, swept, width):
    refused = airfair("plot", str(swept), "--y", "throughput_total", *ONE, "--width", width)
    assert refused.returncode == 2 and "expected a width on paper, such as '88 mm'" in refused.stderr


def test_a_width_without_room_for_the_panels_says_how_much_they_need(airfair, swept):
    asked = ["plot", str(swept), "--y", "throughput_total", "--facet", "session_bytes", "--out", "drawn", "--width"]
    refused = airfair(*asked, "20 mm")
    assert refused.returncode == 2 and "too narrow for this figure" in refused.stderr
    least = int(re.findall(r"needs (\d+) mm", refused.stderr)[0])
    assert airfair(*asked, f"{least + 1} mm").returncode == 0
    assert airfair(*asked, f"{least - 1} mm").returncode == 2


def test_points_are_those_of_results(airfair, swept, plotted):
    document, files = plotted("--x", "stations", "--y", "throughput_total", *ONE)
    group = ["--group", "tcp,stations", "--select", "throughput_total", *ONE]
    rows = json.loads(airfair("results", str(swept), *group, "--json").stdout)["rows"]
    wanted = {(row["tcp"], row["stations"]): row for row in rows}
    assert len(document["points"]) == len(wanted) == 6
    for point in document["points"]:
        row = wanted[point["tcp"], point["stations"]]
        assert point["mean"] == row["throughput_total"] and point["n"] == row["n"] == 3
        assert point["ci95"] == [row["throughput_total_low"], row["throughput_total_high"]]
    assert document["y"] == [{"name": "throughput_total", "unit": "bit/s"}]
    assert document["color"]["name"] == "tcp" and document["facet"] is None
    assert [file.suffix for file in files] == [".png", ".svg"]
    assert files[0].read_bytes().startswith(b"\x89PNG") and "Total throughput (Mb/s)" in files[1].read_text()


FIVE, FOUR = "session_bytes = 5000", "stations = 4"


@pytest.mark.parametrize(
    ("asked", "where", "kind", "places"),
    [
        (Asked(("jain_persistent",), x="stations"), "", "line", ("stations", "tcp", "session_bytes")),
        (Asked(("jain_persistent",), color="session_bytes"), "", "line", ("stations", "session_bytes", "tcp")),
        (Asked(("throughput_total",), x="tcp"), FIVE, "line", ("tcp", "stations", None)),
        (Asked(("throughput_total",), kind="heatmap"), FIVE, "heatmap", ("stations", "tcp", None)),
        (Asked(("stations",), x="tcp", color="throughput_total", kind="heatmap"), FIVE, "heatmap",
         ("tcp", "stations", None)),
        (Asked(("throughput_total",), x="tcp", kind="box"), FIVE, "box", ("tcp", "stations", None)),
        (Asked(("finish_time_acked",)), FOUR, "cdf", (None, "tcp", "session_bytes")),
        (Asked(x="throughput_total", kind="cdf"), FOUR, "cdf", (None, "tcp", "session_bytes")),
        (Asked(("throughput_total", "finish_time_acked_mean")), "", "line", ("stations", "tcp", "session_bytes")),
    ],
)  # fmt: skip
def test_kinds_and_places(swept, asked, where, kind, places):
    table = "sessions" if "finish_time_acked" in asked.y else "results"
    drawn = figure(read(swept, table, where, asked.y), asked, "xy" if len(asked.y) > 1 else None)
    assert drawn.choice.kind == kind and drawn.numbers
    assert (drawn.choice.x, drawn.choice.color, drawn.choice.facet) == places
    assert all(len(drawn.contents(format)) > 2000 for format in ("png", "svg"))


def test_options_name_the_places(plotted):
    sessions = ["--table", "sessions", "--y", "finish_time_acked", "--where", FOUR, "--facet", "tcp", "--kind", "cdf"]
    document, _ = plotted(*sessions)
    assert (document["table"], document["kind"], document["facet"]["name"]) == ("sessions", "cdf", "tcp")
    document, files = plotted(
        "--y", "throughput_total", "--y", "finish_time_acked_mean", "--color", "tcp", "--log", "xy"
    )
    assert [axis["name"] for axis in document["y"]] == ["throughput_total", "finish_time_acked_mean"]
    assert document["color"]["name"] == "tcp" and document["points"]
    assert all(file.stat().st_size > 2000 for file in files)


def test_no_mean_is_taken_over_an_axis(airfair, swept, tmp_path):
    wide = shutil.copytree(swept, tmp_path / "wide")
    again = airfair("sweep", str(wide), "--over", "period=5 s,10 s")
    assert again.returncode == 0, again.stderr
    refused = airfair("plot", str(wide), "--x", "stations", "--y", "throughput_total")
    assert refused.returncode == 2 and "period varies as well (5, 10)" in refused.stderr
    assert '--where "period = 5"' in refused.stderr and not (wide / "figures").exists()
    drawn = airfair("plot", str(wide), "--x", "stations", "--y", "throughput_total", "--where", "period = 5")
    assert drawn.returncode == 0
    assert (
        airfair("plot", str(wide), "--x", "stations", "--y", "throughput_total", "--where", "period > 5").returncode
        == 0
    )
    names = {file.name for file in (wide / "figures").iterdir()}
    stem = "throughput_total-stations-tcp-session_bytes-period"
    assert names == {f"{stem}{end}.{kind}" for end in ("-5", "-gt-5") for kind in ("png", "svg")}


def test_axes_that_vary_together_need_one_place(tmp_path):
    over = {"stations": [2, 4, 6], "session_bytes": ["5 kB", "10 kB", "20 kB"]}
    s = af.sweep("jung/mixed", over, zip=["stations,session_bytes"], seeds=2, **TINY)
    figure = s.plot("throughput_total", x="stations")
    assert figure.choice.along == ("session_bytes",) and "session_bytes varies as well" in figure.caption
    figure.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == figure.svg


def test_a_sample_is_dots(tmp_path):
    over = {"stations": "2..16", "session_bytes": "5..50 kB:1 kB"}
    af.sweep("jung/mixed", over, sample=8, seeds=2, out=tmp_path, **TINY)
    choice = choose(read(tmp_path, None, ""), Asked(("throughput_total",), x="session_bytes"))
    assert choice.along == ("stations",) and choice.color is None
    with pytest.raises(af.InputError, match="box"):
        choose(choice.data, Asked(("throughput_total",), kind="box"))


def test_sessions_that_do_not_end_are_counted(swept):
    data = read(swept, "sessions", "stations = 8 AND tcp = 'reno' AND session_bytes = 20000")
    half = data.frame.with_row_index().with_columns(
        polars.when(polars.col("index") % 2 == 0).then(polars.col("finish_time_acked")).alias("finish_time_acked")
    )
    cut = type(data)(**{**data.__dict__, "frame": half})
    [curve] = distributions(choose(cut, Asked(("finish_time_acked",))))
    assert curve.missing == half.height // 2 and curve.steps[-1][1] == pytest.approx(curve.n / half.height)


def test_html_needs_no_network(plotted):
    _, [page] = plotted("--y", "throughput_total", "--format", "html", *ONE)
    text = page.read_text()
    assert not re.search(r"<(script|link|iframe)[^>]*\s(src|href)=", text)
    assert "throughput_total" in text and len(text) < 200_000


@pytest.mark.parametrize("kind", ["line", "heatmap", "box"])
def test_several_metrics_are_all_drawn_each_on_its_own_scale(swept, kind):
    """Marks have labels with their values; the words and numbers of both axes are beside the cells."""
    asked = Asked(("throughput_total", "ap_queue_mean"), x="tcp", color="stations", kind=kind)
    drawn = figure(read(swept, None, "session_bytes = 5000"), asked)
    marks = re.findall(r'aria-label="([^"]+)" role="graphics-symbol"', drawn.svg)
    assert len(marks) == 12 and sum("Total throughput" in mark for mark in marks) == 6
    words = re.findall(r"<text[^>]*>([^<]+)</text>", drawn.svg)
    assert {"reno", "vegas", "2", "4", "8"} <= set(words) and not any("nfinity" in word for word in words)
    if kind == "heatmap":
        scales = {"throughput_total": 1e6, "ap_queue_mean": 1}
        shown = [number(point["mean"] / scales[point["metric"]], 3) for point in drawn.points]
        assert all(shown.count(text) <= words.count(text) for text in shown)
        assert len(set(re.findall(r'aria-roledescription="rect mark"[^>]*fill="([^"]+)"', drawn.svg))) > 4


def test_no_word_of_an_axis_is_left_out(swept):
    data = read(swept, None, "session_bytes = 5000 AND stations > 2")
    names = {"reno": "a_policy_with_a_long_name", "vegas": "another_one_of_the_kind"}
    long = replace(data, frame=data.frame.with_columns(polars.col("tcp").replace_strict(names)))
    svg = figure(long, Asked(("throughput_total",), x="tcp", color="stations", kind="heatmap")).svg
    assert all(f">{name}<" in svg for name in names.values())


def test_words_keep_the_order_in_which_they_were_given():
    s = af.sweep("jung/mixed", {"restart": "rfc5681,none,rfc2861", "stations": [2, 4]}, seeds=1, **TINY)
    data = of_ran(s._ran, "results", "")
    assert Along.of(data, "restart").values == ("rfc5681", "none", "rfc2861")
    part = of_ran(s._ran, "results", "restart IN ('none', 'rfc2861')")
    assert Along.of(part, "restart").values == ("none", "rfc2861")


def colours(data):
    spec = figure(data, Asked(("throughput_total",), x="stations", color="tcp")).drawing.spec
    scale = spec["layer"][0]["encoding"]["color"]["scale"]
    return dict(zip(scale["domain"], scale["range"], strict=True))


def test_a_tcp_has_one_colour_and_one_place_in_all_figures():
    s = af.sweep("jung/mixed", {"tcp": "vegas,sack,reno", "stations": [2, 4]}, seeds=1, **TINY)
    data = of_ran(s._ran, "results", "")
    whole, part = colours(data), colours(of_ran(s._ran, "results", "tcp IN ('reno', 'sack')"))
    assert list(whole) == ["reno", "sack", "vegas"] and list(part) == ["reno", "sack"]
    assert part == {name: whole[name] for name in part} and len(set(whole.values())) == 3
    study = load("jung")
    shown = series_of(study, "tcp", ["vegas", "reno"])
    assert dict(zip(shown.labels, shown.colours, strict=True)) == {"Reno": whole["reno"], "Vegas": whole["vegas"]}


def test_other_words_keep_their_colours_whichever_are_shown():
    axis = ["a", "reno", "b", "c"]
    assert places(["c", "a"], axis) == [places(axis, axis)[i] for i in (3, 0)]
    assert len(set(places(axis, axis))) == len(axis)


def test_counts_are_not_logarithmic_and_captions_mention_cut_intervals(swept):
    data = read(swept, None, "session_bytes = 5000 AND tcp = 'reno'")

    def drawn(values, log=None):
        frame = data.frame.with_columns(polars.Series("sessions_unfinished", values, dtype=polars.Float64))
        return figure(replace(data, frame=frame), Asked(("sessions_unfinished",), x="stations"), log)

    counted = drawn([1, 1, 1, 50, 70, 90, 200, 210, 220])
    assert '"type": "log"' not in json.dumps(counted.drawing.spec) and not counted.remarks
    assert "Intervals are cut" in drawn([0, 0, 1, 5, 5, 5, 9, 9, 9]).caption
    assert "The axis does not start at zero." in drawn([80, 81, 82, 85, 86, 87, 90, 91, 92]).caption
    assert "start at zero" not in counted.caption
    asked = drawn([0, 0, 0, 50, 70, 90, 200, 210, 220], log="y")
    assert "1 mean at or below zero: left out, as the axis is logarithmic" in asked.caption


def test_a_note_on_one_of_several_metrics_names_it(swept):
    data = read(swept, None, "session_bytes = 5000 AND tcp = 'reno'")
    high = polars.Series("throughput_total", [80e6, 81e6, 82e6, 85e6, 86e6, 87e6, 90e6, 91e6, 92e6])
    low = polars.Series("collision_rate", [0.01, 0.012, 0.01, 0.2, 0.21, 0.2, 0.3, 0.31, 0.3])
    both = replace(data, frame=data.frame.with_columns(high, low))
    caption = figure(both, Asked((high.name, low.name), x="stations"), None).caption
    assert f"{title(high.name)}: the axis does not start at zero." in caption


def test_the_legend_shows_the_dashes_of_lines_without_dots(swept):
    def legends(kind, metric="throughput_total"):
        drawn = figure(read(swept, None, "session_bytes = 5000"), Asked((metric,), kind=kind, color="tcp"), None)
        return re.findall(r'"symbolSize": (\d+)', json.dumps(drawn.drawing.spec))

    (cdf,) = set(legends("cdf"))
    assert float(cdf) ** 0.5 > 20  # a dash with its gap takes 11 pixels
    assert all(float(size) < 100 for size in legends("line"))


@pytest.mark.parametrize("kind", ["line", "heatmap", "box", "cdf"])
def test_points_without_a_value_are_counted(kind):
    s = af.sweep("jung/mixed", {"direction": ["download", "upload"], "stations": [2, 4]}, seeds=2, **TINY)
    along = {"x": None, "color": "stations", "facet": "direction"} if kind == "cdf" else {"x": "stations"}
    caption = s.plot("throughput_up", kind=kind, **along).caption
    assert "2 points have no value" in caption


@pytest.mark.parametrize(
    ("seeds", "table", "kind", "words"),
    [
        (1, "results", "box", "One seed: each box is a single value."),
        (1, "results", "cdf", "One seed: each curve is a single value."),
        (1, "sessions", "box", "over the sessions of one seed"),
        (2, "results", "box", "over the seeds"),
        (2, "sessions", "cdf", "over the sessions of all seeds"),
    ],
)
def test_captions_name_the_spread(seeds, table, kind, words):
    s = af.sweep("jung/mixed", {"stations": [2, 4]}, seeds=seeds, **TINY)
    metric = "finish_time_acked" if table == "sessions" else "throughput_total"
    assert words in s.plot(metric, kind=kind, table=table).caption


@pytest.mark.parametrize(
    ("metric", "where"),
    [("finish_time_sent", "at or beyond the end"), ("instantaneous_fairness_sent", "at or below the start")],
)
def test_captions_say_where_unfinished_sessions_are(swept, metric, where):
    data = read(swept, "sessions", FOUR, (metric,))
    finished = polars.int_range(polars.len()).over("tcp", "session_bytes") > 0
    frame = data.frame.with_columns(polars.when(finished).then(polars.col(metric)).alias(metric))
    drawn = figure(replace(data, frame=frame), Asked((metric,), kind="cdf"))
    assert re.search(rf", \d+ of them unfinished \({where} of the curves\)\.", drawn.caption)


def test_html_of_panels_says_that_it_is_vega_lite(plotted):
    _, [page] = plotted("--y", "throughput_total", "--facet", "session_bytes", "--format", "html")
    [spec] = re.findall(r'<script type="application/json" id="source"[^>]*>(.*?)</script>', page.read_text())
    assert "/vega-lite/" in json.loads(spec)["$schema"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--x", "statons", "--y", "jain_persistent"], ["did you mean stations?"]),
        (["--x", "stations", "--y", "jain_persistant"], ["did you mean jain_persistent?"]),
        (["--x", "period", "--y", "throughput_total"], ["at all points"]),
        (["--x", "throughput_total", "--y", "throughput_total"], ["it is measured"]),
        (["--x", "stations"], ["--y", "throughput_total"]),
        (["--y", "throughput_total", "--kind", "boxes"], ["did you mean box?"]),
        (["--y", "throughput_total", "--format", "eps"], ["png, svg, pdf, html"]),
        (["--y", "throughput_total", "--log", "z"], ["xy"]),
        (["--y", "throughput_total", "--table", "result"], ["did you mean results?"]),
        (["--y", "throughput_total", "--where", "stations > 100"], ["no rows"]),
        (["--y", "throughput_total", "--where", "stations >"], ["SQL"]),
        (["--y", "throughput_total,jain"], ["repeat it, one metric each: --y throughput_total --y jain"]),
        (["--y", "throughput_total", "--x", "tcp", "--color", "tcp"], ["one place"]),
        (["--kind", "heatmap", "--y", "jain_persistent", *ONE[:1], "stations = 2 AND tcp = 'reno'"], ["two axes"]),
    ],
)
def test_bad_input_writes_nothing(airfair, swept, arguments, words):
    refused = airfair("plot", str(swept), *arguments)
    assert refused.returncode == 2 and refused.stdout == "" and refused.stderr.count("error: ") == 1
    assert all(word in refused.stderr for word in words), refused.stderr
    assert not (swept / "figures").exists()


def test_where_there_is_nothing_to_plot(airfair, tmp_path):
    assert "does not exist" in airfair("plot", "nowhere", "--y", "jain").stderr
    refused = airfair("plot", ".", "--y", "jain")
    assert refused.returncode == 2 and "it holds no sweep" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_why_a_metric_has_no_value(airfair, tmp_path):
    (tmp_path / "a.toml").write_text(OUTAGES)
    assert airfair("sweep", "a.toml", "--over", "down=100 ms,200 ms", "--out", "s").returncode == 0
    names = polars.read_parquet(tmp_path / "s" / "results.parquet")
    empty = [name for name in names.columns if names[name].null_count() == names.height]
    measured = json.loads(polars.read_parquet_metadata(tmp_path / "s" / "results.parquet")["metrics"])
    metric = next(name for name in empty if name in measured)
    refused = airfair("plot", "s", "--y", metric)
    assert refused.returncode == 2 and re.search(r"no value at any point: \w+", refused.stderr)


def test_each_reason_is_told(airfair, tmp_path):
    late = 'name = "page{i}", count = "pages", from = "a", to = "b", traffic = "web", period = "5 s", start = "50 s"'
    pages = '[parameters.pages]\nunit = "count"\ndefault = 0\n'
    (tmp_path / "a.toml").write_text(OUTAGES.replace('to = "b" }]', f'to = "b" }}, {{ {late} }}]') + pages)
    over = ["--over", "pages=0,1", "--metrics", "page_load_time_mean", "--quiet"]
    assert airfair("sweep", "a.toml", *over, "--out", "s").returncode == 0
    refused = airfair("plot", "s", "--y", "page_load_time_mean").stderr
    assert "there are no flows of web traffic" in refused and "there are no pages that start" in refused
    assert refused.count("; elsewhere ") == 1 and refused.count("\n") == 1


def test_a_sweep_that_has_not_ended(airfair, swept, tmp_path, plotted):
    copy = shutil.copytree(swept, tmp_path / "copy")
    for name in ("results", "sessions"):
        (copy / f"{name}.parquet").unlink()
    remove(copy)
    document, _ = plotted("--x", "stations", "--y", "throughput_total", directory=copy)
    assert "has not ended: 35 runs so far" in document["note"] and len(document["points"]) == 12


def test_studies_and_runs(airfair, tmp_path):
    done = airfair("reproduce", "fall-floyd", "--quick", "--out", "study")
    assert done.returncode == 0, done.stderr
    drawn = airfair("plot", "study", "--x", "losses", "--y", "achieved_goodput", "--out", "a", "--json")
    document = json.loads(drawn.stdout)
    assert document["x"] == {"name": "losses", "unit": "packet"} and document["color"]["name"] == "tcp"
    assert airfair("run", "jung/mixed", "--set", "duration=20 s", "--out", "run").returncode == 0
    for flows in ([], ["--color", "flow"]):
        drawn = airfair("plot", "run", "--y", "instantaneous_fairness_acked", *flows, "--json")
        document = json.loads(drawn.stdout)
        assert document["table"] == "sessions" and len(document["points"]) == (2 if flows else 1)
    refused = airfair("plot", "run", "--y", "throughput_total")
    assert refused.returncode == 2 and "a run has one value of it, and here each session is a point" in refused.stderr


@pytest.mark.parametrize("kind", ["line", "heatmap"])
def test_axes_may_be_paths(tmp_path, kind):
    over = {"tcp.window": [4, 8, 12], "node.ap.queue.length": [5, 10]}
    af.sweep("jung/mixed", over, out=tmp_path, **TINY)
    asked = Asked(("throughput_total",), x="tcp.window", color="node.ap.queue.length", kind=kind)
    drawn = figure(read(tmp_path, "results", ""), asked).svg
    words = re.findall(r"<text[^>]*>([^<]+)</text>", drawn)
    assert {"tcp.window (segments)", "node.ap.queue.length (packets)", "4", "12", "5", "10"} <= set(words)
    marks = re.findall(r'aria-label="tcp\.window: (\d+) segment; node\.ap\.queue\.length: (\d+) packet;', drawn)
    assert {(int(window), int(length)) for window, length in marks} == set(itertools.product([4, 8, 12], [5, 10]))


def test_names_in_words():
    words = {
        "finish_time_acked_mean": "Mean finish time, until acknowledged",
        "throughput_up_ip": "Throughput, upstream, with headers",
        "starved_up": "Starved flows, upstream",
        "ap_queue_mean": "Mean AP queue",
        "sessions_unfinished": "Unfinished sessions",
        "session_bytes": "Session length",
        "tcp": "TCP",
        "node.ap.queue.length": "node.ap.queue.length",
    }
    assert {name: title(name) for name in words} == words
    assert all(title(entry["name"]) for entry in af.metrics())


def words_at(panel, channel):
    """Whether an axis of a panel has labels."""
    return all(layer["encoding"][channel].get("axis", {}).get("labels", True) for layer in panel["layer"][:-1])


@pytest.mark.parametrize(
    ("apart", "along_x", "along_y"),
    [
        (None, [False, True, True], [True, False, True]),
        ("y", [False, True, True], [True, True, True]),
        ("x", [True, True, True], [True, False, True]),
    ],
)
def test_axes_stand_where_panels_end(apart, along_x, along_y):
    chart = alt.layer(alt.Chart().mark_point().encode(x="a:Q", y="b:Q")).properties(width=100, height=80)
    rows = [{"panel": panel, "a": 1, "b": 2} for panel in "uvw"]
    panels = side_by_side(chart, rows, ["u", "v", "w"], columns=2, apart=apart)["concat"]
    assert [words_at(panel, "x") for panel in panels] == along_x
    assert [words_at(panel, "y") for panel in panels] == along_y
    assert [panel["data"]["values"] for panel in panels] == [[row] for row in rows]


def test_panels_that_differ_by_much_have_their_own_scales():
    assert scales_apart([0.6e6, 10e6]) and not scales_apart([2e6, 10e6]) and not scales_apart([0, 1])


def test_numbers_among_words_stand_by_size():
    data = Data("a", "results", polars.DataFrame({"queue": ["bdp", "100", "50", None]}), ("queue",), (), {})
    assert Along.of(data, "queue").values == ("50", "100", "bdp", None)


@pytest.mark.parametrize(
    ("values", "logarithmic"),
    [
        ([1, 2, 5, 10, 20, 50], True),
        ([0.0001, 0.001, 0.01, 0.05], True),
        (list(range(1, 101)), False),
        ([0, 1, 10, 100], False),
        ([2, 4, 8, 16], False),
    ],
)
def test_x_is_logarithmic_where_its_values_are_spaced_like_that(values, logarithmic):
    assert Along("a", tuple(values), True, Scale(1.0, "")).logarithmic == logarithmic


@pytest.mark.parametrize(
    ("values", "unit", "counts"),
    [((2, 3, 4), "", True), ((2.0, 3.0, 4.0), "", False), ((2000, 4000), "byte", False), (("a", "b"), "", False)],
)
def test_an_axis_has_counts_if_its_values_are_whole_and_shown_as_they_are(values, unit, counts):
    assert Along.over("a", values, unit).counts == counts


@pytest.mark.parametrize("counts", [True, False])
def test_an_axis_of_counts_has_no_marks_between_whole_numbers(counts):
    chart = (
        alt.Chart(alt.InlineData(values=[{"x": 2}, {"x": 4}])).mark_point().encode(x=number_axis("n", counts=counts))
    )
    marks = re.findall(r">([\d.]+)</text>", vl_convert.vegalite_to_svg(chart.to_dict()))
    assert {"2", "3", "4"} <= set(marks)
    assert any("." in mark for mark in marks) != counts
