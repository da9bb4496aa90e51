"""Scenarios from standard input and from dictionaries."""

import copy
import json
import os
import pickle
import subprocess
import tomllib

import pytest
from conftest import SHORT, call

import airfair as af
from airfair.catalogue import toml


def piped(text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    given = text.encode() if isinstance(text, str) else text
    return call(*arguments, input=given, text=False)


SHOWN = af.Scenario.load("jung/mixed").toml


def test_check_run_and_show_read_standard_input(answer):
    assert piped(SHOWN, "check", "-").returncode == 0
    ran = json.loads(piped(SHOWN, "run", "-", *SHORT, "--json").stdout)
    assert ran["metrics"] == answer("run", "jung/mixed", *SHORT)["metrics"] and ran["scenario"] == "stdin"
    shown = piped(SHOWN, "show", "-", "--set", "stations=8").stdout.decode()
    assert tomllib.loads(shown)["parameters"]["stations"]["default"] == 8


OPTIMIZE = ("--over", "queue=10,50", "--maximize", "throughput_total", "--seeds", "2")


@pytest.mark.parametrize(
    "command",
    [("sweep", "--over", "tcp=reno,vegas"), ("timeline",), ("optimize", *OPTIMIZE)],
    ids=lambda command: command[0],
)
def test_sweep_timeline_and_optimize_read_standard_input(command, answer, tmp_path):
    name, *options = command
    out = ("--out", str(tmp_path / "out"), *SHORT, "--json")
    found = piped(SHOWN, name, "-", *options, *out)
    assert found.returncode == 0, found.stderr
    expected = answer(name, "jung/mixed", *options, "--out", str(tmp_path / "packaged"), *SHORT)
    told = json.loads(found.stdout)
    assert told.pop("scenario") == "stdin" and expected.pop("scenario") == "jung/mixed"
    for document in (told, expected):
        for key in ("out", "command", "figure", "page"):
            document.pop(key, None)
    assert told == expected


def test_timeline_and_optimize_take_dictionaries():
    given = tomllib.loads(SHOWN)
    drawn, packaged = (af.timeline(source, duration="20 s").document for source in (given, "jung/mixed"))
    assert drawn["runs"] == packaged["runs"] and drawn["window"] == packaged["window"]
    asked = {"over": {"queue": [10, 50]}, "maximize": "throughput_total", "seeds": 2, "duration": "20 s"}
    found, expected = af.optimize(given, **asked), af.optimize("jung/mixed", **asked)
    assert found.best == expected.best and found.document["parameters"] == expected.document["parameters"]


@pytest.mark.parametrize("command", ["check", "run", "show", "timeline"])
@pytest.mark.parametrize(("text", "said"), [("x = 1", b"stdin:1:1: "), (b"\xff", b"stdin: not UTF-8"), ("", b"stdin")])
def test_bad_standard_input_is_refused(command, text, said):
    refused = piped(text, command, "-")
    assert refused.returncode == 2 and refused.stdout == b"" and refused.stderr.count(b"\n") == 1
    assert said in refused.stderr


@pytest.mark.parametrize("command", [["check", "-"], ["run", "-"], ["sweep", "-", "--over", "a=1"]], ids=" ".join)
def test_a_closed_standard_input_is_refused(airfair, command):
    refused = airfair(*command, preexec_fn=lambda: os.close(0))
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", "error: stdin: it is closed\n")


@pytest.mark.parametrize("name", [entry["name"] for entry in af.scenarios()])
def test_every_packaged_scenario_can_be_a_dictionary(name):
    packaged = af.Scenario.load(name)
    assert af.Scenario.parse(toml.text(tomllib.loads(packaged.toml)), "x").digest == packaged.digest


def test_run_sweep_diff_and_world_take_dictionaries():
    given = tomllib.loads(SHOWN)
    packaged = af.run("jung/mixed", duration="20 s")
    assert af.run(given, duration="20 s").document["metrics"] == packaged.document["metrics"]
    swept = af.sweep(given, {"tcp": ["reno", "vegas"]}, duration="20 s").results.to_pydict()
    assert swept["throughput_total"][0] == packaged.metrics["throughput_total"].value
    assert af.diff(given, "jung/mixed").same_results is True
    assert af.World(given, duration="20 s").end == 40


def test_entries_that_are_none_are_not_given():
    given = tomllib.loads(SHOWN)
    given["tcp"]["window"] = None
    assert "window" not in tomllib.loads(toml.text(given))["tcp"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({1: 2}, "must be a text"),
        ({"run": {"duration": object()}}, "run.duration"),
        ({"run": {"metrics": [b"jain"]}}, r"run.metrics\[0\]"),
        ({"title": "\ud800"}, "half of a character"),
        ({}, "it is empty"),
    ],
)
def test_a_dictionary_that_is_no_scenario_is_refused(given, said):
    with pytest.raises(af.InputError, match=said):
        af.run(given)


