"""`airfair results` and `airfair cache`."""

import io
import json
import os
import re
import shlex
import shutil
import statistics

import duckdb
import polars
import pytest
from sweeping import OUTAGES, TINY, TINY_OPTIONS, points
from sweeping import earlier as earlier_version

import airfair as af
from airfair import InputError
from airfair.command import Common
from airfair.sweeps.query import Query, asked, opened
from airfair.sweeps.upkeep import cache


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    out = tmp_path_factory.mktemp("swept") / "out"
    af.sweep("jung/mixed", {"stations": [2, 4], "tcp": ["reno", "vegas"]}, seeds=3, out=out, **TINY)
    return out


def rows(directory, **query):
    return asked(opened(directory, query.get("table", "results")), Query(**query))


def test_rows_that_cannot_be_told_apart_are_noted(airfair, swept):
    query = ["results", str(swept), "--where", "stations = 4", "--select"]
    noted = "rows of several tcp, seed: name them in --select to tell the rows apart\n"
    assert noted in airfair(*query, "throughput_total").stderr
    for told in ("tcp, seed, throughput_total", "max(throughput_total)"):
        assert "rows of several" not in airfair(*query, told).stderr
    assert airfair(*query, "throughput_total", "--format", "csv").stderr == ""


def test_where_and_select_are_sql(swept):
    frame = rows(swept, where="stations > 2 AND tcp = 'vegas'", select="seed, throughput_total * 2 AS twice")
    assert frame.columns == ["seed", "twice"] and frame["seed"].to_list() == [1, 2, 3]
    everything = polars.read_parquet(swept / "results.parquet")
    wanted = everything.filter(stations=4, tcp="vegas")["throughput_total"] * 2
    assert frame["twice"].to_list() == wanted.to_list()


def test_without_a_choice_there_are_axes_seed_and_metrics(swept):
    frame = rows(swept)
    assert frame.columns[:3] == ["stations", "tcp", "seed"] and "throughput_total" in frame.columns
    assert "duration" not in frame.columns and frame.height == 12


def test_groups_have_means_and_intervals(swept):
    frame = rows(swept, group="stations, tcp", select="throughput_total")
    assert frame.columns[:3] == ["stations", "tcp", "n"] and frame.height == 4
    values = rows(swept, where="stations = 4 AND tcp = 'reno'")["throughput_total"].to_list()
    [row] = frame.filter(stations=4, tcp="reno").to_dicts()
    assert row["n"] == 3 and row["throughput_total"] == pytest.approx(statistics.fmean(values))
    assert row["throughput_total_low"] < row["throughput_total"] < row["throughput_total_high"]


def test_means_over_an_axis_are_told(airfair, swept):
    group = ["results", str(swept), "--select", "throughput_total", "--group"]
    assert airfair(*group, "tcp,stations").stderr == ""
    assert airfair(*group, "tcp", "--where", "stations = 2").stderr == ""
    mixed = airfair(*group, "tcp")
    assert mixed.returncode == 0 and mixed.stderr.startswith("means over stations as well as over seeds")


