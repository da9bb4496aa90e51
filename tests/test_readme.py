"""The README's examples that show their output: each command prints it, byte for byte."""

import os
import re
import shlex
from pathlib import Path

import pytest
from conftest import call

README = Path(__file__).parent.parent / "README.md"
#: A block of one command and its output.
EXAMPLE = re.compile(r"```console\n\$ (airfair [^\n]*)\n((?:(?!```|\$ )[^\n]*\n)*)```")


def examples() -> list[str]:
    return [command for command, _ in EXAMPLE.findall(README.read_text())]


def test_the_readme_leads_with_examples_that_show_their_output():
    assert sum(command.startswith("airfair run wifi/home") for command in examples()) >= 2


@pytest.mark.parametrize("command", examples())
def test_a_command_prints_the_output_shown(command):
    finished = call(*shlex.split(command)[1:], env=os.environ | {"COLUMNS": "100"})
    assert (finished.returncode, finished.stderr) == (0, "")
    printed = "".join(f"{line.rstrip()}\n" for line in finished.stdout.splitlines())
    text = README.read_text()
    if os.environ.get("AIRFAIR_BLESS"):
        block = re.compile(rf"(```console\n\$ {re.escape(command)}\n)(?:(?!```)[^\n]*\n)*")
        README.write_text(block.sub(lambda found: found[1] + printed, text))
    else:
        assert dict(EXAMPLE.findall(text))[command] == printed
