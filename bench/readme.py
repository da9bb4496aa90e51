"""The sentences about speed in the README, made from the published figures."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from bench.figures import Figure
from bench.programs import ROOT
from bench.side_by_side import CASES, name

README = ROOT / "README.md"
#: The item of the README's list that these sentences are.
POINT = re.compile(r"^- \*\*Fast\.\*\* .*?(?=^- )", re.MULTILINE | re.DOTALL)
#: The width of the README's text.
WIDTH = 130


def renew(figures: Iterable[Figure]) -> None:
    """Write these figures into the README."""
    README.write_text(POINT.sub(lambda _: point(figures), README.read_text()))


def point(figures: Iterable[Figure]) -> str:
    """The item of the list, with its line end. Programs that were not measured are left out."""
    measured = {figure.name: figure.median for figure in figures}
    told = [f"{program} {taken}" for program in ("ns-2", "ns-3") if (taken := ratios(measured, program))]
    text = f"**Fast.** A segment costs other simulators a multiple of AirFair's CPU time: {'; '.join(told)}"
    wrap = textwrap.TextWrapper(WIDTH, "- ", "  ", break_long_words=False, break_on_hyphens=False)
    return wrap.fill(f"{text} ([docs/performance.md](docs/performance.md)).") + "\n"


def ratios(measured: dict[str, float], program: str) -> str:
    """The CPU time of another simulator, as a multiple of AirFair's, for each network."""
    known = [(case, measured[name(case, program)]) for case in CASES if name(case, program) in measured]
    return ", ".join(f"{rounded(ratio)} times with {case.count} {case.size} {case.network}" for case, ratio in known)


def rounded(ratio: float) -> str:
    """A ratio in as many digits as pairs of runs agree on."""
    return f"{round(ratio, -1 if ratio >= 1000 else 0):,.0f}"
