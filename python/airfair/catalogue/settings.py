"""The settings of scenario files, queue disciplines and congestion controls, from the JSON Schema of scenario files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from airfair import _engine

#: For each list of words: the schema's table and key that take such a word, the table with the parameters of single
#: words (empty: there are none), and the path of these parameters in scenario files.
_KINDS = {
    "controls": ("Tcp", "variant", "Control", "tcp.control"),
    "disciplines": ("Discipline", "kind", "Discipline", "link.discipline"),
    "recoveries": ("Tcp", "recovery", "", "tcp"),
    "profiles": ("Tcp", "profile", "", "tcp"),
}
#: Title of each list of words, for people.
TITLES = {
    "controls": "Congestion controls, each with its usual loss recovery",
    "disciplines": "Queue disciplines of links and access points",
    "recoveries": "Loss recoveries of TCP",
    "profiles": "Defaults of TCP",
}


class Setting(NamedTuple):
    """A key of scenario files."""

    #: Path of the key, with the names of tables: `tcp.rto_min`. Of several, the one in the fewest tables.
    path: str
    #: Meaning, allowed values and default.
    description: str
    #: Other paths of the same key.
    also: tuple[str, ...] = ()
    #: Words that the key allows, each with its meaning; empty where the schema declares no meanings.
    words: tuple[tuple[str, str], ...] = ()
    #: Words that the key allows.
    allowed: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The setting as a JSON object."""
        document = {"path": self.path, "description": self.description, "also": list(self.also)}
        return document | ({"words": dict(self.words)} if self.words else {})


@cache
def _schema() -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.loads(_engine.schema_json())
    return schema


def _table(entry: Mapping[str, Any]) -> str | None:
    """The name of the table that a key holds, alone or in a list; `None` if it holds no table."""
    for part in (entry, *entry.get("anyOf", ()), entry.get("items", {})):
        name = str(part.get("$ref", "")).removeprefix("#/$defs/")
        if name == "OneOrMore":
            continue
        if "properties" in _schema()["$defs"].get(name, {}):
            return name
        if part is not entry and (inside := part.get("items")) and (found := _table(inside)):
            return found
    return None


