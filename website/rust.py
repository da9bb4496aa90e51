"""The documentation of the Rust crates."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path

from website.source import ROOT

#: Measurements and tests. The extension module has no documentation of its own: it is Python's.
LEFT_OUT = ("airfair-bench", "airfair-fuzz")


@cache
def crates() -> dict[str, str]:
    """The libraries and what their documentation begins with, by name."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    found = {}
    for package in metadata["packages"]:
        for target in package["targets"]:
            if "lib" in target["kind"] and package["name"] not in LEFT_OUT:
                found[package["name"]] = _first_paragraph(Path(target["src_path"]).read_text())
    return dict(sorted(found.items()))


def _first_paragraph(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if not line.startswith("//!") or not (words := line.removeprefix("//!").strip()):
            break
        lines.append(words)
    return " ".join(lines)


def page() -> str:
    """A page with a link to each crate."""
    lines = ["# Rust", "", "The engine is a workspace of crates. Each can be used without Python.", ""]
    lines += ["| Crate | |", "|---|---|"]
    for name, summary in crates().items():
        lines.append(f'| <a href="rust/{name.replace("-", "_")}/index.html"><code>{name}</code></a> | {summary} |')
    return "\n".join([*lines, ""])


def build() -> Path:
    """Have cargo write the documentation. Returns its directory."""
    packages = [f"--package={name}" for name in crates()]
    target = ROOT / "target"
    flags = "-A rustdoc::private_intra_doc_links"
    environment = os.environ | {"CARGO_TARGET_DIR": str(target), "RUSTDOCFLAGS": flags}
    subprocess.run(["cargo", "doc", "--no-deps", "--quiet", *packages], cwd=ROOT, check=True, env=environment)
    return target / "doc"
