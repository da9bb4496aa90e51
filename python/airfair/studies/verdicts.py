"""Tables of verdicts in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from airfair import console
from airfair.studies.survival import MARKS, PAPERS, in_words, paper_rows, survival_rows, verdicts

if TYPE_CHECKING:
    from airfair.studies.claims import Judgement
    from airfair.studies.study import Study

#: Maximum number of variants whose columns are spelt out; with more, columns are narrow and a legend explains them.
_SPELT_OUT = 2
#: Maximum number of claims named as not judged for one reason; the report names all.
_NAMED = 4
_STYLES = {"holds": "green", "fails": "red", "undecided": "yellow"}


def claims_table(study: Study, judgement: Judgement) -> Any:
    """One row for each claim, one column for each variant, and the number of set-ups in which it holds."""
    narrow = len(study.variants) > _SPELT_OUT
    titles = [str(i + 1) if narrow else variant.title for i, variant in enumerate(study.variants)] or ["Verdict"]
    setups = ["Set-ups"] if judgement.setups else []
    table = console.table(study.title, "Section", "Claim", *titles, *setups)
    table.columns[1].ratio = 1
    survival = {row.claim.id: row.held for row in survival_rows(study, judgement)}
    for items in judgement.by_claim():
        claim = items[0].claim
        cells = [Text(MARKS[v] if narrow else v, _STYLES[v]) if v else "" for v in verdicts(study, items)]
        table.add_row(claim.source, claim.sentence, *cells, *([survival.get(claim.id, "")] if setups else []))
    return table


def papers_table(study: Study, judgement: Judgement) -> Any:
    """One row for each study whose claims are judged again: how many hold, by variant and in all."""
    table = console.table(PAPERS, "Study", *(variant.title for variant in study.variants), "In all")
    for row in paper_rows(study, judgement):
        table.add_row(row.paper.name, *row.holds, row.survive)
    return table


def legend(study: Study, judgement: Judgement) -> list[str]:
    """The meaning of the columns, and the claims that the table leaves out."""
    lines = []
    if len(study.variants) > _SPELT_OUT and not judgement.none:
        columns = ", ".join(f"{i + 1}: {variant.title}" for i, variant in enumerate(study.variants))
        lines += [columns, ", ".join(f"{mark} {verdict}" for verdict, mark in MARKS.items())]
    if judgement.setups:
        lines.append(
            f"Set-ups: in how many of those that concern it a claim holds. {in_words(survival_rows(study, judgement))}"
        )
    for reason, ids in judgement.not_judged().items():
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        lines.append(f"Not judged: {', '.join(ids[:_NAMED])}{more}: {reason}.")
    return lines
