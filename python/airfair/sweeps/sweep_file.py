"""Sweep files: the input of `airfair sweep FILE.toml`, and the `sweep.toml` of a sweep's directory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from airfair import _engine
from airfair.catalogue.known import nearest
from airfair.catalogue.parameters import axes, names_of, written
from airfair.store.reading import read_text, unreadable
from airfair.store.recognition import SWEEP_TOML
from airfair.sweeps.spec import MOST_SEEDS, Sweep, Until, groups

NAME = "sweep.toml"

_KEYS = ("scenario", "over", "set", "zip", "sample", "seed", "seeds", "until_ci", "metrics", "file")


def is_sweep_file(path: Path) -> bool:
    """Whether a file is a sweep file rather than a scenario file.

    A sweep file names a scenario, or values of parameters.
    """
    if path.suffix != ".toml" or not path.is_file():
        return False
    try:
        return bool({"scenario", "over", "zip", "sample", "until_ci"} & set(_loaded(read_text(path, follow=True))))
    except (OSError, ValueError, RecursionError):
        return False  # the error is reported when the file is read as a scenario


def read(path: Path) -> Sweep:
    """Read a sweep file. The path of a scenario in it is relative to the file.

    Raises:
        InputError: The file is invalid.
    """
    try:
        text = read_text(path, follow=True)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return parse(text, path)


def parse(text: str, path: Path) -> Sweep:
    """Read a sweep from text that is, or was, at `path`."""
    try:
        data = _loaded(text)
    except (ValueError, RecursionError) as error:
        raise unreadable(path, error) from None
    try:
        return _sweep(data, path.parent)
    except _engine.InputError as error:
        raise _engine.InputError(f"{path}: {error}") from None


def _loaded(text: str) -> dict[str, Any]:
    import tomllib  # a new sweep of a scenario does not need it

    return tomllib.loads(text)


def holds_its_scenario(path: Path) -> bool:
    """Whether `airfair sweep` wrote the file. Such a file contains the text of the scenario."""
    try:
        return "text" in _loaded(read_text(path)).get("file", {})
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return False


def _sweep(data: Mapping[str, Any], beside: Path) -> Sweep:
    for key in data:
        if key not in _KEYS:
            raise _engine.InputError(f"unknown key {key}{nearest(key, _KEYS)}")
    name = _of(data, "scenario", str)
    if name is None:
        raise _engine.InputError("it names no scenario")
    over = _of(data, "over", dict) or {}
    until = _of(data, "until_ci", dict)
    seeds = _of(data, "seeds", int)
    return Sweep(
        name=name,
        text=_text(data, name, beside),
        set={key: _single(key, value) for key, value in (_of(data, "set", dict) or {}).items()},
        over=axes(over),
        zip=groups(_of(data, "zip", list) or ()),
        sample=_at_least(1, "sample", _of(data, "sample", int)),
        seed=_at_least(0, "seed", _of(data, "seed", int)) if "seed" in data else 1,
        seeds=_at_least(1, "seeds", seeds) or (1 if until is None else MOST_SEEDS),
        until=None if until is None else Until.read(until),
        metrics=tuple(names_of(_of(data, "metrics", list) or ())),
    )


def _single(key: str, value: object) -> str:
    if isinstance(value, Mapping):
        raise _engine.InputError(f'set.{key}: expected a value; a name with dots has quotes: "{key}.NAME" = VALUE')
    if isinstance(value, list):
        raise _engine.InputError(f"set.{key}: expected one value; [over] takes several")
    return written(value)


def _text(data: Mapping[str, Any], name: str, beside: Path) -> str:
    inside = _of(data, "file", dict)
    if inside is not None:
        return str(inside.get("text", ""))
    file = beside / name
    return _engine.scenario_text(str(file) if file.is_file() else name)


def _of(data: Mapping[str, Any], key: str, kind: type) -> Any:
    value = data.get(key)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        names = {str: "a text", int: "a whole number", dict: "a table", list: "a list"}
        raise _engine.InputError(f"{key}: expected {names[kind]}")
    return value


def _at_least(least: int, key: str, value: int | None) -> Any:
    if value is not None and value < least:
        raise _engine.InputError(f"{key} = {value}: must be {least} or more")
    return value


def render(sweep: Sweep) -> str:
    """Write a sweep as the text of a self-contained sweep file, including the scenario."""
    lines = [
        SWEEP_TOML,
        f"scenario = {_value(sweep.name)}",
        f"seed = {sweep.seed}",
        f"seeds = {sweep.seeds}",
    ]
    if sweep.until:
        lines.append(f"until_ci = {{ {sweep.until.metric} = {_value(f'{sweep.until.share * 100:.12g} %')} }}")
    if sweep.sample is not None:
        lines.append(f"sample = {sweep.sample}")
    if sweep.zip:
        lines.append(f"zip = {_value(sweep.zip)}")
    if sweep.metrics:
        lines.append(f"metrics = {_value(sweep.metrics)}")
    lines += ["", "[set]", *(f"{_key(name)} = {_value(value)}" for name, value in sorted(sweep.set.items()))]
    lines += ["", "[over]", *(f"{_key(name)} = {_value(values)}" for name, values in sweep.over.items())]
    text = sweep.text.replace("\\", "\\\\").replace('"""', '""\\"').replace("\r", "\\r")
    lines += ["", "# The scenario's own file.", "[file]", f'text = """\n{text}"""', ""]
    return "\n".join(lines)


def _value(value: str | Sequence[Any]) -> str:
    if isinstance(value, str):
        return _text_value(value)
    return f"[{', '.join(_value(entry) for entry in value)}]"


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else _text_value(name)


def _text_value(text: str) -> str:
    """A string of TOML: escaped as in JSON, and DEL escaped as well (TOML 1.0, "String")."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
