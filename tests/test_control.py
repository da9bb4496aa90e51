"""Congestion controls in Python."""

from __future__ import annotations

import json
import pickle
import runpy
from pathlib import Path
from typing import Any

import pytest

import airfair as af

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"
SETTINGS: dict[str, Any] = {"duration": "20 s", "flows": 3}


def everything(result: af.Result) -> tuple[Any, ...]:
    """What a result says of its runs."""
    tables = (result.flows, result.links, result.sessions, result.series)
    # An equation for the engine's own controls: it does not know others.
    metrics = {name: entry for name, entry in result.document["metrics"].items() if name != "gaimd_throughput"}
    return json.dumps(metrics, sort_keys=True), *(table.to_pydict() for table in tables)


class Reno(af.Control):
    """Reno by the engine's own growth."""

    def on_ack(self, window: af.Window, ack: af.Ack) -> None:
        """Open the window."""
        if ack.may_grow:
            window.open(ack.acked)

    def on_loss(self, window: af.Window, loss: af.Loss) -> float:
        """Halve."""
        return loss.base / 2


class WholeReno(Reno):
    """The same as in Linux."""

    def on_loss(self, window: af.Window, loss: af.Loss) -> float:
        """Halve, and round down."""
        return max(2, loss.base // 2)


def test_the_examples_reno_is_the_engines() -> None:
    mine = runpy.run_path(str(EXAMPLES / "reno.py"))["Reno"]()
    asked: dict[str, Any] = {**SETTINGS, "tcp": "newreno", "traces": "cwnd", "seeds": 2}
    built_in = af.run("mamatas/dumbbell", **asked)
    assert everything(af.run("mamatas/dumbbell", control=mine, **asked)) == everything(built_in)


@pytest.mark.parametrize("profile", ["ns2", "rfc", "linux"])
@pytest.mark.parametrize("tcp", ["reno", "sack"])
def test_reno_in_python_is_reno_in_every_profile_and_engine(profile: str, tcp: str) -> None:
    asked: dict[str, Any] = {**SETTINGS, "profile": profile, "tcp": tcp, "error_model": "bernoulli"}
    built_in = everything(af.run("mamatas/dumbbell", **asked))
    mine = WholeReno() if profile == "linux" else Reno()
    for engine in ("fast", "plain"):
        assert everything(af.run("mamatas/dumbbell", control=mine, engine=engine, **asked)) == built_in


def test_a_result_with_it_cannot_be_pickled() -> None:
    ran = af.run("mamatas/dumbbell", control=Reno(), **SETTINGS)
    with pytest.raises(af.InputError, match="control"):
        pickle.dumps(ran)


def test_a_world_has_it_too() -> None:
    ran = af.run("mamatas/dumbbell", control=Reno(), **SETTINGS)
    world = af.World("mamatas/dumbbell", control=Reno(), **SETTINGS)
    world.run_until(7)
    world.run_until(world.end)
    assert everything(world.record()) == everything(ran)


class Fixed(Reno):
    """A window of so many segments."""

    def __init__(self, segments: float) -> None:
        """Take its window."""
        self.segments = segments

    def on_open(self, window: af.Window) -> None:
        """Hold it."""
        window.cwnd = self.segments
        window.hold()

    def on_ack(self, window: af.Window, ack: af.Ack) -> None:
        """Keep it."""

    def on_loss(self, window: af.Window, loss: af.Loss) -> af.Reduction:
        """Keep it."""
        return af.Reduction(window.ssthresh, self.segments, loss_window=1)


def test_flows_may_have_controls_of_their_own() -> None:
    controls = {"flow0": Fixed(4), "flow2": Fixed(12)}
    flows = af.run("mamatas/dumbbell", control=controls, start="0 s", **SETTINGS).flows.to_pydict()
    rates = flows["throughput"]
    assert rates[2] / rates[0] == pytest.approx(3, rel=0.05)
    # The other one is the scenario's.
    assert rates[1] > 1.5 * rates[2]


def test_each_connection_has_a_copy() -> None:
    class Counting(Reno):
        def __init__(self) -> None:
            self.opened = 0

        def on_open(self, window: af.Window) -> None:
            self.opened += 1
            assert self.opened == 1

    mine = Counting()
    af.run("mamatas/dumbbell", control=mine, **SETTINGS)
    assert mine.opened == 0


class Divides(Reno):
    """Fails at the fortieth ACK."""

    acks = 0

    def on_ack(self, window: af.Window, ack: af.Ack) -> None:
        """Divide by zero at last."""
        self.acks += 1
        window.cwnd += 1 / (40 - self.acks)


@pytest.mark.parametrize("engine", ["fast", "plain"])
def test_what_a_control_raises_ends_the_run(engine: str) -> None:
    with pytest.raises(af.ControlError) as told:
        af.run("mamatas/dumbbell", control=Divides(), engine=engine, **SETTINGS)
    message = str(told.value)
    assert message.startswith("control Divides: on_ack: ZeroDivisionError: ")
    assert f"{Path(__file__).name}, line " in message
    assert "\n" not in message
    assert isinstance(told.value.__cause__, ZeroDivisionError)


def test_a_world_ends_so_too() -> None:
    world = af.World("mamatas/dumbbell", control=Divides(), **SETTINGS)
    for _ in range(2):
        with pytest.raises(af.ControlError, match="ZeroDivisionError"):
            world.run_until(world.end)


def test_ctrl_c_in_a_control_is_ctrl_c() -> None:
    class Interrupted(Reno):
        def on_loss(self, window: af.Window, loss: af.Loss) -> float:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        af.run("mamatas/dumbbell", control=Interrupted(), **SETTINGS)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("half", "'half' is no answer"),
        (None, "None is no answer"),
        (10**400, r"10{17}\.\.\.0{19} is no answer"),
        (float("nan"), "the answer, NaN, is not a number of segments"),
        (-1, "the answer, -1.0, is not"),
        (1e300, "the answer, 1e300, is not"),
        (af.Reduction(2, float("inf")), "cwnd, inf, is not"),
    ],
)
def test_nonsense_is_refused(answer: Any, wanted: str) -> None:
    class Nonsense(Reno):
        def on_loss(self, window: af.Window, loss: af.Loss) -> Any:
            return answer

    with pytest.raises(af.ControlError, match=wanted):
        af.run("mamatas/dumbbell", control=Nonsense(), **SETTINGS)


