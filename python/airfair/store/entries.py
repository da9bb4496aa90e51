"""Reading the format of stored outcomes; `Outcome.packed` writes it."""

from __future__ import annotations

import platform
import sys
import zlib
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, NamedTuple

from airfair import _engine
from airfair.store.reading import json_of, sha256

#: Maximum size of an unpacked entry: some two million sessions. Writers and readers enforce it, so that a small file
#: that unpacks to gigabytes cannot fill a reader's memory.
MOST_BYTES = 256 * 1024 * 1024
#: Maximum length of an entry's first line; AirFair's have 250 characters.
_MOST_HEAD = 4096


class DamagedError(Exception):
    """A stored entry is damaged. Its point is computed again."""


class TooLargeError(Exception):
    """An outcome is too large for the store: readers would refuse it."""


class Origin(NamedTuple):
    """When and where a result was computed, which is not part of the result."""

    #: Wall time of the run in seconds.
    seconds: float
    #: The computer's name.
    host: str
    #: The time at which the run ended, in ISO 8601 (UTC).
    finished: str

    @classmethod
    def now(cls, seconds: float, host: str | None = None) -> Origin:
        """The origin of a run that has just ended, by default on this computer."""
        return cls(seconds, host or platform.node(), datetime.now(UTC).isoformat(timespec="milliseconds"))


class Entry(NamedTuple):
    """A stored outcome with its origin."""

    key: str
    model_version: int
    origin: Origin
    outcome: str

    def read(self) -> _engine.Outcome:
        """Read the outcome of the entry.

        Raises:
            DamagedError: The entry is not an outcome.
        """
        try:
            return _engine.Outcome.from_json(self.outcome)
        except _engine.InputError as error:
            raise DamagedError(str(error)) from None


def check_size(size: int) -> None:
    """Raise `TooLargeError` if an outcome of this size before compression is larger than readers accept."""
    if size > MOST_BYTES:
        raise _too_large(size)


def too_large(results: _engine.Results) -> dict[int, TooLargeError]:
    """Return an error for each outcome that is too large, by the index of its result."""
    return {number: _too_large(size) for number, size in results.larger(MOST_BYTES).items()}


def _too_large(size: int) -> TooLargeError:
    return TooLargeError(
        f"its result takes {size:,} bytes and {MOST_BYTES:,} can be stored: "
        "a shorter duration or fewer sessions take less"
    )


def unpacked(key: str, contents: bytes) -> Entry:
    """Unpack the entry stored under `key`.

    Raises:
        DamagedError: The contents are not what `Outcome.packed` wrote for this key.
    """
    try:
        head, _, rest = _inflated(contents).decode().partition("\n")
        outcome, _, end = rest.partition("\n")
        facts = json_of(head) if len(head) <= _MOST_HEAD else None
    except (EOFError, zlib.error, ValueError, RecursionError) as error:
        raise DamagedError(str(error)) from None
    entry = _checked(key, facts, outcome)
    if end or entry is None:
        raise DamagedError("damaged")
    return entry


def _inflated(contents: bytes) -> bytes:
    """Decompress an entry, and check that it is complete and not too large."""
    unpacking = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    found = unpacking.decompress(contents, MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise EOFError("too long")
    if not unpacking.eof or unpacking.unused_data:
        raise EOFError("torn")
    return found


def _checked(key: str, facts: Any, outcome: str) -> Entry | None:
    """The entry, if every value has its type and the digest matches the outcome; else `None`."""
    if not isinstance(facts, dict) or facts.get("key") != key or facts.get("sha256") != _digest(outcome):
        return None
    version, origin = facts.get("model_version"), facts.get("origin")
    if type(version) is not int or not isinstance(origin, dict) or set(origin) != {"seconds", "host", "finished"}:
        return None
    seconds, host, finished = origin["seconds"], origin["host"], origin["finished"]
    # A whole number of JSON may be larger than any float.
    if type(seconds) not in (int, float) or not 0 <= seconds <= sys.float_info.max:
        return None
    if not isinstance(host, str) or not isinstance(finished, str):
        return None
    return Entry(key, version, Origin(float(seconds), host, finished), outcome)


def _digest(text: str) -> str:
    return sha256(BytesIO(text.encode()))
