"""The compiled module from Python: statistics, errors, runs that can be stopped."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

import pytest
from conftest import join

from airfair import _engine

SHORT = [("duration", "10 s"), ("warmup", "1 s")]
# Far longer than any test waits: only a stop request ends the run.
ENDLESS = [("duration", "1000000 s")]


def mixed(overrides: list[tuple[str, str]]) -> _engine.Scenario:
    return _engine.Scenario.load("jung/mixed", overrides)


def test_mean_and_interval() -> None:
    # s = sqrt(2.5), Student's t_{0.975, 4} = 2.776445, so half the width is 1.963243.
    mean, low, high = _engine.mean_ci95([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3.0
    assert (low, high) == (pytest.approx(1.036757, abs=1e-6), pytest.approx(4.963243, abs=1e-6))
    assert _engine.mean_ci95([7.0]) == (7.0, None, None)


def test_paired_difference_cancels_effects_that_seeds_share() -> None:
    assert _engine.paired_difference([11.0, 101.0], [10.0, 100.0]) == (1.0, 1.0, 1.0)
    assert _engine.paired_difference([2.0], [3.0]) == (-1.0, None, None)


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [float("inf")]])
def test_no_statistics_of_empty_or_infinite_samples(values: list[float]) -> None:
    with pytest.raises(_engine.InputError):
        _engine.mean_ci95(values)


def test_samples_of_different_lengths_are_no_pairs() -> None:
    with pytest.raises(_engine.InputError, match="differ in length"):
        _engine.paired_difference([1.0, 2.0], [1.0])


def test_every_metric_can_be_described() -> None:
    metrics = json.loads(_engine.metrics_json())
    assert len({metric["name"] for metric in metrics}) == len(metrics) > 20
    for metric in metrics:
        assert json.loads(_engine.describe_metric_json(metric["name"])) == metric
        assert set(metric) == {
            "name",
            "title",
            "group",
            "family",
            "quantiles",
            "values",
            "unit",
            "range",
            "larger_is_better",
            "counts_once",
            "definition",
            "note",
            "source",
        }


def test_an_unknown_metric_gets_the_nearest_name() -> None:
    with pytest.raises(_engine.InputError, match=r"`jane`.*`jain`"):
        _engine.describe_metric_json("jane")


def test_bad_input_is_a_value_error_with_one_message(tmp_path: Path) -> None:
    assert issubclass(_engine.InputError, ValueError)
    assert issubclass(_engine.EngineError, RuntimeError)
    for call in (
        lambda: _engine.Scenario.load("jung/mixd", []),
        lambda: mixed([("station", "4")]),
        lambda: _engine.Scenario.parse("[", "broken.toml", []),
        lambda: _engine.check(str(tmp_path / "missing.toml"), []),
        lambda: _engine.check("jung/mixed", []),
        lambda: _engine.describe_json("jung/mixd"),
        lambda: mixed(SHORT).run(1, ["cwmd"]),
    ):
        with pytest.raises(_engine.InputError) as caught:
            call()
        assert str(caught.value).strip()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", None])
def test_a_seed_is_a_whole_number_of_64_bits(seed: object) -> None:
    scenario = mixed(SHORT)
    with pytest.raises(_engine.InputError, match="seed = "):
        scenario.run(seed)
    with pytest.raises(_engine.InputError, match="seed = "):
        scenario.key(seed)


def test_a_run_depends_on_its_seed_alone() -> None:
    scenario = mixed(SHORT)
    first = scenario.run(1)
    assert first.seed == 1
    assert mixed(SHORT).run(1).to_json() == first.to_json()
    assert scenario.run(2).to_json() != first.to_json()
    assert len({scenario.key(1), scenario.key(2), mixed([*SHORT, ("stations", "6")]).key(1)}) == 3


def test_a_loaded_scenario_is_a_file_that_loads_again() -> None:
    scenario = mixed([*SHORT, ("wired_delay", "20 ms")])
    again = _engine.Scenario.parse(scenario.toml, "again.toml")
    assert again.key(1) == scenario.key(1)
    parameters = scenario.parameters
    assert parameters["wired_delay"] == {"value": 0.02, "unit": "s"}
    assert again.parameters == scenario.parameters


def test_traces_give_series_and_change_nothing_else() -> None:
    scenario = mixed(SHORT)
    traced = scenario.run(1, ["cwnd", "queue"])
    plain = scenario.run(1)
    assert set(traced.series.to_pydict()["quantity"]) == {"cwnd", "queue"}
    assert len(plain.series) == 0
    assert traced.metrics_json == plain.metrics_json


def test_a_flag_stops_a_run_in_another_thread() -> None:
    stop = _engine.StopFlag()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            mixed(ENDLESS).run(1, [], stop)
        except BaseException as error:
            raised.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    # This thread must continue while the engine runs, or the flag would never be set.
    assert not stop.is_set()
    stop.set()
    join(worker)
    assert [type(error) for error in raised] == [KeyboardInterrupt]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal to one process")
def test_ctrl_c_stops_a_run() -> None:
    interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    scenario = mixed(ENDLESS)
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        scenario.run(1)
