"""Parameters as the engine takes them: text, which it alone reads and checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from airfair import _engine


def setting(option: str, text: str) -> tuple[str, str]:
    """Name and value of an option `NAME=VALUE`.

    Raises:
        InputError: It is not of this form.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise _engine.InputError(f"{option} {text}: expected NAME=VALUE")
    return name.strip(), value.strip()


def overrides(parameters: Mapping[str, object]) -> list[tuple[str, str]]:
    """Parameters as the engine takes them: text, which it alone reads and checks."""
    return [(name, written(value)) for name, value in parameters.items()]


def names_of(given: str | Iterable[str]) -> list[str]:
    """Names one by one, or as text: `cwnd,queue`."""
    parts = given.split(",") if isinstance(given, str) else given
    return [name for part in parts if (name := str(part).strip())]


def written(value: object) -> str:
    """A parameter's value as the engine takes it: text, which it alone reads and checks."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def written_axis(values: object) -> tuple[str, ...]:
    """An axis as the engine takes it, from text (`2,4,8`, `2..8:2`) or values one by one."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        return tuple(written(value) for value in values)
    return (written(values),)
