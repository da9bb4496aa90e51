"""A study: a published paper as data. `studies/NAME/study.toml` holds its experiments, figures and claims.

The classes below mirror that file; `docs/add-a-study.md` describes it.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from airfair._engine import InputError
from airfair.api import nearest

#: The axis that an experiment's named `cases` form.
CASE = "case"


@dataclass(frozen=True)
class Variant:
    """A set-up in which every claim is judged, such as another window limit."""

    name: str
    title: str
    where: Mapping[str, str]


@dataclass(frozen=True)
class Published:
    """A number that the paper prints."""

    metric: str
    value: float
    where: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Cell:
    """One combination of an experiment's parameters; with a seed it is a point."""

    experiment: str
    scenario: str
    #: The value on each axis, as written in the study.
    at: Mapping[str, str]
    #: Every parameter that is set.
    overrides: tuple[tuple[str, str], ...]

    def override(self, extra: Sequence[tuple[str, str]]) -> Cell:
        """The cell with these parameters in place of its own."""
        replaced = {name for name, _ in extra}
        kept = [(name, value) for name, value in self.overrides if name not in replaced]
        return replace(self, overrides=(*kept, *extra))

    def matches(self, where: Mapping[str, str | list[str]]) -> bool:
        """Whether each axis named in `where` has the value (or one of the values) given there."""
        return all(
            self.at.get(axis) == wanted if isinstance(wanted, str) else self.at.get(axis) in wanted
            for axis, wanted in where.items()
        )


@dataclass(frozen=True)
class Experiment:
    """A scenario swept along axes."""

    name: str
    scenario: str
    #: Parameters that every cell shares.
    set: Mapping[str, str]
    #: Values of each swept parameter.
    axes: Mapping[str, tuple[str, ...]]
    #: Named sets of parameters, swept like one more axis.
    cases: Mapping[str, Mapping[str, str]]
    #: What `--quick` sets besides.
    quick: Mapping[str, str]
    published: tuple[Published, ...]

    def axis(self, name: str) -> tuple[str, ...]:
        """The values on an axis."""
        return tuple(self.cases) if name == CASE else self.axes[name]

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The axes, cases last."""
        return (*self.axes, CASE) if self.cases else tuple(self.axes)

    def cells(self, *, quick: bool) -> Iterator[Cell]:
        """Every combination, the last axis varying fastest."""
        for values in itertools.product(*(self.axis(name) for name in self.axis_names)):
            at = dict(zip(self.axis_names, values, strict=True))
            parameters = dict(self.set)
            parameters.update((axis, value) for axis, value in at.items() if axis != CASE)
            parameters.update(self.cases.get(at.get(CASE, ""), {}))
            if quick:
                parameters.update(self.quick)
            yield Cell(self.name, self.scenario, at, tuple(parameters.items()))

    def published_value(self, metric: str, cell: Cell) -> float | None:
        """What the paper prints for this cell."""
        for entry in self.published:
            if entry.metric == metric and cell.matches(entry.where):
                return entry.value
        return None


@dataclass(frozen=True)
class Figure:
    """One figure: which cells, what on which axis."""

    name: str
    title: str
    #: The paper's figure, or empty for our own.
    paper: str
    caption: str
    experiment: str
    #: `line` over a numeric axis, or `dots` for one row a category.
    kind: str
    #: The axis of the experiment that runs along the figure.
    x: str
    #: Metrics; more than one makes a panel each.
    y: tuple[str, ...]
    #: The axis shown by colour and shape.
    series: str | None
    #: The axis shown side by side.
    panel: str | None
    #: Keep only these values of an axis.
    where: Mapping[str, str | list[str]]
    #: The scale of the x axis: `linear` or `log`.
    x_scale: str
    #: Whether the y axis starts at zero.
    zero: bool


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, in our words, and the tests that it must pass."""

    id: str
    #: Where it stands in the paper.
    source: str
    sentence: str
    #: All must hold; see `claims.py`.
    tests: tuple[Mapping[str, Any], ...]
    #: Why it fails, by variant name; the key `""` is for every variant.
    notes: Mapping[str, str]


