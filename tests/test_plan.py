"""Plans of many combinations: contents and memory use."""

import itertools
import sys
import threading
from array import array

import pytest
from conftest import execute
from sweeping import OUTAGES

import airfair as af
from airfair import _engine
from airfair.sweeps import plan as plan_module
from airfair.sweeps.columns import Column
from airfair.sweeps.grid import grid
from airfair.sweeps.plan import Plan, plan, recipe
from airfair.sweeps.recipe import check
from airfair.sweeps.spec import MOST_SAMPLES, Sweep

TEXT = _engine.scenario_text("jung/mixed")


def swept(**options) -> Sweep:
    return Sweep("jung/mixed", TEXT, **options)


def test_a_plan_agrees_with_the_engine_on_each_combination():
    asked = swept(
        over={"tcp": ("vegas,reno",), "session_bytes": ("10 kB", "5 kB", "10000 B"), "stations": ("2..6:2",)},
        set={"duration": "10 s"},
        seeds=2,
    )
    found = plan(asked)
    assert len(found.combinations) == 2 * 2 * 3
    for combination in found.combinations:
        scenario = _engine.Scenario.parse(TEXT, "jung/mixed", list(combination.recipe.overrides))
        assert [combination.key(seed) for seed in (1, 2**64 - 1)] == [scenario.key(seed) for seed in (1, 2**64 - 1)]
        assert combination.parameters == check(recipe(asked, combination.at)).parameters
        assert list(combination.metrics) == scenario.metrics
    order = [tuple(setting.value for setting in combination.at.values()) for combination in found.combinations]
    assert order == sorted(order)


def computed(found: Plan, patience: float = 1e9) -> _engine.Results:
    """The results of all combinations with seed 1."""
    places = range(len(found.combinations))
    seeds = [1 for _ in places]
    keys, sources = found.all.keys(places, seeds), found.all.sources_at(places)
    return _engine.compute(sources, list(places), seeds, keys, _engine.StopFlag(), patience, "here", pack=False)


def test_a_scenario_that_is_kept_from_its_check_gives_the_same_result_as_one_loaded_again():
    over = {"down": ("100,500 ms,1 s",), "period": ("1,2 s",)}  # one of the six is refused
    asked = Sweep("mine", OUTAGES, over=over, metrics=("throughput_total",))
    wanted = [one.outcome.to_json() for one in computed(plan(asked))]
    found = plan(asked, "plain", to_run=True)
    kept = found.combinations[0].source[4][0]
    assert len(kept) == 5
    assert len(computed(found, patience=0.0)) == 1 and len(kept) == 4
    assert [one.outcome.to_json() for one in computed(found)] == wanted
    assert len(kept) == 0


def test_scenarios_are_kept_only_as_long_as_there_is_room():
    text = _engine.scenario_text("bench/dumbbell")
    asked = Sweep("bench/dumbbell", text, over={"queue": ("101..120",)}, set={"flows": "1000"})
    found = plan(asked, to_run=True)
    kept = found.combinations[0].source[4][0]
    assert 0 < len(kept) < 20


def test_axes_that_vary_together_are_sorted_by_the_order_of_all_axes():
    over = {"stations": ("2,4,2",), "tcp": ("vegas,reno",), "session_bytes": ("7,6,5 kB",)}
    found = [
        [setting.text for setting in at.values()] for at in grid(swept(over=over, zip=(("stations", "session_bytes"),)))
    ]
    assert found == [
        ["2", "reno", "5 kB"],
        ["2", "reno", "7 kB"],
        ["2", "vegas", "5 kB"],
        ["2", "vegas", "7 kB"],
        ["4", "reno", "6 kB"],
        ["4", "vegas", "6 kB"],
    ]


def test_columns_keep_values_and_their_types():
    for values in ([1] * 5, [1, 1.0, True, "1", None, 1], [None, None, 2], [2, 2, 3, 3]):
        column = Column()
        for (_, value), same in itertools.groupby(values, lambda value: (type(value), value)):
            column.append(value, len(list(same)))
        assert list(map(type, column)) == list(map(type, values)) and list(column) == values
        assert [(type(column[place]), column[place]) for place in range(len(column))] == [
            (type(value), value) for value in values
        ]


def test_a_sample_is_bounded():
    with pytest.raises(af.InputError, match=f"{MOST_SAMPLES:,} points"):
        grid(swept(over={"period": ("1..100 s",)}, sample=MOST_SAMPLES + 1))


#: Memory in MB for the grid of a million combinations, and for the checked combinations: ten times the memory for a
#: tenth of them.
MEMORY = """
import re, resource, sys
from pathlib import Path
from airfair import _engine
from airfair.sweeps.grid import grid
from airfair.sweeps.plan import Combinations
from airfair.sweeps.spec import Sweep
def peak():
    if sys.platform == "linux":  # ru_maxrss survives exec, so it may be the parent's
        return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
asked = Sweep("jung/mixed", _engine.scenario_text("jung/mixed"),
              over={"tcp": ("reno,vegas",), "session_bytes": ("1..50000 kB:1 kB",), "stations": ("2..20:2",)})
combined = grid(asked)
assert len(combined) == 1_000_000
before = peak()
found = Combinations(asked, combined, None)
answer = _engine.check_all(found.sources([0] * 100))
for start in range(0, 100_000, 100):
    found.take(range(start, start + 100), answer)
print(before + 10 * (peak() - before))
"""


def test_a_million_combinations_take_less_than_300_megabytes():
    assert float(execute([sys.executable, "-c", MEMORY], check=True).stdout) < 300


@pytest.mark.parametrize("jobs", [1, 3])
def test_as_many_threads_check_as_there_are_jobs(monkeypatch, jobs):
    threads = set()
    check_all = _engine.check_all

    def noted(sources):
        threads.add(threading.current_thread())
        return check_all(sources)

    monkeypatch.setattr(_engine, "check_all", noted)
    monkeypatch.setattr(plan_module, "_PIECE", 1)
    plan(swept(over={"stations": ("2..40:2",)}), jobs=jobs)
    assert len(threads) <= jobs and (threads == {threading.current_thread()}) == (jobs == 1)


def test_an_axis_has_each_value_once_in_order():
    axis, numbers = _engine.Axis.of_values(TEXT, "f", "session_bytes", ["10 kB,5 kB,10000 B,1.5 kB"])
    assert [axis.text(number) for number in range(len(axis))] == ["1.5 kB", "5 kB", "10 kB"]
    assert axis.values([0, 1, 2]) == [1500, 5000, 10000] and list(array("I", numbers)) == [2, 1, 2, 0]
    with pytest.raises(IndexError):
        axis.text(3)
