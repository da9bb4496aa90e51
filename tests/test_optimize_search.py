"""The search and the judgement, on functions whose optimum is known."""

from dataclasses import replace

import pytest

from airfair import EngineError
from airfair.catalogue.constraints import Constraint
from airfair.optimizer import evaluator as evaluator_module
from airfair.optimizer.chart import draw
from airfair.optimizer.evaluator import Evaluation, Evaluator
from airfair.optimizer.judgement import judge
from airfair.optimizer.problem import Goal, Problem
from airfair.optimizer.ranges import Dimension
from airfair.optimizer.search import method, search
from airfair.runs.estimate import CUT, NOT_FROM_ZERO
from airfair.runs.loading import File
from airfair.sweeps.recipe import Checked, Recipe


def dimension(name, written):
    low, dots, high = written.partition("..")
    if not dots:
        return Dimension(name, None, tuple(written.split(",")), ordered=False)
    return Dimension(name, "count", tuple(str(value) for value in range(int(low), int(high) + 1)), ordered=True)


def problem(over, *, maximize=True, constraints=(), seeds=5, evaluations=100):
    dimensions = tuple(dimension(name, written) for name, written in over.items())
    goal = Goal("goal", "1", maximize)
    return Problem(File("s", "s", ""), "s", (), dimensions, goal, tuple(constraints), range(1, 1 + seeds), evaluations)


class Function(Evaluator):
    """Evaluates a function instead of a scenario. Seeds shift all candidates alike."""

    def __init__(self, problem, function):
        super().__init__(problem)
        self.function, self.calls = function, []

    def evaluate(self, candidates):
        new = [candidate for candidate in dict.fromkeys(candidates) if candidate not in self.evaluations]
        self.calls.append(len(new))
        for candidate in new:
            at = {name: int(value) if value.isdigit() else value for name, value in self.problem.values(candidate)}
            found = self.function(**at)
            metrics = {
                metric: {seed: value + 10 * seed for seed in self.problem.seeds} for metric, value in found.items()
            }
            self.evaluations[candidate] = Evaluation(candidate, at, metrics)


def best(judgement):
    return dict(judgement.best.evaluation.at)


def hill(top):
    return lambda x: {"goal": -float((x - top) ** 2)}


def test_a_small_grid_is_evaluated_whole():
    asked = problem({"x": "1..10", "y": "1..10"})
    evaluator = Function(asked, lambda x, y: {"goal": -abs(x - 3) - abs(y - 8)})
    found = search(evaluator)
    assert method(asked) == "grid" and evaluator.calls == [100]
    assert best(found) == {"x": 3, "y": 8} and found.as_good("x") == [3, 3]


@pytest.mark.parametrize("top", [1, 2, 37, 51, 499, 773, 1000])
def test_from_coarse_to_fine(top):
    asked = problem({"x": "1..1000"})
    evaluator = Function(asked, hill(top))
    found = search(evaluator)
    assert method(asked) == "coarse-to-fine"
    assert best(found) == {"x": top} and found.as_good("x") == [top, top]
    assert len(evaluator) <= 45


def test_the_ends_of_a_flat_optimum_are_found_to_the_step():
    asked = problem({"x": "1..1000"})
    found = search(Function(asked, lambda x: {"goal": 1.0 if 312 <= x <= 655 else 0.0}))
    assert found.as_good("x") == [312, 655]


@pytest.mark.parametrize("budget", [2, 3, 10, 30])
def test_no_more_evaluations_than_asked_for(budget):
    for over in ({"x": "1..1000"}, {"x": "1..50", "y": "1..50"}):
        evaluator = Function(
            problem(over, evaluations=budget), lambda **at: {"goal": -sum(value**2 for value in at.values())}
        )
        search(evaluator)
        assert 2 <= len(evaluator) <= budget


def bowl(x, y):
    return {"goal": (x - 61) ** 2 + (y - 22) ** 2, "cost": float(x)}


def test_several_dimensions_with_a_sampler():
    asked = problem({"x": "0..100", "y": "0..100"}, maximize=False)
    found = search(Function(asked, bowl))
    assert method(asked) == "tpe"
    assert abs(best(found)["x"] - 61) <= 5 and abs(best(found)["y"] - 22) <= 5


def test_the_sampler_keeps_to_the_constraints():
    cost = Constraint("cost", "1", "<=", 60.0)
    # The seeds 1 to 5 add 30 to the mean.
    found = search(Function(problem({"x": "0..100", "y": "0..100"}, maximize=False, constraints=[cost]), bowl))
    assert best(found)["x"] <= 30 and abs(best(found)["y"] - 22) <= 8
    assert sum(item.feasible for item in found.candidates) > 50


def test_the_sampler_does_the_same_each_time():
    runs = [Function(problem({"x": "0..100", "y": "0..100"}, evaluations=40), bowl) for _ in range(2)]
    for evaluator in runs:
        search(evaluator)
    assert list(runs[0].evaluations) == list(runs[1].evaluations)


def test_words_and_numbers_together():
    asked = problem({"word": "a,b,c", "x": "0..100"})
    found = search(Function(asked, lambda word, x: {"goal": {"a": 0.0, "b": 50.0, "c": 20.0}[word] - abs(x - 70)}))
    assert method(asked) == "tpe"
    assert best(found)["word"] == "b" and abs(best(found)["x"] - 70) <= 3
    assert found.as_good("word") == ["b"]


