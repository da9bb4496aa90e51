"""The points of a sweep: its axes expanded, each combination checked by the engine."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from airfair import _engine
from airfair.sweeps.spec import MOST_RUNS, Sweep
from airfair.workers import default_jobs


@dataclass(frozen=True)
class Setting:
    """A value on an axis."""

    #: As the engine takes it.
    text: str
    #: In SI.
    value: str | float | bool | None


@dataclass(frozen=True)
class Recipe:
    """All that a computer with AirFair needs to load a scenario."""

    text: str
    name: str
    overrides: tuple[tuple[str, str], ...]

    def load(self) -> _engine.Scenario:
        """Have the engine load it."""
        return _engine.Scenario.parse(self.text, self.name, list(self.overrides))


#: Seeds of one combination run close to each other, so a few are enough; large scenarios take much memory.
_loaded = lru_cache(maxsize=16)(Recipe.load)


@dataclass(frozen=True, eq=False)
class Combination:
    """One value of each axis. With a seed it is a point."""

    place: int
    recipe: Recipe
    #: The values on the axes.
    at: Mapping[str, Setting]
    #: Every parameter as the engine resolved it: `{"value": ..., "unit": ...}`, in SI.
    parameters: Mapping[str, Mapping[str, Any]]
    #: The metrics that it measures.
    metrics: tuple[str, ...]
    warnings: tuple[str, ...]
    #: The name of each seed's result.
    keys: Mapping[int, str]

    @property
    def name(self) -> str:
        """What people call it."""
        return self.recipe.name

    def key(self, seed: int) -> str:
        """Names the result with this seed."""
        return self.keys[seed]

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed."""
        return _loaded(self.recipe).run(seed, traces, stop)

    def __str__(self) -> str:
        return described(self.at) or self.name


@dataclass(frozen=True)
class Refused:
    """A combination of values, each allowed, that the engine does not accept together."""

    at: Mapping[str, Setting]
    reason: str


@dataclass(frozen=True)
class Plan:
    """What a sweep comes to."""

    sweep: Sweep
    #: In the order of the results' rows.
    combinations: tuple[Combination, ...]
    refused: tuple[Refused, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes."""
        return tuple(self.sweep.over)

    @property
    def fixed(self) -> tuple[str, ...]:
        """The names of the parameters that are the same at all points."""
        return tuple(sorted(name for name in self.combinations[0].parameters if name not in self.sweep.over))

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is measured at any of the points."""
        return tuple(dict.fromkeys(name for combination in self.combinations for name in combination.metrics))

    @property
    def warnings(self) -> list[str]:
        """What is legal but hopeless, each sentence once."""
        return list(dict.fromkeys(text for combination in self.combinations for text in combination.warnings))


def described(at: Mapping[str, Setting]) -> str:
    """A combination as people write it: `stations=4, tcp=vegas`."""
    return ", ".join(f"{name}={setting.text}" for name, setting in at.items())


def plan(sweep: Sweep) -> Plan:
    """Expand the axes and have the engine check every combination. Nothing is run and nothing is written.

    Raises:
        InputError: A value that its parameter cannot have, or input that is bad whatever the combination.
    """
    settings = combinations_of(sweep)
    with ThreadPoolExecutor(default_jobs()) as pool:
        checked = list(pool.map(lambda at: check(sweep, at), settings))
    refused = [entry for entry in checked if isinstance(entry, Refused)]
    if len(refused) == len(checked):
        raise _engine.InputError(refused[0].reason)
    accepted = (entry for entry in checked if isinstance(entry, Combination))
    combinations = tuple(replace(entry, place=place) for place, entry in enumerate(accepted))
    result = Plan(sweep, combinations, tuple(refused))
    if sweep.until and sweep.until.metric not in result.metrics:
        known = ", ".join(result.metrics)
        raise _engine.InputError(f"--until-ci: {sweep.name} does not measure {sweep.until.metric}; it measures {known}")
    return result


def combinations_of(sweep: Sweep) -> list[dict[str, Setting]]:
    """Every combination once, sorted by the axes' values."""
    groups = sweep.groups
    if sweep.sample is None:
        along = [_together(sweep, group) for group in groups]
        _refuse_too_many(math.prod(len(values) for values in along), sweep.seeds)
        chosen: Iterable[tuple[dict[str, Setting], ...]] = itertools.product(*along)
    else:
        _refuse_too_many(sweep.sample, sweep.seeds)
        places = _engine.latin_hypercube(sweep.sample, len(groups), sweep.seed)
        chosen = zip(*(_sampled(sweep, group, at) for group, at in zip(groups, places, strict=True)), strict=True)
    unique: dict[tuple[Any, ...], dict[str, Setting]] = {}
    for parts in chosen:
        merged = {name: setting for part in parts for name, setting in part.items()}
        at = {name: merged[name] for name in sweep.over}
        unique.setdefault(tuple(_sort_key(setting.value) for setting in at.values()), at)
    return [unique[key] for key in sorted(unique)]


def _refuse_too_many(points: int, seeds: int) -> None:
    """Refuse what would fill the memory before anything runs."""
    if points * seeds > MOST_RUNS:
        runs = f"{points:,} {'point' if points == 1 else 'points'}"
        runs += f" with {seeds:,} seeds each" if seeds > 1 else ""
        raise _engine.InputError(f"{runs}: a sweep can have {MOST_RUNS:,} runs at most")


def _sort_key(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then words by letters, then what is not set."""
    if value is None:
        return (2, 0.0, "")
    return (1, 0.0, value) if isinstance(value, str) else (0, float(value), "")


def _together(sweep: Sweep, group: tuple[str, ...]) -> list[dict[str, Setting]]:
    """The values of axes that vary together."""
    columns = [_read(_engine.axis_values_json(sweep.text, sweep.name, name, list(sweep.over[name]))) for name in group]
    for name, column in zip(group, columns, strict=True):
        if len(column) != len(columns[0]):
            raise _engine.InputError(
                f"--zip {','.join(group)}: {group[0]} has {len(columns[0])} values and {name} has {len(column)}"
            )
    return [dict(zip(group, row, strict=True)) for row in zip(*columns, strict=True)]


def _sampled(sweep: Sweep, group: tuple[str, ...], places: list[float]) -> list[dict[str, Setting]]:
    columns = [
        _read(_engine.axis_samples_json(sweep.text, sweep.name, name, list(sweep.over[name]), places)) for name in group
    ]
    return [dict(zip(group, row, strict=True)) for row in zip(*columns, strict=True)]


def _read(axis: str) -> list[Setting]:
    return [Setting(**entry) for entry in json.loads(axis)]


def check(sweep: Sweep, at: Mapping[str, Setting]) -> Combination | Refused:
    """Have the engine check one combination."""
    overrides = (*sweep.set.items(), *((name, setting.text) for name, setting in at.items()))
    recipe = Recipe(sweep.text, sweep.name, overrides)
    try:
        scenario = recipe.load()
    except _engine.InputError as error:
        return Refused(at, str(error))
    return Combination(
        place=0,
        recipe=recipe,
        at=at,
        parameters=json.loads(scenario.parameters_json),
        metrics=tuple(scenario.metrics),
        warnings=tuple(scenario.warnings),
        keys={seed: scenario.key(seed) for seed in range(sweep.seed, sweep.seed + sweep.seeds)},
    )
