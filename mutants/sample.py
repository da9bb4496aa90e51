"""The sample: the code to mutate, the number of mutants to try, and the tests that have to kill them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mutants"
SEED = 11

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """A part of the code, and the quick tests that have to find faults in it."""

    name: str
    count: int
    files: tuple[str, ...]
    tests: tuple[str, ...]


def _crate(name: str, count: int, *tests: str) -> Part:
    targets = [argument for test in tests for argument in ("--test", test)]
    return Part(name, count, (f"crates/{name}/src/**/*.rs",), ("--lib", *targets))


#: More than the 300 that the sample needs, because mutants that do not compile do not count.
RUST = (
    Part("keys", 25, ("crates/scenario/src/canonical/*.rs",), ("--tests",)),
    _crate("queue", 40, "properties", "published"),
    Part("metrics", 60, ("crates/metrics/src/*.rs",), ("--lib",)),
    _crate("wifi", 80, "properties", "verification"),
    _crate("tcp", 100, "ecn", "flow_control", "jitter", "path", "properties"),
)
PYTHON = (
    Part(
        "claims",
        70,
        ("python/airfair/studies/claims.py", "python/airfair/studies/claim_test.py"),
        ("tests/test_claims.py",),
    ),
)


def drawn(items: Sequence[T], count: int) -> list[T]:
    """The same random `count` items each time, or all if there are fewer."""
    return list(items) if count >= len(items) else random.Random(SEED).sample(items, count)