@pytest.mark.parametrize("table", ["sessions", "failures", "timings"])
def test_other_tables(swept, table):
    frame = rows(swept, table=table)
    assert frame.equals(polars.read_parquet(swept / f"{table}.parquet"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"where": "station > 2"}, ['SQL: there is no column "station"; similar: "stations"']),
        ({"where": "stations >"}, ['SQL: syntax error at or near ">"']),
        ({"where": "tcp = 1"}, ["SQL: the column tcp holds texts, such as 'reno': a text stands in single quotes"]),
        ({"where": "stations = 'two'"}, ["SQL: 'two' is a text, and a number is needed"]),
        ({"where": "1 = 1); DROP TABLE results; --"}, ["SQL"]),
        ({"select": "* FROM results; COPY results TO 'stolen.csv'; SELECT seed"}, ["not statements"]),
        ({"where": "seed = 1; DROP TABLE results"}, ["SQL: conditions and columns are expected, not statements"]),
        ({"select": "(SELECT count(*) FROM read_csv('/etc/passwd'))"}, ["Permission"]),
        ({"group": "tcp", "select": "tcp"}, ["not numeric"]),
        ({"group": "tcp", "select": "count(*) AS n"}, ["a column n already, the number of its rows: choose"]),
        ({"group": "tcp", "select": "throughput_total AS n"}, ["a column n already, the number of its rows: choose"]),
        (
            {"group": "tcp", "select": "throughput_total, max(seed) AS throughput_total_low"},
            ["a column throughput_total_low already: choose"],
        ),
        ({"group": "tpc"}, ["tpc"]),
        ({"group": "tcp", "select": "seed / 0 AS x"}, ["--group: x is infinite or NaN in some rows: leave these out"]),
        ({"select": "INTERVAL 1 DAY AS i"}, ["SQL: i is of type INTERVAL", "cast it to VARCHAR"]),
        ({"select": "[{'a': INTERVAL 1 DAY}] AS i"}, ["SQL: i is of type STRUCT(a INTERVAL)[]"]),
        ({"select": "'x'::VARIANT AS i"}, ["SQL: i is of type VARIANT"]),
        ({"group": "tcp", "table": "sessions"}, ["--select"]),
    ],
)
def test_bad_sql_is_one_message(swept, tmp_path, monkeypatch, query, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refused:
        rows(swept, **query)
    assert all(word in str(refused.value) for word in words) and "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_formats(airfair, swept, tmp_path):
    where = ["results", str(swept), "--where", "stations = 4", "--select", "tcp, seed, throughput_total"]
    shown = airfair(*where)
    assert shown.returncode == 0, shown.stderr
    assert "Mb/s" in shown.stdout and shown.stderr == ""
    csv = polars.read_csv(io.StringIO(airfair(*where, "--format", "csv").stdout))
    document = json.loads(airfair(*where, "--json").stdout)
    assert document["columns"]["throughput_total"] == {"unit": "bit/s"}
    assert csv.to_dicts() == document["rows"] and csv.height == 6
    assert airfair(*where, "--format", "parquet", "--out", "mine").returncode == 0
    assert polars.read_parquet(tmp_path / "mine" / "results.parquet").to_dicts() == document["rows"]


@pytest.mark.parametrize(
    "value", ["list(seed)", "map {1: any_value(seed)}", "{'a': min(seed)}", "any_value('{}'::JSON)"]
)
def test_csv_has_plain_columns_alone(airfair, swept, value):
    query = ["results", str(swept), "--group", "stations,tcp", "--select", f"{value} AS l"]
    refused = airfair(*query, "--format", "csv")
    assert (refused.returncode, refused.stdout) == (2, "") and refused.stderr.count("\n") == 1
    assert refused.stderr.startswith("error: --format csv: l is of type ")
    assert airfair(*query).returncode == airfair(*query, "--json").returncode == 0


def test_numbers_that_json_lacks_are_null(airfair, swept):
    select = "seed, throughput_total / 0 AS x, 'nan'::DOUBLE AS y, [-1 / 0] AS z, 1.5 AS w"
    document = airfair("results", str(swept), "--select", select, "--limit", "1", "--json").stdout
    [row] = json.loads(document, parse_constant=pytest.fail)["rows"]
    assert (row["x"], row["y"], row["z"], row["w"]) == (None, None, [None], "1.5")


def test_a_group_may_be_named_twice(swept):
    assert rows(swept, group="tcp, tcp").equals(rows(swept, group="tcp"))


def test_aggregates_stand_beside_means(swept):
    query = "jain_persistent AS share, quantile_cont(throughput_total, 0.5) AS middle, max(seed) - min(seed) AS span"
    frame = rows(swept, group="stations, tcp", select=query)
    assert frame.columns == ["stations", "tcp", "n", "share", "share_low", "share_high", "middle", "span"]
    assert frame.height == 4 and set(frame["span"]) == {2}
    values = rows(swept, where="stations = 4 AND tcp = 'reno'")["throughput_total"].to_list()
    [row] = frame.filter(stations=4, tcp="reno").to_dicts()
    assert row["middle"] == statistics.median(values)
    alone = rows(swept, group="tcp", select="count(*) AS runs")
    assert alone.to_dicts() == [{"tcp": "reno", "n": 6, "runs": 6}, {"tcp": "vegas", "n": 6, "runs": 6}]


def test_rows_are_ordered_and_limited(swept):
    best = rows(swept, order="throughput_total DESC, seed", limit=3, select="stations, throughput_total")
    everything = polars.read_parquet(swept / "results.parquet")["throughput_total"]
    assert best["throughput_total"].to_list() == everything.sort(descending=True).head(3).to_list()
    assert len(rows(swept, limit=2**64)) == len(rows(swept)) > 3
    groups = rows(swept, group="stations,tcp", select="throughput_total", order="throughput_total", limit=2)
    assert groups.height == 2 and groups["throughput_total"].is_sorted()
    with pytest.raises(InputError, match="thruput"):
        rows(swept, order="thruput")


def test_sessions_have_the_names_of_metrics_as_well(swept):
    frame = rows(swept, table="sessions", select="acked, finish_time_acked, instantaneous_fairness_sent, ideal, sent")
    assert frame["acked"].equals(frame["finish_time_acked"], check_names=False)
    assert (frame["ideal"] / frame["sent"]).equals(frame["instantaneous_fairness_sent"], check_names=False)
    assert rows(swept, table="sessions", where="finish_time_acked > 1e9").height == 0
    grouped = rows(swept, table="sessions", group="tcp", select="finish_time_acked")
    assert grouped.columns == ["tcp", "n", "finish_time_acked", "finish_time_acked_low", "finish_time_acked_high"]


def test_a_pipe_gets_one_table_however_many_columns_there_are(airfair, swept):
    metrics = "throughput_total, throughput_persistent, finish_time_acked_mean, instantaneous_fairness_acked"
    shown = airfair("results", str(swept), "--group", "stations,tcp", "--select", metrics).stdout.splitlines()
    assert len(shown) == 5 and shown[0].split() == ["stations", "tcp", "n", *metrics.split(", ")]


def test_a_terminal_gets_the_columns_that_fit_and_the_names_of_the_rest(airfair, swept):
    terminal = {**os.environ, "TTY_COMPATIBLE": "1"}

    def shown(width, *more):
        query = ["--where", "finish_time_acked_mean > 0", "--limit", "1", *more]
        found = airfair("results", str(swept), *query, env={**terminal, "COLUMNS": str(width)})
        printed, told = (re.sub(r"\x1b\[\d*m", "", text) for text in (found.stdout, found.stderr))
        header, row, *rest = printed.splitlines()
        left = told.partition("no room for ")[2].partition("--select")[0].replace(",", "").split()
        assert not left or max(map(len, (header, row))) <= width
        assert bool(left) == ("shows columns of your choice" in told)
        return header.split(), left, rest

    whole, nothing, _ = shown(1000)
    assert nothing == []
    header, left, rest = shown(80)
    # One of each family first.
    assert header == ["stations", "tcp", "seed", "instantaneous_fairness_sent", "finish_time_sent_mean"] and rest == []
    assert sorted([*header, *left]) == sorted(whole) and len(left) > 10
    assert "throughput_total" in shown(120)[0]
    assert shown(80, "--group", "tcp")[1]
    names = "throughput_total, throughput_persistent, finish_time_acked_mean, instantaneous_fairness_acked"
    _, nothing, rest = shown(80, "--select", names)
    assert nothing == [] and len(rest) == 2  # a second block


def test_with_out_csv_goes_into_the_file_alone(airfair, swept, tmp_path):
    query = ["results", str(swept), "--select", "tcp, seed"]
    printed = airfair(*query, "--format", "csv").stdout
    written = airfair(*query, "--format", "csv", "--out", "there")
    assert written.stdout == "" and written.stderr == "written: there/results.csv\n"
    assert (tmp_path / "there" / "results.csv").read_text() == printed
    table = airfair(*query, "--out", "table")
    assert "reno" in table.stdout and (tmp_path / "table" / "results.csv").read_text() == printed
    both = airfair(*query, "--json", "--out", "both")
    assert json.loads(both.stdout) == json.loads((tmp_path / "both" / "results.json").read_text())


def test_nothing_of_a_table_is_cut_off(airfair, swept, tmp_path):
    af.sweep("ghosh/wireless", {"red_min": [0.1, 0.8]}, out=tmp_path / "red", queue="red", **TINY)
    shown = airfair("results", "red", "--table", "failures").stdout
    header, first, *_ = shown.splitlines()
    assert header.split() == ["red_min", "seed", "reason"] and first.split()[0] == "0.8"
    [reason] = rows(tmp_path / "red", table="failures")["reason"]
    assert " ".join(shown.split()[4:]) == reason
    narrow = airfair("results", str(swept), env={**os.environ, "COLUMNS": "20"}).stdout
    assert narrow == airfair("results", str(swept)).stdout and len(narrow.splitlines()) == 13


def test_directories_may_be_called_anything(airfair, tmp_path):
    """Characters that are special in file names, SQL or terminals are printed and read unchanged."""
    place = "it's [red] *é?"
    others = tmp_path / "it's d éx"
    af.sweep("jung/mixed", {"stations": [6]}, out=others, **TINY)
    made = airfair("sweep", "jung/mixed", "--over", "stations=2,4", *TINY_OPTIONS, "--out", place)
    assert f"results: {place}/results.parquet\n" in made.stdout
    assert shlex.split(made.stdout.splitlines()[-1].replace(",", ""))[-1] == place
    found = json.loads(airfair("results", place, "--json").stdout)["rows"]
    assert [row["stations"] for row in found] == [2, 4]
    for command in (["report", place], ["plot", place, "--y", "throughput_total"], ["cache", place, "--verify"]):
        finished = airfair(*command)
        assert finished.returncode == 0 and finished.stderr == "", finished.stderr
    assert (tmp_path / place / "report.html").exists() and (tmp_path / place / "figures").is_dir()
    file = airfair("show", "jung/mixed").stdout
    (tmp_path / f"{place}.toml").write_text(file)
    assert airfair("check", f"{place}.toml").stdout == f"{place}.toml: valid\n"


def test_no_rows_are_told(airfair, swept):
    shown = airfair("results", str(swept), "--where", "stations = 3")
    assert shown.returncode == 0 and (shown.stdout, shown.stderr) == ("", "stations has 2, 4\nno rows\n")
    shown = airfair("results", str(swept), "--where", "tcp = 'cubic' AND seed = 1")
    assert shown.stderr == "tcp has 'reno', 'vegas'\nno rows\n"
    refused = airfair("plot", str(swept), "--y", "throughput_total", "--where", "stations = 3")
    assert refused.returncode == 2 and "(stations has 2, 4)" in refused.stderr


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("throughput_total > 5 Mb/s", "5000000 for 5 Mb/s"),
        ("finish_time_acked_mean < 500ms AND stations = 2", "0.5 for 500ms"),
    ],
)
def test_a_condition_with_a_unit_is_told_what_to_write(airfair, swept, where, told):
    for command in (["results"], ["plot", "--y", "throughput_total"]):
        refused = airfair(command[0], str(swept), *command[1:], "--where", where)
        assert refused.returncode == 2 and f"values are in SI, without units: {told}\n" in refused.stderr


