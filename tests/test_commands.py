"""Every command's answer, through the command line."""

import inspect
import json
import os
import re
import shlex
import subprocess
import tomllib

import jsonschema
import polars
import pytest
from conftest import AIRFAIR, SHORT, call, execute

import airfair as af
from airfair import _engine
from airfair.cli import figures, scenarios, sweeps
from airfair.command import Common
from airfair.figures.charts.figure import AXES
from airfair.figures.charts.kinds import KINDS
from airfair.figures.saved import FORMATS
from airfair.runs import scenarios as body
from airfair.sweeps import query
from airfair.sweeps.directory import TABLES

COMMANDS = [
    "run",
    "show",
    "init",
    "fair-share",
    "check",
    "schema",
    "scenarios",
    "describe",
    "studies",
    "reproduce",
    "optimize",
    "sweep",
    "results",
    "plot",
    "report",
    "diff",
    "cache",
    "timeline",
    "playground",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example_and_the_common_options(airfair, command):
    finished = airfair(command, "--help")
    assert finished.returncode == 0
    assert f"airfair {command}" in finished.stdout.split("Example")[1]
    assert "--json" in finished.stdout and "--out DIR" in finished.stdout
    # Commands accept these options even where they have no effect; help does not list them there.
    seeded = command in ("run", "reproduce", "optimize", "sweep", "timeline", "diff", "fair-share")
    assert ("--seed S" in finished.stdout) == (seeded or command == "cache")
    assert ("--set NAME=VALUE" in finished.stdout) == (seeded or command in ("show", "check"))


def test_options_that_change_nothing_are_taken_everywhere(airfair):
    plain = airfair("scenarios", "--json")
    assert airfair("scenarios", "--json", "--seed", "7", "--set", "x=1").stdout == plain.stdout != ""


def test_a_path_that_is_empty_is_refused(airfair):
    finished = airfair("scenarios", "--out", "")
    assert finished.returncode == 2 and "'--out': a path is needed, and this one is empty" in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "jung/mixed", "--seeds", "x"], "'--seeds': a whole number from 1 to 1000000 is needed, not x"),
        (["run", "jung/mixed", "--jobs", "0"], "'--jobs': a whole number from 1 on is needed, not 0"),
        (["timeline", "jung/mixed", "--format", "gif"], "'--format': 'gif' is not one of 'png', 'svg', 'pdf', 'html'."),
    ],
)
def test_wrong_values_of_options_are_told_in_plain_words(airfair, arguments, said):
    finished = airfair(*arguments)
    assert finished.returncode == 2 and finished.stderr.endswith(f"Error: Invalid value for {said}\n")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["run"], "Missing argument 'SCENARIO'. `airfair scenarios` lists them"),
        (["reproduce"], "Missing argument 'STUDY'. `airfair studies` lists them"),
        (["describe"], "Missing argument 'NAME'."),
        (["run", "jung/mixed", "--metric", "jain"], "No such option: --metric (Possible options: --metrics)"),
        (["timeline", "jung/mixed", "-o", "x"], "No such option: -o (Possible options: --out)"),
        (
            ["run", "jung/mixed", "--over", "tcp=reno"],
            "No such option: --over. It is an option of `airfair optimize`, `airfair sweep`\n",
        ),
        (["describe", "jung/mixed", "--set", "tcp=vegas", "--pcap", "x"], "--pcap. It is an option of `airfair run`\n"),
        (["run", "jung/mixed", "--tcp", "vegas"], "No such option: --tcp. Parameters of a scenario are set with --set"),
        (["describe", "jung/mixed", "--tcp", "vegas"], "No such option: --tcp\n"),
        (["run", "jung/mixed", "stations=4", "tcp=reno"], "write --set stations=4 --set tcp=reno\n"),
        (
            ["run", "jung/mixed", "--set", "stations=4", "duration=3 s", "tcp=reno"],
            "write --set 'duration=3 s' --set tcp=reno\n",
        ),
        (["cache", "verify", "mine"], "write --verify\n"),
        (["run", ""], "Invalid value for 'SCENARIO': a name is needed, and this one is empty\n"),
        (["diff", "jung/mixed", ""], "Invalid value for 'B': a name is needed, and this one is empty\n"),
        (["run", "jung/mixed", "--set"], "Option '--set' requires an argument.\n"),
        (["run", "jung/mixed", "lee/path"], "unexpected extra argument(s) (lee/path)\n"),
        (
            ["optimize", "jung/mixed", "--over", "max_window=2..3", "--maximize", "jain", "--minimize", "jain"],
            "both are",
        ),
    ],
)
def test_wrong_options_and_arguments_lead_on(airfair, arguments, said):
    finished = airfair(*arguments)
    assert finished.returncode == 2 and said in finished.stderr, finished.stderr


