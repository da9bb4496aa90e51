"""The documents name files, crates and packages that there are."""

import re
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from test_structure import LAYERS

ROOT = Path(__file__).parent.parent
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "fidelity").rglob("*.md")])
#: Files that a reader of a guide makes.
TO_BE_MADE = {"crates/queue/src/discipline/drop_front.rs"}


def tracked() -> list[str]:
    """The files of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no checkout")
    return listed.stdout.splitlines()


def rows(after: str) -> list[list[str]]:
    """The cells of the first table behind this text of the architecture, without its head."""
    lines = ARCHITECTURE[ARCHITECTURE.index(after) :].splitlines()
    table = lines[lines.index(next(line for line in lines if line.startswith("|"))) :]
    end = next(number for number, line in enumerate(table) if not line.startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:end]]


def test_links_lead_to_files():
    dead = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in DOCUMENTS
        for target in re.findall(r"\]\(([^)#\s]+)", document.read_text())
        if "://" not in target and not target.startswith("mailto:") and not (document.parent / target).exists()
    ]
    assert dead == []


def test_code_that_is_named_exists():
    """A name may leave out the folders at its beginning, as in `phy/mode.rs`."""
    ends = {"/".join(parts[n:]) for parts in (file.split("/") for file in tracked()) for n in range(len(parts))}
    gone = [
        f"{document.relative_to(ROOT)}: {name}"
        for document in DOCUMENTS
        if document.name != "CHANGELOG.md"
        for name in re.findall(r"`(?:\.\./)*([\w-][\w./-]*/[\w-]+\.(?:rs|py|toml|js))`", document.read_text())
        if name not in ends | TO_BE_MADE and "NAME" not in name
    ]
    assert gone == []


def test_the_architecture_has_every_crate_with_its_dependencies():
    said: dict[str, set[str]] = {}
    for place, _, on in rows("| Place | Contents"):
        if place.startswith("`crates/"):
            name = place.strip("`").removeprefix("crates/")
            words = set(said) if on == "all of the above" else set(re.findall(r"\w+", on.partition("(")[0]))
            said[name] = words.union(*(said[word] for word in words))
    used: dict[str, set[str]] = {}
    for manifest in (ROOT / "crates").glob("*/Cargo.toml"):
        names = tomllib.loads(manifest.read_text()).get("dependencies", {})
        used[manifest.parent.name] = {name.removeprefix("airfair-") for name in names if name.startswith("airfair-")}
    assert said.keys() == used.keys()
    assert {name: used[name] - said[name] for name in used} == {name: set() for name in used}


def test_the_architecture_has_the_parts_of_the_python_package_in_their_order():
    named = [re.findall(r"`(\w+)`", first) for first, *_ in rows("| `airfair.`")]
    height = {part: number for number, layer in enumerate(LAYERS) for part in layer}
    heights = [height[part] for part in chain.from_iterable(named)]
    assert heights == sorted(heights)
    assert set(height) - set(chain.from_iterable(named)) == {"_engine", "__init__", "__main__"}
