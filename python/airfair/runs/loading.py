"""Scenarios as commands and the functions of `import airfair` take them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import NamedTuple

from airfair import _engine
from airfair.catalogue import toml
from airfair.catalogue.parameters import names_of, overrides
from airfair.runs import engines

#: Stands for a scenario file on standard input.
STDIN = "-"
#: The name of a scenario given as a dictionary.
FROM_PYTHON = "scenario"

#: A packaged scenario's name, the path of a scenario file, a scenario file as a dictionary, or a `Scenario`.
Given = str | PathLike[str] | Mapping[str, object] | _engine.Scenario


class File(NamedTuple):
    """A scenario file that has been read."""

    #: The source as given: a packaged scenario's name, a path, or `-`; `FROM_PYTHON` for a dictionary.
    given: str
    text: str

    @classmethod
    def of(cls, given: str | PathLike[str] | Mapping[str, object]) -> File:
        """Read a packaged scenario by name, or a scenario file by path, from standard input or as a dictionary.

        Raises `InputError`.
        """
        if isinstance(given, Mapping):
            return cls(FROM_PYTHON, toml.text(given))
        source = str(given)
        return cls(source, stdin() if source == STDIN else _engine.scenario_text(source))

    @property
    def name(self) -> str:
        """The name of the scenario in messages."""
        return "stdin" if self.given == STDIN else self.given


def read(
    source: str, overrides: Sequence[tuple[str, str]] = (), metrics: Sequence[str] | None = None
) -> _engine.Scenario:
    """Load a scenario by name, by path, or from standard input. Raises `InputError`."""
    chosen = list(metrics) if metrics else None
    if source != STDIN:
        return _engine.Scenario.load(source, list(overrides), chosen)
    return _engine.Scenario.parse(stdin(), "stdin", list(overrides), chosen)


def stdin() -> str:
    """The text on standard input. Raises `InputError`."""
    from airfair.store.reading import MOST_TEXT  # `import airfair` needs it for nothing else

    if sys.stdin is None:
        raise _engine.InputError("stdin: it is closed")
    contents = sys.stdin.buffer.read(MOST_TEXT + 1)
    if len(contents) > MOST_TEXT:
        raise _engine.InputError(f"stdin: more than {MOST_TEXT:,} bytes")
    try:
        return contents.decode()
    except UnicodeDecodeError:
        raise _engine.InputError("stdin: not UTF-8, which scenario files must be") from None


def loaded(
    scenario: Given,
    parameters: Mapping[str, object],
    metrics: str | Iterable[str],
    engine: str | None,
) -> _engine.Scenario:
    """Load a scenario with these parameters and metrics, to be run by `engine`. Raises `InputError`."""
    if isinstance(scenario, _engine.Scenario):
        if parameters:
            raise _engine.InputError("parameters are given when a Scenario is loaded, not when it is run")
        if metrics:
            raise _engine.InputError("metrics are chosen when a Scenario is loaded, not when it is run")
    else:
        chosen = names_of(metrics) or None
        if isinstance(scenario, Mapping):
            scenario = _engine.Scenario.parse(toml.text(scenario), FROM_PYTHON, overrides(parameters), chosen)
        else:
            scenario = _engine.Scenario.load(str(scenario), overrides(parameters), chosen)
    return engines.by(engine, scenario)
