"""Runs as data files of Flent, the network tester."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airfair import _engine, console
from airfair.runs.signals import ending


def file_name(scenario: _engine.Scenario, seed: int) -> str:
    """The name of a run's data file. Raises `InputError` if the scenario is not one of Flent's tests."""
    return f"{scenario.flent_test()}-seed{seed}.flent.gz"


def title(settings: Sequence[str]) -> str:
    """The title of runs in Flent. Runs with the same title are one group in its plots."""
    return ", ".join(["AirFair", *settings])


def runs(
    scenario: _engine.Scenario, seeds: Sequence[int], traces: list[str], title: str
) -> Iterator[tuple[_engine.Outcome, bytes]]:
    """Yield the outcome and the data file of each seed. Ends the process on a signal to terminate."""
    import gzip

    with ending(), console.progress(scenario.name) as progress:
        for done, seed in enumerate(seeds):
            if progress is not None:
                progress(done, 0, len(seeds))
            outcome, document = scenario.flent(seed, traces, title)
            yield outcome, gzip.compress(document.encode(), mtime=0)
