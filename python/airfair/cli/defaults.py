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
#: The options that a file may set.
IN_FILE = ("jobs", "engine", "seed", "seeds", "metrics", "evaluations")


class BadDefaultError(Exception):
    """A file or variable that cannot be used."""


def defaults(called: str, commands: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Defaults of the options of the command that is called, and for each the place where it is set.

    Raises:
        BadDefaultError: The file is not TOML, or has an unknown key.
    """
    takes = _options(commands[called])
    values: dict[str, Any] = {}
    places: dict[str, str] = {}

    def put(option: str, value: Any, place: str) -> None:
        if option in takes:
            values[option], places[option] = value, place

    if (file := find()) is not None:
        document = _read(file)
        for option, value in document.items():
            if not isinstance(value, dict):
                put(option, _plain(file, option, value, IN_FILE), f"{file}: {option}")
        for command, table in document.items():
            if not isinstance(table, dict):
                continue
            if command not in commands:
                raise BadDefaultError(f"{file}: [{command}]: there is no such command; there is {', '.join(commands)}")
            options = _options(commands[command])
            known = [option for option in IN_FILE if option in options]
            for option, value in table.items():
                text = _plain(file, option, value, known)
                if command == called:
                    put(option, text, f"{file}: [{command}] {option}")
    for option in OPTIONS:
        variable = f"AIRFAIR_{option.upper()}"
        if os.environ.get(variable):
            put(option, os.environ[variable], variable)
    return values, places


def _options(command: Any) -> set[str]:
    """The names of a command's options."""
    return {parameter.name for parameter in command.whole.params}


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


def bad_default(message: str, context: Any) -> typer.BadParameter | None:
    """The error of a default that the command itself refuses; `None` where the message is about anything else.

    Such messages begin with the name of the option: "metrics: " or "engine `foo`".
    """
    option = next((option for option in OPTIONS if message.startswith((f"{option}: ", f"{option} `"))), None)
    parameter = next((parameter for parameter in context.command.params if parameter.name == option), None)
    if parameter is None or not _is_default(context, parameter.name):
        return None
    return typer.BadParameter(message.removeprefix(f"{option}: "), ctx=context, param=parameter)


def place_of(error: typer.BadParameter, places: Mapping[str, str]) -> str | None:
    """The place of the default that an error is about; `None` for what the command line gave."""
    context, option = error.ctx, getattr(error.param, "name", None)
    return places.get(option) if context and option and _is_default(context, option) else None


def _is_default(context: Any, option: str | None) -> bool:
    """Whether a default of one's own gives the option its value."""
    source = context.get_parameter_source(option) if option else None
    return source is not None and source.name == "DEFAULT_MAP"
