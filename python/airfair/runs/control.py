"""Congestion controls in Python: `airfair.Control`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from airfair import _engine
from airfair._engine import Ack, Loss, Window


class Reduction(NamedTuple):
    """A control's answer to a loss, in segments. The engine raises a threshold below two segments to two."""

    #: The new slow-start threshold.
    ssthresh: float
    #: The new congestion window during fast recovery.
    cwnd: float
    #: The new congestion window if everything outstanding is to be retransmitted; `None`: the scenario's `loss_window`.
    loss_window: float | None = None


class Controlling(Protocol):
    """The methods that a control needs."""

    @abstractmethod
    def on_ack(self, window: Window, ack: Ack) -> None:
        """An ACK acknowledged new data. The control measures, and changes the window if `ack.may_grow`."""

    @abstractmethod
    def on_loss(self, window: Window, loss: Loss) -> float | Reduction:
        """A loss was detected: return the new threshold and window. Changes of `window` itself have no effect."""


class Control(Controlling):
    """A congestion control in Python, for trying an idea: a subclass, or any object with these methods.

        class Gentle(af.Control):
            def on_ack(self, window, ack):
                if ack.may_grow:
                    window.open_adding(0.5, ack.acked)

            def on_loss(self, window, loss):
                return loss.base * 7 / 8

        af.run("bench/dumbbell", control=Gentle())

    The methods are those of the engine's own controls (docs/add-a-congestion-control.md). Windows are real numbers of
    segments; times are in s. Each connection has a copy of its own (`copy.deepcopy`). Methods that a class does not
    define cost nothing; each call of the others costs about a microsecond, so a run is many times slower than with a
    control of the engine's.
    """

    def on_open(self, window: Window) -> None:
        """A connection opens with the initial window: the control may set another one, or hold it."""

    def on_duplicate_ack(self, ack: Ack) -> None:
        """A duplicate ACK arrived: the receiver got a later segment. The control measures."""

    def on_mark(self, window: Window, loss: Loss) -> float | Reduction:
        """Answer an ECN mark, once for all data outstanding. Without this method, a mark is answered like a loss."""
        return self.on_loss(window, loss)

    def on_marked(self, bytes: int) -> None:
        """The next ACK of new data reports this many marked bytes."""

    def heeds_marks(self, now: float) -> bool:
        """Whether to answer a mark now. If not, the engine asks again at the next mark."""
        return True

    def on_send(self, now: float, bytes: int) -> None:
        """A segment of `bytes` bytes is sent or retransmitted."""

    def on_undo(self) -> None:
        """The last loss was spurious: window and threshold have been restored. Forget that loss."""

    def on_idle_restart(self) -> None:
        """The retransmission timer fired with nothing outstanding, and the window has been reset. This is no loss."""


#: The methods that a control must have, and those that it may have.
_NEEDED = ("on_ack", "on_loss")
_OPTIONAL = tuple(
    name
    for name, method in vars(Control).items()
    if callable(method) and not name.startswith("_") and name not in _NEEDED
)

#: A control for all TCP flows, or controls by the names of flows.
Controls = Controlling | Mapping[str, Controlling]


def controlled(scenario: _engine.Scenario, control: Controls | None) -> _engine.Scenario:
    """The scenario, run with these controls in Python. Raises `InputError`."""
    if control is None:
        return scenario
    by_flow = control.items() if isinstance(control, Mapping) else [(None, control)]
    for flow, _ in by_flow:
        if not isinstance(flow, str | None):
            raise _engine.InputError(f"control: {flow!r} is no flow: the controls of flows are by their names")
    return scenario.controlled([(flow, one, _methods(one)) for flow, one in by_flow])


def _methods(control: object) -> list[str]:
    """The optional methods that a control defines. Raises `InputError` if it lacks one that it needs."""
    kind = type(control)
    if isinstance(control, type):
        raise _engine.InputError(f"control: {control.__name__} is a class: give an object of it, {control.__name__}()")
    for name in _NEEDED:
        if not callable(getattr(kind, name, None)):
            raise _engine.InputError(f"control: {kind.__name__} has no method `{name}`")
    return [name for name in _OPTIONAL if getattr(kind, name, None) not in (None, getattr(Control, name))]
