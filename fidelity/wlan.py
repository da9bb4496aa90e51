"""Table 1 and mixed traffic: AirFair against ns-2, point by point."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence

from fidelity.compare import RELATIVE, Comparison, Rate
from fidelity.points import Point
from fidelity.references import HERE
from fidelity.report import Table, number, percent
from fidelity.sample import Sample

SHORT = {
    "throughput_total": "throughput, Mb/s",
    "throughput_persistent": "persistent, Mb/s",
    "instantaneous_fairness_acked": "IF acked",
    "instantaneous_fairness_sent": "IF sent",
    "finish_time_acked_mean": "mean finish, s",
    "finish_time_acked_median": "median finish, s",
    "sessions_unfinished": "unfinished",
}


def passed(recorded: Sequence[Rate], matched: Iterable[Rate]) -> Table:
    """How many points are within the bar, against ns-2 as recorded and against ns-2 as it matches AirFair."""
    table = Table("Points within the bar", ["metric or group", "needed", "recorded ns-2", "", "matched ns-2", ""])
    other = {rate.group: rate for rate in matched}
    for group in dict.fromkeys([*(rate.group for rate in recorded), *other]):
        pair = [next((rate for rate in recorded if rate.group == group), None), other.get(group)]
        needed = next(rate.needed for rate in pair if rate)
        cells = [cell for rate in pair for cell in _rate(rate)]
        table.rows.append([group, f"{needed:.0%}".replace("%", " %"), *cells])
    return table


def _rate(rate: Rate | None) -> tuple[str, str]:
    if rate is None:
        return "", ""
    return f"{rate.within} of {rate.total}", "holds" if rate.holds else "**missed**"


def outside(comparisons: Iterable[Comparison]) -> Table:
    """Every comparison that is not within, and why where that is known."""
    header = ["point", "metric", "AirFair", "ns-2", "difference", "allowed", "cause"]
    table = Table("Points outside", header)
    for one in comparisons:
        if not one.within:
            table.rows.append(
                [
                    str(one.point),
                    SHORT[one.metric],
                    spread(one.metric, one.ours),
                    spread(one.metric, one.theirs),
                    percent(one.difference, one.theirs.mean),
                    percent(one.allowed, one.theirs.mean).lstrip("+"),
                    cause(one.point, one.metric),
                ]
            )
    return table


def everything(comparisons: Iterable[Comparison]) -> Table:
    """One row a point, AirFair's mean and its difference from ns-2's; what is outside is marked."""
    points: dict[Point, dict[str, str]] = {}
    for one in comparisons:
        mean = number(scaled(one.metric, one.ours).mean)
        mark = "" if one.within else " **outside**"
        cell = f"{mean} ({percent(one.difference, one.theirs.mean)}){mark}"
        points.setdefault(one.point, {})[one.metric] = cell
    metrics = [name for name in RELATIVE if any(name in row for row in points.values())]
    table = Table("All points", ["point", *(SHORT[name] for name in metrics)])
    for point, row in points.items():
        table.rows.append([str(point), *(row.get(name, "") for name in metrics)])
    return table


def spread(metric: str, sample: Sample) -> str:
    """Mean and standard deviation over seeds."""
    shown = scaled(metric, sample)
    return f"{number(shown.mean)} ± {shown.deviation:.2g} ({len(shown)})"


def scaled(metric: str, sample: Sample) -> Sample:
    """In the unit that `SHORT` says."""
    factor = 1e-6 if "throughput" in metric else 1.0
    return Sample(tuple(value * factor for value in sample.values))


def cause(point: Point, metric: str) -> str:
    """What explanations.toml says."""
    explanations: list[Mapping[str, list[str] | str]] = tomllib.loads((HERE / "explanations.toml").read_text())["wlan"]
    for entry in explanations:
        if metric in entry["metrics"] and str(point) in entry["points"]:
            return str(entry["cause"])
    return ""
