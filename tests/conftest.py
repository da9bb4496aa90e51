"""What the whole-program tests share: they call the installed command, as a user would."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

AIRFAIR = str(Path(sys.executable).with_name("airfair"))
#: A run that takes some tens of milliseconds.
SHORT = ["--set", "duration=20 s"]
#: A run that takes far longer than any test waits.
ENDLESS = ["--set", "duration=1000000 s"]

Airfair = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_is_heard() -> Iterator[None]:
    """Shells start background jobs with Ctrl-C ignored, and what ignores it at its start never hears it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def call(*arguments: str, cwd: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Call the command and wait for it."""
    return subprocess.run(
        [AIRFAIR, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300, check=False, **options
    )


@pytest.fixture
def airfair(tmp_path: Path) -> Airfair:
    """The command, called in an empty directory."""

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return call(*arguments, cwd=tmp_path, **options)

    return run


@pytest.fixture
def answer(airfair: Airfair) -> Callable[..., Any]:
    """The command's JSON, which must be all that is on stdout."""

    def run(*arguments: str) -> Any:
        finished = airfair(*arguments, "--json")
        assert finished.returncode == 0, finished.stderr
        return json.loads(finished.stdout)

    return run
