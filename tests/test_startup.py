"""Slow modules are imported where they are needed: not by help and completion, nor by a run or a sweep."""

import os
import subprocess
import sys

import pytest
from conftest import AIRFAIR

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


def imported(*command: str) -> set[str]:
    finished = subprocess.run(
        [sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=True
    )
    return {line.rsplit("|", 1)[1].strip().split(".")[0] for line in finished.stderr.splitlines() if "|" in line}


def test_help_imports_nothing_heavy():
    modules = imported("-m", "airfair", "--help")
    assert "typer" in modules and "airfair" in modules
    assert not modules & HEAVY


def test_the_package_needs_nothing_but_the_engine():
    modules = imported("-c", "import airfair")
    assert not modules & (HEAVY | {"typer"})


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


def completions(line: str) -> list[str]:
    """The completions that bash offers at the end of the line."""
    words = line.split(" ")
    environment = os.environ | {
        "_AIRFAIR_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    finished = subprocess.run([AIRFAIR], env=environment, capture_output=True, text=True, check=False)
    return finished.stdout.split()


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


def test_completion_of_results(tmp_path):
    import airfair as af

    af.sweep("jung/mixed", {"stations": [2, 4], "tcp": ["reno"]}, out=tmp_path, duration="5 s", warmup="1 s")
    assert completions(f"airfair plot {tmp_path} --x st") == ["stations"]
    assert completions(f"airfair plot {tmp_path} --color ") == ["stations", "tcp"]
    assert completions(f"airfair plot {tmp_path} --y jain") == ["jain_persistent"]
    assert completions(f"airfair plot {tmp_path} --kind h") == ["heatmap"]


def test_completion_of_nonsense_is_empty():
    assert completions("airfair run jung/nothing --set x") == []
