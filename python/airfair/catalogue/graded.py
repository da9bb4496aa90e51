"""How good it was for devices, as a table of terminals and notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from airfair.catalogue.units import quantity

HEADS = ("Devices", "Grade", "Judged by", "Best", "Worst")
RULE_HEADS = ("Application", "Judged by", "A, B, C, D, E")


def rows(devices: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    """A row for the devices whose names differ in their numbers alone and that do the same."""
    alike: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for device in devices:
        alike.setdefault((device["device"].rstrip("0123456789"), device["application"]), []).append(device)
    for (name, _), of in alike.items():
        yield _row(name, of)


def without(devices: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The devices that have no grade, with the reasons."""
    reasons: dict[str, list[str]] = {}
    for device in devices:
        if device["grade"] is None:
            reasons.setdefault(device["reason"], []).append(device["device"])
    for reason, names in reasons.items():
        yield f"none: {', '.join(names)}: {reason}"


def rule_rows(rules: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    """A row for each application: what it is judged by, and where A, B, C, D and E end."""
    for rule in rules:
        limits = ", ".join(quantity(limit, rule["unit"]) for limit in rule["limits"])
        yield [rule["application"], rule["measure"], f"{'from' if rule['larger_is_better'] else 'up to'} {limits}"]


def _row(name: str, devices: Sequence[Mapping[str, Any]]) -> list[str]:
    grades = Counter(device["grade"] or "none" for device in devices)
    shown = ", ".join(f"{count} x {grade}" if count > 1 else grade for grade, count in sorted(grades.items()))
    first = devices[0]
    values = sorted(device["value"] for device in devices if device["value"] is not None)
    if first["larger_is_better"]:
        values.reverse()
    best, worst = (quantity(value, first["unit"]) for value in (values[0], values[-1])) if values else ("", "")
    # An F without a value is worse than all values.
    failed = next((device["reason"] for device in devices if device["grade"] and device["value"] is None), "")
    if not values or failed:
        worst = failed or first["reason"]
    return [name, shown, first["measure"], best, worst]
