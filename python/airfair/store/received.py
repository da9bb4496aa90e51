"""Tables in a directory that may be anybody's: believed where its record says that they are as they were written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import polars

from airfair._engine import InputError
from airfair.store.files import Folder
from airfair.store.reading import MOST_BYTES, digest
from airfair.store.record import Record


def intact(directory: Path, name: str) -> bool:
    """Whether a file is there and is as AirFair wrote it. No signature: whoever writes both can forge both."""
    try:
        found = digest(directory / name, MOST_BYTES)
        return Record.of(Folder(directory)).has(name, found) is True
    except OSError:
        return False


def facts(path: Path) -> dict[str, str]:
    """What a table says of itself; nothing where it cannot be read."""
    try:
        return polars.read_parquet_metadata(path)
    except (Exception, polars.exceptions.PanicException):  # of damaged files Polars says all kinds of things
        return {}


def strings(facts: Mapping[str, str], key: str) -> tuple[str, ...]:
    """A list of texts among the facts. Raises `ValueError` where it is none."""
    found = json.loads(facts.get(key, "null"))
    if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
        raise ValueError(f"{key} is no list of texts")
    return tuple(found)


def texts(facts: Mapping[str, str], key: str) -> dict[str, str]:
    """Texts by name among the facts. Raises `ValueError` where there are none."""
    found = json.loads(facts.get(key, "null"))
    if not isinstance(found, dict) or not all(isinstance(entry, str) for entry in found.values()):
        raise ValueError(f"{key} is no table of texts")
    return found


def frame(directory: Path, name: str, again: str) -> polars.DataFrame:
    """A table that cannot be made from anything else; `again` is the command that makes it anew.

    Raises:
        InputError: It is damaged.
    """
    file = directory / name
    if not intact(directory, name):
        raise InputError(f"{file} is not as it was written, or AirFair has no record of it; run {again} again")
    try:
        return polars.read_parquet(file, glob=False)
    except (Exception, polars.exceptions.PanicException):
        raise InputError(f"{file} cannot be read as a table; run {again} again") from None
