"""Arguments of the functions of `import airfair`: their types and ranges, and advice on unknown ones."""

from __future__ import annotations

import inspect
import re
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
    """The values that an argument accepts."""

    #: Returns an accepted value. Raises `TypeError`, `ValueError` or `OverflowError` for any other.
    read: Callable[[Any], Any]
    #: The accepted values in words, for messages.
    needed: str


def _whole(least: int, most: int | None = None, more: str = "") -> _Kind:
    """Accept whole numbers in a range, including those of other libraries, but not `True` and `False`."""

    def read(given: Any) -> int:
        if isinstance(given, bool):
            raise TypeError
        number = index(given)
        if number < least or (most is not None and number > most):
            raise ValueError
        return number

    ends = f"from {least} on" if most is None else f"from {least} to {most}"
    return _Kind(read, f"a whole number {ends} is needed{more}")


def _one_of(*types: type, needed: str, empty: bool = True) -> _Kind:
    """Accept objects of these types. A text does not count as an `Iterable` unless `str` is given; bytes never do.

    Without `empty`, an empty text is refused.
    """
    never = (bytes,) if str in types else (bytes, str)

    def read(given: Any) -> Any:
        if not isinstance(given, types) or isinstance(given, never):
            raise TypeError
        if given == "" and not empty:
            raise ValueError
        return given

    return _Kind(read, f"{needed} is needed")


def _named(example: str) -> _Kind:
    """Accept dictionaries by name."""

    def read(given: Any) -> Any:
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise TypeError
        return given

    return _Kind(read, f"a dictionary such as {example} is needed")


def _texts(given: Any) -> str | list[str]:
    if isinstance(given, str):
        return given
    found = list(given)
    if isinstance(given, bytes) or not all(isinstance(one, str) for one in found):
        raise TypeError
    return found


def _flag(given: Any) -> bool:
    """Accept `True` and `False`, those of other libraries, too."""
    if bool(given) != given:
        raise TypeError
    return bool(given)


def _time(given: Any) -> str | float:
    if isinstance(given, str):
        return given  # the engine reads its unit
    if isinstance(given, bool):
        raise TypeError
    if isnan(seconds := float(given)):
        raise ValueError
    return seconds


#: Length of a packet in byte, up to the largest of IP.
_PACKET = _Kind(_whole(1, 65_535).read, "1 to 65535 B are allowed")
_TEXT = _one_of(str, needed="a text")
_TEXTS = _Kind(_texts, "a text or a list of texts is needed")
_PATH = _one_of(str, PathLike, needed="a path", empty=False)
_AXES = _named("{'tcp': ['reno', 'vegas']}")
_SETTINGS = _named("{'tcp': 'vegas'}")
#: The types of `ScenarioLike`.
_SCENARIO = (str, PathLike, Mapping, _engine.Scenario)
_AS_SEEDS = ", as in `seed=1, seeds=10` for the seeds 1 to 10"
#: What each argument accepts, by its name; the name means the same in every function. Its default is always allowed.
_KINDS = {
    "scenario": _one_of(
        *_SCENARIO, needed="a scenario's name, the path of a file, a dictionary or a Scenario", empty=False
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
    **dict.fromkeys(("x", "color", "facet", "kind", "where", "table", "log"), _TEXT),
    "y": _TEXTS,
    "path": _PATH,
    "out": _PATH,
    "cache": _PATH,
    "flow": _TEXT,
    "bytes": _PACKET,
    "id": _whole(0, 2**64 - 1),
    "to_source": _Kind(_flag, "True or False is needed"),
    "time": _Kind(_time, 'seconds are needed, or a text with a unit, such as "500 ms"'),
}

#: Arguments that differ in a function, by function and name. `seeds` of a sweep has no limit here: a sweep limits the
#: number of its runs, and does not hold them in memory.
_DIFFERENT = {
    ("sweep", "seeds"): _whole(1, more=_AS_SEEDS),
    ("describe", "name"): _one_of(
        *_SCENARIO, needed="a name, the path of a file, a dictionary or a Scenario", empty=False
    ),
}

#: An option in a message, and one with its value at the beginning. A function takes what `--set` sets by its name.
_OPTION = re.compile(r"--([a-z][a-z-]*)")
_OPTION_AND_VALUE = re.compile(_OPTION.pattern + r" ([^:]+)(?=: )")

#: By function, the names of its own arguments, which are not parameters of a scenario.
_OWN: dict[str, list[str]] = {}


def taken(argument: str, given: Any, function: str = "") -> Any:
    """Check the value of an argument and return it. Raises `InputError` if the argument does not accept it."""
    kind = _DIFFERENT.get((function, argument), _KINDS[argument])
    try:
        return kind.read(given)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{argument} = {shortened(given)}: {kind.needed}") from None


def checked(function: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """Decorate a function so that its arguments are checked, and messages on unknown ones suggest what was meant.

    Keyword arguments that the function does not declare are parameters of a scenario.
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
            told = _of_arguments(str(error), name)
            parameters = bound.arguments.get("parameters", {})
            unknown = next((each for each in parameters if f"unknown parameter `{each}`" in told), None)
            if unknown is not None and (hint := _hint(unknown, name)):
                told = f"unknown argument `{unknown}`; {hint}"
            if told == str(error):
                raise
            raise InputError(told) from None

    return called


def _of_arguments(message: str, function: str) -> str:
    """The message on options of a command, such as `--y jian: ...`, on the arguments of the function instead."""
    own = _OWN[function]

    def argument(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        return f"`{name}`" if name in own else option[0]

    if (first := _OPTION_AND_VALUE.match(message)) and (name := first[1].replace("-", "_")) in own:
        value = first[2]
        message = f"{name}{': ' if '=' in value else ' = '}{value}{message[first.end() :]}"
    return _OPTION.sub(argument, message.replace("--set ", ""))


def _hint(unknown: str, function: str) -> str:
    """Suggest what an argument that a function does not take may mean; empty without a suggestion."""
    near = _engine.nearest(unknown, _OWN[function])
    takers = [f"airfair.{name}" for name, own in _OWN.items() if unknown in own]
    return f"did you mean `{near}`?" if near else f"it is one of {', '.join(takers)}" if takers else ""
