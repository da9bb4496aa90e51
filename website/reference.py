"""Pages generated from what the package declares: commands, scenarios, parameters, settings, metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table
from typer.main import get_group
from typer.testing import CliRunner

import airfair
from airfair import _engine, console
from airfair.cli.commands import app
from website.source import Source

COMMANDS = """# Commands

Each command prints this with `--help`. All of them say in one line what is wrong with their input, and exit with 2 for
bad input, 1 for a failure and 130 after Ctrl-C.
"""
SCENARIOS = """# Packaged scenarios

`airfair scenarios` lists them; `airfair describe NAME` prints what their pages say.
"""
PARAMETERS = """# Parameters

The parameters of packaged scenarios. `--set NAME=VALUE` sets one; `--over` and `--compare` vary it. Any other key of a
scenario can be set by its [path](../scenarios.md#settings-by-path).
"""
METRICS = """# Metrics, one by one

`airfair describe METRIC` prints the same. [Metrics](../metrics.md) tells which bytes count, what means leave out, and
how grades are given.
"""
#: The pages of words that have settings of their own, with their titles.
WORDS = {"controls": "Congestion controls", "disciplines": "Queue disciplines"}
SETTINGS = """# Settings

Every key of scenario files by its path; see [scenario files](../scenarios.md). `airfair describe PATH` prints the same.
"""


def write(source: Source) -> None:
    """Write all of them."""
    described = [airfair.describe(entry["name"]) for entry in airfair.scenarios()]
    source.write("reference/commands", commands())
    source.write("reference/scenarios", scenarios(described))
    for scenario in described:
        source.write(f"reference/scenarios/{file_of(scenario['name'])}", one_scenario(scenario))
    source.write("reference/parameters", parameters(described))
    source.write("reference/metrics", metrics())
    for kind in WORDS:
        source.write(f"reference/{kind}", words(kind))
    source.write("reference/settings", settings())


def file_of(name: str) -> str:
    """The name of a scenario's page."""
    return name.replace("/", "-")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table. Cells are Markdown on one line."""
    columns = list(head)
    lines = [columns, ["---"] * len(columns), *([*row] for row in rows)]
    return ["| " + " | ".join(cell.replace("\n", " ").replace("|", r"\|") for cell in line) + " |" for line in lines]


def shown(result: Table) -> list[str]:
    """A table of the terminal's as Markdown, its first column as code."""
    rows = zip(*(column.cells for column in result.columns), strict=True)
    head = [str(column.header) for column in result.columns]
    return table(head, ([code(first), *(prose(str(cell)) for cell in rest)] for first, *rest in rows))


def code(value: object) -> str:
    """Text as code."""
    return f"`{value}`"


def prose(text: str) -> str:
    """A declaration's text as Markdown: code stays code, everything else is only text."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return _escaped(text)
    return "".join(code(piece) if number % 2 else _escaped(piece) for number, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    for sign in "\\*_[]<>#":
        text = text.replace(sign, f"\\{sign}")
    return text


def commands() -> str:
    """What `--help` prints, for each command."""
    lines = [COMMANDS]
    for name in get_group(app).commands:
        printed = CliRunner().invoke(app, [name, "--help"], prog_name="airfair", env={"COLUMNS": "80"})
        lines += [f"## `airfair {name}`", "", "```text", printed.output.strip(), "```", ""]
    return "\n".join(lines)


def scenarios(described: Iterable[Mapping[str, Any]]) -> str:
    """The list of packaged scenarios."""
    rows = (
        (f"[`{entry['name']}`](scenarios/{file_of(entry['name'])}.md)", prose(entry["title"]), prose(entry["summary"]))
        for entry in airfair.scenarios()
    )
    listed = [f"scenarios/{file_of(entry['name'])}" for entry in described]
    lines = table(("Scenario", "Title", "Purpose"), rows)
    return "\n".join([SCENARIOS, *lines, "", "```{toctree}", ":hidden:", "", *listed, "```", ""])


def one_scenario(scenario: Mapping[str, Any]) -> str:
    """A scenario: purpose, parameters, metrics, and the file itself."""
    name = scenario["name"]
    lines = [f"# `{name}`", "", f"**{prose(scenario['title'])}**", ""]
    lines += [*(prose(line) for line in scenario["description"].strip().splitlines()), ""]
    lines += ["```console", f"$ airfair run {name}", "```", "", "## Parameters", ""]
    lines += shown(console.parameters_table(scenario["parameters"]))
    loaded = _engine.Scenario.load(name)
    lines += ["", "## Metrics", "", "A run reports these; `--metrics` asks for others.", ""]
    places = {name: entry["name"] for entry in airfair.metrics() for name in (entry["name"], *entry["quantiles"])}
    lines += [f"- [`{metric}`](../metrics.md#{places[metric]})" for metric in loaded.metrics]
    lines += ["", "## The file", "", f"`airfair show {name}` prints it.", ""]
    return "\n".join([*lines, "```toml", loaded.toml.rstrip(), "```", ""])


def parameters(described: Iterable[Mapping[str, Any]]) -> str:
    """Every parameter of every packaged scenario."""
    uses: dict[str, dict[str, list[str]]] = {}
    for scenario in described:
        for entry in scenario["parameters"]:
            uses.setdefault(entry["name"], {}).setdefault(entry["help"] or "", []).append(scenario["name"])
    rows = (
        (code(name), prose(text), ", ".join(f"[{one}](scenarios/{file_of(one)}.md)" for one in where))
        for name, meanings in sorted(uses.items())
        for text, where in meanings.items()
    )
    return "\n".join([PARAMETERS, *table(("Parameter", "Meaning", "Scenarios"), rows), ""])


def metrics() -> str:
    """Every metric: definition, unit, range, source."""
    lines = [METRICS]
    for entry in airfair.metrics():
        lines += [f"## {code(entry['name'])}", "", f"{prose(entry['title'])}.", "", prose(entry["definition"]), ""]
        facts = zip(*(column.cells for column in console.metric_facts(entry).columns), strict=True)
        lines += [f"- *{name}*: {prose(str(fact))}" for name, fact in facts]
        lines.append("")
    return "\n".join(lines)


def words(kind: str) -> str:
    """The congestion controls or the queue disciplines, each with its own settings and the scenarios that offer it."""
    lines = [
        f"# {WORDS[kind]}",
        "",
        f"`airfair describe {kind}` lists them, `airfair describe NAME` describes one.",
        "",
    ]
    for word in airfair.describe(kind)["words"]:
        described = airfair.describe(word["name"])
        lines += [f"## {code(word['name'])}", "", prose(described["description"]), ""]
        for use in described.get("used_by", ()):
            scenario, option = use["scenario"], f"--set {use['parameter']}={word['name']}"
            lines.append(f"- [{code(scenario)}](scenarios/{file_of(scenario)}.md): {code(option)}")
        own = [(code(one["path"]), prose(one["description"])) for one in word["settings"]]
        lines += ["", *(table(("Setting", "Meaning"), own) if own else ["It has no settings of its own."]), ""]
    return "\n".join(lines)


def settings() -> str:
    """Every setting of scenario files, by the table that has it."""
    tables: dict[str, list[tuple[str, str, str]]] = {}
    for one in airfair.describe("settings")["settings"]:
        where = one["path"].rpartition(".")[0]
        also = ", ".join(code(path) for path in one["also"])
        tables.setdefault(where, []).append((code(one["path"]), prose(one["description"]), also))
    lines = [SETTINGS]
    for where, rows in tables.items():
        heading = code(f"[{where}]") if where else "At the top"
        lines += [f"## {heading}", "", *table(("Setting", "Meaning", "Also as"), rows), ""]
    return "\n".join(lines)
