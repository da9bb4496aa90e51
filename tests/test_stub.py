"""The stub of the engine, `_engine.pyi`: what it says of classes and functions is what the engine says of itself."""

import ast
import inspect
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from airfair import _engine

STUB = Path(__file__).parent.parent / "python" / "airfair" / "_engine.pyi"
WIDTH = 120


class Documented(NamedTuple):
    """A docstring of the stub, and the text that the engine has in its place."""

    name: str
    node: ast.Expr
    text: str


def documented(body: list[ast.stmt], owner: object, prefix: str = "") -> Iterator[Documented]:
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("__"):
            item = getattr(owner, node.name)
            text = inspect.getdoc(item)
            assert text, f"the engine says nothing of {prefix}{node.name}"
            first = node.body[0]
            assert isinstance(first, ast.Expr), f"the stub says nothing of {prefix}{node.name}"
            yield Documented(prefix + node.name, first, text)
            if isinstance(node, ast.ClassDef):
                yield from documented(node.body, item, f"{node.name}.")


def written(text: str, column: int) -> str:
    """A docstring that begins at this column, wrapped paragraph by paragraph."""
    quotes = '"""'
    wrapper = textwrap.TextWrapper(WIDTH - column - len(quotes), break_long_words=False, break_on_hyphens=False)
    paragraphs = (quotes + text).split("\n\n")
    lines = "\n\n".join("\n".join(wrapper.wrap(paragraph)) for paragraph in paragraphs).split("\n")
    if len(lines) == 1:
        return lines[0] + quotes
    return "\n".join([lines[0], *(" " * column + line if line else "" for line in lines[1:]), " " * column + quotes])


def test_the_stub_says_what_the_engine_says():
    source = STUB.read_text()
    lines = source.split("\n")
    # From the end, so that the places before a text stay as they are.
    for entry in sorted(documented(ast.parse(source).body, _engine), key=lambda entry: -entry.node.lineno):
        first, last, column = entry.node.lineno - 1, entry.node.end_lineno, entry.node.col_offset
        lines[first:last] = (" " * column + written(entry.text, column)).split("\n")
    renewed = "\n".join(lines)
    if os.environ.get("AIRFAIR_BLESS"):
        STUB.write_text(renewed)
    assert STUB.read_text() == renewed, "run it with AIRFAIR_BLESS=1 to renew the stub"
