"""Reading study files: `papers/NAME/study.toml` as the classes of `study.py`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from airfair import _engine
from airfair._engine import InputError
from airfair.catalogue.known import nearest
from airfair.catalogue.parameters import written
from airfair.studies.study import (
    Best,
    Claim,
    Experiment,
    Figure,
    Predicted,
    Published,
    Sensitivity,
    Setup,
    Study,
    Variant,
)


def packaged_names() -> list[str]:
    """The names of the packaged studies."""
    return sorted(entry.name for entry in _root().iterdir() if (entry / "study.toml").is_file())


def packaged_studies() -> list[Study]:
    """The packaged studies."""
    return [load(name) for name in packaged_names()]


def load(name: str) -> Study:
    """Load a packaged study.

    Raises:
        InputError: No study has this name.
    """
    names = packaged_names()
    if name not in names:
        raise InputError(f"unknown study {name}: there is {', '.join(names)}{nearest(name, names)}")
    return parse((_root() / name / "study.toml").read_text(encoding="utf-8"), name)


def parse(text: str, name: str) -> Study:
    """Read a study file."""
    data = tomllib.loads(text)
    labels = data.get("labels", {})
    read = {
        "name": name,
        "summary": data["summary"].strip(),
        "setup": tuple(data["setup"]),
        "readings": tuple(data["readings"]),
        "experiments": {key: _experiment(key, table) for key, table in data["experiments"].items()},
        "figures": tuple(map(_figure, data["figures"])),
        "claims": tuple(map(_claim, data["claims"])),
        "variants": tuple(Variant(**v | {"where": _texts(v["where"])}) for v in data.get("variants", ())),
        "sensitivity": _sensitivity(data.get("sensitivity", {})),
        "labels": {key: entry for key, entry in labels.items() if isinstance(entry, str)},
        "value_labels": labels.get("value", {}),
    }
    return Study(**data | read)


def _root() -> Traversable:
    return files("airfair.studies") / "papers"


def _texts(table: Mapping[str, Any]) -> dict[str, str]:
    return {key: written(value) for key, value in table.items()}


def _sensitivity(table: dict[str, Any]) -> Sensitivity:
    usual = table.get("experiments", ())
    setups = tuple(
        Setup(entry["name"], entry["title"], _texts(entry.get("set", {})), tuple(entry.get("experiments", usual)))
        for entry in table.get("setups", ())
    )
    return Sensitivity(setups, _filter(table.get("where", {})))


def _filter(table: Mapping[str, Any]) -> dict[str, str | list[str]]:
    return {
        key: [written(item) for item in value] if isinstance(value, list) else written(value)
        for key, value in table.items()
    }


def _experiment(name: str, table: dict[str, Any]) -> Experiment:
    read = {
        "name": name,
        "set": _texts(table.get("set", {})),
        "axes": {axis: _axis(table["scenario"], axis, values) for axis, values in table.get("axes", {}).items()},
        "cases": {case: _texts(values) for case, values in table.get("cases", {}).items()},
        "quick": _filter(table.get("quick", {})),
        "published": tuple(Published(**e | {"where": _texts(e["where"])}) for e in table.get("published", ())),
        "predicted": tuple(Predicted(**entry) for entry in table.get("predicted", ())),
    }
    return Experiment(**table | read)


def _axis(scenario: str, name: str, values: list[Any] | str) -> tuple[str, ...]:
    """The values on an axis: a list, or text as in `--over`, which the engine expands."""
    if isinstance(values, list):
        return tuple(written(value) for value in values)
    found = json.loads(_engine.axis_values_json(_engine.scenario_text(scenario), scenario, name, [values]))
    return tuple(entry["text"] for entry in found)


def _figure(table: dict[str, Any]) -> Figure:
    y = table["y"]
    read = {
        "y": tuple(y) if isinstance(y, list) else (y,),
        "best_over": best(table),
        "over": _texts(table.get("over", {})),
        "where": _filter(table.get("where", {})),
        "times": tuple(table["times"]) if "times" in table else None,
    }
    return Figure(**table | read)


def best(table: Mapping[str, Any]) -> Best | None:
    """The axis of which a figure or a test uses only the best value, if any."""
    return Best(**table["best_over"]) if "best_over" in table else None


def _claim(table: dict[str, Any]) -> Claim:
    notes = table.get("note", {})
    return Claim(
        id=table["id"],
        source=table["source"],
        sentence=table["sentence"],
        tests=tuple(table["tests"]),
        notes={"": notes} if isinstance(notes, str) else notes,
    )
