"""The report on a study: a self-contained HTML page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airfair import _engine, pages
from airfair.catalogue.left_out import flag
from airfair.catalogue.parameters import equations, seed_options, set_options
from airfair.catalogue.units import interval, quantity
from airfair.studies.evidence import RULE
from airfair.studies.study import FLOWS, TRACE
from airfair.studies.survival import (
    MARKS,
    PAPERS,
    in_words,
    paper_rows,
    papers_points,
    points_in_words,
    survival_rows,
    verdicts,
)

if TYPE_CHECKING:
    from airfair.runs.executor import Failure
    from airfair.studies.claims import Judged, Judgement
    from airfair.studies.evidence import Evidence
    from airfair.studies.figures import FigurePoint
    from airfair.studies.plan import Plan
    from airfair.studies.study import Figure, Study, Variant


def render(
    plan: Plan,
    drawn: dict[str, tuple[str, list[FigurePoint], list[str]]],
    judgement: Judgement,
    failures: list[Failure],
) -> str:
    """Render the report of a study."""
    study = plan.study
    figures = []
    for figure in plan.figures:
        if figure.name in drawn:
            svg, points, remarks = drawn[figure.name]
            axes = _varying(points)
            figures.append(
                {
                    "figure": figure,
                    "svg": pages.inline(svg, figure.name),
                    "remarks": remarks,
                    "columns": [study.label(axis) for axis in axes],
                    "rows": [_point(study, figure, point, axes, plan) for point in points],
                    "trace": figure.kind in (TRACE, FLOWS),
                    # In traces and bars every value is a mark, and no mark has a label.
                    "marks": 'role="graphics-symbol"' in svg,
                }
            )
    return pages.render(
        "report.html",
        script="marks.js",
        study=study,
        plan=plan,
        warnings=plan.warnings,
        rule=RULE,
        model=_engine.MODEL_VERSION,
        figures=figures,
        claims=_claims(study, judgement),
        not_judged=judgement.not_judged(),
        no_claims=judgement.none,
        tally=_tally(study, judgement),
        papers=paper_rows(study, judgement),
        papers_words=PAPERS,
        papers_points=papers_points(study),
        sensitivity=_sensitivity(study, judgement),
        failures=[
            {"scenario": failure.point.scenario.name, "seed": failure.point.seed, "reason": failure.reason}
            for failure in failures
        ],
    )


def _varying(points: list[FigurePoint]) -> list[str]:
    """The axes on which a figure's points differ."""
    axes = points[0].row.cell.at
    return [axis for axis in axes if len({point.row.cell.at[axis] for point in points}) > 1]


def _point(study: Study, figure: Figure, point: FigurePoint, axes: list[str], plan: Plan) -> dict[str, Any]:
    estimate = point.estimate
    if point.row.averaged:
        again = f"the mean over {point.row.averaged} points, seed by seed"
    else:
        seeds = plan.seeds[:1] if figure.kind in (TRACE, FLOWS) else plan.seeds
        again = command(point, seeds, figure.y if figure.kind == TRACE else ())
    return {
        "at": [study.value_label(axis, point.row.cell.at[axis]) for axis in axes],
        "metric": study.label(point.metric),
        "mean": quantity(estimate.mean, point.unit) + flag(point.left_out[0]) if estimate else "none",
        "interval": interval(*estimate.ci95, estimate.mean, point.unit) if estimate and estimate.ci95 else "",
        "n": estimate.n if estimate else 0,
        "published": "" if point.published is None else quantity(point.published, point.unit),
        "reason": "" if estimate else point.row.reason(point.metric),
        "predicted": "" if point.predicted is None else quantity(point.predicted, point.unit),
        "command": "" if point.row.averaged else again,
        "averaged": again if point.row.averaged else "",
    }


def command(point: FigurePoint, seeds: range, traces: Sequence[str] = ()) -> str:
    """The command that runs a point again."""
    cell = point.row.cell
    words = ["airfair", "run", cell.scenario, *seed_options(seeds.start, 1 if traces else len(seeds))]
    if traces:
        words += ["--trace", ",".join(traces), "--out", "DIR"]
    return shlex.join([*words, *set_options(cell.overrides)])


def _claims(study: Study, judgement: Judgement) -> list[dict[str, Any]]:
    """Claims in the study's order, each with its verdicts side by side."""
    return [
        {
            "claim": items[0].claim,
            "verdicts": [
                {
                    "variant": item.variant.title if item.variant else "",
                    "verdict": item.verdict,
                    "note": item.note,
                    "evidence": [_evidence(study, evidence, item.variant) for evidence in item.evidence],
                }
                for item in items
            ],
        }
        for items in judgement.by_claim()
    ]


def _evidence(study: Study, evidence: Evidence, variant: Variant | None) -> dict[str, str]:
    estimate = evidence.estimate
    unit = evidence.unit
    shared = variant.where if variant else {}
    at = [f"{study.label(a)} {study.value_label(a, v)}" for a, v in evidence.at.items() if a not in shared]
    return {
        "what": evidence.what,
        "at": ", ".join(at),
        "value": quantity(estimate.mean, unit) + flag((evidence.left_out or (0,))[0]) if estimate else evidence.reason,
        "interval": interval(*estimate.ci95, estimate.mean, unit) if estimate and estimate.ci95 else "",
        "asked": _asked(evidence),
        "verdict": evidence.verdict,
    }


def _asked(evidence: Evidence) -> str:
    low = None if evidence.low is None else quantity(evidence.low, evidence.unit)
    high = None if evidence.high is None else quantity(evidence.high, evidence.unit)
    if low and high:
        asked = f"{low} to {high}"
    elif low:
        asked = f"above {low}" if evidence.strict else f"at least {low}"
    else:
        asked = f"below {high}" if evidence.strict else f"at most {high}"
    return f"{asked}, as the claim presupposes" if evidence.given else asked


def _tally(study: Study, judgement: Judgement) -> list[dict[str, Any]]:
    """By variant, the numbers of claims that hold, fail and are undecided. Claims without variants count in each."""
    titles = [variant.title for variant in study.variants] or [""]
    rows = [verdicts(study, items) for items in judgement.by_claim()]
    result = []
    for place, title in enumerate(titles):
        column = [row[place] for row in rows]
        counts = {verdict: column.count(verdict) for verdict in MARKS}
        result.append({"title": title, "counts": counts, "total": sum(counts.values())})
    return result


def _sensitivity(study: Study, judgement: Judgement) -> dict[str, Any] | None:
    """The table of claims by set-ups; each cell has its deciding evidence."""
    rows = survival_rows(study, judgement)
    if not rows:
        return None
    return {
        "words": points_in_words(study) + in_words(rows),
        "setups": [{"title": setup.title, "set": equations(setup.set.items())} for setup in study.sensitivity.setups],
        "rows": [
            {
                "claim": row.claim,
                "cells": [_survival_cell(study, item) for item in row.cells],
                "counts": row.counts,
                "total": sum(row.counts.values()),
            }
            for row in rows
        ],
    }


def _survival_cell(study: Study, item: Judged | None) -> dict[str, str]:
    if item is None:
        return {"verdict": "", "mark": "", "why": ""}
    found = _evidence(study, item.deciding, item.variant)
    interval_words = f" ({found['interval']})" if found["interval"] else ""
    why = f"{found['what']} at {found['at']}: {found['value']}{interval_words}, asked: {found['asked']}"
    return {"verdict": item.verdict, "mark": MARKS[item.verdict], "why": why}
