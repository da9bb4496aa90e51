"""`airfair fair-share`: each user's rate alone, over the number of users."""

import inspect
import tomllib

import pytest

import airfair as af
from airfair import _engine
from airfair.cli.scenarios import fair_share
from airfair.runs import share
from airfair.store.store import Store


def test_users_of_a_wlan_share_what_each_gets_alone(answer):
    told = answer("fair-share", "jung/mixed", "--set", "stations=6", "--seeds", "2")
    assert told["users"] == 6 and told["seeds"] == [1, 2] and (told["warmup"], told["duration"]) == (5, 20)
    assert [flow["flow"] for flow in told["flows"]] == [f"flow{i}" for i in range(6)]
    for flow in told["flows"]:
        assert flow["fair_share"] == pytest.approx(flow["alone"] / 6) and flow["direction"] == "down"
        assert 4.5e6 < flow["alone"] < 5.5e6  # the paper has 4.96 Mb/s


def test_a_user_alone_is_the_scenario_with_its_flow_alone():
    """The second station of a WLAN whose first station is slow."""
    with pytest.warns(af.ScenarioWarning, match="users differ"):
        found = af.fair_share("wifi/anomaly", fast=1, slow=1, seeds=1)
    by_flow = {user.flow: user.alone for user in found.each}
    assert len(by_flow) == 2 and max(by_flow.values()) > 5 * min(by_flow.values())
    assert found.unlike and "down: " in found.unlike[0]
    [fastest] = [user for user in found.each if user.alone == max(by_flow.values())]
    only = af.run("wifi/anomaly", fast=1, slow=0, warmup="5 s", duration="20 s")
    assert fastest.alone == pytest.approx(only.metrics["throughput_total"].value, rel=0.05)


def test_directions_have_rates_of_their_own():
    found = af.fair_share("jung/mixed", direction="both", seeds=1)
    down, up = ([user.alone for user in found.each if user.direction == way] for way in ("down", "up"))
    assert len(down) == len(up) == 2
    assert found.rates == (pytest.approx(sum(down) / 2), pytest.approx(sum(up) / 2))


def test_what_is_printed_can_be_set(airfair, answer):
    shown = airfair("fair-share", "jung/mixed").stdout
    options = shown.split("set it with: ")[1].replace("'", "").replace("--set ", "\n").split("\n")[1:4]
    settings = [word for option in options for word in ("--set", option.strip())]
    ran = answer("run", "jung/mixed", *settings)
    assert ran["parameters"]["fair_share.users"]["value"] == 4
    measured = af.fair_share("jung/mixed")
    same = af.run("jung/mixed", **measured.parameters)
    assert ran["metrics"] == same.document["metrics"]
    paper = af.run("jung/mixed").metrics["instantaneous_fairness_acked"].value
    ratio = same.metrics["instantaneous_fairness_acked"].value / paper
    assert ratio == pytest.approx(4.96e6 / measured.rates[0])


def test_a_file_without_shares_gets_a_table_to_put_in(airfair, answer, tmp_path):
    airfair("init", "mine.toml", "--network", "802.11b", "--devices", "2", "--traffic", "download")
    shown = airfair("fair-share", "mine.toml").stdout
    table = shown[shown.index("[fair_share]") :]
    assert tomllib.loads(table)["fair_share"]["users"] == 2
    file = tmp_path / "mine.toml"
    file.write_text(file.read_text() + "\n" + table)
    assert answer("check", "mine.toml")["valid"] is True
    assert "set it with: " in airfair("fair-share", "mine.toml").stdout


def test_users_may_be_fewer_than_flows(answer):
    told = answer("fair-share", "jung/mixed", "--users", "2")
    assert told["users"] == 2 and told["fair_share"]["users"] == 2
    assert told["flows"][0]["fair_share"] == pytest.approx(told["flows"][0]["alone"] / 2)


def test_members_left_out_do_not_count():
    given = tomllib.loads(af.Scenario.load("jung/mixed").toml)
    given["flow"][0]["when"] = "i == 3"
    given["flow"] = given["flow"][:1]
    assert [user.flow for user in af.fair_share(given, seeds=1).each] == ["flow3"]


