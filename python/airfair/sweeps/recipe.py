"""A scenario with its parameters set, checked by the engine and ready to run.

Sweeps, studies and optimisers make their points of these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from airfair import _engine
from airfair.runs import engines
from airfair.runs.workers import default_jobs

#: Recipes that one thread checks in a batch, and recipes in progress at once.
_PIECE, _UNDER_WAY = 32, 1024

_T = TypeVar("_T")


@dataclass(frozen=True)
class Recipe:
    """All that a computer with AirFair needs to load a scenario."""

    #: The scenario file's text.
    text: str
    #: Names the file in messages.
    name: str
    overrides: tuple[tuple[str, str], ...]
    #: Metrics to report instead of those that the scenario file names.
    metrics: tuple[str, ...] = ()
    #: The engine that runs it; by default the first of `ENGINES`.
    engine: str | None = None

    def load(self) -> _engine.Scenario:
        """Load the scenario. Raises `InputError`."""
        template, overrides, metrics, engine = self.source
        return engines.by(engine, template.load(overrides, metrics))

    @property
    def source(self) -> _engine.Source:
        """The same for the engine."""
        template = _template(self.text, self.name)
        return template, list(self.overrides), list(self.metrics) or None, self.engine

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed."""
        return self.load().run(seed, traces, stop)


#: A file is parsed once for all combinations of its parameters.
_template = lru_cache(maxsize=4)(_engine.Template)


@dataclass(frozen=True, eq=False)
class Checked:
    """A recipe that the engine accepts; with a seed it is a point."""

    recipe: Recipe
    #: The scenario's name.
    name: str
    #: Every parameter as the engine resolved it: `{"value": ..., "unit": ...}`, in SI.
    parameters: Mapping[str, Mapping[str, Any]]
    metrics: tuple[str, ...]
    warnings: tuple[str, ...]
    digest: bytes

    @property
    def source(self) -> _engine.Source:
        """The recipe for the engine."""
        return self.recipe.source

    def key(self, seed: int) -> str:
        """The key of the result with this seed."""
        return _engine.key(self.digest, seed)

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed."""
        return self.recipe.run(seed, traces, stop)


def check(recipe: Recipe) -> Checked | _engine.InputError:
    """Have the engine check one recipe; returns its error where it does not accept it."""
    try:
        scenario = recipe.load()
    except _engine.InputError as error:
        return error
    return Checked(
        recipe,
        scenario.name,
        parameters=json.loads(scenario.parameters_json),
        metrics=tuple(scenario.metrics),
        warnings=tuple(scenario.warnings),
        digest=scenario.digest,
    )


def check_all(recipes: Iterable[Recipe]) -> Iterator[Checked | _engine.InputError]:
    """Have the engine check recipes on all cores; answers come in the order of the recipes."""

    def checked(piece: list[Recipe]) -> list[Checked | _engine.InputError]:
        return [check(recipe) for recipe in piece]

    with ThreadPoolExecutor(default_jobs()) as pool:
        for pieces in _batches(_batches(recipes, _PIECE), _UNDER_WAY // _PIECE):
            for answers in pool.map(checked, pieces):
                yield from answers


def _batches(entries: Iterable[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(entries)
    while batch := list(islice(rest, size)):
        yield batch
