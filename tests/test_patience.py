"""No test waits without an end: a program that hangs would hold up all tests."""

import ast
import sys
from pathlib import Path

import conftest
import pytest


def waits_for_ever(call: ast.Call) -> bool:
    """Whether a call waits for a program, a process or a thread without a limit."""
    if not isinstance(call.func, ast.Attribute) or any(given.arg == "timeout" for given in call.keywords):
        return False
    runs = ast.unparse(call.func.value) == "subprocess" and call.func.attr != "Popen"
    return runs or (call.func.attr in {"communicate", "wait", "join"} and not call.args)


def test_tests_limit_their_waits():
    found = []
    for path in sorted(Path(__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and waits_for_ever(node):
                found.append(f"{path.name}:{node.lineno}: {ast.unparse(node)[:80]}")
    assert found == []


@pytest.fixture
def silent(monkeypatch):
    """A program that goes on without a word, and no patience with it."""
    monkeypatch.setattr(conftest, "PATIENCE", 0.05)
    return conftest.launch([sys.executable, "-c", "while True: pass"], stdout=-1, stderr=-1, text=True)


def test_a_condition_that_never_holds_is_told(silent):
    with pytest.raises(AssertionError, match=r"waited 0\.05 s in vain for .*while True"):
        conftest.until(lambda: False, silent)


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
