"""Values on the command line, read without Pydantic.

Typer has Pydantic read all values, and importing Pydantic takes longer than everything else that a command needs to
start. Ordinary values are read here with the same result; only the others are left to Pydantic.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer


class _Quick:
    """Reads a parameter's value, in place of Typer's `RuntimeParam`."""

    def __init__(self, parameter: Any) -> None:
        self._slow = parameter.get_runtime_param
        self._kind = parameter.type_descriptor.annotation
        self._info = parameter.type_descriptor.parameter_info

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert a value to the type that the command takes. Raises `typer.BadParameter`."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if self._kind is str and isinstance(value, str) and not several:
            if not value and param.param_type_name == "argument":
                raise typer.BadParameter("a name is needed, and this one is empty", ctx=ctx, param=param)
            return value
        if self._kind is Path and isinstance(value, str) and not several:
            if not value:
                raise typer.BadParameter("a path is needed, and this one is empty", ctx=ctx, param=param)
            return Path(value)
        if self._kind == list[str] and isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return list(value)
        if self._kind is int and (number := self._whole(value)) is not None:
            return number
        try:
            return self._slow().coerce(value, param=param, ctx=ctx)
        except typer.BadParameter as error:
            if self._kind is int:
                error.message = f"{self._numbers()} is needed, not {value}"
            error.message = error.message.removeprefix("Value error, ")  # Pydantic puts it before Typer's messages
            raise

    def _numbers(self) -> str:
        low, high = self._info.min, self._info.max
        if low is None:
            return "a whole number" if high is None else f"a whole number up to {high}"
        return f"a whole number from {low} on" if high is None else f"a whole number from {low} to {high}"

    def _whole(self, value: Any) -> int | None:
        """A whole number in the parameter's range; `None` for anything else."""
        if isinstance(value, str) and re.fullmatch(r"0|[1-9][0-9]{0,14}", value):
            value = int(value)
        low, high = self._info.min, self._info.max
        fits = type(value) is int and (low is None or value >= low) and (high is None or value <= high)
        return value if fits else None


def read_quickly(parameters: Iterable[Any]) -> None:
    """Have a command's parameters read quickly, if this version of Typer has Pydantic read them."""
    for parameter in parameters:
        if hasattr(parameter, "get_runtime_param") and "get_runtime_param" not in vars(parameter):
            quick = _Quick(parameter)
            parameter.get_runtime_param = lambda quick=quick: quick
