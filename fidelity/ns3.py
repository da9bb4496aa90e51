"""Runs ns-3 (3.37, as in Debian) with the programs in ns3/."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fidelity.references import HERE

HEADERS = Path("/usr/include/ns3")
LIBRARIES = [
    f"-lns3-{name}"
    for name in (
        *("wifi", "internet", "network", "point-to-point", "applications"),
        *("traffic-control", "mobility", "propagation", "stats", "core"),
    )
]


def unavailable() -> str:
    """A sentence on why programs cannot be built against ns-3, without its full stop; empty if they can."""
    if (HEADERS / "wifi-module.h").exists() and shutil.which("g++") is not None:
        return ""
    return "ns-3 or g++ is not installed; on Debian and Ubuntu: sudo apt-get install libns3-dev g++"


def build(source: Path, program: Path) -> Path:
    """Compile a program against the installed ns-3."""
    subprocess.run(["g++", "-std=c++17", "-O3", "-DNDEBUG", source, "-o", program, *LIBRARIES], check=True)
    return program


@cache
def _program(name: str) -> tuple[Path, tempfile.TemporaryDirectory[str]]:
    # The directory exists as long as the process.
    folder = tempfile.TemporaryDirectory(prefix="airfair-ns3-")
    return build(HERE / "ns3" / f"{name}.cc", Path(folder.name) / name), folder


def call(name: str, settings: Mapping[str, object]) -> dict[str, float]:
    """Run a program; returns the numbers that it prints, by name."""
    words = [f"{key}={value}" for key, value in settings.items()]
    run = subprocess.run([_program(name)[0], *words], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"ns-3 {name} {' '.join(words)}: {run.stderr.strip()}")
    return {key: float(value) for key, value in (line.split() for line in run.stdout.splitlines())}
