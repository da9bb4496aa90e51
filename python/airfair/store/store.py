"""Outcomes on disk, by the keys of their points."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from airfair import _engine
from airfair.store import segments
from airfair.store.entries import MOST_BYTES, DamagedError, Entry, Origin, TooLargeError, unpacked
from airfair.store.files import Draft, Folder, Growing, locked, settle
from airfair.store.reading import read_bytes, unreadable

__all__ = ["DamagedError", "Entry", "Origin", "Store", "TooLargeError"]

#: Number of bytes of a key.
KEY = 32
#: The files in which earlier versions kept each outcome: `ab/abcd....json.gz`.
_FILE = re.compile(r"(?P<key>[0-9a-f]{64})\.json\.gz")
_FOLDER = re.compile(r"[0-9a-f]{2}")
#: The names that earlier versions gave to unfinished files.
_EARLIER_DRAFT = re.compile(r"(?P<name>[0-9a-f]{64}\.json\.gz)\.\d+-\d+\.tmp")


class Stored(NamedTuple):
    """An entry, or a part of a segment that is damaged."""

    #: The key of the entry; `None` for a damaged part.
    key: str | None
    #: The file, and the place in it, for people.
    where: str
    size: int
    #: Whether it is no regular file, but a link or a directory: it is neither followed nor removed.
    foreign: bool = False


class Store:
    """Outcomes in the segments of `DIR/points`.

    `segments` defines the format of a segment, `entries` that of an outcome in it. A process only appends, to a segment
    of its own, so processes may share a store. An outcome is there once it is written, and survives a power failure
    once it is synced. If several outcomes have one key, the last one counts.

    Files of earlier versions, one for each outcome, are read as well; `migrate` moves them into segments.
    """

    def __init__(self, directory: Path, shared: Store | None = None) -> None:
        """Keep outcomes below `directory`. A `shared` store is read as well, and gets a copy of new outcomes."""
        self.root = directory / "points"
        self.shared = shared
        #: Number of damaged parts that `recover` has removed. The outcomes in them are computed again.
        self.lost = 0
        self._lock = threading.RLock()
        self._top: Folder | None = None
        #: Names of the segments, and for each key the place of its outcome: the index of its segment, and its start
        #: there. Read on first use.
        self._names: list[str] = []
        self._places: _engine.Places | None = None
        #: Names of the folders with files of earlier versions.
        self._folders: frozenset[str] = frozenset()
        #: Name and file of the segment that was read last.
        self._reading: tuple[str, BinaryIO] | None = None
        self._writing: Growing | None = None

    def entry(self, key: str) -> Entry | None:
        """The entry stored under a key, or `None`.

        Raises:
            DamagedError: The entry is damaged.
        """
        contents = self.contents(key)
        return None if contents is None else unpacked(key, contents)

    def contents(self, key: str) -> bytes | None:
        """The packed entry stored under a key, or `None`.

        Raises:
            DamagedError: The entry cannot be read.
        """
        try:
            place = self._index().get(bytes.fromhex(key))
            if place is not None:
                with self._lock:
                    return segments.contents(self._opened(self._names[place[0]]), key, place[1])
            # A packed file is never longer than the largest text that can be packed.
            return read_bytes(self._file(key), MOST_BYTES) if key[:2] in self._folders else None
        except (FileNotFoundError, PermissionError):
            return None
        except OSError as error:
            raise DamagedError(str(error)) from None

    def __contains__(self, key: str) -> bool:
        found = self._index().get(bytes.fromhex(key))
        return found is not None or (key[:2] in self._folders and self._file(key).is_file())

    def __iter__(self) -> Iterator[str]:
        """Yield the keys of all entries in ascending order, including damaged entries."""
        yield from sorted({stored.key for stored in self.each() if stored.key is not None})

    def each(self) -> Iterator[Stored]:
        """Yield every entry that `entry` reads, and every damaged part of a segment."""
        places = self._index()
        for number, name in enumerate(self._names):
            path = self.root / name
            try:
                file = self._opened(name)
                for part in segments.parts(file):
                    key = part.key
                    if not part.torn and (key is None or places.get(bytes.fromhex(key)) == (number, part.start)):
                        yield Stored(key, f"{path}, byte {part.start}", part.end - part.start)
            except OSError:
                with contextlib.suppress(OSError):
                    yield Stored(None, str(path), 0, foreign=not stat.S_ISREG(path.lstat().st_mode))
        for key, path in self._files():
            if places.get(bytes.fromhex(key)) is None:
                with contextlib.suppress(OSError):
                    found = path.lstat()
                    yield Stored(key, str(path), found.st_size, foreign=not stat.S_ISREG(found.st_mode))

    def among(self, keys: bytes) -> list[int]:
        """The indices, ascending, of the keys that may have an entry; `keys` has the keys one after the other."""
        found = set(self._index().among(keys))
        if self._folders:
            found.update(n for n in range(len(keys) // KEY) if keys[n * KEY : n * KEY + 1].hex() in self._folders)
        return sorted(found)

    def append(self, entries: Mapping[str, bytes], *, share: bool = True) -> list[Growing]:
        """Like `add`, for packed outcomes by their keys in hexadecimal digits."""
        return self.add(segments.together(entries.items()), share=share)

    def add(self, entries: segments.Entries, *, share: bool = True) -> list[Growing]:
        """Write packed outcomes here and (`share`) in the shared store. Returns the files to sync.

        Raises:
            InputError: Something other than a directory has the store's name.
            OSError: The outcomes cannot be written.
        """
        with self._lock:
            written = [self._appended(entries)]
        if share and self.shared is not None:
            written += self.shared.add(entries)
        return written

    def _appended(self, entries: segments.Entries) -> Growing:
        places = self._index()
        file, self._writing = self._writing, None  # if this write fails, the segment is never written again
        if file is None or file.size >= segments.LARGEST:
            last = _number(self._names[-1])[0] if self._names else 0
            self._names.append(f"{last + 1:06}-{os.urandom(4).hex()}.segment")
            top = self._folder(make=True)
            assert top is not None
            file = Growing(top, self._names[-1])
        places.set_all(entries.keys, len(self._names) - 1, file.size, entries.lengths)
        file.append(entries.contents)
        self._writing = file
        return file

    def recover(self) -> None:
        """Finish the writes of killed processes, and drop damaged parts."""
        for folder in self._earlier():
            drafts = _drafts(folder)
            settle([draft for draft in drafts if _is_whole(draft)])
            for draft in drafts:
                draft.drop()
            folder.sync()
        self.lost += self._rewrite(lambda key: True)
        if (top := self._folder()) is not None:
            for draft in top.drafts():
                draft.drop()
            self._index()
            for name in self._names:
                top.sync_file(name)
            top.sync()

    def drafts(self) -> list[Draft]:
        """Drafts that killed processes left or others are writing."""
        top = self._folder()
        return [*(top.drafts() if top else ()), *(draft for folder in self._earlier() for draft in _drafts(folder))]

    def remove(self, keys: Iterable[str]) -> None:
        """Remove the outcomes with these keys, and damaged parts."""
        gone = set(keys)
        self._rewrite(lambda key: key not in gone)
        for folder in self._earlier():
            folder.remove(f"{key}.json.gz" for key in gone if key[:2] == folder.path.name)

    def migrate(self) -> int:
        """Move the files of earlier versions into segments; returns their number. Damaged files stay.

        A file is removed after its copy is synced. The copy has the same bytes, so it keeps its model version.
        """
        count = 0
        for folder in self._earlier():
            found: dict[str, bytes] = {}
            for name in folder.names():
                if match := _FILE.fullmatch(name):
                    with contextlib.suppress(DamagedError, OSError):
                        contents = folder.read(name)
                        unpacked(match["key"], contents)
                        found[match["key"]] = contents
            if fresh := [entry for entry in found.items() if self._index().get(bytes.fromhex(entry[0])) is None]:
                self._appended(segments.together(fresh)).sync()
            folder.remove(f"{key}.json.gz" for key in found)
            folder.remove_if_empty()
            count += len(found)
        return count

    def _rewrite(self, keeps: Callable[[str], bool]) -> int:
        """Rewrite segments without damaged parts, and without entries that `keeps` rejects.

        Returns the number of damaged parts, not counting entries that a killed process has not finished.

        A segment that another process is writing is left alone.

        Raises:
            InputError: Something other than a file has the name of a segment.
        """
        damaged = 0
        with self._lock:
            self._index()
            if (top := self._folder()) is None:
                return 0
            for name in self._names:
                top.check(name)
            for name in self._names:
                with contextlib.suppress(OSError), top.open(name) as file:
                    found = list(segments.parts(file))
                    kept = [part for part in found if part.key is not None and keeps(part.key)]
                    if len(kept) == len(found) or not locked(file):
                        continue
                    if kept:
                        top.write(name, b"".join(segments.whole(file, part) for part in kept))
                    else:
                        top.remove([name])
                    damaged += sum(part.key is None and not part.torn for part in found)
            self._places = self._reading = self._writing = None
        return damaged

    def _index(self) -> _engine.Places:
        """The places of all outcomes in segments.

        Raises:
            InputError: This user may not read a segment.
        """
        with self._lock:
            if self._places is None:
                top = self._folder()
                names = top.names() if top else []
                self._names = sorted((name for name in names if segments.NAME.fullmatch(name)), key=_number)
                self._folders = frozenset(filter(_FOLDER.fullmatch, names))
                self._places = _engine.Places()
                for number, name in enumerate(self._names):
                    try:
                        for part in segments.parts(self._opened(name)):
                            if part.key is not None:
                                self._places.set(bytes.fromhex(part.key), number, part.start)
                    except PermissionError as error:  # the results are there, so they must not count as lost
                        self._places = None
                        raise unreadable(self.root / name, error) from None
                    except OSError:
                        continue
            return self._places

    def _opened(self, name: str) -> BinaryIO:
        """Open a segment to read it."""
        top = self._folder()
        if top is None:
            raise FileNotFoundError(name)
        if self._reading is None or self._reading[0] != name:
            self._reading = name, top.open(name)
        return self._reading[1]

    def _folder(self, *, make: bool = False) -> Folder | None:
        """The store's folder; `None` if it does not exist. `make` creates it."""
        if self._top is None:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                self._top = Folder(self.root.parent, make=make).folder(self.root.name, make=make)
        return self._top

    def _earlier(self) -> Iterator[Folder]:
        """Yield the folders with files of earlier versions, in order and without symbolic links."""
        if (top := self._folder()) is None:
            return
        for name in filter(_FOLDER.fullmatch, top.names()):
            with contextlib.suppress(_engine.InputError, OSError):
                yield top.folder(name)

    def _files(self) -> Iterator[tuple[str, Path]]:
        """Yield the key and the path of each file of earlier versions."""
        for folder in self._earlier():
            for name in folder.names():
                if match := _FILE.fullmatch(name):
                    yield match["key"], folder.path / name

    def _file(self, key: str) -> Path:
        """The path that earlier versions gave to an outcome."""
        return self.root / key[:2] / f"{key}.json.gz"


def _number(name: str) -> tuple[int, str]:
    return int(name.partition("-")[0]), name


def _drafts(folder: Folder) -> list[Draft]:
    earlier = ((name, _EARLIER_DRAFT.fullmatch(name)) for name in folder.names())
    return [*folder.drafts(), *(Draft(folder, match["name"], name) for name, match in earlier if match)]


def _is_whole(draft: Draft) -> bool:
    match = _FILE.fullmatch(draft.name)
    try:
        return match is not None and bool(unpacked(match["key"], draft.read()))
    except (DamagedError, OSError, _engine.InputError):
        return False
