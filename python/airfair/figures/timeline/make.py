"""Running the scenarios of a timeline."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from airfair import _engine
from airfair.catalogue.parameters import setting, written_axis
from airfair.runs import engines
from airfair.runs.loading import File

#: Maximum number of runs side by side, for lack of room.
_MOST = 4


@dataclass(frozen=True)
class Asked:
    """What a timeline is asked to show, unchecked."""

    file: File
    seed: int = 1
    set: Sequence[tuple[str, str]] = ()
    #: Start and end of the time shown, with units: `21.5 s`.
    start: str | None = None
    end: str | None = None
    #: A parameter and its values, one for each column.
    compare: tuple[str, Sequence[str]] | None = None
    engine: str | None = None


@dataclass(frozen=True)
class Variant:
    """One column's run."""

    #: The parameters that differ between columns.
    set: Sequence[tuple[str, str]]
    scenario: _engine.Scenario
    outcome: _engine.Outcome

    @property
    def sessions(self) -> int:
        """The number of finite sessions."""
        return len(self.outcome.sessions)


@dataclass(frozen=True)
class Made:
    """The runs of a timeline, and the time shown."""

    asked: Asked
    name: str
    title: str
    window: tuple[float, float]
    variants: Sequence[Variant]


def load(asked: Asked) -> list[_engine.Scenario]:
    """Check what is asked, and load the scenario of each column. Raises `InputError`."""
    file = asked.file
    chosen = list(file.metrics) or None
    scenarios = [
        engines.by(asked.engine, _engine.Scenario.parse(file.text, file.name, [*asked.set, *each], chosen))
        for each in _settings(asked)
    ]
    _window(asked, scenarios)
    return scenarios


def run(asked: Asked, scenarios: Sequence[_engine.Scenario]) -> Made:
    """Run the scenarios of `load`.

    Raises:
        EngineError: A run failed.
        KeyboardInterrupt: Ctrl-C.
    """
    from airfair.runs.executor import Point, execute

    points = [Point(scenario, asked.seed, tuple(_engine.TIMELINE_TRACES)) for scenario in scenarios]
    execution = execute(points)
    execution.raise_if_failed()
    return made(asked, scenarios, [execution.outcomes[point] for point in points])


def made(asked: Asked, scenarios: Sequence[_engine.Scenario], outcomes: Sequence[_engine.Outcome]) -> Made:
    """Combine the scenarios of `load` with the outcomes of their runs."""
    variants = [
        Variant(each, scenario, outcome)
        for each, scenario, outcome in zip(_settings(asked), scenarios, outcomes, strict=True)
    ]
    title = str(tomllib.loads(asked.file.text).get("title", ""))
    return Made(asked, scenarios[0].name, title, _window(asked, scenarios, outcomes), variants)


def _window(
    asked: Asked, scenarios: Sequence[_engine.Scenario], outcomes: Sequence[_engine.Outcome] = ()
) -> tuple[float, float]:
    """The time shown: the common part of all runs."""
    windows = [scenario.window(asked.start, asked.end, list(outcomes)) for scenario in scenarios]
    start, end = max(start for start, _ in windows), min(end for _, end in windows)
    if start >= end:
        raise _engine.InputError(
            f"the runs have nothing in common: the last starts at {start:g} s, the first ends at {end:g} s"
        )
    return start, end


def _settings(asked: Asked) -> list[list[tuple[str, str]]]:
    """The parameters that differ between columns, for each column."""
    if asked.compare is None:
        return [[]]
    name, values = asked.compare
    if name in (given for given, _ in asked.set):
        raise _engine.InputError(f"{name}: it is compared, so it cannot be set as well")
    if not 2 <= len(values) <= _MOST:
        raise _engine.InputError(f"{name}: 2 to {_MOST} values can be compared, not {len(values)}")
    if len(set(values)) < len(values):
        raise _engine.InputError(f"{name}: a value is compared with itself: {', '.join(values)}")
    return [[(name, value)] for value in values]


def comparison(texts: Sequence[str]) -> tuple[str, list[str]] | None:
    """The parameter and the values of `--compare`; `None` without it. Raises `InputError` for several parameters."""
    given = [setting("--compare", text) for text in texts]
    if len(given) > 1:
        names = ", ".join(name for name, _ in given)
        raise _engine.InputError(f"--compare: values of one parameter are compared, not of several: {names}")
    return next(((name, split(values)) for name, values in given), None)


def split(values: object) -> list[str]:
    """Values as text, from a list or from text with commas."""
    return [value.strip() for text in written_axis(values, "compare") for value in text.split(",")]
