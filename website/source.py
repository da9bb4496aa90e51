"""The folder of Markdown that Sphinx reads."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Files at the repository's root that are pages of the site.
PAGES = {
    "README.md": "index",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "SECURITY.md": "security",
}


#: Where a link to a file that is no page leads.
FILES = "https://github.com/airfair/airfair/blob/main"
#: The target of an inline link or picture.
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")


def page_of(path: Path) -> str | None:
    """The name of the page that a file of the repository becomes, if it becomes one."""
    try:
        inside = path.relative_to(ROOT)
    except ValueError:
        return None
    if inside.parts[0] == "docs":
        return inside.relative_to("docs").with_suffix("").as_posix() if path.suffix == ".md" else None
    return PAGES.get(inside.as_posix())


def relinked(file: Path) -> str:
    """A file's text with its links as they must be in the site: to pages, to copied pictures, or to the repository.

    A link to nothing stays as it is, and Sphinx reports it.
    """
    page = page_of(file) or ""

    def target(found: re.Match[str]) -> str:
        path, mark, anchor = found[1].partition("#")
        to = Path(os.path.normpath(file.parent / path))
        if not path or ":" in path or not to.exists() or not to.is_relative_to(ROOT):
            return found[1]
        if other := page_of(to):
            inside = f"{other}.md"
        elif to.is_relative_to(ROOT / "docs" / "images"):
            inside = to.relative_to(ROOT / "docs").as_posix()
        else:
            return f"{FILES}/{to.relative_to(ROOT).as_posix()}{mark}{anchor}"
        return posixpath.relpath(inside, posixpath.dirname(page) or ".") + mark + anchor

    # `rust,ignore` is a mark for rustdoc, and Rust for readers.
    return LINK.sub(target, file.read_text()).replace("```rust,ignore", "```rust")


class Source:
    """Writes pages. Leaves those that have not changed alone, so that Sphinx need not read them again."""

    def __init__(self, folder: Path) -> None:
        """Start with the pages that the repository holds."""
        self.folder = folder
        self._written: set[Path] = set()
        for file in [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in PAGES)]:
            if (page := page_of(file)) and page != "index":
                self.write(page, relinked(file))
        for image in sorted((ROOT / "docs" / "images").iterdir()):
            shutil.copy2(image, self._target(f"images/{image.name}"))

    def write(self, page: str, text: str) -> None:
        """Write a page. Raises `FileExistsError` if there is one of that name."""
        target = self._target(f"{page}.md")
        if not target.exists() or target.read_text() != text:
            target.write_text(text)

    def pages(self) -> list[str]:
        """The names of all pages so far."""
        found = (path.relative_to(self.folder) for path in self._written if path.suffix == ".md")
        return sorted(path.with_suffix("").as_posix() for path in found)

    def finish(self) -> None:
        """Remove what an earlier build left."""
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self._written:
                path.unlink()

    def _target(self, name: str) -> Path:
        target = self.folder / name
        if target in self._written:
            raise FileExistsError(f"two pages are called {name}")
        self._written.add(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        return target
