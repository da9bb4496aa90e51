"""The store: segments, damage to them, and the files of earlier versions."""

import json
import random

import pytest
from power import CUTS, KilledError, Recorder
from sweeping import earlier, points

import airfair as af
from airfair.store import files, segments
from airfair.store.files import Folder, Growing
from airfair.store.store import DamagedError, Store

KEYS = [f"{place:064x}" for place in range(5)]


@pytest.fixture(scope="module")
def packed():
    """A packed outcome for each key."""
    outcome = af.Scenario.load("jung/mixed", [("duration", "10 s")]).run(1)
    return {key: outcome.packed(key, 1.0, "here", "2026-01-01T00:00:00.000+00:00")[0] for key in KEYS}


@pytest.fixture
def stored(tmp_path, packed):
    """A store with these outcomes in one segment."""
    [segment] = Store(tmp_path).append(packed)
    segment.sync()
    return tmp_path


def sound(directory):
    """The keys of entries that can be read, and the number of damaged ones and of damaged parts."""
    store = Store(directory)
    found, damaged = [], 0
    for part in store.each():
        try:
            assert part.key is not None and store.entry(part.key) is not None
            found.append(part.key)
        except (AssertionError, DamagedError):
            damaged += 1
    return found, damaged


def file(directory):
    [path] = directory.glob("points/*.segment")
    return path


def test_outcomes_come_back(stored, packed):
    store = Store(stored)
    assert list(store) == KEYS and all(store.contents(key) == packed[key] for key in KEYS)
    assert KEYS[0] in store and "f" * 64 not in store and store.entry("f" * 64) is None


def test_a_flipped_bit_costs_one_outcome(stored):
    whole = file(stored).read_bytes()
    chance = random.Random(1)
    sizes = len(whole) // len(KEYS)
    headers = [place * sizes * 8 + bit for place in range(len(KEYS)) for bit in range(0, 52 * 8, 11)]
    for bit in [*headers, *chance.sample(range(len(whole) * 8), 200)]:
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        file(stored).write_bytes(changed)
        found, damaged = sound(stored)
        # The operating system's name in a header of gzip does not matter, for example.
        assert (len(found) == 4 and damaged == 1) or (len(found) == 5 and damaged == 0), bit
        store = Store(stored)
        store.recover()
        assert len(sound(stored)[0]) == len(found) and store.lost <= 1
        for path in stored.glob("points/*.segment"):
            path.write_bytes(whole)


def test_a_torn_end_is_no_damage(stored):
    whole = file(stored).read_bytes()
    with file(stored).open("rb") as segment:
        ends = [part.end for part in segments.parts(segment)]
    for length in range(0, len(whole), 37):
        file(stored).write_bytes(whole[:length])
        found, damaged = sound(stored)
        assert found == KEYS[: sum(end <= length for end in ends)] and damaged == 0
    store = Store(stored)
    store.recover()
    assert store.lost == 0 and sound(stored) == (KEYS[:4], 0)
    assert whole.startswith(file(stored).read_bytes()) and file(stored).stat().st_size > len(whole) * 3 // 5


def test_inserted_bytes_cost_one_outcome(stored):
    whole = file(stored).read_bytes()
    middle = len(whole) // 2
    file(stored).write_bytes(whole[:middle] + b"more" + whole[middle:])
    assert sound(stored)[0] == [KEYS[0], KEYS[1], KEYS[3], KEYS[4]]


def test_of_two_outcomes_the_last_counts(stored, packed):
    other = packed[KEYS[1]]
    assert Store(stored).append({KEYS[0]: other})
    assert len(list(stored.glob("points/*.segment"))) == 2
    assert Store(stored).contents(KEYS[0]) == other
    assert len(list(Store(stored).each())) == 5


def test_a_segment_in_use_is_not_rewritten(stored, packed):
    writing = Store(stored)
    [segment] = writing.append({"a" * 64: packed[KEYS[0]]})
    Store(stored).remove(["a" * 64, KEYS[0]])
    assert sorted(Store(stored)) == [*KEYS[1:], "a" * 64]
    del writing, segment
    Store(stored).remove(["a" * 64])
    assert sorted(Store(stored)) == KEYS[1:]


