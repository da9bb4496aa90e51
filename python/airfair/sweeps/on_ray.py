"""Computing on a Ray cluster. Needs the extra `ray` here, and AirFair on every computer of the cluster.

Tasks carry batches of points, so that starting a task costs little compared with computing it. Results return packed
to this process, which alone writes the directory; they are the same bytes wherever they were computed.
"""

from __future__ import annotations

import itertools
import logging
import platform
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ray

from airfair import _engine
from airfair.runs.workers import Board, Finished, Stretch, Task
from airfair.store.entries import TooLargeError, check_size, unpacked
from airfair.sweeps.plan import Combination
from airfair.sweeps.recipe import Recipe

#: Target duration of a batch in seconds: a thousand times the cost of starting a task.
_BATCH_SECONDS = 2.0
#: Maximum number of points in a batch, so that a lost worker loses little.
_LARGEST_BATCH = 256
#: Number of lost workers after which their point counts as failed: it probably kills the workers.
_ATTEMPTS = 4
#: Number of batches for each CPU: one that runs, and one that starts when the first ends.
_AHEAD = 2
#: Longer than any batch takes, in seconds: `_engine.compute` shall run all points of a batch.
_FOREVER = 1e9
#: Seconds to wait for a connection to a cluster.
_ANSWER = 10.0
#: Seconds between checks of the board and of Ctrl-C.
_PATIENCE = 0.1


@dataclass(frozen=True)
class Job:
    """A point of a batch: the index of its recipe, its seed, and the key of its result."""

    recipe: int
    seed: int
    key: str


@dataclass(frozen=True)
class Computed:
    """The result of one point of a batch."""

    #: The packed outcome and its unpacked size, see `Outcome.packed`; `None` if the point failed.
    packed: tuple[bytes, int] | None
    error: str
    seconds: float


@dataclass(frozen=True)
class Batch:
    """The results of a batch, and the version that computed them."""

    model_version: int
    version: str
    host: str
    computed: tuple[Computed, ...]


def compute(recipes: Sequence[Recipe], jobs: Sequence[Job]) -> Batch:
    """Compute the points of a batch, on the computer where this is called."""
    host = platform.node()
    runs = _engine.compute(
        [recipes[number].source for number, _ in itertools.groupby(job.recipe for job in jobs)],
        [job.recipe for job in jobs],
        [job.seed for job in jobs],
        bytes.fromhex("".join(job.key for job in jobs)),
        _engine.StopFlag(),
        _FOREVER,
        host,
        pack=True,
    )
    each = map(runs.__getitem__, range(len(runs)))
    computed = (Computed(run.packed, "" if run.packed else _told(run.error), run.seconds) for run in each)
    return Batch(_engine.MODEL_VERSION, _engine.__version__, host, tuple(computed))


def _told(error: BaseException | None) -> str:
    return str(error) or type(error).__name__


def connected(address: str | None, jobs: int | None) -> Cluster:
    """Connect to the cluster at an address; without one, to this computer's cluster, or else to this computer alone.

    Raises:
        InputError: There is no cluster.
    """
    try:
        if address:
            _reach(address)
        ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        raise _engine.InputError(f"--on ray: no cluster at {address or 'this computer'}: {error}") from None
    return Cluster(jobs)


