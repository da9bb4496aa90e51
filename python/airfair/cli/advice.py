"""Messages on wrong options and arguments, with advice on what to write instead."""

import shlex
from collections.abc import Mapping
from typing import Any

import typer

#: The common base of errors in usage, which Typer does not export.
UsageError: Any = typer.BadParameter.__base__
#: For an argument, the command that lists its values.
_LISTED = {"SCENARIO": "airfair scenarios", "STUDY": "airfair studies"}
_EXTRA = "Got unexpected extra argument"


def advise(error: Any, parameters: list[Any], given: list[str], commands: Mapping[str, Any]) -> None:
    """Add advice to the message of a `UsageError`.

    `parameters` are those of the called command, `given` the words after its name, `commands` all commands by name.
    """
    sets = any(parameter.name == "set" and not parameter.hidden for parameter in parameters)
    if hasattr(error, "possibilities"):
        from airfair._engine import nearest

        shown = (one.opts for one in parameters if not getattr(one, "hidden", False))
        names = [option.removeprefix("--") for options in shown for option in options if option.startswith("--")]
        word = error.option_name.lstrip("-")
        # A single letter: suggest the options that begin with it.
        near = [name for name in names if name.startswith(word)] if len(word) == 1 else [nearest(word, names)]
        error.possibilities = [f"--{name}" for name in near if name]
        takers = [f"`airfair {name}`" for name, one in commands.items() if _takes(one, error.option_name)]
        if takers:
            error.possibilities = ()
            error.message += f". It is an option of {', '.join(takers)}"
        elif sets and not error.possibilities:
            error.message += ". Parameters of a scenario are set with --set NAME=VALUE"
    elif error.message.startswith(_EXTRA):
        words = _extra(error.message.partition("(s) (")[2].removesuffix(")"), given)
        if sets and words and all("=" in word for word in words):
            error.message += ": write " + " ".join(f"--set {shlex.quote(word)}" for word in words)
        elif options := [f"--{word}" for word in given if any(_has(one, f"--{word}") for one in parameters)]:
            error.message += f": write {' '.join(options)}"
    elif not error.message and (argument := getattr(error, "param", None)):
        lists = [command for name, command in _LISTED.items() if name in (argument.metavar or "")]
        error.message = "".join(f"`{command}` lists them" for command in lists)


def _extra(text: str, given: list[str]) -> list[str]:
    """Split the words that an error joins with spaces, as `given` has them: a word may contain spaces itself."""
    words = []
    for word in given:
        if f"{text} ".startswith(f"{word} "):
            words.append(word)
            text = text[len(word) + 1 :]
    return [*words, *text.split()]


def _takes(command: Any, option: str) -> bool:
    return any(_has(one, option) for one in command.params)


def _has(parameter: Any, option: str) -> bool:
    return option in parameter.opts and not getattr(parameter, "hidden", False)
