"""The comparison of a set of points, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fidelity.bias import Bias
from fidelity.compare import Comparison, Rate
from fidelity.explanations import cause, cause_of_bias
from fidelity.points import Metric, P, Point, PointSet
from fidelity.report import Table, number, percent, probability
from fidelity.sample import Sample


def passed(point_set: PointSet[P], found: Mapping[str, Sequence[Rate]]) -> Table:
    """A table of the points within the bar, against each set of the other simulator's results."""
    header = [
        "metric or group",
        "needed",
        *(cell for name in found for cell in (_named(name, point_set.simulator), "")),
    ]
    table = Table(f"{point_set.name}: points within the bar", header)
    by_group = [{rate.group: rate for rate in rates} for rates in found.values()]
    for group in dict.fromkeys(group for rates in by_group for group in rates):
        rates = [rates.get(group) for rates in by_group]
        needed = next(rate.needed for rate in rates if rate)
        cells = [cell for rate in rates for cell in _rate(rate)]
        table.rows.append([group, f"{needed:.0%}".replace("%", " %"), *cells])
    return table


def _named(source: str, simulator: str) -> str:
    return source if source == simulator else f"{source} {simulator}"


def _rate(rate: Rate | None) -> tuple[str, str]:
    if rate is None:
        return "", ""
    return f"{rate.within} of {rate.total}", "holds" if rate.holds else "**missed**"


def outside(point_set: PointSet[P], source: str, comparisons: Iterable[Comparison]) -> Table:
    """A table of the comparisons outside the bar, with their causes where these are known."""
    header = ["point", "metric", "AirFair", point_set.simulator, "difference", "allowed", "cause"]
    table = Table(f"{point_set.name}: points outside", header)
    for one in comparisons:
        if not one.within:
            of = _base(one)
            table.rows.append(
                [
                    str(one.point),
                    one.metric.label,
                    spread(one.metric, one.ours),
                    spread(one.metric, one.theirs),
                    percent(one.difference, of),
                    percent(one.allowed, of).lstrip("+"),
                    cause(point_set.name, one.point, one.name, source),
                ]
            )
    return table


def unexplained(point_set: PointSet[P], comparisons: Iterable[Comparison]) -> list[str]:
    """Comparisons with the set's last results that are outside the bar for no known reason."""
    decisive = point_set.sources[-1].name
    return [
        f"{one.name}, {one.point}"
        for one in comparisons
        if not one.within and not cause(point_set.name, one.point, one.name, decisive)
    ]


def biases(point_set: PointSet[P], found: Iterable[Bias]) -> Table:
    """A table of the tests of bias, with the cause of each bias where it is known."""
    signs, mean = ("higher", "lower", "p of signs"), ("mean difference", "mean z", "design effect", "p of mean z")
    table = Table(f"{point_set.name}: bias", ["metric or group", "points", *signs, *mean, "cause"])
    for one in found:
        metric = point_set.metrics[one.metric]
        table.rows.append(
            [
                _of_group(one),
                str(one.points),
                str(one.higher),
                str(one.lower),
                probability(one.sign_p),
                percent(one.difference, 0.0 if metric.absolute else 1.0),
                f"{one.mean_z:+.2f}",
                f"{one.design_effect:.1f}",
                probability(one.mean_p),
                cause_of_bias(point_set.name, one.metric, one.group) if one.found else "",
            ]
        )
    return table


def _of_group(one: Bias) -> str:
    return f"{one.metric}, {one.group}" if one.group else one.metric


def unexplained_biases(point_set: PointSet[P], found: Iterable[Bias]) -> list[str]:
    """The biases without a known cause."""
    return [
        f"bias of {_of_group(one)}"
        for one in found
        if one.found and not cause_of_bias(point_set.name, one.metric, one.group)
    ]


def everything(point_set: PointSet[P], comparisons: Iterable[Comparison]) -> Table:
    """A table with a row for each point: AirFair's means, and their differences from the others, marked if outside."""
    points: dict[Point, dict[str, str]] = {}
    for one in comparisons:
        mean = number(one.ours.mean * one.metric.scale)
        mark = "" if one.within else " **outside**"
        cell = f"{mean} ({percent(one.difference, _base(one))}){mark}"
        points.setdefault(one.point, {})[one.name] = cell
    names = [name for name in point_set.metrics if any(name in row for row in points.values())]
    table = Table(f"{point_set.name}: all points", ["point", *(point_set.metrics[name].label for name in names)])
    for point, row in points.items():
        table.rows.append([str(point), *(row.get(name, "") for name in names)])
    return table


def _base(one: Comparison) -> float:
    """The mean that differences are percentages of; 0 if the metric has an absolute tolerance."""
    return 0.0 if one.metric.absolute else one.theirs.mean


def spread(metric: Metric, sample: Sample) -> str:
    """Mean, standard deviation and number of seeds, as text."""
    return f"{number(sample.mean * metric.scale)} ± {sample.deviation * metric.scale:.2g} ({len(sample)})"
