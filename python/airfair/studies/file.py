"""Reading study files: `papers/NAME/study.toml` as the classes of `study.py`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from airfair import _engine
from airfair.catalogue.known import unknown
from airfair.catalogue.parameters import written
from airfair.studies.study import (
    CASE,
    Again,
    Best,
    Change,
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
        raise unknown("study", name, names)
    return parse(_text(name), name)


def _text(name: str) -> str:
    return (_root() / name / "study.toml").read_text(encoding="utf-8")


def parse(text: str, name: str) -> Study:
    """Read a study file."""
    data = tomllib.loads(text)
    changes = {key: _texts(table) for key, table in data.pop("changes", {}).items()}
    papers = [_AgainTable(table, changes) for table in data.pop("again", ())]
    tables = [*(paper.labels for paper in papers), data.get("labels", {})]
    read = {
        "name": name,
        "summary": data["summary"].strip(),
        "setup": tuple(data["setup"]),
        "readings": tuple(data["readings"]),
        "experiments": {
            **{key: _experiment(key, table) for key, table in data.get("experiments", {}).items()},
            **{key: value for paper in papers for key, value in paper.experiments.items()},
        },
        "figures": tuple(map(_figure, data["figures"])),
        "claims": (*map(_claim, data.get("claims", ())), *(claim for paper in papers for claim in paper.claims)),
        "variants": tuple(Variant(**v | {"where": _texts(v["where"])}) for v in data.get("variants", ())),
        "sensitivity": _sensitivity(data.get("sensitivity", {})),
        "labels": {key: entry for table in tables for key, entry in table.items() if isinstance(entry, str)},
        "value_labels": _merged([table.get("value", {}) for table in tables]),
        "again": tuple(paper.again for paper in papers),
    }
    return Study(**data | read)


class _AgainTable:
    """A table `[[again]]`: experiments and claims of another study, judged in the set-ups of this study."""

    def __init__(self, table: Mapping[str, Any], changes: Mapping[str, Mapping[str, str]]) -> None:
        self.table = table
        self.changes = changes
        self.metrics: Mapping[str, str] = table.get("metrics", {})
        self.labels: dict[str, Any] = tomllib.loads(_text(table["study"])).get("labels", {})
        self.where = _filter(table.get("where", {}))
        self.notes: Mapping[str, Any] = table.get("notes", {})
        self.reasons = _reasons(table)
        self.reasons_in = {name: _reasons(entry) for name, entry in table["setups"].items()}
        study = load(table["study"])
        named = {*self.notes, *self.reasons, *(claim for found in self.reasons_in.values() for claim in found)}
        unknown = named - {claim.id for claim in study.claims}
        assert not unknown, f"{study.name} has no claim {', '.join(sorted(unknown))}"
        self.claims = [self._claim(study.name, claim) for claim in study.claims]
        used = {test["experiment"] for claim in self.claims for test in claim.tests}
        experiments = (self._experiment(study, experiment) for experiment in study.experiments.values())
        self.experiments = {experiment.name: experiment for experiment in experiments if experiment.name in used}
        self.again = Again(study.name, study.title, self.where)

    def _experiment(self, study: Study, experiment: Experiment) -> Experiment:
        """An experiment at the chosen points, in all set-ups, and in the study's first variant."""
        pinned = next(iter(study.variants)).within(experiment) if study.variants else {}
        axes = {
            axis: tuple(value for value in values if value in self.where.get(axis, values))
            for axis, values in experiment.axes.items()
            if axis not in pinned
        }
        fixed = {axis: value for axis, value in pinned.items() if axis != CASE}
        case = experiment.cases[pinned[CASE]] if CASE in pinned else {}
        return replace(
            experiment,
            name=_within(study.name, experiment.name),
            axes=axes,
            quick={
                name: value if isinstance(value, str) else [entry for entry in value if entry in axes.get(name, ())]
                for name, value in experiment.quick.items()
                if isinstance(value, str) or name in axes
            },
            cases={} if CASE in pinned else experiment.cases,
            set={**experiment.set, **fixed, **case, **_texts(self.table.get("set", {}))},
            setups={
                name: self._change([entry, entry.get("experiments", {}).get(experiment.name, {})])
                for name, entry in self.table["setups"].items()
            },
        )

    def _change(self, tables: Sequence[Mapping[str, Any]]) -> Change:
        """The change that a set-up makes. Later tables override earlier ones."""
        instead: dict[str, dict[str, str]] = {}
        parameters: dict[str, str] = {}
        for table in tables:
            instead |= {name: _texts(values) for name, values in table.get("instead", {}).items()}
            for name in table.get("changes", ()):
                parameters |= self.changes[name]
            parameters |= _texts(table.get("set", {}))
        return Change(instead, parameters)

    def _claim(self, study: str, claim: Claim) -> Claim:
        notes = self.notes.get(claim.id, {})
        left_out = self.reasons.get(claim.id, "")
        return replace(
            claim,
            id=_within(study, claim.id),
            source=f"{study}, {claim.source}",
            tests=() if left_out else tuple(self._test(study, test) for test in claim.tests),
            notes={"": notes} if isinstance(notes, str) else notes,
            paper=study,
            left_out=left_out,
            left_out_in={name: found[claim.id] for name, found in self.reasons_in.items() if claim.id in found},
        )

    def _test(self, study: str, test: Mapping[str, Any]) -> dict[str, Any]:
        return {**self._measured(test), "experiment": _within(study, test["experiment"])}

    def _measured(self, part: Any) -> Any:
        """A part of a test, with its metrics replaced by those that this study measures instead."""
        if isinstance(part, list):
            return [self._measured(item) for item in part]
        if not isinstance(part, Mapping):
            return part
        return {
            key: self.metrics.get(value, value) if key == "metric" else self._measured(value)
            for key, value in part.items()
        }


def _reasons(table: Mapping[str, Any]) -> dict[str, str]:
    """By claim, the reason why a table leaves it out."""
    return {claim: reason for reason, claims in table.get("without", {}).items() for claim in claims}


def _within(study: str, name: str) -> str:
    """The name in this study of another study's experiment or claim: `STUDY.NAME`."""
    return f"{study}.{name}"


def _merged(tables: Iterable[Mapping[str, Mapping[str, str]]]) -> dict[str, dict[str, str]]:
    """Merge display names of values by parameter. Later tables override earlier ones."""
    merged: dict[str, dict[str, str]] = {}
    for table in tables:
        for parameter, names in table.items():
            merged.setdefault(parameter, {}).update(names)
    return merged


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
    """The axis of which a figure or a test uses only the best value; `None` if there is none."""
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
