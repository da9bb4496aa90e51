"""Running a sweep's plan by the executor, and making its tables."""

from __future__ import annotations

import json
import signal
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from airfair import _engine, console
from airfair.runs.engines import verifies
from airfair.runs.estimate import metrics_of
from airfair.runs.executor import Execution, Failure, execute
from airfair.runs.signals import ENDING, hearing
from airfair.runs.workers import Done, Many, Point, Stretch, Threads, Workers
from airfair.store.store import Origin, Store
from airfair.sweeps.directory import DOCUMENT, Directory, digest
from airfair.sweeps.frames import Rows, columns
from airfair.sweeps.plan import Combination, Made, Plan
from airfair.sweeps.progress import Shown
from airfair.sweeps.recipe import batches
from airfair.sweeps.seeding import Seeding, Seedings

#: Rows are written in blocks of this many points, when all points before the end of a block have arrived; with
#: `--until-ci`, in blocks of the second number of combinations.
_BLOCK, _UNTIL_BLOCK = 8192, 256
#: Number of combinations whose fair shares are measured at a time.
_SHARES = 256


class Ran(NamedTuple):
    """The results of a sweep."""

    plan: Plan
    #: The tables in memory by name: all, or only the failures if the others are not kept.
    tables: Mapping[str, _engine.Table]
    #: The tables by name, as files without a name on disk.
    files: Mapping[str, BinaryIO]
    #: Number of rows of each table.
    heights: Mapping[str, int]
    #: The metadata of every table.
    facts: Mapping[str, str]
    units: Mapping[str, str]
    #: For each combination, its seeds, and whether they were enough.
    seedings: Seedings
    execution: Execution

    @property
    def complete(self) -> bool:
        """Whether every requested point was run."""
        return not self.execution.missing

    @property
    def runs(self) -> int:
        """The number of results."""
        return self.heights["results"]

    @property
    def whole(self) -> bool:
        """Whether each requested run has a result."""
        wanted = sum(len(seeding.seeds) for seeding in self.seedings)
        return self.runs == wanted and all(seeding.settled for seeding in self.seedings)

    @property
    def failed(self) -> int:
        """The number of combinations that were refused or failed with some seed."""
        return len(self.plan.refused) + len({failure.point.scenario for failure in self.execution.failures})


