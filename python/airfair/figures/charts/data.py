"""The rows of a figure, and the meaning of their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars


@dataclass(frozen=True)
class Data:
    """Rows and the meaning of their columns."""

    #: The scenario's name, or the study's and its experiment's.
    name: str
    table: str
    frame: polars.DataFrame
    #: Columns of varied parameters.
    axes: tuple[str, ...]
    #: Columns of metrics.
    metrics: tuple[str, ...]
    #: The SI unit of each column that has one.
    units: Mapping[str, str]
    #: Whether the points are a sample: they share no values along their axes.
    sampled: bool = False
    #: The reason for missing rows; empty if the table is complete.
    note: str = ""
    #: Returns the reasons why a metric has no value.
    reason: Callable[[str], str] = lambda _: ""
    #: By axis, its words in the order in which they were given.
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Parameters that are set for all rows, as written.
    set: Mapping[str, str] = field(default_factory=dict)
    #: The SQL condition that selected the rows; empty: all rows.
    where: str = ""

    @property
    def of_sessions(self) -> bool:
        """Whether a row is a session."""
        return self.table == "sessions"


def is_numeric(data: Data, column: str) -> bool:
    """Whether a column holds numbers."""
    return data.frame.schema[column].is_numeric()
