"""`airfair`, killed or interrupted at a write: `python dying.py STAGE FILE COUNT ARGUMENT...`.

STAGE is `torn` (killed when half of the file is written), `written` (killed while it has another name), `named`
(killed then) or `interrupted` (Ctrl-C then); FILE is a pattern; COUNT is which write of such a file it is.
"""

import fnmatch
import os
import signal
import sys
from pathlib import Path

from airfair import cli

STAGE, PATTERN = sys.argv[1:3]
left = int(sys.argv[3])


def due(path: Path) -> bool:
    """Whether this is the write that matters; `path` still has its other name."""
    global left
    if fnmatch.fnmatch(path.name, f"{PATTERN}.*.tmp"):
        left -= 1
        return left == 0
    return False


def die() -> None:
    os.kill(os.getpid(), signal.SIGINT if STAGE == "interrupted" else signal.SIGKILL)


def torn(self: Path, contents: bytes, write=Path.write_bytes) -> None:
    if due(self):
        write(self, contents[: len(contents) // 2])
        die()
    write(self, contents)


def replaced(self: Path, target: Path, replace=Path.replace) -> None:
    dies = due(self)
    if not dies or STAGE != "written":
        replace(self, target)
    if dies:
        die()


if STAGE == "torn":
    Path.write_bytes = torn
else:
    Path.replace = replaced
sys.argv[1:] = sys.argv[4:]
cli.main()
