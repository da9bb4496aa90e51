"""A sweep's directory: its own store, its tables, and what they were made from."""

from __future__ import annotations

import hashlib
import itertools
import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars

from airfair import _engine, console
from airfair.files import sole_writer, unfinished, write_text
from airfair.store import Store
from airfair.sweeps import frames, sweep_file
from airfair.sweeps.plan import Combination, Plan, Recipe, check, combinations_of
from airfair.sweeps.spec import Sweep
from airfair.tables import write
from airfair.workers import default_jobs

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Directory:
    """`DIR/sweep.toml`, `manifest.json`, `points/`, and a Parquet file for each table."""

    path: Path
    #: A store shared with other directories: looked into before anything is computed, and given what is.
    cache: Path | None = None

    @property
    def store(self) -> Store:
        """Where the outcomes are."""
        return Store(self.path, shared=Store(self.cache) if self.cache else None)

    def table(self, name: str) -> Path:
        """The file of a table."""
        return self.path / f"{name}.parquet"

    def sweep(self) -> Sweep:
        """What the directory holds.

        Raises:
            InputError: It is no sweep's directory.
        """
        file = self.path / sweep_file.NAME
        if not file.is_file():
            raise _engine.InputError(f"{self.path}: there is no sweep in it (no {sweep_file.NAME})")
        return sweep_file.read(file)

    @contextmanager
    def opened(self, wanted: Plan) -> Iterator[None]:
        """Have it hold this sweep, and keep other processes from writing there while the block runs.

        Raises:
            InputError: It holds another scenario's results, something else, or another process writes there.
        """
        self._check(wanted)
        with sole_writer(self.path):
            self._check(wanted)
            for left in unfinished(self.path):
                left.unlink(missing_ok=True)
            write_text(self.path / sweep_file.NAME, sweep_file.render(wanted.sweep))
            yield

    def _check(self, wanted: Plan) -> None:
        """Refuse to mix the results of different scenarios."""
        file = self.path / sweep_file.NAME
        if not file.exists():
            return
        if not sweep_file.holds_its_scenario(file):
            raise _engine.InputError(f"{file} was not written by airfair sweep: give another --out")
        held = sweep_file.read(file)
        if difference := _difference(held, wanted):
            if held.name != wanted.sweep.name:
                difference = f"this is one of {wanted.sweep.name}"
            raise _engine.InputError(f"{self.path} holds a sweep of {held.name}: {difference}; give another --out")

    def write(self, wanted: Plan, tables: Mapping[str, polars.DataFrame], facts: Mapping[str, str]) -> None:
        """Write the tables."""
        for name, frame in tables.items():
            write(frame.rechunk(), self.table(name), {**facts, "sweep": digest(wanted.sweep)})

    def holds_all(self, table: str) -> bool:
        """Whether the file of a table holds all that the sweep asks for."""
        facts = frames.facts_of(self.table(table))
        return facts.get("complete") == "true" and facts.get("sweep") == digest(self.sweep())


def digest(sweep: Sweep) -> str:
    """Tells a sweep from another."""
    return hashlib.sha256(sweep_file.render(sweep).encode()).hexdigest()


def _difference(held: Sweep, wanted: Plan) -> str:
    """Why two sweeps cannot share a directory; nothing where they can.

    What no axis varies has to be the same. Where the scenario's file has changed, it has to give the same results at
    every point that the directory holds.
    """
    if held == wanted.sweep:
        return ""
    combinations = (check(held, at) for at in combinations_of(held))
    accepted = (entry for entry in combinations if isinstance(entry, Combination))
    first = next(accepted, None)
    if first is None:
        return "this version of AirFair accepts none of its points"
    ours, theirs = first.parameters, wanted.combinations[0].parameters
    for name in sorted(set(ours) & set(wanted.fixed) - set(held.over)):
        if ours[name]["value"] != theirs[name]["value"]:
            there, here = (_told(parameters[name]) for parameters in (ours, theirs))
            return f"there {name} is {there}, here it is {here}"
    if held.text == wanted.sweep.text:
        return ""
    for combination in itertools.chain([first], accepted):
        try:
            now = Recipe(wanted.sweep.text, wanted.sweep.name, combination.recipe.overrides).load()
        except _engine.InputError as error:
            return f"the scenario has changed: {error}"
        if now.key(held.seed) != combination.key(held.seed):
            return f"this is another scenario: it gives other results at {combination}"
    return ""


def _told(parameter: Mapping[str, Any]) -> str:
    value = parameter["value"]
    return "unset" if value is None else console.value(value, parameter["unit"], console.EXACT)


@dataclass
class Manifest:
    """Which versions and computers made the results, and by which commands."""

    directory: Directory
    plan: Plan
    command: Sequence[str]
    _earlier: list[dict[str, Any]] = field(default_factory=list)
    _started: str = ""

    def start(self) -> None:
        """Note that a command starts."""
        path = self.directory.path / MANIFEST
        try:
            self._earlier = list(json.loads(path.read_text(encoding="utf-8"))["commands"])
        except (OSError, ValueError, KeyError, TypeError):
            self._earlier = []
        self._started = _now()
        self._write({"finished": None})

    def finish(self, **facts: Any) -> None:
        """Note how it ended. A command that was killed has no end."""
        self._write({"finished": _now(), **facts})

    def _write(self, outcome: Mapping[str, Any]) -> None:
        sweep = self.plan.sweep
        first = self.plan.combinations[0]
        this = {
            "command": list(self.command),
            "started": self._started,
            **outcome,
            "airfair": _engine.__version__,
            "model_version": _engine.MODEL_VERSION,
            "python": platform.python_version(),
            "polars": polars.__version__,
            "system": f"{platform.system()} {platform.release()}",
            "machine": platform.machine(),
            "cores": default_jobs(),
        }
        document = {
            "schema_version": 1,
            "scenario": sweep.name,
            "sweep": digest(sweep),
            "parameters": {name: first.parameters[name] for name in self.plan.fixed},
            "axes": {
                name: {
                    "unit": first.parameters[name]["unit"],
                    "values": list(dict.fromkeys(combination.at[name].value for combination in self.plan.combinations)),
                }
                for name in self.plan.axes
            },
            "seeds": {
                "first": sweep.seed,
                "number": sweep.seeds,
                "until_ci": asdict(sweep.until) if sweep.until else None,
            },
            "combinations": len(self.plan.combinations) + len(self.plan.refused),
            "commands": [*self._earlier, this],
        }
        write_text(self.directory.path / MANIFEST, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def command_line() -> list[str]:
    """How this program was called, without where it lies."""
    return [Path(sys.argv[0]).name, *sys.argv[1:]]
