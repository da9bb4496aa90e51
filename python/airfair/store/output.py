"""Output directories: which files a command may write, and a record of those it wrote.

AirFair replaces only files that it has written: those that the directory's `manifest.json` records and, where earlier
versions kept no record, files that it recognises by their contents. Everything else in the directory is left alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from airfair import console
from airfair._engine import InputError
from airfair.store.files import Contents, Folder, is_name, write_all
from airfair.store.recognition import HEAD, NAMES, Writer, capture_writer, mark, writer
from airfair.store.record import MANIFEST, STORE, Record, digest
from airfair.store.store import Store

#: The lock that a command holds while it computes.
_LOCK = ".lock"
#: Seconds to wait while another command replaces files.
_PATIENCE = 30.0
#: Maximum length of a directory's name that spells out the settings of an answer.
_LONGEST = 100
#: The option that names a directory, and the one that names the file of a capture.
_OPTION, _CAPTURE = "--out", "--pcap"
#: Suffixes of files that commands write. A new directory with such a suffix was meant to be a file.
_OF_FILES = frozenset(["csv", "html", "json", "parquet", "pcap", "pcapng", "pdf", "png", "svg", "toml"])
#: Suffixes of captures.
_OF_CAPTURES = frozenset(["pcap", "pcapng"])
#: Suffixes of pictures.
_OF_PICTURES = frozenset(["pdf", "png", "svg"])
#: For each file that marks a directory as a command's answer: the answer's name in messages, and those of its tables
#: that other commands write, too.
_ANSWERS = {
    "sweep.toml": (
        "a sweep",
        frozenset(["results.parquet", "sessions.parquet", "failures.parquet", "timings.parquet"]),
    ),
    "run.json": ("a run", frozenset(["sessions.parquet"])),
    "reproduce.json": ("a study", frozenset(["results.parquet"])),
}
#: The folder of figures.
_FIGURES = "figures"


class Output:
    """A directory that a command writes in."""

    def __init__(self, path: Path, *, force: bool = False, captures: bool = False) -> None:
        """Open an existing directory. `force` allows replacing files that AirFair has not written.

        With `captures`, only captures are written, and they replace only captures of AirFair.
        """
        self.folder = Folder(path)
        self._captures = captures
        self._force = force
        self._granted: set[str] = set()
        self._computes = False

    @classmethod
    def made(
        cls,
        path: Path,
        names: Iterable[str] = (),
        *,
        force: bool = False,
        cache: Path | None = None,
        captures: bool = False,
    ) -> Output:
        """Open a directory, creating it if needed, after checking that these files can be written in it.

        Creates a directory for the `cache`, too, or neither of the two.

        Raises:
            InputError: A directory or a file cannot be written.
        """
        names = list(names)
        option = _CAPTURE if captures else _OPTION
        places = {option: path, **({"--cache": cache} if cache else {})}
        for named, place in [*places.items(), *((option, path / name) for name in names)]:
            _check_encoding(named, place)
        for named, place in places.items():
            with _writing(named, place):
                _try_to_write(named, place)
        for named, place in places.items():
            with _writing(named, place):
                Folder(place, make=True)
        output = cls(path, force=force, captures=captures)
        record = Record.of(output.folder)
        output.claim(names, record)
        output._check_answer(names, output._known(record))
        return output

    @property
    def path(self) -> Path:
        """The path of the directory."""
        return self.folder.path

    def claim(self, names: Iterable[str], record: Record) -> None:
        """Make sure that files of these names may be written; `record` is the directory's.

        Raises:
            InputError: AirFair has not written an existing file of such a name, or something other than a file has it.
        """
        foreign = [name for name in names if name not in self._granted and not self._may_write(name, record)]
        if not foreign:
            return
        listed = ", ".join(foreign)
        if not self._force:
            if self._captures:
                raise InputError(
                    f"{_CAPTURE} {self.path / listed}: it is no capture that AirFair has written; give another name, "
                    "or replace it with --force"
                )
            raise InputError(
                f"{self.path}: {listed}: AirFair has not written {(them := 'it' if len(foreign) == 1 else 'them')}; "
                f"give another {_OPTION}, or replace {them} with --force"
            )
        console.err.line(f"--force: replacing in {self.path}: {listed}")
        self._granted.update(foreign)

    def _check_answer(self, names: Iterable[str], record: Record) -> None:
        """Refuse to replace tables of another command's answer, whose other files would stay."""
        if self._force or any(file in names and file in record.files for file in _ANSWERS):
            return
        for file, (answer, tables) in _ANSWERS.items():
            if file in record.files and (lost := ", ".join(sorted(tables.intersection(names, record.files)))):
                raise InputError(
                    f"{self.path}: it holds {answer}, whose {lost} this would replace; "
                    f"give another {_OPTION}, or add --force"
                )

    def keep_other_answer(self, there: Sequence[str], here: Sequence[str]) -> None:
        """Refuse to replace an answer by that to another question, unless `force` was given; then say so.

        `there` and `here` are what the two answers are to, such as `duration=30 s`.

        Raises:
            InputError: The answers differ, and the one that is there stays.
        """
        one, other = ({word.replace(" ", ""): word for word in words} for words in (there, here))
        if one.keys() == other.keys():
            return
        only_there, only_here = (
            ", ".join(word for short, word in words.items() if short not in others) or "nothing more"
            for words, others in ((one, other), (other, one))
        )
        told = f"{self.path} holds the answer to another question: there {only_there}, here {only_here}"
        if not self._force:
            raise InputError(f"{told}; give another {_OPTION}, or replace it with --force")
        console.err.line(f"--force: {told}")

    def publish(self, files: Mapping[str, Contents], facts: Mapping[str, Any] | None = None) -> None:
        """Write files atomically and record them; they are synced when this returns.

        Adds `facts` to the manifest. A name may contain folders: `figures/a.png`. A `manifest.json` that is not
        AirFair's and was not claimed is left alone, and nothing is recorded.

        Raises:
            InputError: As `claim` raises it.
            OSError: The files cannot be written.
        """
        marked = {
            name: mark(name, contents) if isinstance(contents, bytes) else contents for name, contents in files.items()
        }
        with self.folder.held(_PATIENCE):
            record = Record.of(self.folder)
            self.claim(marked, record)
            record = self._known(record)
            self._clear({*marked, *record.files, MANIFEST})
            if self._records(record, marked):
                after = record.with_files(marked, {**record.facts, **(facts or {})})
                write_all(self.folder, {MANIFEST: after.contents()})
            write_all(self.folder, marked)

    def _records(self, record: Record, files: Mapping[str, Contents]) -> bool:
        """Whether to record files: if a record exists, a command computes, or contents do not show who wrote a file."""
        if record.foreign and MANIFEST not in self._granted:
            return False
        there = record.sound and self.folder.look(MANIFEST) is not None
        return there or self._computes or any(not _is_marked(*file) for file in files.items())

    def discard(self, names: Iterable[str]) -> None:
        """Remove files of these names that AirFair wrote and nobody has changed since."""
        with self.folder.held(_PATIENCE):
            record = self._known(Record.of(self.folder))
            gone = set()
            for name in names:
                with contextlib.suppress(OSError):
                    if record.holds(name, self.folder.read(name)):
                        self.folder.remove([name])
                        gone.add(name)
            if gone:
                write_all(self.folder, {MANIFEST: record.without(gone).contents()})

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Keep other commands from computing for this directory while the block runs.

        Raises:
            InputError: Another command is computing.
        """

        def busy(holder: str) -> str:
            ours = holder == str(os.getpid())
            who = "another thread of this process" if ours else f"another airfair (process {holder})"
            writing = f"{self.path}: {who} is writing there"
            return f"{writing}; let it finish, or give another --out"

        with self.folder.lock(_LOCK, busy):
            self._computes = True
            yield

    def store(self, shared: Store | None = None) -> Store:
        """Open the store of outcomes, and finish the writes of killed commands. To be called inside `computing`."""
        store = Store(self.path, shared)
        store.recover()
        return store

    def _clear(self, names: set[str]) -> None:
        """Remove half-written files of these names that killed commands left."""
        for prefix in {name.rpartition("/")[0] for name in names}:
            with contextlib.suppress(FileNotFoundError):
                folder = self.folder.folder(prefix) if prefix else self.folder
                for draft in folder.drafts():
                    if (f"{prefix}/{draft.name}" if prefix else draft.name) in names:
                        draft.drop()

    def _known(self, record: Record) -> Record:
        """The record; without one, a record of the files recognised by their contents."""
        if record.sound or record.foreign:
            return record
        there = dict(self._recognised(self.folder, NAMES))
        with contextlib.suppress(OSError, InputError):
            figures = self.folder.folder(_FIGURES)
            there |= {f"{_FIGURES}/{name}": contents for name, contents in self._recognised(figures, figures.names())}
        return Record().with_files(there, record.facts)

    def _recognised(self, folder: Folder, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The files of these names that an earlier version wrote."""
        for name in names:
            if name != MANIFEST and folder.look(name) is not None:
                with contextlib.suppress(OSError):
                    contents = folder.read(name)
                    if self._recognises(name, contents):
                        yield name, contents

    def _may_write(self, name: str, record: Record) -> bool:
        inside, _, base = name.rpartition("/")
        folder = self.folder
        if inside:
            if folder.look(inside) is None:
                return True
            folder = folder.folder(inside)
        found = folder.look(base)
        if found is None:
            return True
        folder.check(base)
        if self._captures:
            return _capture_writer(folder, base) is Writer.AIRFAIR
        if name in record.files:
            return True
        if name == MANIFEST:
            return not record.foreign
        capture = _capture_writer(folder, base)
        if capture is not None:  # a capture may be too long to be read whole
            return capture is Writer.AIRFAIR
        contents = folder.read(base)
        if record.sound:
            return writer(base, contents) is Writer.AIRFAIR
        return self._recognises(base, contents)

    def _recognises(self, name: str, contents: bytes) -> bool:
        """Whether AirFair wrote a file, judged by its contents or, if they are unclear, by the directory."""
        found = writer(name, contents)
        return found is Writer.AIRFAIR or (found is Writer.UNCLEAR and self._is_older())

    def _is_older(self) -> bool:
        """Whether an earlier version wrote here: the directory has a store or a command's document."""
        if self.folder.look(STORE) is not None:
            return True
        for name in NAMES:
            if name.endswith((".json", ".toml")) and self.folder.look(name) is not None:
                with contextlib.suppress(OSError):
                    if writer(name, self.folder.read(name)) is Writer.AIRFAIR:
                        return True
        return False


