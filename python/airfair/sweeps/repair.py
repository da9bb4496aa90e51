"""Finding and restoring damaged files of a sweep's directory outside its store."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from airfair import _engine
from airfair.catalogue.wording import counted
from airfair.store.files import Folder
from airfair.store.output import Output
from airfair.store.record import MANIFEST, Record
from airfair.sweeps import sweep_file
from airfair.sweeps.command import written
from airfair.sweeps.directory import DOCUMENT, TABLES, Directory, Manifest
from airfair.sweeps.plan import plan
from airfair.sweeps.runner import stored
from airfair.sweeps.spec import Sweep


@dataclass(frozen=True)
class Files:
    """The state of the files that the manifest records."""

    #: Number of recorded files; `None` if the manifest is missing, damaged, or an earlier version's without a record.
    recorded: int | None
    #: Names of the damaged and missing files, which may include the manifest itself.
    damaged: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether all recorded files are intact."""
        return not self.damaged and not self.missing


def files(folder: Folder) -> Files:
    """Compare every recorded file with the record."""
    record = Record.of(folder)
    if not record.sound:
        return Files(None, (MANIFEST,) if record.damaged else (), ())
    damaged, missing = [], []
    for name in record.files:
        try:
            if not record.holds(name, folder.read(name)):
                damaged.append(name)
        except FileNotFoundError:
            missing.append(name)
        except (OSError, ValueError):  # a forged record may name anything
            damaged.append(name)
    return Files(len(record.files), tuple(damaged), tuple(missing))


def repair(directory: Directory, output: Output) -> list[str]:
    """Restore files in a directory for which no other command computes; returns a line for each action.

    `sweep.toml` and the manifest's copy of it restore each other; the tables come from the store.
    """
    found = files(output.folder)
    record = Record.of(output.folder)
    if output.folder.look(sweep_file.NAME) is None and directory.copy() is None:
        return _left([*found.damaged, *found.missing])
    told = []
    sweep = _readable(directory)
    if sweep is None:
        text = directory.copy()
        if text is None:
            return ["sweep.toml and manifest.json are both damaged; the command that made the directory continues it"]
        output.publish({sweep_file.NAME: text.encode()})
        told.append(f"{sweep_file.NAME}: restored from {MANIFEST}")
        sweep = directory.sweep()
    asked = plan(sweep)
    manifest = Manifest(output, asked, [])
    if not record.sound:
        manifest.restore()
        told.append(f"{MANIFEST}: restored from {sweep_file.NAME}")
    tables = [f"{name}.parquet" for name in TABLES]
    broken = [name for name in (*tables, DOCUMENT) if name in found.damaged + found.missing or not record.sound]
    ran = stored(asked, directory.path, output.path)
    lost = {f"{table}.parquet": ran.files[table] for table in TABLES if f"{table}.parquet" in broken}
    if DOCUMENT in broken and ran.complete:
        lost[DOCUMENT] = written(ran, output.path)
    if lost:
        manifest.write(lost)
        told += [f"{name}: written again from the store" for name in lost]
    if ran.execution.missing:
        command = shlex.join(["airfair", "sweep", str(directory.path)])
        missing = counted(ran.execution.missing, "run")
        told.append(f"not in the store: {missing}; compute what is missing with: {command}")
    return told + _left([*files(output.folder).damaged, *files(output.folder).missing])


def _readable(directory: Directory) -> Sweep | None:
    try:
        return directory.sweep()
    except _engine.InputError:
        return None


def _left(names: list[str]) -> list[str]:
    return [f"{name}: damaged or missing; the command that wrote it writes it again" for name in names]
