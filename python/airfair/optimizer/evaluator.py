"""Running candidates, all of them with the same seeds, and keeping their metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue.wording import in_all
from airfair.runs.engines import verifies
from airfair.runs.estimate import metrics_of
from airfair.runs.executor import Failure, Point, execute
from airfair.runs.share import shared
from airfair.sweeps.recipe import Checked, check_all

if TYPE_CHECKING:
    from airfair.optimizer.problem import Candidate, Problem
    from airfair.runs.executor import Execution, Finishing, Progress
    from airfair.store.store import Origin, Store


@dataclass
class Evaluation:
    """The results of a candidate."""

    candidate: Candidate
    #: The candidate's values as the engine resolved them: numbers in SI, words, or `None` if unset.
    at: Mapping[str, Any]
    #: For each metric of the goal and the constraints, its values by seed, as far as it has any.
    metrics: dict[str, dict[int, float]] = field(default_factory=dict)
    #: For each of them that is a mean over sessions, how many it leaves out as unfinished, of how many.
    left_out: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: The reason for a missing value, for the engine's refusal, or for a failed run.
    reason: str = ""
    #: Whether the engine refused the candidate or a run failed, so that no metric counts.
    failed: bool = False


class InterruptedSearchError(Exception):
    """A signal ended the search. Finished runs are in the store."""

    def __init__(self, execution: Execution) -> None:
        """Take the execution that was interrupted."""
        super().__init__()
        self.execution = execution


@dataclass(kw_only=True, eq=False)
class Evaluator:
    """Evaluates candidates and keeps their evaluations."""

    problem: Problem = field(kw_only=False)
    store: Store | None = None
    #: Number of parallel runs.
    jobs: int | None = None
    progress: Progress | None = None
    #: Called with the new warnings on candidates before they run, and at the end with settings that none of them used.
    warn: Callable[[Sequence[str]], None] | None = None
    #: Called after the first Ctrl-C with the number of runs in progress, which then end.
    finishing: Finishing | None = None
    evaluations: dict[Candidate, Evaluation] = field(default_factory=dict)
    #: Runs that failed.
    failures: list[Failure] = field(default_factory=list)
    _runs: int = 0
    _reused: int = 0
    #: Warnings told so far.
    warnings: list[str] = field(default_factory=list)
    #: Warnings of settings without effect in all candidates so far; `None` before the first.
    _useless: list[str] | None = None

    def __len__(self) -> int:
        return len(self.evaluations)

    def evaluate(self, candidates: Sequence[Candidate]) -> None:
        """Evaluate the candidates that have no evaluation yet. Raises `InterruptedSearchError`."""
        problem = self.problem
        new = [candidate for candidate in dict.fromkeys(candidates) if candidate not in self.evaluations]
        accepted: dict[Candidate, Checked] = {}
        for candidate, answer in zip(new, check_all(map(problem.recipe, new), self.jobs), strict=True):
            if isinstance(answer, Checked):
                accepted[candidate] = answer
            else:
                self.evaluations[candidate] = Evaluation(
                    candidate, self._resolved(candidate), reason=str(answer), failed=True
                )
        if not accepted:
            return
        accepted = self._shared(accepted)
        for checked in accepted.values():
            self._useless = in_all([checked.useless if self._useless is None else self._useless, checked.useless])
        self._tell(text for checked in accepted.values() for text in checked.warnings)
        points = {Point(checked, seed): candidate for candidate, checked in accepted.items() for seed in problem.seeds}
        fresh = {
            candidate: Evaluation(
                candidate, self._chosen(checked.parameters), {metric: {} for metric in problem.metrics}
            )
            for candidate, checked in accepted.items()
        }

        def take(point: Point, outcome: _engine.Outcome, _: Origin) -> None:
            _keep(fresh[points[point]], point.seed, metrics_of(outcome))

        execution = execute(
            list(points),
            store=self.store,
            verify=verifies(problem.engine),
            jobs=self.jobs,
            progress=self._advance if self.progress else None,
            finishing=self.finishing,
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

    def tell_useless(self) -> None:
        """Warn of settings without effect in any candidate. A later candidate may use what earlier ones did not."""
        self._tell(self._useless or ())

    def _tell(self, texts: Iterable[str]) -> None:
        """Warn of what has not been told yet."""
        new = [text for text in dict.fromkeys(texts) if text not in self.warnings]
        self.warnings += new
        if self.warn:
            self.warn(new)

    def _shared(self, accepted: dict[Candidate, Checked]) -> dict[Candidate, Checked]:
        """Add the users' fair share to the candidates, where it is to be measured. Raises `InterruptedSearchError`."""
        if not any(checked.measures_share for checked in accepted.values()):
            return accepted
        scenarios = [checked.recipe.load() for checked in accepted.values()]
        found, execution = shared(scenarios, store=self.store, verify=verifies(self.problem.engine), jobs=self.jobs)
        if execution.interrupted:
            raise InterruptedSearchError(execution)
        return {
            candidate: replace(checked, recipe=replace(checked.recipe, alone=alone))
            for (candidate, checked), alone in zip(accepted.items(), found, strict=True)
        }

    def _advance(self, done: int, reused: int, total: int) -> None:
        """Report the progress over all calls. The total is an estimate unless all candidates are evaluated."""
        if self.progress:
            candidates = self.problem.size if self.problem.whole else self.problem.evaluations
            expected = max(self._runs + total, candidates * len(self.problem.seeds))
            self.progress(self._runs + done, self._reused + reused, expected)

    def _resolved(self, candidate: Candidate) -> dict[str, Any]:
        return self._chosen(self.problem.parameters(candidate))

    def _chosen(self, parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {dimension.name: parameters[dimension.name]["value"] for dimension in self.problem.dimensions}


def _keep(evaluation: Evaluation, seed: int, metrics: Mapping[str, Mapping[str, Any]]) -> None:
    for name, values in evaluation.metrics.items():
        value = metrics[name]["value"]
        if "left_out" in metrics[name]:
            left_out, sessions = evaluation.left_out.get(name, (0, 0))
            evaluation.left_out[name] = (left_out + metrics[name]["left_out"], sessions + metrics[name]["sessions"])
        if value is not None:
            values[seed] = float(value)
        elif not evaluation.reason:
            evaluation.reason = f"{name} has no value: {metrics[name].get('reason', '')}"
