"""Parameters as text: for the engine, which alone parses and checks them, and for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeGuard

from airfair import _engine
from airfair.catalogue.units import quantity

#: Digits that show the end of a range exactly: the engine would refuse a value rounded up.
EXACT = 12
#: The form of an option, if it is not `NAME=VALUE`.
_FORMS = {"--over": "NAME=LOW..HIGH[:STEP] or NAME=A,B,C", "--compare": "NAME=V1,V2"}


def setting(option: str, text: str) -> tuple[str, str]:
    """Name and value of an option `NAME=VALUE`.

    Raises:
        InputError: The text has another form.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise _engine.InputError(f"{option} {text}: expected {_FORMS.get(option, 'NAME=VALUE')}")
    return name.strip(), value.strip()


def named_values(option: str, texts: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` options.

    Raises:
        InputError: An option has another form, or repeats a name.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, value = setting(option, text)
        if name in pairs:
            raise _engine.InputError(f"{option} {name}: it is given twice")
        pairs[name] = value
    return pairs


def set_options(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The options `--set` of a command that sets these parameters."""
    return [word for name, value in pairs for word in ("--set", f"{name}={value}")]


def seed_options(first: int, count: int = 1) -> list[str]:
    """The options `--seed` and `--seeds` of a command for this first seed and number of seeds, as far as it needs them.

    Without them a command takes seed 1 alone.
    """
    words = ["--seed", str(first)] if first != 1 else []
    return words + (["--seeds", str(count)] if count != 1 else [])


def equations(pairs: Iterable[tuple[str, object]]) -> str:
    """Parameters and their values for people: `tcp = vegas, stations = 4`."""
    return ", ".join(f"{name} = {value}" for name, value in pairs)


def overrides(parameters: Mapping[str, object]) -> list[tuple[str, str]]:
    """Parameters as `(name, text)` for the engine."""
    return [(name, written(value)) for name, value in parameters.items()]


def names_of(given: str | Iterable[str]) -> list[str]:
    """Names from a list or from one text: `cwnd,queue`."""
    parts = given.split(",") if isinstance(given, str) else given
    return [name for part in parts if (name := str(part).strip())]


def written(value: object) -> str:
    """A parameter's value as text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a parameter's value is a number: not a word, a flag or unset."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: Any, unit: str | None, digits: int = 4) -> str:
    """A parameter's value for people, in readable units."""
    if value is None:
        return "unset"
    return quantity(value, unit or "", digits) if is_number(value) else written(value)


def axes(over: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Axes as text, by name.

    Raises:
        InputError: The values of an axis are in another form than text or a list, or there are too many.
    """
    for name, values in over.items():
        listed = values if isinstance(values, list | tuple) else [values]
        if any(isinstance(one, Mapping | list | tuple) for one in listed):
            raise _engine.InputError(f'over.{name}: expected a list of values, or a range such as "2..8:2"')
    return {name: written_axis(values, f"over.{name}") for name, values in over.items()}


def written_axis(values: object, place: str) -> tuple[str, ...]:
    """An axis as text, from text (`2,4,8`, `2..8:2`) or from values. Raises `InputError` for too many, at `place`."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        return tuple(written(value) for value in listed(values, place))
    return (written(values),)


def listed(values: Iterable[object], place: str) -> list[object]:
    """The values as a list: of an axis or in a scenario. Raises `InputError` for more than an axis may have."""
    most = _engine.MOST_VALUES
    found = list(islice(values, most + 1))
    if len(found) > most:
        raise _engine.InputError(f"{place}: more than {most:,} values")
    return found
