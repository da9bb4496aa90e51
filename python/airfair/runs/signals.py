"""Ctrl-C and SIGTERM while something is under way that ends in its own way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def hearing(heard: Callable[[signal.Signals], None], *numbers: signal.Signals) -> Iterator[None]:
    """Call `heard` for these signals while the block runs. Only the main thread gets signals.

    A program that uses AirFair as a library and listens to SIGTERM itself goes on doing so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(number: int, _frame: FrameType | None) -> None:
        heard(signal.Signals(number))

    ours = [n for n in numbers if n != signal.SIGTERM or signal.getsignal(n) is signal.SIG_DFL]
    before = {number: signal.signal(number, on_signal) for number in ours}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
