"""A study: a published paper as data. `papers/NAME/study.toml` holds its experiments, figures and claims.

The classes below mirror that file, which `file.py` reads; `docs/add-a-study.md` describes it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

#: The axis that an experiment's named `cases` form.
CASE = "case"

#: The kind of figure that shows quantities over the time of a run.
TRACE = "trace"

#: The kind of figure that shows what each flow of a run counted.
FLOWS = "flows"

#: Values wanted of axes: one each, or any of several.
Filter = Mapping[str, str | list[str]]


@dataclass(frozen=True)
class Variant:
    """A set-up in which every claim is judged, such as another window limit."""

    name: str
    title: str
    where: Mapping[str, str]

    def within(self, experiment: Experiment) -> dict[str, str]:
        """The part of it that an experiment sweeps."""
        return {axis: value for axis, value in self.where.items() if axis in experiment.axis_names}


@dataclass(frozen=True)
class Setup:
    """Other assumptions, just as plausible, under which the claims' experiments are run and judged again."""

    name: str
    title: str
    #: Parameters that it sets.
    set: Mapping[str, str]
    #: The experiments that it means something to; empty: all.
    experiments: tuple[str, ...]

    def concerns(self, experiments: Iterable[str]) -> bool:
        """Whether all of these experiments are run under it."""
        return not self.experiments or set(experiments) <= set(self.experiments)


@dataclass(frozen=True)
class Sensitivity:
    """Which claims survive other plausible set-ups."""

    setups: tuple[Setup, ...] = ()
    #: The points of the experiments that are taken.
    where: Filter = field(default_factory=dict)

    def where_in(self, experiment: Experiment) -> Filter:
        """The part of `where` that an experiment sweeps."""
        return {axis: values for axis, values in self.where.items() if axis in experiment.axis_names}


@dataclass(frozen=True)
class Best:
    """An axis of which only the best value is looked at: the one where a metric's mean over the seeds is largest."""

    axis: str
    metric: str

    @property
    def value(self) -> str:
        """The metric, of a point so chosen, that says which value is each seed's own best."""
        return f"best_{self.axis}"

    @property
    def near(self) -> str:
        """The one that says how many values come within `NEAR` of each seed's own best."""
        return f"near_best_{self.axis}"


#: As good as the best, or nearly: at least this share of it.
NEAR = 0.95


@dataclass(frozen=True)
class Predicted:
    """What a closed form says of a metric: an expression over a cell's resolved parameters, in SI."""

    metric: str
    formula: str


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
    #: The set-up of the sensitivity analysis that it belongs to, if any.
    setup: str = ""

    def override(self, extra: Sequence[tuple[str, str]]) -> Cell:
        """The cell with these parameters in place of its own."""
        replaced = {name for name, _ in extra}
        kept = [(name, value) for name, value in self.overrides if name not in replaced]
        return replace(self, overrides=(*kept, *extra))

    def matches(self, where: Filter) -> bool:
        """Whether each axis named in `where` has the value (or one of the values) given there."""
        return all(
            self.at.get(axis) == wanted if isinstance(wanted, str) else self.at.get(axis) in wanted
            for axis, wanted in where.items()
        )

    def under(self, setup: Setup) -> Cell:
        """The cell in this set-up."""
        return replace(self.override(tuple(setup.set.items())), setup=setup.name)


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
    #: What `--quick` sets besides, and to which values it narrows axes.
    quick: Filter
    published: tuple[Published, ...]
    predicted: tuple[Predicted, ...]
    #: Nothing in it is random: one run stands for all seeds.
    seedless: bool

    def axis(self, name: str) -> tuple[str, ...]:
        """The values on an axis."""
        return tuple(self.cases) if name == CASE else self.axes[name]

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The axes, cases last."""
        return (*self.axes, CASE) if self.cases else tuple(self.axes)

    def quickened(self) -> Experiment:
        """The experiment that `--quick` runs."""
        axes = {
            name: tuple(v for v in values if v in self.quick.get(name, values)) for name, values in self.axes.items()
        }
        parameters = {name: value for name, value in self.quick.items() if isinstance(value, str)}
        return replace(self, axes=axes, set={**self.set, **parameters})

    def cells(self) -> Iterator[Cell]:
        """Every combination, the last axis varying fastest."""
        for values in itertools.product(*(self.axis(name) for name in self.axis_names)):
            at = dict(zip(self.axis_names, values, strict=True))
            parameters = dict(self.set)
            parameters.update((axis, value) for axis, value in at.items() if axis != CASE)
            parameters.update(self.cases.get(at.get(CASE, ""), {}))
            yield Cell(self.name, self.scenario, at, tuple(parameters.items()))

    def published_value(self, metric: str, cell: Cell) -> float | None:
        """What the paper prints for this cell."""
        for entry in self.published:
            if entry.metric == metric and cell.matches(entry.where):
                return entry.value
        return None

    def formula(self, metric: str) -> str | None:
        """The closed form for a metric."""
        return next((entry.formula for entry in self.predicted if entry.metric == metric), None)


@dataclass(frozen=True)
class Figure:
    """One figure: which cells, what on which axis."""

    name: str
    title: str
    #: The paper's figure, or empty for our own.
    paper: str
    caption: str
    experiment: str
    #: `line` over a numeric axis, `dots` for one row a category, `trace` over the time of each first run, `flows` for a
    #: bar a flow of each first run.
    kind: str
    #: The axis of the experiment that runs along the figure.
    x: str
    #: Metrics (of a `trace`: recorded quantities; of `flows`: what is counted of one); several make a panel each.
    y: tuple[str, ...]
    #: What it shows, where that is not the metric's name.
    y_label: str
    #: The axis whose mean is shown, seed by seed.
    mean_over: str | None
    #: The axis of which only the best value is shown.
    best_over: Best | None
    #: Values of axes: what is shown is divided by what is found there, seed by seed.
    over: Mapping[str, str]
    #: The axis shown by colour and shape.
    series: str | None
    #: The axis shown side by side.
    panel: str | None
    #: Keep only these values of an axis.
    where: Filter
    #: The scale of the x axis: `linear` or `log`.
    x_scale: str
    #: Whether the y axis starts at zero.
    zero: bool
    #: Whether the summary shows it, beside its numbers.
    show: bool
    #: Of a `trace`: from when to when, in seconds.
    times: tuple[float, float] | None


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
    sensitivity: Sensitivity
    #: Names for people: of parameters and metrics, and of parameters' values.
    labels: Mapping[str, str]
    value_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def quickened(self) -> Study:
        """The study that `--quick` runs."""
        return replace(self, experiments={name: e.quickened() for name, e in self.experiments.items()})

    def label(self, name: str) -> str:
        """A parameter's or metric's name for people."""
        return self.labels.get(name, name.replace("_", " "))

    def value_label(self, parameter: str, value: str) -> str:
        """A parameter's value for people."""
        return self.value_labels.get(parameter, {}).get(value, value)

    def name_on(self, axis: str | None, value: str) -> str:
        """A value's name for people on any axis of a figure, of which `metric` is one; nothing without an axis."""
        if axis is None:
            return ""
        return self.label(value) if axis == "metric" else self.value_label(axis, value)
