"""Parquet files that grow, made without any other library."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from airfair import _engine

if TYPE_CHECKING:
    from airfair._engine import Table

#: Number of rows in a row group.
_GROUP = 65_536


class GrowingTable:
    """A Parquet file that grows. It has no name: a killed process leaves nothing behind.

    Its bytes depend on the rows alone, not on the tables that they came in.
    """

    def __init__(self, folder: Path, like: Table) -> None:
        """Begin a file with the columns of `like`, on the disk of a folder."""
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it is open until the table ends
        self._writer = _engine.ParquetWriter(like, _GROUP)

    def append(self, rows: Table) -> None:
        """Add rows. Raises `OSError` if the disk is full."""
        self._file.write(self._writer.write(rows))

    def finish(self, facts: Mapping[str, str]) -> BinaryIO:
        """The whole file, with facts in its metadata."""
        self._file.write(self._writer.finish([*with_version(facts).items()]))
        self._file.seek(0)
        return self._file


def with_version(facts: Mapping[str, str]) -> dict[str, str]:
    """Facts for a file's metadata, and the version that writes it."""
    return {"airfair": _engine.__version__, **facts}
