"""packetdrill's scripts against our TCP: `python -m fidelity packetdrill`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from fidelity import __main__ as program
from fidelity import document, packetdrill


def run(monkeypatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["fidelity", "packetdrill", *map(str, arguments)])
    return program.main()


def test_our_scripts_pass_and_say_what_they_test(monkeypatch, capsys):
    assert run(monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    found = packetdrill.scripts([packetdrill.SCRIPTS])
    assert lines == [*(f"passed  {script}" for script in found), f"{len(found)} passed, of {len(found)} scripts"]
    assert len(found) >= 15
    for script in found:
        assert "RFC" in packetdrill.about(script)


def test_each_script_has_a_line_with_its_reason(tmp_path, monkeypatch, capsys):
    good = (packetdrill.SCRIPTS / "initial-window.pkt").read_text()
    (tmp_path / "b.pkt").write_text(good.replace("tcpi_snd_cwnd == 10", "tcpi_snd_cwnd == 3"))
    (tmp_path / "c.pkt").write_text(good + "+0 `touch should-not-exist`\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "d.pkt").write_text("0 > what\n")
    (tmp_path / "e.pkt").write_bytes(b"\xff\x00")
    assert run(monkeypatch, tmp_path) == 1
    lines = [line.replace(f"{tmp_path}/", "") for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "failed  b.pkt: line 21: assert tcpi_snd_cwnd == 3 and tcpi_unacked == 10:"
        " tcpi_snd_cwnd is 10, tcpi_unacked is 10",
        "skipped c.pkt: line 26: the command `touch should-not-exist` is not run",
        "bad     e.pkt: line 1: not UTF-8 text",
        "bad     sub/d.pkt: line 1: `w` in `what` is no TCP flag",
        "0 passed, 1 failed, 1 skipped, 2 bad, of 4 scripts",
    ]


def test_skipped_scripts_are_no_failure(tmp_path, monkeypatch):
    (tmp_path / "a.pkt").write_text("0 poll(1) = 0\n")
    assert run(monkeypatch, tmp_path) == 0


@pytest.mark.parametrize(("place", "wanted"), [("", "no scripts"), ("nowhere", "no such file or directory")])
def test_a_place_without_scripts_is_refused(tmp_path, monkeypatch, capsys, place, wanted):
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, tmp_path / place)
    assert stop.value.code == 2
    assert wanted in capsys.readouterr().err


def test_the_kernel_is_skipped_with_a_reason(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, "--kernel", tmp_path / "packetdrill") == 0
    assert capsys.readouterr().out.startswith("skipped: ")


def test_the_kernels_verdict_is_that_of_the_program(tmp_path, monkeypatch):
    program = tmp_path / "packetdrill"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nname = sys.argv[-1]\n"
        "print(f'{name}:7: error: the kernel sent nothing')\nsys.exit(name != 'good.pkt')\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr("fidelity.packetdrill.OWN_NETWORK", ())
    judge = packetdrill.kernel(program)
    assert judge(tmp_path / "good.pkt").result == "passed"
    assert judge(tmp_path / "bad.pkt") == packetdrill.Verdict("failed", "line 7: error: the kernel sent nothing")


def test_each_first_script_is_described():
    entries = tomllib.loads(packetdrill.FIRST.read_text())
    assert len(entries) == 32
    assert all(entry["tests"] for entry in entries.values())


def test_the_tables_have_a_row_for_each_script():
    entries = tomllib.loads(packetdrill.FIRST.read_text())
    verdicts = {Path(f"/x/{name}.pkt"): packetdrill.Verdict("failed", "line 1: a | b") for name in entries}
    table = packetdrill.first_table(verdicts)
    assert table is not None
    assert len(table.rows) == 32
    assert packetdrill.first_table({}) is None


def test_only_a_run_of_the_kernel_changes_its_column(tmp_path, monkeypatch):
    page = tmp_path / "packetdrill.md"
    disagreeing = document.page_of("packetdrill-own").read_text().replace("| passed | passed |", "| passed | failed |")
    page.write_text(disagreeing)
    monkeypatch.setattr(document, "pages", lambda: [page])
    monkeypatch.setattr("fidelity.overview.write", lambda texts: [document.put(*text) for text in texts.items()])
    assert run(monkeypatch, "--write", packetdrill.SCRIPTS) == 0

    def undated(text: str) -> str:
        return re.sub("AirFair: [-0-9]+", "AirFair: today", text)

    assert disagreeing.count("| passed | failed |") == len(packetdrill.scripts([packetdrill.SCRIPTS]))
    assert undated(page.read_text()) == undated(disagreeing)
    assert run(monkeypatch, "--write", packetdrill.SCRIPTS / "close.pkt") == 2
    assert undated(page.read_text()) == undated(disagreeing)

    program = tmp_path / "packetdrill"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("fidelity.packetdrill.OWN_NETWORK", ())
    monkeypatch.setattr("fidelity.packetdrill.cannot_run", lambda _: None)
    assert run(monkeypatch, "--write", "--kernel", program) == 0
    assert "| failed |" not in document.text("packetdrill-own")