def test_a_dictionary_inside_itself_is_refused():
    given: dict[str, object] = {}
    given["run"] = given
    with pytest.raises(af.InputError, match="nested too deeply"):
        af.run(given)


def test_text_survives():
    odd = {"title": 'a "b"\\ \n\t\x7f\x00 \U0001f600', "a b": {"": [1, 1.5, True, float("inf")]}}
    assert tomllib.loads(toml.text(odd)) == odd


#: A scenario whose runs are short, and what makes them so.
SMALL, BRIEF = "bench/wlan", {"duration": "2 s"}
#: The functions that take a scenario, each with the part of its answer that tells one scenario from another.
FUNCTIONS = {
    "run": lambda given, **at: af.run(given, **at).document["metrics"],
    "World": lambda given, **at: af.World(given, **at).scenario.digest,
    "sweep": lambda given, **at: af.sweep(given, {"window": [2, 4]}, **at).results.to_pydict(),
    "optimize": lambda given, **at: af.optimize(
        given, over={"window": [2, 4]}, maximize="jain", seeds=2, **at
    ).document["parameters"],
    "timeline": lambda given, **at: af.timeline(given, **at).document["runs"],
    "fair_share": lambda given, **at: af.fair_share(given, seeds=1, **at).table,
    "diff": lambda given, **at: af.diff(given, **at).a.fixed,
    "describe": lambda given, **at: [{**one, **at} for one in af.describe(given)["parameters"]],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_a_scenario_in_every_form(name, tmp_path):
    function, loaded = FUNCTIONS[name], af.Scenario.load(SMALL)
    packaged = function(SMALL, **BRIEF)
    path = tmp_path / "home file é.toml"
    path.write_text(loaded.toml)
    for given in (path, str(path), tomllib.loads(loaded.toml), loaded):
        assert function(given, **BRIEF) == packaged


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "describe"])
def test_a_scenario_has_what_it_was_loaded_with_and_parameters_change_it(name):
    function, loaded = FUNCTIONS[name], af.Scenario.load(SMALL, [*BRIEF.items(), ("stations", "2")])
    assert function(loaded) == function(SMALL, stations=2, **BRIEF)
    assert function(loaded, stations=3) == function(SMALL, stations=3, **BRIEF) != function(loaded)


def test_a_scenario_keeps_its_metrics_and_its_engine():
    loaded = af.Scenario.load(SMALL, list(BRIEF.items()), ["jain"]).by_engine("plain")
    assert loaded.changed([("stations", "2")]).engine == "plain"
    assert list(af.run(loaded, stations=2).metrics) == ["jain"]
    assert list(af.run(loaded, metrics="collision_rate").metrics) == ["collision_rate"]
    columns = af.sweep(loaded, {"stations": [2]}).results.to_pydict()
    assert "jain" in columns and "throughput_total" not in columns
    [run] = af.timeline(loaded).document["runs"]
    assert list(run["metrics"]) == ["jain"]


def test_the_command_of_a_timeline_names_a_scenario_only_if_that_is_its_file():
    named, changed = af.Scenario.load(SMALL), af.Scenario.load(SMALL, [("stations", "2")])
    told = [af.timeline(given, **BRIEF).command for given in (named, changed)]
    assert told == [f"airfair timeline {name} --set 'duration=2 s'" for name in (SMALL, "scenario")]


def test_a_sweep_of_a_scenario_is_continued_without_it(tmp_path):
    loaded = af.Scenario.load(SMALL, list(BRIEF.items()))
    first = af.sweep(loaded, {"stations": [1, 2]}, out=tmp_path / "mine")
    again = af.sweep(tmp_path / "mine", {"stations": [1, 2, 3]})
    assert again.results.to_polars()[:2].equals(first.results.to_polars())
    assert again.results.to_pydict()["duration"] == [2.0] * 3


def test_a_control_in_python_stays_with_its_scenario():
    class Fixed:
        def on_ack(self, window, ack):
            window.cwnd = 2

        def on_loss(self, window, loss):
            return 2

    controlled = af.Scenario.load(SMALL, list(BRIEF.items())).controlled([(None, Fixed(), [])])
    usual = af.run(SMALL, stations=2, **BRIEF).document["metrics"]
    asked = af.run(SMALL, stations=2, control=Fixed(), **BRIEF).document["metrics"]
    assert af.run(controlled, stations=2).document["metrics"] == asked != usual
    for function in (af.sweep, af.timeline, af.diff, pickle.dumps):
        with pytest.raises(af.InputError, match="a control of your own"):
            function(controlled)


def test_a_scenario_can_be_pickled_and_copied():
    loaded = af.Scenario.load(SMALL, [("stations", "2")], ["jain"]).by_engine("plain")
    for again in (pickle.loads(pickle.dumps(loaded)), copy.deepcopy(loaded)):
        assert [again.digest, again.metrics, again.engine, again.name] == [loaded.digest, ["jain"], "plain", SMALL]
