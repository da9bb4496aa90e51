"""A scenario with its parameters set, checked by the engine and ready to run.

Sweeps, studies and optimisers make their points of recipes.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from airfair import _engine
from airfair.runs import engines
from airfair.runs.workers import default_jobs

if TYPE_CHECKING:
    from concurrent.futures import Future

#: Number of recipes that a thread checks at a time.
_PIECE = 32

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Recipe:
    """All that a computer with AirFair needs to load a scenario."""

    #: The scenario file's text.
    text: str
    #: Name of the file in messages.
    name: str
    overrides: tuple[tuple[str, str], ...]
    #: Metrics to report instead of those that the scenario file names.
    metrics: tuple[str, ...] = ()
    #: The engine that runs the scenario; by default the first of `ENGINES`.
    engine: str | None = None
    #: What the scenario's users get alone, where that was measured.
    alone: _engine.Alone | None = None

    def load(self) -> _engine.Scenario:
        """Load the scenario. Raises `InputError`."""
        file, overrides, metrics, engine, _, alone = self.source
        scenario = engines.by(engine, file.load(overrides, metrics))
        return scenario if alone is None else scenario.sharing(*alone)

    @property
    def source(self) -> _engine.Source:
        """The recipe in the form that the engine loads."""
        metrics = list(self.metrics) or None
        return template(self.text, self.name), list(self.overrides), metrics, self.engine, None, self.alone

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed."""
        return self.load().run(seed, traces, stop)


#: Parses a scenario file. Cached, so that a file is parsed once for all combinations of its parameters.
template = lru_cache(maxsize=4)(_engine.Template)


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
    #: Warnings of settings that have no effect.
    useless: tuple[str, ...]
    digest: bytes
    measures_share: bool

    @property
    def source(self) -> _engine.Source:
        """The recipe in the form that the engine loads."""
        return self.recipe.source

    def key(self, seed: int) -> str:
        """The key of the result with this seed."""
        return _engine.key(self.digest, seed)

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed."""
        return self.recipe.run(seed, traces, stop)


def check(recipe: Recipe) -> Checked | _engine.InputError:
    """Have the engine check one recipe. Returns the engine's error if it does not accept the recipe."""
    try:
        scenario = recipe.load()
    except _engine.InputError as error:
        return error
    return Checked(
        recipe,
        scenario.name,
        parameters=scenario.parameters,
        metrics=tuple(scenario.metrics),
        warnings=tuple(scenario.warnings),
        useless=tuple(scenario.useless),
        digest=scenario.digest,
        measures_share=scenario.measures_share,
    )


def check_all(recipes: Iterable[Recipe], jobs: int | None) -> Iterator[Checked | _engine.InputError]:
    """Have the engine check recipes in `jobs` threads. Yields the answers in the order of the recipes."""

    def checked(piece: Sequence[Recipe]) -> list[Checked | _engine.InputError]:
        return [check(recipe) for recipe in piece]

    return itertools.chain.from_iterable(in_order(checked, batches(recipes, _PIECE), jobs))


def in_order(work: Callable[[_T], _R], pieces: Iterable[_T], jobs: int | None) -> Iterator[_R]:
    """Yield the results of pieces of work in the order of the pieces.

    The work runs in `jobs` threads, by default one for each core; with one job, in this thread.
    """
    jobs = jobs or default_jobs()
    if jobs == 1:
        yield from map(work, pieces)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        under_way: deque[Future[_R]] = deque()
        for piece in pieces:
            under_way.append(pool.submit(work, piece))
            if len(under_way) > 2 * jobs:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def batches(entries: Iterable[_T], size: int) -> Iterator[Sequence[_T]]:
    """Yield the entries in lists of this size; the last list may be shorter."""
    rest = iter(entries)
    while batch := list(itertools.islice(rest, size)):
        yield batch
