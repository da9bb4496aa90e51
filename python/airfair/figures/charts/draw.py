"""Drawing a figure of any kind."""

from __future__ import annotations

from typing import Any

from airfair.figures.charts import lines, maps, spread
from airfair.figures.charts.choice import BOX, CDF, HEATMAP, LINE
from airfair.figures.charts.picture import Picture
from airfair.figures.drawing import Drawing


def remarks(picture: Picture) -> list[str]:
    """Notes on values that are cut or left out, each once."""
    choice = picture.choice
    if choice.kind == LINE:
        return list(dict.fromkeys(words for metric in choice.y for words in lines.remarks(picture, metric)))
    channel = "x" if choice.kind == CDF else "y"
    if channel in (picture.log or ()) and any(value <= 0 for item in picture.numbers for value in item.drawn):
        return ["Values at or below zero are left out, as the axis is logarithmic."]
    return []


def draw(picture: Picture) -> Drawing:
    """Draw a figure."""
    kind = picture.choice.kind
    maker: Any = lines.lines
    if kind == HEATMAP:
        maker = maps.heatmap
    elif kind == BOX:
        maker = spread.boxes
    elif kind == CDF:
        maker = spread.distribution
    elif picture.choice.x and not picture.along[picture.choice.x].numeric:
        maker = lines.dots
    return picture.put_together({metric: maker(picture, metric) for metric in picture.choice.y})
