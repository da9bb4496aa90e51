"""A study's verdicts and figures as Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airfair.catalogue.left_out import flag
from airfair.catalogue.units import Scale, number, plus_minus, scale_of
from airfair.studies.evidence import RULE
from airfair.studies.figures import label, remarks
from airfair.studies.figures import points as figure_points
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
    from airfair.studies.claims import Judgement
    from airfair.studies.figures import FigurePoint
    from airfair.studies.measurements import Measurements
    from airfair.studies.plan import Plan
    from airfair.studies.study import Figure, Study


def markdown(plan: Plan, measured: Measurements, judgement: Judgement) -> str:
    """The claims with their verdicts and explanations, and one table for each figure."""
    study = plan.study
    judged = judgement.claims
    seeds = plan.seeds
    parts = [
        f"# {study.title}",
        study.source,
        study.summary,
        f"Seeds {seeds[0]} to {seeds[-1]}{', quick run' if plan.quick else ''}. Values are means and 95 % confidence "
        "intervals over the seeds.",
        *([plan.changed] if plan.changed else []),
        "## Set-up",
        "\n".join(f"- {line}" for line in study.setup),
        "How the paper's words are read as numbers:",
        "\n".join(f"- {line}" for line in study.readings),
        *_papers(study, judgement),
        "## Claims",
        RULE,
        _claims(study, judgement),
    ]
    notes: dict[str, list[str]] = {}
    for item in judged:
        if item.note:
            notes.setdefault(item.note, []).append(f"`{item.id}`")
    if notes:
        parts += ["### Why some fail", "\n".join(f"- {', '.join(names)}: {note}" for note, names in notes.items())]
    if unjudged := judgement.not_judged():
        listing = (f"- {', '.join(f'`{name}`' for name in ids)}: {reason}." for reason, ids in unjudged.items())
        parts += ["### Not judged", "\n".join(listing)]
    if judgement.setups:
        parts += ["## What survives other set-ups", *_survival(study, judgement)]
    parts.append("## Figures")
    for figure in plan.figures:
        parts += _figure(study, figure, measured)
    return "\n\n".join(parts) + "\n"


def _figure(study: Study, figure: Figure, measured: Measurements) -> list[str]:
    """The lines on a figure, with its table. A figure over time has no table; it is left out unless it is shown."""
    points = figure_points(study, figure, measured)
    heading = f"### {figure.title}"
    paper = figure.paper or "Our own"
    image = [f"![{figure.title}](figures/{figure.name}.png)"] if figure.show else []
    if figure.kind in (TRACE, FLOWS):
        caption = " ".join([figure.caption, *remarks(study, figure, measured)])
        return [heading, f"{paper}. {caption}", *image] if image else []
    if not any(point.estimate for point in points):
        return []
    scale = scale_of((point.estimate.mean for point in points if point.estimate), points[0].unit)
    shown = scale.label(label(study, figure)) + ". " if figure.y_label or len(figure.y) == 1 else ""
    caption = " ".join([figure.caption, *remarks(study, figure, measured)])
    return [heading, f"{paper}. {shown}{caption}", *image, _pivot(study, figure, points, scale)]


def _survival(study: Study, judgement: Judgement) -> list[str]:
    """The table of claims by set-ups, with a list of the set-ups."""
    rows = survival_rows(study, judgement)
    setups = study.sensitivity.setups
    numbers = [str(place) for place in range(1, len(setups) + 1)]
    table = [
        [
            row.claim.source,
            row.claim.sentence,
            *(MARKS[cell.verdict] if cell else "" for cell in row.cells),
            row.held,
        ]
        for row in rows
    ]
    listing = "\n".join(
        f"{number}. {setup.title}"
        + (f" (`{'`, `'.join(f'{k} = {v}' for k, v in setup.set.items())}`)" if setup.set else "")
        for number, setup in zip(numbers, setups, strict=True)
    )
    return [
        "Every claim judged again under other assumptions, one changed at a time, on the same seeds. "
        + points_in_words(study)
        + in_words(rows),
        listing,
        _table(["Section", "Claim", *numbers, "Holds in"], table),
        "✓ holds, ✗ fails, ? undecided, blank: the set-up does not concern the claim.",
    ]


def _papers(study: Study, judgement: Judgement) -> list[str]:
    """The table of other studies whose claims are judged again, and how many hold; empty if there are none."""
    if not study.again or judgement.none:
        return []
    heads = ["Study", *(variant.title for variant in study.variants), "In all"]
    rows = [[row.paper.name, *row.holds, row.survive] for row in paper_rows(study, judgement)]
    points = "\n".join(f"- {line}" for line in papers_points(study))
    return ["## What survives", PAPERS, _table(heads, rows), "Judged:", points]


def _claims(study: Study, judgement: Judgement) -> str:
    if judgement.none:
        return judgement.none
    titles = [variant.title for variant in study.variants] or ["Verdict"]
    rows = [[items[0].claim.source, items[0].claim.sentence, *verdicts(study, items)] for items in judgement.by_claim()]
    return _table(["Section", "Claim", *titles], rows)


def _pivot(study: Study, figure: Figure, points: list[FigurePoint], scale: Scale) -> str:
    """One row for each value of x, one column for each panel and series."""
    axes = [axis for axis in (figure.panels, figure.series) if axis]
    columns: dict[tuple[str, ...], None] = {}
    rows: dict[str, dict[tuple[str, ...], str]] = {}
    for point in points:
        column = tuple(study.name_on(axis, point.text_on(axis)) for axis in axes)
        columns[column] = None
        rows.setdefault(study.value_label(figure.x, point.text_on(figure.x)), {})[column] = _cell(point, scale)
    panels = list(dict.fromkeys(column[:1] for column in columns))
    order = sorted(columns, key=lambda column: panels.index(column[:1]))
    heads = [study.label(figure.x), *(", ".join(column) for column in order)]
    return _table(heads, [[x, *(row.get(column, "") for column in order)] for x, row in rows.items()])


def _cell(point: FigurePoint, scale: Scale) -> str:
    estimate = point.estimate
    if estimate is None:
        return "none"
    if estimate.ci95:
        text = plus_minus(estimate.mean / scale.factor, (estimate.ci95[1] - estimate.mean) / scale.factor)
    else:
        text = number(estimate.mean / scale.factor, 3)
    text += flag(point.left_out[0])
    if point.published is not None:
        text += f" (paper {number(point.published / scale.factor, 3)})"
    if point.predicted is not None:
        text += f" (predicted {number(point.predicted / scale.factor, 3)})"
    return text


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
