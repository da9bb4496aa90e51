"""The data of a study's figures of flows: a count of each flow of one run for each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars

from airfair.runs.executor import Point, execute

if TYPE_CHECKING:
    from airfair.studies.plan import Plan
    from airfair.studies.study import Cell, Figure


@dataclass(frozen=True)
class FlowCounts:
    """One count of the flows of one run, in the order of the flows."""

    cell: Cell
    values: tuple[float, ...]


def count(what: Plan, figure: Figure) -> list[FlowCounts]:
    """Run the figure's cells with the first seed and keep the counts."""
    cells = [
        (cell, Point(checked, what.seeds[0]))
        for cell, checked in what.cells
        if cell.experiment == figure.experiment and not cell.setup and cell.matches(figure.where)
    ]
    outcomes = execute([point for _, point in cells]).outcomes
    return [
        FlowCounts(cell, tuple(polars.DataFrame(outcomes[point].flows)[figure.y[0]].to_list()))
        for cell, point in cells
        if point in outcomes
    ]
