"""Mutants of Python, made by cosmic-ray in a copy of the package.

The tool keeps its outcomes in a session and continues where it was stopped. The next run tries survivors again that are
not explained, because a test may have been added.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from mutants.sample import ROOT, WORK, Mutant, Part, drawn
from mutants.verdict import Outcome, Tried, explanations

TIMEOUT_SECONDS = 30
_OUTCOMES: dict[str, Outcome] = {"KILLED": "caught", "SURVIVED": "missed", "INCOMPETENT": "unviable"}
_MUTANTS = """
    SELECT job_id, module_path, operator_name, definition_name, start_pos_row, start_pos_col
    FROM mutation_specs ORDER BY module_path, operator_name, occurrence
"""


@dataclass(frozen=True)
class Job:
    """A mutant in the tool's session."""

    identity: str
    mutant: Mutant


def run(tool: str, part: Part) -> list[Tried]:
    """Try the rest of a part's sample."""
    home = WORK / part.name
    tree = _copied(home)
    sources = b"".join((tree / file).read_bytes() for file in part.files)
    session = home / f"{hashlib.sha256(sources).hexdigest()[:12]}.sqlite"
    config = home / "cosmic.toml"
    config.write_text(_config(part), encoding="utf-8")

    def call(*arguments: str) -> None:
        environment = {"PYTHONPATH": str(tree / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([tool, *arguments], cwd=tree, check=True, env={**os.environ, **environment})

    if not session.exists():
        call("baseline", str(config))
        fresh = session.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        call("init", str(config), str(fresh))
        _keep_only({job.identity for job in drawn(_jobs(fresh, tree), part.count)}, fresh)
        fresh.rename(session)
    explained = explanations()
    again = [(job.identity,) for job in _jobs(session, tree) if job.mutant not in explained]
    with closing(sqlite3.connect(session)) as database, database:
        database.executemany("DELETE FROM work_results WHERE test_outcome = 'SURVIVED' AND job_id = ?", again)
    call("exec", str(config), str(session))
    with closing(sqlite3.connect(session)) as database:
        outcomes = dict(database.execute("SELECT job_id, test_outcome FROM work_results"))
    return [Tried(job.mutant, _OUTCOMES.get(outcomes.get(job.identity, ""))) for job in _jobs(session, tree)]


def _copied(home: Path) -> Path:
    """Copy the package and its tests afresh: an interrupted run leaves its mutant in the old copy."""
    tree = home / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for folder in ("python", "tests"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    return tree


def _config(part: Part) -> str:
    tests = " ".join(test for step in part.tests for test in step)
    command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {tests}"
    return f"""[cosmic-ray]
module-path = {json.dumps(part.files)}
timeout = {TIMEOUT_SECONDS}
excluded-modules = []
test-command = {json.dumps(command)}
[cosmic-ray.distributor]
name = "local"
"""


def _jobs(session: Path, tree: Path) -> list[Job]:
    """The mutants of code that the program evaluates."""
    sources: dict[str, str] = {}
    found = []
    with closing(sqlite3.connect(session)) as database:
        for identity, path, operator, function, row, column in database.execute(_MUTANTS):
            source = sources.setdefault(path, (tree / path).read_text(encoding="utf-8"))
            if "BinaryOperator" in operator and not any(a <= (row, column) < b for a, b in operators(source)):
                continue
            line = source.splitlines()[row - 1].strip()
            change = f"{path}: {operator.removeprefix('core/')} in {function or 'the module'}"
            found.append(Job(identity, Mutant(change, line)))
    return found


def _keep_only(wanted: set[str], session: Path) -> None:
    with closing(sqlite3.connect(session)) as database, database:
        for table in ("mutation_specs", "work_items"):
            for (identity,) in database.execute(f"SELECT job_id FROM {table}").fetchall():
                if identity not in wanted:
                    database.execute(f"DELETE FROM {table} WHERE job_id = ?", (identity,))


Position = tuple[int, int]


def operators(source: str) -> list[tuple[Position, Position]]:
    """The positions of the binary operators that the program evaluates.

    The tool also mutates the star of `**names`, which then does not compile, and the bar of `int | None` in an
    annotation, which nothing evaluates.
    """
    found: list[tuple[Position, Position]] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.BinOp):
            left, right = node.left, node.right
            found.append(((left.end_lineno or 0, left.end_col_offset or 0), (right.lineno, right.col_offset)))
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    visit(child)

    visit(ast.parse(source))
    return found