def test_segments_are_of_bounded_size(tmp_path, packed, monkeypatch):
    monkeypatch.setattr(segments, "LARGEST", 1)
    store = Store(tmp_path)
    for key in KEYS:
        store.append({key: packed[key]})
    assert len(list(tmp_path.glob("points/*.segment"))) == 5 and sound(tmp_path) == (KEYS, 0)


def test_after_a_write_that_failed_another_segment_is_begun(tmp_path, packed, monkeypatch):
    store = Store(tmp_path)
    store.append({KEYS[0]: packed[KEYS[0]]})

    def fail(self, contents):
        files.disk.append(self._name, self._folder._at, contents[:100])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr(Growing, "append", fail)
        store.append({KEYS[1]: packed[KEYS[1]]})
    store.append({KEYS[2]: packed[KEYS[2]]})
    assert sound(tmp_path) == ([KEYS[0], KEYS[2]], 0)


@pytest.fixture
def older(stored):
    """The same as earlier versions stored it."""
    earlier(stored)
    return stored


def test_files_of_earlier_versions_are_read(older, packed):
    store = Store(older)
    assert list(store) == KEYS and all(store.contents(key) == packed[key] for key in KEYS)
    assert KEYS[0] in store and sound(older) == (KEYS, 0)
    store.remove(KEYS[:2])
    assert sound(older) == (KEYS[2:], 0)


def test_migration_keeps_each_byte(older, packed):
    bad = older / "points" / "00" / f"{KEYS[2]}.json.gz"
    bad.write_bytes(b"damaged")
    left = [key for key in KEYS if key != KEYS[2]]
    assert Store(older).migrate() == 4
    assert all(Store(older).contents(key) == packed[key] for key in left)
    assert sound(older) == (left, 1)
    assert sorted(path.name for path in older.rglob("*") if path.is_file()) == [bad.name, file(older).name]
    assert Store(older).migrate() == 0
    bad.unlink()
    Store(older).migrate()
    assert [path.name for path in (older / "points").iterdir()] == [file(older).name]


def test_a_migration_can_be_ended_by_a_power_failure_at_any_moment(tmp_path, packed, monkeypatch):
    """No outcome is lost."""
    for life in range(40):
        root = tmp_path / str(life)
        (root / "out").mkdir(parents=True)
        recorder = Recorder(root, "out")
        monkeypatch.setattr(files, "disk", recorder)
        for key in KEYS:
            folder = Folder(root / "out").folder("points", make=True).folder(key[-2:], make=True)
            folder.write(f"{key[-2:] + key[2:]}.json.gz", packed[key])
            folder.above.sync()
        Folder(root / "out").sync()
        recorder.life = life
        with pytest.raises(KilledError):
            Store(root / "out").migrate()
            raise KilledError
        for place, (survives, torn) in enumerate(CUTS.values()):
            recorder.cut(tmp_path / f"{life}-{place}", survives, torn)
            store = Store(tmp_path / f"{life}-{place}" / "out")
            assert len(list(store)) == 5 and all(store.contents(key) for key in store)
    assert recorder.life > 0, "the migration has ended before"


def test_cache_migrates(airfair, tmp_path):
    arguments = ["run", "jung/mixed", "--set", "duration=10 s", "--seeds", "3", "--out", "out", "--json"]
    first = airfair(*arguments)
    earlier(tmp_path / "out")
    kept = {key: Store(tmp_path / "out").contents(key) for key in points(tmp_path / "out")}
    done = airfair("cache", "out", "--migrate", "--verify", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["migrated"] == 3 and json.loads(done.stdout)["damaged"] == 0
    assert kept == {key: Store(tmp_path / "out").contents(key) for key in points(tmp_path / "out")}
    assert len(list((tmp_path / "out" / "points").iterdir())) == 1
    assert airfair(*arguments).stdout == first.stdout
    assert "0 results packed" in airfair("cache", "out", "--migrate").stdout
