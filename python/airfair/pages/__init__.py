"""HTML pages: templates that escape all texts, and a content security policy."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from airfair import _engine, theme
from airfair.catalogue.wording import visible

#: Maximum number of rows of a page's table; a file or a document in JSON has all.
MOST_ROWS = 2000


def render(template: str, *, script: str | None = None, **values: Any) -> str:
    """Render a page from its template, with its script if it has one."""
    environment = _templates()
    code = "" if script is None else environment.get_template(script).render()
    return environment.get_template(template).render(
        version=_engine.__version__, script=Markup(code), policy=_policy(code), **values
    )


def embedded(document: Any) -> Markup:
    """Return a document as JSON that can stand inside a `script` element.

    Only `<` could end the element; `>` and `&` matter if a page is parsed as XML, U+2028 and U+2029 in JavaScript
    before ES2019.
    """
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)  # ASCII only
    return Markup("".join(_IN_JSON.get(char, char) for char in text))


_IN_JSON = {char: f"\\u{ord(char):04x}" for char in "<>&"}


def inline(svg: str, name: str) -> Markup:
    """Make an SVG an element of a page: scalable, without the XML prologue, with ids that no other figure has.

    The picture's width and height become `--natural` and `--tall`, from which the style sheet limits its size.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'( id="|url\(#)', rf"\g<1>{name}-", svg)
    size = r'^(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"'
    return Markup(re.sub(size, r'\1 style="--natural:\2px;--tall:\3px"', svg, count=1))


def _policy(script: str) -> str:
    """The content security policy (W3C, Content Security Policy Level 3): a page may only run its own script.

    Inline styles are allowed, because style attributes cannot be listed by hash.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    scripts = f"'sha256-{digest}'" if script else "'none'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("airfair.pages", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _with_code
    environment.globals["theme"] = theme
    environment.globals["scroll"] = _scroll
    return environment


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


#: Tables with more rows than this scroll in a box of their own.
_TALL = 40


def _scroll(label: str, rows: int = 0) -> Markup:
    """The HTML attributes of a box that scrolls if its table is too wide or has too many `rows`.

    The box can be reached by keyboard, and has a name for screen readers.
    """
    kind = "scroll tall" if rows > _TALL else "scroll"
    return Markup('class="{}" role="region" tabindex="0" aria-label="{}"').format(kind, visible(label))


def _with_code(text: str) -> Markup:
    """Convert text to HTML, in which parts between backticks are code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(visible(text)))))
