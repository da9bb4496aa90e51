"""Keyword arguments of the functions of `import airfair`, most of which are a scenario's parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from airfair._engine import InputError

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")

#: The arguments of each function that are no parameters.
_TAKEN: dict[str, list[str]] = {}
#: Whatever is no argument is taken for a parameter.
_UNKNOWN = re.compile(r"unknown parameter `(\w+)`")


def leading_on(function: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """Let the message on an unknown parameter lead to the argument that is meant."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    own = [one.name for one in inspect.signature(function).parameters.values() if one.kind in named]
    name = function.__qualname__.removesuffix(".__init__")
    _TAKEN[name] = own

    @wraps(function)
    def called(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        try:
            return function(*args, **kwargs)
        except InputError as error:
            found = _UNKNOWN.search(str(error))
            if found is None or found[1] not in kwargs or not (hint := _hint(found[1], name)):
                raise
            raise InputError(f"unknown argument `{found[1]}`; {hint}") from None

    return called


def _hint(unknown: str, function: str) -> str:
    """What is meant by an argument that a function does not take; empty if that is not clear."""
    from difflib import get_close_matches

    near = get_close_matches(unknown, _TAKEN[function], n=1, cutoff=0.75)
    takers = [f"airfair.{name}" for name, taken in _TAKEN.items() if unknown in taken]
    return f"did you mean `{near[0]}`?" if near else f"it is one of {', '.join(takers)}" if takers else ""
