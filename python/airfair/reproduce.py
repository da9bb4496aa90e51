"""`airfair reproduce`: a study's points through the executor, then its figures, claims, tables and report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _engine, console
from airfair.api import nearest
from airfair.claims import Judgement, cells_under, judge, judge_setups
from airfair.commands import Common, answer, output
from airfair.executor import Point, execute
from airfair.figures import points as figure_points
from airfair.figures import remarks
from airfair.measurements import Measurements, Row, metrics_of
from airfair.study import FLOWS, TRACE, Cell, Figure, Study
from airfair.study_file import load

if TYPE_CHECKING:
    from airfair.executor import Failure
    from airfair.output import Output


@dataclass(frozen=True)
class Request:
    """What to reproduce."""

    study: str
    figures: tuple[str, ...]
    quick: bool
    seeds: int | None
    jobs: int | None


@dataclass(frozen=True)
class Plan:
    """The cells to run, with the scenarios that the engine has accepted."""

    study: Study
    figures: tuple[Figure, ...]
    cells: tuple[tuple[Cell, _engine.Scenario], ...]
    seeds: range
    quick: bool


def plan(request: Request, common: Common) -> Plan:
    """Find the cells that the figures need (without a choice of figures: all) and have the engine check them."""
    study = load(request.study)
    if request.quick:
        study = study.quickened()
    figures = _chosen(study, request.figures)
    count = request.seeds or (study.quick_seeds if request.quick else study.seeds)
    extra = tuple(common.overrides)
    cells: list[Cell] = []
    for experiment in study.experiments.values():
        sets = [*experiment.cases.values(), *([] if request.figures else (s.set for s in study.sensitivity.setups))]
        swept = {*experiment.axes, *(name for entry in sets for name in entry)}
        wanted = [figure.where for figure in figures if figure.experiment == experiment.name]
        chosen = [
            cell for cell in experiment.cells() if not request.figures or any(cell.matches(where) for where in wanted)
        ]
        if not request.figures:
            chosen += cells_under(study, experiment)
        for name, _ in extra:
            if chosen and name in swept:
                raise _engine.InputError(f"--set {name}: {study.name} varies it in {experiment.name}")
        cells += (cell.override(extra) for cell in chosen)
    loaded = tuple((cell, _engine.Scenario.load(cell.scenario, list(cell.overrides))) for cell in cells)
    return Plan(study, figures, loaded, range(common.seed, common.seed + count), request.quick)


def _chosen(study: Study, names: Sequence[str]) -> tuple[Figure, ...]:
    known = [figure.name for figure in study.figures]
    for name in names:
        if name not in known:
            near = nearest(name, known)
            raise _engine.InputError(f"{study.name} has no figure {name}: it has {', '.join(known)}{near}")
    return tuple(figure for figure in study.figures if not names or figure.name in names)


def reproduce(request: Request, common: Common) -> int:
    """Run, judge, draw, write, print."""
    what = plan(request, common)
    console.warnings(scenario for _, scenario in what.cells)
    into = output(common, Path("airfair-results") / what.study.name, _names(what))
    with into.computing():
        return _reproduce(what, request, common, into)


def _reproduce(what: Plan, request: Request, common: Common, into: Output) -> int:
    """The same in a directory that nobody else computes for."""
    measured = Measurements()
    wanted: dict[Point, tuple[Row, Sequence[int]]] = {}
    for cell, scenario in what.cells:
        row = Row(cell, json.loads(scenario.parameters_json))
        measured.add(row)
        if what.study.experiments[cell.experiment].seedless:
            wanted[Point(scenario, what.seeds[0])] = row, what.seeds
        else:
            wanted |= {Point(scenario, seed): (row, [seed]) for seed in what.seeds}

    def take(point: Point, outcome: _engine.Outcome) -> None:
        row, seeds = wanted[point]
        row.metrics.update(dict.fromkeys(seeds, metrics_of(outcome)))

    with console.progress(what.study.name) as progress:
        execution = execute(
            list(wanted),
            store=into.store(),
            jobs=request.jobs,
            progress=progress,
            finishing=console.finishing,
            take=take,
        )
    if execution.interrupted:
        again = f"what is done is kept, and the same command continues: {into.path}"
        console.err.print(f"interrupted; {again}", soft_wrap=True)
        return execution.status
    judgement = Judgement(judge(what.study, measured), [] if request.figures else judge_setups(what.study, measured))
    report = _write(into, what, measured, judgement, execution.failures)

    def show() -> None:
        from airfair.verdicts import claims_table, legend

        console.out.print(claims_table(what.study, judgement))
        for line in legend(what.study, judgement):
            console.out.print(line, style="dim")
        console.out.print(f"\nreport: {report}", soft_wrap=True)

    console.failures(execution.failures)
    answer(common, "reproduce.json", _document(what, measured, judgement), show, into)
    return 1 if execution.failures else 0


def _document(what: Plan, measured: Measurements, judgement: Judgement) -> dict[str, Any]:
    first = what.study.variants[0].name if what.study.variants else None
    document: dict[str, Any] = {
        "study": what.study.name,
        "figures": {
            figure.name: [point.document() for point in figure_points(what.study, figure, measured)]
            for figure in what.figures
            if figure.kind not in (TRACE, FLOWS)
        },
        "claims": [
            item.document(first=item.variant is None or item.variant.name == first) for item in judgement.claims
        ],
    }
    if judgement.setups:
        document["sensitivity"] = [item.document(first=True) for item in judgement.setups]
    return document


def _names(what: Plan) -> list[str]:
    """The files that a study writes."""
    figures = [f"figures/{figure.name}.{kind}" for figure in what.figures for kind in ("svg", "png")]
    return [*figures, "results.parquet", "summary.md", "report.html", "reproduce.json"]


def _write(into: Output, what: Plan, measured: Measurements, judgement: Judgement, failures: list[Failure]) -> Path:
    """Write figures, tables and the report; returns the report's path."""
    from airfair.flow_counts import count
    from airfair.plot import draw
    from airfair.plot_flows import draw_flows
    from airfair.plot_trace import draw_trace
    from airfair.report import render
    from airfair.summary import markdown
    from airfair.tables import parquet, study_frame
    from airfair.traces import record

    files: dict[str, bytes] = {}
    drawn = {}
    with console.status("drawing figures"):
        for figure in what.figures:
            points = figure_points(what.study, figure, measured)
            if figure.kind == TRACE:
                drawing = draw_trace(what.study, figure, record(what, figure))
            elif figure.kind == FLOWS:
                drawing = draw_flows(what.study, figure, count(what, figure))
            elif any(point.estimate for point in points):
                drawing = draw(what.study, figure, points)
            else:
                continue
            files[f"figures/{figure.name}.svg"] = drawing.svg.encode()
            files[f"figures/{figure.name}.png"] = drawing.png
            drawn[figure.name] = (drawing.svg, points, remarks(what.study, figure, measured))
    files["results.parquet"] = parquet(study_frame(measured))
    files["summary.md"] = markdown(what, measured, judgement).encode()
    files["report.html"] = render(what, drawn, judgement, failures).encode()
    into.publish(files)
    return into.path / "report.html"
