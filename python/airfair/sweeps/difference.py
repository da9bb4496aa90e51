"""The keys in which two scenario files differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

#: Keys that change no result: descriptions, and the metrics to report.
_SAID = frozenset({"title", "description", "run.metrics"})
#: Maximum number of differences listed one by one.
_MOST = 4
#: Maximum length of a value shown.
_LONGEST = 60


class Changed(NamedTuple):
    """A key that has different values in two files."""

    #: Path of the key: `wlan[0].queue`.
    path: str
    there: str
    here: str


def differences(there: str, here: str) -> list[str]:
    """The first differences between files, `wlan[0].queue: there "50", here "60"`, and the number of further ones."""
    found = [f"{one.path}: there {one.there}, here {one.here}" for one in changes(there, here)]
    more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
    return found[:_MOST] + more


def changes(there: str, here: str) -> list[Changed]:
    """The keys in which two files differ."""
    import tomllib

    try:
        old, new = (tomllib.loads(text) for text in (there, here))
    except ValueError:
        return []  # the engine reads newer TOML than Python does
    return list(_between(old, new, ""))


def _between(old: Any, new: Any, path: str) -> Iterator[Changed]:
    if path in _SAID or path.endswith(".help"):
        return
    if old is _ABSENT and isinstance(new, Mapping):
        old = {}
    if new is _ABSENT and isinstance(old, Mapping):
        new = {}
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            yield from _between(old.get(key, _ABSENT), new.get(key, _ABSENT), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _between(one, other, f"{path}[{place}]")
    elif isinstance(old, list) and isinstance(new, list) and _tables(old) and _tables(new):
        yield Changed(path, f"{len(old)} of them", str(len(new)))
    elif old != new or type(old) is not type(new):
        yield Changed(path, _shown(old), _shown(new))


def _tables(entries: list[Any]) -> bool:
    return all(isinstance(entry, Mapping) for entry in entries)


class _Absent:
    """Marks a key that a file lacks."""


_ABSENT = _Absent()


def _shown(value: Any) -> str:
    if isinstance(value, _Absent):
        return "unset"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
