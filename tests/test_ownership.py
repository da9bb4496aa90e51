"""AirFair neither replaces nor removes files that it has not written, and follows no links."""

import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import SHORT, call, rest_of, start, until
from sweeping import OUTAGES, TINY_OPTIONS, tables

import airfair as af
from airfair.store.output import Output, place_for
from airfair.store.record import MANIFEST

RUN = ["run", "jung/mixed", *TINY_OPTIONS]
SWEEP = ["sweep", "mine.toml", "--over", "down=100,200 ms"]


@pytest.fixture
def own(tmp_path) -> Path:
    """A directory with files of its owner, beside a scenario."""
    (tmp_path / "mine.toml").write_text(OUTAGES)
    own = tmp_path / "own"
    own.mkdir()
    for name in ("notes.txt", "draft.tmp", "results.csv", "figure.svg"):
        (own / name).write_text("mine")
    return own


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def test_foreign_files_neither_block_nor_get_touched(own):
    before = contents(own)
    for _ in range(2):
        ran = call(*RUN, "--out", ".", cwd=own)
        assert ran.returncode == 0, ran.stderr
    drawn = call("timeline", "jung/mixed", *TINY_OPTIONS, "--out", ".", cwd=own)
    assert drawn.returncode == 0, drawn.stderr
    assert before.items() <= contents(own).items()
    assert (own / "run.json").is_file() and (own / "timeline.json").is_file()


def test_another_thread_of_this_process_is_named(tmp_path):
    output = Output.made(tmp_path)
    said = "another thread of this process is writing there; let"
    with output.computing(), pytest.raises(af.InputError, match=said), output.computing():
        pass


def test_tables_of_another_answer_are_not_replaced(own, tmp_path):
    assert call(*RUN, "--out", "run", cwd=tmp_path).returncode == 0
    assert call(*SWEEP, "--out", "swept", cwd=tmp_path).returncode == 0
    for directory, command, lost in (
        ("swept", RUN, "a sweep, whose sessions.parquet"),
        ("run", SWEEP, "a run, whose sessions.parquet"),
        ("swept", ["results", "swept", "--limit", "1", "--format", "parquet"], "a sweep, whose results.parquet"),
    ):
        before = contents(tmp_path / directory)
        refused = call(*command, "--out", directory, cwd=tmp_path)
        said = f"error: {directory}: it holds {lost} this would replace; give another --out, or add --force\n"
        assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", said)
        assert contents(tmp_path / directory) == before
    assert call("results", "swept", "--format", "csv", "--out", "swept", cwd=tmp_path).returncode == 0
    forced = call(*RUN, "--out", "swept", "--force", cwd=tmp_path)
    assert forced.returncode == 0 and call(*RUN, "--out", "swept", cwd=tmp_path).returncode == 0, forced.stderr


def test_a_foreign_file_where_a_result_goes_is_refused_and_replaced_by_force(own, tmp_path):
    for name in ("results.parquet", MANIFEST):
        (own / name).write_text("mine")
    before = contents(own)
    refused = call(*SWEEP, "--out", "own", cwd=tmp_path)
    assert refused.returncode == 2 and "--force" in refused.stderr and refused.stdout == ""
    assert "results.parquet" in refused.stderr and MANIFEST in refused.stderr
    assert contents(own) == before and not (own / "points").exists()
    forced = call(*SWEEP, "--out", "own", "--force", cwd=tmp_path)
    assert forced.returncode == 0 and "results.parquet" in forced.stderr, forced.stderr
    del before["results.parquet"], before[MANIFEST]
    assert before.items() <= contents(own).items()
    again = call(*SWEEP, "--out", "own", cwd=tmp_path)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sessions.parquet", RUN),
        ("run.json", RUN),
        ("show.json", ["show", "jung/mixed"]),
        ("timeline.json", ["timeline", "jung/mixed", *TINY_OPTIONS]),
        (
            "optimum.png",
            ["optimize", "jung/mixed", "--over", "stations=2,4", "--maximize", "jain_persistent", *TINY_OPTIONS],
        ),
        ("summary.md", ["reproduce", "jung", "--quick", "--figure", "restart"]),
    ],
)
def test_every_command_checks_before_it_computes(own, tmp_path, name, arguments):
    (own / name).write_text("mine")
    before = contents(own)
    refused = call(*arguments, "--out", "own", cwd=tmp_path)
    assert refused.returncode == 2 and name in refused.stderr and "--force" in refused.stderr
    assert contents(own) == before and not (own / "points").exists()


def test_a_foreign_manifest_hinders_only_sweeps(own):
    (own / MANIFEST).write_text('{"name": "a page", "start_url": "."}')
    for _ in range(2):
        ran = call(*RUN, "--out", ".", cwd=own)
        assert ran.returncode == 0, ran.stderr
    assert json.loads((own / MANIFEST).read_text())["name"] == "a page"


