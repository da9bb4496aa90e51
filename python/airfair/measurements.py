"""What a study's points gave: each metric of each cell by seed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airfair import _engine

if TYPE_CHECKING:
    from airfair.study import Cell


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds and its 95 % confidence interval, in SI units."""

    mean: float
    #: `None` for a single seed.
    ci95: tuple[float, float] | None
    n: int

    @classmethod
    def of(cls, values: list[float]) -> Estimate | None:
        """Student's t over the values in the order given; `None` where there is none."""
        if not values:
            return None
        mean, low, high = _engine.mean_ci95(values)
        ci95 = None if low is None or high is None else (low, high)
        return cls(mean, ci95, len(values))


@dataclass
class Row:
    """One cell's results."""

    cell: Cell
    #: The cell's parameters as the engine resolved them, in SI.
    parameters: Mapping[str, Any]
    #: Metrics by seed: each `{value, unit, reason?}`.
    metrics: dict[int, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def values(self, metric: str) -> dict[int, float]:
        """A metric's value by seed, where it has one."""
        return {
            seed: float(metrics[metric]["value"])
            for seed, metrics in sorted(self.metrics.items())
            if metrics.get(metric, {}).get("value") is not None
        }

    def unit(self, metric: str) -> str:
        """A metric's SI unit."""
        for metrics in self.metrics.values():
            if metric in metrics:
                return str(metrics[metric]["unit"])
        return ""

    def reason(self, metric: str) -> str:
        """Why a metric has no value."""
        if not self.metrics:
            return "the runs failed"
        for metrics in self.metrics.values():
            entry = metrics.get(metric)
            if entry is None:
                return f"{self.cell.scenario} does not measure {metric}"
            if entry["value"] is None:
                return str(entry.get("reason", ""))
        return ""


class Measurements:
    """All rows of a study, by experiment."""

    def __init__(self) -> None:
        """Start empty."""
        self._rows: dict[str, list[Row]] = {}

    def add(self, row: Row) -> None:
        """Add a cell's row."""
        self._rows.setdefault(row.cell.experiment, []).append(row)

    def rows(self, experiment: str, where: Mapping[str, str | list[str]] | None = None) -> list[Row]:
        """An experiment's rows whose axes have the values wanted, in the order of the sweep."""
        return [row for row in self._rows.get(experiment, []) if row.cell.matches(where or {})]

    def __iter__(self) -> Iterator[Row]:
        for rows in self._rows.values():
            yield from rows

    def resolved(self, axis: str, value: str) -> float | None:
        """The number (SI) that an axis's value stands for, if it is one."""
        for row in self:
            if row.cell.at.get(axis) == value:
                return number(row.parameters.get(axis))
        return None


def number(parameter: Any) -> float | None:
    """The numeric value of a resolved parameter, if it has one."""
    value = parameter.get("value") if isinstance(parameter, Mapping) else parameter
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def metrics_of(outcome: _engine.Outcome) -> Mapping[str, Mapping[str, Any]]:
    """An outcome's metrics."""
    metrics: Mapping[str, Mapping[str, Any]] = json.loads(outcome.metrics_json)
    return metrics
