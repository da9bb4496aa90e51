"""The times of sessions under the names of metrics: the column `acked` of sessions is also `finish_time_acked`."""

from __future__ import annotations

#: Columns with times of a session, counted from its start.
TIMES = ("ideal", "sent", "acked", "delivered")
#: The unit of each column of sessions that has one. `OWN` has all columns.
OWN_UNITS = {"start": "s", "bytes": "byte"} | dict.fromkeys(TIMES, "s")
OWN = ("flow", *OWN_UNITS)
#: The time that ns-2 assigns to a session sent in no time, as in the metrics (s).
_NO_TIME = 1e-3

_NAMES = {"ideal": "ideal_finish_time"} | {time: f"finish_time_{time}" for time in TIMES[1:]}
_RATIOS = {f"instantaneous_fairness_{time}": time for time in TIMES[1:]}

#: The unit of each added column.
UNITS = dict.fromkeys(_RATIOS, "1") | dict.fromkeys(_NAMES.values(), "s")


def relation(table: str) -> str:
    """SQL for the table with the added columns, as after FROM."""
    named = [f"{time} AS {name}" for time, name in _NAMES.items()]
    ratios = [
        f"ideal / CASE WHEN {time} = 0 THEN {_NO_TIME} ELSE {time} END AS {name}" for name, time in _RATIOS.items()
    ]
    return f"(SELECT *, {', '.join([*named, *ratios])} FROM {table}) AS {table}"
