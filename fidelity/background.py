"""`python -m fidelity.background`: the effect on ns-2's results of traffic that AirFair leaves out.

ns-2's mobile nodes broadcast their routes (DSDV) every 15 s, and resolve addresses (ARP), which drops all but the
latest of the first packets to a node. Here ns-2 runs in three ways: as in the references; without broadcasts after the
first one, which sets up the routes; and matched to AirFair, also with addresses resolved ahead, and with sessions that
end with their last segment, where the references take the last but one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial

from rich.console import Console

from fidelity import compare, jung, ns2, options, overview
from fidelity.points import Measurements
from fidelity.report import Table, percent
from fidelity.sample import Sample
from fidelity.simulators import measure_all

WAYS = {"without routing traffic": jung.WITHOUT_ROUTING, "matched to AirFair": jung.MATCHED}


def main() -> int:
    """Run ns-2 in all ways, show how far apart the results are, and return the exit status."""
    arguments = options.parser("background", __doc__, seeds=3).parse_args()
    if reason := ns2.unavailable():
        print(reason, file=sys.stderr)
        return 2

    def measured(way: jung.Way) -> Measurements[jung.Cell]:
        return measure_all(jung.SET, partial(jung.run, way), points, arguments.seeds, arguments.jobs)

    points = jung.SET.sources[0].recorded()
    usual = measured(jung.RECORDED)
    table = effects({name: compare.compare(jung.SET, measured(way), usual) for name, way in WAYS.items()})
    table.show(Console())
    if arguments.write:
        made = options.dated(f"ns-2 against itself, {arguments.seeds} seeds.")
        overview.write({"background": f"{made}\n\n{table.markdown()}"})
    return 0


def effects(ways: dict[str, list[compare.Comparison]]) -> Table:
    """A table of the differences, for each way and metric, from ns-2 as it runs in the references."""
    header = ["ns-2", "metric", "points", "mean difference", "largest difference", "at", "within the bar"]
    table = Table("ns-2 against itself", header)
    for name, comparisons in ways.items():
        for metric in dict.fromkeys(one.metric for one in comparisons):
            group = [one for one in comparisons if one.metric == metric and one.theirs.mean > 0]
            table.rows.append([name, metric.label, *_effect(group)])
    return table


def _effect(group: list[compare.Comparison]) -> Iterable[str]:
    relative = Sample(tuple(one.difference / one.theirs.mean for one in group))
    worst = max(group, key=lambda one: abs(one.difference / one.theirs.mean))
    return (
        str(len(group)),
        percent(relative.mean, 1.0),
        percent(worst.difference, worst.theirs.mean),
        str(worst.point),
        f"{sum(one.within for one in group)} of {len(group)}",
    )


if __name__ == "__main__":
    sys.exit(main())
