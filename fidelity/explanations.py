"""Why a point is outside the bar or a metric is biased: explanations.toml, shown beside it."""

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


def cause_of_bias(kind: str, metric: str, group: str) -> str:
    """Of the first entry of `bias` with this set and metric that names the group, or no groups at all; else nothing."""
    for entry in _explanations().get("bias", []):
        if entry["set"] == kind and metric in entry["metrics"] and group in entry.get("groups", [group]):
            return str(entry["cause"])
    return ""


def _has(point: Point, settings: Mapping[str, object]) -> bool:
    return all(getattr(point, name) == value for name, value in settings.items())
