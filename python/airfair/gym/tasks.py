"""The environments as data: the actions, observations and rewards of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real

from airfair._engine import InputError

#: The ways to map the numbers of an action to values of a setting; see `Action.scale`.
SCALES = ("log", "whole", "power")
#: The shortest interval in s. With a shorter one, an episode would not end in a lifetime.
_LEAST = 1e-6


def _check_number(name: str, given: object) -> None:
    """Raise `InputError` unless `given` is a finite number."""
    if isinstance(given, bool) or not isinstance(given, Real) or not isfinite(given):
        raise InputError(f"{name} = {given!r}: a number is needed")


@dataclass(frozen=True)
class Action:
    """A setting that the agent chooses at every step, by a number from -1 to 1."""

    #: Name of the action; in an environment with several agents the agent's name.
    name: str
    #: A parameter of the scenario, or the path of a setting, that can change while a run goes on (docs/worlds.md).
    setting: str
    #: Value of the setting for an action of -1.
    low: float
    #: Value of the setting for an action of 1.
    high: float
    #: The unit that follows the value; empty: none.
    unit: str = ""
    #: How numbers map to values: `log` (both ends above 0), `whole` (as `log`, rounded), or `power`, which gives
    #: 2^k - 1 for whole k between the ends, as contention windows need.
    scale: str = "log"

    def __post_init__(self) -> None:
        """Refuse bounds and scales that give no values. Raises `InputError`."""
        for name, bound in (("low", self.low), ("high", self.high)):
            _check_number(f"action {self.name}: {name}", bound)
        if self.scale not in SCALES:
            raise InputError(f"action {self.name}: scale = {self.scale!r}: {', '.join(SCALES)} are known")
        if self.low >= self.high or (self.low <= 0 and self.scale != "power") or self.low < 0:
            least = "0 or more" if self.scale == "power" else "above 0"
            raise InputError(
                f"action {self.name}: low = {self.low!r}, high = {self.high!r}: low is {least}, below high"
            )

    def value(self, number: float) -> str:
        """The setting's value for a number of an action, as text. Numbers are clipped to -1 to 1."""
        share = (min(1.0, max(-1.0, number)) + 1.0) / 2.0
        if self.scale == "power":
            return str(2 ** round(self.low + share * (self.high - self.low)) - 1)
        value = self.low * (self.high / self.low) ** share
        return f"{round(value) if self.scale == 'whole' else f'{value:.6g}'} {self.unit}".strip()


@dataclass(frozen=True)
class Reward:
    """A metric's part in the reward."""

    #: Name of a metric, one of `airfair describe metrics`.
    metric: str
    #: Weight of the metric, in the inverse of its SI unit. Negative if less is better.
    weight: float

    def __post_init__(self) -> None:
        """Refuse a weight that is not a finite number. Raises `InputError`."""
        _check_number(f"reward {self.metric}: weight", self.weight)


@dataclass(frozen=True)
class Task:
    """An environment: a scenario, the agent's actions, and its reward.

    Rewards of an episode add up to the weighted metrics of the whole episode times its number of steps: the reward of
    step t is t x M(t) - (t - 1) x M(t - 1), with M(t) the weighted sum of the metrics from the end of the warm-up to
    the end of step t. A metric without a value (no session has ended) counts as 0.
    """

    title: str
    scenario: str
    #: Parameters of the scenario.
    parameters: Mapping[str, object]
    #: The time between two actions, in s.
    interval: float
    actions: tuple[Action, ...]
    rewards: tuple[Reward, ...]
    #: The rate that observed throughputs are divided by, in bit/s.
    capacity: float
    #: The groups of flows that are observed, each by the beginning of its flows' names.
    groups: tuple[str, ...]
    #: The station whose queue is observed.
    station: str = "ap"

    def __post_init__(self) -> None:
        """Refuse a task without actions, or with an invalid interval or capacity. Raises `InputError`."""
        if not self.actions:
            raise InputError("actions: one at least is needed")
        for name, number, unit in (("interval", self.interval, "s"), ("capacity", self.capacity, "bit/s")):
            _check_number(name, number)
            if number <= 0:
                raise InputError(f"{name} = {number!r}: a number of {unit} above 0 is needed")
        if self.interval < _LEAST:
            raise InputError(f"interval = {self.interval!r}: {_LEAST:g} s at least is needed")


#: The packaged environments by their ids.
TASKS: dict[str, Task] = {
    "airfair/Hotspot-v0": Task(
        title="The access point limits what stations send, so that downloads and uploads share one hotspot",
        scenario="blefari/hotspot",
        parameters={"policy": "rate_limiter", "up": 10, "duration": "60 s"},
        interval=1.0,
        actions=(Action("limiter", "limiter_rate", 1e6, 5e6, "b/s"),),
        rewards=(
            Reward("jain", 1.0),
            Reward("throughput_total", 1.0 / 4.5e6),
            Reward("sigma_over_mean_up", -1.0),
        ),
        capacity=4.5e6,
        groups=("up", "down"),
    ),
    "airfair/Delay-v0": Task(
        title="The access point chooses the target of its PIE queue, so that packets wait little on a busy air",
        scenario="blefari/hotspot",
        parameters={"policy": "pie", "up": 10, "duration": "60 s"},
        interval=1.0,
        actions=(Action("target", "node.ap.queue.target", 5, 500, "ms"),),
        rewards=(Reward("throughput_total", 1.0 / 4.5e6), Reward("ap_queue_delay_mean", -1.0 / 0.1)),
        capacity=4.5e6,
        groups=("up", "down"),
    ),
    "airfair/Waking-v0": Task(
        title="All senders bound their windows, so that stations that wake up get their share at once",
        scenario="jung/mixed",
        parameters={"stations": 8, "window": 64, "duration": "60 s"},
        interval=2.0,
        actions=(Action("window", "window", 2, 64, scale="whole"),),
        rewards=(Reward("instantaneous_fairness_acked", 1.0), Reward("throughput_total", 1.0 / 5e6)),
        capacity=5e6,
        groups=("flow",),
    ),
    "airfair/Home-v0": Task(
        title="Devices of a home choose their contention windows (CWmin), so that calls stay good beside cameras",
        scenario="wifi/home",
        parameters={"duration": "20 s"},
        interval=1.0,
        actions=(
            Action("cameras", "wlan.home.station.camera.edca.be.cw_min", 3, 10, scale="power"),
            Action("sensors", "wlan.home.station.sensor.edca.be.cw_min", 2, 8, scale="power"),
            Action("callers", "wlan.home.station.caller.edca.be.cw_min", 2, 8, scale="power"),
        ),
        rewards=(Reward("voice_mos_mean", 1.0 / 4.5), Reward("throughput_cameras", 1.0 / 100e6)),
        capacity=300e6,
        groups=("call", "camera", "download", "sensor"),
    ),
}