def older(out: Path) -> None:
    """Make a directory like those of earlier versions: no record, no marks in figures."""
    manifest = json.loads((out / MANIFEST).read_text())
    for name in ("files", "sha256", "sweep_file"):
        manifest.pop(name, None)
    (out / MANIFEST).write_text(json.dumps(manifest, indent=2))
    for figure in out.rglob("*.svg"):
        figure.write_text(figure.read_text().replace("<!-- AirFair -->", ""))


def test_an_older_directory_is_recognised(swept, tmp_path):
    out = swept
    (tmp_path / "mine.toml").write_text(OUTAGES)
    for command in (["report", "out"], ["plot", "out", "--y", "throughput_total", "--format", "svg"]):
        drawn = call(*command, cwd=tmp_path)
        assert drawn.returncode == 0, drawn.stderr
    older(out)
    before = tables(out)
    for command in (
        ["results", "out"],
        [*SWEEP, "--out", "out"],
        ["report", "out"],
        ["plot", "out", "--y", "throughput_total", "--format", "svg"],
        ["cache", "out", "--verify"],
    ):
        done = call(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert tables(out) == before


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A finished sweep."""
    place = tmp_path_factory.mktemp("finished")
    (place / "mine.toml").write_text(OUTAGES)
    ran = call(*SWEEP, "--out", "out", cwd=place)
    assert ran.returncode == 0, ran.stderr
    return place / "out"


@pytest.fixture
def swept(tmp_path, finished) -> Path:
    """A finished sweep in `out`."""
    return shutil.copytree(finished, tmp_path / "out")


@pytest.fixture
def victim(tmp_path) -> Path:
    """A directory that links lead to."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine")
    (victim / "file.1-00000000.airfair.tmp").write_text("mine")
    return victim


@pytest.mark.parametrize(
    ("link", "target", "arguments"),
    [
        (".lock", "victim/file", ["sweep", "out"]),
        (".lock", "victim/file", ["cache", "out", "--prune"]),
        ("points", "victim", ["sweep", "out"]),
        ("report.html", "victim/file", ["report", "out"]),
        ("results.parquet", "victim/file", ["sweep", "out"]),
        (MANIFEST, "victim/file", ["sweep", "out"]),
        ("figures", "victim", ["plot", "out", "--y", "throughput_total"]),
        ("run.json", "victim/file", [*RUN, "--out", "out"]),
    ],
)
def test_links_in_a_directory_are_not_followed(swept, victim, tmp_path, link, target, arguments):
    place = swept / link
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    place.symlink_to(tmp_path / target)
    before = contents(victim)
    refused = call(*arguments, cwd=tmp_path)
    assert refused.returncode == 2, (refused.stdout, refused.stderr)
    assert "symbolic link" in refused.stderr and "Traceback" not in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert contents(victim) == before and place.is_symlink()


def test_prune_removes_nothing_through_links(swept, victim, tmp_path):
    (swept / "points" / "zz").symlink_to(victim)
    (swept / "points" / "ab").symlink_to(victim)
    for name in ("file.1-00000000.airfair.tmp", "file"):
        os.utime(victim / name, (0, 0))
    before = contents(victim)
    assert call("cache", "out", "--prune", cwd=tmp_path).returncode == 0
    assert contents(victim) == before


def test_nobody_is_told_to_prune_a_link(swept, victim, tmp_path):
    (segment,) = (swept / "points").glob("*.segment")
    segment.unlink()
    segment.symlink_to(victim / "file")
    shown = call("cache", "out", cwd=tmp_path)
    assert f"out/points/{segment.name}: it is no file; move it away" in " ".join(shown.stdout.split()), shown.stdout
    assert shown.returncode == 0 and "--prune" not in shown.stdout
    # What else there is to remove can be removed once the link is away.
    left = swept / "points" / f"{segment.name}.1-00000000.airfair.tmp"
    left.touch()
    os.utime(left, (0, 0))
    assert "airfair cache out --prune" in call("cache", "out", cwd=tmp_path).stdout
    assert "symbolic link" in call("cache", "out", "--prune", cwd=tmp_path).stderr and left.exists()
    segment.unlink()
    assert call("cache", "out", "--prune", cwd=tmp_path).returncode == 0 and not left.exists()


def test_links_on_the_way_to_a_directory_are_followed(tmp_path):
    (tmp_path / "mine.toml").write_text(OUTAGES)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "scratch")
    ran = call(*SWEEP, "--out", "out", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "scratch" / "results.parquet").is_file()


