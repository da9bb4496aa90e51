"""Bad input: one clear message, exit status 2, no traceback, nothing written."""

import os
import re

import pytest

CASES = {
    "unknown parameter": (["run", "jung/mixed", "--set", "statoins=4"], ["statoins", "stations"]),
    "unknown TCP": (["run", "jung/mixed", "--set", "tcp=vegass"], ["vegass", "vegas"]),
    "unknown scenario": (
        ["run", "jung/mixd"],
        ["error: jung/mixd: unknown scenario; did you mean `jung/mixed`?\n"],
    ),
    "a scenario without its family": (["timeline", "home"], ["home: unknown scenario; did you mean `wifi/home`?\n"]),
    "nothing like a scenario": (["diff", "xyz"], ["xyz: unknown scenario; `airfair scenarios` lists them"]),
    "unknown scenario described": (["describe", "jung/mixd"], ["jung/mixd", "jung/mixed"]),
    "unknown metric described": (["describe", "instantaneous_fairnes_sent"], ["instantaneous_fairness_sent"]),
    "nothing like a metric": (
        ["optimize", "jung/mixed", "--over", "tcp=reno,vegas", "--maximize", "foo"],
        ["unknown metric `foo`; `airfair describe metrics` lists all"],
    ),
    "a name in capitals": (["describe", "JAIN"], ["did you mean jain?"]),
    "a name of one character": (["describe", "é"], ["é: neither a scenario", "list all\n"]),
    "a scenario file without its ending": (
        ["run", "loss"],
        ["loss: unknown scenario; did you mean the file `loss.toml`?"],
    ),
    "not modelled": (["describe", "802.11bn"], ["802.11bn: it is not modelled; the newest is 802.11be"]),
    "unknown study": (["reproduce", "jing"], ["error: jing: unknown study; did you mean jung?\n"]),
    "nothing like a study": (["reproduce", "xyz"], ["error: xyz: unknown study; known: anomaly, "]),
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
    "a directory for a scenario": (["run", "."], [".: it is a directory", "ends in .toml"]),
    "a directory to check": (["check", "."], [".: it is a directory, and a file is needed"]),
    "a broken file for a search": (
        ["optimize", "broken.toml", "--over", "tcp=reno,vegas", "--maximize", "jain"],
        ["error: broken.toml:2:"],
    ),
    "a pipe for a scenario": (["check", "pipe.toml"], ["pipe.toml: it is not a file"]),
    "a sweep of a pipe": (["sweep", "of-pipe.toml"], ["pipe.toml: it is not a file"]),
    "no such directory": (["cache", "none"], ["none: the directory does not exist"]),
    "a file for a directory": (["cache", "broken.toml"], ["broken.toml: it is a file, and a directory is needed"]),
    "a packaged scenario is not a file": (["check", "jung/mixed"], ["packaged", "airfair show jung/mixed > FILE"]),
    "loss above one": (["check", "loss.toml"], ["loss.toml:8", "link[0].errors.probability", "`1.5`", "from 0 to 1"]),
    "negative loss": (["check", "negative-loss.toml"], ["link[0].errors.probability", "`-0.1`", "from 0 to 1"]),
    "a state of no length": (["check", "state.toml"], ["link[0].errors.mean_bad", "a time above 0 is needed"]),
    "a handoff of no length": (["check", "handoff.toml"], ["link[0].outage.duration", "above zero"]),
    "a link that is never up": (["check", "never-up.toml"], ["link[0].outage.period", "longer than `duration`"]),
    "a queue of no length": (["check", "queue.toml"], ["link[0].queue", "at least 1 packet"]),
    "a queue of no time": (["check", "queue-time.toml"], ["link[0].queue", "at least 1 packet"]),
    "a disconnected topology": (["check", "island.toml"], ["flow[0]", "no path", "`a`", "`c`"]),
    "a flow from an unknown node": (["check", "from.toml"], ["flow[0].from", "unknown node `aa`", "`a`"]),
    "a flow to an unknown node": (["run", "to.toml"], ["flow[0].to", "unknown node `bb`", "`b`"]),
    "no equals sign": (["run", "jung/mixed", "--set", "stations"], ["NAME=VALUE"]),
    "seeds that are no number": (["run", "jung/mixed", "--seeds", "many"], ["--seeds"]),
    "seeds that would control the terminal": (["run", "jung/mixed", "--seeds", "\x1b[2J"], ["--seeds", "\\x1b[2J"]),
    "no seeds": (["run", "jung/mixed", "--seeds", "0"], ["--seeds"]),
    "more seeds than memory": (["run", "jung/mixed", "--seeds", "1000000000000"], ["--seeds", "1000000"]),
    "negative seed": (["run", "jung/mixed", "--seed", "-1"], ["--seed"]),
}


