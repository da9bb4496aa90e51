"""The subject of a report: a sweep and its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars

from airfair import _engine
from airfair.catalogue.known import every_metric
from airfair.catalogue.parameters import shown
from airfair.figures.charts.data import Data
from airfair.figures.charts.picture import Along
from airfair.store.files import Folder
from airfair.store.record import Record
from airfair.sweeps.data import of_ran, read
from airfair.sweeps.directory import Directory
from airfair.sweeps.query import Query, asked, opened
from airfair.sweeps.sensitivity import Sensitivity, sensitivities

if TYPE_CHECKING:
    from airfair.sweeps.runner import Ran
    from airfair.sweeps.spec import Sweep


@dataclass(frozen=True)
class Subject:
    """A sweep with the data of its report."""

    sweep: Sweep
    data: Data
    failures: polars.DataFrame
    #: The manifest's records of commands; empty without a manifest.
    commands: Sequence[Mapping[str, Any]]
    #: Number of points that the sweep has; `None` without a manifest.
    wanted: int | None
    #: The warnings on its scenarios; empty without a manifest.
    warnings: Sequence[str] = ()

    @cached_property
    def along(self) -> dict[str, Along]:
        """The axes of the sweep, by name."""
        return {name: Along.of(self.data, name) for name in self.data.axes}

    @cached_property
    def sensitivities(self) -> list[Sensitivity]:
        """The effects of the axes on each metric."""
        data = self.data
        return sensitivities(data.frame, data.axes, data.metrics, sampled=data.sampled)

    def text(self, name: str, value: Any) -> str:
        """A parameter's value in readable units."""
        return shown(value, self.data.units.get(name))


def of_directory(directory: Path) -> Subject:
    """Read the sweep in a directory for a report.

    Raises:
        InputError: The directory has no sweep, or no run of the sweep has succeeded yet.
    """
    sweep = Directory(directory).sweep()
    facts = Record.of(Folder(directory)).facts
    known, wanted, told = (facts.get(name) for name in ("commands", "combinations", "warnings"))
    commands = [entry for entry in known if _is_command(entry)] if isinstance(known, list) else []
    frame = asked(opened(directory, "failures"), Query("failures", select="*"))
    wanted = wanted if type(wanted) is int else None
    data = read(directory, "results", "")
    if unknown := [name for name in data.metrics if name not in every_metric()]:
        raise _engine.InputError(f"{directory}: this version of AirFair does not know the metrics {', '.join(unknown)}")
    warnings = [str(text) for text in told] if isinstance(told, list) else []
    return _checked(Subject(sweep, data, frame, commands, wanted, warnings))


def _is_command(entry: Any) -> bool:
    """Whether an entry has the form of a manifest's record of a command."""
    words = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def of_result(ran: Ran) -> Subject:
    """Make the subject of a report of a sweep in memory."""
    return _checked(
        Subject(
            ran.plan.sweep,
            of_ran(ran, "results", ""),
            ran.tables["failures"].to_polars(),
            [],
            len(ran.plan.combinations) + len(ran.plan.refused),
            ran.plan.warnings,
        )
    )


def _checked(subject: Subject) -> Subject:
    if subject.data.frame.is_empty() and subject.failures.is_empty():
        raise _engine.InputError("nothing to report: no run has succeeded yet")
    return subject
