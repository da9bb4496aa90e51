"""Sweeps in blocks: points are made, and rows written, while others run."""

import random

import polars
import polars.testing
import pytest
from sweeping import SAME, TINY, remove, tables

import airfair as af
from airfair import _engine
from airfair.runs import executor
from airfair.runs import growing_table as growing
from airfair.sweeps import frames, runner
from airfair.sweeps.plan import plan
from airfair.sweeps.runner import _Frontier, _Points
from airfair.sweeps.spec import Sweep

#: A sweep of short runs with sessions.
OVER = {"stations": [2, 4, 6], "tcp": ["reno", "vegas"]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The tables of sweeps that fit into one block: with a fixed number of seeds, and until an interval is narrow."""
    out = tmp_path_factory.mktemp("whole")
    af.sweep("jung/mixed", OVER, seeds=5, out=out / "fixed", **TINY)
    af.sweep("jung/mixed", OVER, until_ci="throughput_total=5%", seeds=8, out=out / "until", **TINY)
    return out


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    ("case", "options"), [("fixed", {"seeds": 5}), ("until", {"until_ci": "throughput_total=5%", "seeds": 8})]
)
def test_blocks_change_no_row(whole, tmp_path, monkeypatch, case, options, jobs):
    for module, name, size in (
        (executor, "_WAITING", 4),
        (executor, "_PIECE", 3),
        (runner, "_BLOCK", 4),
        (runner, "_UNTIL_BLOCK", 1),
        (frames, "_CHUNK", 3),
    ):
        monkeypatch.setattr(module, name, size)
    swept = af.sweep("jung/mixed", OVER, out=tmp_path, jobs=jobs, **options, **TINY)
    assert tables(tmp_path) == tables(whole / case)
    for name in (*SAME, "timings.parquet"):
        kept = polars.DataFrame(getattr(swept, name.removesuffix(".parquet")))
        polars.testing.assert_frame_equal(kept, polars.read_parquet(tmp_path / name))
    remove(tmp_path)
    af.sweep("jung/mixed", OVER, out=tmp_path, jobs=jobs, **options, **TINY)
    assert tables(tmp_path) == tables(whole / case)


def test_row_groups_do_not_depend_on_how_the_rows_came(tmp_path, monkeypatch):
    monkeypatch.setattr(growing, "_GROUP", 1500)
    draw = random.Random(1)
    # Long texts, so that a row group has several pages.
    words = [draw.choice(["a", None, draw.randbytes(1000).hex()]) for _ in range(3500)]
    frame = polars.DataFrame({"n": range(3500), "word": words})
    contents = []
    for most in (1, 70, 999, 3500):
        table = growing.GrowingTable(tmp_path, frame)
        at = 0
        while at < frame.height:
            size = draw.randint(0, most) if most > 1 else 500
            table.append(frame[at : at + size])
            at += size
        with table.finish({"complete": "true"}) as file:
            contents.append(file.read())
    assert len(set(contents)) == 1 and list(tmp_path.iterdir()) == []
    file = tmp_path / "table.parquet"
    file.write_bytes(contents[0])
    polars.testing.assert_frame_equal(polars.read_parquet(file), frame)
    assert polars.read_parquet_metadata(file)["complete"] == "true"


def test_the_longest_runs_of_a_block_come_first(monkeypatch):
    monkeypatch.setattr(runner, "_BLOCK", 4)
    text = _engine.scenario_text("jung/mixed")
    found = _Points(plan(Sweep("jung/mixed", text, over={"stations": ("2..6:2",)}, seeds=2)))
    assert [list(found.stretch(*ends).numbers) for ends in ((0, 3), (3, 6))] == [[2, 3, 0], [1, 4, 5]]
    alike = _Points(plan(Sweep("jung/mixed", text, over={"tcp": ("reno,vegas",)}, seeds=4)))
    assert list(alike.stretch(1, 7).numbers) == list(range(1, 7))


def test_the_frontier_advances_by_whole_blocks():
    frontier = _Frontier(7, 3)
    places = []
    for place in (4, 1, 0, 5, 6, 2, 3):
        if frontier.note(place):
            places.append((place, frontier.place))
    assert places == [(2, 3), (3, 7)]
