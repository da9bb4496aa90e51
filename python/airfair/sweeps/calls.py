"""The function `airfair.sweep` and its result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair._engine import Table
from airfair.catalogue import warned
from airfair.catalogue.left_out import flag_in
from airfair.catalogue.parameters import shown
from airfair.catalogue.wording import counted
from airfair.runs.arguments import checked
from airfair.store.output import Output
from airfair.sweeps import asked
from airfair.sweeps.command import computing
from airfair.sweeps.directory import FILES, Directory
from airfair.sweeps.runner import Ran, run

if TYPE_CHECKING:
    from os import PathLike

    from airfair.figures.charts.figure import Figure
    from airfair.runs.loading import ScenarioLike


#: Maximum number of rows that a notebook shows.
_ROWS = 20


def _cell(value: Any, unit: str | None) -> str:
    return "" if value is None else shown(value, unit)


class SweepResult:
    """The results of a sweep: tables, in SI units."""

    def __init__(self, ran: Ran, directory: Path | None) -> None:
        """Make the result of a sweep whose tables are in `directory`, if it is not `None`."""
        self._ran = ran
        #: The directory of the tables and the store; `None` if nothing was written.
        self.directory = directory

    def __getstate__(self) -> dict[str, Any]:
        """Support `pickle`: leave out the open files from which the tables were written."""
        return {"_ran": self._ran._replace(files={}), "directory": self.directory}

    @property
    def results(self) -> Table:
        """One row for each point and seed: the axes, the seed, the other parameters, the metrics."""
        return self._table("results")

    @property
    def sessions(self) -> Table:
        """One row for each finite session: the axes, the seed, and the columns of `Result.sessions`."""
        return self._table("sessions")

    @property
    def failures(self) -> Table:
        """One row for each point without a result: the axes, the seed (null: all seeds), the reason."""
        return self._table("failures")

    @property
    def timings(self) -> Table:
        """One row for each row of `results`: wall time (s), computer, date and time of the end."""
        return self._table("timings")

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        return dict(self._ran.units)

    @property
    def seeds(self) -> list[dict[str, Any]]:
        """For each point: the values on its axes (SI), its number of seeds, whether it reached `until_ci`."""
        pairs = zip(self._ran.plan.combinations, self._ran.seedings, strict=True)
        return [
            {
                "parameters": {name: setting.value for name, setting in combination.at.items()},
                "seeds": len(seeding.seeds),
                "reached": seeding.reached,
            }
            for combination, seeding in pairs
        ]

    @checked
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
        width: str | None = None,
    ) -> Figure:
        """Draw a figure of the sweep. Needs the package `altair`.

        Notebooks show the figure, `save(path)` writes it as .png, .svg, .pdf or .html, and `chart` is the chart of
        Altair, to be changed.

        Args:
            y: The metric, or several, one above the other.
            x: The axis along x; by default the numeric one with the most values.
            color: The axis shown by colour; in a heatmap the vertical axis. By default the next that varies.
            facet: The axis with a panel for each value; by default the third that varies.
            kind: `line` (dots if x is not numeric), `heatmap`, `box` or `cdf`.
            where: A condition on the rows, in SQL; values are in SI.
            table: `results` or `sessions`.
            log: Logarithmic axes: `x`, `y`, `xy`, `none`; by default those whose values span decades.
            width: The width on paper, such as `88 mm`; labels then have 8 pt.

        Raises:
            InputError: An unknown name, or an axis that varies and has no place in the figure.
        """
        from airfair.figures.charts.choice import Asked
        from airfair.figures.charts.figure import figure
        from airfair.sweeps.data import of_ran

        metrics = (y,) if isinstance(y, str) else tuple(y)
        return figure(of_ran(self._ran, table, where), Asked(metrics, x, color, facet, kind), log, width=width)

    @property
    def html(self) -> str:
        """One page on the sweep that needs no network: figures, effects of the axes, all points, failures.

        Raises:
            InputError: No run has succeeded.
        """
        from airfair.sweeps.page.subject import of_result
        from airfair.sweeps.report import render

        return render(of_result(self._ran))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page (.html) to a file. Figures are saved by `plot(...).save`, tables as their data frames.

        Raises:
            InputError: No run has succeeded, or `path` has another suffix.
        """
        from airfair.figures.saved import suffix
        from airfair.store.files import write_bytes

        suffix(path, ("html",))
        write_bytes(Path(path), self.html.encode())

    def _table(self, name: str) -> Table:
        return self._ran.tables[name]

    def _repr_html_(self) -> str:
        from airfair.catalogue import notebook

        frame = self._ran.tables["results"].to_polars()
        names = [*json.loads(self._ran.facts["axes"]), "seed", *self._ran.plan.metrics]
        rows = frame.head(_ROWS)
        told = [notebook.paragraph(f"{frame.height - _ROWS} more rows: results.to_polars()")]
        cells = [
            [_cell(row[name], self.units.get(name)) + flag_in(row, name) for name in names] for row in rows.to_dicts()
        ]
        heading = notebook.paragraph(repr(self)[1:-1].removeprefix("airfair.SweepResult "))
        return "".join([heading, notebook.table(names, cells), *(told if frame.height > _ROWS else [])])

    def __repr__(self) -> str:
        points, runs = len(self._ran.plan.combinations), self._ran.runs
        name = self._ran.plan.sweep.name
        return f"<airfair.SweepResult {name}: {counted(points, 'point')}, {counted(runs, 'run')}>"


def sweep(
    scenario: ScenarioLike,
    changes: asked.Changes,
    *,
    out: str | PathLike[str] | None,
    jobs: int | None,
    on: str,
    cache: str | PathLike[str] | None,
    engine: str | None,
) -> SweepResult:
    """Run the sweep of a source with changes; see `airfair.sweep`."""
    source = asked.of(scenario)
    here = on == "local"
    wanted = asked.changed(source.sweep, changes)
    found = asked.planned(source, wanted, engine or source.engine, to_run=here, jobs=jobs if here else None)
    workers = computing(on, jobs)
    warned.tell(found.warnings)
    store = Path(cache) if cache else None
    place = Path(out) if out else source.directory
    directory = Directory(place, store, Output.made(place, FILES, cache=store)) if place else None
    ran = run(found, directory=directory, command=["airfair.sweep"], workers=workers)
    ran.execution.raise_if_ended()
    return SweepResult(ran, directory.path if directory else None)
