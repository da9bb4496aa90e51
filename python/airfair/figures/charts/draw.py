"""Drawing a figure of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airfair.catalogue.wording import title
from airfair.figures.charts import lines, maps, spread
from airfair.figures.charts.kinds import BOX, CDF, HEATMAP, LINE
from airfair.figures.charts.picture import Picture
from airfair.figures.drawing import Drawing
from airfair.runs.estimate import NOT_FROM_ZERO


def remarks(picture: Picture) -> list[str]:
    """Notes on values that are cut or left out, and on axes that do not start at zero, each once."""
    choice = picture.choice
    if choice.kind == LINE:
        return _by_metric({metric: lines.remarks(picture, metric) for metric in choice.y})
    of_sessions = maps.remarks(picture) if choice.kind == HEATMAP else []
    channel = "x" if choice.kind == CDF else "y"
    if channel in (picture.log or ()) and any(value <= 0 for item in picture.numbers for value in item.drawn):
        return [*of_sessions, "Values at or below zero are left out, as the axis is logarithmic."]
    if choice.kind == BOX and not all(spread.from_zero(picture, metric) for metric in choice.y):
        return [NOT_FROM_ZERO]
    return of_sessions


def _by_metric(found: Mapping[str, Sequence[str]]) -> list[str]:
    """Each note once, with the metrics that it is about unless it is about all."""
    about: dict[str, list[str]] = {}
    for metric, notes in found.items():
        for words in notes:
            about.setdefault(words, []).append(title(metric))
    return [
        words if len(metrics) == len(found) else f"{'; '.join(metrics)}: {words[0].lower()}{words[1:]}"
        for words, metrics in about.items()
    ]


def draw(picture: Picture) -> Drawing:
    """Draw a figure."""
    choice = picture.choice
    along = lines.lines if choice.x and picture.along[choice.x].numeric else lines.dots
    maker = {HEATMAP: maps.heatmap, BOX: spread.boxes, CDF: spread.distribution}.get(choice.kind, along)
    return picture.put_together({metric: maker(picture, metric) for metric in choice.y})
