"""Mutants of Rust, made by cargo-mutants in a copy of the tree.

The tool's own memory (`--iterate`) does not distinguish killed mutants from those that do not compile, so this module
stores the outcome of each mutant. The next run tries survivors again that are not explained, because a test may have
been added.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from mutants.sample import ROOT, WORK, Mutant, Part, drawn
from mutants.verdict import Outcome, Tried, explanations

#: The tests take seconds, but several times as long while the machine does other work.
TIMEOUT_SECONDS = 60
#: Exit statuses of a complete run of cargo-mutants: killed all, missed some, some timed out.
_COMPLETE = (0, 2, 3)


@dataclass(frozen=True)
class Listed:
    """A mutant as the tool lists it; its name has line and column."""

    name: str
    mutant: Mutant


def run(tool: str, part: Part) -> list[Tried]:
    """Try the rest of a part's sample."""
    sample = drawn(_listed(tool, part), part.count)
    home = WORK / part.name
    home.mkdir(parents=True, exist_ok=True)
    known = _gather(home)
    explained = explanations()
    settled = {item.name for item in sample if known.get(item.name) == "missed" and item.mutant in explained}
    for tests in part.tests:
        left = [item.name for item in sample if item.name not in settled and known.get(item.name, "missed") == "missed"]
        if left:
            _try(tool, tests, left, home)
            known = _gather(home)
    return [Tried(item.mutant, known.get(item.name)) for item in sample]


def _listed(tool: str, part: Part) -> list[Listed]:
    """The mutants, without deleted fields of structs, which cargo-mutants 27.1.0 cannot be told to leave out."""
    command = [tool, "mutants", "--list", "--json", *_chosen(part.files)]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found = []
    for item in json.loads(listed.stdout):
        if item["name"].split(": ", 1)[1].startswith("delete field "):
            continue
        line = (ROOT / item["file"]).read_text(encoding="utf-8").splitlines()[item["span"]["start"]["line"] - 1]
        found.append(Listed(item["name"], Mutant(re.sub(r":\d+:\d+:", ":", item["name"]), line.strip())))
    return found


def _chosen(files: Iterable[str]) -> list[str]:
    return [argument for file in files for argument in ("--file", file)]


def _try(tool: str, tests: Iterable[str], names: list[str], home: Path) -> None:
    """Try these mutants with these tests. The tool first runs the tests without any mutant; they have to pass."""
    config = home / "sample.toml"
    # Rust's regular expressions have no escaped space. A JSON string is a valid TOML string.
    patterns = ["^" + re.escape(name).replace("\\ ", " ") + "$" for name in names]
    config.write_text(f"examine_re = {json.dumps(patterns)}\n", encoding="utf-8")
    command = [tool, "mutants", "--config", str(config), "--output", str(home), "--profile", "mutants"]
    command += _chosen(sorted({name.split(":")[0] for name in names}))
    command += ["--minimum-test-timeout", str(TIMEOUT_SECONDS), "--no-shuffle", "--colors", "never", "--", *tests]
    # Compile dependencies once, and try properties with fewer cases than `make test` does.
    shared = {"CARGO_TARGET_DIR": str(WORK / "build"), "PROPTEST_CASES": "64", "TMPDIR": str(home)}
    status = subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, **shared}).returncode
    if status not in _COMPLETE:
        raise SystemExit(f"mutants: cargo-mutants ended with status {status}; what it tried is kept")


def _gather(home: Path) -> dict[str, Outcome]:
    """All outcomes so far, including those of the tool's last run, which may have been interrupted."""
    kept = home / "outcomes.json"
    known: dict[str, Outcome] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for outcome in get_args(Outcome):
        told = home / "mutants.out" / f"{outcome}.txt"
        if told.exists():
            known |= dict.fromkeys(told.read_text(encoding="utf-8").splitlines(), outcome)
    kept.write_text(json.dumps(known, indent=0), encoding="utf-8")
    return known
