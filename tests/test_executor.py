"""The executor and its store, with points whose outcomes the test sets."""

import gzip
import threading
import time

import pytest
from conftest import PATIENCE, join
from sweeping import change

import airfair
from airfair.runs import workers
from airfair.runs.executor import Point, execute
from airfair.store.store import DamagedError, Origin, Store


class Broken:
    """A scenario that fails with some seeds."""

    name = "broken"

    def __init__(self, scenario, bad):
        self.scenario = scenario
        self.bad = bad
        self.ran = []

    @property
    def metrics(self):
        return self.scenario.metrics

    def key(self, seed):
        return self.scenario.key(seed)

    def run(self, seed, traces, stop):
        self.ran.append(seed)
        if seed in self.bad:
            raise airfair.EngineError(f"seed {seed} went wrong")
        return self.scenario.run(seed, traces, stop)


def short():
    return airfair.Scenario.load("jung/mixed", [("duration", "10 s"), ("warmup", "1 s")])


def test_a_failed_point_is_recorded_and_the_rest_goes_on(tmp_path):
    scenario = Broken(short(), bad={2})
    points = [Point(scenario, seed) for seed in (1, 2, 3)]
    execution = execute(points, store=Store(tmp_path), jobs=2)
    assert {point.seed for point in execution.outcomes} == {1, 3}
    [failure] = execution.failures
    assert failure.point.seed == 2 and failure.reason == "seed 2 went wrong"
    assert not execution.interrupted
    with pytest.raises(airfair.EngineError, match=r"^broken, seed 2: seed 2 went wrong$"):
        execution.raise_if_failed()
    execution.failures.append(failure)
    with pytest.raises(airfair.EngineError, match=r"went wrong; 1 more failed$"):
        execution.raise_if_failed()


@pytest.mark.parametrize("allowed", [0, 2])
def test_fewer_threads_than_jobs_do_all_the_work(monkeypatch, allowed):
    """A container or a scheduler may limit the threads."""
    start, left = threading.Thread.start, iter(range(allowed))

    def limited(thread):
        if thread.name.startswith("airfair-") and next(left, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    points = [Point(Broken(short(), bad=set()), seed) for seed in range(1, 7)]
    if allowed:
        assert set(execute(points, jobs=5).outcomes) == set(points)
    else:
        with pytest.raises(airfair.EngineError, match="no further thread"):
            execute(points, jobs=5)


def test_stored_points_are_not_run_again_and_failed_ones_are(tmp_path):
    execute([Point(Broken(short(), bad={2}), seed) for seed in (1, 2)], store=Store(tmp_path))
    mended = Broken(short(), bad=set())
    execution = execute([Point(mended, seed) for seed in (1, 2)], store=Store(tmp_path))
    assert mended.ran == [2] and execution.reused == 1
    assert len(execution.outcomes) == 2


def test_a_stored_outcome_is_the_same_as_a_computed_one(tmp_path):
    point = Point(short(), 1)
    taken = []
    execute([point], store=Store(tmp_path), take=lambda *given: taken.append(given))
    [(_, outcome, origin)] = taken
    stored = Store(tmp_path).entry(point.key)
    assert stored is not None and stored.outcome == outcome.to_json()
    assert stored.origin == origin and stored.model_version == airfair.MODEL_VERSION


def test_damaged_files_are_computed_again(tmp_path):
    store = Store(tmp_path)
    scenario = Broken(short(), bad=set())
    points = [Point(scenario, seed) for seed in (1, 2, 3)]
    execute(points, store=store)
    change(tmp_path, points[0].key, lambda contents: contents[:100])
    forged = gzip.decompress(store.contents(points[1].key)).replace(b'"seed":2', b'"seed":7')
    change(tmp_path, points[1].key, lambda _: gzip.compress(forged))
    scenario.ran.clear()
    store = Store(tmp_path)
    execution = execute(points, store=store)
    assert sorted(scenario.ran) == [1, 2] and execution.reused == 1 and execution.damaged == 2
    assert all(store.entry(point.key) is not None for point in points)


def test_an_outcome_under_another_key_is_not_used(tmp_path):
    store = Store(tmp_path)
    one, two = Point(short(), 1), Point(short(), 2)
    execute([one], store=store)
    store.append({two.key: store.contents(one.key)})
    with pytest.raises(DamagedError):
        store.entry(two.key)


def test_equal_points_run_once():
    scenario = Broken(short(), bad=set())
    points = [Point(scenario, 1), Point(scenario, 1)]
    execution = execute(points)
    assert scenario.ran == [1]
    assert execution.outcomes[points[0]] is execution.outcomes[points[1]]


def test_runs_outside_the_main_thread():
    executions = []
    thread = threading.Thread(target=lambda: executions.append(execute([Point(short(), 1)])))
    thread.start()
    join(thread)
    assert len(executions[0].outcomes) == 1


def test_progress_counts_to_the_end(tmp_path):
    seen = []
    execute([Point(short(), seed) for seed in (1, 2, 3)], progress=lambda *counts: seen.append(counts), jobs=1)
    assert seen == [(0, 0, 3), (1, 0, 3), (2, 0, 3), (3, 0, 3)]


def test_points_may_ask_for_more():
    scenario = Broken(short(), bad={2})
    asked = []

    def more(point):
        asked.append(point.seed)
        return [Point(scenario, point.seed + 1)] if point.seed < 4 else []

    execution = execute([Point(scenario, 1)], more=more, jobs=2)
    assert asked == [1, 2, 3, 4] and scenario.ran == [1, 2, 3, 4]
    assert [failure.point.seed for failure in execution.failures] == [2] and execution.computed == 3


def test_a_store_that_cannot_be_written_ends_everything(tmp_path):
    scenario = Broken(short(), bad=set())
    (tmp_path / "points").write_text("in the way")
    with pytest.raises(airfair.InputError, match=r"points: a file is there, and a directory is needed"):
        execute([Point(scenario, seed) for seed in range(50)], store=Store(tmp_path), jobs=1)
    assert scenario.ran == []


def test_a_shared_store_gives_and_takes(tmp_path):
    scenario = Broken(short(), bad=set())
    shared = Store(tmp_path / "shared")
    execute([Point(scenario, 1)], store=Store(tmp_path / "one", shared))
    execution = execute([Point(scenario, 1), Point(scenario, 2)], store=Store(tmp_path / "two", shared))
    assert scenario.ran == [1, 2] and execution.reused == 1
    for name in ("one", "two", "shared"):
        assert Store(tmp_path / name).entry(scenario.key(1)) is not None
    assert Store(tmp_path / "one").entry(scenario.key(2)) is None


def test_workers_wait_while_their_reports_are_not_taken():
    """Reports hold outcomes in memory."""
    board = workers.Board(lambda finished: (finished, lambda: None), stores=False)
    worker = threading.Thread(target=lambda: [board.done([]) for _ in range(10)], daemon=True)
    worker.start()
    while worker.is_alive() and board.reports.qsize() < workers._MOST_REPORTS:
        time.sleep(0.001)
    assert worker.is_alive() and board.reports.qsize() == workers._MOST_REPORTS
    assert [board.report(PATIENCE) for _ in range(5)] == [[]] * 5
    board.stop.set()
    board.close()
    join(worker)


def test_an_origin_tells_when_and_where():
    assert Origin.now(1.5, "elsewhere").host == "elsewhere"
    assert Origin.now(1.5).seconds == 1.5
