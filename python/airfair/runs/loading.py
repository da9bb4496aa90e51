"""A scenario as the functions of `import airfair` take it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike

from airfair import _engine
from airfair.catalogue.parameters import names_of, overrides
from airfair.runs import engines


def loaded(
    scenario: str | PathLike[str] | _engine.Scenario,
    parameters: Mapping[str, object],
    metrics: str | Iterable[str],
    engine: str | None,
) -> _engine.Scenario:
    """The scenario with these parameters and metrics, to be run by this engine. Raises `InputError`."""
    if isinstance(scenario, _engine.Scenario):
        if parameters:
            raise _engine.InputError("parameters are given when a Scenario is loaded, not when it is run")
        if metrics:
            raise _engine.InputError("metrics are chosen when a Scenario is loaded, not when it is run")
    else:
        scenario = _engine.Scenario.load(str(scenario), overrides(parameters), names_of(metrics) or None)
    return engines.by(engine, scenario)