def test_both_engines_give_the_same():
    fast, plain = (af.fair_share("jung/mixed", seeds=1, engine=engine).document for engine in ("fast", "plain"))
    assert fast == plain


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["jung/table1"], "no flow uses TCP"),
        (["jung/mixd"], "did you mean"),
        (["jung/mixed", "--set", "stations=3"], "stations"),
    ],
)
def test_bad_input_is_refused(airfair, arguments, said):
    refused = airfair("fair-share", *arguments)
    assert refused.returncode == 2 and refused.stdout == "" and said in refused.stderr


@pytest.mark.parametrize(
    ("rates", "rest"),
    [
        ((5e6, 1e6), {"download": "5000000 b/s", "upload": "1000000 b/s"}),
        ((None, 1e6), {"download": "1000000 b/s", "upload": "1000000 b/s"}),
        # A run that measures goes without a fair share here, too.
        ((0.0, 1e6), {}),
        ((None, None), {}),
    ],
)
def test_the_table_has_the_rates_that_a_run_uses(rates, rest):
    found = share.FairShare("s", 4, [1], [], rates)
    assert found.table == {"users": 4} | rest


def test_all_places_have_the_seconds_and_seeds_of_the_engine():
    times = f"{_engine.ALONE_WARMUP:g} s, then {_engine.ALONE_DURATION:g} s that count"
    assert times in af.fair_share.__doc__ and times in fair_share.__doc__
    assert inspect.signature(af.fair_share).parameters["seeds"].default == len(_engine.ALONE_SEEDS)


def test_wires_alone_have_no_share(airfair):
    assert "undefined here" in airfair("fair-share", "lee/path", "--seeds", "1").stdout


def test_notebooks_show_the_users():
    found = af.fair_share("jung/mixed", seeds=1)
    assert "<td>flow3</td>" in found._repr_html_() and "fair_share.users=4" in repr(found)


@pytest.fixture
def measured(airfair, tmp_path):
    """A file that has its fair share measured."""
    airfair("init", "mine.toml", "--network", "802.11b", "--devices", "4", "--traffic", "mixed")
    return tmp_path / "mine.toml"


SHORT = ("--set", "run.duration=10 s")


def test_a_file_has_its_fair_share_measured(airfair, answer, measured):
    told = answer("fair-share", "mine.toml")
    ran = answer("run", "mine.toml", *SHORT)
    by_hand = [f"fair_share.{name}={value}" for name, value in told["fair_share"].items()]
    same = answer("run", "mine.toml", *SHORT, *(word for text in by_hand for word in ("--set", text)))
    assert ran["metrics"] == same["metrics"] and "fair_share" not in same
    assert ran["metrics"]["instantaneous_fairness_acked"]["value"] > 0
    share = ran["fair_share"]
    assert share["seeds"] == [1, 2, 3] and share["users"] == told["users"]
    assert f"{share['download']} b/s" == told["fair_share"]["download"]
    shown = airfair("run", "mine.toml", *SHORT).stdout
    assert "fair share: " in shown and f"each of {told['users']} users gets alone" in shown and "seeds 1 to 3" in shown


def test_another_word_is_refused(airfair, measured):
    measured.write_text(measured.read_text().replace('"measured"', '"measurd"'))
    refused = airfair("check", str(measured))
    assert refused.returncode == 2
    assert "it is the text `measurd`, and `measured` or a table with" in refused.stderr


def test_python_measures_it_too(answer, measured):
    ran = answer("run", str(measured), *SHORT)
    for seeds in (1, 2):
        found = af.run(str(measured), seeds=seeds, **{"run.duration": "10 s"})
        assert found.document["fair_share"] == ran["fair_share"]
    alone = af.Scenario.load(str(measured), [("run.duration", "10 s")]).run(1)  # the engine measures by itself
    assert (
        alone.sessions.to_pydict() == af.run(str(measured), **{"run.duration": "10 s"}).outcomes[0].sessions.to_pydict()
    )
    world = af.World(str(measured), **{"run.duration": "10 s"})
    world.run_until(world.end)
    assert world.record().metrics["instantaneous_fairness_acked"].value == pytest.approx(
        ran["metrics"]["instantaneous_fairness_acked"]["value"]
    )


