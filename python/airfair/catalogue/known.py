"""The engine's metrics, packaged scenarios and their parameters."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from airfair import _engine
from airfair.catalogue import settings


def scenarios() -> list[dict[str, Any]]:
    """The packaged scenarios: name and title."""
    listing: list[dict[str, Any]] = json.loads(_engine.packaged_json())
    return listing


def describe(name: str, others: Iterable[str] = (), lists: Iterable[str] = ()) -> dict[str, Any]:
    """Answer `airfair.describe` for all names but those of studies and environments.

    A message on an unknown name may suggest one of `others` and `lists`, too; it also names `lists` among the lists.

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
    uses = _uses()
    by_name = [use for use in uses if name in (use["parameter"], use["value"])]
    of_parameter = [use for use in by_name if use["value"] is None]
    facts: dict[str, Any] = {}
    if about := methods().get(name):
        facts["description"] = about
    if kinds := settings.kinds_of(name):
        own = settings.own(name)
        facts |= {"kinds": kinds, "settings": [setting.document() for setting in own]}
    elif named := settings.named(name):
        facts["settings"] = [setting.document() for setting in named]
    if inside := settings.groups_named(name):
        tables = (f"`{group.path}` is a table. {group.description}".strip() for group in inside)
        facts["description"] = "\n\n".join([*([about] if about else []), *tables])
        inner = (setting.document() for group in inside for setting in group.settings)
        facts["settings"] = [*facts.get("settings", ()), *inner]
    if taken := settings.values().get(name, ()):
        facts["value_of"] = [{"path": one.path, "meaning": settings.meaning(name, one)} for one in taken]
    if counted := [counter for counter in counters() if counter["name"] == name]:
        facts["counters"] = counted
    if used := of_parameter or by_name:
        facts["used_by"] = used
    if facts:
        return {"name": name, **facts}
    if reason := _engine.not_modelled(name):
        raise _engine.InputError(f"{name}: {reason}")
    words = dict.fromkeys(str(use["value"] or use["parameter"]) for use in uses)
    paths = [*settings.settings(), *settings.groups()]
    keys = dict.fromkeys(path for each in paths for path in (each, each.rpartition(".")[2]))
    near = nearest(name, [*names(), *others, *lists, *words, *keys])
    raise _engine.InputError(
        f"{name}: neither a scenario, nor a metric, nor a setting, nor a parameter or a value of one; "
        f"`airfair scenarios`, `airfair describe metrics`, "
        f"and likewise {', '.join([*_LISTS[1:], *lists])}, list all{near}"
    )


#: Names of lists that `describe` gives.
_LISTS = ("metrics", "families", "counters", "grades", "settings", *settings.TITLES)


def names() -> list[str]:
    """All names that `describe` knows, but for files, parameters and values of parameters."""
    lists = [word for kind in settings.TITLES for word in settings.words(kind)]
    every = [
        *(entry["name"] for entry in scenarios()),
        *every_metric(),
        *_LISTS,
        *families(),
        *lists,
        *settings.values(),
        *(counter["name"] for counter in counters()),
        *settings.settings(),
    ]
    return list(dict.fromkeys(every))


def families() -> dict[str, list[str]]:
    """Families of metrics by name. Members begin with the same word; the words that all share name the family."""
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
    """The description of the list or family of metrics with this name; `None` if there is none."""
    if name == "counters":
        return {"name": name, "counters": counters()}
    if name == "grades":
        return {"name": name, "title": "How devices are graded, from A to F", "grades": grades()}
    if name == "families":
        return {"name": name, "families": families()}
    if name == "settings":
        listing = dict.fromkeys(settings.settings().values())
        return {"name": name, "settings": [setting.document() for setting in listing]}
    if name in settings.TITLES:
        words = [
            {
                "name": word,
                "description": methods().get(word, ""),
                "settings": [one.document() for one in settings.own(word)],
            }
            for word in settings.words(name)
        ]
        return {"name": name, "title": settings.TITLES[name], "words": words}
    if name in families():
        return {"name": name, "metrics": [entry for entry in metrics() if entry["name"] in families()[name]]}
    return None


def counters() -> list[dict[str, Any]]:
    """The counters in the tables of results: table, name, unit, description."""
    listing: list[dict[str, Any]] = json.loads(_engine.counters_json())
    return listing


def grades() -> list[dict[str, Any]]:
    """The rule for grades: application, measure, unit, whether larger is better, limits of A to E, source."""
    listing: list[dict[str, Any]] = json.loads(_engine.grades_json())
    return listing


@cache
def methods() -> Mapping[str, str]:
    """What each congestion control and queue discipline does, and its source."""
    texts: dict[str, str] = json.loads(_engine.methods_json())
    return MappingProxyType(texts)


@cache
def _uses() -> tuple[dict[str, Any], ...]:
    """Each parameter of each packaged scenario, and each word that it accepts."""
    found: list[dict[str, Any]] = []
    for scenario in scenarios():
        for parameter in json.loads(_engine.describe_json(scenario["name"]))["parameters"]:
            use = {"scenario": scenario["name"], "parameter": parameter["name"], "help": parameter["help"]}
            choices = (choice for choice in parameter["choices"] or () if isinstance(choice, str))
            found += [use | {"value": None}, *(use | {"value": choice} for choice in choices)]
    return tuple(found)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean X?` with the nearest name, or nothing.

    Nothing is suggested for a single character, to which all short names are near.
    """
    near = _engine.nearest(name, list(known)) if len(name) > 1 else None
    return f"; did you mean {near}?" if near else ""


def unknown(what: str, name: str, known: Iterable[str]) -> _engine.InputError:
    """The error that nothing of this kind has the name, with the nearest name or all of them."""
    names = list(known)
    hint = nearest(name, names) or f"; known: {', '.join(names)}"
    return _engine.InputError(f"{name}: unknown {what}{hint}")


def metrics() -> list[dict[str, Any]]:
    """The metrics: name, title, unit, definition, source, names of quantiles."""
    listing: list[dict[str, Any]] = json.loads(_engine.metrics_json())
    return listing


@cache
def every_metric() -> Mapping[str, Mapping[str, Any]]:
    """Every metric by name, including the unlisted ones: quantiles, and metrics of further networks."""
    return MappingProxyType({entry["name"]: entry for entry in json.loads(_engine.metrics_json(unlisted=True))})
