"""Runs the real ns-2 (`ns`, version 2.35) on the scripts in ns2/."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping

from fidelity.references import HERE

#: ns-2's agent for each `tcp`: the name under `Agent/TCP/`, or the name that the scripts give it.
AGENT = {
    "tahoe": "Tahoe",
    "reno": "Reno",
    "reno-maxwin10": "Reno",
    "newreno": "Newreno",
    "sack": "Sack1",
    "vegas": "Vegas",
    "westwood": "Westwood",
}

#: The environment variable that names the library which ns2/library.sh builds.
LIBRARY = "AIRFAIR_NS2_LIBRARY"

#: Payload of ns-2's segments in byte.
SEGMENT_BYTES = 1000


def unavailable() -> str:
    """A sentence on why ns-2 cannot be run, without its full stop; empty if it can."""
    if shutil.which("ns") is not None:
        return ""
    return "ns-2 is not installed (no command `ns`); on Debian and Ubuntu: sudo apt-get install ns2"


def library() -> str:
    """The path of the library with features that stock ns-2 lacks; empty if there is none."""
    return os.environ.get(LIBRARY, "")


def call(script: str, settings: Mapping[str, object]) -> list[list[str]]:
    """Run a script; returns the lines that it prints, split into words."""
    words = [f"{name}={value}" for name, value in settings.items()]
    run = subprocess.run(["ns", HERE / "ns2" / script, *words], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"ns {script} {' '.join(words)}: {run.stderr.strip()}")
    return [line.split() for line in run.stdout.splitlines()]


def values(lines: Iterable[list[str]], names: Iterable[str]) -> dict[str, float]:
    """The numbers that a script prints under these names. Other lines are ignored."""
    found = {words[0]: float(words[1]) for words in lines if len(words) == 2 and words[0] in set(names)}
    if missing := set(names) - set(found):
        raise RuntimeError(f"ns-2 printed no {', '.join(sorted(missing))}")
    return found
