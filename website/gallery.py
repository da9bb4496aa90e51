"""Every figure, and the command that makes it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from airfair.studies.file import packaged_studies
from website.source import ROOT

IMAGES = ROOT / "docs" / "images"
#: The README's picture of a study, which stands for it (`make docs-tables`).
RENAMED = {"jung-fig2a.png": "fairness.png"}
#: Drawn by hand: it explains, and shows no result.
DRAWN = "architecture.svg"


@dataclass(frozen=True)
class Picture:
    """A picture, what it shows, and where it is explained."""

    title: str
    file: str | None
    command: str
    page: str


def pictures() -> list[Picture]:
    """All of them. Those of studies that the documentation does not hold have no file."""
    declared = tomllib.loads((ROOT / "website" / "gallery.toml").read_text())["picture"]
    found = [
        Picture(_title(one["file"], one["page"]), one["file"], one["command"].strip(), one["page"]) for one in declared
    ]
    for study in packaged_studies():
        for figure in study.figures:
            name = f"{study.name}-{figure.name}.png"
            file = RENAMED.get(name, name)
            command = f"airfair reproduce {study.name} --figure {figure.name}"
            shown = file if (IMAGES / file).exists() else None
            found.append(Picture(figure.title, shown, command, f"studies/{study.name}"))
    return found


def _title(file: str, page: str) -> str:
    """What the page calls the picture."""
    text = (ROOT / "docs" / f"{page}.md").read_text()
    found = re.search(rf"!\[([^\]]*)\]\((?:\.\./)?images/{re.escape(file)}\)", text)
    if found is None:
        raise ValueError(f"docs/{page}.md does not show images/{file}")
    return found[1]


INTRODUCTION = """# Gallery

Every figure of this documentation and of the studies, each with the command that makes it. `--quick` shortens a study
to a minute or two, `today` to about ten; `airfair plot` draws any sweep, study or run in other ways.
"""
REST = """## More figures of studies

The reports of the studies have these, too.

| Figure | Command |
|---|---|"""


def page() -> str:
    """The gallery."""
    lines = [INTRODUCTION]
    every = pictures()
    for one in every:
        if one.file:
            lines += [f"## {one.title}", "", f"![{one.title}](images/{one.file})", ""]
            lines += ["```console", *_prompted(one.command), "```", "", f"[Read about it]({one.page}.md)", ""]
    lines.append(REST)
    lines += [f"| {_linked(one)} | `{one.command}` |" for one in every if one.file is None]
    return "\n".join([*lines, ""])


def _linked(one: Picture) -> str:
    """The picture's title, with a link to its page where there is one: `make docs-tables` writes those of studies."""
    return f"[{one.title}]({one.page}.md)" if (ROOT / "docs" / f"{one.page}.md").exists() else one.title


def _prompted(command: str) -> list[str]:
    first, *rest = command.splitlines()
    return [f"$ {first}", *rest]
