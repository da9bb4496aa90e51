"""The tools that make mutants, pinned here and installed below target/: users of the package need neither."""

from __future__ import annotations

import subprocess
import sys

from mutants.sample import ROOT

CARGO_MUTANTS = "27.1.0"
COSMIC_RAY = "8.7.0"
_TOOLS = ROOT / "target" / "tools"


def cargo_mutants() -> str:
    """The path of cargo-mutants. The first call builds it, which takes minutes."""
    program = _TOOLS / "bin" / "cargo-mutants"
    if not _has_version([str(program), "mutants", "--version"], CARGO_MUTANTS):
        install = ["cargo", "install", "--locked", "--force", "--root", str(_TOOLS), "--version", CARGO_MUTANTS]
        subprocess.run([*install, "cargo-mutants"], check=True)
    return str(program)


def cosmic_ray() -> str:
    """The path of cosmic-ray, which has a virtual environment of its own."""
    home = _TOOLS / "cosmic"
    program = home / "bin" / "cosmic-ray"
    if not _has_version([str(program), "--version"], COSMIC_RAY):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"cosmic-ray=={COSMIC_RAY}"], check=True)
    return str(program)


def _has_version(command: list[str], version: str) -> bool:
    try:
        said = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    except OSError:
        return False
    return version in said.stdout.split()
