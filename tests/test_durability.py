"""Finished points survive a power failure at any later moment. Torn files are noticed and restored."""

import json
import os
import pty
import random
import shutil
import signal
from pathlib import Path

import pytest
from conftest import AIRFAIR, ENDLESS, call, computing, dying, launch, needs_proc, rest_of, start, until
from power import CUTS, KilledError, Recorder
from sweeping import OUTAGES, TINY_OPTIONS, change, last_command, points, results, tables

import airfair as af
from airfair.runs.signals import ENDING
from airfair.store import files, saver, segments
from airfair.store.disk import Disk
from airfair.store.files import Folder, Growing
from airfair.store.record import MANIFEST, Record
from airfair.store.store import Store
from airfair.sweeps.directory import Directory
from airfair.sweeps.plan import plan
from airfair.sweeps.progress import Shown
from airfair.sweeps.repair import files as recorded
from airfair.sweeps.runner import run
from airfair.sweeps.spec import Sweep

#: Six runs of a few milliseconds; one fails because of its values.
ASKED = Sweep(name="mine.toml", text=OUTAGES, over={"down": ("100,200,300 ms",)}, seeds=2)


def swept(out: Path, reported=lambda done: None) -> None:
    """Run the sweep, or its missing points."""
    told = Shown(lambda done, _reused, _total: reported(done))
    run(plan(ASKED), directory=Directory(out), told=told)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The sweep without interruption."""
    out = tmp_path_factory.mktemp("whole") / "out"
    out.mkdir()
    swept(out)
    return out


def sound(out: Path) -> int:
    """The number of valid results in the store."""
    store = Store(out)
    return sum(store.entry(key) is not None for key in store)


@needs_proc
def test_power_fails_at_any_moment(tmp_path, whole, monkeypatch):
    """After each step: reported points exist, no file is torn, and the sweep continues to the same results."""
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


@needs_proc
@pytest.mark.parametrize("steps", [11, 15, 20, 30])
def test_a_killed_sweep_that_goes_on_before_the_power_fails(tmp_path, whole, monkeypatch, steps):
    """Results that a killed process has not synced count only once the next process has synced them."""
    monkeypatch.setattr(saver, "_WINDOW", 0.0)
    root = tmp_path / "disk"
    (root / "out").mkdir(parents=True)
    recorder = Recorder(root, "out")
    monkeypatch.setattr(files, "disk", recorder)
    recorder.life = steps
    with pytest.raises((KilledError, af.EngineError)):
        swept(root / "out")
    recorder.life = -1
    swept(root / "out")
    for place, (survives, torn) in enumerate(CUTS.values()):
        recorder.cut(tmp_path / f"left-{place}", survives, torn)
        out = tmp_path / f"left-{place}" / "out"
        assert sound(out) == 6 and tables(out) == tables(whole) and recorded(Folder(out)).whole


TEARS = {
    "nothing": lambda contents: b"",
    "a half": lambda contents: contents[: len(contents) // 2],
    "zeros": lambda contents: bytes(len(contents)),
    "a bit": lambda contents: flipped(contents, len(contents) // 3 * 8),
}


def flipped(contents: bytes, bit: int) -> bytes:
    return contents[: bit // 8] + bytes([contents[bit // 8] ^ 1 << bit % 8]) + contents[bit // 8 + 1 :]


@pytest.fixture
def torn(tmp_path, whole):
    """A copy of the sweep with one torn file."""

    def tear(name: str, tear) -> Path:
        out = shutil.copytree(whole, tmp_path / "out", dirs_exist_ok=True)
        (out / name).write_bytes(tear((whole / name).read_bytes()))
        return out

    return tear


@pytest.mark.parametrize("tear", TEARS)
@pytest.mark.parametrize("name", ["sweep.toml", MANIFEST, "results.parquet"])
def test_a_torn_file_is_noticed_and_the_original_command_continues(torn, whole, name, tear):
    out = torn(name, TEARS[tear])
    assert recorded(Folder(out)).damaged == (name,)
    swept(out)
    assert tables(out) == tables(whole) and recorded(Folder(out)).whole
    assert (out / "sweep.toml").read_bytes() == (whole / "sweep.toml").read_bytes()


def test_no_flipped_bit_is_believed(torn, whole):
    """In each kind of file damage is noticed; the sweep continues to the same results or is refused in one line."""
    chance = random.Random(1)
    for name in ("sweep.toml", MANIFEST, "results.parquet", "sessions.parquet"):
        contents = (whole / name).read_bytes()
        out = torn(name, bytes)
        for place, bit in enumerate(chance.sample(range(len(contents) * 8), 600)):
            (out / name).write_bytes(flipped(contents, bit))
            if not recorded(Folder(out)).damaged:  # spaces in a manifest may change
                assert name == MANIFEST
                record, before = Record.of(Folder(out)), Record.of(Folder(whole))
                assert record.files == before.files and record.facts == before.facts
            if place % 100 == 0:
                swept(out)
                assert tables(out) == tables(whole) and recorded(Folder(out)).whole
                out = torn(name, bytes)


def test_no_flipped_bit_makes_a_manifest_look_like_somebody_elses(torn, whole):
    contents = (whole / MANIFEST).read_bytes()
    for bit in range(8):
        out = torn(MANIFEST, lambda contents, bit=bit: flipped(contents, bit))
        assert recorded(Folder(out)).damaged == (MANIFEST,)
        swept(out)
        assert tables(out) == tables(whole) and recorded(Folder(out)).whole
    (out / "sweep.toml").write_text("mine")
    (out / MANIFEST).write_bytes(flipped(contents, 0))
    assert Record.of(Folder(out)).foreign


def test_continuing_by_directory_after_a_torn_sweep_file_says_how(torn):
    out = torn("sweep.toml", TEARS["a half"])
    refused = call("sweep", str(out))
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert f"airfair cache {out} --repair" in refused.stderr


@pytest.mark.parametrize("names", [["sweep.toml"], [MANIFEST], ["results.parquet", "sessions.parquet"], []])
def test_repair(torn, whole, names):
    out = torn(MANIFEST, bytes)
    for name in names:
        (out / name).write_bytes(TEARS["a half"]((whole / name).read_bytes()))
    if not names:  # a damaged result has to be computed again
        change(out, min(points(out)), lambda contents: contents[:100])
    verified = call("cache", str(out), "--verify")
    assert verified.returncode == 1 and all(f"damaged: {out / name}" in verified.stdout for name in names)
    assert "--repair" in verified.stdout
    repaired = call("cache", str(out), "--repair", "--json")
    assert repaired.returncode == 0, repaired.stderr
    done = json.loads(repaired.stdout)["repaired"]
    assert all(any(line.startswith(name) for line in done) for name in names)
    assert bool(names) or done[0] == "1 damaged result removed, to be computed again"
    assert call("cache", str(out), "--verify").returncode == (0 if names else 1)
    assert tables(out) == tables(whole)
    assert call("sweep", str(out)).returncode == 0
    assert tables(out) == tables(whole) and sound(out) == 6


def test_repair_without_any_record_of_the_sweep(torn):
    out = torn(MANIFEST, bytes)
    (out / "sweep.toml").write_bytes(b"")
    (out / MANIFEST).write_bytes(b"")
    repaired = call("cache", str(out), "--repair")
    assert "the command that made the directory continues it" in repaired.stdout
    swept(out)
    assert recorded(Folder(out)).whole


@needs_proc
@pytest.mark.parametrize("cause", ENDING)
def test_a_signal_stops_at_once_and_writes_the_tables(tmp_path, cause):
    axis = "duration=10 s,1000000 s"
    process = start("sweep", "jung/mixed", "--over", axis, "--jobs", "2", "--out", "out", cwd=tmp_path)
    out = tmp_path / "out"
    assert until(lambda: points(out), process)
    process.send_signal(cause)
    stdout, stderr = rest_of(process)
    assert process.returncode == 128 + cause and stdout == "" and "Traceback" not in stderr
    assert "terminated; kept in out: 1 run." in stderr and "Continue with: airfair sweep out" in stderr
    assert results(out).height == 1 and recorded(Folder(out)).whole


@needs_proc
@pytest.mark.parametrize("nohup", [(), ("nohup",)])
def test_a_sweep_whose_terminal_is_closed(tmp_path, nohup):
    """It writes its tables, although its progress bar has lost its terminal; with `nohup` it goes on."""
    axis = "duration=10 s,5000 s" if nohup else "duration=10 s,1000000 s"
    ours, theirs = pty.openpty()
    sweep = [AIRFAIR, "sweep", "jung/mixed", "--over", axis, "--jobs", "2", "--out", "out"]
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    process = launch(["setsid", "--ctty", *nohup, *sweep], cwd=tmp_path, **streams)
    os.close(theirs)
    out = tmp_path / "out"
    assert until(lambda: points(out), process)
    os.close(ours)
    rest_of(process)
    assert results(out).height == 1 + len(nohup) and recorded(Folder(out)).whole


@pytest.mark.parametrize("table", ["results.parquet", "timings.parquet"])
def test_sigterm_while_the_tables_are_written(tmp_path, table):
    asked = ["sweep", "jung/mixed", *TINY_OPTIONS, "--seeds", "2", "--out", "out"]
    ended = dying("terminated", table, 1, *asked, cwd=tmp_path)
    assert ended.returncode == 143 and ended.stdout == ""
    assert ended.stderr.startswith("terminated; kept in out: 2 runs. Continue with: airfair sweep out")
    out = tmp_path / "out"
    assert results(out).height == 2 and recorded(Folder(out)).whole
    assert last_command(out)["complete"] and last_command(out)["finished"]


@needs_proc
@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "jung/mixed", *ENDLESS, "--out", "out"],
        ["optimize", "jung/mixed", "--over", "stations=2,4", "--maximize", "jain_persistent", *ENDLESS],
    ],
)
def test_sigterm_ends_other_commands(tmp_path, arguments):
    process = start(*arguments, cwd=tmp_path)
    assert until(lambda: computing(process), process)
    process.send_signal(signal.SIGTERM)
    stdout, stderr = rest_of(process)
    assert process.returncode == 143 and stdout == "" and "Traceback" not in stderr


def test_a_program_that_listens_to_sigterm_goes_on_listening(whole):
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        swept(whole, lambda done: os.kill(os.getpid(), signal.SIGTERM) if not heard else None)
        af.run("jung/mixed", seeds=2, duration="10 s", warmup="5 s")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]


@pytest.mark.parametrize("error", [ValueError("no such thing"), MemoryError(), RecursionError("deep")])
@pytest.mark.parametrize("step", ["append", "sync"])
def test_any_error_while_saving_ends_the_sweep(tmp_path, monkeypatch, error, step):
    def fail(*_arguments, **_options):
        raise error

    monkeypatch.setattr(Growing, step, fail)
    with pytest.raises(af.EngineError, match=type(error).__name__):
        swept(tmp_path)


def test_a_slow_disk_holds_the_runs_back(tmp_path, monkeypatch):
    """At most a second of finished work is unsynced: threads that save more wait for the disk."""
    monkeypatch.setattr(saver, "_OLDEST", 0.0)
    unsynced: list[str] = []

    class Slow(Disk):
        def create(self, name, at, contents):
            super().create(name, at, contents)
            unsynced.append(name)

        def append(self, name, at, contents):
            super().append(name, at, contents)
            unsynced.append(name)

        def sync(self, name, at):
            assert len(unsynced) <= 2  # one that waits, and one that is written meanwhile
            unsynced.clear()
            super().sync(name, at)

    monkeypatch.setattr(files, "disk", Slow())
    outcome = af.Scenario.load("jung/mixed", [("duration", "10 s")]).run(1)
    keeper = saver.Saver(Store(tmp_path / "store"), lambda count: None, lambda error: None)
    for place in range(20):
        key = f"{place:064x}"
        keeper.put(segments.together([(key, outcome.packed(key, 1.0, "here", "now")[0])]))
    keeper.close()
    assert unsynced == [] and sound(tmp_path / "store") == 20
