"""The known causes, in explanations.toml, of points outside the bar and of biases; tables show them."""

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
    """The cause in the first entry of this kind that names the metric, and the point or settings of it; else empty.

    An entry may apply to only one of the set's results of ns-2, which `against` names.
    """
    for entry in _explanations().get(kind, []):
        named = str(point) in entry["points"] if "points" in entry else _has(point, entry["settings"])
        if named and metric in entry.get("metrics", [metric]) and against == entry.get("against", against):
            return str(entry["cause"])
    return ""


def cause_of_bias(kind: str, metric: str, group: str) -> str:
    """The cause in the first entry of `bias` for this set and metric that names the group or no group; else empty."""
    for entry in _explanations().get("bias", []):
        if entry["set"] == kind and metric in entry["metrics"] and group in entry.get("groups", [group]):
            return str(entry["cause"])
    return ""


def _has(point: Point, settings: Mapping[str, object]) -> bool:
    return all(getattr(point, name) == value for name, value in settings.items())
