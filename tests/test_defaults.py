"""Defaults from the environment and from `airfair.toml`."""

import inspect
import json
import os
import re
from pathlib import Path

import pytest
from conftest import SHORT, call

import airfair as af
from airfair.cli import app, commands, defaults

RUN = ["run", "jung/mixed", *SHORT, "--json"]


def seeds(finished) -> int:
    assert finished.returncode == 0, finished.stderr
    return len(json.loads(finished.stdout)["seeds"])


def test_a_flag_goes_before_the_environment_and_that_before_the_file(airfair, tmp_path):
    (tmp_path / "airfair.toml").write_text("seeds = 2\n[sweep]\nseeds = 9\n")
    environment = os.environ | {"AIRFAIR_SEEDS": "3"}
    assert seeds(airfair(*RUN)) == 2
    assert seeds(airfair(*RUN, env=environment)) == 3
    assert seeds(airfair(*RUN, "--seeds", "1", env=environment)) == 1


def test_a_command_of_its_own_goes_before_all_commands(airfair, tmp_path):
    (tmp_path / "airfair.toml").write_text('[run]\nseeds = 3\nmetrics = ["jain", "throughput_total"]\n')
    finished = airfair(*RUN)
    assert seeds(finished) == 3 and list(json.loads(finished.stdout)["metrics"]) == ["jain", "throughput_total"]
    (tmp_path / "airfair.toml").write_text("seeds = 2\n[run]\nseeds = 3\n")
    assert seeds(airfair(*RUN)) == 3


def test_the_nearest_file_counts(airfair, tmp_path):
    (tmp_path / "airfair.toml").write_text("seeds = 2\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert seeds(call(*RUN, cwd=inner)) == 2
    (tmp_path / "a" / "airfair.toml").write_text("seeds = 4\n")
    assert seeds(call(*RUN, cwd=inner)) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('out = "x"', "out: no option with a default"),
        ("[run]\nforce = true", "force: no option with a default"),
        ('[sweep]\non = "ray:elsewhere:1"', "on: no option with a default"),
        ('[sweep]\ncache = "x"', "cache: no option with a default"),
        ("[rum]\nseeds = 1", "[rum]: there is no such command"),
        ("seeds = [", "airfair.toml: not valid TOML: Invalid value (at end of document)"),
        ("seeds = 1.5", "a whole number"),
        ('seeds = "many"', "airfair.toml: seeds: "),
        ("[run]\njobs = 0", "airfair.toml: [run] jobs: "),
        ('[run]\nmetrics = ["nope"]', "airfair.toml: [run] metrics: unknown metric `nope`"),
        ('engine = "foo"', "airfair.toml: engine: engine `foo` is not known"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(airfair, tmp_path, text, said):
    (tmp_path / "airfair.toml").write_text(text)
    refused = airfair(*RUN)
    assert refused.returncode == 2 and refused.stdout == "" and refused.stderr.count("\n") == 1
    assert said in refused.stderr and "airfair.toml" in refused.stderr


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("AIRFAIR_JOBS", "no", "a whole number"),
        ("AIRFAIR_METRICS", "nope", "unknown metric `nope`"),
        ("AIRFAIR_ENGINE", "foo", "engine `foo` is not known"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(airfair, variable, value, said):
    refused = airfair(*RUN, env=os.environ | {variable: value})
    assert refused.returncode == 2 and refused.stderr.startswith(f"error: {variable}: {said}")


def test_a_value_on_the_command_line_is_not_taken_for_a_default(airfair):
    refused = airfair(*RUN, "--metrics", "nope", env=os.environ | {"AIRFAIR_METRICS": "jain"})
    assert refused.returncode == 2 and refused.stderr.startswith("error: metrics: unknown metric")


def test_help_shows_the_defaults_that_hold(airfair, tmp_path):
    (tmp_path / "airfair.toml").write_text("[run]\nseeds = 7\n")
    assert "[default: 7" in airfair("run", "--help").stdout


#: Defaults of one's own, none of which an option has by itself.
OWN = {
    "jobs": "7",
    "engine": "plain",
    "seed": "8",
    "seeds": "9",
    "metrics": "jain",
    "evaluations": "6",
    "cache": "elsewhere",
    "on": "ray",
}


@pytest.mark.parametrize("own", [{}, OWN], ids=["none", "all"])
def test_help_shows_one_default_for_each_option(airfair, own):
    environment = os.environ | {f"AIRFAIR_{option.upper()}": value for option, value in own.items()}
    shown = set()
    for command in ("run", "sweep", "optimize", "reproduce", "diff", "fair-share", "timeline"):
        printed = airfair(command, "--help", env=environment).stdout
        for entry in re.split(r"\n  (?=-)", printed.partition("\nOptions:")[2]):
            words = " ".join(entry.split())
            option = words.removeprefix("--").partition(" ")[0]
            defaults_shown = re.findall(r"default: ([^;\]]*)", words)
            assert len(defaults_shown) <= 1, words
            if option in own:
                shown.add(option)
                assert defaults_shown == [own[option]], words
    assert shown == set(own)


def test_help_says_what_holds_without_a_default_of_ones_own(airfair):
    printed = " ".join(airfair("sweep", "--help").stdout.split())
    for words in ("(one a core); x>=1", "(fast)", "(1; with --until-ci 100); x>=1", "(1); x>=0"):
        assert printed.count(f"[default: {words}]") == 1


def test_the_page_lists_every_option():
    page = (Path(__file__).parent.parent / "docs" / "defaults.md").read_text()
    listed = dict(re.findall(r"^\| `--(\w+)` \| `AIRFAIR_\w+` \| (.*) \|$", page, re.MULTILINE))
    assert tuple(listed) == defaults.OPTIONS
    assert tuple(name for name, in_file in listed.items() if in_file == f"`{name}`") == defaults.IN_FILE


@pytest.mark.parametrize("name", ["run", "sweep", "optimize", "fair-share", "timeline", "diff"])
def test_a_command_and_its_function_have_the_same_defaults(name):
    assert commands.app  # all commands are known
    of_command = {option.name: option.default or None for option in app._commands[name].whole.params}
    arguments = inspect.signature(getattr(af, name.replace("-", "_"))).parameters.values()
    given = {one.name: one.default or None for one in arguments if one.default is not inspect.Parameter.empty}
    shared = of_command.keys() & given.keys()
    assert {"seed", "engine"} <= shared
    assert {one: of_command[one] for one in shared} == {one: given[one] for one in shared}