@contextmanager
def computing(out: str | os.PathLike[str] | None) -> Iterator[Store | None]:
    """Open the store of a directory, locked against other commands while the block runs; `None` without a directory.

    Raises:
        InputError: Another command is computing there, or the directory is not writable.
    """
    if out is None:
        yield None
        return
    output = Output.made(Path(out))
    with output.computing():
        yield output.store()


def place_for(base: Path, kind: str, asked: Sequence[str]) -> Path:
    """The default directory for an answer: `base` or, if that holds another answer, a directory beside it.

    `asked` are the settings of the answer; `publish` records them in the manifest, under `kind`.
    """
    try:
        there = Record.of(Folder(base)).facts.get(kind)
    except OSError:
        return base  # it does not exist
    return base if there == list(asked) else beside(base, asked)


def beside(base: Path, asked: Sequence[str]) -> Path:
    """The directory beside `base` whose name spells out these settings; `base` itself without settings."""
    told = ",".join([base.name, *asked]).replace(" ", "")
    name = re.sub(r"[^\w.,=+-]+", "-", told)
    if name != told or len(name) > _LONGEST:
        name = f"{name[:_LONGEST]}-{digest(told.encode())[:8]}"
    return base.with_name(name)


def _capture_writer(folder: Folder, name: str) -> Writer | None:
    """The writer of a capture of frames; `None` for another file."""
    with folder.open(name) as file:
        return capture_writer(file.read(HEAD))