def _walk(table: Mapping[str, Any], path: str, above: tuple[str, ...]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the path, the table and the schema of each key below `table`, without entering a table inside itself."""
    for key, entry in table["properties"].items():
        here = f"{path}.{key}" if path else key
        inside = _table(entry)
        if inside is None:
            yield here, above[-1] if above else "", entry
        elif inside not in above and inside != "Declaration":
            yield from _walk(_schema()["$defs"][inside], here, (*above, inside))


@cache
def settings() -> Mapping[str, Setting]:
    """Every setting by each of its paths."""
    found: dict[tuple[str, str, Setting], list[str]] = {}
    for path, owner, entry in _walk(_schema(), "", ()):
        words, allowed = tuple(entry.get("words", {}).items()), tuple(entry.get("examples", ()))
        told = Setting("", _one_line(entry.get("description")), (), words, allowed)
        found.setdefault((owner, path.rpartition(".")[2], told), []).append(path)
    result: dict[str, Setting] = {}
    for (_, _, told), paths in found.items():
        first, *others = sorted(paths, key=lambda path: (path.count("."), path))
        result |= dict.fromkeys(paths, told._replace(path=first, also=tuple(others)))
    return result


class Group(NamedTuple):
    """A table of scenario files."""

    path: str
    #: What the table is about.
    description: str
    #: Keys of the table, including keys that hold tables.
    settings: tuple[Setting, ...]


@cache
def groups() -> Mapping[str, Group]:
    """Every table by its path."""
    return {group.path: group for group in _groups(_schema(), "", ())}


def _groups(table: Mapping[str, Any], path: str, above: tuple[str, ...]) -> Iterator[Group]:
    for key, entry in table["properties"].items():
        inside = _table(entry)
        if inside is None or inside in above or inside == "Declaration":
            continue
        here = f"{path}.{key}" if path else key
        found = _schema()["$defs"][inside]
        keys = (Setting(f"{here}.{own}", _told(part)) for own, part in found["properties"].items())
        yield Group(here, _told(entry), tuple(keys))
        yield from _groups(found, here, (*above, inside))


def _told(entry: Mapping[str, Any]) -> str:
    """The schema's description of a key, or else of the table that the key holds."""
    told = entry.get("description") or _schema()["$defs"].get(_table(entry) or "", {}).get("description")
    return _one_line(told)


def _one_line(told: object) -> str:
    """A text of the schema as one line: the schema breaks lines where the Rust source does."""
    return " ".join(str(told or "").split())


#: Keys of an access point that is addressed as a node, each with a key of its WLAN's table that may be meant.
_OF_ACCESS_POINT = (
    ("queue.length", "ap_queue"),
    ("queue", "ap_queue"),
    ("queue", "ap_discipline"),
    ("data_rate", "ap_data_rate"),
    ("policer", "policer"),
    ("window_control", "window_control"),
)


def _paths(name: str) -> list[str]:
    """The schema's paths that a path with a component's name may mean: `node.ap.queue.length` is `wlan.ap_queue`."""
    of, *steps = name.split(".")
    key = ".".join(steps[1:])
    if name in settings() or name in groups() or of not in ("node", "link", "wlan", "flow") or not key:
        return [name]
    if of != "node":
        return [name, f"{of}.{key}", f"{of}.station.{'.'.join(steps[3:])}"]
    begun = ((own, there) for own, there in _OF_ACCESS_POINT if f"{key}.".startswith(f"{own}."))
    return [
        name,
        *(f"wlan.{there}{key.removeprefix(own)}" for own, there in begun),
        f"wlan.station.{key}",
        f"node.{key}",
    ]


def groups_named(name: str) -> list[Group]:
    """The tables at a path, which may contain the name of a component; else all tables whose key has this name.

    Of those with the same keys only the one with the shortest path: `wlan.edca`, not `wlan.station.edca` as well.
    """
    if found := [groups()[path] for path in _paths(name) if path in groups()]:
        return found
    alike: dict[tuple[tuple[str, str], ...], Group] = {}
    for group in sorted(groups().values(), key=lambda group: group.path.count(".")):
        if group.path.rpartition(".")[2] == name:
            keys = tuple((key.path.rpartition(".")[2], key.description) for key in group.settings)
            alike.setdefault(keys, group)
    return list(alike.values())


def named(name: str) -> list[Setting]:
    """The settings at a path, which may contain the name of a component; else all settings whose key has this name."""
    if found := [settings()[path] for path in _paths(name) if path in settings()]:
        return list(dict.fromkeys(found))
    same = (setting for path, setting in settings().items() if path.rpartition(".")[2] == name)
    return list(dict.fromkeys(same))


@cache
def words(kind: str) -> tuple[str, ...]:
    """The words of one list: `controls`, `disciplines`, `recoveries` or `profiles`."""
    table, key, _, _ = _KINDS[kind]
    return tuple(_schema()["$defs"][table]["properties"][key]["examples"])


@cache
def values() -> Mapping[str, tuple[Setting, ...]]:
    """For each word, the settings that accept it as a value."""
    found: dict[str, dict[Setting, None]] = {}
    for setting in settings().values():
        for word in setting.allowed:
            found.setdefault(word, {})[setting] = None
    return {word: tuple(of) for word, of in found.items()}


def meaning(word: str, setting: Setting) -> str:
    """The meaning of a word as a value of `setting`; the whole description of the setting if it explains no words."""
    return dict(setting.words).get(word, setting.description)


def kinds_of(word: str) -> list[str]:
    """The lists that have a word: `controls`, `disciplines`, `recoveries`, `profiles`."""
    return [kind for kind in _KINDS if word in words(kind)]


def own(word: str) -> list[Setting]:
    """The parameters of a control or a discipline: key and meaning, with allowed values."""
    found = []
    for kind in kinds_of(word):
        _, _, table, path = _KINDS[kind]
        for key, entry in _schema()["$defs"].get(table, {}).get("properties", {}).items():
            if meaning := entry.get("parts", {}).get(word):
                found.append(Setting(f"{path}.{key}", meaning))
    return found
