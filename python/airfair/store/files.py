"""Atomic, durable writes: a file is written whole or not at all, and survives a power failure.

A `Folder` is an open directory. All operations are relative to it, so nobody can replace the directory meanwhile, and
no symbolic link below it is followed for writing or removing. Links in the path to it are followed: people use them to
keep results on other disks.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO, BinaryIO, NamedTuple, TypeAlias

from airfair._engine import InputError
from airfair.store.disk import NO_LINKS, RELATIVE, Disk
from airfair.store.reading import MOST_BYTES, opened, read_bytes, unreadable

try:
    import fcntl
except ImportError:  # Windows has no such lock.
    fcntl = None  # type: ignore[assignment]

#: The disk that all writes go through.
disk = Disk()

#: The name of an unfinished file: its final name, the process, a random number. Nothing else has such a name, so
#: leftovers of killed processes can be removed.
_UNFINISHED = re.compile(r"(?P<name>.+)\.\d+-[0-9a-f]{8}\.airfair\.tmp")
#: Characters that are not allowed in a file's name; `\` and `:` lead elsewhere on Windows.
_NO_NAME = frozenset("/\0" if os.sep == "/" else "/\\:\0")
#: Number of files synced in parallel: file systems with a journal write them to the disk together.
_AT_A_TIME = 4
#: Bytes of a long file that are copied at a time.
_PIECE = 1024 * 1024
#: The lock file for file systems that cannot lock directories.
_INSTEAD = ".manifest.lock"
#: Seconds between attempts to take a lock that another process holds.
_LOOK = 0.02


#: Contents for a file: bytes or, if they are many, an open file that holds them.
Contents: TypeAlias = bytes | BinaryIO


class Folder:
    """An open directory."""

    def __init__(self, path: Path, *, make: bool = False, above: Folder | None = None) -> None:
        """Open a directory; `make` creates it and its parents if needed.

        Raises:
            OSError: The path does not exist, is not a directory, or cannot be read.
        """
        self.path = path
        #: The folder that this one was opened from, if any.
        self.above = above
        if above is not None:
            above._enter(path.name, make=make)
        elif make:
            _make(path)
        self._at: int | None = None
        if RELATIVE:
            links = NO_LINKS if above is not None else 0
            name = path.name if above is not None else path
            self._at = os.open(name, os.O_RDONLY | os.O_DIRECTORY | links, dir_fd=above._at if above else None)
            weakref.finalize(self, os.close, self._at)
        elif not path.is_dir():
            raise NotADirectoryError(20, "Not a directory", str(path))

    @classmethod
    def given(cls, path: Path) -> Folder:
        """Open a directory that a user names, to read it.

        Raises:
            InputError: The directory does not exist, or cannot be read.
        """
        try:
            folder = cls(path)
            folder.look("any")  # a directory that lists its names may still refuse access to its files
        except (FileNotFoundError, NotADirectoryError):
            found = "it is a file, and a directory is needed" if path.exists() else "the directory does not exist"
            raise InputError(f"{path}: {found}") from None
        except OSError as error:
            raise unreadable(path, error) from None
        return folder

    def folder(self, name: str, *, make: bool = False) -> Folder:
        """Open a directory in this one.

        Raises:
            InputError: The name is that of a symbolic link, or not of a directory.
            FileNotFoundError: Nothing has the name.
        """
        return Folder(self.path / name, make=make, above=self)

    def upwards(self) -> Iterator[Folder]:
        """Yield this directory and those that it was opened from, which may be new as well."""
        folder: Folder | None = self
        while folder is not None:
            yield folder
            folder = folder.above

    def _enter(self, name: str, *, make: bool) -> None:
        """Create a directory unless it exists."""
        found = self.look(name)
        if found is None and make:
            with contextlib.suppress(FileExistsError), self._told(name):  # another process has created it meanwhile
                disk.make(*self._named(name))
            found = self.look(name)
        if found is not None and not stat.S_ISDIR(found.st_mode):
            raise InputError(f"{self.path / name}: {_kind(found)} is there, and a directory is needed")

    def look(self, name: str) -> os.stat_result | None:
        """The status of a name, without following a link; `None` if nothing has the name."""
        try:
            place, at = self._named(name)
            return os.stat(place, dir_fd=at, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self) -> list[str]:
        """The sorted names in the directory."""
        with os.scandir(self._at if self._at is not None else self.path) as found:
            return sorted(entry.name for entry in found)

    def read(self, name: str) -> bytes:
        """Read a regular file, as `read_bytes` does. A name may contain folders: `figures/a.png`.

        Raises:
            OSError: The file does not exist, is not a regular file, or cannot be read.
        """
        inside, _, rest = name.partition("/")
        if rest:
            return self.folder(inside).read(rest)
        place, at = self._named(name)
        with self._told(name):
            return read_bytes(place, MOST_BYTES, at=at)

    def open(self, name: str) -> BinaryIO:
        """Open a regular file to read it in parts. Raises `OSError` as `read` does."""
        place, at = self._named(name)
        with self._told(name):
            return opened(place, MOST_BYTES, at=at)

    def write(self, name: str, contents: Contents) -> None:
        """Write a file atomically; it is synced when this returns. See `draft` for the exceptions."""
        settle([self.draft(name, contents)])

    def draft(self, name: str, contents: Contents) -> Draft:
        """Write a file under a temporary name; `settle` gives it its final name.

        Raises:
            InputError: Something other than a regular file has the name.
            OSError: The file cannot be written.
        """
        self.check(name)
        other = f"{name}.{os.getpid()}-{os.urandom(4).hex()}.airfair.tmp"
        place, at = self._named(other)
        try:
            with self._told(name):
                pieces = in_pieces(contents)
                disk.create(place, at, next(pieces))
                for piece in pieces:
                    disk.append(place, at, piece)
        except BaseException:
            with contextlib.suppress(OSError):
                disk.remove(place, at)
            raise
        return Draft(self, name, other)

    def drafts(self) -> list[Draft]:
        """The unfinished files in the directory: left by killed processes, or being written by other processes."""
        found = ((name, _UNFINISHED.fullmatch(name)) for name in self.names())
        return [Draft(self, match["name"], name) for name, match in found if match]

    def check(self, name: str) -> None:
        """Raise `InputError` if something other than a regular file has the name."""
        found = self.look(name)
        if found is not None and not stat.S_ISREG(found.st_mode):
            raise InputError(f"{self.path / name}: {_kind(found)} is there; AirFair neither replaces nor follows it")

    def remove(self, names: Iterable[str]) -> None:
        """Remove regular files, as far as they exist.

        Raises:
            InputError: A name is not that of a regular file.
        """
        for name in names:
            self.check(name)
            with contextlib.suppress(FileNotFoundError), self._told(name):
                disk.remove(*self._named(name))
        self.sync()

    def remove_if_empty(self) -> None:
        """Remove the directory itself if it is empty."""
        if self.above is not None:
            with contextlib.suppress(OSError):
                disk.unmake(*self.above._named(self.path.name))

    def sync_file(self, name: str) -> None:
        """Sync the contents of a file."""
        with self._told(name):
            disk.sync(*self._named(name))

    def sync(self) -> None:
        """Sync the names in the directory. Windows has no such call."""
        if self._at is not None:
            with self._told(""):
                disk.sync_names(self._at)

    @contextmanager
    def lock(self, name: str, busy: Callable[[str], str]) -> Iterator[None]:
        """Hold a lock until the block or this process ends.

        The lock is the operating system's (`flock`), so a crash leaves nothing to clear away. `busy` makes the message
        from the process that holds the lock.

        Raises:
            InputError: Another process holds the lock, or its file is not a regular file.
        """
        self.check(name)
        place, at = self._named(name)
        with self._told(name):
            handle = os.open(place, os.O_RDWR | os.O_CREAT | NO_LINKS, 0o666, dir_fd=at)
        with os.fdopen(handle, "r+b", buffering=0) as file:
            if not _locked(handle):
                if not (holder := file.read(64)):
                    time.sleep(_LOOK)  # the process that has just got the lock is about to write its number
                    holder = file.read(64)
                raise InputError(busy(holder.decode() if holder.isdigit() else "unknown"))
            ours = re.fullmatch(rb"\d*", file.read(64)) is not None
            if ours:
                _fill(file, str(os.getpid()))
            yield
            if ours:
                _fill(file, "")

    @contextmanager
    def held(self, wait: float) -> Iterator[None]:
        """Hold a lock on the directory until the block ends; other processes wait for it. Leaves no file behind.

        Raises:
            InputError: Another process has held the lock for `wait` seconds.
        """
        until = time.monotonic() + wait
        try:
            while self._at is not None and not _locked(self._at):
                if time.monotonic() >= until:
                    raise InputError(f"{self.path}: another airfair has been writing there for {wait:g} s")
                time.sleep(_LOOK)
        except OSError:  # some network file systems lock files, not directories
            with self.lock(
                _INSTEAD, lambda holder: f"{self.path}: another airfair (process {holder}) is writing there"
            ):
                yield
            return
        try:
            yield
        finally:
            if self._at is not None and fcntl is not None:
                fcntl.flock(self._at, fcntl.LOCK_UN)

    def _named(self, name: str) -> tuple[str, int | None]:
        """A name in the form that system calls need."""
        if not is_name(name):
            raise ValueError(f"{name!r} is not a valid file name")
        return (name, self._at) if self._at is not None else (str(self.path / name), None)

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Put the whole path into errors."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path / name)) from None


class Draft(NamedTuple):
    """A file written under a temporary name."""

    folder: Folder
    name: str
    #: The temporary name.
    other: str

    def read(self) -> bytes:
        """The contents of the file."""
        return self.folder.read(self.other)

    def age(self) -> float:
        """Seconds since the file was written."""
        found = self.folder.look(self.other)
        return 0.0 if found is None else time.time() - found.st_mtime

    def drop(self) -> None:
        """Remove the file."""
        with contextlib.suppress(FileNotFoundError):
            disk.remove(*self.folder._named(self.other))

    def sync(self) -> None:
        """Sync the contents of the file."""
        self.folder.sync_file(self.other)

    def name_it(self) -> None:
        """Rename the file atomically to its final name, replacing a file of that name."""
        with self.folder._told(self.name):
            place, at = self.folder._named(self.name)
            disk.rename(self.folder._named(self.other)[0], place, at)


class Growing:
    """A new file to which only this process appends."""

    def __init__(self, folder: Folder, name: str) -> None:
        """The first `append` creates the file."""
        self._folder = folder
        self._name = name
        self._is_named = False
        #: The open file. Its lock shows other processes that the file is in use.
        self._file: BinaryIO | None = None
        #: Number of bytes written.
        self.size = 0

    def append(self, contents: bytes) -> None:
        """Write at the end of the file, without a sync."""
        with self._folder._told(self._name):
            if self._file is None:
                disk.create(*self._folder._named(self._name), contents)
                self._file = self._folder.open(self._name)
                locked(self._file)
            else:
                disk.append(*self._folder._named(self._name), contents)
        self.size += len(contents)

    def sync(self) -> None:
        """Sync all that was written before the call, and the file's name."""
        self._folder.sync_file(self._name)
        if not self._is_named:
            for folder in self._folder.upwards():
                folder.sync()
            self._is_named = True


