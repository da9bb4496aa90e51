"""Who hears whom, from the command line and while a run goes on."""

import pytest

import airfair as af

FILE = """
[run]
warmup = "1 s"
duration = "5 s"
metrics = ["throughput_total", "collision_rate"]
[[wlan]]
name = "w"
ap = "ap"
phy = "802.11ax"
[[wlan.station]]
name = "left"
[[wlan.station]]
name = "right"
[[flow]]
name = "from-left"
from = "left"
to = "ap"
udp = { rate = "100 Mb/s" }
[[flow]]
name = "from-right"
from = "right"
to = "ap"
udp = { rate = "100 Mb/s" }
"""


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "two.toml").write_text(FILE)
    return "two.toml"


def hears(station, value):
    return ["--set", f"wlan.w.station.{station}.hears={value}"]


def test_stations_that_do_not_hear_each_other_collide(answer, scenario):
    def collisions(*settings):
        return answer("run", scenario, *settings)["metrics"]["collision_rate"]["value"]

    all_hear_all = collisions()
    assert collisions(*hears("left", "right"), *hears("right", "left,ap")) == all_hear_all
    # An empty list is nobody but the access point. Frames without end meet nearly always, and the RTS of most do not.
    hidden = collisions(*hears("left", ""), *hears("right", ""))
    assert all_hear_all < 0.2 and hidden > 0.8
    assert collisions(*hears("left", ""), *hears("right", ""), "--set", "wlan.w.rts_threshold=0 B") < hidden


def test_a_station_that_is_not_there_is_refused_where_it_is_named(airfair, scenario):
    refused = airfair("run", scenario, *hears("right", "lefft"))
    assert refused.returncode == 2
    assert "hears: unknown station on the channel `lefft`; did you mean `left`?" in refused.stderr


def test_who_hears_whom_does_not_change_while_a_run_goes_on(tmp_path, scenario):
    world = af.World(tmp_path / scenario, seed=1)
    world.run_until(2)
    with pytest.raises(af.InputError, match=r"cannot change while a run goes on: .* who hears whom"):
        world.change({"wlan.w.station.right.hears": ""})
    world.run_until(world.end)
    assert world.record().flows.to_polars().height == 2
