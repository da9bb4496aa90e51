"""A disk that records all changes, and can simulate a power failure at any of them."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from airfair.store.disk import Disk


class KilledError(Exception):
    """The simulated process has been killed."""


def opened(handle: int) -> str:
    """The path of an open directory."""
    return str(Path(f"/proc/self/fd/{handle}").readlink())


@dataclass
class File:
    """A file's contents now, and at the last sync."""

    contents: bytes
    synced: bytes | None = None


@dataclass
class Names:
    """A directory's names at the last sync, and the changes since then, each of which may be lost."""

    synced: dict[str, object] = field(default_factory=dict)
    changes: list[Callable[[dict[str, object]], None]] = field(default_factory=list)


class Recorder(Disk):
    """Works on the real disk below `root` and records each change. Calls `after` after each change and each sync."""

    def __init__(self, root: Path, there: str, after: Callable[["Recorder"], None] = lambda disk: None):
        """`there` is a directory below `root` that exists before the recording starts."""
        self.root = root
        self.after = after
        #: Number of steps after which all further ones fail, as if the process had been killed; negative: none fails.
        self.life = -1
        inside = Names()
        self.folders: dict[str, Names] = {str(root): Names({there: inside}), str(root / there): inside}
        self.files: dict[str, File] = {}
        self._lock = threading.RLock()

    def _path(self, name, at):
        return name if at is None else f"{opened(at)}/{name}"

    def _names(self, path):
        return self.folders[path.rpartition("/")[0]]

    def _step(self, do):
        with self._lock:
            if self.life == 0:
                raise KilledError
            self.life -= 1
            do()
            self.after(self)

    def create(self, name, at, contents):
        def do():
            super(Recorder, self).create(name, at, contents)
            path = self._path(name, at)
            file = self.files[path] = File(bytes(contents))
            self._names(path).changes.append(lambda names: names.__setitem__(path.rpartition("/")[2], file))

        self._step(do)

    def append(self, name, at, contents):
        def do():
            super(Recorder, self).append(name, at, contents)
            self.files[self._path(name, at)].contents += contents

        self._step(do)

    def sync(self, name, at):
        def do():
            super(Recorder, self).sync(name, at)
            file = self.files[self._path(name, at)]
            file.synced = file.contents

        self._step(do)

    def sync_names(self, handle):
        def do():
            super(Recorder, self).sync_names(handle)
            names = self.folders.get(opened(handle))
            if names is not None:  # None above the root
                for change in names.changes:
                    change(names.synced)
                names.changes.clear()

        self._step(do)

    def rename(self, old, new, at):
        def do():
            super(Recorder, self).rename(old, new, at)
            source, target = self._path(old, at), self._path(new, at)
            file = self.files[target] = self.files.pop(source)
            before, after = source.rpartition("/")[2], target.rpartition("/")[2]

            def change(names):
                names.pop(before, None)
                names[after] = file

            self._names(target).changes.append(change)

        self._step(do)

    def remove(self, name, at):
        def do():
            super(Recorder, self).remove(name, at)
            path = self._path(name, at)
            self.files.pop(path, None)
            self._names(path).changes.append(lambda names: names.pop(path.rpartition("/")[2], None))

        self._step(do)

    def make(self, name, at):
        def do():
            super(Recorder, self).make(name, at)
            path = self._path(name, at)
            folder = self.folders[path] = Names()
            self._names(path).changes.append(lambda names: names.__setitem__(path.rpartition("/")[2], folder))

        self._step(do)

    def unmake(self, name, at):
        def do():
            super(Recorder, self).unmake(name, at)
            path = self._path(name, at)
            self.folders.pop(path)
            self._names(path).changes.append(lambda names: names.pop(path.rpartition("/")[2], None))

        self._step(do)

    def cut(self, target: Path, survives: Callable[[], bool], torn: Callable[[bytes], bytes]) -> None:
        """Write the disk after a power failure: `survives` decides on unsynced changes, `torn` on unsynced contents."""
        with self._lock:
            self._left(self.folders[str(self.root)], target, survives, torn)

    def _left(self, folder, target, survives, torn):
        target.mkdir()
        names = dict(folder.synced)
        for change in folder.changes:
            if survives():
                change(names)
        for name, entry in names.items():
            if isinstance(entry, Names):
                self._left(entry, target / name, survives, torn)
            else:
                synced = entry.synced or b""
                (target / name).write_bytes(synced + torn(entry.contents[len(synced) :]))


_CHANCE = random.Random(1)
#: By name, what happens to unsynced changes and contents in a power failure.
CUTS = {
    "nothing survives": (lambda: False, lambda contents: b""),
    "names survive, contents are empty": (lambda: True, lambda contents: b""),
    "names survive, contents are halves": (lambda: True, lambda contents: contents[: len(contents) // 2]),
    "names survive, contents are zeros": (lambda: True, lambda contents: bytes(len(contents))),
    "any of them": (lambda: _CHANCE.random() < 0.5, lambda contents: contents),
}
