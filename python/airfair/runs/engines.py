"""The choice of the engine that runs a scenario. All give the same results, so the keys of results leave it out."""

from __future__ import annotations

from airfair import _engine
from airfair.catalogue.known import every_metric


def by(engine: str | None, scenario: _engine.Scenario) -> _engine.Scenario:
    """The scenario, to be run by this engine or by the default one. Raises `InputError` if there is no such engine."""
    return scenario.by_engine(engine) if engine else scenario


def verifies(engine: str | None) -> bool:
    """Whether runs of this engine verify stored results instead of reusing them, as those of all but the default do."""
    return engine not in (None, _engine.ENGINES[0])


def agree(one: _engine.Outcome, other: _engine.Outcome) -> bool:
    """Whether two outcomes agree in all metrics and tables that both have."""
    every = list(every_metric())
    texts = {each.answering(every).to_json() for each in (one.with_metrics_of(other), other.with_metrics_of(one))}
    return len(texts) == 1
