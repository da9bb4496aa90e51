"""Handling Ctrl-C, SIGTERM and SIGHUP during work that ends by itself."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: Signals that end the work at once: SIGTERM, which `kill` and schedulers send, and SIGHUP, when a terminal closes.
ENDING = tuple(signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(SystemExit):
    """SIGTERM or SIGHUP has ended the work."""


@contextmanager
def ending() -> Iterator[None]:
    """While the block runs, raise `Terminated` on a signal of `ENDING`, so that enclosing blocks clean up."""

    def end(cause: signal.Signals) -> None:
        raise Terminated(128 + cause)

    with hearing(end, *ENDING):
        yield


@contextmanager
def hearing(heard: Callable[[signal.Signals], None], *numbers: signal.Signals) -> Iterator[None]:
    """Call `heard` on these signals while the block runs. Only the main thread receives signals.

    A program that uses AirFair as a library and handles SIGTERM itself keeps its handler, and a command that `nohup`
    starts goes on without its terminal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(number: int, _frame: FrameType | None) -> None:
        heard(signal.Signals(number))

    ours = [n for n in numbers if n not in ENDING or signal.getsignal(n) is signal.SIG_DFL]
    before = {number: signal.signal(number, on_signal) for number in ours}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
