"""Fixtures of the whole-program tests, which call the installed command as a user would."""

import contextlib
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

try:
    from airfair.cli.defaults import OPTIONS
except ImportError:  # the package alone is installed, without what its command needs: see `test_environments.py`
    OPTIONS = ()

# With the first variable, each command that a test starts would compile all its modules again. The others are how
# somebody likes the output of commands, which tests read: its width, colours and characters, and defaults of options.
for _name in (
    "PYTHONDONTWRITEBYTECODE",
    *("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "PYTHONIOENCODING"),
    *(f"AIRFAIR_{option.upper()}" for option in OPTIONS),
):
    os.environ.pop(_name, None)

AIRFAIR = str(Path(sys.executable).with_name("airfair"))
#: Options for a run that takes some tens of milliseconds.
SHORT = ["--set", "duration=20 s"]
#: Options for a run that takes far longer than any test waits.
ENDLESS = ["--set", "duration=1000000 s"]
#: Seconds after which a test that waits for a program or a thread fails: far more than any takes on a busy machine.
PATIENCE = 300

Airfair = Callable[..., subprocess.CompletedProcess[str]]


def first_code(guide: str) -> str:
    """The first block of Python in a guide of `docs/`."""
    text = (Path(__file__).parent.parent / "docs" / guide).read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with slow tests first, so that of several processes none is left alone with such a file at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def _signals_are_heard() -> Iterator[None]:
    """Make the commands that tests start receive Ctrl-C and SIGHUP.

    A process inherits from its parent which signals it ignores: Ctrl-C in background jobs, SIGHUP under `nohup`. A
    signal that has a handler here, even one that does nothing, has its default action in the commands.
    """
    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler)}
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, lambda *_: None)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def execute(command: Sequence[Any], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end. What it writes is kept as text, unless options of `subprocess.run` say otherwise."""
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": PATIENCE, "check": False}
    return subprocess.run(command, **usual | options)


def call(*arguments: str, cwd: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command and wait for its end."""
    return execute([AIRFAIR, *arguments], cwd=cwd, **options)


def completions(line: str) -> list[str]:
    """The completions that bash offers at the end of a line."""
    asked = {"_AIRFAIR_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    return call(env=os.environ | asked).stdout.split()


#: Command that runs another one without root's privilege to read and write everything; empty for other users.
_UNPRIVILEGED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs") if os.geteuid() == 0 else ()
needs_permissions = pytest.mark.skipif(
    bool(_UNPRIVILEGED) and shutil.which("setpriv") is None, reason="root has every permission, and there is no setpriv"
)


def as_user(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user whom the permissions of files bind."""
    return execute([*_UNPRIVILEGED, AIRFAIR, *arguments], cwd=cwd)


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at /proc")


#: What the test under way has started.
_STARTED: list[subprocess.Popen[Any]] = []


def launch(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a program, which ends with the test at the latest."""
    process = subprocess.Popen(command, **options)
    _STARTED.append(process)
    return process


@pytest.fixture(autouse=True)
def _nothing_runs_on() -> Iterator[None]:
    """Kill what a test that fails leaves behind: it would run for ever beside all other tests."""
    yield
    while _STARTED:
        with _STARTED.pop() as process:
            process.kill()


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    """Start the command without waiting for its end."""
    return launch([AIRFAIR, *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rest_of(process: subprocess.Popen[Any]) -> tuple[Any, Any]:
    """Wait for the end of a program. Returns what it has written meanwhile to the pipes of its stdout and stderr."""
    return process.communicate(timeout=PATIENCE)


def join(one: threading.Thread | BaseProcess) -> None:
    """Wait for the end of a thread or of a process of `multiprocessing`."""
    one.join(PATIENCE)
    assert not one.is_alive(), f"waited {PATIENCE} s in vain for {one.name}"


@contextlib.contextmanager
def patience(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Kill a process that takes longer than [`PATIENCE`] for what the block waits for: a read from it then ends."""
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def in_terminal(command: Sequence[str], typed: str = "", **options: Any) -> tuple[int, str]:
    """Run a command in a terminal in which somebody types this. Returns its exit status and what the terminal shows."""
    ours, theirs = pty.openpty()
    process = launch(command, stdin=theirs, stdout=theirs, stderr=theirs, **options)
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    with patience(process), contextlib.suppress(OSError):  # the terminal is closed
        while chunk := os.read(ours, 65536):
            shown += chunk
    os.close(ours)
    rest_of(process)
    return process.returncode, shown.decode()


def dying(stage: str, file: str, count: int, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command and kill or interrupt it at a write, as `dying.py` describes."""
    return execute([sys.executable, Path(__file__).with_name("dying.py"), stage, file, str(count), *arguments], cwd=cwd)


def until(condition: Callable[[], object], process: subprocess.Popen[str]) -> bool:
    """Wait until `condition` holds. Returns False if the process ends first."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if process.poll() is not None:
            return False
        assert time.monotonic() < end, f"waited {PATIENCE} s in vain for {process.args}"
        time.sleep(0.002)
    return True


def limited(size: int) -> Callable[[], None]:
    """Return a `preexec_fn` that limits the size of files: a write beyond the limit fails, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def computing(process: subprocess.Popen[str]) -> bool:
    """Whether runs are in progress: a thread other than the main one has used a fifth of a second of CPU time."""
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended meanwhile
            fields = (thread / "stat").read_text().rsplit(")", 1)[1].split()
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            if thread.name != str(process.pid) and seconds > 0.2:
                return True
    return False


@contextlib.contextmanager
def interrupted(seconds: float) -> Iterator[None]:
    """Press Ctrl-C when this process has computed for so long: during the block, which must end by it."""
    before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def stop_twice(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C during runs, and again once the command has reacted. Returns the rest of stderr."""
    assert process.stderr is not None
    assert until(lambda: computing(process), process)
    with patience(process):
        process.send_signal(signal.SIGINT)
        assert any("Ctrl-C again stops at once" in line for line in process.stderr), "it ended at the first Ctrl-C"
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    rest_of(process)
    return said


@pytest.fixture
def airfair(tmp_path: Path) -> Airfair:
    """Run the command in an empty directory."""

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return call(*arguments, cwd=tmp_path, **options)

    return run


@pytest.fixture
def answer(airfair: Airfair) -> Callable[..., Any]:
    """Run the command with `--json` and parse stdout, which must hold nothing else."""

    def run(*arguments: str) -> Any:
        finished = airfair(*arguments, "--json")
        assert finished.returncode == 0, finished.stderr
        return json.loads(finished.stdout)

    return run
