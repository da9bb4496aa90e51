"""Scenarios as commands and the functions of `import airfair` take them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from os import PathLike
from typing import NamedTuple, TypeAlias

from airfair import _engine
from airfair.catalogue import toml
from airfair.catalogue.parameters import names_of, overrides
from airfair.runs import engines

#: Stands for a scenario file on standard input.
STDIN = "-"
#: Stands for a scenario that has no file: a dictionary, or a `Scenario` with settings of its own.
FROM_PYTHON = "scenario"

#: What every function takes as a scenario: the name of a packaged one, the path of a scenario file, the contents of one
#: as a dictionary, or a `Scenario`.
ScenarioLike: TypeAlias = str | PathLike[str] | Mapping[str, object] | _engine.Scenario


class File(NamedTuple):
    """A scenario file that has been read."""

    #: The source in a command: a packaged scenario's name, a path, or `-`; else `FROM_PYTHON`.
    given: str
    #: The name of the scenario in messages and results.
    name: str
    text: str
    #: The metrics that a `Scenario` reports, if its file does not say so.
    metrics: tuple[str, ...] = ()
    #: The engine of a `Scenario`.
    engine: str | None = None

    @classmethod
    def of(cls, given: ScenarioLike) -> File:
        """Read the file of a scenario; `-` is one on standard input.

        Raises:
            InputError: There is no such file, or the `Scenario` has a control in Python, which no file holds.
        """
        if isinstance(given, _engine.Scenario):
            return cls._of_loaded(given)
        if isinstance(given, Mapping):
            return cls(FROM_PYTHON, FROM_PYTHON, toml.text(given))
        source = str(given)
        if source == STDIN:
            return cls(source, "stdin", stdin())
        return cls(source, source, _engine.scenario_text(source))

    @classmethod
    def _of_loaded(cls, given: _engine.Scenario) -> File:
        _ = given.digest  # raises
        text = given.toml
        usual = _engine.Scenario.parse(text, given.name).metrics
        try:
            is_as_named = _engine.scenario_text(given.name) == text
        except _engine.InputError:
            is_as_named = False
        source = given.name if is_as_named else FROM_PYTHON
        return cls(source, given.name, text, tuple(given.metrics) if given.metrics != usual else (), given.engine)


def read(
    source: str,
    overrides: Sequence[tuple[str, str]] = (),
    metrics: Sequence[str] | None = None,
    besides: Iterable[str] = (),
) -> _engine.Scenario:
    """Load a scenario by name, by path, or from standard input. Raises `InputError`.

    It reports `metrics` in place of its own, and those of `besides` behind them.
    """
    text = stdin() if source == STDIN else None

    def load(chosen: list[str] | None) -> _engine.Scenario:
        if text is None:
            return _engine.Scenario.load(source, list(overrides), chosen)
        return _engine.Scenario.parse(text, "stdin", list(overrides), chosen)

    scenario = load(list(metrics) if metrics else None)
    further = [name for name in dict.fromkeys(besides) if name not in scenario.metrics]
    return load([*scenario.metrics, *further]) if further else scenario


@cache
def stdin() -> str:
    """The text on standard input, which can be read once. Raises `InputError`."""
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
    scenario: ScenarioLike,
    parameters: Mapping[str, object],
    metrics: str | Iterable[str],
    engine: str | None,
) -> _engine.Scenario:
    """Load a scenario with these parameters and metrics, to be run by `engine`. Raises `InputError`."""
    settings, chosen = overrides(parameters), names_of(metrics)
    if isinstance(scenario, _engine.Scenario):
        ready = scenario.changed(settings, chosen or None) if settings or chosen else scenario
    elif isinstance(scenario, Mapping):
        ready = _engine.Scenario.parse(toml.text(scenario), FROM_PYTHON, settings, chosen or None)
    else:
        ready = read(str(scenario), settings, chosen)
    return engines.by(engine, ready)


def reduced(scenario: _engine.Scenario) -> tuple[Callable[..., _engine.Scenario], tuple[object, ...]]:
    """What `pickle` keeps of a scenario without controls in Python: the file, the metrics and the engine."""
    return _restored, (scenario.toml, scenario.name, scenario.metrics, scenario.engine)


def _restored(text: str, name: str, metrics: list[str], engine: str) -> _engine.Scenario:
    return _engine.Scenario.parse(text, name, [], metrics).by_engine(engine)