def settle(drafts: Sequence[Draft]) -> None:
    """Give drafts their final names; they are synced when this returns.

    A draft gets its name after its contents are synced, so after a power failure a file is the old one or the new one.
    All contents are synced first, then all names: each sync covers many files.
    """
    try:
        _each([draft.sync for draft in drafts])
        for draft in drafts:
            draft.name_it()
    except BaseException:
        for draft in drafts:
            with contextlib.suppress(OSError):
                draft.drop()
        raise
    folders: dict[Path, Folder] = {}
    for draft in drafts:
        folders |= {folder.path: folder for folder in draft.folder.upwards()}
    _each([folder.sync for folder in folders.values()])


def _each(syncs: Sequence[Callable[[], None]]) -> None:
    """Run syncs in parallel, in a few threads."""
    if len(syncs) <= _AT_A_TIME:
        for sync in syncs:
            sync()
        return
    errors: list[BaseException] = []

    def in_turn(share: Sequence[Callable[[], None]]) -> None:
        try:
            for sync in share:
                sync()
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=in_turn, args=(syncs[first::_AT_A_TIME],)) for first in range(_AT_A_TIME)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def is_name(name: str) -> bool:
    """Whether this is a valid name of a file."""
    return name not in ("", ".", "..") and _NO_NAME.isdisjoint(name)


