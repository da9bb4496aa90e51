"""The sample: the code to mutate, the number of mutants to try, and the tests that have to kill them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mutants"
SEED = 11


@dataclass(frozen=True, order=True)
class Mutant:
    """A fault, identified without a line number, so that edits elsewhere do not change its identity."""

    #: The file and the change.
    change: str
    line: str


class HasMutant(Protocol):
    """A mutant as one of the tools lists it."""

    @property
    def mutant(self) -> Mutant:
        """The fault."""
        ...


T = TypeVar("T", bound=HasMutant)


@dataclass(frozen=True)
class Part:
    """A part of the code, and the quick tests that have to find faults in it."""

    name: str
    count: int
    files: tuple[str, ...]
    #: Steps of tests. Only the survivors of one step are tried with the next, which takes longer.
    tests: tuple[tuple[str, ...], ...]


def _crate(name: str, count: int, *tests: str) -> Part:
    return Part(name, count, (f"crates/{name}/src/**/*.rs",), _steps(*tests))


def _steps(*tests: str) -> tuple[tuple[str, ...], ...]:
    """The unit tests, then a step for each argument: the integration tests that it names."""
    return ("--lib",), *(tuple(f"--test={test}" for test in step.split()) for step in tests)


#: Mutants that do not compile do not count.
RUST = (
    Part(
        "keys",
        25,
        ("crates/scenario/src/canonical/*.rs",),
        (("--test=canonical",), ("--lib", "--test=paths", "--test=robustness")),
    ),
    _crate("queue", 40, "properties published"),
    Part("metrics", 60, ("crates/metrics/src/*.rs",), (("--lib",),)),
    Part("lab", 40, ("crates/lab/src/metric/*.rs",), _steps("measures queues edges")),
    _crate("wifi", 80, "properties", "verification"),
    _crate("tcp", 100, "ecn flow_control jitter path", "properties"),
)
PYTHON = (
    Part(
        "claims",
        70,
        ("python/airfair/studies/claims.py", "python/airfair/studies/claim_test.py"),
        (("tests/test_claims.py",),),
    ),
)


def drawn(items: Sequence[T], count: int) -> list[T]:
    """The `count` items with the lowest hashes, or all if there are fewer.

    A changed line of code then changes only its own mutants in the sample.
    """
    chosen = sorted(_ranks(items))[:count]
    return [items[index] for _, index in sorted(chosen, key=lambda ranked: ranked[1])]


def _ranks(items: Iterable[T]) -> Iterable[tuple[str, int]]:
    """The hash and index of each item. Equal changes of equal lines differ by their order."""
    seen: Counter[Mutant] = Counter()
    for index, mutant in enumerate(item.mutant for item in items):
        identity = f"{SEED}\n{mutant.change}\n{mutant.line}\n{seen[mutant]}"
        seen[mutant] += 1
        yield hashlib.sha256(identity.encode()).hexdigest(), index
