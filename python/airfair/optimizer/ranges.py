"""The values to choose from: lists and ranges, which the engine reads like the values of a sweep."""

from __future__ import annotations

import json
from dataclasses import dataclass

from airfair import _engine
from airfair.runs.loading import File
from airfair.sweeps.recipe import template

#: Number of steps of a range of real numbers without a step of its own.
DIVISIONS = 100


@dataclass(frozen=True)
class Dimension:
    """A parameter or another setting, and the values to choose from, in order."""

    name: str
    #: SI unit; `None` for words.
    unit: str | None
    #: The values as text, in the form that the engine reads.
    values: tuple[str, ...]
    #: Whether the values are numbers, so that their order means something.
    ordered: bool
    #: The values as the user wrote them; empty: as in `values`.
    asked: str = ""

    def __len__(self) -> int:
        return len(self.values)


def read(name: str, written: str, file: File, *, alone: bool) -> Dimension:
    """The dimension that `--over name=written` asks for.

    A range of real numbers needs a step if the dimension is `alone`; otherwise it is divided into `DIVISIONS` steps.
    Raises `InputError`.
    """
    divisions = None if alone else DIVISIONS
    try:
        entries = json.loads(_engine.axis_values_json(file.text, file.name, name, [written], divisions))
    except _engine.InputError as error:
        raise _engine.InputError(f"--over {name}={written}: {error}") from None
    texts: dict[str, str] = {}
    for entry in entries:
        texts.setdefault(json.dumps(entry["value"]), entry["text"])
    ordered = all(isinstance(entry["value"], int | float) for entry in entries)
    parameters = json.loads(template(file.text, file.name).parameters_json([(name, entries[0]["text"])]))
    return Dimension(name, parameters[name]["unit"], tuple(texts.values()), ordered, written)
