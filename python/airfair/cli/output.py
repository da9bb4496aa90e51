"""Standard output whose errors say that it is standard output, and standard error that never fails."""

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Silent(io.FileIO):
    """A file that drops what cannot be written. Used for stderr: its own errors could not be reported anywhere."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write some of the data."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Named(io.FileIO):
    """A file whose errors name standard output: by themselves, errors of a write carry no file name."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write some of the data."""
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard output") from None


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks by JSON escapes; an error handler for `codecs`."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2)), error.end


codecs.register_error("airfair-escape", _escaped)


def guard_output() -> None:
    """Make errors of standard output name it, and ignore errors of standard error.

    Characters that the stream's encoding lacks, such as `≥` on Windows, are escaped.
    """
    sys.stdout = _written_by(_Named, sys.stdout, sys.__stdout__)
    sys.stderr = _written_by(_Silent, sys.stderr, sys.__stderr__)


def _written_by(kind: type[io.FileIO], old: TextIO, own: TextIO | None) -> TextIO:
    """Reopen the stream `old` on a file of this kind.

    A terminal, which is never full, and a caller's object, which is not the process' `own` stream, stay as they are.
    """
    if old is not own or not isinstance(old, io.TextIOWrapper):
        return old
    old.reconfigure(errors="airfair-escape")
    if old.isatty():
        return old
    file = kind(old.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        file if old.write_through else io.BufferedWriter(file),
        encoding=old.encoding,
        errors=old.errors,
        line_buffering=old.line_buffering,
        write_through=old.write_through,
    )


def end_output() -> None:
    """Discard output that cannot be written: Python would try again at exit, and report the error in its own words."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