def test_a_window_that_is_none_is_refused_where_it_is_set() -> None:
    class Negative(Reno):
        def on_ack(self, window: af.Window, ack: af.Ack) -> None:
            window.cwnd = -3

    with pytest.raises(af.ControlError, match=r"cwnd, -3\.0, is not a number of segments"):
        af.run("mamatas/dumbbell", control=Negative(), **SETTINGS)


@pytest.mark.parametrize(
    ("control", "wanted"),
    [
        (Reno, "Reno is a class: give an object of it"),
        (object(), "object has no method `on_ack`"),
        ({"flow9": Reno()}, "there is no flow `flow9`"),
        ({5: Reno()}, "control: 5 is no flow: the controls of flows are by their names"),
    ],
)
def test_what_is_no_control_is_refused(control: Any, wanted: str) -> None:
    with pytest.raises(af.InputError, match=wanted):
        af.run("mamatas/dumbbell", control=control, **SETTINGS)


def test_udp_has_no_control() -> None:
    with pytest.raises(af.InputError, match="no flow of the scenario is one of TCP"):
        af.run("jung/table1", control=Reno(), protocol="udp")


def test_results_have_no_key() -> None:
    result = af.run("mamatas/dumbbell", control=Reno(), **SETTINGS)
    with pytest.raises(af.InputError, match="no key"):
        result.scenario.key(1)
    with pytest.raises(af.InputError, match="no key"):
        _ = result.scenario.digest
    assert result.scenario.by_engine("plain").toml == result.scenario.toml
    with pytest.raises(af.InputError, match="no key"):
        result.scenario.by_engine("plain").key(1)


def test_marks_are_told_and_answered() -> None:
    class Tells(Reno):
        marked = 0

        def on_marked(self, bytes: int) -> None:
            self.marked += bytes

        def on_mark(self, window: af.Window, loss: af.Loss) -> float:
            # The mark that is answered is not told of before the next ACK of new data.
            raise RuntimeError(f"{self.marked} bytes")

    with pytest.raises(af.ControlError, match=r"on_mark: RuntimeError: [1-9]\d* bytes"):
        af.run("l4s/coupled", control={"low0": Tells()}, duration="35 s")


def test_help_says_what_each_field_is() -> None:
    for kind in (af.Ack, af.Loss, af.Window):
        silent = [name for name, member in vars(kind).items() if not name.startswith("_") and not member.__doc__]
        assert silent == [], kind