def test_only_leftovers_of_killed_commands_are_removed(swept, tmp_path):
    left = [
        swept / "results.parquet.1-0123abcd.airfair.tmp",
        swept / "points" / "00" / f"{'0' * 64}.json.gz.1-2.tmp",
        swept / "points" / "000001-01234567.segment.1-0123abcd.airfair.tmp",
    ]
    mine = [swept / "mine.tmp", swept / "notes.1-0123abcd.airfair.tmp", swept / "points" / "mine.tmp"]
    (swept / "points" / "00").mkdir()
    for path in (*left, *mine):
        path.write_text("half")
    assert call("sweep", "out", cwd=tmp_path).returncode == 0
    assert not any(path.exists() for path in left) and all(path.exists() for path in mine)


def test_reading_and_drawing_work_while_a_sweep_runs(tmp_path):
    axis = "duration=10 s,1000000 s"
    process = start("sweep", "jung/mixed", "--over", axis, "--jobs", "2", "--out", "out", cwd=tmp_path)
    try:
        assert until(lambda: list((tmp_path / "out").glob("points/*.segment")), process)
        for command in (
            ["results", "out"],
            ["plot", "out", "--y", "throughput_total", "--x", "duration"],
            ["report", "out"],
        ):
            done = call(*command, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
        refused = call(*RUN, "--out", "out", cwd=tmp_path)
        assert refused.returncode == 2 and f"process {process.pid}" in refused.stderr
    finally:
        process.kill()
        rest_of(process)


@pytest.mark.parametrize("command", ["run", "timeline", "reproduce", "optimize"])
def test_commands_that_compute_exclude_each_other(tmp_path, command):
    arguments = {
        "run": RUN,
        "timeline": ["timeline", "jung/mixed", *TINY_OPTIONS],
        "reproduce": ["reproduce", "jung", "--quick", "--figure", "restart"],
        "optimize": [
            "optimize",
            "jung/mixed",
            "--over",
            "stations=2,4",
            "--maximize",
            "jain_persistent",
            *TINY_OPTIONS,
        ],
    }[command]
    (tmp_path / "out").mkdir()
    with Output(tmp_path / "out").computing():
        refused = call(*arguments, "--out", "out", cwd=tmp_path)
    assert refused.returncode == 2 and "is writing there" in refused.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".lock"]


def test_another_question_gets_another_directory(tmp_path):
    def timeline(*more: str) -> str:
        done = call("timeline", "jung/mixed", *TINY_OPTIONS, *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().removeprefix("timeline: ")

    first, second = timeline("--format", "svg"), timeline("--set", "stations=2", "--format", "svg")
    assert first == "airfair-results/timeline/jung-mixed/timeline.svg" != second
    assert "stations=2" in second and (tmp_path / second).is_file()
    assert timeline("--format", "html") == first.replace(".svg", ".html")
    assert timeline("--set", "stations=2", "--format", "svg") == second
    place = str(Path(first).parent)
    # In a directory that is named, pictures of the earlier question are removed; those of this question stay.
    timeline("--set", "stations=2", "--format", "png", "--out", place)
    names = {path.name for path in (tmp_path / place).glob("timeline.*")}
    assert names == {"timeline.png", "timeline.json"}


def test_questions_have_names_of_their_own(tmp_path):
    base = tmp_path / "base"
    assert place_for(base, "search", ["a=1"]) == base
    output = Output.made(base)
    with output.computing():
        output.publish({}, {"search": ["a=1"]})
    assert place_for(base, "search", ["a=1"]) == base
    others = [["a=2"], ["a=2/3"], ["a=2-3"], [f"a={'x' * 300}"], [f"a={'x' * 301}"]]
    places = {place_for(base, "search", asked) for asked in others}
    assert len(places) == len(others) and all(len(place.name) < 120 for place in places)


def test_a_picture_is_saved_through_a_link_that_somebody_names(tmp_path):
    target = tmp_path / "elsewhere.svg"
    target.write_text("old")
    (tmp_path / "link.svg").symlink_to(target)
    af.timeline("jung/mixed", duration="10 s", warmup="5 s").save(tmp_path / "link.svg")
    assert target.read_text().startswith("<svg") and (tmp_path / "link.svg").is_symlink()


@pytest.mark.parametrize("seeds", ["1", "2"])
def test_traces_of_an_earlier_run_are_removed(tmp_path, seeds):
    run = ["run", "jung/mixed", *SHORT, "--seeds", seeds, "--out", "out"]
    out = tmp_path / "out"
    assert call(*run, "--trace", "cwnd,air", cwd=tmp_path).returncode == 0
    assert (out / "series.parquet").exists() and (out / "air.parquet").exists()
    (out / "air.parquet").write_text("mine")  # the file is no longer as AirFair has written it
    assert call(*run, cwd=tmp_path).returncode == 0
    assert not (out / "series.parquet").exists() and (out / "air.parquet").read_text() == "mine"
    assert (out / "sessions.parquet").exists()
