"""`import airfair as af`."""

import pytest

import airfair as af

SHORT = {"duration": "20 s"}


def test_run_one_seed():
    result = af.run("jung/mixed", tcp="vegas", stations=4, seed=7, **SHORT)
    fairness = result.metrics["instantaneous_fairness_sent"]
    assert fairness.unit == "1" and fairness.ci95 is None and fairness.n == 1
    assert 0.0 < float(fairness) < 5.0
    assert result.outcomes[0].seed == 7
    assert result.document["parameters"]["tcp"]["value"] == "vegas"
    sessions = result.sessions.to_polars()
    assert sessions.height == 4 and {"start", "bytes", "sent", "acked", "delivered"} <= set(sessions.columns)
    assert result.flows.to_polars().height == 4
    assert result.stations.to_polars().height == 5


def test_run_several_seeds():
    result = af.run("jung/mixed", seeds=3, jobs=2, **SHORT)
    throughput = result.metrics["throughput_total"]
    assert throughput.n == 3 and throughput.ci95[0] <= throughput.value <= throughput.ci95[1]
    assert [outcome.seed for outcome in result.outcomes] == [1, 2, 3]
    with pytest.raises(ValueError, match="3 seeds"):
        result.sessions  # noqa: B018


def test_traces_and_a_loaded_scenario():
    scenario = af.Scenario.load("jung/mixed", [("duration", "5 s")])
    result = af.run(scenario, traces=["cwnd"])
    assert result.series.to_polars()["quantity"].unique().to_list() == ["cwnd"]
    with pytest.raises(af.InputError):
        af.run(scenario, stations=2)


def test_bad_input_is_one_kind_of_error():
    for call in (
        lambda: af.run("jung/mixd"),
        lambda: af.run("jung/mixed", statoins=4),
        lambda: af.run("jung/mixed", duration=20),
        lambda: af.run("jung/mixed", seeds=0),
        lambda: af.run("jung/mixed", traces=["cwmd"], **SHORT),
        lambda: af.describe("jung/mixd"),
    ):
        with pytest.raises(af.InputError):
            call()
    assert issubclass(af.InputError, ValueError)


def test_listings():
    assert "jung/mixed" in {entry["name"] for entry in af.scenarios()}
    assert af.describe("throughput_total")["unit"] == "bit/s"
    assert {parameter["name"] for parameter in af.describe("jung/mixed")["parameters"]} >= {"tcp", "stations"}
