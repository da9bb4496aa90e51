"""`airfair sweep` and `af.sweep`: points, tables, resuming, refusing."""

import dataclasses
import json
import pickle
import platform
import re
import shutil
from dataclasses import replace

import polars
import pytest
from sweeping import OUTAGES, TINY, TINY_OPTIONS, last_command, points, remove, results, tables

import airfair as af
from airfair import _engine, cli
from airfair.catalogue.parameters import written_axis
from airfair.runs import executor, workers
from airfair.runs.tables import parquet
from airfair.store import entries
from airfair.store.output import Output
from airfair.store.store import Store
from airfair.sweeps import sweep_file
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import plan
from airfair.sweeps.runner import run, stored
from airfair.sweeps.spec import Sweep, Until


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A sweep over numbers and words."""
    out = tmp_path_factory.mktemp("swept") / "out"
    af.sweep("jung/mixed", {"stations": [10, 2, 4], "tcp": "vegas,reno"}, seed=3, seeds=2, out=out, **TINY)
    return out


def test_rows_are_sorted_by_number_word_and_seed(swept):
    rows = results(swept).select("stations", "tcp", "seed").rows()
    assert rows == [(n, tcp, seed) for n in (2, 4, 10) for tcp in ("reno", "vegas") for seed in (3, 4)]


def test_every_row_tells_all_parameters_and_metrics_in_si(swept):
    frame = results(swept)
    assert frame.columns[:3] == ["stations", "tcp", "seed"]
    assert frame["duration"].unique().to_list() == [10.0]
    assert frame.schema["stations"] == polars.Int64 and frame.schema["wired_delay"] == polars.Float64
    one = af.run("jung/mixed", stations=4, tcp="vegas", seed=4, **TINY)
    row = frame.row(
        by_predicate=(polars.col("stations") == 4) & (polars.col("tcp") == "vegas") & (polars.col("seed") == 4),
        named=True,
    )
    assert {name: row[name] for name in one.metrics} == {name: metric.value for name, metric in one.metrics.items()}


def test_tables_with_a_word_and_without_can_be_joined(swept, tmp_path):
    af.sweep("jung/mixed", {"stations": 2, "tcp": "reno"}, recovery="sack", out=tmp_path / "sack", **TINY)
    unset, given = results(swept), results(tmp_path / "sack")
    assert unset["recovery"].null_count() == len(unset) and unset.schema == given.schema
    assert len(polars.concat([unset, given])) == 13


def test_units_are_in_the_metadata(swept):
    facts = polars.read_parquet_metadata(swept / "results.parquet")
    units = json.loads(facts["units"])
    assert units["throughput_total"] == "bit/s" and units["duration"] == "s" and units["stations"] == "count"
    assert json.loads(facts["axes"]) == ["stations", "tcp"] and facts["complete"] == "true"


def test_sessions_have_the_axes_and_the_seed(swept):
    sessions = polars.read_parquet(swept / "sessions.parquet")
    assert sessions.columns[:4] == ["stations", "tcp", "seed", "flow"]
    chosen = sessions.filter(stations=4, tcp="vegas", seed=4).drop("stations", "tcp")
    one = af.run("jung/mixed", stations=4, tcp="vegas", seed=4, **TINY)
    assert chosen.to_dict(as_series=False) == one.sessions.to_pydict()


def test_no_result_tells_when_or_where(swept):
    for name, contents in tables(swept).items():
        assert platform.node().encode() not in contents, name
    timings = polars.read_parquet(swept / "timings.parquet")
    assert timings["host"].unique().to_list() == [platform.node()]
    assert timings.height == 12 and timings["wall_time"].min() > 0


def test_the_number_of_jobs_changes_no_byte(swept, tmp_path):
    af.sweep("jung/mixed", {"stations": [10, 2, 4], "tcp": "vegas,reno"}, seed=3, seeds=2, out=tmp_path, jobs=1, **TINY)
    assert tables(tmp_path) == tables(swept)


def test_the_same_sweep_computes_nothing_and_a_wider_one_only_new_points(tmp_path):
    out = tmp_path / "out"
    af.sweep("jung/mixed", {"stations": [2, 4]}, out=out, **TINY)
    first, kept = tables(out), points(out)
    af.sweep("jung/mixed", {"stations": [2, 4]}, out=out, **TINY)
    assert last_command(out)["computed"] == 0 and points(out) == kept and tables(out) == first
    af.sweep("jung/mixed", {"stations": [2, 4, 6], "tcp": ["reno", "vegas"]}, seeds=2, out=out, **TINY)
    assert last_command(out)["reused"] == 2 and last_command(out)["computed"] == 10
    assert kept.items() <= points(out).items()
    assert results(out).height == 12
    af.sweep("jung/mixed", {"stations": [2, 4]}, out=out, **TINY)
    assert last_command(out)["computed"] == 0 and tables(out) == first


def test_another_scenario_is_refused(tmp_path):
    out = tmp_path / "out"
    af.sweep("jung/mixed", {"stations": [2]}, out=out, **TINY)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for scenario, parameters, words in (
        ("jung/mixed", {"duration": "20 s", "warmup": "5 s"}, ["there duration is 10 s, here it is 20 s"]),
        (
            "jung/table1",
            {"warmup": "5 s", "duration": "10 s"},
            ["holds a sweep of jung/mixed: this is one of jung/table1"],
        ),
    ):
        with pytest.raises(af.InputError) as refused:
            af.sweep(scenario, {"stations": [2]}, out=out, **parameters)
        assert all(word in str(refused.value) for word in [*words, "give another `out`"]), refused.value
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_a_file_that_changes_nothing_that_is_there_may_change(tmp_path):
    file, out = tmp_path / "mine.toml", tmp_path / "out"
    file.write_text(OUTAGES)
    af.sweep(file, {"down": "100,200 ms"}, out=out)
    file.write_text("# explained\n" + OUTAGES)
    af.sweep(file, {"down": "100,200,300 ms"}, out=out)
    assert last_command(out)["computed"] == 1
    file.write_text(OUTAGES.replace("1 ms", "2 ms"))
    with pytest.raises(
        af.InputError, match=r'model has changed.*: link\[0\]\.delay: there "1 ms", here "2 ms"; give another'
    ):
        af.sweep(file, {"down": "100,200,300 ms"}, out=out)


def test_somebody_elses_files_are_not_overwritten(tmp_path):
    (tmp_path / "sweep.toml").write_text('scenario = "jung/mixed"\n[over]\nstations = [2]\n')
    with pytest.raises(af.InputError, match=r"sweep.toml: AirFair has not written it"):
        af.sweep(tmp_path / "sweep.toml", out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]


def test_a_copied_sweep_file_is_a_sweep_file_like_others(airfair, swept, tmp_path):
    (tmp_path / "mine.toml").write_bytes((swept / "sweep.toml").read_bytes())
    ran = airfair("sweep", "mine.toml")
    assert ran.returncode == 0 and "results: airfair-results/mine/results.parquet" in ran.stdout, ran.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"airfair-results", "mine.toml"}


def test_a_copied_directory_is_continued_without_the_scenarios_file(airfair, tmp_path):
    (tmp_path / "mine.toml").write_text(OUTAGES)
    ran = airfair("sweep", "mine.toml", "--over", "down=100,200 ms", "--seeds", "2", "--out", "here")
    assert ran.returncode == 0, ran.stderr
    shutil.move(tmp_path / "here", tmp_path / "there")
    (tmp_path / "mine.toml").unlink()
    before = tables(tmp_path / "there")
    remove(tmp_path / "there")
    assert airfair("sweep", "there").returncode == 0
    assert last_command(tmp_path / "there")["computed"] == 1 and tables(tmp_path / "there") == before
    wider = airfair("sweep", "there", "--over", "down=100,200,300 ms")
    assert wider.returncode == 0, wider.stderr
    assert last_command(tmp_path / "there")["computed"] == 2


def test_a_sweep_file_says_the_same_as_options(tmp_path):
    file = tmp_path / "wide.toml"
    file.write_text(
        'scenario = "jung/mixed"\nseeds = 2\nseed = 5\nzip = [["stations", "session_bytes"]]\n'
        '[set]\nduration = "10 s"\nwarmup = "5 s"\n'
        '[over]\nstations = [2, 4]\ntcp = ["reno", "vegas"]\nsession_bytes = "10,20 kB"\n'
    )
    af.sweep(file, out=tmp_path / "file")
    over = {"stations": [2, 4], "tcp": "reno,vegas", "session_bytes": ["10 kB", "20 kB"]}
    af.sweep("jung/mixed", over, zip=["stations,session_bytes"], seeds=2, seed=5, out=tmp_path / "call", **TINY)
    assert results(tmp_path / "file").equals(results(tmp_path / "call"))
    rows = results(tmp_path / "file").select("stations", "tcp", "session_bytes", "seed").rows()
    assert rows == [(n, tcp, n * 5000, seed) for n in (2, 4) for tcp in ("reno", "vegas") for seed in (5, 6)]


def test_a_directory_reads_back(tmp_path):
    (tmp_path / "mine.toml").write_text(OUTAGES + "# \\ \"\"\" ''' \\u00e9 é\n")
    over = {"down": "10..20 ms", "start": "0..1 s:0.5 s", "period": "1,2,3 s"}
    call = {"zip": ["start,period"], "sample": 4, "until_ci": "throughput_total=5%", "seed": 7}
    af.sweep(tmp_path / "mine.toml", over, out=tmp_path / "out", **call)
    sweep = sweep_file.read(tmp_path / "out" / "sweep.toml")
    assert sweep.text == (tmp_path / "mine.toml").read_text()
    assert sweep_file.render(sweep) == (tmp_path / "out" / "sweep.toml").read_text()
    assert (sweep.sample, sweep.seed, sweep.seeds, sweep.until) == (4, 7, 100, Until("throughput_total", 0.05))


def test_equal_values_in_other_words_are_one_point():
    result = af.sweep("jung/mixed", {"wired_delay": ["10 ms", "0.01 s", "20 ms"]}, **TINY)
    assert result.results.to_pydict()["wired_delay"] == [0.01, 0.02]


def test_a_sample_covers_every_axis():
    over = {"wired_delay": "0..50 ms", "stations": "2..16", "tcp": ["reno", "vegas"]}
    asked = Sweep(
        "jung/mixed",
        _engine.scenario_text("jung/mixed"),
        over={name: written_axis(values, name) for name, values in over.items()},
        sample=8,
    )
    at = [combination.at for combination in plan(asked).combinations]
    assert sorted(int(here["wired_delay"].value / 0.05 * 8) for here in at) == list(range(8))
    assert sorted(here["stations"].value for here in at) == [2, 4, 6, 8, 10, 12, 14, 16]
    assert sorted(here["tcp"].value for here in at) == ["reno"] * 4 + ["vegas"] * 4
    assert [combination.at for combination in plan(replace(asked, seed=2)).combinations] != at


def test_a_bad_combination_is_recorded_and_the_rest_goes_on(airfair, tmp_path):
    (tmp_path / "mine.toml").write_text(OUTAGES)
    ran = airfair(
        "sweep", "mine.toml", "--over", "down=100,500 ms,1 s", "--over", "period=1,2 s", "--out", "out", "--json"
    )
    assert ran.returncode == 1
    assert "down=1 s, period=1 s" in ran.stderr and "longer than `duration`" in ran.stderr
    [failure] = json.loads(ran.stdout)["failures"]
    assert (failure["down"], failure["period"], failure["seed"]) == (1.0, 1.0, None)
    assert polars.read_parquet(tmp_path / "out" / "failures.parquet").to_dicts() == [failure]
    assert results(tmp_path / "out").height == 5
    told = airfair("sweep", "out")
    assert told.returncode == 1 and "failed: 1 of 6 points" in told.stdout


def test_a_run_that_fails_is_recorded_and_run_again(tmp_path, monkeypatch):
    sound = workers.ran

    def broken(stretch, stop, *, stored):
        done = sound(stretch, stop, stored=stored)
        failed = {n: af.EngineError("it broke") for n, seed in enumerate(done.stretch.seeds) if seed == 2}
        return dataclasses.replace(done, failed=failed)

    monkeypatch.setattr(workers, "ran", broken)
    result = af.sweep("jung/mixed", {"stations": [2, 4]}, seeds=3, out=tmp_path, **TINY)
    failures = result.failures.to_pydict()
    assert failures == {"stations": [2, 4], "seed": [2, 2], "reason": ["it broke"] * 2}
    assert result.results.to_pydict()["seed"] == [1, 3, 1, 3]
    monkeypatch.undo()
    result = af.sweep("jung/mixed", {"stations": [2, 4]}, seeds=3, out=tmp_path, **TINY)
    assert len(result.failures) == 0 and len(result.results) == 6
    assert last_command(tmp_path)["computed"] == 2


def test_a_run_whose_result_is_too_large_fails_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MOST_BYTES", 20_000)
    result = af.sweep("jung/mixed", {"stations": [2, 20, 4]}, out=tmp_path, **TINY)
    failures = result.failures.to_pydict()
    assert failures["stations"] == [20] and "20,000 can be stored" in failures["reason"][0]
    assert result.results.to_pydict()["stations"] == [2, 4] and len(points(tmp_path)) == 2


@pytest.mark.parametrize("piece", [1, 3, 100])
@pytest.mark.parametrize("kept", [True, False])
def test_points_that_are_alike_have_one_result(tmp_path, monkeypatch, piece, kept):
    monkeypatch.setattr(executor, "_PIECE", piece)
    text = OUTAGES.replace("[[link]]", 'spare = { unit = "s", default = "0 s" }\n[[link]]', 1)
    over = {"spare": ("1,2,3 s",), "down": ("100,200 ms",)}
    found = plan(Sweep("mine", text, over=over, seeds=2, set={"start": "300 ms"}, metrics=("throughput_total",)))
    swept = run(found, directory=Directory(tmp_path) if kept else None)
    assert swept.runs == swept.execution.answered == 12
    values = swept.tables["results"].to_pydict()["throughput_total"]
    assert values == values[:4] * 3 and values[0] != values[2]
    if piece == 100:
        assert swept.execution.computed == 4
    if kept:
        assert len(points(tmp_path)) == 4


def test_an_outcome_is_taken_from_a_shared_store(tmp_path):
    first, second, shared = (tmp_path / name for name in ("first", "second", "shared"))
    af.sweep("jung/mixed", {"stations": [2, 4]}, out=first, cache=shared, **TINY)
    af.sweep("jung/mixed", {"stations": [4, 6]}, out=second, cache=shared, **TINY)
    assert last_command(second)["reused"] == 1
    assert len(points(second)) == 2 and len(points(shared)) == 3


def test_without_out_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = af.sweep("jung/mixed", {"stations": [2]}, **TINY)
    assert len(result.results) == 1 and result.units["throughput_total"] == "bit/s"
    assert polars.DataFrame(result.results).height == result.results.to_polars().height == 1
    assert list(tmp_path.iterdir()) == []


def test_the_manifest_records_versions_commands_and_the_request(airfair, tmp_path):
    arguments = ["sweep", "jung/mixed", "--over", "stations=2,4", *TINY_OPTIONS, "--out", "out"]
    assert airfair(*arguments).returncode == 0
    assert airfair(*arguments, "--seeds", "2").returncode == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    first, second = manifest["commands"]
    assert first["command"] == ["airfair", *arguments] and second["command"][-1] == "2"
    assert first["model_version"] == af.MODEL_VERSION and first["airfair"] == af.__version__
    assert first["complete"] and first["finished"] and second["computed"] == 2
    assert manifest["axes"]["stations"] == {"unit": "count", "values": [2, 4]}
    assert manifest["parameters"]["duration"] == {"value": 10, "unit": "s"}


def test_a_parameter_named_like_a_column_has_another(tmp_path):
    (tmp_path / "mine.toml").write_text(
        OUTAGES.replace("start =", "seed =").replace('"start"', '"seed"').replace('seed = "seed"', 'start = "seed"')
    )
    result = af.sweep(tmp_path / "mine.toml", {"seed": "0,0.1 s"})
    assert result.results.to_pydict()["parameter_seed"] == [0.0, 0.1]
    assert result.results.to_pydict()["seed"] == [1, 1]


def test_stored_results_give_the_same_tables(swept):
    ran = stored(plan(sweep_file.read(swept / "sweep.toml")), swept)
    assert ran.tables["results"].to_polars().equals(results(swept))
    assert len(list(Store(swept))) == 12


def test_a_sample_that_meets_itself_is_told(airfair):
    over = ["--over", "stations=2,4", "--sample", "5"]
    told = airfair("sweep", "jung/mixed", *over, *TINY_OPTIONS, "--out", "out")
    assert told.returncode == 0 and "2 points for a sample of 5: some fell on the same values" in told.stdout
    whole = airfair("sweep", "jung/mixed", *over[:2], "--sample", "2", *TINY_OPTIONS, "--out", "out")
    assert whole.returncode == 0 and "sample" not in whole.stdout


BAD = {
    "unknown parameter": (["--over", "statoins=2,4"], ["statoins", "stations"]),
    "unknown value": (["--over", "tcp=reno,vegass"], ["vegass", "vegas"]),
    "a value out of range": (["--over", "stations=2,1000000000"], ["stations", "256"]),
    "a range downwards": (
        ["--over", "stations=8..2:-2"],
        ["parameters.stations: `8..2:-2`", "ranges go up", "above 0"],
    ),
    "seeds as an axis": (["--over", "seed=1,2"], ["--over seed", "--seed FIRST", "--seeds N"]),
    "a seed too large": (["--over", "stations=2", "--seed", "18446744073709551615", "--seeds", "2"], ["largest seed"]),
    "empty range": (["--over", "stations=8..2"], ["8..2", "empty"]),
    "no step": (["--over", "wired_delay=1..5 ms"], ["1..5 ms", "step"]),
    "missing unit": (["--over", "wired_delay=1,5"], ["wired_delay", "ms"]),
    "a range without a unit": (["--over", "period=1..2"], ["`1` is a bare number"]),
    "the same axis twice": (["--over", "stations=2", "--over", "stations=4"], ["stations", "twice"]),
    "an axis that is set": (["--over", "stations=2", "--set", "stations=4"], ["stations", "varies"]),
    "no values": (["--over", "stations"], ["NAME=LOW..HIGH"]),
    "unknown parameter set": (["--over", "stations=2", "--set", "tpc=reno"], ["tpc", "tcp"]),
    "zip of what is no axis": (["--over", "stations=2,4", "--zip", "stations,tcp"], ["tcp", "not an axis"]),
    "zip of one": (["--over", "stations=2,4", "--zip", "stations"], ["two axes"]),
    "zip of different lengths": (
        ["--over", "stations=2,4", "--over", "tcp=reno", "--zip", "stations,tcp"],
        ["stations has 2", "tcp has 1"],
    ),
    "sample of nothing": (["--sample", "5"], ["--sample", "--over"]),
    "unknown metric": (["--until-ci", "throughput_totl=1%"], ["throughput_totl", "throughput_total"]),
    "a metric that is not measured": (["--until-ci", "eee=1%"], ["eee", "throughput_total", "add --metrics eee"]),
    "a range of Python": (["--over", "stations=8..2..-2"], ["LOW..HIGH:STEP"]),
    "too many runs": (["--over", "stations=2,4", "--seeds", "5000001"], ["2 points", "5,000,001 seeds", "10,000,000"]),
    "too large a sample": (["--over", "period=1..2 s", "--sample", "100001"], ["--sample 100001", "100,000 points"]),
    "no share": (["--until-ci", "throughput_total"], ["METRIC=SHARE"]),
    "a share of everything": (["--until-ci", "throughput_total=100%"], ["100%", "below 1"]),
    "too few seeds": (["--until-ci", "throughput_total=1%", "--seeds", "2"], ["at least 3"]),
    "a cache that cannot be written": (["--over", "stations=2", "--cache", f"{__file__}/cache"], ["cannot write"]),
    "an unknown place": (["--over", "stations=2", "--on", "cloud"], ["cloud", "local", "ray"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_written(case, tmp_path, monkeypatch, capsys):
    arguments, words = BAD[case]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["airfair", "sweep", "jung/mixed", *arguments, "--out", "out"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    stdout, stderr = capsys.readouterr()
    assert left.value.code == 2 and stdout == "", stderr
    assert stderr.lower().count("error: ") == 1
    for word in words:
        assert word in stderr, stderr
    assert list(tmp_path.iterdir()) == []


FILES = {
    "no scenario": ("scenario = 3\n", ["scenario", "a text"]),
    "unknown key": ('scenario = "jung/mixed"\nsede = 3\n', ["sede", "seed"]),
    "unknown scenario": ('scenario = "jung/mixd"\n', ["jung/mixd", "jung/mixed"]),
    "seeds that are a text": ('scenario = "jung/mixed"\nseeds = "3"\n', ["seeds", "whole number"]),
    "no seeds": ('scenario = "jung/mixed"\nseeds = 0\n', ["seeds = 0", "1 or more"]),
    "a seed below zero": ('scenario = "jung/mixed"\nseed = -1\n', ["seed = -1", "0 or more"]),
    "an axis without values": ('scenario = "jung/mixed"\nover.tcp = []\n', ["tcp", "no values"]),
    "a seed too large": (f'scenario = "jung/mixed"\nseed = {2**64}\n', ["seed = 18446744073709551616", "largest seed"]),
    "unknown parameter": ('scenario = "jung/mixed"\nover.stations = [2]\nset.statoin = 3\n', ["statoin", "stations"]),
    "unknown axis": ('scenario = "jung/mixed"\nover.statoins = [2]\n', ["statoins", "stations"]),
    "a metric twice": ('scenario = "jung/mixed"\nmetrics = ["jain", "jain"]\n', ["metrics", "jain", "twice"]),
    "a table for values": (
        'scenario = "jung/mixed"\nover.stations = { from = 2, to = 4 }\n',
        ["over.stations", 'a list of values, or a range such as "2..8:2"'],
    ),
    "a list of lists for values": ('scenario = "jung/mixed"\nover.stations = [[2]]\n', ["over.stations", "a list"]),
    "a name with dots": ('scenario = "jung/mixed"\nset.tcp.rto_min = "1 s"\n', ["set.tcp", '"tcp.NAME" = VALUE']),
    "several values set": ('scenario = "jung/mixed"\nset.stations = [2]\n', ["set.stations", "one value", "[over]"]),
    "a flat zip": (
        'scenario = "jung/mixed"\nzip = ["stations", "queue"]\nover = { stations = [2, 4], queue = [5, 6] }\n',
        ["zip", '[["stations", "session_bytes"]]'],
    ),
    "no metric to aim at": ('scenario = "jung/mixed"\nuntil_ci = {}\n', ["until_ci", "one metric"]),
    "zip of numbers": ('scenario = "jung/mixed"\nzip = [1]\nover.stations = [2, 4]\n', ["zip", "names of axes"]),
    "two metrics": ('scenario = "jung/mixed"\nuntil_ci = { a = "1 %", b = "1 %" }\n', ["until_ci", "one metric"]),
}


def test_python_refuses_before_anything_is_written(tmp_path):
    for wrong in ({"on": "cloud"}, {"cache": f"{__file__}/cache"}, {"over": "stations=2"}):
        with pytest.raises(af.InputError):
            af.sweep("jung/mixed", **{"over": {"stations": 2}, "out": tmp_path / "out", **TINY, **wrong})
        assert list(tmp_path.iterdir()) == []


def test_python_takes_sweep_files_and_directories_as_the_command_line_does(airfair, tmp_path):
    with pytest.raises(af.InputError, match="seeds = 0: a whole number from 1 on is needed"):
        af.sweep("jung/mixed", {"stations": [2]}, seeds=0)
    (tmp_path / "mine.toml").write_text('scenario = "jung/mixed"\nover.stations = [2, 4]\n')
    swept = af.sweep(tmp_path / "mine.toml", seeds=2, **TINY)
    assert swept.directory is None and len(swept.results) == 4

    out = tmp_path / "out"
    first = af.sweep(tmp_path / "mine.toml", out=out, **TINY)
    for source in (out, out / "sweep.toml"):
        again = af.sweep(source)
        assert again.directory == out and last_command(out)["computed"] == 0
        assert again.results.to_pydict() == first.results.to_pydict()
    wider = af.sweep(out, {"stations": "2..6:2"}, seeds=2)
    assert len(wider.results) == 6 and last_command(out)["computed"] == 4
    assert airfair("sweep", "out").returncode == 0 and last_command(out)["computed"] == 0


@pytest.mark.parametrize("case", FILES)
def test_a_bad_sweep_file_is_refused(case, tmp_path):
    text, words = FILES[case]
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(af.InputError) as refused:
        af.sweep(tmp_path / "bad.toml", out=tmp_path / "out")
    assert all(word in str(refused.value) for word in ["bad.toml", *words]), refused.value
    assert not (tmp_path / "out").exists()


def test_a_fault_of_the_options_is_not_the_files(tmp_path):
    (tmp_path / "mine.toml").write_text('scenario = "jung/mixed"\nover.stations = [2]\n')
    with pytest.raises(af.InputError, match=r"^jung/mixed: unknown parameter `statoins`"):
        af.sweep(tmp_path / "mine.toml", {"statoins": [2]})


def test_a_directory_whose_metrics_are_unknown_is_named(airfair, tmp_path):
    af.sweep("jung/mixed", {"stations": [2, 4]}, metrics=["jain"], out=tmp_path / "out", **TINY)
    text = (tmp_path / "out" / "sweep.toml").read_text()
    assert text.count('"jain"') == 1
    output = Output(tmp_path / "out")
    with output.computing():
        output.publish({"sweep.toml": text.replace('"jain"', '"newer"').encode()})
    for command in (["sweep", "out"], ["diff", "out", "out"], ["plot", "out", "--y", "jain"], ["report", "out"]):
        refused = airfair(*command)
        assert refused.returncode == 2 and refused.stderr.startswith("error: out: metrics: unknown metric `newer`")
    with pytest.raises(af.InputError, match="out: metrics: unknown metric `newer`"):
        af.sweep(tmp_path / "out")


def test_the_page_of_unknown_metrics_is_refused(airfair, tmp_path):
    af.sweep("jung/mixed", {"stations": [2, 4]}, out=tmp_path / "out", **TINY)
    table = tmp_path / "out" / "results.parquet"
    facts = polars.read_parquet_metadata(table)
    del facts["ARROW:schema"]
    facts["metrics"] = json.dumps([*json.loads(facts["metrics"]), "newer"])
    frame = polars.read_parquet(table).with_columns(newer=polars.lit(1.0))
    output = Output(tmp_path / "out")
    with output.computing():
        output.publish({"results.parquet": parquet(frame, facts)})
    refused = airfair("report", "out")
    assert refused.returncode == 2
    assert refused.stderr == "error: out: this version of AirFair does not know the metrics newer\n"


def test_python_takes_the_aim_as_a_dictionary():
    asked = {"over": {"stations": [2, 4]}, "seeds": 20, "duration": "20 s"}
    found = [
        af.sweep("jung/mixed", until_ci=aim, **asked) for aim in ("throughput_total=0.1%", {"throughput_total": 0.001})
    ]
    assert found[0].seeds == found[1].seeds and any(entry["seeds"] > 3 for entry in found[0].seeds)


@pytest.mark.parametrize("out", [None, "out"])
def test_the_result_of_a_sweep_can_be_pickled(tmp_path, out):
    over = {"stations": [2, 4], "wired_delay": ["10 ms", "20 ms"], "fair_share": ["paper", "measured"]}
    swept = af.sweep("jung/mixed", over, seeds=2, duration="20 s", out=out and tmp_path / out)
    restored = pickle.loads(pickle.dumps(swept))
    for table in ("results", "sessions", "failures", "timings"):
        assert getattr(restored, table).to_pydict() == getattr(swept, table).to_pydict()
    for fact in ("units", "seeds", "directory", "_repr_html_"):
        one, other = (getattr(result, fact) for result in (swept, restored))
        assert (one() == other()) if callable(one) else (one == other)
    assert not af.diff(swept, restored).differs


def test_the_summary_counts_the_runs_of_the_tables_and_says_where_they_come_from(airfair):
    sweep = ["sweep", "jung/mixed", "--over", "stations=2,4", *TINY_OPTIONS, "--out", "mine"]
    assert ": 2 points over stations; 2 runs: 2 computed\n" in airfair(*sweep).stdout
    assert "; 4 runs: 2 computed, 2 found from before\n" in airfair(*sweep, "--seeds", "2").stdout
    assert "; 4 runs: 4 found from before\n" in airfair("sweep", "mine").stdout
    # More seeds may run than the interval needs.
    enough = airfair(*sweep, "--until-ci", "throughput_total=1%", "--seeds", "40").stdout.splitlines()[0]
    counted, computed, found = (int(n) for n in re.findall(r"(\d+) (?:runs|computed|found)", enough))
    spare = re.search(r", (\d+) of all these not needed", enough)
    assert computed + found == counted + (int(spare[1]) if spare else 0)


def test_the_last_seeds_have_a_document(airfair, tmp_path):
    last = 2**64 - 1
    seeds = ("--seed", str(last - 1), "--seeds", "2", "--json")
    ran = airfair("sweep", "jung/mixed", "--over", "stations=2,4", *seeds, *TINY_OPTIONS, "--out", "last")
    assert ran.returncode == 0, ran.stderr
    assert [point["seeds"] for point in json.loads(ran.stdout)["points"]] == [[last - 1, last]] * 2


def test_a_sweep_file_without_a_scenario_is_taken_for_one(airfair, tmp_path):
    (tmp_path / "mine.toml").write_text("seeds = 3\n[over]\nstations = [2, 4]\n")
    refused = airfair("sweep", "mine.toml")
    assert refused.returncode == 2 and "mine.toml: it names no scenario" in refused.stderr