def test_a_command_works_with_its_streams_closed(tmp_path):
    closed = f"exec {shlex.quote(AIRFAIR)} scenarios --json --out there >&- 2>&-"
    assert execute(["sh", "-c", closed], cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "there" / "scenarios.json").read_text())


def writing(arguments, unbuffered, **options):
    """Run the command with these streams, and with Python's buffers or without."""
    return call(*arguments, env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["run", "--help"],
        ["--version"],
        ["scenarios"],
        ["scenarios", "--json"],
        ["show", "jung/mixed"],
        ["schema"],
        ["describe", "tcp"],
        ["describe", "tcp", "--json"],
        ["run", "jung/mixed", *SHORT],
        ["run", "jung/mixed", *SHORT, "--json"],
        ["sweep", "jung/mixed", *SHORT],
        ["diff", "jung/mixed", "--set-b", "tcp=vegas"],
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_command_ends_quietly_when_nobody_reads_its_output(tmp_path, arguments, unbuffered):
    """As `airfair describe tcp | head`."""
    read, write = os.pipe()
    os.close(read)
    finished = writing(arguments, unbuffered, cwd=tmp_path, stdout=write)
    os.close(write)
    assert (finished.returncode, finished.stderr) == (141, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", [["scenarios", "--json"], ["run", "jung/mixed", *SHORT], ["--help"], ["--version"]]
)
def test_a_full_disk_behind_stdout_is_told(tmp_path, arguments, unbuffered):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        finished = writing(arguments, unbuffered, cwd=tmp_path, stdout=full)
    assert (finished.returncode, finished.stderr) == (1, "error: standard output: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["run", "jung/mixd"], 2),
        (["run", "jung/mixed", "--jobs", "0"], 2),
        (["run", "jung/mixed", "--sed", "1"], 2),
        (["check", "/dev/null"], 2),
        (["run", "jung/mixed", *SHORT, "--trace", "cwnd"], 0),
    ],
)
def test_a_full_disk_behind_stderr_changes_no_status(arguments, status, unbuffered):
    """The run that succeeds warns."""
    with open("/dev/full", "w") as full:  # noqa: PTH123
        finished = writing(arguments, unbuffered, stdout=subprocess.DEVNULL, stderr=full)
    assert finished.returncode == status


def test_devices_without_a_grade_and_lower_bounds_are_explained(airfair):
    home = ["run", "wifi/home", "--set", "duration=5 s"]
    shown = " ".join(airfair(*home).stdout.split())
    answered = json.loads(airfair(*home, "--json").stdout)
    without = [device for device in answered["devices"] if device["grade"] is None]
    assert without and all(device["device"] in shown and f": {device['reason']}" in shown for device in without)
    assert "rule behind the grades: airfair describe grades" in shown
    ungraded = "its transfers are there for less than a second of the measured window"
    brief = " ".join(airfair("run", "wifi/home", "--set", "duration=500 ms").stdout.split())
    assert brief.count(ungraded) == 1 and "page_load_time_mean: at least" not in brief
    assert f"sessions_unfinished: of {answered['sessions']['count']} sessions" in shown
    assert "page_load_time_mean: at least; what is unfinished counts until the end of the run" in shown
    alone = airfair(*home, "--metrics", "page_load_time_mean").stdout
    assert "page_load_time_mean: at least" in alone and "sessions_unfinished" not in alone
    finished = airfair("run", "jung/mixed", "--set", "duration=20 s").stdout
    assert "at least" not in finished and "of sessions" not in finished


