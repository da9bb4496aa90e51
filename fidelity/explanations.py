"""Why a point is outside the bar: explanations.toml, shown beside the point."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from fidelity.points import Point
from fidelity.references import HERE


@cache
def _explanations() -> Mapping[str, list[dict[str, Any]]]:
    return tomllib.loads((HERE / "explanations.toml").read_text())


def cause(kind: str, point: Point, metric: str = "", against: str = "") -> str:
    """Of the first entry of this kind that names the metric, and the point or settings that it has; else nothing.

    An entry may hold against one of the set's ns-2 results only.
    """
    for entry in _explanations().get(kind, []):
        named = str(point) in entry["points"] if "points" in entry else _has(point, entry["settings"])
        if named and metric in entry.get("metrics", [metric]) and against == entry.get("against", against):
            return str(entry["cause"])
    return ""


def _has(point: Point, settings: Mapping[str, object]) -> bool:
    return all(getattr(point, name) == value for name, value in settings.items())