def test_rates_that_are_alike_are_told_once(airfair, measured):
    told = airfair("run", str(measured), *SHORT).stdout.splitlines()[1]
    assert told.startswith("fair share: ") and told.count("b/s") == 1
    both = airfair("run", "jung/mixed", *SHORT, "--set", "direction=both", "--set", "fair_share=measured").stdout
    assert "b/s (download) and " in both and "b/s (upload), " in both


def test_a_packaged_scenario_has_it_as_a_word(answer):
    ran = answer("run", "jung/mixed", "--set", "fair_share=measured")
    assert 4.9e6 < ran["fair_share"]["download"] < 5.1e6 and ran["fair_share"]["users"] == 4
    paper = answer("run", "jung/mixed")
    ratio, rates = (
        ran["metrics"]["instantaneous_fairness_acked"]["value"]
        / paper["metrics"]["instantaneous_fairness_acked"]["value"],
        4.96e6 / ran["fair_share"]["download"],
    )
    assert ratio == pytest.approx(rates)


def test_a_sweep_measures_each_point_once(airfair, answer, tmp_path):
    axes = ("--over", "stations=2,4", "--seeds", "2", "--set", "duration=20 s", "--out", "swept")
    told = answer("sweep", "jung/mixed", "--set", "fair_share=measured", *axes)
    assert told["runs"] == 4 and told["fair_share"] == {"measured": True, "seeds": [1, 2, 3]}
    swept = af.sweep(tmp_path / "swept").results.to_pydict()
    for stations in (2, 4):
        own = af.run("jung/mixed", stations=stations, fair_share="measured", duration="20 s", seeds=2)
        values = [
            value
            for place, value in enumerate(swept["instantaneous_fairness_acked"])
            if swept["stations"][place] == stations
        ]
        assert sum(values) / 2 == pytest.approx(own.metrics["instantaneous_fairness_acked"].value)
    stored = {file: file.read_bytes() for file in (tmp_path / "swept" / "points").iterdir()}
    shown = airfair("sweep", "swept").stdout
    assert "4 found from before" in shown and "seeds 1 to 3" in shown
    assert stored == {file: file.read_bytes() for file in (tmp_path / "swept" / "points").iterdir()}


def test_runs_alone_are_stored(answer, measured, tmp_path):
    answer("run", "mine.toml", *SHORT, "--out", "kept")
    found, execution = share.measured(af.Scenario.load(str(measured)), store=Store(tmp_path / "kept"))
    assert execution.computed == 0 and execution.reused == 3 * len(found.each) > 0


@pytest.mark.parametrize(
    ("scenario", "settings", "said"),
    [
        ("lee/path", ["fair_share.download=measured", "fair_share.upload=measured"], "no TCP flow crosses the air"),
        ("jung/mixed", ["fair_share=measurd"], "measurd"),
        ("jung/mixed", ["fair_share.download=5"], "fair_share.download"),
    ],
)
def test_what_cannot_be_measured_is_refused(airfair, scenario, settings, said):
    refused = airfair("run", scenario, *(word for text in settings for word in ("--set", text)))
    assert refused.returncode == 2 and said in refused.stderr


def test_rates_that_are_not_measured_need_their_users(airfair, tmp_path, measured):
    measured.write_text(measured.read_text().replace('"measured"', '{ download = "5 Mb/s", upload = "5 Mb/s" }'))
    refused = airfair("check", "mine.toml")
    assert refused.returncode == 2 and "needs `users`" in refused.stderr


@pytest.mark.parametrize("users", [0, -1, "x", 2.5])
def test_no_number_of_users_in_python(users):
    with pytest.raises(af.InputError) as raised:
        af.fair_share("jung/mixed", users=users)
    assert str(raised.value) == f"users = {users!r}: a whole number from 1 on is needed"
