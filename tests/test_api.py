"""`import airfair as af`."""

import inspect
import pickle

import polars
import pytest
import typed_script

import airfair as af
from airfair import _engine
from airfair.runs import arguments

SHORT = {"duration": "20 s"}


def test_run_one_seed():
    result = af.run("jung/mixed", tcp="vegas", stations=4, seed=7, **SHORT)
    fairness = result.metrics["instantaneous_fairness_sent"]
    assert fairness.unit == "1" and fairness.ci95 is None and fairness.n == 1
    assert 0.0 < float(fairness) < 5.0
    assert f"{fairness:.3f}" == format(fairness.value, ".3f") and f"{fairness}" == str(fairness) != repr(fairness)
    assert result.metrics._ipython_key_completions_() == list(result.metrics)
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
        (af.run, {"statoins": 4}, "jung/mixed: unknown parameter `statoins`; did you mean `stations`?"),
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


def test_a_timeline_and_a_difference_can_be_pickled():
    drawn = af.timeline("jung/mixed", compare={"tcp": ["reno", "vegas"]}, duration="30 s", start="26 s", end="27 s")
    restored = pickle.loads(pickle.dumps(drawn))
    assert restored.document == drawn.document and restored.svg == drawn.svg and restored.command == drawn.command
    for compared in (
        af.diff("jung/mixed", set_b={"tcp": "vegas"}, seeds=2, duration="3 s"),
        af.diff(af.run("jung/mixed", duration="3 s"), af.run("jung/mixed", duration="3 s")),
    ):
        restored = pickle.loads(pickle.dumps(compared))
        assert restored.document == compared.document and repr(restored) == repr(compared)


def test_what_cannot_be_compared_is_named():
    with pytest.raises(af.InputError) as refused:
        af.diff(3)
    assert str(refused.value).startswith("3: what `run` or `sweep` returned, a directory of results, or ")
    with pytest.raises(af.InputError, match=r"^'': what `run` or `sweep` returned, "):
        af.diff("")


@pytest.mark.parametrize(
    "call", [lambda **given: af.run("jung/mixed", **given), lambda **given: af.World("jung/mixed").change(given)]
)
def test_a_parameter_that_is_none_is_the_word(call):
    with pytest.raises(af.InputError, match="stations"):
        call(stations=None)
    call(**{"tcp.window": None})


WINDOWS = {"window": [1, 2]}


@pytest.mark.parametrize(
    ("function", "given", "told"),
    [
        (af.run, {"jobs": 0}, "jobs = 0: a whole number from 1 on is needed"),
        (af.run, {"jobs": -1, "seeds": 2}, "jobs = -1: a whole number from 1 on is needed"),
        (af.run, {"jobs": True}, "jobs = True: a whole number from 1 on is needed"),
        (af.run, {"seeds": True}, "seeds = True: a whole number from 1 to 1000000 is needed"),
        (af.run, {"engine": 3}, "engine = 3: a text is needed"),
        (af.run, {"metrics": 5}, "metrics = 5: a text or a list of texts is needed"),
        (af.run, {"metrics": ["jain", 5]}, "metrics = ['jain', 5]: a text or a list of texts is needed"),
        (af.run, {"traces": 5}, "traces = 5: a text or a list of texts is needed"),
        (af.run, {"seed": -1}, "seed = -1: a whole number from 0 on is needed"),
        (af.run, {"seeds": None}, "seeds = None: a whole number from 1 to 1000000 is needed, as in `seed="),
        (af.sweep, {"over": WINDOWS, "jobs": "x"}, "jobs = 'x': a whole number from 1 on is needed"),
        (af.sweep, {"over": WINDOWS, "jobs": 0}, "jobs = 0: a whole number from 1 on is needed"),
        (af.sweep, {"over": WINDOWS, "on": 3}, "on = 3: a text is needed"),
        (af.sweep, {"over": WINDOWS, "zip": 3}, "zip = 3: a list such as"),
        (af.sweep, {"over": WINDOWS, "sample": 0}, "sample = 0: a whole number from 1 on is needed"),
        (
            af.sweep,
            {"over": WINDOWS, "until_ci": 3},
            "until_ci = 3: a text such as 'throughput_total=1%' or {'throughput_total': '1 %'}",
        ),
        (af.sweep, {"over": WINDOWS, "out": 3}, "out = 3: a path is needed"),
        (af.sweep, {"over": WINDOWS, "cache": 3}, "cache = 3: a path is needed"),
        (af.optimize, {"over": WINDOWS, "maximize": 3}, "maximize = 3: a text is needed"),
        (
            af.optimize,
            {"over": WINDOWS, "maximize": "jain", "subject_to": 3},
            "subject_to = 3: a text or a list of texts",
        ),
        (af.optimize, {"over": WINDOWS, "maximize": "jain", "jobs": 0}, "jobs = 0: a whole number from 1 on is needed"),
        (af.fair_share, {"seeds": 0}, "seeds = 0: a whole number from 1 to 1000000 is needed"),
        (af.timeline, {"start": 3}, "start = 3: a text is needed"),
        (af.timeline, {"compare": 3}, "compare = 3: a dictionary such as {'tcp': ['reno', 'vegas']} is needed"),
        (af.diff, {"set_a": 3}, "set_a = 3: a dictionary such as {'tcp': 'vegas'} is needed"),
        (af.diff, {"set_b": {1: 2}}, "set_b = {1: 2}: a dictionary such as {'tcp': 'vegas'} is needed"),
        (af.diff, {"seeds": -1}, "seeds = -1: a whole number from 1 to 1000000 is needed"),
        (af.run, {"seeds": 2**70}, f"seeds = {2**70}: a whole number from 1 to 1000000 is needed"),
        (af.fair_share, {"seeds": 1_000_001}, "seeds = 1000001: a whole number from 1 to 1000000 is needed"),
        (af.optimize, {"over": WINDOWS, "maximize": "jain", "seeds": 1_000_001}, "seeds = 1000001: a whole number"),
        (af.sweep, {"over": WINDOWS, "seeds": 0}, "seeds = 0: a whole number from 1 on is needed"),
        (af.sweep, {"over": WINDOWS, "seeds": 2**70}, f"2 points with {2**70:,} seeds each: a sweep can have"),
        (af.World, {"external": 3}, "external = 3: a text or a list of texts is needed"),
    ],
)
def test_arguments_of_wrong_types_are_named(function, given, told):
    with pytest.raises(af.InputError) as raised:
        function("bench/wlan", **given)
    assert str(raised.value).startswith(told)


