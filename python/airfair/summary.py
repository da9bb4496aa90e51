"""A study's verdicts and figures as Markdown tables, for documents and for reading as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airfair.figures import points as figure_points
from airfair.units import Scale, number, scale_for

if TYPE_CHECKING:
    from airfair.claims import Judged
    from airfair.figures import FigurePoint
    from airfair.measurements import Measurements
    from airfair.reproduce import Plan
    from airfair.study import Figure, Study


def markdown(plan: Plan, measured: Measurements, judged: list[Judged]) -> str:
    """The claims with their verdicts, why some do not hold, and one table for each figure."""
    study = plan.study
    seeds = plan.seeds
    parts = [
        f"# {study.title}",
        study.source,
        study.summary,
        f"Seeds {seeds[0]} to {seeds[-1]}{', quick run' if plan.quick else ''}. Values are means and 95 % confidence "
        "intervals over the seeds.",
        "## Set-up",
        "\n".join(f"- {line}" for line in study.setup),
        "How the paper's words are read as numbers:",
        "\n".join(f"- {line}" for line in study.readings),
        "## Claims",
        _claims(study, judged),
    ]
    notes = [f"- `{item.document(first=False)['id']}` ({item.verdict}): {item.note}" for item in judged if item.note]
    if notes:
        parts += ["### Why some fail", "\n".join(dict.fromkeys(notes))]
    parts.append("## Figures")
    for figure in plan.figures:
        points = figure_points(study, figure, measured)
        label = study.label(figure.y[0]) if len(figure.y) == 1 else ""
        scale = _scale(points)
        parts += [
            f"### {figure.title}",
            f"{figure.paper or 'Our own'}. {scale.label(label)}. {figure.caption}".replace(" . ", " "),
            _pivot(study, figure, points, scale),
        ]
    return "\n\n".join(parts) + "\n"


def _claims(study: Study, judged: list[Judged]) -> str:
    titles = [variant.title for variant in study.variants]
    rows: dict[str, list[str]] = {}
    for item in judged:
        row = rows.setdefault(item.claim.id, [item.claim.source, item.claim.sentence, *([""] * len(titles))])
        for place, variant in enumerate(study.variants):
            if item.variant in (None, variant):
                row[2 + place] = item.verdict
    return _table(["Section", "Claim", *titles], list(rows.values()))


def _pivot(study: Study, figure: Figure, points: list[FigurePoint], scale: Scale) -> str:
    """One row for each value of x, one column for each panel and series."""
    panel = "metric" if len(figure.y) > 1 else figure.panel
    axes = [axis for axis in (panel, figure.series) if axis]
    columns: dict[tuple[str, ...], None] = {}
    rows: dict[str, dict[tuple[str, ...], str]] = {}
    for point in points:
        column = tuple(_name(study, axis, point) for axis in axes)
        columns[column] = None
        rows.setdefault(study.value_label(figure.x, point.text_on(figure.x)), {})[column] = _cell(point, scale)
    panels = list(dict.fromkeys(column[:1] for column in columns))
    order = sorted(columns, key=lambda column: panels.index(column[:1]))
    heads = [study.label(figure.x), *(", ".join(column) for column in order)]
    return _table(heads, [[x, *(row.get(column, "") for column in order)] for x, row in rows.items()])


def _name(study: Study, axis: str, point: FigurePoint) -> str:
    return study.label(point.metric) if axis == "metric" else study.value_label(axis, point.text_on(axis))


def _cell(point: FigurePoint, scale: Scale) -> str:
    estimate = point.estimate
    if estimate is None:
        return "none"
    text = number(estimate.mean / scale.factor, 3)
    if estimate.ci95:
        text += f" ± {number((estimate.ci95[1] - estimate.mean) / scale.factor, 2)}"
    if point.published is not None:
        text += f" (paper {number(point.published / scale.factor, 3)})"
    return text


def _scale(points: list[FigurePoint]) -> Scale:
    largest = max((abs(point.estimate.mean) for point in points if point.estimate), default=0.0)
    return scale_for(largest, points[0].unit)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
