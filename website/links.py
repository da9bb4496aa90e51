"""Checks the links of built pages: every file and every place in it exists. It needs no network and asks for none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Collects what a page links to, and the places that others can link to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        for name, value in attrs:
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.places.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


@cache
def _read(file: Path) -> _Page:
    page = _Page()
    page.feed(file.read_text())
    return page


def dead(site: Path, unread: tuple[str, ...] = ()) -> list[str]:
    """A sentence on each link of the site that leads nowhere. Pages below `unread` are only linked to."""
    site = site.resolve()
    return [
        f"{file.relative_to(site)}: {link}: {problem}"
        for file in sorted(site.rglob("*.html"))
        if not file.relative_to(site).as_posix().startswith(unread or ("\0",))
        for link in dict.fromkeys(_read(file).links)
        for problem in _problems(site, file, link)
    ]


def _problems(site: Path, file: Path, link: str) -> Iterator[str]:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if not target.is_relative_to(site):
        # The page of all versions is made when the site is published.
        if target != site.parent / "versions.html":
            yield "leads out of the site"
    elif not target.is_file():
        yield "there is no such file"
    elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in _read(target).places:
        yield "there is no such place in the page"