def test_a_narrower_command_tells_where_the_other_runs_are(airfair, tmp_path):
    wide = ["sweep", "jung/mixed", "--over", "stations=2,4", *TINY_OPTIONS, "--out", "mine"]
    assert "tables" not in airfair(*wide).stderr
    narrow = airfair(*(word.replace("2,4", "2") for word in wide))
    assert "mine: its tables had 2 runs, and have those of this command now" in narrow.stderr
    again = airfair(*wide)
    assert "tables" not in again.stderr and "2 runs: 2 found from before" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(["--format", "cvs"], "csv"), (["--table", "session"], "sessions"), (["--where", "zz = 1"], "zz")],
)
def test_bad_input(airfair, swept, arguments, word):
    refused = airfair("results", str(swept), *arguments)
    assert refused.returncode == 2 and refused.stdout == ""
    assert refused.stderr.count("error: ") == 1 and word in refused.stderr


def test_a_directory_without_a_sweep(airfair, tmp_path):
    for command in ("results", "sweep", "cache"):
        refused = airfair(command, ".")
        assert refused.returncode == 2 and "holds no" in refused.stderr


@pytest.fixture
def copy(swept, tmp_path):
    return shutil.copytree(swept, tmp_path / "copy")


@pytest.mark.parametrize("table", ["results", "sessions"])
@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_table_that_is_not_there_is_put_together_from_the_store(copy, swept, table, damage):
    file = copy / f"{table}.parquet"
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:500])
    source = opened(copy, table)
    assert source.file is None and "airfair sweep" in source.note
    assert asked(source, Query(table)).equals(asked(opened(swept, table), Query(table)))


