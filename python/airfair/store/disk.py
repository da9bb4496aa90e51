"""The system calls that change a disk, and those that make a change survive a power failure.

All writes of AirFair go through one `Disk`. Tests replace it by a `Disk` that records the calls, and replay them.
"""

from __future__ import annotations

import os
import sys

#: Whether files can be named relative to an open directory; Windows needs paths.
RELATIVE = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
#: The flag of `os.open` that refuses symbolic links; 0 on systems that lack it.
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Disk:
    """The system's disk. `name` is relative to the open directory `at`, or a path if `at` is `None`."""

    def create(self, name: str, at: int | None, contents: bytes) -> None:
        """Write a new file, without a sync."""
        _write(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS | _BINARY, 0o666, dir_fd=at), contents)

    def append(self, name: str, at: int | None, contents: bytes) -> None:
        """Write at the end of a file, without a sync."""
        _write(os.open(name, os.O_WRONLY | os.O_APPEND | NO_LINKS | _BINARY, dir_fd=at), contents)

    def sync(self, name: str, at: int | None) -> None:
        """Sync a file's contents."""
        handle = os.open(name, os.O_RDWR | NO_LINKS | _BINARY, dir_fd=at)
        try:
            _flush(handle)
        finally:
            os.close(handle)

    def sync_names(self, handle: int) -> None:
        """Sync the names in an open directory."""
        _flush(handle)

    def rename(self, old: str, new: str, at: int | None) -> None:
        """Rename a file within its directory, replacing a file of that name."""
        os.replace(old, new, src_dir_fd=at, dst_dir_fd=at)

    def remove(self, name: str, at: int | None) -> None:
        """Remove a file."""
        os.unlink(name, dir_fd=at)

    def make(self, name: str, at: int | None) -> None:
        """Make a directory."""
        os.mkdir(name, dir_fd=at)

    def unmake(self, name: str, at: int | None) -> None:
        """Remove an empty directory."""
        os.rmdir(name, dir_fd=at)


def _write(handle: int, contents: bytes) -> None:
    """Write to an open file and close it."""
    with os.fdopen(handle, "wb", buffering=0) as file:
        rest = memoryview(contents)
        while rest:
            rest = rest[file.write(rest) :]


def _flush(handle: int) -> None:
    if sys.platform == "darwin":  # there fsync(2) does not flush the drive's cache; F_FULLFSYNC does
        import fcntl

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fsync(handle)
