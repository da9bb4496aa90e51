"""Outcomes on disk, one file each, named by the point's key."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from airfair import _engine
from airfair.files import unfinished, write_bytes


@dataclass(frozen=True)
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

    def read(self) -> _engine.Outcome:
        """The outcome."""
        return _engine.Outcome.from_json(self.outcome)


class DamagedError(Exception):
    """A file of the store that does not hold what was written. Its points are computed again."""


class Store:
    """Outcomes in `DIR/points/ab/abcd....json.gz`: studies have thousands, and a hundred flows take 50 kB unpacked.

    A file is two lines of JSON, packed: what it is, with a digest of the other line; the outcome. It is written under
    another name and renamed, so a killed process leaves no half of one; what a crash of the machine or a full disk has
    damaged, the digest tells. Processes may share a store: whoever is last writes what is there already.
    """

    def __init__(self, directory: Path, shared: Store | None = None) -> None:
        """Keep the points below `directory`; take from a `shared` store what is not there, and give it what is new."""
        self.root = directory / "points"
        self._shared = shared

    def path(self, key: str) -> Path:
        """Where the outcome of the point with this key lies."""
        return self.root / key[:2] / f"{key}.json.gz"

    def entry(self, key: str) -> Entry | None:
        """What is stored under a key, or `None` where nothing is.

        Raises:
            DamagedError: It is not what was written.
        """
        found = self._own(key)
        if found is None and self._shared is not None and (found := self._shared.entry(key)):
            self._write(found)
        return found

    def _own(self, key: str) -> Entry | None:
        try:
            packed = self.path(key).read_bytes()
        except OSError:
            return None
        try:
            head, outcome, end = gzip.decompress(packed).decode().split("\n")
            facts = json.loads(head)
            if end or facts["key"] != key or facts["sha256"] != _digest(outcome):
                raise DamagedError(str(self.path(key)))
            return Entry(key, facts["model_version"], Origin(**facts["origin"]), outcome)
        except (EOFError, OSError, zlib.error, ValueError, KeyError, TypeError):
            raise DamagedError(str(self.path(key))) from None

    def put(self, key: str, outcome: _engine.Outcome, origin: Origin) -> None:
        """Save an outcome; whole or not at all."""
        entry = Entry(key, _engine.MODEL_VERSION, origin, outcome.to_json())
        self._write(entry)
        if self._shared is not None:
            self._shared._write(entry)

    def _write(self, entry: Entry) -> None:
        facts = {
            "key": entry.key,
            "model_version": entry.model_version,
            "origin": asdict(entry.origin),
            "sha256": _digest(entry.outcome),
        }
        contents = f"{json.dumps(facts)}\n{entry.outcome}\n"
        path = self.path(entry.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, gzip.compress(contents.encode(), compresslevel=3, mtime=0))

    def __iter__(self) -> Iterator[str]:
        """The keys of all files, damaged ones too, in order."""
        for folder in sorted(self.root.glob("??")):
            for path in sorted(folder.glob("*.json.gz")):
                yield path.name.removesuffix(".json.gz")

    def unfinished(self) -> list[Path]:
        """What killed processes left, or is being written."""
        return [path for folder in sorted(self.root.glob("??")) for path in unfinished(folder)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
