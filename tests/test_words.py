"""Text of a scenario cannot control the terminal: refused in names, escaped wherever it is shown."""

import io
import json
import os
import sys
import tomllib

import pytest
from conftest import AIRFAIR, execute, in_terminal
from sweeping import OUTAGES

import airfair as af
from airfair import _engine, console
from airfair.sweeps import sweep_file
from airfair.terminal import Terminal

#: ESC, CSI as one character, DEL, a direction override, BEL, a carriage return.
STEERING = "\x1b[2J\x9b31m\x7f\u202e\x07\r"
TITLED = f"""
title = {json.dumps("Title " + STEERING)}
description = {json.dumps(chr(10).join(["First", "Second " + STEERING]))}
""".replace("\x7f", "\\u007F")


def steers(text: str) -> bool:
    return console.visible(text) != text


def watched(*arguments: str, cwd, kind: str = "dumb", command: tuple[str, ...] = (AIRFAIR,)) -> tuple[int, str]:
    """The exit status of the command, and its output to a terminal."""
    # Somebody watches, also where the tests run in CI.
    environment = os.environ | {"TERM": kind, "NO_COLOR": "1", "COLUMNS": "100", "CI": ""}
    status, shown = in_terminal([*command, *arguments], cwd=cwd, env=environment)
    return status, shown.replace("\r\n", "\n")


def test_quiet_leaves_errors_and_the_answer(airfair):
    short = ["run", "jung/mixed", "--set", "duration=5 s", "--trace", "cwnd"]
    loud, quiet = airfair(*short), airfair(*short, "--quiet")
    assert loud.stderr.startswith("warning: ") and quiet.stderr == ""
    assert quiet.stdout == loud.stdout and quiet.returncode == 0
    refused = airfair("run", "jung/mixd", "--quiet")
    assert refused.returncode == 2 and refused.stderr.startswith("error: ")


def test_a_long_run_shows_its_simulated_time(tmp_path):
    long = ["run", "jung/mixed", "--set", "duration=2000 s", "--json"]
    # How long a run takes is the machine's affair, so here every run is worth a bar.
    patient = "from airfair import cli, console; console._WAIT = 0.0; cli.main()"
    command = (sys.executable, "-c", patient)
    status, shown = watched(*long, cwd=tmp_path, kind="xterm", command=command)
    assert status == 0 and " of 2020.0 s simulated" in shown
    document = json.loads(shown[shown.index('{"schema') :])
    status, shown = watched(*long, "--quiet", cwd=tmp_path, kind="xterm", command=command)
    assert status == 0 and shown.startswith('{"schema')
    assert json.loads(shown) == document


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("down = {", '"down\\u001B[2J" = {'),
        ("down = {", 'word = { default = "a\\u202E" }\ndown = {'),
        ("down = {", 'word = { default = "a", choices = ["a", "\\u009B31m"] }\ndown = {'),
        ("down = {", 'other = { unit = "s", default = "1 s", words = ["\\u007F"] }\ndown = {'),
        ('{ name = "a" }', '{ name = "a\\u001B" }'),
    ],
)
def test_names_and_words_are_refused_in_one_line(tmp_path, old, new):
    file = tmp_path / "s.toml"
    file.write_text(OUTAGES.replace(old, new, 1))
    # Only commands that build the network read the names of nodes.
    asking = (_engine.check,) if "name" in old else (_engine.check, _engine.describe_json)
    for ask in asking:
        with pytest.raises(af.InputError) as refused:
            ask(str(file))
        assert len(str(refused.value).splitlines()) == 1
        assert not steers(str(refused.value))


def test_a_word_from_outside_is_refused(tmp_path):
    (tmp_path / "s.toml").write_text(OUTAGES.replace("down = {", 'word = { default = "a" }\ndown = {'))
    with pytest.raises(af.InputError, match=r"control character U\+001B"):
        _engine.Scenario.load(str(tmp_path / "s.toml"), [("word", "\x1b[2J")])


@pytest.mark.parametrize("command", [["describe"], ["check"], ["show"], ["run"], ["sweep", "--over", "down=1,2ms"]])
def test_no_control_character_reaches_the_terminal(tmp_path, command):
    (tmp_path / "s\x1b[2J.toml").write_text(TITLED + OUTAGES)
    status, sent = watched(command[0], "s\x1b[2J.toml", *command[1:], cwd=tmp_path)
    assert status == 0, sent
    assert not steers(sent), repr(sent)


