"""The bias tests of `python -m fidelity`, which complement the bar for each point."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from fidelity import __main__ as program
from fidelity import bias, compare, mamatas, tables
from fidelity.explanations import cause_of_bias
from fidelity.points import Metric, PointSet
from fidelity.sample import Sample


@dataclass(frozen=True)
class Spot:
    number: int

    scenario = "none"
    parameters: dict = None

    @property
    def group(self):
        return f"group {self.number % 2}"


SPOTS = [Spot(number) for number in range(24)]
SEEDS = 10
POINT_SET = PointSet(name="spots", metrics={"rate": Metric("rate", relative=0.03)}, sources=())


def drawn(stream, mean, shared=0.0, seeds=SEEDS):
    """Random results per point with a standard deviation of 2. All points share a part `shared` of the variance."""
    common = [stream.gauss(0, 1) for _ in range(seeds)]
    return {
        spot: {
            "rate": Sample(
                tuple(mean + 2 * (shared**0.5 * same + (1 - shared) ** 0.5 * stream.gauss(0, 1)) for same in common)
            )
        }
        for spot in SPOTS
    }


def alarms(shared, rounds=50):
    """The number of biases found in this many comparisons of equal means."""
    stream = random.Random(1)
    return sum(
        any(one.found for one in bias.biases(POINT_SET, drawn(stream, 100, shared), drawn(stream, 100, shared)))
        for _ in range(rounds)
    )


def test_a_bias_inside_every_bar_is_found():
    stream = random.Random(1)
    theirs, ours = drawn(stream, 100), drawn(stream, 101.5)
    assert all(one.within for one in compare.compare(POINT_SET, ours, theirs))
    overall, *groups = bias.biases(POINT_SET, ours, theirs)
    assert overall.group == ""
    assert overall.found
    assert overall.sign_p < bias.SIGNIFICANT
    assert overall.mean_p < bias.SIGNIFICANT
    assert overall.difference == pytest.approx(0.015, abs=0.004)
    assert [one.group for one in groups] == ["group 0", "group 1"]


@pytest.mark.parametrize("shared", [0.0, 0.5, 0.95])
def test_equal_means_seldom_raise_an_alarm(shared):
    """One set in a hundred may raise an alarm. More than two in fifty occur by chance once in seventy times."""
    assert alarms(shared) <= 2


def test_draws_that_all_points_share_count_once():
    """Two sets of seeds that differ at one point differ at all points, which must not count as 24 observations."""
    stream = random.Random(3)
    pairs = [(drawn(stream, 100, 0.95), drawn(stream, 100, 0.95)) for _ in range(10)]
    overall = [bias.biases(POINT_SET, ours, theirs)[0] for ours, theirs in pairs]
    assert all(one.design_effect > 10 for one in overall)
    assert max(max(one.higher, one.lower) for one in overall) == len(SPOTS)


def test_the_sign_test_by_its_closed_form():
    assert bias.sign_test(10, 0) == pytest.approx(2 / 1024)
    assert bias.sign_test(1, 9) == pytest.approx(2 * 11 / 1024)
    assert bias.sign_test(5, 5) == 1
    assert bias.sign_test(0, 0) == 1
    assert bias.sign_test(10, 0, effect=2) == pytest.approx(2 / 32)
    assert bias.sign_test(0, 400) == pytest.approx(2.0**-399)


def test_holm_by_hand():
    assert bias.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert bias.holm([0.5, 0.9]) == [1, 1]
    assert bias.holm([]) == []


@pytest.mark.parametrize(
    ("t", "freedom", "p"),
    [(12.706, 1, 0.05), (3.182, 3, 0.05), (12.924, 3, 0.001), (2.262, 9, 0.05), (4.781, 9, 0.001), (3.922, 18, 0.001)],
)
def test_a_t_value_is_as_improbable_as_its_normal_score(t, freedom, p):
    """Against tables of Student's t. Where the approximation is off, p is too large."""
    found = bias.two_sided(bias.normal_score(t, freedom))
    assert 0.98 * p < found < (1.1 if freedom >= 9 else 1.6) * p
    assert bias.normal_score(-t, freedom) == -bias.normal_score(t, freedom)


def test_rare_events_vary_although_the_seeds_do_not():
    metric = Metric("timeouts", rare=True)
    one = compare.Comparison(SPOTS[0], "timeouts", metric, Sample((0.0,) * 10), Sample((0.0,) * 9 + (1.0,)))
    # One event in twenty runs: 0.05 on the side without events, and 0.1 from the spread of the other side's seeds.
    assert bias.standard_error(one) ** 2 == pytest.approx((0.05 + 0.1) / 10)
    steady = compare.Comparison(SPOTS[0], "rate", Metric("rate"), Sample((1.0, 1.0)), Sample((2.0, 2.0)))
    assert bias.standard_error(steady) == 0


def test_a_difference_that_no_seed_varies_is_counted_by_its_sign_alone():
    theirs = {spot: {"rate": Sample((1.0, 1.0))} for spot in SPOTS}
    ours = {spot: {"rate": Sample((1.001, 1.001))} for spot in SPOTS}
    overall = bias.biases(POINT_SET, ours, theirs)[0]
    assert (overall.higher, overall.lower) == (24, 0)
    assert overall.sign_p < bias.SIGNIFICANT
    assert overall.mean_p == 1


def test_a_cause_is_named_by_set_metric_and_group(monkeypatch):
    entries = {"bias": [{"set": "spots", "metrics": ["rate"], "groups": ["group 0"], "cause": "known (a)"}]}
    monkeypatch.setattr("fidelity.explanations._explanations", lambda: entries)
    assert cause_of_bias("spots", "rate", "group 0") == "known (a)"
    assert not cause_of_bias("spots", "rate", "group 1")
    assert not cause_of_bias("others", "rate", "group 0")
    stream = random.Random(1)
    found = bias.biases(POINT_SET, drawn(stream, 102), drawn(stream, 100))
    assert tables.unexplained_biases(POINT_SET, found) == ["bias of rate", "bias of rate, group 1"]
    assert [row[-1] for row in tables.biases(POINT_SET, found).rows] == ["", "known (a)", ""]


@pytest.mark.parametrize(("factor", "status"), [(1.0, 0), (1.02, 1)])
def test_the_program_fails_for_a_bias_without_a_cause(factor, status, monkeypatch, capsys):
    """Recorded results, all 2 % higher, stand in for AirFair: no point exceeds the bar, and no ns-2 is needed."""

    def measured(_point_set, points, _seeds, _jobs):
        theirs = mamatas.SET.sources[-1].recorded()
        return {
            point: {name: Sample(tuple(factor * value for value in sample.values)) for name, sample in at.items()}
            for point in points
            for at in [theirs[point]]
        }

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("fidelity.ours.measure_all", measured)
    monkeypatch.setattr("sys.argv", ["fidelity", "mamatas"])
    assert program.main() == status
    assert ("bias of goodput" in capsys.readouterr().out) == bool(status)
