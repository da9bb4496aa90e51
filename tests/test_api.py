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
    sessions = result.sessions.to_polars()
    assert sessions.columns[0] == "seed" and sessions["seed"].unique().to_list() == [1, 2, 3]
    alone = af.run("jung/mixed", seed=2, **SHORT).sessions.to_polars()
    assert sessions.filter(seed=2).equals(alone)


def test_every_table_of_a_run_is_of_one_class(tmp_path):
    traced = af.run("jung/mixed", seeds=2, traces="cwnd, air", duration="5 s")
    single = af.run("jung/mixed", traces=["cwnd", "air"], duration="5 s")
    for name in ("sessions", "flows", "stations", "links", "series", "air"):
        of_seeds, of_one = getattr(traced, name), getattr(single.outcomes[0], name)
        assert type(of_seeds) is type(of_one) is af.Table
        assert of_seeds.to_polars().filter(seed=1).drop("seed").equals(of_one.to_polars()), name
        assert len(of_seeds.to_pydict()["seed"]) == len(of_seeds)
    assert traced.series.to_polars()["quantity"].unique().to_list() == ["cwnd"]
    assert len(traced.links) == 2 * len(single.links) > 0
    swept = af.sweep("jung/mixed", {"tcp": ["reno"]}, duration="5 s")
    assert type(swept.results) is af.Table and swept.results.to_pydict()["tcp"] == ["reno"]
    assert af.Table(traced.flows).to_pydict() == traced.flows.to_pydict()


def test_a_table_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no table"):
        af.Table.of_seeds([])
    flows = af.run("jung/mixed", duration="5 s").flows
    with pytest.raises(ValueError, match="column"):
        af.Table.of_seeds([(1, flows), (2, af.Table.of_seeds([(1, flows)]))])


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (af.run, {"trace": "cwnd"}, "unknown argument `trace`; did you mean `traces`?"),
        (af.run, {"metric": "jain"}, "unknown argument `metric`; did you mean `metrics`?"),
        (af.run, {"over": "1..2"}, "unknown argument `over`; it is one of airfair.optimize, airfair.sweep"),
        (af.World, {"trace": "cwnd"}, "unknown argument `trace`; did you mean `traces`?"),
        (af.sweep, {"job": 2}, "unknown argument `job`; did you mean `jobs`?"),
        (af.timeline, {"out": "here"}, "unknown argument `out`; it is one of airfair.optimize, airfair.sweep"),
        (af.run, {"statoins": 4}, "jung/mixed: parameters: unknown parameter `statoins`; did you mean `stations`?"),
    ],
)
def test_an_unknown_argument_leads_to_the_one_that_is_meant(function, given, message):
    with pytest.raises(af.InputError) as raised:
        function("jung/mixed", **given)
    assert str(raised.value) == message


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


def test_seeds_are_told_to_be_whole_numbers():
    for call in (
        lambda seeds: af.run("jung/mixed", seeds=seeds),
        lambda seeds: af.run("jung/mixed", seed=seeds),
        lambda seeds: af.sweep("jung/mixed", {"stations": [2]}, seeds=seeds),
        lambda seeds: af.fair_share("jung/mixed", seeds=seeds),
        lambda seeds: af.diff("jung/mixed", seeds=seeds),
        lambda seeds: af.optimize("jung/mixed", over={"stations": [2, 4]}, maximize="jain", seeds=seeds),
    ):
        for seeds in (range(1, 11), 2.5, "3"):
            with pytest.raises(af.InputError, match="a whole number is needed"):
                call(seeds)


def test_a_metric_that_was_not_asked_for_leads_to_the_argument():
    metrics = af.run("bench/dumbbell", duration="1 ms", metrics="jain, drop_rate").metrics
    with pytest.raises(KeyError, match=r"eee: this result has jain, drop_rate; `metrics=` asks for others"):
        metrics["eee"]
    assert metrics.get("eee") is None and "eee" not in metrics


def test_listings():
    assert "jung/mixed" in {entry["name"] for entry in af.scenarios()}
    assert af.describe("throughput_total")["unit"] == "bit/s"
    assert {parameter["name"] for parameter in af.describe("jung/mixed")["parameters"]} >= {"tcp", "stations"}
