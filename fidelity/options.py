"""What the commands of the comparisons share: their options, and the date that their tables bear."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime


def parser(name: str, about: str | None, *, seeds: int | None = None, writes: bool = True) -> argparse.ArgumentParser:
    """The parser of `python -m fidelity.NAME`: with `--seeds` and `--jobs` if `seeds` gives their usual number."""
    made = argparse.ArgumentParser(prog=f"python -m fidelity.{name}", description=about)
    if seeds is not None:
        made.add_argument("--seeds", type=int, default=seeds, help=f"seeds (default {seeds})")
        made.add_argument("--jobs", type=int, default=2, help="runs at the same time (default 2)")
    if writes:
        made.add_argument("--write", action="store_true", help="write tables and figures into the documents")
    return made


def dated(made: str = "") -> str:
    """Today's date as a section begins with it, and how the section was made."""
    today = datetime.now(UTC).date().isoformat()
    return f"{today}: {made}" if made else f"{today}."
