"""The cells that a study is asked to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airfair import _engine
from airfair.catalogue.known import nearest
from airfair.command import Common
from airfair.studies.claims import cells_under
from airfair.studies.file import load
from airfair.studies.study import Cell, Figure, Study


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