@pytest.mark.parametrize(
    ("function", "scenario", "given", "place"),
    [
        (af.sweep, "bench/wlan", {"over": {"stations": range(1_000_001)}}, "over.stations"),
        (af.optimize, "bench/wlan", {"over": {"stations": range(1_000_001)}, "maximize": "jain"}, "over.stations"),
        (af.timeline, "bench/wlan", {"compare": {"stations": range(1_000_001)}}, "compare"),
        (af.run, {"run": {"metrics": range(1_000_001)}}, {}, "run.metrics"),
    ],
)
def test_more_values_than_any_scenario_has_are_refused(function, scenario, given, place):
    with pytest.raises(af.InputError) as raised:
        function(scenario, **given)
    assert str(raised.value) == f"{place}: more than 1,000,000 values"


def test_arguments_of_figures_are_checked():
    swept = af.sweep("bench/wlan", {"stations": [1]}, duration="2 s", warmup="0 s")
    figure = swept.plot("throughput_total", kind="box")
    for act, told in (
        (lambda: swept.plot(3), "y = 3: a text or a list of texts is needed"),
        (lambda: swept.plot("jain", where=3), "where = 3: a text is needed"),
        (lambda: figure.save(3), "path = 3: a path is needed"),
        (lambda: swept.save(3), "path = 3: a path is needed"),
        (lambda: swept.save("a.png"), r"a\.png: expected a name that ends in \.html"),
    ):
        with pytest.raises(af.InputError, match=f"^{told}$"):
            act()


@pytest.mark.parametrize("function", [af.run, af.sweep, af.optimize, af.fair_share, af.timeline, af.World])
@pytest.mark.parametrize("scenario", [3, None, b"bench/wlan", ""])
def test_a_scenario_of_a_wrong_type_is_named(function, scenario):
    needed = "a scenario's name, the path of a file, a dictionary or a Scenario is needed"
    with pytest.raises(af.InputError) as raised:
        function(scenario, **({"over": WINDOWS} if function is af.optimize else {}))
    assert str(raised.value) == f"scenario = {scenario!r}: {needed}"


@pytest.mark.parametrize("name", [3, ""])
def test_a_name_of_a_wrong_type_is_named(name):
    told = rf"^name = {name!r}: a name, the path of a file, a dictionary or a Scenario is needed$"
    with pytest.raises(af.InputError, match=told):
        af.describe(name)


def test_an_empty_path_is_refused():
    with pytest.raises(af.InputError, match=r"^out = '': a path is needed$"):
        af.sweep("bench/wlan", {"stations": [1]}, out="")


def test_too_many_arguments_name_the_function():
    with pytest.raises(TypeError, match=r"^airfair\.run\(\): too many positional arguments$"):
        af.run("jung/mixed", "vegas")  # type: ignore[call-arg,arg-type]


def test_every_argument_is_checked():
    functions = (af.run, af.sweep, af.optimize, af.fair_share, af.timeline, af.diff, af.World, af.describe)
    taken = {name for function in functions for name in inspect.signature(function).parameters}
    # Controls are checked by their methods. `diff` compares whatever was measured.
    assert taken - {"parameters", "control", "a", "b"} <= set(arguments._KINDS)