def test_groups_without_flows_are_left_out_unless_they_are_asked_for(airfair):
    home = ["run", "wifi/home", "--set", "duration=1 s"]
    groups = ["call", "sensor", "page", "stream", "download", "camera"]
    nobody = [f"--set={group}_count=0" for group in groups]

    def listed(*arguments: str) -> set[str]:
        shown = airfair(*arguments, env={**os.environ, "COLUMNS": "200"}).stdout
        table = shown.split("\nDevices ")[-1].split("\nMetric ")[0]
        return {line.split("  ")[0] for line in table.splitlines()[1:]}

    assert listed(*home) == {f"{group}s" for group in groups}
    assert listed(*home, *nobody, "--set=video_call_count=1") == {"video calls"}
    assert "there are no flows of video calls" in airfair(*home, "--metrics", "video_call_bitrate_mean").stdout


@pytest.mark.parametrize("columns", [30, 45, 60, 80, 120])
def test_tables_break_neither_words_nor_quantities(airfair, columns):
    narrow, wide = (
        airfair("run", "wifi/home", "--set", "duration=5 s", env={**os.environ, "COLUMNS": str(width)}).stdout
        for width in (columns, 200)
    )
    assert all(len(line) <= columns for line in narrow.splitlines())
    assert set(re.findall(r"\w+", narrow)) <= set(re.findall(r"\w+", wide))
    quantity = r"[\d.]+ (?:Mb/s|kb/s|ms|s)\b"
    assert re.findall(quantity, narrow) == re.findall(quantity, wide) != []


@pytest.mark.parametrize(
    ("columns", "heads"),
    [(72, ["interval"]), (80, ["interval", "Better"]), (100, ["interval", "Better", "Range"])],
)
def test_metrics_keep_their_values_and_intervals_where_the_terminal_is_narrow(airfair, columns, heads):
    shown = airfair(
        "run", "jung/mixed", "--seeds", "2", env={**os.environ, "COLUMNS": str(columns)}
    ).stdout.splitlines()
    assert shown[1].split()[-len(heads) :] == heads
    session = next(line.split() for line in shown if line.startswith("finish_time_sent_mean "))
    assert session[2] == "ms"
    assert session[4] == "to"


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_a_terminal_and_its_examples_can_be_copied(airfair, command):
    shown = airfair(*command.split(), "--help", env={**os.environ, "COLUMNS": "80"}).stdout
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "..." not in shown.split("Commands:")[-1].split("Examples:")[0].replace("V1,V2,...", "")
    examples = shown.split("Examples:\n")[1].replace("\\\n", "").splitlines()
    assert examples and all(shlex.split(example)[0] == "airfair" for example in examples)


def test_version_names_package_and_models(airfair):
    shown = airfair("--version")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == f"airfair {af.__version__}, model version {af.MODEL_VERSION}\n"


def test_run_json_is_the_contract(answer):
    document = answer("run", "jung/mixed", *SHORT, "--set", "stations=6", "--seed", "3", "--seeds", "2")
    assert document["scenario"] == "jung/mixed"
    assert document["seeds"] == [3, 4]
    assert document["parameters"]["stations"]["value"] == 6
    assert document["parameters"]["duration"] == {"value": 20, "unit": "s"}
    throughput = document["metrics"]["throughput_total"]
    assert throughput["unit"] == "bit/s" and throughput["n"] == 2
    assert throughput["ci95"][0] <= throughput["value"] <= throughput["ci95"][1]
    assert 1e6 < throughput["value"] < 11e6
    assert set(document) >= {"schema_version", "engine_version", "flows", "stations", "sessions"}
    assert document["sessions"]["count"] == 2 * 3 * 2  # 20 s of a 10 s period, 3 stations, 2 seeds


def test_one_seed_has_no_interval(answer):
    document = answer("run", "jung/mixed", *SHORT)
    assert document["metrics"]["throughput_total"]["ci95"] is None


def test_run_for_people_uses_their_units(airfair):
    finished = airfair("run", "jung/mixed", *SHORT, "--seeds", "2")
    assert finished.returncode == 0
    assert "Mb/s" in finished.stdout and "95 % interval" in finished.stdout


def test_a_long_name_stays_on_its_line(airfair, tmp_path):
    file = tmp_path / ("long" * 30 + ".toml")
    file.write_text(airfair("show", "jung/mixed").stdout)
    assert airfair("run", str(file), *SHORT).stdout.splitlines()[0] == f"{file}, seed 1"


