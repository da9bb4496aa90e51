"""Arguments of the functions of `import airfair`: their types and ranges, and messages that lead to the one meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from math import isnan
from operator import index
from os import PathLike
from reprlib import repr as shortened
from typing import Any, NamedTuple, ParamSpec, TypeVar

from airfair import _engine
from airfair._engine import InputError
from airfair.runs import SEED_LIMIT

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


class _Kind(NamedTuple):
    """What an argument takes."""

    #: Returns the value. Raises `TypeError` or `ValueError` if it is none.
    read: Callable[[Any], Any]
    #: In words, for messages.
    needed: str


def _whole(least: int, most: int | None = None, more: str = "") -> _Kind:
    """Whole numbers, those of other libraries included. `True` is none, though Python counts it as 1."""

    def read(given: Any) -> int:
        if isinstance(given, bool):
            raise TypeError
        number = index(given)
        if number < least or (most is not None and number > most):
            raise ValueError
        return number

    ends = f"from {least} on" if most is None else f"from {least} to {most}"
    return _Kind(read, f"a whole number {ends} is needed{more}")


def _one_of(*types: type, needed: str) -> _Kind:
    """Objects of these types. Texts and bytes are no lists."""
    never = (bytes,) if str in types else (bytes, str)

    def read(given: Any) -> Any:
        if not isinstance(given, types) or isinstance(given, never):
            raise TypeError
        return given

    return _Kind(read, f"{needed} is needed")


def _time(given: Any) -> str | float:
    if isinstance(given, str):
        return given  # the engine reads its unit
    if isinstance(given, bool):
        raise TypeError
    if isnan(seconds := float(given)):
        raise ValueError
    return seconds


#: The longest is that of IP.
_PACKET = _Kind(_whole(1, 65_535).read, "1 to 65535 B are allowed")
_TEXT = _one_of(str, needed="a text")
_TEXTS = _one_of(str, Iterable, needed="a text or a list of texts")
_PATH = _one_of(str, PathLike, needed="a path")
_AXES = _one_of(Mapping, needed="a dictionary such as {'tcp': ['reno', 'vegas']}")
_SETTINGS = _one_of(Mapping, needed="a dictionary such as {'tcp': 'vegas'}")
_AS_SEEDS = ", as in `seed=1, seeds=10` for the seeds 1 to 10"
#: By the name of the argument, which means the same in every function. The default is always allowed.
_KINDS = {
    "scenario": _one_of(
        *(str, PathLike, Mapping, _engine.Scenario),
        needed="a scenario's name, the path of a file, a dictionary or a Scenario",
    ),
    "name": _TEXT,
    "over": _AXES,
    "compare": _AXES,
    "set_a": _SETTINGS,
    "set_b": _SETTINGS,
    "settings": _SETTINGS,
    "zip": _one_of(Iterable, needed="a list such as [('stations', 'session_bytes')]"),
    "seed": _whole(0),
    "seeds": _whole(1, SEED_LIMIT, _AS_SEEDS),
    "sample": _whole(1),
    "users": _whole(1),
    "evaluations": _whole(1),
    "jobs": _whole(1),
    "num_envs": _whole(1, 10_000),
    "engine": _TEXT,
    "maximize": _TEXT,
    "minimize": _TEXT,
    "until_ci": _one_of(str, Mapping, needed="a text such as 'throughput_total=1%' or {'throughput_total': '1 %'}"),
    "on": _TEXT,
    "start": _TEXT,
    "end": _TEXT,
    "subject_to": _TEXTS,
    "traces": _TEXTS,
    "metrics": _TEXTS,
    "external": _TEXTS,
    "out": _PATH,
    "cache": _PATH,
    "flow": _TEXT,
    "bytes": _PACKET,
    "id": _whole(0, 2**64 - 1),
    "time": _Kind(_time, 'seconds are needed, or a text with a unit, such as "500 ms"'),
}

_NOT_LOADED = _one_of(str, PathLike, Mapping, needed="a scenario's name, the path of a file or a dictionary")
#: Arguments that differ in one function. A sweep bounds the number of its runs, which it does not hold in memory.
_DIFFERENT = {
    ("sweep", "seeds"): _whole(1, more=_AS_SEEDS),
    **{(function, "scenario"): _NOT_LOADED for function in ("sweep", "optimize", "timeline")},
}

#: The arguments of each function that are no parameters.
_OWN: dict[str, list[str]] = {}


def taken(argument: str, given: Any, function: str = "") -> Any:
    """The value of an argument. Raises `InputError` if the argument does not take it."""
    kind = _DIFFERENT.get((function, argument), _KINDS[argument])
    try:
        return kind.read(given)
    except (TypeError, ValueError):
        raise InputError(f"{argument} = {shortened(given)}: {kind.needed}") from None


def checked(function: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """Check the arguments of a function, and let messages on unknown ones lead to the one that is meant.

    Keyword arguments that are none of the function's are parameters of a scenario.
    """
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    _OWN[name] = [one.name for one in signature.parameters.values() if one.kind in named]

    @wraps(function)
    def called(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"airfair.{name}(): {error}") from None
        for argument, given in bound.arguments.items():
            if argument in _KINDS and given is not signature.parameters[argument].default:
                bound.arguments[argument] = taken(argument, given, name)
        try:
            return function(*bound.args, **bound.kwargs)
        except InputError as error:
            parameters = bound.arguments.get("parameters", {})
            unknown = next((each for each in parameters if f"unknown parameter `{each}`" in str(error)), None)
            if unknown is None or not (hint := _hint(unknown, name)):
                raise
            raise InputError(f"unknown argument `{unknown}`; {hint}") from None

    return called


def _hint(unknown: str, function: str) -> str:
    """What is meant by an argument that a function does not take; empty if that is not clear."""
    near = _engine.nearest(unknown, _OWN[function])
    takers = [f"airfair.{name}" for name, own in _OWN.items() if unknown in own]
    return f"did you mean `{near}`?" if near else f"it is one of {', '.join(takers)}" if takers else ""
