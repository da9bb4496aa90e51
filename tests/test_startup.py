"""Slow modules are imported where they are needed: not by help and completion, nor by a run or a sweep."""

import ast
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import typer.main
from conftest import AIRFAIR, call, completions, execute

import airfair
from airfair.cli.commands import app

HEAVY = {
    "rich",
    "polars",
    "altair",
    "vl_convert",
    "jinja2",
    "pandas",
    "pyarrow",
    "numpy",
    "optuna",
    "duckdb",
    "ray",
}


def modules_of(*command: str) -> set[str]:
    """All modules that a program imports."""
    finished = execute([sys.executable, "-X", "importtime", *command], check=True)
    return {line.rsplit("|", 1)[1].strip() for line in finished.stderr.splitlines() if "|" in line}


def imported(*command: str) -> set[str]:
    """The packages that a program imports."""
    return {name.split(".")[0] for name in modules_of(*command)}


def own(modules: set[str]) -> set[str]:
    """Those of AirFair."""
    return {name for name in modules if name.startswith("airfair.")}


def test_help_imports_nothing_but_the_declarations_of_commands():
    modules = modules_of("-m", "airfair", "--help")
    assert "typer" in modules and "airfair.cli.commands" in modules
    # `airfair.runs` itself has a limit that commands declare, and imports nothing.
    assert all(name.startswith("airfair.cli") or name == "airfair.runs" for name in own(modules)), own(modules)
    assert not imported("-m", "airfair", "--help") & HEAVY


def test_the_package_loads_nothing_before_it_is_used():
    assert not own(modules_of("-c", "import airfair"))


def test_a_run_in_python_needs_nothing_but_the_engine():
    run = "import airfair; airfair.run('jung/mixed', duration='10 s').metrics"
    assert not imported("-c", run) & (HEAVY | {"typer"})


def test_type_checkers_see_the_public_names_where_they_are():
    tree = ast.parse(Path(airfair.__file__).read_text())
    [block] = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: alias.name if node.module == "airfair" else node.module.removeprefix("airfair.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: place for place, names in airfair._PUBLIC.items() for name in names}


def test_every_public_name_is_there():
    assert set(airfair.__all__) <= set(dir(airfair))
    for name in airfair.__all__:
        assert getattr(airfair, name) is not None
    with pytest.raises(AttributeError, match="'airfair' has no attribute 'rum'"):
        airfair.rum  # noqa: B018


def test_options_are_made_of_the_command_that_is_called_alone():
    group = typer.main.get_command(app)
    for listed in group.commands.values():
        vars(listed).pop("whole", None)
    with group.make_context("airfair", ["show", "jung/mixed"]) as context:
        name, command, rest = group.resolve_command(context, ["show", "jung/mixed"])
    assert (name, rest) == ("show", ["jung/mixed"]) and command.params
    assert [name for name, listed in group.commands.items() if "whole" in vars(listed)] == ["show"]


@pytest.mark.parametrize("command", [("run", "jung/mixed", "--set", "duration=10 s"), ("sweep", "jung/mixed")])
def test_a_run_and_a_sweep_import_no_library_for_tables(tmp_path, monkeypatch, command):
    """Neither when a sweep begins nor when it continues. Importing one takes as long as tens of short runs."""
    monkeypatch.chdir(tmp_path)
    heavy = HEAVY | {"pydantic"} if command[0] == "sweep" else HEAVY - {"rich"} | {"pydantic"}
    for _ in range(2):
        assert not imported("-m", "airfair", *command) & heavy


@pytest.mark.parametrize(
    "command",
    [("run", "jung/mixed", "--set", "duration=10 s"), ("describe", "tcp"), ("scenarios",), ("show", "lee/path")],
)
def test_a_document_is_printed_without_rich(command):
    assert not imported("-m", "airfair", *command, "--json") & HEAVY


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("airfair --ver", "--version"),
        ("airfair run jung/mi", "jung/mixed"),
        ("airfair describe instantaneous_fairness_s", "instantaneous_fairness_sent"),
        ("airfair describe tcp.rto_mi", "tcp.rto_min"),
        ("airfair describe fq_co", "fq_codel"),
        ("airfair init mine.toml --network 802.11a", "802.11ax"),
        ("airfair diff jung/mi", "jung/mixed"),
        ("airfair diff jung/mixed --set-b tcp=veg", "tcp=vegas"),
        ("airfair reproduce ju", "jung"),
        ("airfair run jung/mixed --engine pl", "plain"),
        ("airfair run jung/mixed --trace cwnd,back", "cwnd,backlog"),
        ("airfair reproduce jung --figure fig2", "fig2a"),
        ("airfair run jung/mixed --set stat", "stations="),
        ("airfair run jung/mixed --set tcp=veg", "tcp=vegas"),
        ("airfair run blefari/hotspot --set node.ap.queue.ki", "node.ap.queue.kind="),
        ("airfair run blefari/hotspot --set node.ap.que", "node.ap.queue."),
        ("airfair sweep blefari/hotspot --over tcp.rto_mi", "tcp.rto_min="),
        ("airfair sweep jung/mixed --over stat", "stations="),
        ("airfair sweep jung/mixed --over tcp=reno,veg", "tcp=reno,vegas"),
        ("airfair sweep jung/mixed --until-ci throughput_tot", "throughput_total="),
        ("airfair sweep jung/mixed --zip stations,session_b", "stations,session_bytes"),
        ("airfair timeline jung/mi", "jung/mixed"),
        ("airfair timeline jung/mixed --compare tcp=reno,veg", "tcp=reno,vegas"),
    ],
)
def test_completion(line, offered):
    assert offered in completions(line)


BASH = """
. ./script
COMP_WORDS=(airfair run jung/mixed --set {words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
compopt() {{ echo "$*"; }}
${{completes}} airfair
echo "${{COMPREPLY[*]}}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tcp = v", "vegas vegas-fair"),  # as bash splits tcp=v
        ("tcp=v", "vegas vegas-fair"),
        ("wind", "-o nospace window="),
        ("node.a", "-o nospace node.ap."),
        ("stations=2 --tr", "--trace"),
    ],
)
def test_the_script_for_bash(tmp_path, words, offered):
    named = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # the shell is "bash", whoever runs this
    script = call("--show-completion", "bash", env=named, check=True).stdout
    (tmp_path / "script").write_text(script)
    completes = re.search(r"^(\w+)\(\)", script, re.MULTILINE)[1]
    line = BASH.format(words=words).replace("${completes}", completes)
    path = os.pathsep.join([str(Path(AIRFAIR).parent), os.environ["PATH"]])
    told = execute(["bash", "-c", line], cwd=tmp_path, env=os.environ | {"PATH": path})
    assert (" ".join(told.stdout.split()), told.stderr) == (offered, "")


def test_completion_of_results(tmp_path):
    import airfair as af

    af.sweep("jung/mixed", {"stations": [2, 4], "tcp": ["reno"]}, out=tmp_path, duration="5 s", warmup="10 s")
    assert completions(f"airfair plot {tmp_path} --x st") == ["stations"]
    assert completions(f"airfair plot {tmp_path} --color ") == ["stations", "tcp"]
    assert completions(f"airfair plot {tmp_path} --y jain") == ["jain_persistent"]
    assert completions(f"airfair plot {tmp_path} --kind h") == ["heatmap"]


def test_completion_of_nonsense_is_empty():
    assert completions("airfair run jung/nothing --set x") == []
