"""Choosing the candidates to evaluate: all of them if they are few; otherwise, in one dimension from coarse to fine,
in several by Optuna's tree-structured Parzen estimator.

The choice depends only on earlier results, never on the number of parallel runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airfair.optimizer.judgement import Judged, Judgement, judge
from airfair.optimizer.ranges import Dimension

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

    from airfair.optimizer.evaluator import Evaluator
    from airfair.optimizer.problem import Candidate, Problem

#: Maximum number of evenly spaced candidates with which a search from coarse to fine starts.
_COARSE = 21
#: Number of candidates that the sampler proposes at once.
_BATCH = 8
#: Number of consecutive batches without a new candidate after which the search ends: the sampler may repeat itself.
_PATIENCE = 20


def method(problem: Problem) -> str:
    """The method of choosing candidates: `grid`, `coarse-to-fine` or `tpe`."""
    if problem.whole:
        return "grid"
    return "coarse-to-fine" if len(problem.dimensions) == 1 else "tpe"


def search(evaluator: Evaluator) -> Judgement:
    """Choose candidates, evaluate them, and judge them. Raises `InterruptedSearchError`."""
    chosen = method(evaluator.problem)
    if chosen == "grid":
        evaluator.evaluate(evaluator.problem.all())
    elif chosen == "coarse-to-fine":
        _coarse_to_fine(evaluator)
    else:
        _sampled(evaluator)
    evaluator.tell_useless()
    return _judged(evaluator)


def _judged(evaluator: Evaluator) -> Judgement:
    return judge(evaluator.problem, list(evaluator.evaluations.values()))


def _coarse_to_fine(evaluator: Evaluator) -> None:
    """Evaluate evenly spaced values, then ever closer ones around the best, then the ends of the range as good."""
    last = evaluator.problem.size - 1
    budget = evaluator.problem.evaluations

    def evaluate(places: list[int]) -> None:
        new = [(place,) for place in places if 0 <= place <= last and (place,) not in evaluator.evaluations]
        evaluator.evaluate(new[: budget - len(evaluator)])

    stride = -(-last // (min(_COARSE, max(2, budget // 2)) - 1))
    evaluate([*range(0, last, stride), last])
    while len(evaluator) < budget:
        leader = _judged(evaluator).leader
        if leader is None:
            return
        [place] = leader.evaluation.candidate
        before = len(evaluator)
        evaluate([place - stride, place + stride])
        if len(evaluator) > before:
            continue  # the values on both sides may be better
        if stride == 1:
            break
        wide, stride = stride, -(-stride // 4)
        evaluate(list(range(place - wide + stride, place + wide, stride)))
    _find_ends(evaluator)


def _find_ends(evaluator: Evaluator) -> None:
    """At both ends, halve the gap between the outermost value as good as the best and the next value, repeatedly."""
    while len(evaluator) < evaluator.problem.evaluations:
        judged = _judged(evaluator).candidates
        good = [index for index, item in enumerate(judged) if item.as_good]
        if not good:
            return
        gaps = [
            (judged[index], judged[index + side])
            for index, side in ((good[0], -1), (good[-1], 1))
            if 0 <= index + side < len(judged)
        ]
        middles = [
            (_place(inner) + _place(outer)) // 2 for inner, outer in gaps if abs(_place(inner) - _place(outer)) > 1
        ]
        if not middles:
            return
        evaluator.evaluate([(place,) for place in middles[: evaluator.problem.evaluations - len(evaluator)]])


def _place(item: Judged) -> int:
    [place] = item.evaluation.candidate
    return place


def _sampled(evaluator: Evaluator) -> None:
    problem = evaluator.problem
    study = _study(problem)
    distributions = {dimension.name: _distribution(dimension) for dimension in problem.dimensions}
    idle = 0
    while len(evaluator) < min(problem.evaluations, problem.size) and idle < _PATIENCE:
        trials = [study.ask(distributions) for _ in range(_BATCH)]
        candidates = [_candidate(problem, trial) for trial in trials]
        new = [candidate for candidate in dict.fromkeys(candidates) if candidate not in evaluator.evaluations]
        idle = 0 if new else idle + 1
        evaluator.evaluate(new[: problem.evaluations - len(evaluator)])
        judged = {item.evaluation.candidate: item for item in _judged(evaluator).candidates}
        for trial, candidate in zip(trials, candidates, strict=True):
            _tell(study, trial, problem, judged.get(candidate))


def _study(problem: Problem) -> Study:
    import optuna

    better = optuna.study.StudyDirection
    direction = better.MAXIMIZE if problem.goal.maximize else better.MINIMIZE
    # Without this, Optuna announces each study on stderr.
    loud = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        # `constant_liar` keeps the candidates of a batch apart from each other.
        sampler = optuna.samplers.TPESampler(seed=problem.seeds.start, constant_liar=True)
        return optuna.create_study(sampler=sampler, direction=direction)
    finally:
        optuna.logging.set_verbosity(loud)


def _distribution(dimension: Dimension) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, IntDistribution

    if dimension.ordered:
        return IntDistribution(0, len(dimension) - 1)
    return CategoricalDistribution(list(range(len(dimension))))


def _candidate(problem: Problem, trial: Trial) -> Candidate:
    return tuple(trial.params[dimension.name] for dimension in problem.dimensions)


def _tell(study: Study, trial: Trial, problem: Problem, judged: Judged | None) -> None:
    from optuna.trial import TrialState

    if judged is None or not judged.counts or judged.estimate is None:
        study.tell(trial, state=TrialState.FAIL)
        return
    for number, (constraint, found) in enumerate(zip(problem.constraints, judged.constraints, strict=True)):
        if found is not None:
            trial.set_constraint(str(number), constraint.violation(found.mean))
    study.tell(trial, judged.estimate.mean)
