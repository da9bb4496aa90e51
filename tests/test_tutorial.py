"""The tutorial: its file is the example, and each command prints the output shown."""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from conftest import call

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parent.parent / "docs"
TUTORIAL = DOCS / "tutorial.md"
FILE = DOCS / "examples" / "doorbell.toml"
#: A block of one command and its output.
EXAMPLE = re.compile(r"```console\n\$ (airfair [^\n]*)\n((?:(?!```)[^\n]*\n)*)```")


def test_the_file_is_the_example():
    assert f"```toml\n{FILE.read_text()}```" in TUTORIAL.read_text()


def test_each_command_prints_the_output_shown(tmp_path):
    shutil.copy(FILE, tmp_path)
    text = TUTORIAL.read_text()
    shown = EXAMPLE.findall(text)
    assert len(shown) >= 6
    for command, output in shown:
        finished = call(*shlex.split(command)[1:], cwd=tmp_path, env=os.environ | {"COLUMNS": "100"})
        assert finished.returncode == 0, finished.stderr
        printed = "".join(f"{line.rstrip()}\n" for line in finished.stdout.splitlines())
        if os.environ.get("AIRFAIR_BLESS"):
            text = text.replace(f"$ {command}\n{output}```", f"$ {command}\n{printed}```")
        else:
            assert output == printed, command
    if os.environ.get("AIRFAIR_BLESS"):
        TUTORIAL.write_text(text)