def test_other_programs_read_the_tables(swept):
    [(count,)] = duckdb.execute(f"SELECT count(*) FROM '{swept}/results.parquet' WHERE tcp = 'vegas'").fetchall()
    assert count == 6


def test_cache_counts_verifies_and_prunes(airfair, copy):
    shown = json.loads(airfair("cache", str(copy), "--json").stdout)
    [version] = shown["versions"]
    assert version["model_version"] == af.MODEL_VERSION and version["results"] == 12 and version["bytes"] > 1000
    assert (shown["damaged"], shown["unfinished"]) == (0, 0)
    sound = airfair("cache", str(copy), "--verify")
    assert sound.returncode == 0 and "as it was written" in sound.stdout

    earlier_version(copy)
    damaged, *_ = sorted(copy.glob("points/*/*.gz"))
    damaged.write_bytes(damaged.read_bytes()[:-20])
    earlier, left, fresh, others = (
        damaged.with_name(f"{damaged.name}{end}")
        for end in (".1-2.tmp", ".1-0123abcd.airfair.tmp", ".2-0123abcd.airfair.tmp", ".tmp")
    )
    for path in (earlier, left, fresh, others):
        path.write_text("")
    for path in (earlier, left, others):
        os.utime(path, (0, 0))
    found = airfair("cache", str(copy), "--verify")
    assert found.returncode == 1 and damaged.name in found.stdout.replace("\n", "")
    assert "remove them with: airfair cache" in found.stdout.replace("\n", " ")
    kept = shutil.copytree(copy, copy.with_name("kept"))
    assert "1 result and 2 half-written files removed" in airfair("cache", str(kept), "--prune").stdout
    pruned = json.loads(airfair("cache", str(copy), "--prune", "--json").stdout)
    assert pruned["removed"] == 3 and len(points(copy)) == 11
    assert set(copy.glob("points/*/*.tmp")) == {fresh, others}
    assert airfair("cache", str(copy), "--verify").returncode == 0


