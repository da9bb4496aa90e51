"""`airfair cache`: what a store holds, whether it is sound, and what of it can go."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airfair import _engine, console
from airfair.commands import Common, answer
from airfair.files import sole_writer
from airfair.store import DamagedError, Store
from airfair.units import quantity

#: No file takes so many seconds to write.
_FORGOTTEN = 3600.0


@dataclass
class Contents:
    """What is in a store."""

    #: Files and bytes by the version of the models that made them.
    files: Counter[int] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    damaged: list[Path] = field(default_factory=list)
    #: Half written, and not a moment ago: another directory's sweep may write here.
    unfinished: list[Path] = field(default_factory=list)
    #: Of other versions of the models: no command of this version reads them.
    outdated: list[Path] = field(default_factory=list)


def contents(store: Store, *, whole: bool) -> Contents:
    """Look at every file; `whole` reads outcomes as well."""
    found = Contents(unfinished=[path for path in store.unfinished() if _forgotten(path)])
    for key in store:
        path = store.path(key)
        try:
            entry = store.entry(key)
            if entry is None:
                continue  # removed meanwhile
            if whole and entry.model_version == _engine.MODEL_VERSION:
                entry.read()
        except (DamagedError, _engine.InputError):
            found.damaged.append(path)
            continue
        found.files[entry.model_version] += 1
        found.sizes[entry.model_version] += path.stat().st_size
        if entry.model_version != _engine.MODEL_VERSION:
            found.outdated.append(path)
    return found


def _forgotten(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _FORGOTTEN
    except FileNotFoundError:
        return False


def cache(directory: Path, common: Common, *, verify: bool, prune: bool) -> int:
    """Show a store; verify it; remove what no command can use."""
    store = Store(directory)
    if not store.root.is_dir():
        raise _engine.InputError(f"{directory}: there is no store in it (no {store.root.name}/)")
    with console.status(f"reading {directory}"):
        found = contents(store, whole=verify)
    removed: list[Path] = []
    if prune:
        with sole_writer(directory):
            removed = [*found.damaged, *found.outdated, *found.unfinished]
            for path in removed:
                path.unlink(missing_ok=True)
    document = _document(found, len(removed) if prune else None)
    answer(common, "cache.json", document, lambda: _show(directory, found, removed, verify=verify, prune=prune))
    return 1 if verify and found.damaged and not prune else 0


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


def _show(directory: Path, found: Contents, removed: list[Path], *, verify: bool, prune: bool) -> None:
    table = console.table(None, "Model version", "Results", "Size", right=("Results", "Size"))
    for version in sorted(found.files):
        current = " (this one)" if version == _engine.MODEL_VERSION else ""
        table.add_row(f"{version}{current}", str(found.files[version]), quantity(found.sizes[version], "byte", 3))
    console.out.print(table)
    for path in found.damaged:
        console.out.print(f"damaged: {path}", soft_wrap=True)
    if verify and not found.damaged:
        console.out.print("every file is as it was written")
    if found.unfinished:
        console.out.print(f"{len(found.unfinished)} files left by killed commands")
    if prune:
        console.out.print(f"{len(removed)} files removed")
    elif found.damaged or found.outdated or found.unfinished:
        command = shlex.join(["airfair", "cache", str(directory), "--prune"])
        console.out.print(f"remove what no command can use with: {command}", style="dim", soft_wrap=True)
