"""Means over seeds with their confidence intervals, and the metrics and parameters of a run as numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from airfair import _engine
from airfair.catalogue.parameters import is_number
from airfair.catalogue.units import interval, quantity

#: The remark on a figure with intervals that `within` has clipped.
CUT = "Intervals are cut where the metric's range ends."
#: The remark on a figure in which marks are hollow: those of means that leave unfinished sessions out.
HOLLOW = "Hollow marks leave sessions out."
#: The remark on a figure whose axis of values does not begin at zero.
NOT_FROM_ZERO = "The axis does not start at zero."


class Estimate(NamedTuple):
    """A mean over seeds and its 95 % confidence interval, in SI units."""

    mean: float
    #: The ends of the interval; `None` for a single seed.
    ci95: tuple[float, float] | None
    n: int

    @classmethod
    def of(cls, values: list[float]) -> Estimate | None:
        """The mean of these values and its interval by Student's t; `None` if there are no values."""
        if not values:
            return None
        mean, low, high = _engine.mean_ci95(values)
        ci95 = None if low is None or high is None else (low, high)
        return cls(mean, ci95, len(values))


def as_json(estimate: Estimate | None, name: str = "value") -> dict[str, Any]:
    """An estimate as a JSON object, with its mean under `name`; without an estimate, with empty values."""
    if estimate is None:
        return {name: None, "ci95": None, "n": 0}
    return {name: estimate.mean, "ci95": list(estimate.ci95) if estimate.ci95 else None, "n": estimate.n}


def within(metric: str, estimate: Estimate) -> tuple[float, float]:
    """The ends of an estimate's interval, clipped to the metric's range: the interval of few seeds can exceed it.

    The clipped interval still contains the mean. Without an interval, both ends are the mean.
    """
    return _engine.within_range(metric, estimate.ci95 or (estimate.mean, estimate.mean), estimate.mean)


def number(parameter: Any) -> float | None:
    """The numeric value of a resolved parameter; `None` if it is not a number."""
    value = parameter.get("value") if isinstance(parameter, Mapping) else parameter
    return float(value) if is_number(value) else None


def metrics_of(outcome: _engine.Outcome) -> Mapping[str, Mapping[str, Any]]:
    """The metrics of an outcome by name: value, unit, and the reason for a missing value."""
    metrics: Mapping[str, Mapping[str, Any]] = json.loads(outcome.metrics_json)
    return metrics


def told(estimate: Estimate | None, unit: str) -> str:
    """A value and its interval for people."""
    if estimate is None:
        return "none"
    text = quantity(estimate.mean, unit)
    return f"{text} ({interval(*estimate.ci95, estimate.mean, unit)})" if estimate.ci95 else text


def leaves_out_zero(values: Iterable[float]) -> bool:
    """Whether a linear axis for these values, with its ends at round numbers, begins above zero."""
    found = list(values)
    low, high = min(found, default=0.0), max(found, default=0.0)
    if not 0 < low < high:
        return low > 0
    # The round step nearest to a tenth of the range, as in d3's `nice`, which Vega uses.
    tenth = (high - low) / 10
    power = 10.0 ** math.floor(math.log10(tenth))
    step = power * next((size for size, limit in ((10, 50), (5, 10), (2, 2)) if tenth / power >= math.sqrt(limit)), 1)
    return math.floor(low / step) > 0
