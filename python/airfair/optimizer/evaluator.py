"""Runs candidates, each with the same seeds, through the executor; keeps what they gave."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.runs.estimate import metrics_of
from airfair.runs.executor import Failure, Point, execute
from airfair.sweeps.recipe import Checked, check_all

if TYPE_CHECKING:
    from airfair.optimizer.problem import Candidate, Problem
    from airfair.runs.executor import Execution, Finishing, Progress
    from airfair.store.store import Store


@dataclass
class Evaluation:
    """What a candidate gave."""

    candidate: Candidate
    #: Its values as the engine resolved them: numbers in SI, words, or none where it is unset.
    at: Mapping[str, Any]
    #: The metrics that matter by seed, where they have a value.
    metrics: dict[str, dict[int, float]] = field(default_factory=dict)
    #: Why a metric has no value for some seed, or why the engine refused the candidate or failed.
    reason: str = ""
    #: Whether the engine refused it or failed, so that no metric counts.
    failed: bool = False


class InterruptedSearchError(Exception):
    """Ctrl-C or SIGTERM; what was done is in the store."""

    def __init__(self, execution: Execution) -> None:
        """Of what was under way."""
        super().__init__()
        self.execution = execution


class Evaluator:
    """The candidates that were evaluated, and the way to evaluate more."""

    def __init__(
        self,
        problem: Problem,
        *,
        store: Store | None = None,
        jobs: int | None = None,
        progress: Progress | None = None,
        warn: Callable[[Sequence[str]], None] | None = None,
        finishing: Finishing | None = None,
    ) -> None:
        """Run with `jobs` runs at a time. `warn` is given the warnings on candidates before they run.

        With `finishing` the first Ctrl-C lets the runs in progress end, and tells how many they are.
        """
        self.problem = problem
        self.evaluations: dict[Candidate, Evaluation] = {}
        #: Runs that failed.
        self.failures: list[Failure] = []
        self._store = store
        self._jobs = jobs
        self._progress = progress
        self._warn = warn
        self._finishing = finishing
        self._runs = 0
        self._reused = 0

    def __len__(self) -> int:
        return len(self.evaluations)

    def evaluate(self, candidates: Sequence[Candidate]) -> None:
        """Evaluate those that have not been. Raises `InterruptedSearchError`."""
        problem = self.problem
        new = [candidate for candidate in dict.fromkeys(candidates) if candidate not in self.evaluations]
        accepted: dict[Candidate, Checked] = {}
        for candidate, answer in zip(new, check_all(map(problem.recipe, new)), strict=True):
            if isinstance(answer, Checked):
                accepted[candidate] = answer
            else:
                self.evaluations[candidate] = Evaluation(
                    candidate, self._resolved(candidate), reason=str(answer), failed=True
                )
        if not accepted:
            return
        if self._warn:
            self._warn([text for checked in accepted.values() for text in checked.warnings])
        points = {Point(checked, seed): candidate for candidate, checked in accepted.items() for seed in problem.seeds}
        fresh = {
            candidate: Evaluation(
                candidate, self._chosen(checked.parameters), {metric: {} for metric in problem.metrics}
            )
            for candidate, checked in accepted.items()
        }

        def take(point: Point, outcome: _engine.Outcome) -> None:
            _keep(fresh[points[point]], point.seed, metrics_of(outcome))

        execution = execute(
            list(points),
            store=self._store,
            jobs=self._jobs,
            progress=self._advance if self._progress else None,
            finishing=self._finishing,
            take=take,
        )
        if execution.interrupted:
            raise InterruptedSearchError(execution)
        self._runs += len(points)
        self._reused += execution.reused
        for failure in execution.failures:
            failed = fresh[points[failure.point]]
            failed.failed = True
            failed.reason = f"seed {failure.point.seed}: {failure.reason}"
        self.failures += execution.failures
        self.evaluations |= fresh

    def _advance(self, done: int, reused: int, total: int) -> None:
        """Progress over all calls: how many candidates there will be is known or a guess."""
        if self._progress:
            candidates = self.problem.size if self.problem.whole else self.problem.evaluations
            expected = max(self._runs + total, candidates * len(self.problem.seeds))
            self._progress(self._runs + done, self._reused + reused, expected)

    def _resolved(self, candidate: Candidate) -> dict[str, Any]:
        overrides = [*self.problem.set, *self.problem.values(candidate)]
        return self._chosen(json.loads(_engine.parameters_json(self.problem.source, overrides)))

    def _chosen(self, parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {dimension.name: parameters[dimension.name]["value"] for dimension in self.problem.dimensions}


def _keep(evaluation: Evaluation, seed: int, metrics: Mapping[str, Mapping[str, Any]]) -> None:
    for name, values in evaluation.metrics.items():
        value = metrics[name]["value"]
        if value is not None:
            values[seed] = float(value)
        elif not evaluation.reason:
            evaluation.reason = f"{name} has no value: {metrics[name].get('reason', '')}"