def _reach(address: str) -> None:
    """Check that an address can be reached. Ray itself would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise ValueError("an address is HOST:PORT or ray://HOST:PORT")
    socket.create_connection((host, int(port)), timeout=_ANSWER).close()


class Cluster:
    """The workers of a Ray cluster."""

    takes_stretches = False
    at_once: int | None = None

    def __init__(self, jobs: int | None = None) -> None:
        """Compute `jobs` batches in parallel; by default one for each CPU that the cluster has at the time."""
        self._jobs = jobs

    def start(self, board: Board, tasks: int | None) -> int:
        """Start a thread that hands out batches."""
        threading.Thread(target=_Dispatch(board, self._jobs).run, name="airfair-ray", daemon=True).start()
        return 1


class _Dispatch:
    """Hands batches to the cluster, and reports their results to the board."""

    def __init__(self, board: Board, jobs: int | None) -> None:
        self._board = board
        self._jobs = jobs
        # `_collect` notices a lost worker and runs its points again, so Ray need not repeat the whole batch.
        self._compute = ray.remote(max_retries=0, num_cpus=1)(compute)
        self._under_way: dict[Any, list[Task]] = {}
        #: Points of lost batches. They run one by one, so that a point that kills its worker affects no others.
        self._again: deque[Task] = deque()
        self._lost: Counter[str] = Counter()
        self._seconds = 0.0
        self._points = 0

    def run(self) -> None:
        """Run until the board is closed and no batch is in progress."""
        try:
            while not self._board.stop.is_set() and (self._under_way or not self._board.closed):
                self._hand_out()
                self._collect()
            for reference in self._under_way:
                ray.cancel(reference, force=True)
        except BaseException as error:
            self._board.abort(error)
        finally:
            self._board.reports.put(None)

    def _hand_out(self) -> None:
        cpus = self._jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
        while len(self._under_way) < cpus * _AHEAD:
            if self._again and not self._board.closed:
                batch = [self._again.popleft()]
            else:
                taken = self._board.take(self._size(cpus), patience=0)
                assert not isinstance(taken, Stretch)
                batch = taken
            if not batch:
                return
            self._submit(batch)

    def _size(self, cpus: int) -> int:
        """The size of the next batch: enough points for the target duration, but leaving some for all CPUs."""
        if not self._points:
            return 1
        fitting = int(_BATCH_SECONDS * self._points / max(self._seconds, 1e-9))
        fair = len(self._board) // (cpus * _AHEAD)
        return max(1, min(fitting, fair, _LARGEST_BATCH))

    def _submit(self, batch: list[Task]) -> None:
        recipes: dict[Recipe, int] = {}
        jobs = []
        for task in batch:
            combination = task.point.scenario
            assert isinstance(combination, Combination)
            jobs.append(Job(recipes.setdefault(combination.recipe, len(recipes)), task.point.seed, task.key))
        self._under_way[self._compute.remote(list(recipes), jobs)] = batch

    def _collect(self) -> None:
        if not self._under_way:
            time.sleep(_PATIENCE if not len(self._board) else 0)
            return
        done, _ = ray.wait(list(self._under_way), num_returns=1, timeout=_PATIENCE)
        for reference in done:
            batch = self._under_way.pop(reference)
            try:
                self._report(batch, ray.get(reference))
            except ray.exceptions.RayTaskError as error:
                # `compute` catches all errors of runs, so the worker was not able to call it.
                text = str(error).strip().splitlines()[-1]
                raise _engine.InputError(
                    f"--on ray: is this AirFair on every computer of the cluster? {text}"
                ) from None
            except ray.exceptions.RayError as error:
                self._put_up_anew(batch, error)

    def _put_up_anew(self, batch: list[Task], error: BaseException) -> None:
        for task in batch:
            self._lost[task.key] += 1
            if self._lost[task.key] < _ATTEMPTS:
                self._again.append(task)
            else:
                reason = f"its worker was lost {_ATTEMPTS} times: {type(error).__name__}"
                self._board.done([Finished(task, None, None, _engine.EngineError(reason))])

    def _report(self, batch: list[Task], result: Batch) -> None:
        if result.model_version != _engine.MODEL_VERSION:
            raise _engine.InputError(
                f"--on ray: {result.host} has AirFair {result.version} with model version {result.model_version}, "
                f"here it is {_engine.MODEL_VERSION}: install the same version on every computer of the cluster"
            )
        for computed in result.computed:
            self._seconds += computed.seconds
            self._points += 1
        self._board.done([_finished(*each) for each in zip(batch, result.computed, strict=True)])


def _finished(task: Task, computed: Computed) -> Finished:
    if computed.packed is None:
        return Finished(task, None, None, _engine.EngineError(computed.error))
    contents, size = computed.packed
    try:
        check_size(size)
    except TooLargeError as error:
        return Finished(task, None, None, error)
    entry = unpacked(task.key, contents)
    return Finished(task, entry.read(), entry.origin, packed=computed.packed)