def test_run_out_writes_json_and_tables(airfair, tmp_path):
    finished = airfair(
        "run", "jung/mixed", *SHORT, "--seeds", "2", "--trace", "cwnd,queue", "--out", "results", "--json"
    )
    assert finished.returncode == 0, finished.stderr
    out = tmp_path / "results"
    assert json.loads((out / "run.json").read_text()) == json.loads(finished.stdout)
    for name in ("metrics", "sessions", "flows", "stations", "series"):
        assert polars.read_parquet(out / f"{name}.parquet")["seed"].unique().sort().to_list() == [1, 2]
    assert set(polars.read_parquet(out / "series.parquet")["quantity"].unique()) == {"cwnd", "queue"}


def test_show_gives_a_file_that_check_and_run_take(airfair, answer, tmp_path):
    shown = airfair("show", "jung/mixed").stdout
    assert "parameters" in tomllib.loads(shown)
    (tmp_path / "mine.toml").write_text(shown)
    assert answer("check", "mine.toml")["valid"] is True
    mine = answer("run", "mine.toml", *SHORT)
    packaged = answer("run", "jung/mixed", *SHORT)
    assert mine["metrics"] == packaged["metrics"]


def test_check_tries_each_word_of_each_parameter(airfair, tmp_path):
    (tmp_path / "mine.toml").write_text(airfair("show", "blefari/hotspot").stdout)
    checked = airfair("check", "mine.toml")
    assert (checked.returncode, checked.stdout) == (0, "mine.toml: valid\n")
    # Airtime queue limits need a newer standard than 802.11b.
    [warning] = checked.stderr.splitlines()
    assert warning.startswith("warning: `policy=mac80211` is refused with all else as it is: mine.toml:")
    assert airfair("check", "mine.toml", "--set", "policy=none").stderr == ""


def test_check_tries_no_words_that_the_file_does_not_list(airfair, tmp_path):
    (tmp_path / "mine.toml").write_text(airfair("show", "wifi/anomaly").stdout)
    assert "802.11b" in airfair("describe", "mine.toml").stdout, (
        "`standard` may be any PHY, one of which the file is for"
    )
    assert "standard" not in airfair("check", "mine.toml").stderr


def test_check_reads_the_file_once(tmp_path, monkeypatch, capfd):
    file = tmp_path / "mine.toml"
    file.write_text(af.Scenario.load("blefari/hotspot").toml)
    original = _engine.check

    def check_and_remove(path, overrides):
        loaded = original(path, overrides)
        file.unlink()
        return loaded

    monkeypatch.setattr(_engine, "check", check_and_remove)
    assert body.check(str(file), Common()) == 0
    assert "`policy=mac80211` is refused with all else as it is" in capfd.readouterr().err


def test_check_warns_of_words_that_are_hopeless(airfair, tmp_path):
    (tmp_path / "mine.toml").write_text(airfair("show", "mamatas/dumbbell").stdout)
    checked = airfair("check", "mine.toml")
    assert checked.returncode == 0
    [warning] = checked.stderr.splitlines()
    assert warning.startswith(
        "warning: with `error_model=per_bit`: link `R2-sink0` and 9 more: its probability of error"
    )


def test_every_packaged_scenario_fits_the_json_schema(answer, airfair):
    schema = answer("schema")
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    for entry in answer("scenarios"):
        scenario = tomllib.loads(airfair("show", entry["name"]).stdout)
        assert [error.message for error in validator(schema).iter_errors(scenario)] == [], entry["name"]
        assert list(validator(schema).iter_errors(scenario | {"flo": []}))


def test_every_listed_scenario_and_metric_can_be_described(answer):
    scenarios = [entry["name"] for entry in answer("scenarios")]
    assert {"jung/table1", "jung/mixed", "bench/wlan", "bench/dumbbell"} <= set(scenarios)
    for name in scenarios:
        assert "duration" in {parameter["name"] for parameter in answer("describe", name)["parameters"]}
    metric = answer("describe", "instantaneous_fairness_sent")
    assert metric["unit"] == "1" and "Jung" in metric["source"]


def test_describe_for_people(airfair):
    finished = airfair("describe", "jung/mixed")
    assert finished.returncode == 0
    assert "session_bytes" in finished.stdout and "10 kB" in finished.stdout


