"""The engine's metrics, packaged scenarios and their parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from airfair import _engine


def scenarios() -> list[dict[str, Any]]:
    """The packaged scenarios: name and title."""
    listing: list[dict[str, Any]] = json.loads(_engine.packaged_json())
    return listing


def describe(name: str) -> dict[str, Any]:
    """Describe a scenario, a metric, all `metrics`, a parameter of scenarios, or a value of one.

    A scenario gives its parameters (unit, default, range), a metric its definition and source, and a parameter or a
    value such as `fq_codel` the scenarios that have it.

    Raises:
        InputError: The name is unknown.
    """
    known = every_metric()
    if name in known:
        return dict(known[name])
    if name == "metrics":
        return {"name": name, "metrics": metrics()}
    try:
        scenario: dict[str, Any] = json.loads(_engine.describe_json(name))
    except _engine.InputError:
        if "/" in name or name.endswith(".toml"):
            raise
    else:
        return scenario
    uses = list(_uses())
    if found := [use for use in uses if name in (use["parameter"], use["value"])]:
        of_parameter = [use for use in found if use["value"] is None]
        return {"name": name, "used_by": of_parameter or found}
    if reason := _engine.not_modelled(name):
        raise _engine.InputError(f"{name}: {reason}")
    words = dict.fromkeys(str(use["value"] or use["parameter"]) for use in uses)
    near = nearest(name, [*known, *(entry["name"] for entry in scenarios()), *words])
    raise _engine.InputError(
        f"{name}: neither a scenario, nor a metric, nor a parameter or a value of one{near}; "
        "`airfair scenarios` and `airfair describe metrics` list all"
    )


def _uses() -> Iterator[dict[str, Any]]:
    """Each parameter of each packaged scenario, and each word that it accepts."""
    for scenario in scenarios():
        for parameter in json.loads(_engine.describe_json(scenario["name"]))["parameters"]:
            use = {"scenario": scenario["name"], "parameter": parameter["name"], "help": parameter["help"]}
            yield use | {"value": None}
            choices = (choice for choice in parameter["choices"] or () if isinstance(choice, str))
            yield from (use | {"value": choice} for choice in choices)


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean X?` with the most similar name, or nothing."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def metrics() -> list[dict[str, Any]]:
    """The metrics: name, title, unit, definition, source, names of quantiles."""
    listing: list[dict[str, Any]] = json.loads(_engine.metrics_json())
    return listing


@cache
def every_metric() -> Mapping[str, Mapping[str, Any]]:
    """Each metric by its name, with the quantiles that `metrics` does not list."""
    return MappingProxyType({entry["name"]: entry for entry in json.loads(_engine.metrics_json(quantiles=True))})


def bounds(metric: str) -> tuple[float | None, float | None]:
    """The ends of a metric's range; `None` where an end is open or the metric is unknown."""
    entry = every_metric().get(metric)
    return (None, None) if entry is None else (entry["range"]["low"], entry["range"]["high"])
