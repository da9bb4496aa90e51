"""A run that its user drives."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest
from conftest import execute, first_code, interrupted, join

import airfair as af

EXAMPLES = Path(__file__).parent.parent / "docs/examples"

LINE = """
[run]
warmup = "1 s"
duration = "9 s"
metrics = ["throughput_total"]
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "1 Mb/s"
delay = "10 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
"""


@pytest.fixture
def line(tmp_path):
    path = tmp_path / "line.toml"
    path.write_text(LINE)
    return path


@pytest.mark.parametrize("engine", ["fast", "plain"])
def test_pauses_change_nothing(engine):
    world = af.World("blefari/hotspot", seed=3, engine=engine, duration="20 s")
    while world.now < world.end:
        world.run_until(min(world.now + 1.7, world.end))
    assert world.record().document == af.run("blefari/hotspot", seed=3, duration="20 s").document


def test_the_same_actions_give_the_same_results_in_both_engines(line):
    told = []
    for engine in ("fast", "plain"):
        world = af.World(line, engine=engine, traces="queue,cwnd")
        world.run_until(3)
        world.set("link.a-b.rate", "300 kb/s")
        world.run_until("4500 ms")
        world.change({"link.a-b.loss.model": "bernoulli", "link.a-b.loss.probability": "2 %"})
        world.run_until(100)
        record = world.record()
        told.append((json.dumps(record.document), json.dumps(world.counts()), record.series.to_polars().to_dicts()))
    assert told[0] == told[1]


def test_a_setting_that_changes_at_the_start_is_as_good_as_one_of_the_run():
    settings = {
        "wlan.home.station.camera.data_rate": "2 Mb/s",
        "wlan.home.ap_discipline.kind": "airtime_drr",
        "wlan.home.ap_queue": "40 kB",
        "wlan.home.short_retry_limit": 3,
        "flow.call.udp.rate": "100 kb/s",
        "flow.report.period": "2 s",
    }
    documents = []
    for engine in ("fast", "plain"):
        world = af.World(EXAMPLES / "home.toml", engine=engine)
        world.change(settings)
        world.run_until(world.end)
        documents.append(world.record().document["metrics"])
    assert documents[0] == documents[1]
    assert documents[0] == af.run(EXAMPLES / "home.toml", **settings).document["metrics"]


def test_the_beginning_of_the_guide_runs():
    names = {}
    exec(first_code("worlds.md"), names)
    assert names["world"].now == names["world"].end


def test_the_example_of_the_guide_is_the_file_and_prints_what_the_guide_says():
    example = EXAMPLES / "neighbour.py"
    guide = (EXAMPLES.parent / "worlds.md").read_text()
    assert f"```python\n{example.read_text()}```" in guide
    printed = execute([sys.executable, example], check=True).stdout
    assert f"```text\n{printed}```" in guide


def test_a_setting_changes_from_now_on_and_nothing_before(line):
    world, other = af.World(line), af.World(line)
    for each in (world, other):
        each.run_until(5)
    before = world.counts()
    assert before == other.counts()
    world.set("link.a-b.rate", "250 kb/s")
    assert world.counts() == before
    for each in (world, other):
        each.run_until(10)
    sent, unchanged = (each.counts()["flows"]["f"]["delivered_bytes"] for each in (world, other))
    first = before["flows"]["f"]["delivered_bytes"]
    assert 0.2 < (sent - first) / (unchanged - first) < 0.3


def test_packets_of_endpoints_outside_take_the_time_of_their_path(line):
    world = af.World(line, external="f")
    world.run_until(1)
    world.inject("f", 1250, id=7)
    world.inject("f", 125, id=8, to_source=True)
    world.inject("f", 1250, id=2**64 - 1)
    world.run_until(2)
    # 1250 bytes take 10 ms at 1 Mb/s, then 10 ms to the far end.
    assert [(round(packet.time, 9), packet.to_source, packet.id) for packet in world.poll_egress()] == [
        (1.011, True, 8),
        (1.02, False, 7),
        (1.03, False, 2**64 - 1),
    ]
    assert world.poll_egress() == []


def test_a_packet_that_no_frame_carries_is_refused_as_a_flow_with_such_packets_is():
    world = af.World("bench/ax", stations=1, external="flow0", duration="1 s")
    world.inject("flow0", 2296)
    for to_source in (False, True):
        with pytest.raises(af.InputError, match="packets of 2297 B of the flow `flow0` are too long for the WLAN"):
            world.inject("flow0", 2297, to_source=to_source)
    world.run_until(1)
    assert [packet.bytes for packet in world.poll_egress()] == [2296]


def test_bad_input_is_refused_and_changes_nothing(line):
    world, external = af.World(line), af.World(line, external="f")
    for act, words in [
        (
            lambda: world.set("tcp.recovery", "sack"),
            "`tcp.recovery` cannot change while a run goes on: a flow keeps it",
        ),
        (lambda: world.set("run.duration", "3 s"), "`run.duration` cannot change"),
        (lambda: world.set("link.a-b.rte", "3 Mb/s"), "rate"),
        (lambda: world.set("link.a-b.rate", "fast"), "rate"),
        (lambda: world.inject("f", 100), "not outside the engine"),
        (lambda: world.record(), "warm-up ends at 1 s"),
        (lambda: world.run_until(-1), "already"),
        (lambda: world.run_until(float("nan")), "time = nan: seconds are needed, or a text with a unit"),
        (lambda: world.run_until([]), r"time = \[\]: seconds are needed"),
        (lambda: world.change(3), "settings = 3: a dictionary such as"),
        (lambda: world.change({3: 4}), r"settings = \{3: 4\}: a dictionary such as"),
        (lambda: world.run_until(10**400), "time = 10*\\.\\.\\.0*: seconds are needed"),
        (lambda: external.inject("f", 9, to_source="x"), "to_source = 'x': True or False is needed"),
        (lambda: world.set(3, 4), "name = 3: a text is needed"),
        (lambda: world.run_until("3 Mb/s"), "s"),
        (lambda: af.World(line, external="g"), "there is no flow `g`"),
        (lambda: af.World(line, engine="slow"), "engine `slow` is not known"),
        *((lambda n=n: external.inject("f", n), f"= {n}: 1 to 65535 B are allowed") for n in (-1, 0, 65536, 2**63)),
        *((lambda n=n: external.inject("f", 9, id=n), f"id = {n}: a whole number from 0 to") for n in (-1, 2**64)),
        (lambda: external.inject("f", 9.5), "bytes = 9.5: 1 to 65535 B are allowed"),
        (lambda: external.inject(3, 9), "flow = 3: a text is needed"),
    ]:
        with pytest.raises(af.InputError, match=words):
            act()
    world.run_until(2)
    with pytest.raises(af.InputError, match="the run is at 2 s already"):
        world.run_until(1.9)
    world.run_until(float("inf"))
    assert world.now == world.end == 10
    assert world.record().document == af.run(line).document


def test_a_run_goes_on_for_a_time(line):
    world = af.World(line)
    for step, now in ((0.1, 0.1), ("200 ms", 0.3), (0, 0.3), (1, 1.3), (100, 10)):
        world.run_for(step)
        assert world.now == now
    assert world.record().document == af.run(line).document
    for step, told in (
        (-1, "run until 9 s: the run is at 10 s already"),
        (None, 'time = None: seconds are needed, or a text with a unit, such as "500 ms"'),
        ("5 kB", "5 kB: it is a size where a time is needed"),
    ):
        with pytest.raises(af.InputError) as refused:
            world.run_for(step)
        assert told in str(refused.value)


def test_an_interrupted_run_says_where_it_must_go_on_to():
    world = af.World("bench/dumbbell", flows=1000, duration="5 s")
    with interrupted(0.02):
        world.run_for(50)  # takes far longer
    with pytest.raises(af.InputError, match=f"^the run was interrupted on its way to {world.end:g} s: "):
        world.counts()
    world.run_until(world.end)
    assert world.counts()["flows"]


def test_one_thread_at_a_time_drives_a_world():
    world = af.World("bench/dumbbell", flows=1000, duration="5 s")
    runner = threading.Thread(target=world.run_until, args=(5,))
    runner.start()
    refused = 0
    while runner.is_alive():
        try:
            world.counts()
        except af.InputError as error:
            refused += 1
            assert "another thread" in str(error) or "interrupted" in str(error)
    join(runner)
    assert refused
    assert world.now == 5
