"""Scenarios whose users' fair share is known before they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airfair import _engine

if TYPE_CHECKING:
    from airfair.runs.executor import Progress
    from airfair.store.store import Store


def settled(
    scenario: _engine.Scenario, *, jobs: int | None = None, store: Store | None = None, progress: Progress | None = None
) -> _engine.Scenario:
    """The scenario with its users' fair share, which is measured now if the scenario says so.

    Runs whose outcomes are in `store` are not repeated.

    Raises:
        EngineError: The engine failed.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    if not scenario.measures_share:
        return scenario
    from airfair.runs.share import shared  # `import airfair` needs it for nothing else

    [alone], execution = shared([scenario], store=store, jobs=jobs, progress=progress)
    execution.raise_if_ended()
    if alone is None:
        raise _engine.EngineError(f"{scenario.name}: its fair share: {execution.failures[0].reason}")
    return scenario.sharing(*alone)