@dataclass(frozen=True)
class Study:
    """A paper."""

    name: str
    title: str
    source: str
    summary: str
    #: The set-up, and what was chosen where the paper is silent.
    setup: tuple[str, ...]
    #: How the paper's words are read as numbers.
    readings: tuple[str, ...]
    seeds: int
    quick_seeds: int
    experiments: Mapping[str, Experiment]
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    variants: tuple[Variant, ...]
    #: Names for people: of parameters and metrics, and of parameters' values.
    labels: Mapping[str, str]
    value_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def label(self, name: str) -> str:
        """A parameter's or metric's name for people."""
        return self.labels.get(name, name.replace("_", " "))

    def value_label(self, parameter: str, value: str) -> str:
        """A parameter's value for people."""
        return self.value_labels.get(parameter, {}).get(value, value)


def packaged_names() -> list[str]:
    """The names of the packaged studies."""
    return sorted(entry.name for entry in _root().iterdir() if (entry / "study.toml").is_file())


def packaged_studies() -> list[Study]:
    """The packaged studies."""
    return [load(name) for name in packaged_names()]


def load(name: str) -> Study:
    """Load a packaged study.

    Raises:
        InputError: There is none of this name.
    """
    names = packaged_names()
    if name not in names:
        raise InputError(f"unknown study {name}: there is {', '.join(names)}{nearest(name, names)}")
    return parse((_root() / name / "study.toml").read_text(encoding="utf-8"), name)


def parse(text: str, name: str) -> Study:
    """Read a study file."""
    data = tomllib.loads(text)
    labels = data.get("labels", {})
    return Study(
        name=name,
        title=data["title"],
        source=data["source"],
        summary=data["summary"].strip(),
        setup=tuple(data["setup"]),
        readings=tuple(data["readings"]),
        seeds=data["seeds"],
        quick_seeds=data["quick_seeds"],
        experiments={key: _experiment(key, table) for key, table in data["experiments"].items()},
        figures=tuple(_figure(table) for table in data["figures"]),
        claims=tuple(_claim(table) for table in data["claims"]),
        variants=tuple(Variant(v["name"], v["title"], _texts(v["where"])) for v in data.get("variants", ())),
        labels={key: entry for key, entry in labels.items() if isinstance(entry, str)},
        value_labels=labels.get("value", {}),
    )


def _root() -> Traversable:
    return files("airfair") / "studies"


def _texts(table: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in table.items()}


def _filter(table: Mapping[str, Any]) -> dict[str, str | list[str]]:
    return {
        key: [str(item) for item in value] if isinstance(value, list) else str(value) for key, value in table.items()
    }


def _experiment(name: str, table: dict[str, Any]) -> Experiment:
    return Experiment(
        name=name,
        scenario=table["scenario"],
        set=_texts(table.get("set", {})),
        axes={axis: tuple(str(value) for value in values) for axis, values in table.get("axes", {}).items()},
        cases={case: _texts(values) for case, values in table.get("cases", {}).items()},
        quick=_texts(table.get("quick", {})),
        published=tuple(
            Published(entry["metric"], entry["value"], _texts(entry["where"])) for entry in table.get("published", ())
        ),
    )


def _figure(table: dict[str, Any]) -> Figure:
    y = table["y"]
    return Figure(
        name=table["name"],
        title=table["title"],
        paper=table.get("paper", ""),
        caption=table["caption"],
        experiment=table["experiment"],
        kind=table.get("kind", "line"),
        x=table["x"],
        y=tuple(y) if isinstance(y, list) else (y,),
        series=table.get("series"),
        panel=table.get("panel"),
        where=_filter(table.get("where", {})),
        x_scale=table.get("x_scale", "linear"),
        zero=table.get("zero", True),
    )


def _claim(table: dict[str, Any]) -> Claim:
    notes = table.get("note", {})
    return Claim(
        id=table["id"],
        source=table["source"],
        sentence=table["sentence"],
        tests=tuple(table["tests"]),
        notes={"": notes} if isinstance(notes, str) else notes,
    )