def judged(values, *, constraints=(), maximize=True, **others):
    """Judge candidates 0, 1, ... of one parameter, each given by its values for the seeds 1, 2, ..."""
    asked = problem({"x": f"0..{len(values) - 1}"}, constraints=constraints, maximize=maximize, seeds=3)
    evaluations = []
    for place in range(len(values)):
        rows = {"goal": values[place], **{name: rows[place] for name, rows in others.items()}}
        metrics = {
            name: {seed: value for seed, value in enumerate(row, 1) if value is not None} for name, row in rows.items()
        }
        evaluations.append(Evaluation((place,), {"x": place}, metrics))
    return judge(asked, evaluations[::-1])


def test_differences_are_paired_by_seed():
    # The seeds differ far more than the candidates; the second candidate is always better.
    found = judged([[10.0, 200.0, 3000.0], [11.0, 201.5, 3000.5], [11.0, 200.0, 3001.4]])
    worse, winner, close = found.candidates
    assert found.best is winner and winner.as_good
    # Differences -1, -1.5, -0.5: mean -1, s = 0.5, t_{0.975, 2} = 4.302653, so the interval reaches 0.242.
    assert worse.difference.mean == -1.0
    assert worse.difference.ci95[1] == pytest.approx(-1 + 4.302653 * 0.5 / 3**0.5, abs=1e-6)
    assert worse.as_good and close.as_good


def test_a_candidate_that_every_seed_puts_behind_by_the_same_is_worse():
    found = judged([[1.0, 2.0, 3.0], [1.5, 2.5, 3.5], [1.5, 2.5, 3.5]])
    assert [item.as_good for item in found.candidates] == [False, True, True]
    assert found.best.evaluation.at == {"x": 1}  # the first among equals
    assert found.as_good("x") == [1, 2]


@pytest.mark.parametrize("maximize", [True, False])
def test_a_candidate_close_to_the_best_need_not_be_as_good(maximize):
    sign = 1.0 if maximize else -1.0
    found = judged([[100.0 + sign * away] * 3 for away in (-6.0, -5.0, -1.0, 0.0)], maximize=maximize)
    assert [item.as_good for item in found.candidates] == [False, False, False, True]
    assert [item.near for item in found.candidates] == [False, True, True, True]
    assert found.as_good("x") == [3, 3] and found.near("x") == [1, 3]


def test_smaller_is_better_where_that_is_asked():
    found = judged([[1.0, 2.0, 3.0], [1.5, 2.5, 3.5]], maximize=False)
    assert found.best.evaluation.at == {"x": 0} and not found.candidates[1].as_good


def test_constraints_hold_for_the_mean_over_the_seeds():
    values = [[9.0] * 3, [5.0] * 3, [1.0] * 3]
    cost = [[5.0, 5.0, 5.1], [4.0, 5.0, 6.0], [0.0] * 3]
    found = judged(values, constraints=[Constraint("cost", "1", "<=", 5.0)], cost=cost)
    assert [item.feasible for item in found.candidates] == [False, True, True]
    assert found.best.evaluation.at == {"x": 1}
    assert not found.candidates[0].as_good


def test_where_nothing_is_feasible_the_closest_is_named():
    bounds = [Constraint("a", "1", ">=", 10.0), Constraint("b", "1", ">=", 1.0)]
    # Misses one bound by 50 %; misses the other by 60 %; misses nothing, but has no value for one seed.
    found = judged(
        [[1.0] * 3] * 3,
        constraints=bounds,
        a=[[5.0] * 3, [10.0] * 3, [10.0] * 3],
        b=[[1.0] * 3, [0.4] * 3, [1.0, None, 1.0]],
    )
    assert found.best is None and found.closest.evaluation.at == {"x": 0}
    assert found.as_good("x") == []


def test_a_value_missing_for_a_seed_disqualifies():
    found = judged([[1.0, 1.0, 1.0], [5.0, None, 5.0]])
    assert found.best.evaluation.at == {"x": 0}
    assert not found.candidates[1].counts and found.candidates[1].difference is None


class Failing(Checked):
    """A scenario whose runs fail."""

    source = None

    def run(self, seed, traces, stop):
        raise EngineError(f"broken by {seed}")


def test_runs_that_fail_are_recorded_and_the_rest_goes_on(monkeypatch):
    parameters = {"x": {"value": 3, "unit": "count"}}
    failing = Failing(
        Recipe("", "x", ()),
        name="x",
        parameters=parameters,
        metrics=("throughput_total",),
        warnings=(),
        useless=(),
        digest=bytes(32),
        measures_share=False,
    )
    monkeypatch.setattr(Problem, "recipe", lambda self, candidate: failing.recipe)
    monkeypatch.setattr(evaluator_module, "check_all", lambda recipes, jobs: [failing for _ in recipes])
    evaluator = Evaluator(problem({"x": "3..3"}, seeds=2))
    found = search(evaluator)
    assert [failure.reason for failure in evaluator.failures] == ["broken by 1", "broken by 2"]
    [item] = found.candidates
    assert not item.counts and "broken by" in item.evaluation.reason and item.evaluation.at == {"x": 3}
    assert found.best is None and found.closest is None


@pytest.mark.parametrize("over", [{"x": "1..2"}, {"x": "a,b"}, {"x": "1..2", "y": "1..2", "z": "1..2"}])
@pytest.mark.parametrize(("values", "cut"), [((0.1, 0.9, 1.0), True), ((0.50, 0.51, 0.52), False)])
def test_a_figure_says_whether_it_cuts_intervals_and_where_its_axis_starts(over, values, cut):
    """A probability ends at 1, its interval over few seeds may not."""
    asked = problem(over, seeds=3)
    asked = replace(asked, goal=Goal("jain", "1", True))
    every = [Evaluation(one, dict(asked.values(one)), {"jain": dict(enumerate(values, 1))}) for one in asked.all()]
    svg = draw(asked, judge(asked, every)).svg
    assert (CUT in svg) == cut and (NOT_FROM_ZERO in svg) == (not cut)
