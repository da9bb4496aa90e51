"""The number of seeds of a point."""

import json
import random
import statistics

import pytest
from sweeping import TINY, TINY_OPTIONS, points, results, tables

import airfair as af
from airfair import _engine
from airfair.sweeps.seeding import Seeding
from airfair.sweeps.spec import Sweep, Until


def seeding(share=0.01, most=100):
    sweep = Sweep("x", "", seed=10, seeds=most, until=Until("throughput_total", share))
    return Seeding(sweep)


def fed(under_way, value):
    """Supply the value of each requested seed, until no more seeds are requested."""
    asked = list(under_way.first())
    while asked:
        seed = asked.pop(0)
        asked += under_way.note(seed, value(seed))
    return under_way


def enough(values, share):
    mean, low, high = _engine.mean_ci95(values)
    return (high - low) / 2 <= share * abs(mean)


def test_a_fixed_number():
    under_way = Seeding(Sweep("x", "", seed=4, seeds=3))
    assert list(under_way.first()) == [4, 5, 6] == list(under_way.seeds)
    assert under_way.reached is None


def test_three_seeds_at_least():
    under_way = fed(seeding(), lambda seed: 5.0)
    assert list(under_way.seeds) == [10, 11, 12] and under_way.reached


@pytest.mark.parametrize("trial", range(20))
def test_the_fewest_seeds_that_are_enough(trial):
    draw = random.Random(trial)
    values = {seed: draw.gauss(10.0, 1.0) for seed in range(10, 110)}
    under_way = fed(seeding(0.05), values.__getitem__)
    taken = [values[seed] for seed in under_way.seeds]
    assert under_way.reached and len(taken) >= 3 and enough(taken, 0.05)
    assert not any(enough(taken[:count], 0.05) for count in range(3, len(taken)))
    assert under_way.asked <= 2 * len(taken)


@pytest.mark.parametrize(
    ("value", "count"), [(lambda seed: (-1.0) ** seed, 25), (lambda seed: None, 3)], ids=["noise", "undefined"]
)
def test_there_is_a_most(value, count):
    under_way = fed(seeding(most=25), value)
    assert len(under_way.seeds) == count and under_way.reached is False


@pytest.mark.parametrize("share", [1e-200, 1e-323])
def test_a_target_that_nothing_reaches_takes_all_seeds(share):
    under_way = fed(seeding(share, most=25), lambda seed: 0.1 + (-1.0) ** seed)
    assert len(under_way.seeds) == 25 and under_way.reached is False


def test_seeds_without_a_value_are_left_out():
    under_way = fed(seeding(0.2), lambda seed: None if seed in (10, 12) else 5.0)
    assert list(under_way.seeds) == [10, 11, 12, 13, 14] and under_way.reached


def test_the_order_in_which_values_come_changes_nothing():
    draw = random.Random(1)
    values = {seed: draw.gauss(10.0, 1.0) for seed in range(10, 110)}
    one = fed(seeding(0.05), values.__getitem__)
    other = seeding(0.05)
    asked = list(other.first())
    while asked:
        seed = asked.pop(draw.randrange(len(asked)))
        asked += other.note(seed, values[seed])
    assert one.seeds == other.seeds


def test_points_get_the_seeds_they_need_whatever_the_number_of_jobs(tmp_path):
    for jobs in (1, 2):
        result = af.sweep(
            "jung/mixed",
            {"stations": [8, 10]},
            until_ci="throughput_total=2%",
            jobs=jobs,
            out=tmp_path / str(jobs),
            **TINY,
        )
    assert tables(tmp_path / "1") == tables(tmp_path / "2")
    taken = [entry["seeds"] for entry in result.seeds]
    assert all(entry["reached"] for entry in result.seeds) and min(taken) >= 3 and len(set(taken)) == 2
    frame = results(tmp_path / "1")
    for entry in result.seeds:
        values = frame.filter(**entry["parameters"])["throughput_total"].to_list()
        assert len(values) == entry["seeds"]
        mean, low, high = _engine.mean_ci95(values)
        assert (high - low) / 2 <= 0.02 * mean and mean == pytest.approx(statistics.fmean(values))


def test_the_command_says_how_many_seeds_it_took(airfair, tmp_path):
    arguments = ["sweep", "jung/mixed", "--over", "stations=8,10", *TINY_OPTIONS, "--out", "out"]
    told = airfair(*arguments, "--until-ci", "throughput_total=0.01%", "--seeds", "4")
    assert told.returncode == 0, told.stderr
    assert "4 to 4 seeds a point" in told.stdout
    assert "not reached within 4 seeds: stations=8; stations=10" in told.stdout
    kept = points(tmp_path / "out")
    document = json.loads(airfair(*arguments, "--until-ci", "throughput_total=50%", "--json").stdout)
    assert document["until_ci"] == {"metric": "throughput_total", "share": 0.5}
    assert [(entry["seeds"], entry["reached"]) for entry in document["points"]] == [([1, 2, 3], True)] * 2
    assert points(tmp_path / "out") == kept and results(tmp_path / "out").height == 6
