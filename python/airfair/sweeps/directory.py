"""A sweep's directory: its store, its tables, and their origin."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import platform
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from airfair import _engine
from airfair.catalogue.parameters import EXACT, shown
from airfair.runs.workers import default_jobs
from airfair.store import received
from airfair.store.files import Folder
from airfair.store.output import Output
from airfair.store.reading import unreadable
from airfair.store.record import MANIFEST, Record
from airfair.store.store import Store
from airfair.sweeps import sweep_file
from airfair.sweeps.difference import differences
from airfair.sweeps.grid import grid
from airfair.sweeps.plan import Plan, described, recipe
from airfair.sweeps.recipe import Checked, Recipe, check
from airfair.sweeps.spec import Sweep

#: The tables, each in DIR/NAME.parquet.
TABLES = ("results", "sessions", "failures", "timings")
#: Key of the manifest's copy of `sweep.toml`.
_COPY = "sweep_file"
#: Name of the file that describes the results.
DOCUMENT = "sweep.json"
#: The files that `airfair sweep` writes in its directory, beside the store.
FILES = (sweep_file.NAME, MANIFEST, *(f"{table}.parquet" for table in TABLES), DOCUMENT)
#: Other commands whose directories look like a sweep's, each with a hint on what reads its directories.
_OTHERS = {
    "run": "which `airfair plot` and `airfair diff` read",
    "reproduce": "which `airfair plot` and `airfair diff` read; its page is report.html",
    "optimize": "its page is optimum.html",
}


@dataclass(frozen=True)
class Directory:
    """The directory of a sweep: `sweep.toml`, `manifest.json`, `points/`, and a Parquet file for each table."""

    path: Path
    #: A store shared with other directories, to reuse outcomes from and to copy new ones to.
    cache: Path | None = None
    #: The output to write through; `None` if the directory is only read.
    output: Output | None = None

    def table(self, name: str) -> Path:
        """The path of a table's file."""
        return self.path / f"{name}.parquet"

    def sweep(self) -> Sweep:
        """Read the sweep that the directory holds.

        Raises:
            InputError: The directory has no sweep, or its files are damaged.
        """
        file = self.path / sweep_file.NAME
        folder = Folder.given(self.path)
        folder.check(sweep_file.NAME)
        try:
            contents = folder.read(sweep_file.NAME)
        except PermissionError as error:
            raise unreadable(file, error) from None
        except OSError:
            contents = None
        record = Record.of(folder)
        repair = shlex.join(["airfair", "cache", str(self.path), "--repair"])
        if contents is None and _COPY in record.facts:
            raise _engine.InputError(f"{file} is missing; restore it with: {repair}")
        if contents is None:
            held = (name for name in _OTHERS if folder.look(f"{name}.json") is not None)
            found = "".join(f"; it has what `airfair {name}` wrote, {_OTHERS[name]}" for name in held)
            raise _engine.InputError(f"{self.path}: it holds no sweep (no {sweep_file.NAME}){found}")
        if record.holds(sweep_file.NAME, contents) is False:
            raise _engine.InputError(f"{file} is torn or was changed by hand; restore it with: {repair}")
        try:
            return sweep_file.parse(contents.decode(), file)
        except (_engine.InputError, ValueError) as error:
            again = "the command that made this directory continues it"
            raise _engine.InputError(f"{file} is torn or was changed by hand; {again} ({error})") from None

    @contextmanager
    def opened(self, wanted: Plan, command: Sequence[str]) -> Iterator[tuple[Store, Manifest]]:
        """Lock the directory for this sweep while the block runs.

        Raises:
            InputError: The directory holds another scenario's results, or another process is computing there.
        """
        output = self.output or Output(self.path)
        self._check(wanted)
        with output.computing():
            self._check(wanted)
            store = output.store(Store(self.cache) if self.cache else None)
            manifest = Manifest(output, wanted, command)
            manifest.start()
            yield store, manifest

    def _check(self, wanted: Plan) -> None:
        """Raise `InputError` if the directory holds results of another scenario."""
        held = self._held()
        if held is not None and (difference := _difference(held, wanted)):
            if held.name != wanted.sweep.name:
                difference = f"this is one of {wanted.sweep.name}"
            raise _engine.InputError(f"{self.path} holds a sweep of {held.name}: {difference}; give another --out")

    def _held(self) -> Sweep | None:
        """The sweep that the directory holds, or `None` if that is unknown."""
        try:
            return self.sweep()
        except _engine.InputError:
            copy = self.copy()
        try:
            return None if copy is None else sweep_file.parse(copy, self.path / sweep_file.NAME)
        except _engine.InputError:
            return None

    def copy(self) -> str | None:
        """The manifest's copy of `sweep.toml`; `None` without an intact manifest."""
        copy = Record.of(Folder(self.path)).facts.get(_COPY)
        return copy if isinstance(copy, str) else None

    def earlier(self) -> tuple[tuple[str, ...], int]:
        """The metrics that the directory's results have, and the number of their runs; 0 if no command recorded it."""
        facts = Record.of(Folder(self.path)).facts
        return self._metrics(facts), _runs(facts)

    def _metrics(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        with contextlib.suppress(ValueError, RecursionError):
            # Manifests of earlier versions do not list them.
            known = (
                {"metrics": json.dumps(facts["metrics"])}
                if "metrics" in facts
                else received.facts(self.table("results"))
            )
            return received.strings(known, "metrics")
        return ()

    def facts(self, table: str) -> dict[str, str] | None:
        """The metadata of a table, if its file is intact and complete for the directory's sweep; else `None`."""
        if not received.intact(self.path, self.table(table).name):
            return None
        facts = received.facts(self.table(table))
        whole = facts.get("complete") == "true" and facts.get("sweep") == digest(self.sweep())
        return facts if whole else None


def _runs(facts: Mapping[str, Any]) -> int:
    """The number of runs in the tables, as the last command that ended recorded it."""
    commands = facts.get("commands")
    for command in reversed(commands) if isinstance(commands, list) else ():
        found = [command.get(key) for key in ("computed", "reused")] if isinstance(command, dict) else []
        numbers = [number for number in found if isinstance(number, int)]
        if len(numbers) == 2:
            return sum(numbers)
    return 0


def digest(sweep: Sweep) -> str:
    """A digest that identifies a sweep."""
    return hashlib.sha256(sweep_file.render(sweep).encode()).hexdigest()


def _difference(held: Sweep, wanted: Plan) -> str:
    """The reason why two sweeps cannot share a directory; empty if they can.

    Parameters that no axis varies must have the same values. If the scenario file has changed, it must still give the
    same results at every point that the directory holds.
    """
    if held == wanted.sweep:
        return ""
    combinations = ((at, check(recipe(held, at))) for at in grid(held))
    accepted = ((at, found) for at, found in combinations if isinstance(found, Checked))
    first = next(accepted, None)
    if first is None:
        return "this version of AirFair accepts none of its points"
    ours, theirs = first[1].parameters, wanted.combinations[0].parameters
    for name in sorted(set(ours) & set(wanted.fixed) - set(held.over)):
        if ours[name]["value"] != theirs[name]["value"]:
            there, here = (shown(found[name]["value"], found[name]["unit"], EXACT) for found in (ours, theirs))
            return f"there {name} is {there}, here it is {here}"
    if held.text == wanted.sweep.text:
        return ""
    for at, found in itertools.chain([first], accepted):
        try:
            now = Recipe(wanted.sweep.text, wanted.sweep.name, found.recipe.overrides).load()
        except _engine.InputError as error:
            return f"the scenario has changed: {error}"
        if now.key(held.seed) != found.key(held.seed):
            what = "; ".join(differences(held.text, wanted.sweep.text)) or "a part of it"
            return f"its model has changed, and gives other results at {described(at) or held.name}: {what}"
    return ""


class Manifest:
    """The versions, computers and commands that made the results, and a copy of the sweep."""

    def __init__(self, output: Output, plan: Plan, command: Sequence[str]) -> None:
        """Prepare the manifest for a command that computes a sweep."""
        self.output = output
        self.plan = plan
        self.command = command
        earlier = Record.of(output.folder).facts.get("commands")
        self._earlier = earlier if isinstance(earlier, list) else []
        self._started = _now()

    def start(self) -> None:
        """Record the start of a command."""
        text = sweep_file.render(self.plan.sweep)
        self.output.publish({sweep_file.NAME: text.encode()}, self._facts({"finished": None}))

    def write(self, files: Mapping[str, BinaryIO]) -> None:
        """Write these files, and record them in the manifest."""
        self.output.publish(files)

    def finish(self, **facts: Any) -> None:
        """Record the end of the command, with facts on it. The end of a killed command is missing."""
        self.output.publish({}, self._facts({"finished": _now(), **facts}))

    def restore(self) -> None:
        """Write the manifest and the sweep file without a run."""
        text = sweep_file.render(self.plan.sweep)
        facts = self._facts({}) | {"commands": self._earlier}
        self.output.publish({sweep_file.NAME: text.encode()}, facts)

    def _facts(self, outcome: Mapping[str, Any]) -> dict[str, Any]:
        this = {
            "command": list(self.command),
            "started": self._started,
            **outcome,
            "airfair": _engine.__version__,
            "model_version": _engine.MODEL_VERSION,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()}",
            "machine": platform.machine(),
            "cores": default_jobs(),
        }
        return {**self._of_sweep, "commands": [*self._earlier, this]}

    @cached_property
    def _of_sweep(self) -> dict[str, Any]:
        """The facts on the sweep, which do not change while the command runs."""
        sweep = self.plan.sweep
        first = self.plan.combinations[0].parameters
        return {
            "scenario": sweep.name,
            "sweep": digest(sweep),
            "parameters": {name: first[name] for name in self.plan.fixed},
            "axes": {
                name: {"unit": first[name]["unit"], "values": self.plan.all.distinct(name)} for name in self.plan.axes
            },
            "seeds": {
                "first": sweep.seed,
                "number": sweep.seeds,
                "until_ci": sweep.until._asdict() if sweep.until else None,
            },
            "metrics": list(self.plan.metrics),
            "warnings": self.plan.warnings,
            "combinations": len(self.plan.combinations) + len(self.plan.refused),
            _COPY: sweep_file.render(sweep),
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def command_line() -> list[str]:
    """The arguments of this program, with its name instead of its path."""
    return [Path(sys.argv[0]).name, *sys.argv[1:]]
