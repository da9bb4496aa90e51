"""`af.sweep(...)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.output import Output
from airfair.sweeps import sweep_file
from airfair.sweeps.command import computing
from airfair.sweeps.directory import FILES, Directory
from airfair.sweeps.plan import plan
from airfair.sweeps.runner import Ran, run
from airfair.sweeps.spec import MOST_SEEDS, Sweep, Until, group, written, written_axis
from airfair.table import Table

if TYPE_CHECKING:
    from os import PathLike

    import polars

    from airfair.plots.command import Figure


class SweepResult:
    """What a sweep gave: tables, in SI units."""

    def __init__(self, ran: Ran, directory: Path | None) -> None:
        """Hold the tables of a sweep."""
        self._ran = ran
        #: Where the tables and the store are; `None` where nothing was written.
        self.directory = directory

    @property
    def results(self) -> Table:
        """One row for each point and seed: the axes, the seed, the other parameters, the metrics."""
        return self._table("results")

    @property
    def sessions(self) -> Table:
        """One row for each finite session: the axes, the seed, and what `Result.sessions` has."""
        return self._table("sessions")

    @property
    def failures(self) -> Table:
        """One row for each point that gave no result: the axes, the seed (null: whatever the seed), the reason."""
        return self._table("failures")

    @property
    def timings(self) -> Table:
        """One row for each row of `results`: wall time (s), computer, time of day."""
        return self._table("timings")

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        return dict(self._ran.units)

    @property
    def seeds(self) -> list[dict[str, Any]]:
        """For each point: the values on its axes (SI), how many seeds it took, whether `until_ci` was reached."""
        pairs = zip(self._ran.plan.combinations, self._ran.seedings, strict=True)
        return [
            {
                "parameters": {name: setting.value for name, setting in combination.at.items()},
                "seeds": len(seeding.seeds),
                "reached": seeding.reached,
            }
            for combination, seeding in pairs
        ]

    def plot(
        self,
        y: str | Sequence[str],
        *,
        x: str | None = None,
        color: str | None = None,
        facet: str | None = None,
        kind: str | None = None,
        where: str = "",
        table: str = "results",
        log: str | None = None,
    ) -> Figure:
        """A figure: what is shown in a notebook, `save(path)` as .png, .svg or .html. Needs the package `altair`.

        Args:
            y: The metric, or several, one above the other.
            x: The axis along x; by default that of numbers with the most values.
            color: The axis that colours tell; of a heatmap the one upwards. By default the next that varies.
            facet: The axis with a panel for each value; by default the third that varies.
            kind: `line` (dots, where x is words), `heatmap`, `box` or `cdf`.
            where: Only rows for which this holds, as in SQL; values are in SI.
            table: `results` or `sessions`.
            log: What is logarithmic: `x`, `y`, `xy`, `none`; by default where the values span decades.

        Raises:
            InputError: A name that is not there, or an axis that varies and has no place in the figure.
        """
        from airfair.plots.choice import Asked
        from airfair.plots.command import figure
        from airfair.plots.data import of_ran

        metrics = (y,) if isinstance(y, str) else tuple(y)
        return figure(of_ran(self._ran, table, where), Asked(metrics, x, color, facet, kind), log)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one page on the sweep that needs no network: figures, which axis moves what, all points, failures.

        Raises:
            InputError: No run has ended well.
        """
        from airfair.files import write_text
        from airfair.sweeps.page.subject import of_result
        from airfair.sweeps.report import render

        write_text(Path(path), render(of_result(self._ran)))

    def _table(self, name: str) -> Table:
        return Table(_Frame(self._ran.tables[name]))

    def __repr__(self) -> str:
        name, runs = self._ran.plan.sweep.name, self._ran.tables["results"].height
        return f"<airfair.SweepResult {name}: {len(self._ran.plan.combinations)} points, {runs} runs>"


class _Frame:
    """A Polars frame as `Table` takes it."""

    def __init__(self, frame: polars.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        from polars import Schema

        return Schema(self._frame.schema).__arrow_c_schema__()

    def to_pydict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return self._frame.to_dict(as_series=False)

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        return repr(self._frame)


def sweep(
    scenario: str | PathLike[str],
    over: Mapping[str, object] | None,
    *,
    zip: Iterable[str | Sequence[str]],
    sample: int | None,
    seed: int,
    seeds: int | None,
    until_ci: str | None,
    out: str | PathLike[str] | None,
    jobs: int | None,
    on: str,
    cache: str | PathLike[str] | None,
    parameters: Mapping[str, object],
) -> SweepResult:
    """See `airfair.sweep`."""
    source = Path(scenario)
    if sweep_file.is_sweep_file(source):
        if over or parameters or tuple(zip) or sample or seeds is not None or until_ci or seed != 1:
            raise _engine.InputError(f"{source} says what to sweep: axes, parameters and seeds belong there")
        asked = sweep_file.read(source)
    else:
        label = source.name if source.is_file() else str(scenario)
        asked = Sweep(
            name=label,
            text=_engine.scenario_text(str(scenario)),
            set={name: written(value) for name, value in parameters.items()},
            over={name: written_axis(values) for name, values in (over or {}).items()},
            zip=tuple(group(names) for names in zip),
            sample=sample,
            seed=seed,
            seeds=seeds if seeds is not None else MOST_SEEDS if until_ci else 1,
            until=Until.read(until_ci) if until_ci else None,
        )
    found = plan(asked)
    workers = computing(on, jobs)
    store = Path(cache) if cache else None
    directory = Directory(Path(out), store, Output.made(Path(out), FILES, cache=store)) if out else None
    ran = run(found, directory=directory, command=["airfair.sweep"], workers=workers)
    ran.execution.raise_if_ended()
    return SweepResult(ran, directory.path if directory else None)
