"""A disk that notes what is done to it, and what a power failure at that moment could leave of it."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from airfair.store.disk import Disk


class KilledError(Exception):
    """What a killed process sees of the disk."""


def opened(handle: int) -> str:
    """The path of an open directory."""
    return str(Path(f"/proc/self/fd/{handle}").readlink())


@dataclass
class File:
    """A file's contents, and those that were synced."""

    contents: bytes
    synced: bytes | None = None


@dataclass
class Names:
    """A directory's names: those that were synced, and the changes since, each of which may be lost."""

    synced: dict[str, object] = field(default_factory=dict)
    changes: list[Callable[[dict[str, object]], None]] = field(default_factory=list)


class Recorder(Disk):
    """Does what it is told below `root`, and notes it. `after` is called after each change and each sync."""

    def __init__(self, root: Path, there: str, after: Callable[["Recorder"], None] = lambda disk: None):
        """`there` is a directory in the root that is there before anything is noted."""
        self.root = root
        self.after = after
        #: After so many steps nothing is done any more, as if the process had been killed.
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
            if names is not None:  # not above the root
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

    def cut(self, target: Path, survives: Callable[[], bool], torn: Callable[[bytes], bytes]) -> None:
        """What is left of the disk: of changes that were not synced those that `survive`, of contents `torn` ones."""
        with self._lock:
            self._left(self.folders[str(self.root)], target, survives, torn)

    def _left(self, folder, target, survives, torn):
        target.mkdir()
        names = dict(folder.synced)
        for change in folder.changes:
            if survives():
                change(names)
        for name, what in names.items():
            if isinstance(what, Names):
                self._left(what, target / name, survives, torn)
            else:
                (target / name).write_bytes(torn(what.contents) if what.synced is None else what.synced)


_CHANCE = random.Random(1)
#: What may become of changes and contents that were not synced.
CUTS = {
    "nothing survives": (lambda: False, lambda contents: b""),
    "names survive, contents are empty": (lambda: True, lambda contents: b""),
    "names survive, contents are halves": (lambda: True, lambda contents: contents[: len(contents) // 2]),
    "names survive, contents are zeros": (lambda: True, lambda contents: bytes(len(contents))),
    "any of them": (lambda: _CHANCE.random() < 0.5, lambda contents: contents),
}
