"""The result of a run over one seed or several: the classes that `airfair.run` returns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from airfair import _engine
from airfair._engine import Table


@dataclass(frozen=True)
class Metric:
    """One metric over the seeds of a run. `float(metric)` is its value, `str(metric)` the value in readable units."""

    name: str
    #: Mean over the seeds in which the metric has a value, in `unit`; `None` if there are none.
    value: float | None
    #: SI unit, or `1` for ratios and counts.
    unit: str
    #: 95 % confidence interval of the mean by Student's t; `None` for a single seed.
    ci95: tuple[float, float] | None
    #: Number of seeds in which the metric has a value.
    n: int
    #: The reason for a missing value.
    reason: str | None = None
    #: Of a mean over sessions: the number of sessions, and of those that it leaves out as unfinished.
    sessions: int = 0
    left_out: int = 0

    def _repr_html_(self) -> str:
        from airfair.catalogue import notebook

        return notebook.table(_HEADS, [_cells(self)])

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"{self.name} has no value: {self.reason}")
        return self.value

    def __str__(self) -> str:
        return _value(self)

    def __format__(self, spec: str) -> str:
        """Format the value as a number (`f"{metric:.2f}"`); without a specification, like `str`."""
        return format(float(self), spec) if spec else str(self)


#: The columns of a table of metrics.
_HEADS = ("Metric", "Value", "95 % interval", "Seeds")


def _value(metric: Metric) -> str:
    """The value in readable units, with the number of sessions that it leaves out."""
    from airfair.catalogue.left_out import told
    from airfair.catalogue.units import quantity  # `import airfair` needs it for nothing else

    if metric.value is None:
        return "none"
    left_out = told(metric.left_out, metric.sessions)
    return quantity(metric.value, metric.unit) + (f" ({left_out})" if left_out else "")


def _cells(metric: Metric) -> list[str]:
    """A metric as a row for notebooks."""
    from airfair.catalogue.units import interval

    reason = f": {metric.reason}" if metric.value is None else ""
    ends = interval(*metric.ci95, metric.value, metric.unit) if metric.ci95 and metric.value is not None else ""
    return [metric.name, _value(metric) + reason, ends, str(metric.n)]


class Metrics(Mapping[str, Metric]):
    """A run's metrics by name."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Read the `metrics` object of the document that `airfair run --json` prints."""
        self._metrics = {
            name: Metric(
                name,
                entry["value"],
                entry["unit"],
                None if entry.get("ci95") is None else (entry["ci95"][0], entry["ci95"][1]),
                entry["n"],
                entry.get("reason"),
                entry.get("sessions", 0),
                entry.get("left_out", 0),
            )
            for name, entry in document.items()
        }

    def __getitem__(self, name: str) -> Metric:
        try:
            return self._metrics[name]
        except KeyError:
            there = ", ".join(self._metrics)
            raise KeyError(f"{name}: this result has {there}; `metrics=` asks for others") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _repr_html_(self) -> str:
        from airfair.catalogue import notebook

        return notebook.table(_HEADS, [_cells(metric) for metric in self._metrics.values()])

    def __repr__(self) -> str:
        return "\n".join(f"{metric.name}: {metric}" for metric in self._metrics.values())


class Result:
    """The results of a run over one seed or several."""

    def __init__(self, scenario: _engine.Scenario, outcomes: list[_engine.Outcome]) -> None:
        """Make a result of the outcomes of one scenario."""
        self.scenario = scenario
        self.outcomes = outcomes
        self._document: dict[str, Any] | None = None

    def __reduce__(self) -> tuple[Callable[..., Result], tuple[object, ...]]:
        """Support `pickle`: keep the scenario, the outcomes as text, and the document with measured shares.

        Raises:
            InputError: The run had a control in Python, which a scenario file cannot hold.
        """
        return _restored, (self.scenario, [outcome.to_json() for outcome in self.outcomes], self.document)

    @property
    def document(self) -> dict[str, Any]:
        """The document that `airfair run --json` prints, as a dictionary (SI units)."""
        if self._document is None:
            self._document = json.loads(self.scenario.summary_json(self.outcomes))
        return self._document

    @property
    def metrics(self) -> Metrics:
        """The metrics by name, each with value, unit, confidence interval and number of seeds."""
        return Metrics(self.document["metrics"])

    def _table(self, name: str) -> Table:
        return Table.of_seeds([(outcome.seed, getattr(outcome, name)) for outcome in self.outcomes])

    @property
    def sessions(self) -> Table:
        """One row for each seed and finite session: start, length (byte), times of its last byte (s)."""
        return self._table("sessions")

    @property
    def flows(self) -> Table:
        """One row for each seed and flow: bytes, segments, retransmissions, timeouts."""
        return self._table("flows")

    @property
    def stations(self) -> Table:
        """One row for each seed and wireless station: airtime (s), collisions, retries, drops, queue occupancy."""
        return self._table("stations")

    @property
    def links(self) -> Table:
        """One row for each seed and direction of a wired link: packets offered, dropped, lost; utilisation."""
        return self._table("links")

    @property
    def series(self) -> Table:
        """The time series that `traces` asked for: seed, time (s), quantity, subject, value."""
        return self._table("series")

    @property
    def air(self) -> Table:
        """Each transmission, if `traces` asked for `air`: from, to, start, end (s), bytes, outcome."""
        return self._table("air")

    def _repr_html_(self) -> str:
        from airfair.catalogue import graded, notebook

        parts = [notebook.paragraph(self._told), self.metrics._repr_html_()]
        if devices := self.document["devices"]:
            told = [notebook.paragraph(line) for line in (*graded.without(devices), graded.RULE)]
            parts[1:1] = [notebook.table(graded.HEADS, graded.rows(devices)), *told]
        return "".join(parts)

    def __repr__(self) -> str:
        return f"<airfair.Result {self._told}>\n{self.metrics!r}"

    @property
    def _told(self) -> str:
        """The scenario and seeds in words."""
        from airfair.catalogue.wording import of_seeds

        return f"{self.scenario.name}, {of_seeds([outcome.seed for outcome in self.outcomes])}"


def _restored(scenario: _engine.Scenario, outcomes: list[str], document: dict[str, Any]) -> Result:
    """Rebuild a result from what `Result.__reduce__` keeps."""
    found = Result(scenario, [_engine.Outcome.from_json(outcome) for outcome in outcomes])
    found._document = document
    return found
