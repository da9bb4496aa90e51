"""The sets of points, by name."""

from __future__ import annotations

from typing import Any

from fidelity import blefari, ghosh, handoffs, jung, kernel, kernel_receiver, lee, mamatas, places, ties, wifi
from fidelity.points import PointSet

SETS: dict[str, PointSet[Any]] = {
    point_set.name: point_set
    for point_set in (
        jung.SET,
        lee.SET,
        handoffs.SET,
        ties.SET,
        mamatas.SET,
        blefari.SET,
        ghosh.SET,
        wifi.UDP,
        wifi.TCP,
        wifi.HALVED,
        places.SET,
        kernel.SET,
        kernel.VIRTUAL,
        kernel_receiver.SET,
    )
}
