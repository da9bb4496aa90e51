"""`airfair init`: a scenario that runs, from three answers."""

import os
import tomllib

import pytest
from conftest import AIRFAIR, call, in_terminal, limited

from airfair.runs.start import NETWORKS, TRAFFIC, metrics

SHORT = ["--set", "duration=2 s", "--set", "run.warmup=3 s"]


def test_without_standard_input_nobody_is_asked(airfair, tmp_path):
    made = airfair("init", "x.toml", preexec_fn=lambda: os.close(0))
    assert (made.returncode, made.stderr) == (0, "") and (tmp_path / "x.toml").is_file()


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("traffic", TRAFFIC)
def test_every_answer_gives_a_file_that_runs(airfair, answer, network, traffic):
    made = airfair("init", "mine.toml", "--network", network, "--traffic", traffic, "--devices", "3")
    assert made.returncode == 0 and made.stderr == "", made.stderr
    found = answer("run", "mine.toml", *SHORT)["metrics"]
    assert list(found) == metrics(network, traffic)
    assert any((metric["value"] or 0) > 0 for metric in found.values())


def test_fair_shares_are_measured(airfair, answer, tmp_path):
    airfair("init", "mine.toml", "--network", "802.11g", "--devices", "4", "--traffic", "mixed")
    assert tomllib.loads((tmp_path / "mine.toml").read_text())["fair_share"] == "measured"
    for devices in (4, 6):
        found = answer("run", "mine.toml", "--set", f"devices={devices}", "--set", "duration=2 s")
        assert found["fair_share"]["users"] == devices and 18e6 < found["fair_share"]["download"] < 26e6
        assert found["metrics"]["instantaneous_fairness_acked"]["value"] > 0


@pytest.mark.parametrize(("network", "traffic"), [("wire", "mixed"), ("802.11g", "download")])
def test_no_fair_share_is_measured_for_nothing(airfair, tmp_path, network, traffic):
    airfair("init", "mine.toml", "--network", network, "--traffic", traffic)
    assert "fair_share" not in tomllib.loads((tmp_path / "mine.toml").read_text())


@pytest.mark.parametrize("network", ["802.11be", "802.11ax", "802.11ac", "802.11n"])
def test_a_far_device_receives_with_the_keys_of_the_comment(airfair, answer, tmp_path, network):
    airfair("init", "mine.toml", "--network", network, "--traffic", "download")
    file = tmp_path / "mine.toml"
    text = file.read_text()
    for key, table in (('distance = "30 m"', "[[wlan.station]]\n"), ('rate_control = "minstrel"', "[[wlan]]\n")):
        text = text.replace(table, f"{table}{key}\n")
    assert 'With rate_control = "minstrel" here' in text
    file.write_text(text)
    assert answer("run", "mine.toml", "--seeds", "5", "--metrics", "jain")["metrics"]["jain"]["value"] > 0.8


@pytest.mark.parametrize("kind", ["mac80211", "fq_codel"])
def test_the_access_point_queues_with_the_keys_of_the_comment(airfair, tmp_path, kind):
    airfair("init", "mine.toml", "--network", "802.11ax")
    file = tmp_path / "mine.toml"
    lines = file.read_text().splitlines()
    at = lines.index(f'#     ap_discipline = {{ kind = "{kind}" }}')
    lines[at : at + 2] = [line.removeprefix("#     ") for line in lines[at : at + 2]]
    file.write_text("\n".join(lines))
    checked = airfair("check", "mine.toml")
    assert (checked.returncode, checked.stderr) == (0, "")  # no warning that the discipline does nothing


def test_the_file_says_how_to_go_on(airfair, tmp_path):
    airfair("init", "mine.toml", "--devices", "8")
    text = (tmp_path / "mine.toml").read_text()
    assert tomllib.loads(text)["parameters"]["devices"]["default"] == 8
    told = [line.removeprefix("#     ") for line in text.splitlines() if line.startswith("#     airfair")]
    assert len(told) == 4
    for line in told[:3]:
        assert airfair(*line.split()[1:], *SHORT).returncode == 0


def test_nothing_is_overwritten(airfair, tmp_path):
    (tmp_path / "mine.toml").write_text("mine")
    refused = airfair("init", "mine.toml", "--force")
    assert refused.returncode == 2 and "never overwrites" in refused.stderr
    assert (tmp_path / "mine.toml").read_text() == "mine"
    (tmp_path / "link.toml").symlink_to("elsewhere.toml")
    assert airfair("init", "link.toml").returncode == 2 and not (tmp_path / "elsewhere.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mine.txt"], "ends in .toml"),
        (["mine.toml", "--network", "802.11axx"], "did you mean 802.11ax?"),
        (["mine.toml", "--network", "802.11bn"], "wire; it is not modelled; the newest is 802.11be"),
        (["mine.toml", "--traffic", "cals"], "did you mean calls?"),
        (["mine.toml", "--devices", "1000"], "1 to 100"),
        (["none/mine.toml"], "cannot write there"),
    ],
)
def test_bad_input_writes_nothing(airfair, tmp_path, arguments, said):
    refused = airfair("init", *arguments)
    assert refused.returncode == 2 and said in refused.stderr and refused.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def asked(answers: str, *arguments: str, cwd) -> tuple[int, str]:
    """The exit status and the terminal's text of `init` where somebody types these answers."""
    return in_terminal([AIRFAIR, "init", *arguments], answers, cwd=cwd)


def test_a_terminal_is_asked_three_questions(tmp_path):
    status, shown = asked("wire\n0\n6\ncals\ncalls\n", "mine.toml", cwd=tmp_path)
    assert status == 0, shown
    words = " ".join(shown.split())  # the terminal wraps lines
    assert "expected a number from 1 to 100" in words and "did you mean calls?" in words
    text = tomllib.loads((tmp_path / "mine.toml").read_text())
    assert text["parameters"]["devices"]["default"] == 6 and "wlan" not in text
    assert "voice" in {flow.get("traffic") for flow in text["flow"]}


def test_what_is_given_is_not_asked(tmp_path):
    status, shown = asked("\n", "mine.toml", "--network", "802.11n", "--devices", "2", cwd=tmp_path)
    assert status == 0 and "Which network?" not in shown and "What do they do?" in shown


def test_a_file_that_cannot_be_written_is_not_left_half(tmp_path):
    ended = call("init", "mine.toml", cwd=tmp_path, preexec_fn=limited(100))
    assert (ended.returncode, ended.stderr) == (2, "error: mine.toml: cannot write there: File too large\n")
    assert list(tmp_path.iterdir()) == []


def test_json_never_asks(tmp_path):
    status, shown = asked("", "mine.toml", "--json", cwd=tmp_path)
    assert status == 0 and '"network": "802.11ax"' in shown


def test_help_names_every_answer(airfair):
    shown = airfair("init", "--help").stdout
    assert all(name in shown for name in (*NETWORKS, *TRAFFIC))