def test_whole_numbers_of_other_libraries_are_taken(tmp_path):
    numpy = pytest.importorskip("numpy")
    given = {"seed": numpy.int64(2), "seeds": numpy.uint8(2), "jobs": numpy.int32(1)}
    swept = af.sweep("bench/wlan", WINDOWS, out=tmp_path, duration="2 s", warmup="0 s", stations=1, **given)
    assert len(swept.results.to_polars()) == 4


def test_seeds_are_told_to_be_whole_numbers():
    for call in (
        lambda seeds: af.run("jung/mixed", seeds=seeds),
        lambda seeds: af.run("jung/mixed", seed=seeds),
        lambda seeds: af.sweep("jung/mixed", {"stations": [2]}, seeds=seeds),
        lambda seeds: af.fair_share("jung/mixed", seeds=seeds),
        lambda seeds: af.diff("jung/mixed", seeds=seeds),
        lambda seeds: af.optimize("jung/mixed", over={"stations": [2, 4]}, maximize="jain", seeds=seeds),
    ):
        for seeds in (range(1, 11), 2.5, "3", True):
            with pytest.raises(af.InputError, match=r"a whole number from (0 on|1 on|1 to 1000000) is needed"):
                call(seeds)


def test_a_metric_that_was_not_asked_for_leads_to_the_argument():
    metrics = af.run("bench/dumbbell", flows=1, duration="1 s", metrics="jain, drop_rate").metrics
    with pytest.raises(KeyError, match=r"eee: this result has jain, drop_rate; `metrics=` asks for others"):
        metrics["eee"]
    assert metrics.get("eee") is None and "eee" not in metrics


def test_listings():
    assert "jung/mixed" in {entry["name"] for entry in af.scenarios()}
    assert af.describe("throughput_total")["unit"] == "bit/s"
    assert {parameter["name"] for parameter in af.describe("jung/mixed")["parameters"]} >= {"tcp", "stations"}


def test_a_table_can_be_pickled_with_its_units():
    outcome = af.run("bench/dumbbell", duration="1 s").outcomes[0]
    for name in ("flows", "sessions", "links"):
        table = getattr(outcome, name)
        restored = pickle.loads(pickle.dumps(table))
        assert type(restored) is af.Table
        assert restored.to_pydict() == table.to_pydict()
        assert pickle.dumps(restored) == pickle.dumps(table) and (b"unit" in pickle.dumps(table))
    with pytest.raises(ValueError):
        _engine.table_of_ipc(b"no table")


@pytest.mark.parametrize("given", [{"tcp": "vegas", "seeds": 2}, {"fair_share": "measured"}, {"traces": "cwnd,air"}])
def test_the_result_of_a_run_can_be_pickled(given):
    ran = af.run("jung/mixed", duration="20 s", metrics="throughput_total,jain_persistent", **given)
    restored = pickle.loads(pickle.dumps(ran))
    assert repr(restored) == repr(ran) and restored.document == ran.document
    assert restored.scenario.digest == ran.scenario.digest and restored.scenario.metrics == ran.scenario.metrics
    for table in ("sessions", "flows", "stations", "links", "series", "air"):
        assert getattr(restored, table).to_pydict() == getattr(ran, table).to_pydict()


def test_pandas_has_a_column_without_a_value_as_numbers():
    pytest.importorskip("pandas")
    empty = polars.Series("a", [None, None], polars.Float64)
    frame = af.Table(polars.DataFrame([empty, polars.Series("n", [1, 2])])).to_pandas()
    assert [str(kind) for kind in frame.dtypes] == ["float64", "int64"]
    assert list(frame["n"]) == [1, 2] and frame["a"].isna().all()


def test_a_typed_script_of_a_user_runs(tmp_path):
    typed_script.main(tmp_path)


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda: af.optimize("bench/wlan", over=WINDOWS), "one of `maximize` METRIC and `minimize` METRIC is needed"),
        (
            lambda: af.optimize("bench/wlan", over=WINDOWS, maximize="jain", subject_to="jain = 1"),
            'subject_to: "jain = 1": "METRIC >= X" or "METRIC <= X" is needed',
        ),
        (lambda: af.optimize("bench/wlan", over=WINDOWS, maximize="jain", window=2), "window and `over` window: a "),
        (lambda: af.sweep("bench/wlan", WINDOWS, until_ci="jain=x"), "until_ci = jain: "),
        (lambda: af.sweep("bench/wlan", WINDOWS, on="moon"), "on = moon: expected local, ray or ray:ADDRESS"),
        (lambda: af.sweep("bench/wlan", {"stations": [1]}, duration="2 s").plot("agi"), "y = agi: it is not measured"),
    ],
)
def test_messages_name_arguments_not_options(act, told):
    with pytest.raises(af.InputError) as refused:
        act()
    assert str(refused.value).startswith(told)
