"""Sphinx's configuration. Sphinx asks for these names."""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import airfair
from website import pictures
from website.source import ROOT

project = "AirFair"
release = version = airfair.__version__
html_title = f"AirFair {release}"
extensions = ["myst_parser", "sphinx_copybutton", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# GitHub's anchors, which the documentation's links use.
myst_heading_anchors = 6
copybutton_prompt_text = "$ "
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "source_repository": "https://github.com/airfair/airfair/",
    "source_branch": "main",
    "source_directory": "docs/",
    "top_of_page_buttons": [],
}


def code(app: Any, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Docstrings write code as Markdown does: between single backticks, or indented behind an empty line."""
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", "\n".join(lines))
    lines[:] = re.sub(r"^(\S.*)\n\n(?=    )", r"\1\n\n::\n\n", text, flags=re.MULTILINE).split("\n")


def frames(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Pictures of a page stand in frames."""
    if "body" in context:
        context["body"] = pictures.framed(context["body"], ROOT / "docs" / "images")


def setup(app: Any) -> None:
    """Sphinx calls this."""
    # Before the extension that reads the sections of docstrings, which has priority 500.
    app.connect("autodoc-process-docstring", code, priority=400)
    app.connect("html-page-context", frames)
