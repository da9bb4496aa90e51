"""`manifest.json` of an output directory: the names that AirFair has written there, each with its size and SHA-256."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airfair._engine import indented
from airfair.store.files import Contents, Folder, in_pieces, is_name
from airfair.store.reading import json_of
from airfair.store.recognition import Writer, writer

MANIFEST = "manifest.json"
#: Name of the folder of a store.
STORE = "points"
#: Keys that only manifests with a record of files have.
_OURS = frozenset({"files", "sha256", "sweep_file"})


@dataclass(frozen=True)
class Record:
    """The contents of a manifest.

    An entry of `files` is `{"bytes", "sha256"}`, and `"was"`: the SHA-256 of the file that it replaces. A manifest is
    written before the files it names, so after a crash in between both the old and the new files are valid.
    """

    #: All entries of the manifest but `files` and its own digest.
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Whether a manifest with a record of files exists and is intact.
    sound: bool = False
    #: Whether the manifest is torn or has been changed; then nothing in it counts.
    damaged: bool = False
    #: Whether `manifest.json` is not AirFair's; then no record is kept.
    foreign: bool = False

    @classmethod
    def of(cls, folder: Folder) -> Record:
        """Read the record of a directory. Manifests of earlier versions have facts and no files."""
        try:
            contents = folder.read(MANIFEST)
        except OSError:
            return cls()
        try:
            document = json_of(contents)
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
        """Whether a file matches the record; `None` if the record does not list it."""
        return self.has(name, digest(contents))

    def has(self, name: str, found: str) -> bool | None:
        """Like `holds`, for the SHA-256 of a file's contents."""
        entry = self.files.get(name)
        return None if entry is None else found in (entry["sha256"], entry.get("was"))

    def with_files(self, files: Mapping[str, Contents], facts: Mapping[str, Any]) -> Record:
        """The record after writing these files, with these facts."""
        entries = {name: dict(entry) for name, entry in self.files.items()}
        for name, contents in files.items():
            before = entries.get(name)
            entries[name] = _entry(contents)
            if before is not None and before["sha256"] != entries[name]["sha256"]:
                entries[name]["was"] = before["sha256"]
        return Record(facts, entries, sound=True)

    def without(self, names: set[str]) -> Record:
        """The record after removing these files."""
        return Record(self.facts, {name: entry for name, entry in self.files.items() if name not in names}, sound=True)

    def contents(self) -> bytes:
        """The contents of the manifest's file."""
        facts = {"schema_version": 1, **self.facts}
        files = {name: self.files[name] for name in sorted(self.files)}
        document = {**facts, "files": files, "sha256": _digest(facts, files)}
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        return (indented(text) + "\n").encode()


def _is_sweep(folder: Folder) -> bool:
    """Whether the directory is a sweep's, judged by its other files; the manifest is the first file written."""
    store, name = folder.look(STORE), "sweep.toml"
    if store is None or not stat.S_ISDIR(store.st_mode):
        return False
    try:
        return writer(name, folder.read(name)) is Writer.AIRFAIR
    except OSError:
        return False


def _entry(contents: Contents) -> dict[str, Any]:
    found, size = hashlib.sha256(), 0
    for piece in in_pieces(contents):
        found.update(piece)
        size += len(piece)
    return {"bytes": size, "sha256": found.hexdigest()}


def digest(contents: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(contents).hexdigest()


def _is_record(files: object) -> bool:
    """Whether `files` has the form that `with_files` makes: a manifest is untrusted."""
    return isinstance(files, dict) and all(
        all(map(is_name, name.split("/")))
        and isinstance(entry, dict)
        and isinstance(entry.get("bytes"), int)
        and isinstance(entry.get("sha256"), str)
        for name, entry in files.items()
    )


def _digest(facts: Mapping[str, Any], files: object) -> str:
    """The digest of a manifest without the digest itself."""
    return digest(json.dumps([facts, files], sort_keys=True).encode())
