"""The body of `airfair studies`."""

from __future__ import annotations

from rich.text import Text

from airfair import console
from airfair.command import Common, answer
from airfair.studies.file import packaged_studies


def studies(common: Common) -> int:
    """List the studies."""
    found = packaged_studies()
    figures = {study.name: [figure.name for figure in study.figures] for study in found}
    listing = [
        {
            "name": study.name,
            "title": study.title,
            "source": study.source,
            "figures": figures[study.name],
            "claims": len(study.claims),
        }
        for study in found
    ]
    rows = (
        (
            study.name,
            Text.assemble(f"{study.title}\n", (study.source, "dim")),
            ", ".join(figures[study.name]),
            str(len(study.claims)),
        )
        for study in found
    )
    table = console.table(None, "Study", "Paper", "Figures", "Claims", right=("Claims",), rows=rows)
    answer(common, "studies.json", listing, lambda: console.out.print(table))
    return 0
