"""`airfair`, killed or interrupted at a write: `python dying.py STAGE FILE COUNT ARGUMENT...`.

STAGE is `torn` (killed when half of the file is written), `written` (killed while the file has its temporary name),
`named` (killed right after the rename), `interrupted` (Ctrl-C right after the rename) or `terminated` (SIGTERM right
after the rename). FILE is a pattern. COUNT selects the write: 1 for the first write of such a file. Segments have their
name at once and are written several times; all stages but the first come after the write.
"""

import fnmatch
import os
import signal
import sys

from airfair import cli
from airfair.store import files, saver
from airfair.store.disk import Disk

STAGE, PATTERN = sys.argv[1:3]
SIGNALS = {"interrupted": signal.SIGINT, "terminated": signal.SIGTERM}
left = int(sys.argv[3])


def due(name: str) -> bool:
    """Whether this is the selected write; `name` is the temporary name of the file, or a segment's."""
    global left
    if fnmatch.fnmatch(name, PATTERN if name.endswith(".segment") else f"{PATTERN}.*.tmp"):
        left -= 1
        return left == 0
    return False


def die() -> None:
    os.kill(os.getpid(), SIGNALS.get(STAGE, signal.SIGKILL))


class Dying(Disk):
    def create(self, name, at, contents):
        self.write(super().create, name, at, contents)

    def append(self, name, at, contents):
        self.write(super().append, name, at, contents)

    def write(self, write, name, at, contents):
        dies = (STAGE == "torn" or name.endswith(".segment")) and due(name)
        write(name, at, contents[: len(contents) // 2] if dies and STAGE == "torn" else contents)
        if dies:
            die()

    def rename(self, old, new, at):
        dies = STAGE != "torn" and due(old)
        if not dies or STAGE != "written":
            super().rename(old, new, at)
        if dies:
            die()


files.disk = Dying()
saver._WINDOW = 0.0  # even fast runs have results renamed while others run
sys.argv[1:] = sys.argv[4:]
cli.main()
