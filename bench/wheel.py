"""`make wheel`: the wheel for publication, optimised by a profile of training runs where LLVM's tools are there.

The first build counts how often each piece of code runs while it simulates the packaged scenarios. The second build is
optimised by these counts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.programs import ROOT

OUT = ROOT / "dist"
#: The program of the training runs: every packaged scenario for some seconds, and a sweep, which loads and packs.
_TRAINING = """
import sys, airfair as af
for scenario in af.scenarios():
    af.run(scenario["name"], **{"run.duration": "20 s"})
af.sweep("jung/mixed", {"stations": [2, 4, 8]}, seeds=20, duration="10 s", out=sys.argv[1])
"""


def profdata() -> tuple[str | None, str]:
    """The path of an `llvm-profdata` that reads the profiles of this rustc, and the reason if there is none.

    The versions of LLVM must agree, because LLVM changes the format of profiles.
    """
    needed = _major(_output("rustc", "-vV"))
    libraries = Path(_output("rustc", "--print", "target-libdir").strip())
    own = shutil.which("llvm-profdata", path=str(libraries.parent / "bin"))
    others = [shutil.which(name) for name in (f"llvm-profdata-{needed}", "llvm-profdata")]
    refused = []
    for tool in filter(None, (own, *others)):
        version = _major(_output(tool, "--version", check=False))
        if version == needed:
            return tool, ""
        refused.append(f"{tool} is of LLVM {version or '(no version told)'}")
    have = ", ".join(refused) or "there is no llvm-profdata"
    return None, f"{have}; rustc needs that of LLVM {needed}: rustup component add llvm-tools"


def _major(text: str) -> str:
    """The major version of LLVM in the output of a program; empty if there is none."""
    found = re.search(r"LLVM version:? (\d+)", text)
    return found.group(1) if found else ""


def _output(*command: str, check: bool = True) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=check).stdout


def _build(out: Path, flags: str = "") -> None:
    """Build the wheel. The flags are for the package alone: build scripts are compiled without them."""
    host = re.search(r"^host: (.+)$", _output("rustc", "-vV"), re.MULTILINE)
    assert host
    maturin = str(Path(sys.executable).with_name("maturin"))
    command = [maturin, "build", "--profile", "dist", "--locked", "--target", host.group(1), "--out", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "RUSTFLAGS": flags})


def _trained(tool: str, place: Path) -> Path:
    """Make the training runs, and return the path of their merged profile."""
    raw, site = place / "raw", place / "site"
    _build(place, f"-Cprofile-generate={raw}")
    [wheel] = place.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--target", str(site), str(wheel)], check=True)
    search = {**os.environ, "PYTHONPATH": str(site)}
    subprocess.run([sys.executable, "-c", _TRAINING, str(place / "sweep")], cwd=place, env=search, check=True)
    profile = place / "merged.profdata"
    subprocess.run([tool, "merge", "-o", str(profile), str(raw)], check=True)
    return profile


def main() -> None:
    """Build the wheel into `dist/`."""
    tool, reason = profdata()
    if tool is None:
        print(f"WITHOUT profile-guided optimisation: {reason}", file=sys.stderr)
        _build(OUT)
        return
    with tempfile.TemporaryDirectory() as place:
        _build(OUT, f"-Cprofile-use={_trained(tool, Path(place))}")


if __name__ == "__main__":
    main()
