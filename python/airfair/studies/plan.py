"""The cells to run for a study."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airfair import _engine
from airfair.catalogue import warned
from airfair.catalogue.known import nearest
from airfair.catalogue.parameters import equations, seed_options, set_options
from airfair.command import Common
from airfair.runs.executor import Point, execute
from airfair.studies.claims import asked, cells_under
from airfair.studies.file import load
from airfair.studies.study import Cell, Figure, Study
from airfair.sweeps.recipe import Checked, Recipe, check_all


@dataclass(frozen=True)
class Request:
    """What to reproduce: a study, or some of its figures."""

    study: str
    figures: tuple[str, ...]
    quick: bool
    seeds: int | None
    jobs: int | None
    engine: str | None = None


@dataclass(frozen=True)
class Plan:
    """The cells to run, each accepted by the engine."""

    study: Study
    figures: tuple[Figure, ...]
    cells: tuple[tuple[Cell, Checked], ...]
    seeds: range
    quick: bool
    #: The command that does the same again.
    command: str
    #: What `--set` changes, by name.
    set: dict[str, str]

    @property
    def changed(self) -> str:
        """What `--set` changes, for readers; empty if it changes nothing."""
        if not self.set:
            return ""
        return (
            f"Not the study as it is: with {equations(self.set.items())} at all points. Its words on set-ups and "
            "causes are about runs without this change."
        )

    @property
    def warnings(self) -> list[str]:
        """The warnings on the cells, each once."""
        return warned.texts(checked for _, checked in self.cells)

    def first_runs(self, figure: Figure, traces: Sequence[str] = ()) -> list[tuple[Cell, _engine.Outcome]]:
        """Run a figure's cells with the first seed, recording `traces`. Failed runs are left out."""
        points = {
            Point(checked, self.seeds[0], tuple(traces)): cell
            for cell, checked in self.cells
            if cell.experiment == figure.experiment and not cell.setup and cell.matches(figure.where)
        }
        outcomes = execute(list(points)).outcomes
        return [(cell, outcomes[point]) for point, cell in points.items() if point in outcomes]


def plan(request: Request, common: Common) -> Plan:
    """Find the cells that the chosen figures need (by default all cells), and have the engine check them."""
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
            if experiment.setups:
                shown = [figure.where for figure in study.figures if figure.experiment == experiment.name]
                chosen = [cell for cell in chosen if asked(study, cell) or any(map(cell.matches, shown))]
            chosen += cells_under(study, experiment)
        for name, _ in extra:
            if chosen and name in swept:
                raise _engine.InputError(f"--set {name}: {study.name} varies it in {experiment.name}")
        cells += (cell.override(extra) for cell in chosen)
    seeds = range(common.seed, common.seed + count)
    return Plan(
        study,
        figures,
        tuple(_checked(cells, request)),
        seeds,
        request.quick,
        command=_command(request, common),
        set=dict(extra),
    )


def _command(request: Request, common: Common) -> str:
    words = ["airfair", "reproduce", request.study]
    words += [word for name in request.figures for word in ("--figure", name)]
    words += ["--quick"] if request.quick else []
    words += seed_options(common.seed)
    words += ["--seeds", str(request.seeds)] if request.seeds else []
    return shlex.join([*words, *set_options(common.overrides)])


def _checked(cells: Sequence[Cell], request: Request) -> Iterator[tuple[Cell, Checked]]:
    texts = {scenario: _engine.scenario_text(scenario) for scenario in {cell.scenario for cell in cells}}
    recipes = (Recipe(texts[cell.scenario], cell.scenario, cell.overrides, engine=request.engine) for cell in cells)
    for cell, answer in zip(cells, check_all(recipes, request.jobs), strict=True):
        if isinstance(answer, _engine.InputError):
            raise answer
        yield cell, answer


def _chosen(study: Study, names: Sequence[str]) -> tuple[Figure, ...]:
    known = [figure.name for figure in study.figures]
    for name in names:
        if name not in known:
            near = nearest(name, known)
            raise _engine.InputError(f"{study.name} has no figure {name}: it has {', '.join(known)}{near}")
    return tuple(figure for figure in study.figures if not names or figure.name in names)
