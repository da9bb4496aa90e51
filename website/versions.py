"""Put a built site beside those of other versions.

    python -m website.versions SITE ALL NAME

ALL is the directory that is served. NAME is a tag (`v1.2.3`) or `dev`. ALL's first page leads to the newest release.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

DEV = "dev"
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>AirFair</title>
{body}
</html>
"""


def release(name: str) -> tuple[int, ...]:
    """A release's place among the others; nothing for other directories."""
    return tuple(map(int, name.split("."))) if re.fullmatch(r"\d+\.\d+\.\d+", name) else ()


def publish(site: Path, every: Path, name: str) -> None:
    """Add or replace a version. Raises `ValueError` for a name that is none."""
    name = name.removeprefix("v")
    if name != DEV and not release(name):
        raise ValueError(f"{name}: a tag such as v1.2.3 or {DEV} is needed")
    if (every / name).exists():
        shutil.rmtree(every / name)
    shutil.copytree(site, every / name)
    found = sorted((path.name for path in every.iterdir() if path.is_dir() and release(path.name)), key=release)
    names = [*reversed(found), *([DEV] if (every / DEV).is_dir() else [])]
    first = f"{names[0]}/index.html"
    entries = "\n".join(f'<li><a href="{one}/index.html">{one}</a></li>' for one in names)
    (every / "versions.html").write_text(_PAGE.format(body=f"<h1>AirFair's documentation</h1>\n<ul>\n{entries}\n</ul>"))
    body = f'<meta http-equiv="refresh" content="0; url={first}">\n<p><a href="{first}">AirFair {names[0]}</a></p>'
    (every / "index.html").write_text(_PAGE.format(body=body))
    (every / ".nojekyll").touch()


if __name__ == "__main__":
    publish(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
