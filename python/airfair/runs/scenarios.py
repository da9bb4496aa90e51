"""The bodies of the commands that show, check and list scenarios without running them."""

from __future__ import annotations

import json

from airfair import _engine, console
from airfair.catalogue import known, warned
from airfair.command import Common, answer
from airfair.runs import loading


def show(scenario: str, common: Common) -> int:
    """Print a scenario's TOML."""
    loaded = loading.read(scenario, common.overrides)
    document = {"scenario": loaded.name, "toml": loaded.toml}
    answer(common, "show.json", document, lambda: console.write(loaded.toml.removesuffix("\n") + "\n"))
    return 0


def check(file: str, common: Common) -> int:
    """Validate a scenario file without running it."""
    loaded = loading.read(file, common.overrides) if file == loading.STDIN else _engine.check(file, common.overrides)
    console.warn(warned.texts([loaded]))
    parameters = json.loads(loaded.parameters_json)
    document = {"scenario": loaded.name, "valid": True, "parameters": parameters}
    answer(
        common,
        "check.json",
        document,
        lambda: console.out.line(f"{file}: ", ("valid", "green")),
    )
    return 0


def schema(common: Common) -> int:
    """Print the JSON Schema of scenario files."""
    text = _engine.schema_json()
    answer(common, "schema.json", text, lambda: print(text))
    return 0


def scenarios(common: Common) -> int:
    """List the packaged scenarios."""
    listing = known.scenarios()

    def show() -> None:
        rows = ((entry["name"], entry["title"]) for entry in listing)
        console.out.print(console.table(None, "Scenario", "Title", rows=rows))

    answer(common, "scenarios.json", listing, show)
    return 0
