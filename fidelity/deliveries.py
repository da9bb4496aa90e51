"""The real-time performance index, from ns-2's trace of the packets that reach the sinks."""

from __future__ import annotations

from collections.abc import Iterable

#: Indices of the columns in a line of ns-2's trace.
EVENT, TIME, KIND, FLOW, SEQUENCE = 0, 1, 4, 7, 10


def realtime_index(lines: Iterable[str], deadline: float) -> float:
    """Share of segments that arrive at most `deadline` s after their flow's previous one.

    The first arrival of each segment counts, in order or not; a flow's first segment has no previous one.
    """
    latest: dict[str, float] = {}
    seen: set[tuple[str, str]] = set()
    in_time = counted = 0
    for line in lines:
        words = line.split()
        segment = words[FLOW], words[SEQUENCE]
        if words[EVENT] != "r" or words[KIND] != "tcp" or segment in seen:
            continue
        seen.add(segment)
        at = float(words[TIME])
        if words[FLOW] in latest:
            counted += 1
            in_time += at - latest[words[FLOW]] <= deadline
        latest[words[FLOW]] = at
    return in_time / counted