@pytest.mark.parametrize("stored", ["in segments", "as earlier versions did"])
def test_results_of_other_versions_are_pruned(copy, monkeypatch, stored):
    if stored != "in segments":
        earlier_version(copy)
    monkeypatch.setattr("airfair._engine.MODEL_VERSION", af.MODEL_VERSION + 1)
    assert cache(copy, Common(json=True), verify=True, prune=False) == 0 and len(points(copy)) == 12
    assert cache(copy, Common(json=True), verify=False, prune=True) == 0 and len(points(copy)) == 0


#: Names of the columns that tables and intermediate results have beside the axes.
INTERNAL = """
    text value kind size word number place seed row chance seeds len n mean ci95 metric p5 p25 median p75 p95
    values shares missing flow start bytes ideal sent acked delivered reason wall_time Host finished sessions
    throughput_total parameter_seed
"""


def test_parameters_may_differ_only_in_case(airfair, tmp_path):
    """To SQL they would be one column."""
    declared = 'Delay = { unit = "s", default = "1 ms" }\ndelay = { unit = "s", default = "1 ms" }\n'
    (tmp_path / "mine.toml").write_text(
        OUTAGES.replace('delay = "1 ms"', 'delay = "Delay + delay"').replace(
            "[parameters]\n", f"[parameters]\n{declared}"
        )
    )
    axes = ["--over", "Delay=1,2 ms", "--over", "delay=5,6 ms"]
    swept = airfair("sweep", "mine.toml", *axes, "--out", "out")
    assert swept.returncode == 0, swept.stderr
    for column, values in (("Delay", [0.001, 0.002]), ("parameter_delay", [0.005, 0.006])):
        grouped = airfair("results", "out", "--group", column, "--json")
        assert [row[column] for row in json.loads(grouped.stdout)["rows"]] == values
    drawn = airfair("plot", "out", "--y", "throughput_total", "--json")
    assert drawn.returncode == 0, drawn.stderr


