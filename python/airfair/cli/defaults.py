"""Users' defaults of options: a flag overrides the environment (`AIRFAIR_JOBS`), which overrides `airfair.toml`.

An `airfair.toml` may come with somebody else's directory. So it can only set how much is computed and shown, and
nothing that decides what is written, replaced or connected to.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

FILE = "airfair.toml"
#: The options whose default `airfair.toml` can set.
IN_FILE = ("jobs", "engine", "seed", "seeds", "metrics", "evaluations")
#: The options whose default a user can set: `jobs` by the variable `AIRFAIR_JOBS`.
OPTIONS = (*IN_FILE, "cache", "on")


class BadDefaultError(Exception):
    """A file or an environment variable with defaults is invalid."""


def defaults(called: str, commands: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The users' defaults for the command that is called, and for each option the place where its default is set.

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
    """The nearest `airfair.toml`, in the working directory or above; `None` if there is none."""
    try:
        here = Path.cwd()
    except OSError:
        return None  # the working directory was removed
    return next((file for place in (here, *here.parents) if (file := place / FILE).is_file()), None)


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    from airfair.store.reading import read_text, reason

    try:
        return tomllib.loads(read_text(file, follow=True))
    except tomllib.TOMLDecodeError as error:
        raise BadDefaultError(f"{file}: not valid TOML: {error}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise BadDefaultError(f"{file}: cannot be read: {reason(error)}") from None


def _plain(file: Path, option: str, value: Any, known: tuple[str, ...] | list[str]) -> Any:
    """A value of the file in the form that the command line has."""
    if option not in known:
        raise BadDefaultError(f"{file}: {option}: no option with a default; there is {', '.join(known) or 'none'}")
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, bool) or not isinstance(part, str | int) for part in parts):
        raise BadDefaultError(f"{file}: {option}: a text, a whole number or a list of texts is needed")
    return ",".join(map(str, parts))


def bad_default(message: str, context: Any) -> typer.BadParameter | None:
    """The error for a user's default that the command refuses; `None` if `message` is about anything else.

    Messages on an option begin with the name of the option: "metrics: " or "engine `foo`".
    """
    option = next((option for option in OPTIONS if message.startswith((f"{option}: ", f"{option} `"))), None)
    parameter = next((parameter for parameter in context.command.params if parameter.name == option), None)
    if parameter is None or not _is_default(context, parameter.name):
        return None
    return typer.BadParameter(message.removeprefix(f"{option}: "), ctx=context, param=parameter)


def place_of(error: typer.BadParameter, places: Mapping[str, str]) -> str | None:
    """The place where the default that an error is about is set; `None` if the command line gave the value."""
    context, option = error.ctx, getattr(error.param, "name", None)
    return places.get(option) if context and option and _is_default(context, option) else None


def _is_default(context: Any, option: str | None) -> bool:
    """Whether a user's default gives the option its value."""
    source = context.get_parameter_source(option) if option else None
    return source is not None and source.name == "DEFAULT_MAP"
