"""HTML for notebooks: tables, scenarios, paragraphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from airfair import _engine
from airfair.catalogue.parameters import EXACT, shown
from airfair.catalogue.wording import visible


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as HTML."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_text(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(heads, 'th')}</thead><tbody>{body}</tbody></table>"


def scenario(given: _engine.Scenario) -> str:
    """A scenario's name and parameters as HTML."""
    parameters = given.parameters
    rows = [(name, shown(entry["value"], entry["unit"], EXACT)) for name, entry in parameters.items()]
    return paragraph(given.name) + table(("Parameter", "Value"), rows)


def paragraph(*lines: str) -> str:
    """Lines of text as HTML."""
    return f"<p>{'<br>'.join(map(_text, lines))}</p>"


def _text(text: str) -> str:
    from html import escape

    return escape(visible(text))
