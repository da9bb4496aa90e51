"""What was reported as done survives a power failure at any later moment; what is torn is noticed and restored."""

import random
from pathlib import Path

import pytest
from conftest import needs_proc
from power import CUTS, Recorder
from sweeping import OUTAGES, tables

from airfair import files, saver
from airfair.files import Folder
from airfair.store import Store
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import plan
from airfair.sweeps.progress import Shown
from airfair.sweeps.repair import files as recorded
from airfair.sweeps.runner import run
from airfair.sweeps.spec import Sweep

#: Six runs of some milliseconds, one of which fails for its values.
ASKED = Sweep(name="mine.toml", text=OUTAGES, over={"down": ("100,200,300 ms",)}, seeds=2)
#: The same on the command line.
ARGUMENTS = ["sweep", "mine.toml", "--over", "down=100,200,300 ms", "--seeds", "2", "--out", "out"]


def swept(out: Path, reported=lambda done: None) -> None:
    """Run the sweep, or what is missing of it."""
    told = Shown(lambda done, _reused, _total: reported(done))
    run(plan(ASKED), directory=Directory(out), told=told)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The sweep without a break."""
    out = tmp_path_factory.mktemp("whole") / "out"
    out.mkdir()
    swept(out)
    return out


def sound(out: Path) -> int:
    """How many results the store holds."""
    store = Store(out)
    return sum(store.entry(key) is not None for key in store)


@needs_proc
def test_power_fails_at_any_moment(tmp_path, whole, monkeypatch):
    """At each step: what was reported is there, nothing is torn, and the sweep goes on to the same results."""
    monkeypatch.setattr(saver, "_WINDOW", 0.0)
    root = tmp_path / "disk"
    (root / "out").mkdir(parents=True)
    left: list[tuple[Path, int]] = []
    reported = 0

    def after(disk: Recorder) -> None:
        for survives, torn in CUTS.values():
            target = tmp_path / f"left-{len(left)}"
            disk.cut(target, survives, torn)
            left.append((target / "out", reported))

    def count(done: int) -> None:
        nonlocal reported
        reported = done

    recorder = Recorder(root, "out", after)
    monkeypatch.setattr(files, "disk", recorder)
    swept(root / "out", count)
    assert reported == 6
    after(recorder)  # at any later moment
    monkeypatch.undo()
    assert len(left) > 100
    for out, done in left:
        assert sound(out) >= done
    for out, _ in left[-len(CUTS) :]:
        assert tables(out) == tables(whole) and recorded(Folder(out)).whole
    for out, _ in random.Random(1).sample(left, 40):
        swept(out)
        assert tables(out) == tables(whole) and recorded(Folder(out)).whole
        assert not list(out.rglob("*.tmp"))
