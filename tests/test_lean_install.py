"""An install may leave libraries out: commands that need one name it, and all others work."""

import sys

import pytest
from conftest import SHORT, execute

#: Starts the command where these modules cannot be imported.
START = "import sys; sys.modules |= dict.fromkeys({missing!r}); from airfair.cli import main; main()"


def lean(missing, *arguments, cwd):
    return execute([sys.executable, "-c", START.format(missing=missing), *arguments], cwd=cwd)


def test_a_run_needs_no_large_library(tmp_path):
    missing = ["polars", "duckdb", "altair", "vl_convert", "jinja2", "optuna", "numpy"]
    finished = lean(missing, "run", "jung/mixed", *SHORT, cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "throughput_total" in finished.stdout


@pytest.mark.parametrize(
    ("module", "library", "command"),
    [
        ("polars", "polars", ["run", "jung/mixed", *SHORT, "--out", "one"]),
        ("altair", "altair", ["timeline", "jung/mixed", *SHORT]),
        ("vl_convert", "vl-convert-python", ["timeline", "jung/mixed", *SHORT]),
        ("jinja2", "jinja2", ["reproduce", "jung", "--quick", "--figure", "restart"]),
    ],
)
def test_a_missing_library_is_named_in_one_line(tmp_path, module, library, command):
    finished = lean([module], *command, cwd=tmp_path)
    assert finished.returncode == 1
    assert finished.stderr.splitlines()[-1] == f"error: this needs the Python package {library}: pip install {library}"
    assert "Traceback" not in finished.stderr


def test_other_modules_that_are_missing_are_faults(tmp_path):
    finished = lean(["airfair.runs.command"], "run", "jung/mixed", cwd=tmp_path)
    assert "Traceback" in finished.stderr and "pip install" not in finished.stderr
