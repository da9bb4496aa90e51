"""Scenarios from standard input and from dictionaries."""

import json
import os
import subprocess
import tomllib

import pytest
from conftest import AIRFAIR, SHORT

import airfair as af
from airfair.catalogue import toml


def piped(text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    given = text.encode() if isinstance(text, str) else text
    return subprocess.run([AIRFAIR, *arguments], input=given, capture_output=True, timeout=300, check=False)


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
