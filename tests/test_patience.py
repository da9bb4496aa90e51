"""No test waits without an end: a program that hangs would hold up all tests."""

import ast
import subprocess
import sys
import threading
from pathlib import Path

import conftest
import pytest

#: These alone start programs. The tests below hold `conftest.py` to its limits; a browser is only started.
STARTERS = {"conftest.py", "browser.py"}


def waits_for_ever(call: ast.Call) -> bool:
    """Whether a call waits for a program, a process or a thread without a limit."""
    if not isinstance(call.func, ast.Attribute) or call.args or any(given.arg == "timeout" for given in call.keywords):
        return False
    return call.func.attr in {"communicate", "wait", "join"}


def starts(call: ast.Call) -> bool:
    """Whether a call starts a program, and may wait for it."""
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "subprocess"


def test_tests_limit_their_waits():
    found = []
    for path in sorted(Path(__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and (waits_for_ever(node) or (starts(node) and path.name not in STARTERS)):
                found.append(f"{path.name}:{node.lineno}: {ast.unparse(node)[:80]}")
    assert found == []


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(conftest, "PATIENCE", 0.05)


@pytest.fixture
def silent():
    """A program that goes on without a word."""
    return conftest.launch([sys.executable, "-c", "while True: pass"], stdout=-1, stderr=-1, text=True)


def test_a_condition_that_never_holds_is_told(silent):
    with pytest.raises(AssertionError, match=r"waited 0\.05 s in vain for .*while True"):
        conftest.until(lambda: False, silent)


def test_a_program_that_does_not_end_is_told(silent):
    for wait in (lambda: conftest.execute(silent.args), lambda: conftest.rest_of(silent)):
        with pytest.raises(subprocess.TimeoutExpired, match=r"while True: pass.* timed out after 0\.05 seconds"):
            wait()


def test_a_thread_that_does_not_end_is_told():
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="slow", daemon=True)
    thread.start()
    with pytest.raises(AssertionError, match=r"waited 0\.05 s in vain for slow"):
        conftest.join(thread)
    end.set()
    thread.join(600)


def test_a_program_that_says_nothing_is_killed(silent):
    with conftest.patience(silent):
        assert silent.stdout.read() == ""
    assert silent.wait(10) == -9


def test_a_terminal_in_which_nothing_happens_is_closed(silent):
    assert conftest.in_terminal(silent.args) == (-9, "")


def test_what_a_test_has_started_ends_with_it(silent):
    ending = conftest._nothing_runs_on.__wrapped__()
    next(ending)
    assert silent.poll() is None
    assert next(ending, None) is None and silent.returncode == -9
