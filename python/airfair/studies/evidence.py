"""Evidence: one statistic, its confidence interval over seeds, and its verdict."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from airfair.catalogue import left_out
from airfair.runs.estimate import Estimate, as_json


@dataclass(frozen=True)
class Evidence:
    """One statistic and its verdict."""

    #: The statistic, in words.
    what: str
    #: The point: its values by axis.
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
    #: Whether the claim presupposes this evidence.
    given: bool = False
    #: How many unfinished sessions the means behind it leave out, of how many; `None` if none of them is over sessions.
    left_out: tuple[int, int] | None = None

    @property
    def unmet(self) -> bool:
        """Whether the claim presupposes this evidence, and it does not hold."""
        return self.given and self.verdict != "holds"

    def document(self) -> dict[str, Any]:
        """As JSON."""
        document: dict[str, Any] = {
            "statistic": self.what,
            "metric": self.metric,
            "unit": self.unit,
            "at": dict(self.at),
            **as_json(self.estimate),
            **left_out.as_json(self.left_out),
            "asked": {"low": self.low, "high": self.high, "strict": self.strict},
            "verdict": self.verdict,
        }
        return document | ({"reason": self.reason} if self.reason else {}) | ({"given": True} if self.given else {})


#: The rule for verdicts, for readers of a study.
RULE = (
    "A number holds where its whole 95 % interval lies within what is asked, fails where the whole interval lies "
    "outside, and is undecided otherwise. A claim holds if all its numbers do, fails if one of them does, and is "
    "undecided otherwise, or where something that it presupposes does not hold. A claim with many numbers gets no "
    "correction for that."
)


def overall(evidence: Sequence[Evidence]) -> str:
    """The verdict of a claim: undecided where something that it presupposes does not hold."""
    if any(item.unmet for item in evidence):
        return "undecided"
    verdicts = [item.verdict for item in evidence]
    if "fails" in verdicts:
        return "fails"
    return "holds" if all(verdict == "holds" for verdict in verdicts) else "undecided"


def verdict(estimate: Estimate | None, low: float | None, high: float | None, *, strict: bool = False) -> str:
    """The verdict: whether the interval lies within the bounds. `strict` excludes the end points."""
    if estimate is None or estimate.ci95 is None:
        return "undecided"
    bottom, top = estimate.ci95
    least, most = -inf if low is None else low, inf if high is None else high
    below, above = (operator.le, operator.gt) if strict else (operator.lt, operator.ge)
    if below(top, least) or below(most, bottom):
        return "fails"
    return "holds" if above(bottom, least) and above(most, top) else "undecided"
