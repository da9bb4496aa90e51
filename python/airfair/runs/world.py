"""A run that its user drives: `airfair.World`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from airfair import _engine
from airfair.catalogue import warned
from airfair.catalogue.parameters import names_of, overrides
from airfair.runs.arguments import checked, taken
from airfair.runs.control import Controls, controlled
from airfair.runs.loading import ScenarioLike, loaded
from airfair.runs.result import Result
from airfair.runs.settled import settled


class Packet(NamedTuple):
    """A packet that has arrived at an endpoint outside the engine."""

    #: When the packet arrived, in s.
    time: float
    #: Name of the packet's flow.
    flow: str
    #: Whether the packet went to the flow's source, against the direction of the data.
    to_source: bool
    #: Length of the packet in byte, above the link or MAC layer.
    bytes: int
    #: The number that the packet was injected with.
    id: int


class World:
    """A run that its user drives: let it go on to an instant, look, change a setting, go on.

    The same calls at the same instants give the same results, in both engines. Pauses change nothing: a world that
    nobody changes has the results of `airfair.run`.

        world = af.World("blefari/hotspot", seed=1)
        world.run_until(20)
        world.counts()["links"]
        world.set("link.server-ap.rate", "2 Mb/s")
        world.run_until(world.end)
        world.record().metrics

    docs/worlds.md lists the settings that can change, and how each change takes effect.
    """

    @checked
    def __init__(
        self,
        scenario: ScenarioLike,
        /,
        *,
        seed: int = 1,
        traces: str | Iterable[str] = (),
        metrics: str | Iterable[str] = (),
        engine: str | None = None,
        external: str | Iterable[str] = (),
        control: Controls | None = None,
        **parameters: object,
    ) -> None:
        """Start a run at time zero.

        Args:
            scenario: As in `airfair.run`.
            seed: The seed, 0 or more.
            traces: Quantities to record over time, as in `airfair.run`.
            metrics: Metrics to report instead of the scenario's own: a list, one text, or `"all"`.
            engine: `fast`, the default, or `plain`. Both give the same results.
            external: Flows whose two endpoints are outside the engine: `inject` sends their packets, `poll_egress`
                has those that arrive. A list, or one text: `"flow0,flow1"`.
            control: A congestion control in Python, as in `airfair.run`. What it raises comes from `run_until`, as
                `ControlError`; the run has ended then.
            parameters: The scenario's parameters, with units.

        Raises:
            InputError: An unknown scenario, parameter, trace, flow or engine, or a value out of its range.
        """
        ready = controlled(loaded(scenario, parameters, metrics, engine), control)
        warned.tell(warned.texts([ready]))
        self.scenario = settled(ready)
        self._world = _engine.World(self.scenario, seed, names_of(traces), names_of(external))

    @property
    def now(self) -> float:
        """The simulated time at which the run is paused, in s."""
        return self._world.now

    @property
    def end(self) -> float:
        """The end of the run in s, the warm-up included."""
        return self._world.end

    def run_until(self, time: float | str) -> None:
        """Advance the run to `time`, in s since its start, or a text with a unit (`"500 ms"`).

        Everything before `time` happens. The run stops at its end if that is earlier. Ctrl-C interrupts the call within
        a second; call `run_until` with the same time again before anything else.

        Raises:
            InputError: `time` is in the past, or is not a time.
            LimitError: What the run records would fill the memory.
        """
        self._world.run_until(_seconds(time))

    def run_for(self, time: float | str) -> None:
        """Advance the run by `time`, otherwise like `run_until`.

        After Ctrl-C call `run_until` with the instant at which this call would have ended.
        """
        self._world.run_until(self.now + _seconds(time))

    def set(self, name: str, value: object) -> None:
        """Set a parameter, or the setting at a path (`"link.r0-r1.rate"`), from now on.

        Values have units, as in `airfair.run`. Metrics that refer to a setting take its value at the start of the run.

        Raises:
            InputError: There is no such setting, the value is not allowed, or it cannot change while a run goes on.
                Nothing has changed.
        """
        self.change({taken("name", name): value})

    def change(self, settings: Mapping[str, object]) -> None:
        """Change several settings at once, as settings that depend on each other need."""
        self._world.set(overrides(taken("settings", settings)))

    def counts(self) -> dict[str, Any]:
        """Each component's counters since the start of the run: `counts()["flows"]["flow0"]["delivered_bytes"]`.

        `flows`, `links` (one for each direction) and `stations` by name; the counters are columns of a run's tables.
        """
        counts: dict[str, Any] = json.loads(self._world.counts_json())
        return counts

    def inject(self, flow: str, bytes: int, *, id: int = 0, to_source: bool = False) -> None:
        """Send a packet from one end of an external flow to the other, now.

        Args:
            flow: A flow that was named as `external`.
            bytes: Length of the packet above the link or MAC layer, 1 to 65535, and no longer than a frame of
                a WLAN on its way carries.
            id: A number to recognise the packet by, from 0 to 2^64 - 1.
            to_source: Send it from the flow's sink to its source.

        Raises:
            InputError: The flow is not external, or another value is not allowed.
        """
        self._world.inject(taken("flow", flow), taken("bytes", bytes), taken("id", id), taken("to_source", to_source))

    def poll_egress(self) -> list[Packet]:
        """Take the packets that have arrived at external endpoints since the last call, in the order of time."""
        return [Packet(*packet) for packet in self._world.poll_egress()]

    def record(self) -> Result:
        """The results from the end of the warm-up up to now, in the form that `airfair.run` returns.

        Raises:
            InputError: The warm-up is not over.
        """
        return Result(self.scenario, [self._world.outcome()])

    def _repr_html_(self) -> str:
        from airfair.catalogue import notebook

        return notebook.paragraph(repr(self)[1:-1])

    def __repr__(self) -> str:
        return f"<airfair.World {self.scenario.name} at {self.now:g} of {self.end:g} s>"


def _seconds(time: object) -> float:
    """A time in s, as a number or as text with its unit. Raises `InputError` if it is none."""
    given = taken("time", time)
    return _engine.quantity(given, "s") if isinstance(given, str) else float(given)
