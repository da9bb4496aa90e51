"""The engine's metrics, packaged scenarios and their parameters."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from airfair import _engine
from airfair.catalogue import settings


def scenarios() -> list[dict[str, Any]]:
    """The packaged scenarios: name and title."""
    listing: list[dict[str, Any]] = json.loads(_engine.packaged_json())
    return listing


def describe(name: str) -> dict[str, Any]:
    """Describe a scenario, a metric, a setting, a control, a discipline, a parameter, a value, or a list of them.

    A scenario gives its parameters (unit, default, range), a metric its definition and source, a setting such as
    `tcp.rto_min` or `rto_min` its meaning, values and default, a control or discipline such as `fq_codel` its own
    settings, and these as well as a parameter the scenarios that have it. The lists are `metrics`, `families` of
    metrics and each of them, `settings`, `controls`, `disciplines`, `recoveries` and `profiles`.

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
    if found := _listed(name):
        return found
    uses = list(_uses())
    by_name = [use for use in uses if name in (use["parameter"], use["value"])]
    of_parameter = [use for use in by_name if use["value"] is None]
    facts: dict[str, Any] = {}
    if kinds := settings.kinds_of(name):
        own = settings.own(name)
        facts |= {"kinds": kinds, "settings": [setting.document() for setting in own]}
    elif named := settings.named(name):
        facts["settings"] = [setting.document() for setting in named]
    if used := of_parameter or by_name:
        facts["used_by"] = used
    if facts:
        return {"name": name, **facts}
    if reason := _engine.not_modelled(name):
        raise _engine.InputError(f"{name}: {reason}")
    words = dict.fromkeys(str(use["value"] or use["parameter"]) for use in uses)
    keys = dict.fromkeys(path for each in settings.settings() for path in (each, each.rpartition(".")[2]))
    near = nearest(name, [*known, *(entry["name"] for entry in scenarios()), *words, *_LISTS, *families(), *keys])
    raise _engine.InputError(
        f"{name}: neither a scenario, nor a metric, nor a setting, nor a parameter or a value of one{near}; "
        f"`airfair scenarios`, `airfair describe metrics`, and likewise {', '.join(_LISTS[1:])}, list all"
    )


#: Names of lists that `describe` gives.
_LISTS = ("metrics", "families", "settings", *settings.TITLES)


def names() -> list[str]:
    """All that `describe` knows beside files, parameters and their values."""
    lists = [word for kind in settings.TITLES for word in settings.words(kind)]
    every = [
        *(entry["name"] for entry in scenarios()),
        *every_metric(),
        *_LISTS,
        *families(),
        *lists,
        *settings.settings(),
    ]
    return list(dict.fromkeys(every))


def families() -> dict[str, list[str]]:
    """Families of metrics: those whose names begin with the same word, by all the words that they begin with."""
    by_word: dict[str, list[str]] = {}
    for entry in metrics():
        by_word.setdefault(entry["name"].partition("_")[0], []).append(entry["name"])
    found: dict[str, list[str]] = {}
    for members in by_word.values():
        pieces = zip(*(name.split("_") for name in members), strict=False)
        name = "_".join(words[0] for words in itertools.takewhile(lambda words: len(set(words)) == 1, pieces))
        if len(members) > 1 and name not in members:
            found[name] = members
    return found


def _listed(name: str) -> dict[str, Any] | None:
    """A list that has this name."""
    if name == "families":
        return {"name": name, "families": families()}
    if name == "settings":
        listing = dict.fromkeys(settings.settings().values())
        return {"name": name, "settings": [setting.document() for setting in listing]}
    if name in settings.TITLES:
        words = [
            {"name": word, "settings": [one.document() for one in settings.own(word)]} for word in settings.words(name)
        ]
        return {"name": name, "title": settings.TITLES[name], "words": words}
    if name in families():
        return {"name": name, "metrics": [entry for entry in metrics() if entry["name"] in families()[name]]}
    return None


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
