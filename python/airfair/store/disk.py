"""The system calls that change a disk, and those that make a change survive a power failure.

All of AirFair's writing goes through one `Disk`. A test puts a recording one in its place and replays what it has seen.
"""

from __future__ import annotations

import os
import sys

#: Whether files can be named relative to an open directory. Where they cannot (Windows), paths are used.
RELATIVE = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
#: Flags that exist only where links do.
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Disk:
    """The real one. `name` is relative to the open directory `at`, or a path where there is none."""

    def create(self, name: str, at: int | None, contents: bytes) -> None:
        """Write a file that does not exist yet. Nothing is synced."""
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS | _BINARY, 0o666, dir_fd=at)
        with os.fdopen(handle, "wb", buffering=0) as file:
            rest = memoryview(contents)
            while rest:
                rest = rest[file.write(rest) :]

    def sync(self, name: str, at: int | None) -> None:
        """Have a file's contents on the disk when this returns."""
        handle = os.open(name, os.O_RDWR | NO_LINKS | _BINARY, dir_fd=at)
        try:
            _flush(handle)
        finally:
            os.close(handle)

    def sync_names(self, handle: int) -> None:
        """Have the names in an open directory on the disk when this returns."""
        _flush(handle)

    def rename(self, old: str, new: str, at: int | None) -> None:
        """Give a file another name in the same directory, in place of what has that name."""
        os.replace(old, new, src_dir_fd=at, dst_dir_fd=at)

    def remove(self, name: str, at: int | None) -> None:
        """Remove a file."""
        os.unlink(name, dir_fd=at)

    def make(self, name: str, at: int | None) -> None:
        """Make a directory."""
        os.mkdir(name, dir_fd=at)


def _flush(handle: int) -> None:
    if sys.platform == "darwin":  # fsync(2) there: it does not ask the drive to empty its cache; F_FULLFSYNC does
        import fcntl

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fsync(handle)