def test_describe_gives_the_values_of_every_parameter(airfair):
    shown = airfair("describe", "jung/mixed", env={**os.environ, "COLUMNS": "200"}).stdout
    allowed = {line.split("  ")[0]: line for line in shown.splitlines()}
    assert "1 B to 65.495 kB " in allowed["segment_bytes"]  # 65.5 kB would be refused
    assert "a rate or paper " in allowed["fair_share"] and "a size " in allowed["intro_length"]
    assert "2 to 256, multiples of 2 " in allowed["stations"] and "1 segment or more, whole " in allowed["window"]


def test_lists_in_descriptions_keep_their_lines(airfair):
    shown = airfair("describe", "blefari/hotspot").stdout.splitlines()
    assert "- `none`: drop-tail." in shown and any(line.startswith("- `lossless`: after") for line in shown)


def test_studies(answer):
    [jung] = [entry for entry in answer("studies") if entry["name"] == "jung"]
    assert {"table1", "fig2a", "fig6b"} <= set(jung["figures"])


def test_out_of_the_listing_commands(airfair, tmp_path):
    assert airfair("scenarios", "--out", "lists").returncode == 0
    assert json.loads((tmp_path / "lists" / "scenarios.json").read_text())


def test_help_and_docstrings_name_all_words():
    def helped(command, option):
        return inspect.signature(command).parameters[option].default.help

    assert ", ".join(_engine.TRACES) in helped(scenarios.run, "trace")
    quoted = ", ".join(f"`{name}`" for name in _engine.TRACES)
    for function in (af.run, _engine.Scenario.run):
        assert quoted in " ".join(function.__doc__.split())
    listed = [
        (figures.plot, "kind", KINDS),
        (figures.plot, "format", FORMATS),
        (figures.plot, "log", AXES),
        (sweeps.results, "format", query.FORMATS),
        (sweeps.results, "table", TABLES),
        (scenarios.run, "engine", _engine.ENGINES),
    ]
    for command, option, words in listed:
        assert set(words) <= set(re.findall(r"\w+", helped(command, option))), option


REQUIRED = ["run", "jung/mixed", *SHORT, "--seeds", "2"]


def test_a_requirement_decides_the_status(airfair):
    held = airfair(*REQUIRED, "--require", "throughput_total >= 1 Mb/s", "--require", "jain <= 1")
    assert held.returncode == 0, held.stderr
    assert re.search(r"^holds: throughput_total >= 1 Mb/s: \S+ Mb/s \(.+ to .+\)$", held.stdout, re.MULTILINE)
    broken = airfair(
        *REQUIRED, "--require", "throughput_total >= 1 Mb/s", "--require", "collision_rate <= 0", "--quiet"
    )
    assert broken.returncode == 1 and "holds: throughput_total" in broken.stdout
    assert re.fullmatch(r"failed: collision_rate <= 0: 0\.\d+ \(.+ to .+\)\n", broken.stderr)
    # One that the scenario does not report is added to those that it does.
    document = json.loads(airfair(*REQUIRED, "--json", "--require", "jain >= 0").stdout)
    assert list(document["metrics"])[-1] == "jain" and len(document["metrics"]) > 1


def test_a_requirement_on_standard_input_and_on_a_metric_without_a_value(airfair):
    text = airfair("show", "jung/mixed").stdout
    finished = airfair("run", "-", *SHORT, "--require", "voice_mos_mean >= 1", input=text)
    assert finished.returncode == 1
    assert finished.stderr.startswith("failed: voice_mos_mean >= 1: no value: ")


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("jain > 0.5", '--require "jain > 0.5": "METRIC >= X" or "METRIC <= X" is needed'),
        ("jain >= ", '--require "jain >= ": "METRIC >= X" or "METRIC <= X" is needed'),
        ("jian >= 0.5", "unknown metric `jian`; did you mean `jain`?"),
        ("throughput_total >= 5", '--require "throughput_total >= 5"'),
    ],
)
def test_a_requirement_that_says_nothing_is_refused(airfair, bound, said):
    finished = airfair(*REQUIRED, "--require", bound)
    assert finished.returncode == 2 and finished.stdout == "" and said in finished.stderr, finished.stderr
