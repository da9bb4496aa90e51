"""docs/fidelity.md, the entrance, and docs/fidelity/*.md: text between marks that a program writes.

A section is on the page that has its marks, `<!-- section -->` and `<!-- /section -->`; nothing else decides which page
that is.
"""

from __future__ import annotations

import re
from pathlib import Path

from fidelity.references import HERE
from fidelity.report import Table, update

DOCS = HERE.parent / "docs"
ENTRANCE = DOCS / "fidelity.md"
#: The mark at the start of a section, with its name.
MARK = re.compile(r"^<!-- (?!/)([^\n]+) -->$", re.MULTILINE)


def pages() -> list[Path]:
    """The entrance and all pages behind it."""
    return [ENTRANCE, *sorted((DOCS / "fidelity").glob("*.md"))]


def sections() -> dict[str, Path]:
    """The page of each section. Raises `ValueError` if a section occurs twice."""
    found: dict[str, Path] = {}
    for page in pages():
        for name in MARK.findall(page.read_text()):
            if name in found:
                raise ValueError(f"two sections are called {name}: in {found[name].name} and in {page.name}")
            found[name] = page
    return found


def page_of(section: str) -> Path:
    """The page with a section. Raises `ValueError` if there is none."""
    try:
        return sections()[section]
    except KeyError:
        raise ValueError(f"no page below {DOCS.name} has a section {section}") from None


def put(section: str, text: str) -> None:
    """Put `text` between a section's marks. Raises `ValueError` if no page has them."""
    update(page_of(section), section, text)


def text(section: str) -> str:
    """The text between a section's marks. Raises `ValueError` if no page has both marks."""
    _, _, behind = page_of(section).read_text().partition(f"<!-- {section} -->\n")
    inside, end, _ = behind.partition(f"<!-- /{section} -->")
    if not end:
        raise ValueError(f"section {section} of {page_of(section).name} has no end")
    return inside.strip()


def table(section: str) -> Table:
    """The table in a section; without rows if the section has no table."""
    lines = [line for line in text(section).splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return Table(section, cells[0], list(cells[2:])) if cells else Table(section, [])
