"""Build the site.

    python -m website [--out site] [--versions]

Pages come from `docs/`, from the files at the repository's root, and from declarations (`reference`, `gallery`). Sphinx
turns all of them into HTML and fails on anything it cannot resolve; `links` then checks every link of the result.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from website import contents, links, pictures, rust
from website.source import ROOT, Source

WORK = ROOT / "target" / "site"
#: What `make playground` builds.
PLAYGROUND = ROOT / "python" / "airfair" / "pages" / "playground.html"


def main() -> int:
    """Build, check, and print the path of the first page."""
    parser = argparse.ArgumentParser(prog="python -m website")
    parser.add_argument("--out", type=Path, default=ROOT / "site")
    parser.add_argument("--versions", action="store_true", help="link to the page of all versions, one directory up")
    asked = parser.parse_args()
    source = Source(WORK / "source")
    contents.write(source, playground=PLAYGROUND.is_file(), versions=asked.versions)
    source.finish()
    documented = rust.build()
    if asked.out.exists():
        shutil.rmtree(asked.out)
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", str(os.cpu_count() or 1)]
    places = ["-c", str(ROOT / "website"), "-d", str(WORK / "doctrees"), str(source.folder), str(asked.out)]
    if status := subprocess.run([*sphinx, *places], check=False, cwd=ROOT).returncode:
        return status
    for image in (asked.out / "_images").iterdir():
        if (twin := pictures.narrow(source.folder / "images" / image.name)).exists():
            shutil.copy(twin, image.parent)
    shutil.copytree(documented, asked.out / "api" / "rust")
    if PLAYGROUND.is_file():
        (asked.out / "playground").mkdir()
        shutil.copy(PLAYGROUND, asked.out / "playground" / "index.html")
    (asked.out / ".nojekyll").touch()
    if dead := links.dead(asked.out, unread=("api/rust", "playground")):
        print(*dead, sep="\n", file=sys.stderr)
        return 1
    print(asked.out / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
