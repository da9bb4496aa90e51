"""The grades of devices, as the rows of a table in terminals and notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from airfair.catalogue.units import quantity

HEADS = ("Devices", "Grade", "Judged by", "Best", "Worst")
RULE_HEADS = ("Application", "Judged by", "A, B, C, D, E")
RULE = "the rule behind the grades: airfair describe grades"


def rows(devices: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield a row for each group of devices whose names differ only in their numbers and that run one application."""
    alike: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for device in devices:
        alike.setdefault((device["device"].rstrip("0123456789"), device["application"]), []).append(device)
    for (name, _), of in alike.items():
        yield _row(name, of)


def without(devices: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each reason why devices have no grade, with the names of these devices."""
    reasons: dict[str, list[str]] = {}
    for device in devices:
        if device["grade"] is None:
            reasons.setdefault(device["reason"], []).append(device["device"])
    for reason, names in reasons.items():
        yield f"none: {', '.join(names)}: {reason}"


def rule_rows(rules: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield a row for each application: the measure that decides its grade, and the limits of grades A to E."""
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
    # A device with grade F and no value is worse than all devices with a value.
    failed = next((device["reason"] for device in devices if device["grade"] and device["value"] is None), "")
    return [name, shown, first["measure"], best, failed or worst]