def _is_marked(name: str, contents: Contents) -> bool:
    """Whether the contents show that AirFair wrote a file. Contents in an open file are tables, which do."""
    return not isinstance(contents, bytes) or writer(name, contents) is Writer.AIRFAIR


def check_name(directory: Path) -> None:
    """Raise `InputError` if the directory that `--out` names does not exist and its name has the suffix of a file."""
    kind = directory.suffix.removeprefix(".").lower()
    if kind in _OF_FILES and not os.path.lexists(directory):
        hint = f"; `airfair plot` and `airfair timeline` write such files with --format {kind}" * (kind in _OF_PICTURES)
        raise InputError(f"{_OPTION} {directory}: a directory is needed, and this is the name of a file{hint}")


def check_capture(file: Path) -> None:
    """Raise `InputError` if a capture cannot have this path, for instance because other results have its suffix."""
    if str(file) == "-":
        raise InputError(f"{_CAPTURE} -: a file is needed; standard output has the metrics")
    if not is_name(file.name):
        raise InputError(f"{_CAPTURE} {file}: it is a directory, and a file is needed")
    kind = file.suffix.removeprefix(".").lower()
    if kind in ("gz", "zst"):
        raise InputError(f"{_CAPTURE} {file}: a capture is not compressed; its name ends in .pcapng")
    if kind in _OF_FILES - _OF_CAPTURES:
        raise InputError(f"{_CAPTURE} {file}: results of other kinds end in .{kind}; a capture's name ends in .pcapng")


def _check_encoding(option: str, path: Path) -> None:
    """Raise `InputError` for a name that neither the record nor the libraries that read tables can hold."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(f"{option} {path}: not valid UTF-8, which names of results must be") from None


@contextmanager
def _writing(option: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{option} {path}: cannot write there: {error.strerror or error}") from None


def _try_to_write(option: str, directory: Path) -> None:
    """Try to write in `directory` or, if it does not exist, in its nearest existing parent."""
    nearest = next(place for place in (directory, *directory.parents) if os.path.lexists(place))
    if nearest == directory and not directory.is_dir():
        found = "it is a file" if directory.exists() else "it is a link that leads nowhere"
        raise InputError(f"{option} {directory}: {found}, and a directory is needed")
    with tempfile.TemporaryFile(dir=nearest):
        pass
