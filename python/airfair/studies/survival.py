"""The verdicts of claims by set-ups, for the report and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airfair.studies.claims import Judged, Judgement
    from airfair.studies.study import Again, Claim, Filter, Study

#: The marks of verdicts in narrow columns.
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?"}


@dataclass(frozen=True)
class SurvivalRow:
    """A claim in every set-up that concerns it."""

    claim: Claim
    #: The verdicts in the order of the set-ups; `None` for a set-up that does not concern the claim.
    cells: list[Judged | None]
    #: The numbers of set-ups in which the claim holds, fails and is undecided.
    counts: dict[str, int]

    @property
    def held(self) -> str:
        """The number of set-ups in which the claim holds: `3 of 7`."""
        return f"{self.counts['holds']} of {sum(self.counts.values())}"

    @property
    def everywhere(self) -> str | None:
        """The verdict on which all set-ups agree; `None` if they differ."""
        return next((verdict for verdict, count in self.counts.items() if count == sum(self.counts.values())), None)


def verdicts(study: Study, items: Sequence[Judged]) -> list[str]:
    """The verdicts on a claim, one for each variant, all equal if it does not distinguish variants.

    A verdict is empty if the claim is not judged in the variant.
    """
    found = {item.variant.name if item.variant else "": item.verdict for item in items}
    return [found.get(variant.name, found.get("", "")) for variant in study.variants] or [found[""]]


@dataclass(frozen=True)
class PaperRow:
    """The claims of another study, judged again."""

    paper: Again
    #: For each variant, in the study's order: how many of the claims judged there hold: `3 of 7`.
    holds: list[str]
    #: How many claims hold in every variant in which they are judged: `3 of 7`.
    survive: str


def paper_rows(study: Study, judgement: Judgement) -> list[PaperRow]:
    """One row for each study whose claims are judged again."""
    found: dict[str, list[list[str]]] = {paper.name: [] for paper in study.again}
    for items in judgement.by_claim():
        found.get(items[0].claim.paper, []).append(verdicts(study, items))
    rows = []
    for paper in study.again:
        columns = [[row[place] for row in found[paper.name]] for place in range(len(study.variants))]
        held = [_held([verdict for verdict in column if verdict]) for column in columns]
        everywhere = ["holds" if set(row) <= {"holds", ""} else "" for row in found[paper.name]]
        rows.append(PaperRow(paper, held, _held(everywhere)))
    return rows


def _held(verdicts: Sequence[str]) -> str:
    return f"{verdicts.count('holds')} of {len(verdicts)}"


#: Explanation of the table of `paper_rows`.
PAPERS = (
    "How many claims of each paper hold, of those judged there, by network; "
    "the last column has those that hold in every network in which they are judged."
)


def papers_points(study: Study) -> list[str]:
    """The points at which the claims of other studies are judged again, one line for each study."""
    return [
        f"{paper.name} at " + ("; ".join(_taken(study, paper.where)) if paper.where else "all points of its study")
        for paper in study.again
    ]


def survival_rows(study: Study, judgement: Judgement) -> list[SurvivalRow]:
    """One row for each claim that the sensitivity analysis concerns, in the study's order."""
    rows = []
    for claim in study.claims:
        found = {item.setup.name: item for item in judgement.setups if item.claim is claim and item.setup}
        if found:
            verdicts = [item.verdict for item in found.values()]
            counts = {verdict: verdicts.count(verdict) for verdict in MARKS}
            rows.append(SurvivalRow(claim, [found.get(setup.name) for setup in study.sensitivity.setups], counts))
    return rows


def points_in_words(study: Study) -> str:
    """A note on the points of the sensitivity analysis; empty if these are all points.

    At fewer points, the first column may differ from the verdict.
    """
    where = study.sensitivity.where
    if not where:
        return ""
    return (
        f"At fewer points than the verdicts above: {'; '.join(_taken(study, where))}; so the first column may differ. "
    )


def _taken(study: Study, where: Filter) -> list[str]:
    """The points that are run, by axis."""
    return [
        f"{study.label(axis)} {', '.join([values] if isinstance(values, str) else values)}"
        for axis, values in where.items()
    ]


def in_words(rows: list[SurvivalRow]) -> str:
    """The number of claims with the same verdict in every set-up."""
    held = sum(row.everywhere == "holds" for row in rows)
    failed = sum(row.everywhere == "fails" for row in rows)
    depend = len(rows) - held - failed
    return (
        f"Claims: {len(rows)}. Same in every set-up that concerns them: {held} (hold) and {failed} (fail). "
        f"Dependent on the set-up: {depend}."
    )
