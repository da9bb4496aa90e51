"""The body of `airfair cache`: show, verify, repair and prune a store and the files beside it."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from airfair import _engine, console
from airfair.catalogue.units import quantity
from airfair.catalogue.wording import counted
from airfair.command import Common, answer
from airfair.store.files import Draft, Folder
from airfair.store.output import Output
from airfair.store.received import rows
from airfair.store.store import DamagedError, Store, Stored
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import plan
from airfair.sweeps.recompute import recompute as recompute_points
from airfair.sweeps.recompute import show as show_recomputed
from airfair.sweeps.repair import Files, files
from airfair.sweeps.repair import repair as repair_files

#: Age in seconds from which on a half-written file counts as left behind: no file takes that long to write.
_FORGOTTEN = 3600.0
_FOREIGN = ": it is no file; move it away, as AirFair neither follows nor removes it"


@dataclass
class Contents:
    """What a store holds."""

    #: Number of results by model version.
    files: Counter[int] = field(default_factory=Counter)
    #: Size of these results in byte, by model version.
    sizes: Counter[int] = field(default_factory=Counter)
    #: Damaged entries, and damaged parts of segments.
    damaged: list[Stored] = field(default_factory=list)
    #: Half-written files that are not recent; recent ones may belong to another sweep that writes here.
    unfinished: list[Draft] = field(default_factory=list)
    #: Keys of results of other model versions, which no command of this version reads.
    outdated: list[str] = field(default_factory=list)

    @property
    def removable(self) -> bool:
        """Whether anything damaged can be removed here."""
        return any(not stored.foreign for stored in self.damaged)

    @property
    def useless(self) -> list[str]:
        """Keys of entries that no command can use."""
        return [*(stored.key for stored in self.damaged if stored.key is not None), *self.outdated]


def contents(store: Store, *, whole: bool) -> Contents:
    """Examine every entry of a store; with `whole`, read the outcomes, too."""
    found = Contents(unfinished=[draft for draft in store.drafts() if draft.age() > _FORGOTTEN])
    for stored in store.each():
        if stored.key is None:
            found.damaged.append(stored)
            continue
        try:
            entry = store.entry(stored.key)
            if entry is None:
                continue  # removed meanwhile
            if whole and entry.model_version == _engine.MODEL_VERSION:
                entry.read()
        except (DamagedError, _engine.InputError):
            found.damaged.append(stored)
            continue
        found.files[entry.model_version] += 1
        found.sizes[entry.model_version] += stored.size
        if entry.model_version != _engine.MODEL_VERSION:
            found.outdated.append(stored.key)
    return found


def cache(
    directory: Path,
    common: Common,
    *,
    verify: bool,
    prune: bool,
    repair: bool = False,
    migrate: bool = False,
    recompute: int | None = None,
    engine: str | None = None,
) -> int:
    """Show a store; verify or repair it and the files beside it; remove files that no command can use.

    With `migrate`, first pack the results of earlier versions. With `recompute`, instead run that many stored points
    again, by `engine`, and compare.
    """
    if engine and recompute is None:
        raise _engine.InputError("--engine is for --recompute")
    if recompute is not None:
        if verify or prune or repair or migrate:
            others = "--verify, --repair, --migrate and --prune"
            raise _engine.InputError(f"--recompute changes nothing: give it without {others}")
        return _recompute(directory, common, recompute, engine)
    store = Store(directory)
    Folder.given(directory)
    if not store.root.is_dir():
        again = shlex.join(["airfair", "sweep", str(directory)])
        held = f"; compute what it held with: {again}" if Directory(directory).copy() is not None else ""
        raise _engine.InputError(f"{directory}: it holds no store (no {store.root.name}/){held}")
    migrated = _migrated(directory) if migrate else None
    with console.status(f"reading {directory}"):
        found = contents(store, whole=verify or repair)
    done = _repaired(directory, found) if repair else None
    if prune:
        with Output(directory).computing():
            store.remove(found.useless)
            for draft in found.unfinished:
                draft.drop()
    beside = files(Folder(directory)) if verify or repair else None
    missing = _missing(directory, store, found) if beside is not None and beside.recorded and beside.whole else 0
    removed = len(found.damaged) + len(found.outdated) + len(found.unfinished) if prune else None
    document = _document(found, removed)
    document |= {
        "missing": missing,
        "files": None if beside is None else asdict(beside),
        "repaired": done,
        "migrated": migrated,
    }

    def show() -> None:
        if migrated is not None:
            console.out.print(f"{counted(migrated, 'result')} packed into segments")
        _show(store, found, verify=verify, prune=prune, repair=repair)
        if missing and not repair:
            console.out.line(f"not in the store: {counted(missing, 'result')} that the tables of the sweep have")
            again = shlex.join(["airfair", "sweep", str(directory)])
            console.out.line(f"compute what is missing with: {again}", style="dim")
        if beside is not None:
            _show_files(directory, found, beside, done)

    answer(common, "cache.json", document, show)
    is_whole = (repair or prune or not found.damaged) and (beside is None or beside.whole)
    # Repairing cannot bring results back; it names the command that does.
    is_complete = repair or not missing
    return 0 if (is_whole and is_complete) or not (verify or repair) else 1


def _recompute(directory: Path, common: Common, count: int, engine: str | None) -> int:
    found = recompute_points(directory, count, common.seed, engine)
    answer(common, "cache.json", {"recomputed": asdict(found)}, lambda: show_recomputed(directory, found))
    return 1 if found.different or found.failed else 0


def _migrated(directory: Path) -> int:
    """Pack the results of earlier versions; returns their number."""
    output = Output(directory)
    with output.computing():
        return output.store().migrate()


def _missing(directory: Path, store: Store, found: Contents) -> int:
    """Number of results that a sweep's tables have and its store lacks, because they were pruned or cut off.

    A segment that is cut off does not show this by itself: a killed sweep leaves such a segment, too.
    """
    import polars

    table = Directory(directory).table("results")
    try:
        recorded = rows(table) if table.is_file() else 0
        wanted = plan(Directory(directory).sweep())
    except (OSError, polars.exceptions.PolarsError, _engine.InputError):
        return 0
    seeds = range(wanted.sweep.seed, wanted.sweep.seed + wanted.sweep.seeds)
    places = range(len(wanted.combinations))
    there = sum(len(store.among(wanted.all.keys([place] * len(seeds), seeds))) for place in places)
    return max(0, recorded - there - len(found.outdated))


def _repaired(directory: Path, found: Contents) -> list[str]:
    """Repair the directory; returns a line for each action."""
    output = Output(directory)
    with output.computing():
        store = output.store()
        store.remove(stored.key for stored in found.damaged if stored.key is not None)
        removed = f"{counted(len(found.damaged), 'damaged result')} removed, to be computed again"
        return [*([removed] if found.damaged else []), *repair_files(Directory(directory), output)]


def _document(found: Contents, removed: int | None) -> dict[str, Any]:
    return {
        "model_version": _engine.MODEL_VERSION,
        "versions": [
            {"model_version": version, "results": found.files[version], "bytes": found.sizes[version]}
            for version in sorted(found.files)
        ],
        "damaged": len(found.damaged),
        "unfinished": len(found.unfinished),
        "removed": removed,
    }


def _show_files(directory: Path, found: Contents, beside: Files, done: list[str] | None) -> None:
    """Print the state of the files beside the store."""
    for line in done or ():
        console.out.line(line)
    for what, names in (("damaged", beside.damaged), ("missing", beside.missing)):
        for name in names:
            console.out.line(f"{what}: {directory / name}")
    if beside.recorded and beside.whole:
        console.out.print(f"the {beside.recorded} files beside the store are as they were written")
    if done is None and (found.removable or not beside.whole):
        command = shlex.join(["airfair", "cache", str(directory), "--repair"])
        console.out.line(f"repair with: {command}", style="dim")


def _show(store: Store, found: Contents, *, verify: bool, prune: bool, repair: bool) -> None:
    table = console.table(None, "Model version", "Results", "Size", right=("Results", "Size"))
    for version in sorted(found.files):
        current = " (this one)" if version == _engine.MODEL_VERSION else ""
        table.add_row(f"{version}{current}", str(found.files[version]), quantity(found.sizes[version], "byte", 3))
    console.out.print(table)
    for stored in found.damaged:
        console.out.line(f"damaged: {stored.where}{_FOREIGN if stored.foreign else ''}")
    if verify and not found.damaged:
        console.out.print("every result in the store is as it was written")
    if found.unfinished:
        console.out.print(f"{counted(len(found.unfinished), 'file')} left by killed commands")
    if prune:
        results = counted(len(found.damaged) + len(found.outdated), "result")
        console.out.print(f"{results} and {counted(len(found.unfinished), 'half-written file')} removed")
    elif (found.removable and not repair) or found.outdated or found.unfinished:
        command = shlex.join(["airfair", "cache", str(store.root.parent), "--prune"])
        console.out.line(f"remove them with: {command}", style="dim")
