"""Claims: tests on measured statistics, with a confidence interval over seeds.

A test selects points of one experiment and bounds for a statistic at each. Its verdict at a point is `holds` if the
whole 95 % interval lies within the bounds, `fails` if the whole interval lies outside, and `undecided` otherwise. A
claim holds if all its points hold and fails if one fails, without correction for the number of points. Where something
that it presupposes (`given`) does not hold it is undecided. If two sides are compared, values are paired by seed.

`claim_test.py` lists the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from airfair.studies.claim_test import NOT_RUN, ClaimTest, axes_compared, parts
from airfair.studies.evidence import Evidence, overall
from airfair.studies.measurements import Measurements
from airfair.studies.study import Cell, Claim, Experiment, Setup, Study, Variant


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict in one variant."""

    #: The claim's id, followed by the variant's name unless it is the first variant.
    id: str
    claim: Claim
    variant: Variant | None
    verdict: str
    evidence: tuple[Evidence, ...]
    #: The set-up of the sensitivity analysis in which the claim was judged, if any.
    setup: Setup | None = None

    @property
    def note(self) -> str:
        """The study's explanation if the claim fails in a variant; else empty."""
        if self.verdict != "fails" or self.setup:
            return ""
        notes = self.claim.notes
        return notes.get(self.variant.name if self.variant else "", notes.get("", ""))

    @property
    def deciding(self) -> Evidence:
        """The first evidence that decided the verdict: an unmet presupposition, or evidence with that verdict."""
        unmet = (item for item in self.evidence if item.unmet)
        return next(unmet, None) or next(item for item in self.evidence if item.verdict == self.verdict)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        document: dict[str, Any] = {
            "id": self.id,
            "source": self.claim.source,
            "sentence": self.claim.sentence,
            "variant": self.variant.name if self.variant else None,
            **({"setup": self.setup.name} if self.setup else {}),
            "verdict": self.verdict,
            "evidence": [evidence.document() for evidence in self.evidence],
        }
        return document | ({"note": self.note} if self.note else {})


@dataclass(frozen=True)
class Unjudged:
    """A test of a claim that has no evidence in one variant."""

    #: Id of the claim, as `Judged.id` has it.
    id: str
    claim: Claim
    #: The number of the test among the claim's tests, from 1; 0 for the whole claim.
    test: int
    reason: str

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "id": self.id,
            "source": self.claim.source,
            "sentence": self.claim.sentence,
            "test": self.test,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Judgement:
    """All verdicts on a study."""

    #: Verdicts in the variants.
    claims: list[Judged]
    #: Verdicts in the set-ups of the sensitivity analysis; empty if that was not run.
    setups: list[Judged]
    #: Claims, or single tests of claims, without a verdict.
    unjudged: list[Unjudged]

    @property
    def none(self) -> str:
        """Says that there is no verdict in any variant; empty if there is one."""
        return "" if self.claims else "No claim can be judged from these points."

    def by_claim(self) -> list[list[Judged]]:
        """The verdicts on each claim that has any, one for each variant that the claim distinguishes."""
        return [list(items) for _, items in groupby(self.claims, lambda item: item.claim.id)]

    def not_judged(self) -> dict[str, list[str]]:
        """By reason, the ids of claims without a verdict, or with tests that gave no evidence."""
        judged = {item.id for item in self.claims}
        found: dict[str, list[str]] = {}
        for item in self.unjudged:
            part = f" (test {item.test} of {len(item.claim.tests)})" if item.id in judged else ""
            ids = found.setdefault(item.reason, [])
            if item.id + part not in ids:
                ids.append(item.id + part)
        return found


