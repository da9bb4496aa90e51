"""The results of a study's points: each metric of each cell by seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from airfair.catalogue import left_out
from airfair.runs.estimate import number
from airfair.studies.study import NEAR

if TYPE_CHECKING:
    from airfair.studies.study import Best, Cell, Filter


@dataclass
class Row:
    """One cell's results."""

    cell: Cell
    #: The cell's parameters as the engine resolved them, in SI.
    parameters: Mapping[str, Any]
    #: For each seed, the metrics by name: `{value, unit}`, with the `reason` for a missing value.
    metrics: dict[int, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    #: Number of rows that this one is the average of; 0 for a measured row.
    averaged: int = 0

    def values(self, metric: str) -> dict[int, float]:
        """The values of a metric by seed, without seeds in which it has no value."""
        return {
            seed: float(metrics[metric]["value"])
            for seed, metrics in sorted(self.metrics.items())
            if metrics.get(metric, {}).get("value") is not None
        }

    @property
    def known(self) -> Mapping[str, Any]:
        """The variables of closed forms: the parameters, and each metric's mean over seeds."""
        names = {name for metrics in self.metrics.values() for name in metrics}
        means = {name: fmean(values) for name in names if (values := self.values(name).values())}
        return {**means, **self.parameters}

    def unit(self, metric: str) -> str:
        """A metric's SI unit."""
        for metrics in self.metrics.values():
            if metric in metrics:
                return str(metrics[metric]["unit"])
        return ""

    def left_out(self, metric: str) -> tuple[int, int] | None:
        """How many sessions a mean leaves out as unfinished, of how many, over the seeds; `None` if it leaves out none
        by its definition.
        """
        return _total([metrics.get(metric, {}) for metrics in self.metrics.values()])

    def reason(self, metric: str) -> str:
        """The reason for a missing value of a metric."""
        if not self.metrics:
            return "the runs failed"
        for metrics in self.metrics.values():
            entry = metrics.get(metric)
            if entry is None:
                return f"{self.cell.scenario} does not measure {metric}"
            if entry["value"] is None:
                return str(entry.get("reason", ""))
        return ""


class Measurements:
    """All rows of a study, by experiment."""

    def __init__(self) -> None:
        """Start empty."""
        self._rows: dict[tuple[str, str], list[Row]] = {}
        # An index, because claims look up thousands of single points.
        self._at: dict[tuple[str, str, frozenset[tuple[str, str]]], Row] = {}

    def add(self, row: Row) -> None:
        """Add a cell's row."""
        cell = row.cell
        self._rows.setdefault((cell.experiment, cell.setup), []).append(row)
        self._at[cell.experiment, cell.setup, frozenset(cell.at.items())] = row

    def rows(self, experiment: str, where: Filter | None = None, setup: str = "") -> list[Row]:
        """An experiment's rows that match `where`, in the order of the axes."""
        rows = self._rows.get((experiment, setup), [])
        point = frozenset((axis, value) for axis, value in (where or {}).items() if isinstance(value, str))
        if rows and len(point) == len(rows[0].cell.at):
            found = self._at.get((experiment, setup, point))
            return [found] if found else []
        return [row for row in rows if row.cell.matches(where or {})]

    def __iter__(self) -> Iterator[Row]:
        for rows in self._rows.values():
            yield from rows

    def resolved(self, axis: str, value: str) -> float | None:
        """The number (SI) that a value on an axis stands for; `None` if it is a word."""
        for row in self:
            if row.cell.at.get(axis) == value:
                return number(row.parameters.get(axis))
        return None


def _total(entries: Iterable[Mapping[str, Any]]) -> tuple[int, int] | None:
    """The sums of `left_out` and `sessions` over entries of a metric; `None` if none of them has these."""
    return left_out.total((entry["left_out"], entry["sessions"]) for entry in entries if "left_out" in entry)


def mean_over(rows: list[Row], axis: str, metrics: tuple[str, ...]) -> list[Row]:
    """Average rows over an axis: the mean of each metric, seed by seed. It has no value unless all rows have one."""
    return [_mean(group, at, axis, metrics) for at, group in _but_for(rows, axis)]


def best_over(rows: list[Row], best: Best) -> list[Row]:
    """For each combination of the other axes, the best row along an axis, with the two metrics that `Best` adds."""
    return [row for at, group in _but_for(rows, best.axis) for row in _best(group, at, best)]


def ratio(rows: list[Row], over: Mapping[str, str], metrics: tuple[str, ...]) -> list[Row]:
    """Each row divided, seed by seed, by the row with `over`'s values and the same values on all other axes."""
    at = {frozenset(row.cell.at.items()): row for row in rows}
    found = []
    for row in rows:
        reference = at.get(frozenset({**row.cell.at, **over}.items()))
        if reference is not None and reference is not row:
            quotient = Row(row.cell, row.parameters)
            for seed in row.metrics:
                quotient.metrics[seed] = {metric: _quotient(row, reference, metric, seed) for metric in metrics}
            found.append(quotient)
    return found


def _quotient(row: Row, reference: Row, metric: str, seed: int) -> dict[str, Any]:
    above, below = row.values(metric).get(seed), reference.values(metric).get(seed)
    if above is None or not below:
        return {"value": None, "unit": "1", "reason": f"no {metric} to divide, or to divide by"}
    counts = _total(one.metrics[seed][metric] for one in (row, reference))
    return {"value": above / below, "unit": "1", **left_out.as_json(counts)}


def _but_for(rows: list[Row], axis: str) -> list[tuple[dict[str, str], list[Row]]]:
    """Group rows by all axes but one."""
    groups: dict[tuple[tuple[str, str], ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple((name, value) for name, value in row.cell.at.items() if name != axis), []).append(row)
    return [(dict(at), group) for at, group in groups.items()]


def _best(rows: list[Row], at: dict[str, str], best: Best) -> Iterator[Row]:
    by_seed = [(row, row.values(best.metric)) for row in rows]
    if not all(values for _, values in by_seed):
        return
    chosen, seeds = max(by_seed, key=lambda one: sum(one[1].values()) / len(one[1]))
    row = Row(replace(chosen.cell, at=at), chosen.parameters)
    for seed in seeds:
        values = {number(other.parameters[best.axis]): values[seed] for other, values in by_seed if seed in values}
        highest = max(values.values())
        row.metrics[seed] = {
            **chosen.metrics[seed],
            best.value: {"value": next(at for at, value in values.items() if value == highest), "unit": "1"},
            best.near: {"value": sum(value >= NEAR * highest for value in values.values()), "unit": "1"},
        }
    yield row


def _mean(rows: list[Row], at: dict[str, str], axis: str, metrics: tuple[str, ...]) -> Row:
    parameters = {name: value for name, value in rows[0].parameters.items() if name != axis}
    mean = Row(replace(rows[0].cell, at=at), parameters, averaged=len(rows))
    for seed in rows[0].metrics:
        entries: dict[str, dict[str, Any]] = {}
        for metric in metrics:
            values = [row.values(metric).get(seed) for row in rows]
            present = [value for value in values if value is not None]
            whole = len(present) == len(rows)
            counts = _total(row.metrics[seed].get(metric, {}) for row in rows)
            entries[metric] = {
                "value": sum(present) / len(present) if whole else None,
                "unit": rows[0].unit(metric),
                **left_out.as_json(counts),
            }
            if not whole:
                entries[metric]["reason"] = next(reason for row in rows if (reason := row.reason(metric)))
        mean.metrics[seed] = entries
    return mean
