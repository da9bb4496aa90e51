"""Running a sweep's plan by the executor, and making its tables."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import _engine, console
from airfair.catalogue.left_out import all_columns
from airfair.runs.engines import verifies
from airfair.runs.estimate import metrics_of
from airfair.runs.executor import Execution, Failure, execute
from airfair.runs.signals import hearing
from airfair.runs.workers import Board, Point, Workers
from airfair.store.store import Origin, Store
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import Combination, Plan
from airfair.sweeps.progress import Shown
from airfair.sweeps.seeding import Seeding

if TYPE_CHECKING:
    import polars

    from airfair.sweeps.frames import Rows


@dataclass(frozen=True)
class Ran:
    """The results of a sweep."""

    plan: Plan
    tables: dict[str, polars.DataFrame]
    units: dict[str, str]
    #: For each combination, its seeds and whether they were enough.
    seedings: Sequence[Seeding]
    execution: Execution

    @property
    def complete(self) -> bool:
        """Whether every requested point was run."""
        return not self.execution.missing

    @property
    def whole(self) -> bool:
        """Whether each requested run has a result."""
        wanted = sum(len(seeding.seeds) for seeding in self.seedings)
        return self.tables["results"].height == wanted and all(seeding.settled for seeding in self.seedings)

    @property
    def failed(self) -> int:
        """The number of combinations that were refused or failed with some seed."""
        return len(self.plan.refused) + len({failure.point.scenario for failure in self.execution.failures})

    def facts(self) -> dict[str, str]:
        """The metadata of every table."""
        from airfair.sweeps.frames import columns

        return {
            "airfair": _engine.__version__,
            "scenario": self.plan.sweep.name,
            "complete": json.dumps(self.complete),
            "axes": json.dumps(list(columns(self.plan.axes).values())),
            "metrics": json.dumps(self.plan.metrics),
            "counts": json.dumps([name for name in self.tables["results"].columns if name in all_columns()]),
            "units": json.dumps(self.units),
        }


class _Run:
    """A sweep in progress."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.seedings = [Seeding(plan.sweep) for _ in plan.combinations]
        self._points: dict[Point, Combination] = {}
        #: Values of the metric that decides on further seeds, until `more` takes them.
        self._values: dict[Point, float | None] = {}

    @cached_property
    def rows(self) -> Rows:
        """The results. Made for the first one: loading Polars takes a while, and by then all workers are busy."""
        from airfair.sweeps.frames import Rows

        return Rows(self.plan)

    def first(self) -> list[Point]:
        """The points to start with."""
        return [
            point
            for combination, seeding in zip(self.plan.combinations, self.seedings, strict=True)
            for point in self._of(combination, seeding.first())
        ]

    def _of(self, combination: Combination, seeds: Iterable[int]) -> list[Point]:
        points = [Point(combination, seed) for seed in seeds]
        self._points.update(dict.fromkeys(points, combination))
        return points

    def take(self, point: Point, outcome: _engine.Outcome, origin: Origin) -> None:
        """Take an outcome."""
        self.rows.take(self._points[point], point.seed, outcome, origin)
        if self.plan.sweep.until:
            self._values[point] = metrics_of(outcome).get(self.plan.sweep.until.metric, {}).get("value")

    def more(self, point: Point) -> list[Point]:
        """The further points that its combination needs after this one."""
        combination, until = self._points[point], self.plan.sweep.until
        if until is None:
            return []
        value = self._values.pop(point, None)
        return self._of(combination, self.seedings[combination.place].note(point.seed, value))

    def result(self, execution: Execution) -> Ran:
        """The tables."""
        counted: list[Failure] = []
        for failure in execution.failures:
            combination = self._points[failure.point]
            if failure.point.seed in self.seedings[combination.place].seeds:
                self.rows.fail(combination, failure.point.seed, failure.reason)
                counted.append(failure)
        execution.failures = counted
        tables = self.rows.frames([seeding.seeds for seeding in self.seedings])
        return Ran(self.plan, tables, self.rows.units(), self.seedings, execution)


class Nobody:
    """Workers that compute nothing: points that are not in the store are left out."""

    def start(self, board: Board, tasks: int | None) -> int:
        """Start nothing."""
        return 0


def run(
    plan: Plan,
    *,
    directory: Directory | None,
    command: Sequence[str] = (),
    workers: Workers | None = None,
    told: Shown | None = None,
) -> Ran:
    """Compute the missing points, and write the tables below `directory`.

    Raises:
        InputError: The directory holds another sweep, or another process writes there.
        OSError: The directory cannot be written. Results computed so far are kept.
    """
    under_way = _Run(plan)

    def compute(store: Store | None) -> Execution:
        return execute(
            under_way.first(),
            store=store,
            verify=verifies(plan.engine),
            workers=workers,
            progress=told.update if told else None,
            fail=told.fail if told else None,
            finishing=console.finishing,
            take=under_way.take,
            more=under_way.more if plan.sweep.until else None,
        )

    if directory is None:
        return under_way.result(compute(None))
    with directory.opened(plan, command) as (store, manifest):
        execution = compute(store)
        with hearing(execution.end, signal.SIGTERM):  # the tables are written to the end
            ran = under_way.result(execution)
            manifest.write(ran.tables, ran.facts())
            manifest.finish(
                complete=ran.complete,
                computed=execution.computed,
                reused=execution.reused,
                failed_points=ran.failed,
                damaged_files=execution.damaged,
            )
    return ran


def stored(plan: Plan, directory: Path) -> Ran:
    """The tables of the outcomes in a directory's store, without computing or writing anything."""
    under_way = _Run(plan)
    execution = execute(
        under_way.first(),
        store=Store(directory),
        workers=Nobody(),
        take=under_way.take,
        more=under_way.more if plan.sweep.until else None,
    )
    return under_way.result(execution)