def in_pieces(contents: Contents) -> Iterator[bytes]:
    """Yield the contents for a file in one or more pieces."""
    if isinstance(contents, bytes):
        yield contents
        return
    contents.seek(0)
    yield contents.read(_PIECE)
    while piece := contents.read(_PIECE):
        yield piece


def write_all(folder: Folder, files: Mapping[str, Contents]) -> None:
    """Write files below a folder, each atomically. A name may contain folders: `figures/a.png`."""
    folders = {"": folder}
    drafts: list[Draft] = []
    try:
        for name, contents in files.items():
            inside, _, base = name.rpartition("/")
            if inside not in folders:
                folders[inside] = folder.folder(inside, make=True)
            drafts.append(folders[inside].draft(base, contents))
    except BaseException:
        for draft in drafts:
            draft.drop()
        raise
    settle(drafts)


def write_bytes(path: Path, contents: bytes) -> None:
    """Write a file named by the user atomically. Symbolic links are followed, the last one too."""
    whole = path.resolve()
    Folder(whole.parent).write(whole.name, contents)


def _make(path: Path) -> None:
    """Create a directory and its parents, and sync the new names."""
    missing = [place for place in (path, *path.parents) if not place.exists()]
    for place in reversed(missing):
        with contextlib.suppress(FileExistsError):
            disk.make(str(place), None)
        Folder(place.parent).sync()


def _fill(file: IO[bytes], text: str) -> None:
    file.seek(0)
    file.truncate()
    file.write(text.encode())


def _locked(handle: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def locked(file: BinaryIO) -> bool:
    """Lock an open file until it is closed; `False` if another process has locked it. File systems may lack locks."""
    try:
        return _locked(file.fileno())
    except OSError:
        return True


def _kind(found: os.stat_result) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "a symbolic link"
    if stat.S_ISDIR(found.st_mode):
        return "a directory"
    return "a file" if stat.S_ISREG(found.st_mode) else "a special file"
