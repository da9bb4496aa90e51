"""Outcomes on disk, one file each, named by the point's key."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from airfair import _engine
from airfair.store.entries import MOST_BYTES, DamagedError, Entry, Origin, TooLargeError, unpacked
from airfair.store.files import Draft, Folder, settle
from airfair.store.reading import read_bytes

__all__ = ["DamagedError", "Entry", "Origin", "Store", "TooLargeError"]

#: The names of files in a store.
_FILE = re.compile(r"(?P<key>[0-9a-f]{64})\.json\.gz")
_FOLDER = re.compile(r"[0-9a-f]{2}")
#: The names that earlier versions gave to unfinished files.
_EARLIER_DRAFT = re.compile(r"(?P<name>[0-9a-f]{64}\.json\.gz)\.\d+-\d+\.tmp")


def _most_held() -> int:
    """Maximum number of folders that a store holds open: an eighth of the process's limit of open files."""
    try:
        import resource
    except ImportError:  # Windows, where no folder is held open
        return 256
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 256 if soft == resource.RLIM_INFINITY else max(1, min(256, soft // 8))


_MOST_HELD = _most_held()


class Store:
    """Outcomes in `DIR/points/ab/abcd....json.gz`: studies have thousands, and a hundred flows take 50 kB unpacked.

    `entries` defines the format of a file. A file gets its name after it is synced, so neither a killed process nor a
    power failure leaves half of one; its digest detects damage by the disk. Processes may share a store: they write
    the same bytes.

    Writing has two steps, so that many outcomes share a sync: `draft` writes the file, `settle` syncs and names it.
    """

    def __init__(self, directory: Path, shared: Store | None = None) -> None:
        """Keep outcomes below `directory`. A `shared` store is read as well, and gets a copy of new outcomes."""
        self.root = directory / "points"
        self.shared = shared
        self._top: Folder | None = None
        self._lock = threading.Lock()
        #: Open folders, least recently used first: outcomes go to many folders, and opening costs as much as writing.
        self._folders: dict[str, Folder] = {}

    def path(self, key: str) -> Path:
        """The path of the outcome with this key."""
        return self.root / key[:2] / _name(key)

    def entry(self, key: str) -> Entry | None:
        """The entry stored under a key, or `None`.

        Raises:
            DamagedError: The file is damaged.
        """
        contents = self.contents(key)
        return None if contents is None else unpacked(key, contents)

    def contents(self, key: str) -> bytes | None:
        """The packed entry stored under a key, or `None`.

        Raises:
            DamagedError: The file cannot be read.
        """
        try:
            # A packed file is never longer than the largest text that may be packed.
            return read_bytes(self.path(key), MOST_BYTES)
        except (FileNotFoundError, PermissionError):
            return None
        except OSError as error:
            raise DamagedError(str(error)) from None

    def draft(self, entries: Mapping[str, bytes], *, share: bool = True) -> list[Draft]:
        """Write packed outcomes without their names, here and (`share`) in the shared store.

        Raises:
            InputError: Something other than a regular file or directory has the name.
            OSError: It cannot be written.
        """
        drafts: list[Draft] = []
        try:
            for store in (self, self.shared if share else None):
                if store is not None:
                    for key, contents in entries.items():
                        drafts.append(store._folder(key, make=True).draft(_name(key), contents))
        except BaseException:
            for draft in drafts:
                draft.drop()
            raise
        return drafts

    def recover(self) -> None:
        """Finish the writes of a killed process. No other process may write in this store meanwhile."""
        whole: list[Draft] = []
        folders: list[Folder] = []
        for folder in self._all():
            folders.append(folder)
            for draft in _drafts(folder):
                if _is_whole(draft):
                    whole.append(draft)
                else:
                    draft.drop()
        settle(whole)
        for folder in folders:
            folder.sync()

    def __iter__(self) -> Iterator[str]:
        """The keys of all files, damaged ones too, in order."""
        for folder in sorted(self.root.glob("??")):
            for path in sorted(folder.glob("*.json.gz")):
                if match := _FILE.fullmatch(path.name):
                    yield match["key"]

    def drafts(self) -> list[Draft]:
        """Drafts that killed processes left or others are writing."""
        return [draft for folder in self._all() for draft in _drafts(folder)]

    def remove(self, keys: Iterable[str]) -> None:
        """Remove the outcomes with these keys."""
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                self._folder(key, make=False).remove([_name(key)])

    def _all(self) -> Iterator[Folder]:
        """The folders of the files, in order. Links are left out."""
        try:
            top = self._opened(make=False)
        except (FileNotFoundError, NotADirectoryError):
            return
        for name in top.names():
            if _FOLDER.fullmatch(name):
                with contextlib.suppress(_engine.InputError, OSError):
                    yield top.folder(name)

    def _opened(self, *, make: bool) -> Folder:
        if self._top is None:
            self._top = Folder(self.root.parent, make=make).folder(self.root.name, make=make)
        return self._top

    def _folder(self, key: str, *, make: bool) -> Folder:
        name = key[:2]
        with self._lock:
            folder = self._folders.pop(name, None)
            if folder is None:
                folder = self._opened(make=make).folder(name, make=make)
                while len(self._folders) >= _MOST_HELD:
                    del self._folders[next(iter(self._folders))]
            self._folders[name] = folder
            return folder


def _name(key: str) -> str:
    return f"{key}.json.gz"


def _drafts(folder: Folder) -> list[Draft]:
    earlier = ((name, _EARLIER_DRAFT.fullmatch(name)) for name in folder.names())
    return [*folder.drafts(), *(Draft(folder, match["name"], name) for name, match in earlier if match)]


def _is_whole(draft: Draft) -> bool:
    match = _FILE.fullmatch(draft.name)
    try:
        return match is not None and bool(unpacked(match["key"], draft.read()))
    except (DamagedError, OSError, _engine.InputError):
        return False
