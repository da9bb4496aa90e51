"""Files that may not be read, and directories that may not be written: one clear message, and nothing is lost."""

import shutil

import pytest
from conftest import as_user, call, needs_permissions

pytestmark = needs_permissions
DENIED = "Permission denied"


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    place = tmp_path_factory.mktemp("swept")
    sweep = ["sweep", "jung/mixed", "--over", "stations=2,4", "--set", "duration=20 s", "--out", "mine"]
    assert call(*sweep, cwd=place).returncode == 0
    return place / "mine"


@pytest.fixture
def mine(swept, tmp_path):
    """A copy of the sweep, to be closed; pytest removes it afterwards."""
    copy = shutil.copytree(swept, tmp_path / "mine")
    yield copy
    copy.chmod(0o755)


def refused(*arguments, cwd):
    """The message of a command that refuses."""
    ran = as_user(*arguments, cwd=cwd)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1), ran.stderr
    assert "Errno" not in ran.stderr and "Traceback" not in ran.stderr
    return ran.stderr


OF_SWEEPS = [
    ["results", "mine"],
    ["plot", "mine", "--y", "throughput_total"],
    ["report", "mine"],
    ["cache", "mine", "--verify"],
    ["diff", "mine", "mine"],
    ["sweep", "mine"],
]


@pytest.mark.parametrize("command", OF_SWEEPS, ids=lambda command: command[0])
def test_a_directory_that_may_not_be_read(mine, tmp_path, command):
    mine.chmod(0)
    assert f"mine: it cannot be read: {DENIED}" in refused(*command, cwd=tmp_path)


def test_a_directory_whose_names_alone_may_be_read(mine, tmp_path):
    mine.chmod(0o600)
    assert f"mine: it cannot be read: {DENIED}" in refused("report", "mine", cwd=tmp_path)


def test_a_sweep_file_that_may_not_be_read(mine, tmp_path):
    (mine / "sweep.toml").chmod(0)
    for command in (["sweep", "mine"], ["results", "mine"]):
        assert f"mine/sweep.toml: it cannot be read: {DENIED}" in refused(*command, cwd=tmp_path)


@pytest.mark.parametrize("command", [["cache", "mine", "--prune"], ["cache", "mine", "--repair"], ["sweep", "mine"]])
def test_results_that_may_not_be_read_are_neither_damaged_nor_removed(swept, mine, tmp_path, command):
    [segment] = (mine / "points").iterdir()
    segment.chmod(0)
    assert f"{segment.name}: it cannot be read: {DENIED}" in refused(*command, cwd=tmp_path)
    segment.chmod(0o644)
    assert segment.read_bytes() == (swept / "points" / segment.name).read_bytes()


@pytest.mark.parametrize("name", ["run", "describe", "diff", "fair-share"])
def test_a_scenario_that_may_not_be_read(tmp_path, name):
    (tmp_path / "home.toml").touch(mode=0)
    assert "home.toml: it cannot be read: Permission denied" in refused(name, "home.toml", cwd=tmp_path)


def test_defaults_that_may_not_be_read(tmp_path):
    (tmp_path / "airfair.toml").touch(mode=0)
    assert f"airfair.toml: cannot be read: {DENIED}" in refused("scenarios", cwd=tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ["run", "jung/mixed", "--out", "closed"],
        ["run", "jung/mixed", "--pcap", "closed/run.pcapng"],
        ["sweep", "jung/mixed", "--over", "stations=2", "--out", "closed/mine"],
        ["sweep", "jung/mixed", "--over", "stations=2", "--cache", "closed"],
        ["reproduce", "jung", "--quick", "--out", "closed"],
        ["timeline", "jung/mixed", "--out", "closed"],
        ["optimize", "jung/mixed", "--over", "max_window=2,4", "--maximize", "throughput_total", "--out", "closed"],
        ["init", "closed/mine.toml"],
        ["show", "jung/mixed", "--out", "closed"],
    ],
    ids=lambda command: command[0],
)
def test_a_directory_that_may_not_be_written(tmp_path, command):
    (tmp_path / "closed").mkdir(mode=0o500)
    said = refused(*command, cwd=tmp_path)
    assert f"cannot write there: {DENIED}" in said and "closed" in said
    assert [path.name for path in tmp_path.rglob("*")] == ["closed"]


def test_results_that_may_not_be_written_are_shown_elsewhere(mine, tmp_path):
    mine.chmod(0o500)
    assert f"mine: cannot write there: {DENIED}" in refused("sweep", "mine", cwd=tmp_path)
    assert f"mine: cannot write there: {DENIED}" in refused("report", "mine", cwd=tmp_path)
    assert as_user("report", "mine", "--out", "elsewhere", cwd=tmp_path).returncode == 0
