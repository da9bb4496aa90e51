"""Standard output whose errors say that it is standard output."""

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Named(io.FileIO):
    """A file whose errors have a name: by itself the operating system's error of a write has none."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write some of the data."""
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard output") from None


def name_output() -> None:
    """Give errors of standard output a name, except of a terminal, which is never full, and of a caller's object."""
    old = sys.stdout
    if old is not sys.__stdout__ or not isinstance(old, io.TextIOWrapper) or old.isatty():
        return
    file = _Named(old.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        file if old.write_through else io.BufferedWriter(file),
        encoding=old.encoding,
        errors=old.errors,
        line_buffering=old.line_buffering,
        write_through=old.write_through,
    )


def end_output() -> None:
    """Forget what cannot be written: at its end Python would try again, and tell of it in its own words."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
