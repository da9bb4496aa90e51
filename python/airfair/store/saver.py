"""Syncing outcomes in batches, in a thread, so that neither workers nor the collector wait for the disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from airfair.store.files import Growing
from airfair.store.segments import Entries
from airfair.store.store import Store

#: Seconds that an outcome waits for others to share its sync.
_WINDOW = 0.5
#: Seconds after which saving another outcome blocks, so that at most a second of work is unsynced.
_OLDEST = 0.8


@dataclass(frozen=True)
class _Waiting:
    """Outcomes that are written and not yet synced."""

    count: int
    files: list[Growing]
    since: float


class Saver:
    """Saves the outcomes of one execution."""

    def __init__(self, store: Store, saved: Callable[[int], None], failed: Callable[[BaseException], None]) -> None:
        """Save in a store. Calls `saved` with the number of outcomes of each sync, and `failed` with an error that ends
        the execution.
        """
        self._store = store
        self._saved = saved
        self._failed = failed
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._under_way: list[_Waiting] = []
        self._closing = False
        self._broken = False
        self._thread: threading.Thread | None = None

    def put(self, entries: Entries, *, share: bool = True) -> None:
        """Write packed outcomes, to be synced soon. Blocks only if the disk does not keep up.

        Raises:
            InputError, OSError: As `Store.add` raises them.
        """
        if not entries:
            return
        waiting = _Waiting(len(entries), self._store.add(entries, share=share), time.monotonic())
        with self._changed:
            self._waiting.append(waiting)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="airfair-saver", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            self._changed.wait_for(self._keeps_up)

    def close(self) -> None:
        """Sync all outcomes, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _keeps_up(self) -> bool:
        oldest = next(iter([*self._under_way, *self._waiting]), None)
        return self._broken or oldest is None or time.monotonic() - oldest.since < _OLDEST

    def _run(self) -> None:
        try:
            while batch := self._next():
                for file in dict.fromkeys(file for waiting in batch for file in waiting.files):
                    file.sync()
                self._saved(sum(waiting.count for waiting in batch))
        except BaseException as error:
            with self._changed:
                self._broken = True
                self._changed.notify_all()
            self._failed(error)

    def _next(self) -> list[_Waiting]:
        """Wait for the next batch to sync; empty if the saver is closed and everything is synced."""
        with self._changed:
            self._under_way = []
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._closing)
            if self._waiting:
                rest = self._waiting[0].since + _WINDOW - time.monotonic()
                self._changed.wait_for(lambda: self._closing, max(0.0, rest))
            self._under_way, self._waiting = self._waiting, []
            return self._under_way
