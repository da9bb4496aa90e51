"""`airfair reproduce`: run a study's points, then make its figures, claims, tables and report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _engine, console
from airfair.command import Common, answer, output
from airfair.runs.cost import cost, warn_of_hours
from airfair.runs.cost import dry_run as tell_cost
from airfair.runs.engines import verifies
from airfair.runs.estimate import metrics_of
from airfair.runs.executor import Point, execute
from airfair.store.output import beside
from airfair.studies.claims import Judgement, judgement
from airfair.studies.figures import points as figure_points
from airfair.studies.figures import remarks
from airfair.studies.measurements import Measurements, Row
from airfair.studies.plan import Plan, Request, plan
from airfair.studies.study import FLOWS, TRACE
from airfair.sweeps.study_directory import DOCUMENT, RESULTS, asked

if TYPE_CHECKING:
    from airfair.runs.executor import Failure
    from airfair.store.output import Output
    from airfair.store.store import Origin


def reproduce(request: Request, common: Common, *, dry_run: bool = False) -> int:
    """Reproduce a study: run its points, judge its claims, write and print the results. Returns the exit status."""
    what = plan(request, common)
    place = beside(Path("airfair-results") / what.study.name, _settings(what.set))
    points = list(_points(what, Measurements()))
    console.warn(what.warnings)
    if dry_run:
        found = cost(points, common.out or place, request.jobs, verify=verifies(request.engine))
        return tell_cost(what.study.name, found, common)
    into = output(common, place, _names(what))
    if there := _held(into):
        into.keep_other_answer(there, _question(what.study.name, what.set))
    warn_of_hours(points, into.path, request.jobs)
    with into.computing():
        return _reproduce(what, request, common, into)


def _settings(set_here: Mapping[str, str]) -> list[str]:
    """What `--set` changes in a study, whose results stand in a directory of their own."""
    return [f"{name}={value}" for name, value in sorted(set_here.items())]


def _question(study: str, set_here: Mapping[str, str]) -> list[str]:
    return [f"study={study}", *_settings(set_here)]


def _held(into: Output) -> list[str]:
    """What the results in the directory are of; empty if that is unknown."""
    try:
        return _question(*asked(into.path))
    except _engine.InputError:
        return []


def _reproduce(what: Plan, request: Request, common: Common, into: Output) -> int:
    """Do the work of `reproduce` in a locked directory."""
    measured = Measurements()
    wanted = _points(what, measured)

    def take(point: Point, outcome: _engine.Outcome, _: Origin) -> None:
        row, seeds = wanted[point]
        row.metrics.update(dict.fromkeys(seeds, metrics_of(outcome)))

    with console.progress(what.study.name) as progress:
        execution = execute(
            list(wanted),
            store=into.store(),
            verify=verifies(request.engine),
            jobs=request.jobs,
            progress=progress,
            finishing=console.finishing,
            take=take,
        )
    for row in measured:
        row.metrics = dict(sorted(row.metrics.items()))  # outcomes arrive in any order
    if execution.interrupted:
        console.ended(execution.how, into.path)
        return execution.status
    judged = judgement(what.study, measured, setups=not request.figures)
    report = _write(into, what, measured, judged, execution.failures)

    def show() -> None:
        from airfair.studies.verdicts import claims_table, legend, papers_table

        console.out.print(judged.none or claims_table(what.study, judged))
        for line in legend(what.study, judged):
            console.out.print(line, style="dim")
        if what.study.again and not judged.none:
            console.out.print(papers_table(what.study, judged))
        if what.changed:
            console.out.print(what.changed)
        console.out.line(f"\nreport: {report}")

    console.failed(list(map(str, execution.failures)), "runs failed")
    answer(common, DOCUMENT, _document(what, measured, judged), show, into)
    return 1 if execution.failures else 0


def _points(what: Plan, measured: Measurements) -> dict[Point, tuple[Row, Sequence[int]]]:
    """The points to run, each with its row and the seeds that it stands for. Adds the rows to the measurements."""
    wanted: dict[Point, tuple[Row, Sequence[int]]] = {}
    for cell, checked in what.cells:
        row = Row(cell, checked.parameters)
        measured.add(row)
        if what.study.experiments[cell.experiment].seedless:
            wanted[Point(checked, what.seeds[0])] = row, what.seeds
        else:
            wanted |= {Point(checked, seed): (row, [seed]) for seed in what.seeds}
    return wanted


def _document(what: Plan, measured: Measurements, judged: Judgement) -> dict[str, Any]:
    document: dict[str, Any] = {
        "study": what.study.name,
        "set": what.set,
        "warnings": what.warnings,
        "figures": {
            figure.name: [point.document() for point in figure_points(what.study, figure, measured)]
            for figure in what.figures
            if figure.kind not in (TRACE, FLOWS)
        },
        "claims": [item.document() for item in judged.claims],
        "not_judged": [item.document() for item in judged.unjudged],
    }
    if judged.setups:
        document["sensitivity"] = [item.document() for item in judged.setups]
    return document


def _names(what: Plan) -> list[str]:
    """The files that a study writes."""
    figures = [f"figures/{figure.name}.{kind}" for figure in what.figures for kind in ("svg", "png")]
    return [*figures, RESULTS, "summary.md", "report.html", DOCUMENT]


def _write(into: Output, what: Plan, measured: Measurements, judged: Judgement, failures: list[Failure]) -> Path:
    """Write figures, tables and the report; returns the report's path."""
    from airfair.runs.tables import parquet
    from airfair.studies.draw import draw
    from airfair.studies.draw_flows import draw_flows
    from airfair.studies.draw_trace import draw_trace
    from airfair.studies.report import render
    from airfair.studies.summary import markdown
    from airfair.studies.table import study_frame

    files: dict[str, bytes] = {}
    drawn = {}
    with console.status("drawing figures"):
        for figure in what.figures:
            points = figure_points(what.study, figure, measured)
            if figure.kind == TRACE:
                drawing = draw_trace(what, figure)
            elif figure.kind == FLOWS:
                drawing = draw_flows(what, figure)
            elif any(point.estimate for point in points):
                drawing = draw(what.study, figure, points)
            else:
                continue
            files[f"figures/{figure.name}.svg"] = drawing.svg.encode()
            files[f"figures/{figure.name}.png"] = drawing.png
            drawn[figure.name] = (drawing.svg, points, remarks(what.study, figure, measured))
    files[RESULTS] = parquet(study_frame(measured))
    files["summary.md"] = markdown(what, measured, judged).encode()
    files["report.html"] = render(what, drawn, judged, failures).encode()
    into.publish(files)
    return into.path / "report.html"
