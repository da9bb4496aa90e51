"""Finish times of sessions, from changes of ns-2's `ack_` and `maxseq_`, by the definitions of AirFair's metrics."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path

from fidelity.ns2 import SEGMENT_BYTES

#: Time in s from which on sessions are measured.
WARMUP = 20.0

#: Time in s that counts for a session sent in no time.
NO_TIME = 1e-3


def measure(
    lines: Iterable[list[str]], traces: Path, session_bytes: int, fair_share: float, before: int
) -> dict[str, float]:
    """The metrics of a run whose script printed `lines` and left a trace for each flow.

    `before` is the number of segments before the first one with data.
    """
    starts: dict[str, list[float]] = {}
    for words in lines:
        if len(words) == 3 and words[0] == "session":
            starts.setdefault(words[1], []).append(float(words[2]))
    segments = -(-session_bytes // SEGMENT_BYTES)
    acked: list[float] = []
    sent: list[float] = []
    total = 0
    for flow, requested in starts.items():
        rows = [line.split() for line in (traces / f"{flow}.tr").read_text().splitlines()]
        for variable, finish_times in (("ack_", acked), ("maxseq_", sent)):
            changes = [(float(row[0]), float(row[6])) for row in rows if len(row) == 7 and row[5] == variable]
            reached = _reached(changes, segments, before)
            finish_times.extend(at - start for start, at in zip(requested, reached, strict=False) if start >= WARMUP)
        total += sum(start >= WARMUP for start in requested)
    ideal = session_bytes / fair_share
    counted = [time if time > 0 else NO_TIME for time in sent]
    return {
        "instantaneous_fairness_acked": statistics.fmean(ideal / time for time in acked),
        "instantaneous_fairness_sent": statistics.fmean(ideal / time for time in counted),
        "finish_time_acked_mean": statistics.fmean(acked),
        "finish_time_acked_median": statistics.median_high(acked),
        "sessions_unfinished": float(total - len(acked)),
    }


def _reached(changes: list[tuple[float, float]], segments: int, before: int) -> list[float]:
    """The times at which the last segment of each session was reached, without sessions that are unfinished."""
    times: list[float] = []
    for at, highest in changes:
        while highest >= before + (len(times) + 1) * segments - 1:
            times.append(at)
    return times
