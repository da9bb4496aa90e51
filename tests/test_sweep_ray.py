"""Sweeps on a real Ray cluster: the processes of two nodes on this computer, one of which is killed."""

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import join
from sweeping import TINY, last_command, points, tables

import airfair as af
from airfair import _engine

ray = pytest.importorskip(
    "ray", reason="NOT TESTED: Ray is not installed. Is there no wheel of it for this Python? See requirements-ray.txt"
)
from ray.cluster_utils import Cluster  # noqa: E402
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402

from airfair.sweeps import on_ray  # noqa: E402

#: Forty runs of about a tenth of a second.
OVER = {"stations": "2..16:2", "tcp": "tahoe,reno,newreno,sack,vegas"}
LONG = {"duration": "300 s"}


@pytest.fixture(scope="module")
def cluster():
    """A head node and a second node, with one CPU each."""
    small = {"num_cpus": 1, "object_store_memory": 80 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    cluster.other = cluster.add_node(**small)
    cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The same sweep in this computer's threads."""
    out = tmp_path_factory.mktemp("local")
    af.sweep("jung/mixed", OVER, out=out, **LONG)
    return out


def worker_on(node_id: str) -> int:
    """Make a node start a worker, which takes longer than a short sweep. Returns the worker's process."""

    @ray.remote(num_cpus=1, scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=False))
    def process():
        on_ray.compute([], [])  # makes the worker import AirFair
        return os.getpid()

    return ray.get(process.remote())


