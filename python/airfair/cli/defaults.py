"""Defaults of options: a flag goes before the environment (`AIRFAIR_JOBS`), and that before `airfair.toml`.

A file may come with somebody else's directory, so it only sets how much is computed and shown: nothing that is written,
replaced, or connected to.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

FILE = "airfair.toml"
#: The options with defaults of one's own, by the name after `AIRFAIR_`.
OPTIONS = ("jobs", "engine", "seed", "seeds", "metrics", "evaluations", "cache", "on")
#: Those that a file may set.
IN_FILE = ("jobs", "engine", "seed", "seeds", "metrics", "evaluations")


class BadDefaultError(Exception):
    """A file or variable that cannot be used."""


def defaults(commands: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str], str]]:
    """Defaults of each command's options, and for each the place where it is set.

    Raises:
        BadDefaultError: The file is not TOML, or has an unknown key.
    """
    takes = {name: {parameter.name for parameter in command.params} for name, command in commands.items()}
    values: dict[str, dict[str, Any]] = {}
    places: dict[tuple[str, str], str] = {}

    def put(command: str, option: str, value: Any, place: str) -> None:
        if option in takes[command]:
            values.setdefault(command, {})[option] = value
            places[command, option] = place

    if (file := find()) is not None:
        document = _read(file)
        for option, value in document.items():
            for command in takes if not isinstance(value, dict) else ():
                put(command, option, _plain(file, option, value, IN_FILE), f"{file}: {option}")
        for command, table in document.items():
            if not isinstance(table, dict):
                continue
            if command not in takes:
                raise BadDefaultError(f"{file}: [{command}]: there is no such command; there is {', '.join(takes)}")
            known = [option for option in IN_FILE if option in takes[command]]
            for option, value in table.items():
                put(command, option, _plain(file, option, value, known), f"{file}: [{command}] {option}")
    for option in OPTIONS:
        variable = f"AIRFAIR_{option.upper()}"
        if os.environ.get(variable):
            for command in takes:
                put(command, option, os.environ[variable], variable)
    return values, places


def find() -> Path | None:
    """The nearest `airfair.toml`: here, or in a directory above."""
    try:
        here = Path.cwd()
    except OSError:
        return None  # the directory was removed
    return next((file for place in (here, *here.parents) if (file := place / FILE).is_file()), None)


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    from airfair.store.reading import read_text, reason

    try:
        return tomllib.loads(read_text(file, follow=True))
    except (OSError, ValueError, RecursionError) as error:
        raise BadDefaultError(f"{file}: cannot be read: {reason(error)}") from None


def _plain(file: Path, option: str, value: Any, known: tuple[str, ...] | list[str]) -> Any:
    """A value of the file as on the command line."""
    if option not in known:
        raise BadDefaultError(f"{file}: {option}: no option with a default; there is {', '.join(known) or 'none'}")
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, bool) or not isinstance(part, str | int) for part in parts):
        raise BadDefaultError(f"{file}: {option}: a text, a whole number or a list of texts is needed")
    return ",".join(map(str, parts))


def place_of(error: typer.BadParameter, places: Mapping[tuple[str, str], str]) -> str | None:
    """The place of the default that an error is about; `None` for what the command line gave."""
    context, option = error.ctx, getattr(error.param, "name", None)
    if context is None or option is None:
        return None
    source = context.get_parameter_source(option)
    return places.get((str(context.info_name), option)) if source and source.name == "DEFAULT_MAP" else None