def judgement(study: Study, measured: Measurements, *, setups: bool) -> Judgement:
    """Judge every claim, in each variant that pins an axis of its experiments, and in the set-ups if asked for."""
    judged, unjudged = [], []
    for claim in study.claims:
        if claim.left_out:
            unjudged.append(Unjudged(claim.id, claim, 0, claim.left_out))
            continue
        experiments = _experiments(study, claim)
        fitting: list[Variant | None] = [v for v in study.variants if any(v.within(e) for e in experiments)]
        for variant in fitting or [None]:
            name = _name(study, claim, variant)
            if reason := claim.left_out_at(variant.where if variant else {}):
                unjudged.append(Unjudged(name, claim, 0, reason))
                continue
            evidence, reasons = _evidence(study, claim, measured, variant)
            judged += _judged(study, claim, variant, evidence)
            unjudged += [Unjudged(name, claim, test, reason) for test, reason in reasons.items()]
    return Judgement(judged, judge_setups(study, measured) if setups else [], unjudged)


def judge_setups(study: Study, measured: Measurements) -> list[Judged]:
    """Judge every claim in each set-up of the sensitivity analysis, in the study's first variant."""
    variant = next(iter(study.variants), None)
    judged = []
    for claim in study.claims:
        for setup in study.sensitivity.setups:
            if setup.concerns(experiment.name for experiment in _experiments(study, claim)):
                evidence, _ = _evidence(study, claim, measured, variant, setup)
                judged += _judged(study, claim, variant, evidence, setup)
    return judged


def _name(study: Study, claim: Claim, variant: Variant | None) -> str:
    return claim.id if variant is None or variant is study.variants[0] else f"{claim.id}/{variant.name}"


def _judged(
    study: Study, claim: Claim, variant: Variant | None, evidence: tuple[Evidence, ...], setup: Setup | None = None
) -> list[Judged]:
    """The verdict on a claim in a list, which is empty without evidence."""
    if not evidence:
        return []
    return [Judged(_name(study, claim, variant), claim, variant, overall(evidence), evidence, setup)]


def cells_under(study: Study, experiment: Experiment) -> Iterator[Cell]:
    """The cells of an experiment that its claims need in every set-up of the sensitivity analysis that concerns it."""
    pinned = next(iter(study.variants)).within(experiment) if study.variants else {}
    for setup in study.sensitivity.setups:
        if setup.concerns([experiment.name]):
            for cell in experiment.cells():
                if cell.matches(pinned) and cell.matches(study.sensitivity.where_in(experiment)) and asked(study, cell):
                    yield cell.under(setup)


def asked(study: Study, cell: Cell) -> bool:
    """Whether a claim of the study needs the cell."""
    return any(
        test["experiment"] == cell.experiment and any(map(cell.matches, _asked(test)))
        for claim in study.claims
        if not claim.left_out_at(cell.at)
        for test in claim.tests
    )


def _experiments(study: Study, claim: Claim) -> list[Experiment]:
    return [study.experiments[test["experiment"]] for test in claim.tests]


def _evidence(
    study: Study, claim: Claim, measured: Measurements, variant: Variant | None, setup: Setup | None = None
) -> tuple[tuple[Evidence, ...], dict[int, str]]:
    """The evidence on a claim, and by number the reason for each test that gave none."""
    items: list[Evidence] = []
    reasons: dict[int, str] = {}
    for number, (test, experiment) in enumerate(zip(claim.tests, _experiments(study, claim), strict=True), 1):
        pinned = variant.within(experiment) if variant else {}
        taken = study.sensitivity.where_in(experiment) if setup else {}
        name = setup.name if setup else ""
        asked = ClaimTest(test, experiment, pinned, study, measured, taken=taken, setup=name)
        found = list(asked.evidence())
        items += found
        if not found:
            reasons[number] = next(iter(asked.skipped), NOT_RUN)
    return tuple(items), reasons


def _asked(test: Mapping[str, Any]) -> Iterator[dict[str, str | list[str]]]:
    """The points that each side of a test selects; `where` does not narrow the axes that the sides compare."""
    compared = axes_compared(test)
    where = {
        axis: list(map(str, value)) if isinstance(value, list) else str(value)
        for axis, value in test.get("where", {}).items()
        if axis not in compared
    }
    for side in parts(test):
        yield where | {axis: str(value) for axis, value in side.items() if axis != "metric"}
