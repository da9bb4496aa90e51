"""The simulators that AirFair is compared with, run beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from fidelity import linux, ns2, ns3, virtual
from fidelity.points import Measurements, P, PointSet
from fidelity.references import gather


@dataclass(frozen=True)
class Simulator:
    """A simulator that AirFair is compared with."""

    installed: Callable[[], bool]
    #: Message on how to install it.
    install: str


#: The simulators, by the names in `PointSet.simulator`.
SIMULATORS = {
    "ns-2": Simulator(ns2.installed, ns2.INSTALL),
    "ns-3": Simulator(ns3.installed, ns3.INSTALL),
    "Linux": Simulator(linux.installed, linux.INSTALL),
    "User-mode Linux": Simulator(virtual.installed, virtual.INSTALL),
}


def runs(
    point_set: PointSet[P],
    run: Callable[[P, int], dict[str, float]],
    points: Iterable[P],
    seeds: int,
    jobs: int,
) -> Iterator[tuple[P, int, dict[str, float]]]:
    """Yield each point and seed with the result of `run`. Seeds go from 1 to `seeds`, or to the set's own number."""
    wanted = [(point, seed) for point in points for seed in range(1, point_set.seeds(point, seeds) + 1)]
    with ThreadPoolExecutor(jobs) as pool:
        measured = pool.map(lambda one: run(*one), wanted)
        for (point, seed), metrics in zip(wanted, measured, strict=True):
            yield point, seed, metrics


def measure_all(
    point_set: PointSet[P],
    run: Callable[[P, int], dict[str, float]],
    points: Iterable[P],
    seeds: int,
    jobs: int,
) -> Measurements[P]:
    """Call `run` for all points and seeds, and gather the results."""
    return gather((point, metrics) for point, _, metrics in runs(point_set, run, points, seeds, jobs))
