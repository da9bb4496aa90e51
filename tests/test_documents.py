"""The documents name files, crates and packages that there are."""

import re
from pathlib import Path

import pytest
from conftest import execute

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "fidelity").rglob("*.md")])
#: Files that a reader of a guide makes.
TO_BE_MADE = {"crates/queue/src/discipline/drop_front.rs"}


def tracked() -> list[str]:
    """The files of the repository."""
    listed = execute(["git", "ls-files"], cwd=ROOT)
    if listed.returncode:
        pytest.skip("no checkout")
    return listed.stdout.splitlines()


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


def test_names_that_link_to_a_file_are_in_it():
    """As in ``[`Channel::pass`](../crates/sim/src/channel.rs)``."""
    gone = []
    for document in DOCUMENTS:
        for name, target in re.findall(r"\[`([^`]+)`\]\(([^)#\s]+\.(?:rs|py))\)", document.read_text()):
            words = re.findall(r"\w+", f"{target} {(document.parent / target).read_text()}")
            if re.findall(r"\w+", name)[-1] not in words:
                gone.append(f"{document.relative_to(ROOT)}: {name}: {target}")
    assert gone == []
