"""Forked processes, as `multiprocessing` starts them on Linux by default before Python 3.14."""

import multiprocessing
import sys
import threading

import pytest
from conftest import join

import airfair as af

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork by default")


def in_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    join(thread)


def test_forked_processes_draw_beside_their_parent(tmp_path):
    def save(name):
        af.timeline("jung/mixed", duration="3 s").save(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 1000

    fork = multiprocessing.get_context("fork")
    save("before")
    children = [fork.Process(target=save, args=(str(n),), daemon=True) for n in range(2)]
    for child in children:
        child.start()
    save("meanwhile")
    for child in children:
        join(child)
    assert [child.exitcode for child in children] == [0, 0]


def test_a_forked_process_runs_when_threads_of_its_parent_have_run_before():
    fork = multiprocessing.get_context("fork")
    for _ in range(5):
        in_thread(lambda: af.sweep("jung/mixed", {"stations": [2, 4]}, duration="3 s", jobs=1).results.to_polars())
        child = fork.Process(target=lambda: af.run("jung/mixed", duration="3 s", seeds=2, jobs=2), daemon=True)
        child.start()
        join(child)
        assert child.exitcode == 0
