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
    """A Parquet file that grows. The file has no name, so a killed process leaves nothing behind.

    The bytes of the file depend only on its rows, not on how they were split among calls of `append`.
    """

    def __init__(self, folder: Path, like: Table) -> None:
        """Begin a file with the columns of `like`, on the disk of a folder."""
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it stays open until the table ends
        self._writer = _engine.ParquetWriter(like, _GROUP)

    def append(self, rows: Table) -> None:
        """Add rows. Raises `OSError` if the disk is full."""
        self._file.write(self._writer.write(rows))

    def finish(self, facts: Mapping[str, str]) -> BinaryIO:
        """Finish the file with these facts in its metadata, and return it."""
        self._file.write(self._writer.finish([*with_version(facts).items()]))
        self._file.seek(0)
        return self._file


def with_version(facts: Mapping[str, str]) -> dict[str, str]:
    """Add the version of AirFair to the facts for a file's metadata."""
    return {"airfair": _engine.__version__, **facts}