#: Hosts a and b with a link and a flow between them, and host c without a link.
WIRE = """\
run.duration = "10 s"
node = [{ name = "a" }, { name = "b" }, { name = "c" }]
[[link]]
from = "a"
to = "b"
rate = "1 Mb/s"
delay = "1 ms"
LINK
[[flow]]
name = "f"
from = "FROM"
to = "TO"
"""


def wire(link: str = "", source: str = "a", sink: str = "b") -> str:
    """A complete scenario with these lines added to its link."""
    return WIRE.replace("LINK", link).replace("FROM", source).replace("TO", sink)


WIRES = {
    "loss.toml": wire('errors = { model = "bernoulli", probability = 1.5 }'),
    "negative-loss.toml": wire('errors = { model = "per-bit", probability = -0.1 }'),
    "state.toml": wire('errors = { model = "on-off", bad = 1, mean_good = "1 s", mean_bad = "0 s" }'),
    "handoff.toml": wire('outage = { duration = "0 s" }'),
    "never-up.toml": wire('outage = { duration = "1 s", repeat = "periodic", period = "1 s" }'),
    "queue.toml": wire("queue = 0"),
    "queue-time.toml": wire('queue = "0 ms"'),
    "island.toml": wire(sink="c"),
    "from.toml": wire(source="aa"),
    "to.toml": wire(sink="bb"),
}


@pytest.fixture
def files(airfair, tmp_path):
    """The broken scenario files that some cases name."""
    shown = airfair("show", "jung/mixed").stdout
    rate = next(line for line in shown.splitlines() if line.replace(" ", "").startswith("rate="))
    (tmp_path / "zero-rate.toml").write_text(shown.replace(rate, 'rate = "0 Mb/s"', 1))
    (tmp_path / "broken.toml").write_text('name = "broken"\nduration = = 3\n')
    (tmp_path / "unknown-key.toml").write_text(shown.replace("[run]\n", '[run]\ndurration = "3 s"\n'))
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "of-pipe.toml").write_text('scenario = "pipe.toml"\n')
    for name, text in WIRES.items():
        (tmp_path / name).write_text(text)
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
    finished = airfair(*command, "--out", "file")
    assert (finished.returncode, finished.stdout) == (2, "") and "file: it is a file" in finished.stderr
    (tmp_path / "link").symlink_to("nowhere")
    finished = airfair(*command, "--out", "link")
    assert (finished.returncode, finished.stdout) == (2, "") and "link: it is a link that leads" in finished.stderr


@pytest.mark.parametrize("command", [["timeline", "jung/mixed"], ["run", "jung/mixed", "--set", "duration=5 s"]])
def test_a_directory_called_like_a_file_is_refused(airfair, tmp_path, command):
    needed = "a directory is needed, and this is the name of a file"
    finished = airfair(*command, "--out", "run.json")
    assert (finished.returncode, finished.stderr) == (2, f"error: --out run.json: {needed}\n")
    finished = airfair(*command, "--out", "fig.pdf")
    assert finished.returncode == 2 and finished.stderr.startswith(f"error: --out fig.pdf: {needed}; ")
    assert "--format pdf" in finished.stderr and list(tmp_path.iterdir()) == []
    (tmp_path / "fig.pdf").mkdir()
    assert airfair(*command, "--out", "fig.pdf").returncode == 0


def test_the_directory_that_is_named_after_a_scenario_file_may_be_made(airfair, tmp_path):
    (tmp_path / "home.toml").write_text(airfair("show", "jung/mixed").stdout)
    drawn = airfair("timeline", "home.toml", "--set", "duration=20 s")
    assert (drawn.returncode, drawn.stderr) == (0, "")
