"""Random damage to every kind of file in a sweep's directory is noticed, and repaired or refused."""

import json
import os
import random
import shutil
from pathlib import Path

import pytest
from conftest import call
from sweeping import SAME, TINY, points

import airfair as af
from airfair.sweeps import sweep_file
from airfair.sweeps.data import read
from airfair.sweeps.directory import TABLES, Directory
from airfair.sweeps.plan import plan
from airfair.sweeps.query import Query, asked, opened
from airfair.sweeps.runner import run

KINDS = ("points/*.segment", *(f"{table}.parquet" for table in TABLES), "manifest.json", "sweep.toml", ".lock")


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A finished sweep with one refused point."""
    directory = tmp_path_factory.mktemp("whole") / "sweep"
    af.sweep("jung/mixed", over={"stations": [2, 4]}, seeds=2, out=directory, **TINY)
    return directory


def damaged(contents: bytes, chance: random.Random) -> bytes:
    """The contents with a flipped bit, cut off, all zeros, partly zeros, or with inserted bytes."""
    kind, at = chance.randrange(8), chance.randrange(max(1, len(contents)))
    if kind < 4 and contents:
        turned = contents[at] ^ (1 << chance.randrange(8))
        return contents[:at] + bytes([turned]) + contents[at + 1 :]
    if kind == 4:
        return contents[:at]
    if kind == 5:
        return bytes(len(contents))
    if kind == 6:
        length = min(512, len(contents) - at)
        return contents[:at] + bytes(length) + contents[at + length :]
    return contents[:at] + chance.randbytes(9) + contents[at:]


def seen(directory: Path) -> list[list[tuple]]:
    """The rows that commands which only read give of the reproducible tables."""
    answers = [asked(opened(directory, table), Query(table, select="*")).rows() for table in TABLES[:3]]
    return [*answers, read(directory, "results", "").frame.rows()]


def continued(directory: Path) -> dict[str, bytes]:
    """The tables after a command that continues the sweep."""
    held = Directory(directory)
    found = plan(held.sweep())
    run(found, directory=held, command=["airfair"])
    return {name: (directory / name).read_bytes() for name in SAME}


def check(swept: Path, place: Path, pattern: str, flips: int) -> None:
    """Damage one file this often. Each time all results are as before, or one clear line refuses the directory."""
    tables = {name: (swept / name).read_bytes() for name in SAME}
    before = seen(swept)
    refused = 0
    for seed in range(flips):
        chance = random.Random(f"{pattern} {seed}")
        directory = place / str(seed)
        shutil.copytree(swept, directory)
        file = chance.choice(sorted(directory.glob(pattern)))
        file.write_bytes(damaged(file.read_bytes(), chance))
        for look, expected in ((seen, before), (continued, tables)):
            try:
                assert look(directory) == expected, (pattern, seed)
            except af.InputError as error:
                refused += 1
                assert len(str(error).splitlines()) == 1, (pattern, seed)
        shutil.rmtree(directory)
    if pattern not in ("sweep.toml", ".lock"):
        assert refused == 0


@pytest.mark.parametrize("pattern", KINDS)
def test_a_damaged_file_is_never_believed(swept, tmp_path, pattern):
    check(swept, tmp_path, pattern, 12)


@pytest.mark.long
@pytest.mark.parametrize("pattern", KINDS)
def test_six_hundred_damages_of_each_kind(swept, tmp_path, pattern):
    check(swept, tmp_path, pattern, 600)


def test_a_damaged_sweep_is_continued_by_the_command_that_made_it(swept, tmp_path):
    tables = {name: (swept / name).read_bytes() for name in SAME}
    for seed in range(12):
        directory = Path(shutil.copytree(swept, tmp_path / str(seed)))
        file = directory / sweep_file.NAME
        file.write_bytes(damaged(file.read_bytes(), random.Random(seed)))
        af.sweep("jung/mixed", over={"stations": [2, 4]}, seeds=2, out=directory, **TINY)
        assert {name: (directory / name).read_bytes() for name in SAME} == tables
        assert file.read_bytes() == (swept / sweep_file.NAME).read_bytes()


def test_an_empty_segment_is_harmless(swept, tmp_path):
    """A full disk may leave one."""
    directory = Path(shutil.copytree(swept, tmp_path / "sweep"))
    (directory / "points" / "999998-00000000.segment").touch()
    assert seen(directory) == seen(swept)
    assert call("cache", str(directory), "--verify").returncode == 0
    af.sweep("jung/mixed", over={"stations": [2, 4]}, seeds=3, out=directory, **TINY)
    assert len(points(directory)) == 6


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("a special file", os.mkfifo),
        ("a directory", os.mkdir),
        ("a symbolic link", lambda path: path.symlink_to("/dev/null")),
    ],
)
def test_what_is_no_file_in_place_of_a_segment_is_named(swept, tmp_path, kind, make):
    directory = Path(shutil.copytree(swept, tmp_path / "sweep"))
    segment = next((directory / "points").iterdir())
    segment.rename(tmp_path / "aside")
    make(segment)
    for command in (["sweep"], ["cache", "--repair"], ["cache", "--prune"]):
        told = call(*command, str(directory))
        assert (told.returncode, told.stdout) == (2, "")
        assert told.stderr == f"error: {segment}: {kind} is there; AirFair neither replaces nor follows it\n"
    assert call("cache", str(directory), "--verify").returncode == 1


def test_what_is_missing_leads_to_the_command_that_brings_it_back(swept, tmp_path):
    directory = Path(shutil.copytree(swept, tmp_path / "sweep"))
    file = directory / sweep_file.NAME
    shutil.rmtree(directory / "points")
    for option in ("--verify", "--repair"):
        told = call("cache", str(directory), option)
        assert told.returncode == 2 and told.stderr.endswith(
            f"; compute what it held with: airfair sweep {directory}\n"
        )
    file.unlink()
    for command in (["results"], ["report"], ["plot", "--y", "throughput_total"]):
        told = call(command[0], str(directory), *command[1:])
        repair = f"airfair cache {directory} --repair"
        assert (told.returncode, told.stderr) == (2, f"error: {file} is missing; restore it with: {repair}\n")
    file.symlink_to("/dev/null")
    for command in (["results"], ["report"], ["plot", "--y", "throughput_total"]):
        told = call(command[0], str(directory), *command[1:])
        there = "a symbolic link is there; AirFair neither replaces nor follows it"
        assert (told.returncode, told.stderr) == (2, f"error: {file}: {there}\n")


def test_results_that_are_cut_off_are_missed(swept, tmp_path):
    """The end of a segment may be missing after a kill, too: the tables tell that the results were there."""
    directory = Path(shutil.copytree(swept, tmp_path / "sweep"))
    for segment in (directory / "points").iterdir():
        segment.write_bytes(segment.read_bytes()[:100])
    verify = ("cache", str(directory), "--verify")
    told = call(*verify)
    assert told.returncode == 1 and "not in the store: 4 results" in told.stdout
    # A metric without a column comes from the store, which has not the table's runs.
    select = ("results", str(directory), "--select")
    assert call(*select, "jain_persistent").returncode == 0
    refused = call(*select, "jain_persistent, packets_stddev")
    again = f"compute the others with: airfair sweep {directory}"
    assert refused.returncode == 2
    assert f"packets_stddev: the store, which has it, holds 0 of the table's 4 runs; {again}" in refused.stderr
    assert json.loads(call(*verify, "--json").stdout)["missing"] == 4
    assert call("sweep", str(directory)).returncode == 0
    assert call(*select, "jain_persistent, packets_stddev").returncode == 0
    told = call(*verify)
    assert told.returncode == 0 and "not in the store" not in told.stdout and seen(directory) == seen(swept)