def cpu_time(process: int) -> int:
    """CPU time of a process, in ticks."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_a_cluster_that_loses_a_node_gives_the_same_bytes(cluster, local, tmp_path, monkeypatch):
    """One of two nodes is killed while it computes; the other node takes over its points."""
    lost = []
    put_up_anew = on_ray._Dispatch._put_up_anew

    def told(self, batch, error):
        lost.extend(batch)
        put_up_anew(self, batch, error)

    monkeypatch.setattr(on_ray._Dispatch, "_put_up_anew", told)
    ray.init(address=cluster.address, log_to_driver=False)
    worker = worker_on(cluster.other.node_id)
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.01) and not points(tmp_path):
            pass
        before = cpu_time(worker)  # an idle worker takes seconds for as much as follows
        while not over.wait(0.01):
            if cpu_time(worker) > before + 5:
                os.kill(worker, signal.SIGKILL)
                cluster.remove_node(cluster.other, allow_graceful=False)
                return

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        af.sweep("jung/mixed", OVER, out=tmp_path, on=f"ray:{cluster.address}", **LONG)
    finally:
        over.set()
        join(killer)
    assert lost, "no node was killed with something in hand"
    assert last_command(tmp_path)["computed"] == 40
    assert tables(tmp_path) == tables(local)


def test_a_sweep_begun_on_ray_continues_here(cluster, tmp_path):
    address = f"ray:{cluster.address}"
    af.sweep("jung/mixed", {"stations": "2..8:2"}, seeds=3, out=tmp_path / "out", on=address, **TINY)
    af.sweep("jung/mixed", {"stations": "2..16:2"}, seeds=3, out=tmp_path / "out", **TINY)
    assert last_command(tmp_path / "out")["reused"] == 12
    af.sweep("jung/mixed", {"stations": "2..16:2"}, seeds=3, out=tmp_path / "whole", **TINY)
    assert tables(tmp_path / "out") == tables(tmp_path / "whole")


def test_a_cluster_that_is_not_there(tmp_path):
    assert not ray.is_initialized() or ray.shutdown() is None
    with pytest.raises(af.InputError, match="no cluster"):
        af.sweep("jung/mixed", {"stations": [2]}, on="ray:127.0.0.1:1", out=tmp_path / "out")
    assert not (tmp_path / "out" / "sweep.toml").exists()


class Pretended:
    """The parts of Ray that the dispatcher uses; `answer` decides the fate of a batch."""

    exceptions = ray.exceptions

    def __init__(self, answer):
        self.answer = answer
        self.sizes = []

    def remote(self, **_options):
        return lambda _compute: SimpleNamespace(remote=self._begin)

    def _begin(self, recipes, jobs):
        self.sizes.append(len(jobs))
        return tuple(recipes), tuple(jobs)

    def cluster_resources(self):
        return {"CPU": 2.0}

    def wait(self, references, num_returns, timeout):
        return references[:1], references[1:]

    def get(self, reference):
        return self.answer(*reference)

    def cancel(self, reference, force):
        raise AssertionError("nothing is to be cancelled")


@pytest.fixture
def pretended(monkeypatch):
    """The points of a sweep on a cluster with this behaviour."""

    def sweep(answer, seeds=20):
        cluster = Pretended(lambda recipes, jobs: answer([recipes[job.recipe] for job in jobs], jobs))
        monkeypatch.setattr(on_ray, "ray", cluster)
        monkeypatch.setattr(on_ray, "connected", lambda address, jobs: on_ray.Cluster(jobs))
        return cluster, af.sweep("jung/mixed", {"stations": [2, 4]}, seeds=seeds, on="ray", **TINY)

    return sweep


def test_a_point_that_brings_its_workers_down_fails_alone(pretended):
    def answer(recipes, jobs):
        if any(
            job.seed == 7 and dict(recipe.overrides)["stations"] == "4"
            for recipe, job in zip(recipes, jobs, strict=True)
        ):
            raise ray.exceptions.WorkerCrashedError
        return on_ray.compute(recipes, [replace(job, recipe=place) for place, job in enumerate(jobs)])

    _, result = pretended(answer)
    assert result.failures.to_pydict()["seed"] == [7] and "lost 4 times" in result.failures.to_pydict()["reason"][0]
    assert len(result.results) == 39


def test_batches_grow_with_the_speed_of_points_and_shrink_at_the_end(pretended):
    def answer(recipes, jobs):
        batch = on_ray.compute(recipes, [replace(job, recipe=place) for place, job in enumerate(jobs)])
        return on_ray.Batch(
            batch.model_version,
            batch.version,
            batch.host,
            tuple(replace(computed, seconds=0.5) for computed in batch.computed),
        )

    cluster, result = pretended(answer, seeds=30)
    assert len(result.results) == 60
    assert cluster.sizes[0] == 1 and max(cluster.sizes) == 4 and cluster.sizes[-1] == 1


def test_another_model_version_is_refused(pretended):
    other = on_ray.Batch(_engine.MODEL_VERSION + 1, "9.9", "far", ())
    with pytest.raises(af.InputError, match="install the same version on every computer"):
        pretended(lambda recipes, jobs: other)


def test_a_computer_without_airfair_is_told(pretended):
    def answer(recipes, jobs):
        raise ray.exceptions.RayTaskError("compute", "Traceback\nModuleNotFoundError: airfair", RuntimeError())

    with pytest.raises(af.InputError, match="on every computer of the cluster"):
        pretended(answer)


def test_a_run_that_fails_is_told(pretended):
    def answer(recipes, jobs):
        computed = tuple(on_ray.Computed(None, "it broke", 0.1) for _ in jobs)
        return on_ray.Batch(_engine.MODEL_VERSION, "", "far", computed)

    _, result = pretended(answer, seeds=1)
    assert result.failures.to_pydict()["reason"] == ["it broke"] * 2


def test_more_points_than_a_stretch_come_back_as_they_would_here(pretended, tmp_path):
    def answer(recipes, jobs):
        return on_ray.compute(recipes, [replace(job, recipe=place) for place, job in enumerate(jobs)])

    _, there = pretended(answer, seeds=300)
    here = af.sweep("jung/mixed", {"stations": [2, 4]}, seeds=300, **TINY)
    for table in ("results", "sessions"):
        assert getattr(there, table).to_polars().equals(getattr(here, table).to_polars())
