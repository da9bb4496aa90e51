"""Reading untrusted files: only regular files, of a bounded size."""

from __future__ import annotations

import errno
import json
import os
import stat
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any

from airfair._engine import InputError

#: Maximum size of a file in a directory of results; tables of ten million runs are smaller.
MOST_BYTES = 16 * 1024**3
#: Maximum size of a text that describes results (a sweep's file, a manifest); the largest have some MB.
MOST_TEXT = 64 * 1024 * 1024


def read_bytes(path: Path | str, most: int, *, follow: bool = False, at: int | None = None) -> bytes:
    """Read a file, whose path is relative to the open directory `at` if that is given.

    Symbolic links are followed only if `follow` is set, so that a received directory cannot expose other files of this
    computer. Never blocks on a pipe or a device.

    Raises:
        OSError: The file does not exist, is not a regular file, cannot be read, or is longer than `most` bytes.
    """
    with opened(path, most, follow=follow, at=at) as file:
        return file.read()


def read_text(path: Path, *, follow: bool = False) -> str:
    """Read a text in UTF-8. Raises `OSError` as `read_bytes` does, and `ValueError` if it is not UTF-8."""
    return read_bytes(path, MOST_TEXT, follow=follow).decode()


def json_of(text: str | bytes) -> Any:
    """Read untrusted JSON.

    Raises:
        ValueError: It is not JSON, or has half of a surrogate pair (`"\\ud800"`), which no UTF-8 can hold.
        RecursionError: It is nested too deeply.
    """
    found = json.loads(text)
    if (b"\\u" in text) if isinstance(text, bytes) else ("\\u" in text):
        json.dumps(found, ensure_ascii=False).encode()
    return found


def reason(error: Exception) -> str:
    """The reason why a file cannot be read, without the path of the file."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return (isinstance(error, OSError) and error.strerror) or str(error)


def unreadable(path: Path, error: Exception) -> InputError:
    """The error for a user who names a file or a directory that cannot be read."""
    return InputError(f"{path}: it cannot be read: {reason(error)}")


def digest(path: Path, most: int) -> str:
    """SHA-256 of a file, read in pieces. Raises `OSError` as `read_bytes` does."""
    with opened(path, most) as file:
        return sha256(file)


def sha256(file: BufferedReader | BytesIO) -> str:
    """SHA-256 of an open file, from the current position to the end."""
    import hashlib  # it loads a large library, and most commands need no digest

    return hashlib.file_digest(file, "sha256").hexdigest()


def opened(path: Path | str, most: int, *, follow: bool = False, at: int | None = None) -> BufferedReader:
    """Open a file to read it. Raises `OSError` as `read_bytes` does."""
    # O_NONBLOCK and O_NOFOLLOW exist on POSIX systems, O_BINARY on Windows.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags, dir_fd=at)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "a symbolic link, which is not followed here", str(path)) from None
        raise
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if found.st_size > most:
        os.close(handle)
        raise OSError(errno.EFBIG, f"{found.st_size:,} bytes, and at most {most:,} are read", str(path))
    return os.fdopen(handle, "rb")
