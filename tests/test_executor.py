"""The executor and its store, with points whose outcome the test decides."""

import gzip
import json
import threading

import airfair
from airfair.executor import Point, execute
from airfair.store import Store


class Broken:
    """A scenario of which some seeds fail."""

    name = "broken"

    def __init__(self, scenario, bad):
        self.scenario = scenario
        self.bad = bad
        self.ran = []

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


def test_stored_points_are_not_run_again_and_failed_ones_are(tmp_path):
    execute([Point(Broken(short(), bad={2}), seed) for seed in (1, 2)], store=Store(tmp_path))
    mended = Broken(short(), bad=set())
    execution = execute([Point(mended, seed) for seed in (1, 2)], store=Store(tmp_path))
    assert mended.ran == [2] and execution.reused == 1
    assert len(execution.outcomes) == 2


def test_a_stored_outcome_is_the_same_as_a_computed_one(tmp_path):
    point = Point(short(), 1)
    computed = execute([point], store=Store(tmp_path)).outcomes[point]
    stored = Store(tmp_path).get(point.key)
    assert stored is not None and stored.to_json() == computed.to_json()


def test_damaged_files_are_computed_again(tmp_path):
    store = Store(tmp_path)
    scenario = Broken(short(), bad=set())
    points = [Point(scenario, seed) for seed in (1, 2, 3)]
    execute(points, store=store)
    cut, changed, _ = (store.path(point.key) for point in points)
    cut.write_bytes(cut.read_bytes()[:100])
    document = json.loads(gzip.decompress(changed.read_bytes()))
    document["outcome"]["seed"] = 7
    changed.write_bytes(gzip.compress(json.dumps(document).encode()))
    scenario.ran.clear()
    execution = execute(points, store=store)
    assert sorted(scenario.ran) == [1, 2] and execution.reused == 1
    assert all(store.get(point.key) is not None for point in points)


def test_a_file_under_another_key_is_not_used(tmp_path):
    store = Store(tmp_path)
    one, two = Point(short(), 1), Point(short(), 2)
    execute([one], store=store)
    store.path(two.key).parent.mkdir(exist_ok=True)
    store.path(two.key).write_bytes(store.path(one.key).read_bytes())
    assert store.get(two.key) is None


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
    thread.join(60)
    assert len(executions[0].outcomes) == 1


def test_progress_counts_to_the_end(tmp_path):
    seen = []
    execute([Point(short(), seed) for seed in (1, 2, 3)], progress=lambda *counts: seen.append(counts), jobs=1)
    assert seen == [(0, 0, 3), (1, 0, 3), (2, 0, 3), (3, 0, 3)]
