"""`airfair reproduce`: a study's points through the executor, then its figures, claims, tables and report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _engine, console
from airfair.api import nearest
from airfair.claims import Judged, judge
from airfair.commands import Common, answer, probe
from airfair.executor import Point, execute
from airfair.figures import points as figure_points
from airfair.measurements import Measurements, Row, metrics_of
from airfair.store import Store
from airfair.study import Cell, Figure, Study, load

if TYPE_CHECKING:
    from airfair.executor import Failure


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
    figures = _chosen(study, request.figures)
    count = request.seeds or (study.quick_seeds if request.quick else study.seeds)
    extra = tuple(common.overrides)
    cells = []
    for experiment in study.experiments.values():
        swept = {*experiment.axes, *(name for case in experiment.cases.values() for name in case)}
        wanted = [figure.where for figure in figures if figure.experiment == experiment.name]
        for cell in experiment.cells(quick=request.quick):
            if not request.figures or any(cell.matches(where) for where in wanted):
                for name, _ in extra:
                    if name in swept:
                        raise _engine.InputError(f"--set {name}: {study.name} varies it in {experiment.name}")
                full = cell.override(extra)
                cells.append((full, _engine.Scenario.load(full.scenario, list(full.overrides))))
    return Plan(study, figures, tuple(cells), range(common.seed, common.seed + count), request.quick)


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
    out = probe(common.out or Path("airfair-results") / what.study.name)
    points = {(cell, seed): Point(scenario, seed) for cell, scenario in what.cells for seed in what.seeds}
    with console.progress(what.study.name) as progress:
        execution = execute(
            list(points.values()),
            store=Store(out),
            jobs=request.jobs,
            progress=progress,
            finish_running=True,
        )
    if execution.interrupted:
        console.err.print(f"interrupted; what is done is kept, and the same command continues: {out}", soft_wrap=True)
        return 130
    measured = Measurements()
    for cell, scenario in what.cells:
        row = Row(cell, json.loads(scenario.parameters_json))
        for seed in what.seeds:
            outcome = execution.outcomes.get(points[cell, seed])
            if outcome is not None:
                row.metrics[seed] = metrics_of(outcome)
        measured.add(row)
    judged = judge(what.study, measured)
    report = _write(out, what, measured, judged, execution.failures)

    def show() -> None:
        console.out.print(_claims_table(what.study, judged))
        console.out.print(f"\nreport: {report}", soft_wrap=True)

    console.failures(execution.failures)
    answer(Common(common.json, out), "reproduce.json", _document(what, measured, judged), show)
    return 1 if execution.failures else 0


def _document(what: Plan, measured: Measurements, judged: list[Judged]) -> dict[str, Any]:
    first = what.study.variants[0].name if what.study.variants else None
    return {
        "study": what.study.name,
        "figures": {
            figure.name: [point.document() for point in figure_points(what.study, figure, measured)]
            for figure in what.figures
        },
        "claims": [item.document(first=item.variant is None or item.variant.name == first) for item in judged],
    }


def _write(out: Path, what: Plan, measured: Measurements, judged: list[Judged], failures: list[Failure]) -> Path:
    """Write figures, tables and the report; returns the report's path."""
    from airfair.plot import draw
    from airfair.report import render
    from airfair.summary import markdown
    from airfair.tables import study_frame, write

    figures = out / "figures"
    figures.mkdir(exist_ok=True)
    drawn = {}
    with console.status("drawing figures"):
        for figure in what.figures:
            points = figure_points(what.study, figure, measured)
            if not any(point.estimate for point in points):
                continue
            drawing = draw(what.study, figure, points)
            (figures / f"{figure.name}.svg").write_text(drawing.svg, encoding="utf-8")
            (figures / f"{figure.name}.png").write_bytes(drawing.png)
            drawn[figure.name] = (drawing.svg, points)
    write(study_frame(measured), out / "results.parquet")
    (out / "summary.md").write_text(markdown(what, measured, judged), encoding="utf-8")
    report = out / "report.html"
    report.write_text(render(what, drawn, judged, failures), encoding="utf-8")
    return report


def _claims_table(study: Study, judged: list[Judged]) -> Any:
    """One row a claim, one column a variant."""
    titles = [variant.title for variant in study.variants] or ["Verdict"]
    table = console.table(study.title, "Section", "Claim", *titles)
    table.columns[1].ratio = 1
    by_claim: dict[str, list[Judged]] = {}
    for item in judged:
        by_claim.setdefault(item.claim.id, []).append(item)
    for items in by_claim.values():
        verdicts = {item.variant.name if item.variant else None: item.verdict for item in items}
        columns = [verdicts.get(variant.name, verdicts.get(None)) for variant in study.variants] or [verdicts.get(None)]
        cells = [f"[{console.VERDICT_STYLE[v]}]{v}[/]" if v else "" for v in columns]
        table.add_row(items[0].claim.source, items[0].claim.sentence, *cells)
    return table
