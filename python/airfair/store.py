"""Outcomes on disk, one file each, named by the point's key."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import threading
import zlib
from pathlib import Path

from airfair import _engine


class Store:
    """Outcomes in `DIR/points/ab/abcd....json.gz`: studies have thousands, and a hundred flows take 50 kB unpacked.

    A file is written under another name and renamed, so a killed process leaves no half of one. Each carries a digest
    of its contents: one that a crash of the machine or a full disk has damaged is computed again.
    """

    def __init__(self, directory: Path) -> None:
        """Keep the points below `directory`."""
        self._root = directory / "points"

    def path(self, key: str) -> Path:
        """Where the outcome of the point with this key lies."""
        return self._root / key[:2] / f"{key}.json.gz"

    def get(self, key: str) -> _engine.Outcome | None:
        """The outcome, or `None` where there is none or it is damaged."""
        try:
            document = json.loads(gzip.decompress(self.path(key).read_bytes()))
            if document["key"] != key or document["sha256"] != _digest(document["outcome"]):
                return None
            return _engine.Outcome.from_json(json.dumps(document["outcome"]))
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, _engine.EngineError):
            return None

    def put(self, key: str, outcome: _engine.Outcome) -> None:
        """Save an outcome; whole or not at all."""
        contents = json.loads(outcome.to_json())
        document = {"key": key, "sha256": _digest(contents), "outcome": contents}
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            unfinished.write_bytes(gzip.compress(_canonical(document).encode(), compresslevel=3, mtime=0))
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(value: object) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()
