"""The question of a search: scenario, values of parameters, goal, constraints. All input is checked here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from airfair import _engine
from airfair.catalogue.constraints import Constraint, constraint, unit_of
from airfair.optimizer.ranges import Dimension, read
from airfair.runs.executor import Point
from airfair.runs.loading import File, ScenarioLike
from airfair.sweeps.recipe import Checked, Recipe, check, check_all, template

#: A candidate: for each dimension, the index of the candidate's value.
Candidate = tuple[int, ...]

#: Number of candidates to try before giving up on a scenario that the engine refuses.
_PROBES = 64


@dataclass(frozen=True)
class Goal:
    """A metric to maximise or minimise."""

    metric: str
    #: SI unit of the metric.
    unit: str
    maximize: bool

    @property
    def sign(self) -> float:
        """1 if the goal is to maximise, -1 if it is to minimise."""
        return 1.0 if self.maximize else -1.0


@dataclass(frozen=True)
class Asked:
    """A user's question, unchecked."""

    scenario: ScenarioLike
    #: The values of each parameter to choose, by name.
    over: Mapping[str, str]
    maximize: str | None
    minimize: str | None
    subject_to: Sequence[str]
    #: Parameters that are the same for all candidates.
    set: Sequence[tuple[str, str]]
    seed: int
    seeds: int
    evaluations: int
    engine: str | None


@dataclass(frozen=True)
class Problem:
    """A checked question."""

    file: File
    #: The scenario's name.
    name: str
    set: tuple[tuple[str, str], ...]
    dimensions: tuple[Dimension, ...]
    goal: Goal
    constraints: tuple[Constraint, ...]
    seeds: range
    evaluations: int
    engine: str | None = None

    @property
    def metrics(self) -> list[str]:
        """The metrics of the goal and the constraints."""
        return list(dict.fromkeys([self.goal.metric, *(constraint.metric for constraint in self.constraints)]))

    @property
    def size(self) -> int:
        """The number of candidates."""
        return prod(len(dimension) for dimension in self.dimensions)

    @property
    def whole(self) -> bool:
        """Whether all candidates are evaluated."""
        return self.size <= self.evaluations

    def all(self) -> list[Candidate]:
        """All candidates in order, the last dimension changing fastest."""
        return list(product(*(range(len(dimension)) for dimension in self.dimensions)))

    def values(self, candidate: Candidate) -> list[tuple[str, str]]:
        """The candidate's parameters as the engine reads them."""
        return [(d.name, d.values[place]) for d, place in zip(self.dimensions, candidate, strict=True)]

    def points(self, jobs: int | None) -> list[Point]:
        """The runs of at most `evaluations` evenly spread candidates, without those that the engine refuses."""
        count = min(self.size, self.evaluations)
        spread = [_candidate(self, place * self.size // count) for place in range(count)]
        accepted = [found for found in check_all(map(self.recipe, spread), jobs) if isinstance(found, Checked)]
        return [Point(checked, seed) for checked in accepted for seed in self.seeds]

    def parameters(self, candidate: Candidate) -> dict[str, dict[str, Any]]:
        """The candidate's parameters in SI, each checked on its own. Raises `InputError`."""
        of = template(self.file.text, self.file.name)
        found: dict[str, dict[str, Any]] = json.loads(of.parameters_json([*self.set, *self.values(candidate)]))
        return found

    def recipe(self, candidate: Candidate) -> Recipe:
        """The candidate's scenario. It reports the goal's and the constraints' metrics, even if its file does not."""
        overrides = (*self.set, *self.values(candidate))
        return Recipe(self.file.text, self.file.name, overrides, tuple(self.metrics), self.engine)


def pose(asked: Asked) -> Problem:
    """Check a question before anything is computed. Raises `InputError`."""
    if asked.seeds < 2:
        raise _engine.InputError(f"--seeds {asked.seeds}: at least 2 are needed, to tell a difference from noise")
    if asked.evaluations < 2:
        raise _engine.InputError(f"--evaluations {asked.evaluations}: at least 2 are needed")
    file = File.of(asked.scenario)
    dimensions = _dimensions(asked, file)
    goal = _goal(asked)
    constraints = tuple(constraint("--subject-to", text) for text in asked.subject_to)
    problem = Problem(
        file,
        file.name,
        tuple(asked.set),
        dimensions,
        goal,
        constraints,
        range(asked.seed, asked.seed + asked.seeds),
        asked.evaluations,
        asked.engine or file.engine,
    )
    return replace(problem, name=_one_accepted(problem).name)


def _dimensions(asked: Asked, file: File) -> tuple[Dimension, ...]:
    if not asked.over:
        raise _engine.InputError("--over NAME=LOW..HIGH[:STEP] is needed: name the parameters to choose")
    scenario = template(file.text, file.name)  # what is wrong with the file is not the fault of an option
    fixed = {name for name, _ in asked.set}
    dimensions: list[Dimension] = []
    for name, text in asked.over.items():
        if name in fixed:
            raise _engine.InputError(f"--set {name} and --over {name}: a parameter is either set or chosen")
        dimensions.append(read(name, text, file, alone=len(asked.over) == 1))
    first = [(dimension.name, dimension.values[0]) for dimension in dimensions]
    scenario.parameters_json([*asked.set, *first])
    return tuple(dimensions)


def _goal(asked: Asked) -> Goal:
    if (asked.maximize is None) == (asked.minimize is None):
        given = "" if asked.maximize is None else "; both are given"
        raise _engine.InputError(f"one of --maximize METRIC and --minimize METRIC is needed{given}")
    metric = asked.maximize if asked.maximize is not None else asked.minimize or ""
    return Goal(metric, unit_of(metric), asked.maximize is not None)


def _one_accepted(problem: Problem) -> Checked:
    """Find a candidate that the engine accepts. Raises `InputError` if the engine refuses all that are tried."""
    step = max(1, problem.size // _PROBES)
    refused: _engine.InputError | None = None
    for place in range(0, problem.size, step) if not problem.whole else range(problem.size):
        answer = check(problem.recipe(_candidate(problem, place)))
        if isinstance(answer, Checked):
            return answer
        refused = refused or answer
    assert refused is not None  # there is at least one candidate
    raise refused


def _candidate(problem: Problem, place: int) -> Candidate:
    """The candidate at index `place` of `Problem.all`."""
    places = []
    for dimension in reversed(problem.dimensions):
        place, here = divmod(place, len(dimension))
        places.append(here)
    return tuple(reversed(places))