def test_a_flag_that_no_point_sets_has_the_column_of_one_that_is_set():
    tables = [
        af.sweep("ghosh/wireless", {axis: [value]}, duration="1 s").results.to_polars()
        for axis in ("delayed_ack", "tcp.delayed_ack")
        for value in ("default", "true")
    ]
    for unset, given in (tables[:2], tables[2:]):
        assert unset.schema == given.schema and polars.concat([unset, given]).height == 2


def test_parameters_may_be_called_like_any_column(airfair, tmp_path):
    names = INTERNAL.split()
    declared = "".join(f'{name} = {{ unit = "s", default = "1 ms" }}\n' for name in names if name != "start")
    delay = " + ".join(names)
    (tmp_path / "mine.toml").write_text(
        OUTAGES.replace('delay = "1 ms"', f'delay = "{delay}"').replace("[parameters]\n", f"[parameters]\n{declared}")
    )
    axes = [option for name in names for option in ("--over", f"{name}=1,2 ms")]
    zipped = ["--zip", ",".join(names)]
    swept = airfair("sweep", "mine.toml", *axes, *zipped, "--seeds", "2", "--out", "out", "--json")
    assert swept.returncode == 0, swept.stderr
    assert [set(point["parameters"]) for point in json.loads(swept.stdout)["points"]] == [set(names)] * 2
    results = polars.read_parquet(tmp_path / "out" / "results.parquet")
    columns = results.columns[: len(names)]
    assert columns[0] == "text" and {"parameter_seed", "parameter_Host", "parameter_parameter_seed"} <= set(columns)
    for name in columns:
        assert results[name].to_list() == [0.001, 0.001, 0.002, 0.002]
    for command in (["results", "out"], ["results", "out", "--group", "word"], ["report", "out"]):
        done = airfair(*command)
        assert done.returncode == 0, done.stderr
    for kind in ("line", "box", "cdf", "heatmap"):
        drawn = airfair("plot", "out", "--y", "throughput_total", "--kind", kind, "--format", "svg", "--json")
        assert drawn.returncode == 0, drawn.stderr
        points = json.loads(drawn.stdout)["points"]
        assert points and all(point["metric"] == "throughput_total" for point in points)
