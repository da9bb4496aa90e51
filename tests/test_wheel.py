"""`make wheel`: which `llvm-profdata` reads the profiles of this rustc."""

import shutil

import pytest
from conftest import execute

from bench import wheel

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no rustc")


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A PATH with rustc alone, whose own tools are elsewhere; returns a function that adds a program."""
    told = execute(["rustc", "-vV"], check=True).stdout

    def add(name, output):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nprintf '%s' '{output}'\n")
        program.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "rustc").write_text(
        f"#!/bin/sh\nif [ $1 = -vV ]; then printf '%s' '{told}'; else echo '{tmp_path}/lib'; fi\n"
    )
    (tmp_path / "rustc").chmod(0o755)
    return add


def needed():
    return wheel._major(wheel._output("rustc", "-vV"))


def test_the_tool_must_be_of_the_compilers_version(path, tmp_path):
    path("llvm-profdata", "LLVM (http://llvm.org/):\n  LLVM version 9.0.1")
    tool, reason = wheel.profdata()
    assert tool is None and "is of LLVM 9; rustc needs" in reason and "rustup component add llvm-tools" in reason
    path("llvm-profdata", f"LLVM (http://llvm.org/):\n  LLVM version {needed()}.1.2-rust-1.95.0-stable")
    assert wheel.profdata() == (str(tmp_path / "llvm-profdata"), "")


def test_a_tool_that_does_not_tell_its_version_is_not_used(path):
    path("llvm-profdata", "llvm-profdata: Unknown command!")
    tool, reason = wheel.profdata()
    assert tool is None and "no version told" in reason