class _Frontier:
    """How far a sequence is done without gaps, in whole blocks."""

    def __init__(self, size: int, block: int) -> None:
        """Start with nothing done."""
        self._size = size
        self._block = block
        self._done: Counter[int] = Counter()
        #: Everything before this place is done.
        self.place = 0

    def note(self, *places: int) -> bool:
        """Note that places are done; returns whether the frontier has advanced."""
        self._done.update(place // self._block for place in places)
        before = self.place
        while self.place < self._size:
            number = self.place // self._block
            after = min((number + 1) * self._block, self._size)
            if self._done[number] < after - self.place:
                break
            del self._done[number]
            self.place = after
        return self.place > before


class _Points(Many):
    """The points of a sweep with a fixed number of seeds, whose combinations all report the same metrics.

    In each block the longest runs come first, so that no core is left with a long run at the end of the sweep.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._first, self._seeds = plan.sweep.seed, plan.sweep.seeds
        #: The number of the block that was asked for last, and its points in the order of their runs.
        self._ordered: tuple[int, Sequence[int]] = -1, ()

    def __len__(self) -> int:
        return len(self._plan.combinations) * self._seeds

    def stretch(self, start: int, stop: int) -> Stretch:
        numbers = array("Q", map(self._number, range(start, stop)))
        places = array("I", (number // self._seeds for number in numbers))
        seeds = array("Q", (self._first + number % self._seeds for number in numbers))
        return Stretch(self, numbers, places, seeds, self._plan.all.keys(places, seeds))

    def _number(self, at: int) -> int:
        """The number of the point that is the `at`-th to run."""
        loads = self._plan.all.loads
        if loads is None:
            return at
        block = at // _BLOCK
        if block != self._ordered[0]:
            points = range(block * _BLOCK, min((block + 1) * _BLOCK, len(self)))
            self._ordered = block, sorted(points, key=lambda number: -loads[number // self._seeds])
        return self._ordered[1][at % _BLOCK]

    def sources(self, places: Iterable[int]) -> list[_engine.Source]:
        return self._plan.all.sources_at(places)

    def point(self, place: int, seed: int) -> Point:
        return Point(self._plan.combinations[place], seed)


class _Run:
    """A sweep in progress."""

    def __init__(self, plan: Plan, folder: Path | None, *, kept: bool, told: Shown | None = None) -> None:
        self.plan = plan
        self._told = told
        size, seeds = len(plan.combinations), len(Seeding(plan.sweep).first())
        self.seedings = Seedings(plan.sweep, size)
        self.rows = Rows(plan, self.seedings, folder, kept=kept)
        #: Number of points to start with.
        self.count = size * seeds
        self._frontier = _Frontier(size, _UNTIL_BLOCK) if plan.sweep.until else _Frontier(self.count, _BLOCK)
        #: Values of the metric that decides on further seeds, until `_more` takes them.
        self._values: dict[Point, float | None] = {}

    def execute(self, **options: Any) -> Execution:
        """Run all points, or take their stored outcomes, and make rows of the results."""
        until = self.plan.sweep.until
        more = self._more if until else None
        points = self.first() if until or len(self.plan.all.metrics.distinct) > 1 else _Points(self.plan)
        return execute(
            points,
            count=self.count,
            take=self._take,
            take_all=self._take_all,
            fail=self._fail,
            more=more,
            **options,
        )

    def first(self) -> Iterator[Point]:
        """Yield the points to start with."""
        for place, combination in enumerate(self.plan.combinations):
            for seed in self.seedings.first(place):
                yield Point(combination, seed)

    def _take(self, point: Point, outcome: _engine.Outcome, origin: Origin) -> None:
        self.rows.take(_combination(point), point.seed, outcome, origin)
        if self.plan.sweep.until:
            self._values[point] = metrics_of(outcome).get(self.plan.sweep.until.metric, {}).get("value")
        else:
            self._advance(point)

    def _take_all(self, done: Done) -> None:
        self.rows.take_all(done.results, set(done.failed))
        numbers = done.stretch.numbers
        self._advance_by(*(numbers[n] for n in range(len(numbers)) if n not in done.failed) if done.failed else numbers)

    def _fail(self, failure: Failure) -> None:
        if self._told:
            self._told.fail(failure)
        if not self.plan.sweep.until:
            self._advance(failure.point)

    def _more(self, point: Point) -> list[Point]:
        """The further points that the combination of a finished point needs."""
        combination = _combination(point)
        further = self.seedings.note(combination.place, point.seed, self._values.pop(point, None))
        if self.seedings[combination.place].settled and self._frontier.note(combination.place):
            self.rows.flush(self._frontier.place, 0)
        return [Point(combination, seed) for seed in further]

    def _advance(self, point: Point) -> None:
        """Note that a point is done, in a sweep with a fixed number of seeds."""
        sweep = self.plan.sweep
        self._advance_by(_combination(point).place * sweep.seeds + point.seed - sweep.seed)

    def _advance_by(self, *numbers: int) -> None:
        """Note that the points with these numbers are done, and write the rows that are complete."""
        sweep = self.plan.sweep
        if self._frontier.note(*numbers):
            place, number = divmod(self._frontier.place, sweep.seeds)
            self.rows.flush(place, sweep.seed + number)

    def result(self, execution: Execution) -> Ran:
        """Make the last rows, and return the results of the sweep."""
        execution.failures = [
            failure
            for failure in execution.failures
            if failure.point.seed in self.seedings[_combination(failure.point).place].seeds
        ]
        found = ((_combination(failed.point), failed.point.seed, failed.reason) for failed in execution.failures)
        self.rows.finish(sorted(found, key=lambda failed: (failed[0].place, failed[1])))
        facts = {
            "airfair": _engine.__version__,
            "scenario": self.plan.sweep.name,
            "complete": json.dumps(not execution.missing),
            "axes": json.dumps(list(columns(self.plan.axes).values())),
            "metrics": json.dumps(self.plan.metrics),
            "counts": json.dumps(self.rows.counts),
            "units": json.dumps(self.rows.units()),
            "sweep": digest(self.plan.sweep),
        }
        rows = self.rows
        files = rows.files(facts)
        return Ran(self.plan, rows.tables, files, rows.heights, facts, rows.units(), self.seedings, execution)


def first_points(plan: Plan) -> Sequence[Point]:
    """The points that a sweep starts with."""
    seeds = Seeding(plan.sweep).first()

    def point(number: int) -> Point:
        return Point(plan.combinations[number // len(seeds)], seeds[number % len(seeds)])

    return Made(lambda: len(plan.combinations) * len(seeds), point)


def _combination(point: Point) -> Combination:
    assert isinstance(point.scenario, Combination)
    return point.scenario


def run(
    plan: Plan,
    *,
    directory: Directory | None,
    command: Sequence[str] = (),
    workers: Workers | None = None,
    told: Shown | None = None,
    kept: bool = True,
    describe: Callable[[Ran], BinaryIO] | None = None,
) -> Ran:
    """Compute the missing points, and write the tables below `directory`; with `kept`, keep them in memory too.

    `describe` makes `sweep.json` of the results, unless a signal has ended the command.

    Raises:
        InputError: The directory holds another sweep, or another process writes there.
        OSError: The directory cannot be written. Results computed so far are kept.
    """
    under_way = _Run(plan, directory.path if directory else None, kept=kept, told=told)

    def compute(store: Store | None) -> Execution:
        if ended_by := _shared(plan, store, workers, told):
            execution = under_way.execute(store=store, computes=False)
            execution.end(ended_by)
            return execution
        return under_way.execute(
            store=store,
            verify=verifies(plan.engine),
            workers=workers,
            progress=told.update if told else None,
            finishing=console.finishing,
        )

    if directory is None:
        return under_way.result(compute(None))
    with directory.opened(plan, command) as (store, manifest):
        execution = compute(store)
        with hearing(execution.end, *ENDING):  # the tables are written to the end
            ran = under_way.result(execution)
            files = {f"{name}.parquet": table for name, table in ran.files.items()}
            if describe and not execution.interrupted:
                files[DOCUMENT] = describe(ran)
            manifest.write(files)
            manifest.finish(
                complete=ran.complete,
                computed=execution.computed,
                reused=execution.reused,
                failed_points=ran.failed,
                damaged_files=execution.damaged,
            )
    return ran


def _shared(plan: Plan, store: Store | None, workers: Workers | None, told: Shown | None) -> signal.Signals | None:
    """Measure the fair shares that are to be measured, in this process. Returns the signal that ended it.

    A failure here occurs again, with its reason, in the runs of the combination itself.
    """
    if not plan.all.measures_share:
        return None
    from airfair.runs.share import shared

    for batch in batches(plan.all.measuring, _SHARES):
        found, execution = shared(
            [combination.recipe.load() for combination in batch],
            store=store,
            verify=verifies(plan.engine),
            workers=workers if isinstance(workers, Threads) else None,
            progress=told.update if told else None,
        )
        if execution.interrupted:
            return execution.ended_by
        for combination, alone in zip(batch, found, strict=True):
            if alone is not None:
                plan.all.share(combination.place, alone)
    return None


def stored(plan: Plan, directory: Path, folder: Path | None = None) -> Ran:
    """Make the tables from the outcomes in a directory's store, without running anything.

    With `folder`, the tables are also files on the disk of that folder.
    """
    under_way = _Run(plan, folder, kept=True)
    return under_way.result(under_way.execute(store=Store(directory), computes=False))
