"""The simulators that AirFair is compared with, run beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from fidelity import linux, ns2, ns3, virtual
from fidelity.points import Measurements, P, PointSet
from fidelity.references import gather

#: For each simulator, by its name in `PointSet.simulator`: a sentence on why it cannot be run here, without its full
#: stop; empty if it can.
UNAVAILABLE: dict[str, Callable[[], str]] = {
    "ns-2": ns2.unavailable,
    "ns-3": ns3.unavailable,
    "Linux": linux.unavailable,
    "User-mode Linux": virtual.unavailable,
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
