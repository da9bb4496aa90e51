"""Bad input: one clear message, exit status 2, no traceback, nothing written."""

import os
import re

import pytest

CASES = {
    "unknown parameter": (["run", "jung/mixed", "--set", "statoins=4"], ["statoins", "stations"]),
    "unknown TCP": (["run", "jung/mixed", "--set", "tcp=vegass"], ["vegass", "vegas"]),
    "unknown scenario": (["run", "jung/mixd"], ["jung/mixd", "jung/mixed"]),
    "unknown scenario described": (["describe", "jung/mixd"], ["jung/mixd", "jung/mixed"]),
    "unknown metric described": (["describe", "instantaneous_fairnes_sent"], ["instantaneous_fairness_sent"]),
    "unknown study": (["reproduce", "jing"], ["jing", "jung"]),
    "unknown figure": (["reproduce", "jung", "--figure", "fig2z"], ["fig2z", "fig2a"]),
    "a parameter that the study varies": (["reproduce", "jung", "--set", "stations=4"], ["stations"]),
    "unknown parameter of a study": (["reproduce", "jung", "--quick", "--set", "statoins=4"], ["statoins"]),
    "unknown trace": (["run", "jung/mixed", "--trace", "cwmd"], ["cwmd", "cwnd"]),
    "wrong unit": (["run", "jung/mixed", "--set", "duration=20 kB"], ["duration", "kB"]),
    "missing unit": (["run", "jung/mixed", "--set", "duration=20"], ["duration"]),
    "odd number of stations": (["run", "jung/mixed", "--set", "stations=5"], ["stations", "5", "2"]),
    "zero rate": (["run", "zero-rate.toml"], ["zero-rate.toml", "rate"]),
    "negative time": (["run", "jung/mixed", "--set", "duration=-5 s"], ["duration", "-5 s"]),
    "a thousand million stations": (["run", "jung/mixed", "--set", "stations=1000000000"], ["stations"]),
    "TOML syntax": (["check", "broken.toml"], ["broken.toml", "2"]),
    "unknown key": (["check", "unknown-key.toml"], ["unknown-key.toml", "durration", "`duration`"]),
    "no such file": (["check", "none.toml"], ["none.toml"]),
    "no equals sign": (["run", "jung/mixed", "--set", "stations"], ["NAME=VALUE"]),
    "seeds that are no number": (["run", "jung/mixed", "--seeds", "many"], ["--seeds"]),
    "no seeds": (["run", "jung/mixed", "--seeds", "0"], ["--seeds"]),
    "negative seed": (["run", "jung/mixed", "--seed", "-1"], ["--seed"]),
}


@pytest.fixture
def files(airfair, tmp_path):
    """The broken scenario files that some cases name."""
    shown = airfair("show", "jung/mixed").stdout
    rate = next(line for line in shown.splitlines() if line.replace(" ", "").startswith("rate="))
    (tmp_path / "zero-rate.toml").write_text(shown.replace(rate, 'rate = "0 Mb/s"', 1))
    (tmp_path / "broken.toml").write_text('name = "broken"\nduration = = 3\n')
    (tmp_path / "unknown-key.toml").write_text(shown.replace('duration = "duration"', 'durration = "3 s"'))
    return sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("out", [[], ["--out", "results"]], ids=["plain", "out"])
def test_one_message_and_nothing_else(airfair, tmp_path, files, case, out):
    arguments, words = CASES[case]
    finished = airfair(*arguments, *out)
    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == ""
    assert "Traceback" not in finished.stderr
    assert len(re.findall(r"^error: ", finished.stderr, re.IGNORECASE | re.MULTILINE)) == 1, finished.stderr
    for word in words:
        assert word in finished.stderr, finished.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == files


@pytest.mark.parametrize(
    "command",
    [["run", "jung/mixed"], ["reproduce", "jung"], ["scenarios"], ["show", "jung/mixed"]],
    ids=lambda command: command[0],
)
def test_unwritable_out(airfair, tmp_path, command):
    (tmp_path / "file").write_text("in the way")
    finished = airfair(*command, "--out", "file/results")
    assert finished.returncode == 2
    assert "file/results" in finished.stderr and "Traceback" not in finished.stderr
    assert finished.stdout == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_out_without_permission(airfair, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    assert airfair("run", "jung/mixed", "--out", "locked").returncode == 2
