"""Counts of killed and surviving mutants, and complaints about them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mutants.sample import Mutant

#: The share of the compiling mutants that tests have to kill.
WANTED = 0.85
EXPLAINED = Path(__file__).with_name("survivors.toml")

#: `timeout`: the tests did not end, which counts as killed. `unviable`: does not compile, so it does not count.
Outcome = Literal["caught", "timeout", "missed", "unviable"]


@dataclass(frozen=True)
class Tried:
    """A mutant of the sample. The outcome is None if the mutant was not tried."""

    mutant: Mutant
    outcome: Outcome | None


def explanations(path: Path = EXPLAINED) -> dict[Mutant, str]:
    """The explained survivors, with the reasons."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("survivor", [])
    return {Mutant(entry["mutant"], entry["line"]): entry["why"] for entry in entries}


def counts(tried: Sequence[Tried]) -> str:
    """One line with the number of mutants for each outcome."""
    number = Counter(item.outcome for item in tried)
    killed = number["caught"] + number["timeout"]
    judged = killed + number["missed"]
    share = f" ({killed / judged:.1%})" if judged else ""
    return (
        f"{killed} of {judged} killed{share}, {number['timeout']} of them by a timeout; {number['missed']} survived; "
        f"{number['unviable']} do not compile; {number[None]} of {len(tried)} not tried"
    )


def complaints(tried: Sequence[Tried], explained: Mapping[Mutant, str]) -> list[str]:
    """One line for each violated requirement."""
    number = Counter(item.outcome for item in tried)
    killed = number["caught"] + number["timeout"]
    judged = killed + number["missed"]
    survived = {item.mutant for item in tried if item.outcome == "missed"}
    died = {item.mutant for item in tried if item.outcome in ("caught", "timeout")}
    lines = [f"no explanation: {it.change}\n    {it.line}" for it in sorted(survived - set(explained))]
    lines += [f"explained, but it is killed: {it.change}" for it in sorted((died - survived) & set(explained))]
    if number[None]:
        lines.append(f"{number[None]} mutants of the sample were not tried")
    if judged == 0 or killed / judged < WANTED:
        lines.append(f"{killed} of {judged} mutants were killed, and {WANTED:.0%} are wanted")
    return lines
