"""Files that are written whole or not at all, and directories that one process at a time may write."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from airfair._engine import InputError

try:
    import fcntl
except ImportError:  # Windows: nothing there keeps two processes apart.
    fcntl = None  # type: ignore[assignment]

#: The suffix of files that are being written; what a killed process left of them is never read.
UNFINISHED = ".tmp"


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to, in the directory of `path`, which it replaces once the block has ended well.

    The replacement is one step for whoever reads, and a killed process leaves the old file or the new one.
    """
    other = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{UNFINISHED}")
    try:
        yield other
        other.replace(path)
    except BaseException:
        other.unlink(missing_ok=True)
        raise


def unfinished(directory: Path) -> list[Path]:
    """What killed processes have left right in a directory, or others are writing there."""
    return sorted(directory.glob(f"*{UNFINISHED}"))


def write_bytes(path: Path, contents: bytes) -> None:
    """Write a file, whole or not at all."""
    with whole(path) as other:
        other.write_bytes(contents)


def write_text(path: Path, contents: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    write_bytes(path, contents.encode())


@contextmanager
def sole_writer(directory: Path) -> Iterator[None]:
    """Keep other processes that ask for the same from writing in `directory`, until the block or this process ends.

    The lock is the operating system's (`flock` on `DIR/.lock`), so nothing has to be cleared away after a crash.

    Raises:
        InputError: Another process writes there.
    """
    with (directory / ".lock").open("a+", encoding="utf-8") as lock:
        if fcntl is not None:
            _lock(lock, directory)
        yield


def _lock(lock: IO[str], directory: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        raise InputError(
            f"{directory}: another airfair (process {holder}) is writing there; let it finish, or give another --out"
        ) from None
    lock.seek(0)
    lock.truncate()
    lock.write(str(os.getpid()))
    lock.flush()
