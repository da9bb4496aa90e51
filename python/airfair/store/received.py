"""Tables in an untrusted directory, which count only if the directory's record confirms them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from airfair._engine import InputError
from airfair.store.files import Folder
from airfair.store.reading import MOST_BYTES, digest, json_of
from airfair.store.record import Record

if TYPE_CHECKING:
    import polars


def intact(directory: Path, name: str) -> bool:
    """Whether a file exists and matches the record. This is not a signature: who can write both can forge both."""
    try:
        found = digest(directory / name, MOST_BYTES)
        return Record.of(Folder(directory)).has(name, found) is True
    except OSError:
        return False


def facts(path: Path) -> dict[str, str]:
    """The metadata of a table; empty if it cannot be read."""
    if not path.is_file():
        return {}
    import polars

    try:
        return polars.read_parquet_metadata(path)
    except (Exception, polars.exceptions.PanicException):  # Polars raises many kinds for damaged files
        return {}


def strings(facts: Mapping[str, str], key: str) -> tuple[str, ...]:
    """The list of texts under a key of the metadata. Raises `ValueError` if the value is not such a list."""
    found = json_of(facts.get(key, "null"))
    if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
        raise ValueError(f"{key} is not a list of texts")
    return tuple(found)


def texts(facts: Mapping[str, str], key: str) -> dict[str, str]:
    """The texts by name under a key of the metadata. Raises `ValueError` if the value is not such a mapping."""
    found = json_of(facts.get(key, "null"))
    if not isinstance(found, dict) or not all(isinstance(entry, str) for entry in found.values()):
        raise ValueError(f"{key} is not a table of texts")
    return found


def rows(file: Path) -> int:
    """The number of rows of a table."""
    import polars

    return int(polars.scan_parquet(file).select(polars.len()).collect().item())


def frame(directory: Path, name: str, again: str) -> polars.DataFrame:
    """Read a table that only the command `again` can make anew.

    Raises:
        InputError: The table is damaged.
    """
    import polars

    file = directory / name
    if not intact(directory, name):
        raise InputError(f"{file} is not as it was written, or AirFair has no record of it; run {again} again")
    try:
        return polars.read_parquet(file, glob=False)
    except (Exception, polars.exceptions.PanicException):
        raise InputError(f"{file} cannot be read as a table; run {again} again") from None
