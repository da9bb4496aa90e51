"""Completions for the shell. The functions never fail; they return an empty list if there are no candidates."""

from __future__ import annotations

import json
import os
from typing import Any

from airfair import _engine


def _starting(names: list[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def scenarios(incomplete: str) -> list[str]:
    """Complete the name of a packaged scenario."""
    return _starting([entry["name"] for entry in json.loads(_engine.packaged_json())], incomplete)


def metrics(incomplete: str) -> list[str]:
    """Complete a metric or one of its quantiles."""
    return _starting([entry["name"] for entry in json.loads(_engine.metrics_json(unlisted=True))], incomplete)


def metrics_listed(incomplete: str) -> list[str]:
    """Complete a metric after the last comma, or the word `all`."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in [*metrics(last), *_starting(["all"] * (not comma), last)]]


def traces_listed(incomplete: str) -> list[str]:
    """Complete a quantity over time after the last comma."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in _starting(_engine.TRACES, last)]


def what_is_described(incomplete: str) -> list[str]:
    """Complete a name that `describe` accepts."""
    from airfair.described.names import names

    return _starting(names(), incomplete)


def aims(incomplete: str) -> list[str]:
    """Complete `METRIC=` for any metric."""
    return [f"{name}=" for name in metrics(incomplete)]


def _argument() -> str:
    """The argument after the name of the command. Typer does not parse a line whose last option has no value yet.

    Bash passes the line as COMP_WORDS, other shells as _TYPER_COMPLETE_ARGS.
    """
    words = (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")).split()
    return next((word for word in words[2:] if not word.startswith("-")), "")


def _declared() -> list[dict[str, Any]]:
    """The declarations of the scenario's parameters."""
    try:
        declared: list[dict[str, Any]] = json.loads(_engine.describe_json(_argument()))["parameters"]
    except (_engine.InputError, KeyError):
        return []
    return declared


def _paths() -> list[str]:
    """The paths of the scenario's other settings."""
    try:
        return _engine.paths(_argument())
    except _engine.InputError:
        return []


def parameters(incomplete: str) -> list[str]:
    """Complete `NAME=` for the scenario's parameters, and `PATH=` for its other settings, one table at a time."""
    tables = {_up_to_next_dot(path, len(incomplete)) for path in _paths() if path.startswith(incomplete)}
    names = [f"{parameter['name']}=" for parameter in _declared()]
    return _starting([*names, *sorted(tables)], incomplete)


def _up_to_next_dot(path: str, typed: int) -> str:
    dot = path.find(".", typed)
    return f"{path}=" if dot < 0 else path[: dot + 1]


def settings(incomplete: str) -> list[str]:
    """Complete `NAME=` for the scenario's parameters, and `NAME=VALUE` for values from a list of choices."""
    name, equals, _ = incomplete.partition("=")
    if not equals:
        return parameters(incomplete)
    choices = [c for p in _declared() if p["name"] == name for c in p.get("choices") or ()]
    return _starting([f"{name}={choice}" for choice in choices], incomplete)


def axes(incomplete: str) -> list[str]:
    """Complete `NAME=` for the scenario's parameters, and a value from a list of choices after the last comma."""
    name, equals, values = incomplete.partition("=")
    before, comma, last = values.rpartition(",")
    start = f"{name}{equals}{before}{comma}"
    return [start + value.partition("=")[2] if equals else value for value in settings(f"{name}{equals}{last}")]


def zipped(incomplete: str) -> list[str]:
    """Complete a parameter of the scenario after the last comma."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name.removesuffix("=") for name in settings(last)] if "=" not in last else []


def engines(incomplete: str) -> list[str]:
    """Complete the name of an engine."""
    return _starting(_engine.ENGINES, incomplete)


def studies(incomplete: str) -> list[str]:
    """Complete the name of a packaged study."""
    from airfair.studies.file import packaged_names

    return _starting(packaged_names(), incomplete)


def figures(incomplete: str) -> list[str]:
    """Complete a figure of the study."""
    from airfair.studies.file import load

    try:
        return _starting([figure.name for figure in load(_argument()).figures], incomplete)
    except _engine.InputError:
        return []


def _facts(key: str) -> list[str]:
    """The list under a key of a sweep's manifest or table."""
    from pathlib import Path

    directory = Path(_argument())
    try:
        if key == "axes":
            return list(json.loads((directory / "manifest.json").read_text(encoding="utf-8"))["axes"])
        from airfair.store import received

        return list(received.strings(received.facts(directory / "results.parquet"), "metrics"))
    except (OSError, ValueError, KeyError, TypeError):
        return []


def axes_of_results(incomplete: str) -> list[str]:
    """Complete an axis of the sweep in the directory."""
    return _starting(_facts("axes"), incomplete)


def metrics_of_results(incomplete: str) -> list[str]:
    """Complete a metric of the sweep in the directory; any metric if these are unknown."""
    return _starting(_facts("metrics"), incomplete) or metrics(incomplete)


def networks(incomplete: str) -> list[str]:
    """Complete a network that `init` offers."""
    from airfair.runs.start import NETWORKS

    return _starting(list(NETWORKS), incomplete)


def traffic(incomplete: str) -> list[str]:
    """Complete traffic that `init` offers."""
    from airfair.runs.start import TRAFFIC

    return _starting(list(TRAFFIC), incomplete)


def kinds(incomplete: str) -> list[str]:
    """Complete a kind of figure."""
    from airfair.figures.charts.kinds import KINDS

    return _starting(list(KINDS), incomplete)
