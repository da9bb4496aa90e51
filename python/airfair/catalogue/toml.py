"""Scenarios as dictionaries, written as the TOML that the engine reads."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping

from airfair import _engine
from airfair.catalogue.parameters import listed

_BARE = re.compile(r"[A-Za-z0-9_-]+")
#: Maximum depth of tables inside tables; a scenario has five levels.
_DEEPEST = 50


def text(document: Mapping[str, object]) -> str:
    """A dictionary as TOML, a line for each key at the top. Entries that are `None` are left out.

    Raises:
        InputError: A name is not a text, a value has no form in TOML, or a list is too long.
    """
    return "".join(f"{line}\n" for line in _entries(document, "", 0))


def _entries(table: Mapping[str, object], path: str, depth: int) -> Iterable[str]:
    for name, value in table.items():
        if not isinstance(name, str):
            raise _engine.InputError(f"{path or 'the scenario'}: {name!r}: the name of a key must be a text")
        here = f"{path}.{name}" if path else name
        if value is not None:
            yield f"{name if _BARE.fullmatch(name) else _string(name)} = {_value(value, here, depth)}"


def _value(value: object, path: str, depth: int) -> str:
    if depth > _DEEPEST:
        raise _engine.InputError(f"{path[:60]}...: nested too deeply")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else str(float(value))
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_entries(value, path, depth + 1))} }}"
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        entries = enumerate(listed(value, path))
        return f"[{', '.join(_value(entry, f'{path}[{place}]', depth + 1) for place, entry in entries)}]"
    raise _engine.InputError(f"{path}: {value!r}: a text, a number, true or false, a list or a dictionary is needed")


def _string(value: str) -> str:
    """A basic string of TOML: it has JSON's escapes, but none for surrogates, and one for DEL."""
    if not value.isprintable() and any(0xD800 <= ord(char) < 0xE000 for char in value):
        raise _engine.InputError(f"{value!r}: half of a character, which UTF-8 does not have")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
