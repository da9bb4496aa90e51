"""Forked processes, as `multiprocessing` starts them on Linux by default before Python 3.14."""

import multiprocessing
import sys
import threading

import pytest

import airfair as af

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork by default")


def in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_forked_process_runs_when_threads_of_its_parent_have_run_before():
    fork = multiprocessing.get_context("fork")
    for _ in range(5):
        in_thread(lambda: af.sweep("jung/mixed", {"stations": [2, 4]}, duration="3 s", jobs=1).results.to_polars())
        child = fork.Process(target=lambda: af.run("jung/mixed", duration="3 s", seeds=2, jobs=2))
        child.start()
        child.join(30)
        assert child.exitcode == 0
