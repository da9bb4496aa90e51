"""The same scenario and seed give the same bytes, with any number of jobs and in both engines."""

from conftest import SHORT


def test_the_same_seed_twice(airfair):
    arguments = ["run", "jung/mixed", *SHORT, "--set", "tcp=vegas", "--json"]
    first, second = airfair(*arguments), airfair(*arguments)
    assert first.returncode == 0 and first.stdout == second.stdout
    assert airfair(*arguments, "--seed", "2").stdout != first.stdout


def test_one_job_and_two(airfair, tmp_path):
    arguments = ["run", "jung/mixed", *SHORT, "--seeds", "4", "--trace", "cwnd", "--json"]
    one = airfair(*arguments, "--jobs", "1", "--out", "one")
    two = airfair(*arguments, "--jobs", "2", "--out", "two")
    assert one.returncode == 0 and one.stdout == two.stdout
    written = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert "series.parquet" in written
    for name in written:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_both_engines(airfair, tmp_path):
    arguments = ["run", "jung/mixed", *SHORT, "--seeds", "2", "--trace", "cwnd,queue,air", "--json"]
    fast = airfair(*arguments, "--out", "fast")
    plain = airfair(*arguments, "--engine", "plain", "--out", "plain")
    assert fast.returncode == 0 and fast.stdout == plain.stdout
    for path in (tmp_path / "fast").glob("*.parquet"):
        assert path.read_bytes() == (tmp_path / "plain" / path.name).read_bytes(), path.name


def test_no_stored_result_answers_for_an_engine_that_is_asked_for(airfair, tmp_path):
    arguments = ["run", "jung/mixed", *SHORT, "--seeds", "2", "--out", "both"]
    assert airfair(*arguments).returncode == 0
    [forged, _] = sorted((tmp_path / "both" / "points").glob("*/*"))
    forged.write_bytes(b"")
    assert airfair(*arguments, "--engine", "plain").returncode == 0
    assert forged.read_bytes() == b""


def test_an_unknown_engine(airfair):
    finished = airfair("run", "jung/mixed", "--engine", "plane")
    assert finished.returncode == 2 and "engine `plane` is not known; there are fast and plain" in finished.stderr


def test_a_study_at_one_job_and_two(airfair):
    arguments = ["reproduce", "jung", "--quick", "--figure", "restart", "--seeds", "2", *SHORT, "--json"]
    one = airfair(*arguments, "--jobs", "1", "--out", "one")
    two = airfair(*arguments, "--jobs", "2", "--out", "two")
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
