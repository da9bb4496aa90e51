"""Bounds on metrics, as options state them: `throughput_total >= 5 Mb/s`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airfair import _engine
from airfair.catalogue.units import quantity

_WRITTEN = re.compile(r"\s*([\w.-]+)\s*(>=|<=|≥|≤)\s*(\S.*?)\s*")


@dataclass(frozen=True)
class Constraint:
    """A bound on a metric's mean over the seeds."""

    metric: str
    #: SI unit of the metric and the bound.
    unit: str
    #: `>=` or `<=`.
    relation: str
    bound: float

    def __str__(self) -> str:
        return f"{self.metric} {self.relation} {quantity(self.bound, self.unit)}"

    def violation(self, value: float) -> float:
        """How far a value is beyond the bound, as a share of the bound; 0 if it satisfies the constraint."""
        short = self.bound - value if self.relation == ">=" else value - self.bound
        return max(0.0, short) / (abs(self.bound) or 1.0)


def constraint(option: str, text: str) -> Constraint:
    """Read the value of an option. Raises `InputError`, which names the option."""
    matched = _WRITTEN.fullmatch(text)
    if not matched:
        raise _engine.InputError(f'{option} "{text}": "METRIC >= X" or "METRIC <= X" is needed')
    metric, relation, bound = matched.groups()
    unit = unit_of(metric)
    try:
        value = _engine.quantity(bound, unit)
    except _engine.InputError as error:
        raise _engine.InputError(f'{option} "{text}": {error}') from None
    return Constraint(metric, unit, {"≥": ">=", "≤": "<="}.get(relation, relation), value)


def unit_of(metric: str) -> str:
    """The SI unit of a metric. Raises `InputError` if there is none of this name."""
    description: Mapping[str, Any] = json.loads(_engine.describe_metric_json(metric))
    return str(description["unit"])
