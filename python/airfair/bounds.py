"""What a metric can be at the least and at most, and intervals within that."""

from __future__ import annotations

from airfair.api import metrics
from airfair.measurements import Estimate


def bounds(metric: str) -> tuple[float | None, float | None]:
    """The ends of a metric's range; `None` where it has no end, or where no such metric is known."""
    for entry in metrics():
        if entry["name"] == metric:
            return entry["range"]["low"], entry["range"]["high"]
    return None, None


def within(metric: str, estimate: Estimate) -> tuple[float, float]:
    """The ends of an interval, cut where the metric's range ends: few seeds can carry it beyond.

    The mean stays inside; without an interval both ends are the mean.
    """
    low, high = estimate.ci95 or (estimate.mean, estimate.mean)
    bottom, top = bounds(metric)
    low = low if bottom is None else max(low, min(bottom, estimate.mean))
    return low, high if top is None else min(high, max(top, estimate.mean))
