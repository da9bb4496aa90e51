"""`docs/scripts.md`: every field of the documents that it describes is there, and no other."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import call

GUIDE = Path(__file__).parent.parent / "docs" / "scripts.md"
#: A short run, in which no page loads and so a metric has no value.
HOME = ["--set", "warmup=1 s", "--set", "duration=3 s"]


def told(name: str) -> set[str]:
    """The fields in a table of the guide."""
    table = GUIDE.read_text().split(f"<!-- {name}:begin -->")[1].split(f"<!-- {name}:end -->")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {field for cell in cells for field in re.findall(r"`(\w+)`", cell)}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Documents of runs that have every field between them."""
    calls = [
        ["wifi/home", *HOME, "--seeds", "2"],
        ["jung/mixed", "--set", "fair_share=measured", "--set", "duration=3 s"],
    ]
    cwd = tmp_path_factory.mktemp("runs")
    return [json.loads(call("run", *of_run, "--json", cwd=cwd).stdout) for of_run in calls]


def test_the_fields_of_a_run(documents: list[dict[str, Any]]) -> None:
    assert told("run") == {field for document in documents for field in document}


@pytest.mark.parametrize(("table", "of"), [("metric", "metrics"), ("device", "devices")])
def test_the_fields_of_its_metrics_and_devices(table: str, of: str, documents: list[dict[str, Any]]) -> None:
    parts = [document[of] for document in documents]
    entries = [entry for part in parts for entry in (part.values() if isinstance(part, dict) else part)]
    assert told(table) == {field for entry in entries for field in entry}


def test_the_fields_of_a_sweep(answer: Callable[..., Any]) -> None:
    sweep = ["bench/wlan", "--over", "stations=1,2", "--set", "duration=1 s", "--out", "mine"]
    document = answer("sweep", *sweep)
    assert told("sweep") == set(document)
    assert told("point") == set(document["points"][0])
