"""Comparison of deterministic points, whose counts must be equal."""

from __future__ import annotations

from collections.abc import Iterator

from fidelity.explanations import cause
from fidelity.points import Measurements, P, PointSet
from fidelity.report import Table

Counts = tuple[int, ...]


def pairs(point_set: PointSet[P], ours: Measurements[P], theirs: Measurements[P]) -> Iterator[tuple[P, Counts, Counts]]:
    """AirFair's and ns-2's counts at each deterministic point."""
    for point in theirs:
        if point_set.deterministic(point):
            mine, other = (
                tuple(int(measured[point][name].mean) for name in point_set.counts) for measured in (ours, theirs)
            )
            yield point, mine, other


def agreement(point_set: PointSet[P], ours: Measurements[P], theirs: Measurements[P]) -> Table:
    """A table of how many points of each group have equal counts."""
    table = Table(f"{point_set.name}: deterministic runs", ["group", "runs", "equal", "largest difference"])
    found = list(pairs(point_set, ours, theirs))
    for group in dict.fromkeys(point.group for point, *_ in found):
        counts = [(mine, other) for point, mine, other in found if point.group == group]
        equal = sum(mine == other for mine, other in counts)
        worst = max(abs(mine[0] - other[0]) / other[0] for mine, other in counts)
        table.rows.append([group, str(len(counts)), str(equal), f"{worst:.3%}".replace("%", " %")])
    return table


def differences(point_set: PointSet[P], ours: Measurements[P], theirs: Measurements[P]) -> Table:
    """A table of the points whose counts differ, AirFair / ns-2, with the cause where it is known."""
    table = Table(f"{point_set.name}: deterministic runs that differ", ["run", *point_set.counts, "cause"])
    for point, mine, other in pairs(point_set, ours, theirs):
        if mine != other:
            cells = [f"{a} / {b}" for a, b in zip(mine, other, strict=True)]
            table.rows.append([str(point), *cells, cause("counts", point)])
    return table


def unexplained(point_set: PointSet[P], ours: Measurements[P], theirs: Measurements[P]) -> list[P]:
    """The points whose counts differ for no known reason."""
    found = pairs(point_set, ours, theirs)
    return [point for point, mine, other in found if mine != other and not cause("counts", point)]
