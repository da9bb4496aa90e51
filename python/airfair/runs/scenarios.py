"""The bodies of the commands that show, check and list scenarios without running them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

from airfair import _engine, console
from airfair.catalogue import known, warned
from airfair.catalogue.parameters import written
from airfair.command import Common, answer
from airfair.runs import loading


def show(scenario: str, common: Common) -> int:
    """Print a scenario's TOML."""
    loaded = loading.read(scenario, common.overrides)
    document = {"scenario": loaded.name, "toml": loaded.toml}
    answer(common, "show.json", document, lambda: console.write(loaded.toml.removesuffix("\n") + "\n"))
    return 0


def check(file: str, common: Common) -> int:
    """Validate a scenario file without running it, and try the choices of its parameters."""
    from_stdin = file == loading.STDIN
    loaded = loading.read(file, common.overrides) if from_stdin else _engine.check(file, common.overrides)
    console.warn(warned.texts([loaded]))
    if not from_stdin:
        console.warn(_warnings_of_words(loaded, common.overrides))
    parameters = loaded.parameters
    document = {"scenario": loaded.name, "valid": True, "parameters": parameters}
    answer(
        common,
        "check.json",
        document,
        lambda: console.out.line(f"{file}: ", ("valid", "green")),
    )
    return 0


def _warnings_of_words(loaded: _engine.Scenario, overrides: list[tuple[str, str]]) -> Iterator[str]:
    """What speaks against words that a parameter declares as its choices, each word with all else as it is.

    The parameters that `overrides` sets have no other words. A parameter that is another name for a setting need not
    allow all words of the setting.
    """
    try:
        declared = tomllib.loads(loaded.toml).get("parameters", {})
    except ValueError:
        return  # the engine reads newer TOML than Python does
    for parameter in json.loads(_engine.description_json(loaded))["parameters"]:
        name = parameter["name"]
        entry = declared[name]
        if any(name == given for given, _ in overrides) or not isinstance(entry, dict) or "choices" not in entry:
            continue
        for word in map(written, parameter["choices"] or ()):
            try:
                other = loaded.changed([(name, word)])
            except _engine.InputError as error:
                yield f"`{name}={word}` is refused with all else as it is: {error}"
            else:
                yield from (f"with `{name}={word}`: {text}" for text in other.warnings if text not in loaded.warnings)


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
