"""Evidence: one statistic, its confidence interval over seeds, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airfair.runs.estimate import Estimate


@dataclass(frozen=True)
class Evidence:
    """One statistic and its verdict."""

    #: The statistic, in words.
    what: str
    #: The point: values of the axes.
    at: Mapping[str, str]
    metric: str
    #: SI unit of the statistic and its bounds.
    unit: str
    estimate: Estimate | None
    low: float | None
    high: float | None
    #: Whether the bounds exclude their end points.
    strict: bool
    verdict: str
    #: The reason for a missing verdict.
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        estimate = self.estimate
        document: dict[str, Any] = {
            "statistic": self.what,
            "metric": self.metric,
            "unit": self.unit,
            "at": dict(self.at),
            "value": estimate.mean if estimate else None,
            "ci95": list(estimate.ci95) if estimate and estimate.ci95 else None,
            "n": estimate.n if estimate else 0,
            "asked": {"low": self.low, "high": self.high, "strict": self.strict},
            "verdict": self.verdict,
        }
        return document | ({"reason": self.reason} if self.reason else {})


def overall(verdicts: list[str]) -> str:
    """The verdict of a claim from the verdicts of its points."""
    if "fails" in verdicts:
        return "fails"
    return "holds" if all(verdict == "holds" for verdict in verdicts) else "undecided"


def verdict(estimate: Estimate | None, low: float | None, high: float | None, *, strict: bool = False) -> str:
    """Whether the interval lies within the bounds. `strict` excludes the end points."""
    if estimate is None or estimate.ci95 is None:
        return "undecided"
    bottom, top = estimate.ci95
    if (low is not None and (top <= low if strict else top < low)) or (
        high is not None and (bottom >= high if strict else bottom > high)
    ):
        return "fails"
    inside = (low is None or (bottom > low if strict else bottom >= low)) and (
        high is None or (top < high if strict else top <= high)
    )
    return "holds" if inside else "undecided"
