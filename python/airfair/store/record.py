"""`manifest.json` of an output directory: the names that AirFair has written there, each with its size and SHA-256."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airfair.store.files import Folder, is_name
from airfair.store.recognition import Writer, writer

MANIFEST = "manifest.json"
#: What a store is called.
STORE = "points"
#: What only manifests with a record of files have.
_OURS = frozenset({"files", "sha256", "sweep_file"})


@dataclass(frozen=True)
class Record:
    """What a manifest says.

    An entry of `files` is `{"bytes", "sha256"}`, and `"was"`: the SHA-256 of the file that it replaces. A manifest is
    written before the files it names, so after a crash in between the former ones are as sound as the new ones.
    """

    #: Everything in it but the files and its own digest.
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Whether there is a manifest with a record of files, and it is as it was written.
    sound: bool = False
    #: Whether there is one that was torn or changed; nothing in it is believed.
    damaged: bool = False
    #: Whether a file of that name is somebody else's; no record is kept then.
    foreign: bool = False

    @classmethod
    def of(cls, folder: Folder) -> Record:
        """The record of a directory. Manifests of earlier versions have facts and no files."""
        try:
            contents = folder.read(MANIFEST)
        except OSError:
            return cls()
        try:
            document = json.loads(contents)
        except (ValueError, RecursionError):
            foreign = writer(MANIFEST, contents) is Writer.OTHERS and not _is_sweep(folder)
            return cls(foreign=foreign, damaged=not foreign)
        if not isinstance(document, dict) or not (
            document.keys() & _OURS or writer(MANIFEST, contents) is Writer.AIRFAIR
        ):
            return cls(foreign=True)
        if not document.keys() & _OURS:
            return cls(document)
        files = document.pop("files", None)
        if document.pop("sha256", None) != _digest(document, files) or not _is_record(files):
            return cls(damaged=True)
        return cls(document, files, sound=True)

    def holds(self, name: str, contents: bytes) -> bool | None:
        """Whether a file is as it was written; `None` where the record says nothing of it."""
        return self.has(name, digest(contents))

    def has(self, name: str, found: str) -> bool | None:
        """The same by a file's SHA-256."""
        entry = self.files.get(name)
        return None if entry is None else found in (entry["sha256"], entry.get("was"))

    def with_files(self, files: Mapping[str, bytes], facts: Mapping[str, Any]) -> Record:
        """The record once these files are written, and these are the facts."""
        entries = {name: dict(entry) for name, entry in self.files.items()}
        for name, contents in files.items():
            before = entries.get(name)
            entries[name] = {"bytes": len(contents), "sha256": digest(contents)}
            if before is not None and before["sha256"] != entries[name]["sha256"]:
                entries[name]["was"] = before["sha256"]
        return Record(facts, entries, sound=True)

    def without(self, names: set[str]) -> Record:
        """The record once these files are gone."""
        return Record(self.facts, {name: entry for name, entry in self.files.items() if name not in names}, sound=True)

    def contents(self) -> bytes:
        """The manifest."""
        facts = {"schema_version": 1, **self.facts}
        files = {name: self.files[name] for name in sorted(self.files)}
        document = {**facts, "files": files, "sha256": _digest(facts, files)}
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _is_sweep(folder: Folder) -> bool:
    """Whether the rest of a directory says that it is a sweep's, whose manifest AirFair writes first of all."""
    store, name = folder.look(STORE), "sweep.toml"
    if store is None or not stat.S_ISDIR(store.st_mode):
        return False
    try:
        return writer(name, folder.read(name)) is Writer.AIRFAIR
    except OSError:
        return False


def digest(contents: bytes) -> str:
    """SHA-256 as text."""
    return hashlib.sha256(contents).hexdigest()


def _is_record(files: object) -> bool:
    """Whether it is what `with_files` makes: a manifest may come from anywhere."""
    return isinstance(files, dict) and all(
        all(map(is_name, name.split("/")))
        and isinstance(entry, dict)
        and isinstance(entry.get("bytes"), int)
        and isinstance(entry.get("sha256"), str)
        for name, entry in files.items()
    )


def _digest(facts: Mapping[str, Any], files: object) -> str:
    """Of all of a manifest but this digest itself."""
    return digest(json.dumps([facts, files], sort_keys=True).encode())
