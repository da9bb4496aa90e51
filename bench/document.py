"""Tables between markers in a Markdown document."""

from __future__ import annotations

from pathlib import Path


def write(path: Path, name: str, body: list[str]) -> None:
    """Replace the text between a section's markers in a document."""
    begin, end = (f"<!-- {name}:{edge} -->" for edge in ("begin", "end"))
    head, rest = path.read_text().split(begin)
    tail = rest.split(end)[1]
    text = "\n".join(body)
    path.write_text(f"{head}{begin}\n{text}\n{end}{tail}")