def test_json_has_escapes_of_its_own(airfair, tmp_path):
    (tmp_path / "s.toml").write_text(TITLED + OUTAGES)
    said = airfair("describe", "s.toml", "--json").stdout
    assert not steers(said)
    assert json.loads(said)["title"] == "Title " + STEERING


@pytest.mark.parametrize("name", ["a\x7f.toml", "b\x1b.toml", 'c".toml', "d\u202e.toml", "e\n.toml"])
def test_a_file_of_any_name_is_swept_and_continued(airfair, tmp_path, name):
    (tmp_path / name).write_text(OUTAGES)
    assert airfair("sweep", name, "--out", "out").returncode == 0
    held = tmp_path / "out" / "sweep.toml"
    assert tomllib.loads(held.read_text())["scenario"] == name
    assert sweep_file.read(held).name == name
    again = airfair("sweep", "out")
    assert again.returncode == 0
    assert "1 found" in again.stdout
    assert not steers(again.stdout + again.stderr)


def test_a_name_that_is_no_text_is_refused(tmp_path):
    name = b"a\xff.toml"
    (tmp_path / os.fsdecode(name)).write_text(OUTAGES)
    finished = execute([os.fsencode(AIRFAIR), b"sweep", name], cwd=tmp_path)
    assert finished.returncode == 2
    assert "not valid UTF-8" in finished.stderr and len(finished.stderr.splitlines()) == 1


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_stdout_that_lacks_characters_gets_them_escaped(airfair, encoding):
    # cp1252 is that of redirected output on Windows.
    told = airfair("run", "jung/mixed", "--set", "duration=3 s", env=os.environ | {"PYTHONIOENCODING": encoding})
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("jung/mixed, seed 1\nMetric")
    assert airfair("describe", "jain", env=os.environ | {"PYTHONIOENCODING": encoding}).returncode == 0


def test_escaped_characters_are_json(airfair):
    listed = airfair("describe", "metrics", "--json", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert json.loads(listed.stdout) == json.loads(airfair("describe", "metrics", "--json").stdout)
    assert "\\u" in listed.stdout


@pytest.mark.parametrize("option", [["--out", "out\udcff"], ["--pcap", "x\udcff.pcapng"]], ids=["--out", "--pcap"])
def test_a_name_for_results_that_is_no_text_is_refused_at_once(airfair, tmp_path, option):
    told = airfair("run", "jung/mixed", "--set", "duration=3 s", *option)
    written = f"{option[0]} {option[1]}".replace("\udcff", "\\udcff")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == f"error: {written}: not valid UTF-8, which names of results must be\n"
    assert list(tmp_path.iterdir()) == []


def test_all_printed_text_is_escaped():
    shown = io.StringIO()
    terminal = Terminal(file=shown, width=200)
    table = console.table("t" + STEERING, "a" + STEERING)
    table.add_row("r" + STEERING)
    terminal.print(table)
    terminal.print("p" + STEERING)
    assert not steers(shown.getvalue())
    assert "\\x1b[2J" in shown.getvalue() and "\\u202e" in shown.getvalue()


def test_documents_are_laid_out_as_pythons_json_is():
    for document in (
        [],
        {},
        'a"[,]\\',
        ["\\", '"', "{:}", "é\n"],
        {"a": [], "b": {}, "c": [[], [{}], {"d": [1, -2.5e-07, None, True]}], "": {"x, y": "[]"}},
    ):
        assert console.json_text(document) == json.dumps(document, indent=2, ensure_ascii=False)


def test_long_documents_are_written_in_pieces(monkeypatch):
    monkeypatch.setattr(console, "LONG", 5)
    for lengths in ([], [1], [5, 5, 5, 5], [0, 3, 6, 2, 11]):
        entries = [{"a": [], "é": range(2, 2 + length), "b": {"c": None}} for length in lengths]
        several = [{"x": [1, {"]": "[,"}]}, {}]
        some = [*entries, json.dumps(several, separators=(",", ":"))]
        pieces = [*console.json_pieces({"first": {}, "none": iter([]), "all": iter(some), "last": range(7)})]
        all_ = [*(entry | {"é": [*entry["é"]]} for entry in entries), *several]
        whole = {"first": {}, "none": [], "all": all_, "last": [*range(7)]}
        assert "".join(pieces) == json.dumps(whole, indent=2, ensure_ascii=False)
