"""A stored outcome as bytes, and what a file has to be to count as one."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import platform
import zlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from airfair import _engine

#: Bytes that an entry takes at most when it is unpacked: some two million sessions. Writers and readers keep to it, so
#: a small file that unpacks to gigabytes cannot fill the memory of whoever reads it.
MOST_BYTES = 256 * 1024 * 1024
#: Characters of an entry's first line at most; ours have 250.
_MOST_HEAD = 4096


class DamagedError(Exception):
    """A file of the store that does not hold what was written. Its points are computed again."""


class TooLargeError(Exception):
    """An outcome that the store does not take, because no reader would."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a result came to be. Nothing in it decides a result, and no result holds it."""

    #: Wall time of the run in seconds.
    seconds: float
    #: The computer's name.
    host: str
    #: When it was done, in ISO 8601 (UTC).
    finished: str

    @classmethod
    def now(cls, seconds: float, host: str | None = None) -> Origin:
        """A run that has just ended, on this computer unless another is named."""
        return cls(seconds, host or platform.node(), datetime.now(UTC).isoformat(timespec="milliseconds"))


@dataclass(frozen=True)
class Entry:
    """A stored outcome with what is known of it."""

    key: str
    model_version: int
    origin: Origin
    outcome: str

    @classmethod
    def of(cls, key: str, outcome: _engine.Outcome, origin: Origin) -> Entry:
        """A new outcome.

        Raises:
            TooLargeError: No reader would take it.
        """
        text = outcome.to_json()
        size = len(text.encode()) + _MOST_HEAD
        if size > MOST_BYTES:
            raise TooLargeError(
                f"its result takes {size:,} bytes and {MOST_BYTES:,} can be stored: "
                "a shorter duration or fewer sessions take less"
            )
        return cls(key, _engine.MODEL_VERSION, origin, text)

    def read(self) -> _engine.Outcome:
        """The outcome.

        Raises:
            DamagedError: It is none.
        """
        try:
            return _engine.Outcome.from_json(self.outcome)
        except _engine.InputError as error:
            raise DamagedError(str(error)) from None


def packed(entry: Entry) -> bytes:
    """An entry as a file: two lines of JSON, packed. The first tells what it is, the second is the outcome."""
    facts = {
        "key": entry.key,
        "model_version": entry.model_version,
        "origin": asdict(entry.origin),
        "sha256": _digest(entry.outcome),
    }
    contents = f"{json.dumps(facts)}\n{entry.outcome}\n"
    return gzip.compress(contents.encode(), compresslevel=3, mtime=0)


def unpacked(key: str, contents: bytes) -> Entry:
    """The entry in a file that is named by `key`.

    Raises:
        DamagedError: It is not what `packed` wrote for this key.
    """
    try:
        head, _, rest = _inflated(contents).decode().partition("\n")
        outcome, _, end = rest.partition("\n")
        facts = json.loads(head) if len(head) <= _MOST_HEAD else None
    except (EOFError, zlib.error, ValueError, RecursionError) as error:
        raise DamagedError(str(error)) from None
    entry = _checked(key, facts, outcome)
    if end or entry is None:
        raise DamagedError("not what was written")
    return entry


def _inflated(contents: bytes) -> bytes:
    """What was compressed, once it is sure that it is all there and no more than is allowed."""
    unpacking = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    found = unpacking.decompress(contents, MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise EOFError("too long")
    if not unpacking.eof or unpacking.unused_data:
        raise EOFError("torn")
    return found


def _checked(key: str, facts: Any, outcome: str) -> Entry | None:
    """An entry, where every value is of its type and the digest is the outcome's."""
    if not isinstance(facts, dict) or facts.get("key") != key or facts.get("sha256") != _digest(outcome):
        return None
    version, origin = facts.get("model_version"), facts.get("origin")
    if type(version) is not int or not isinstance(origin, dict) or set(origin) != {"seconds", "host", "finished"}:
        return None
    seconds, host, finished = origin["seconds"], origin["host"], origin["finished"]
    if type(seconds) not in (int, float) or not math.isfinite(seconds) or seconds < 0:
        return None
    if not isinstance(host, str) or not isinstance(finished, str):
        return None
    return Entry(key, version, Origin(float(seconds), host, finished), outcome)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
