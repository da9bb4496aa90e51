"""`airfair studies`."""

from __future__ import annotations

from rich.text import Text

from airfair import console
from airfair.command import Common, answer
from airfair.studies.file import packaged_studies


def studies(common: Common) -> int:
    """List the studies."""
    listing = [
        {
            "name": study.name,
            "title": study.title,
            "source": study.source,
            "figures": [figure.name for figure in study.figures],
            "claims": len(study.claims),
        }
        for study in packaged_studies()
    ]

    def show() -> None:
        table = console.table(None, "Study", "Paper", "Figures", "Claims", right=("Claims",))
        for entry in listing:
            figures = entry["figures"]
            table.add_row(
                str(entry["name"]),
                Text.assemble(f"{entry['title']}\n", (str(entry["source"]), "dim")),
                ", ".join(figures) if isinstance(figures, list) else "",
                str(entry["claims"]),
            )
        console.out.print(table)

    answer(common, "studies.json", listing, show)
    return 0
