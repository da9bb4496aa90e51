"""A study: a published paper as data. `papers/NAME/study.toml` holds its experiments, figures and claims.

The classes below mirror that file, which `file.py` reads; `docs/add-a-study.md` describes it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from airfair.catalogue.known import every_metric
from airfair.catalogue.wording import title

#: Name of the axis that an experiment's named `cases` form.
CASE = "case"

#: Name of the axis of set-ups in which a study judges another study's claims again.
SETUP = "setup"

#: A kind of figure: quantities over the time of a run.
TRACE = "trace"

#: A kind of figure: a count of each flow of a run.
FLOWS = "flows"

#: A selection of points: for some axes, the value or the list of values that they may have.
Filter = Mapping[str, str | list[str]]


@dataclass(frozen=True)
class Variant:
    """A set-up in which every claim is judged, such as another window limit."""

    name: str
    title: str
    where: Mapping[str, str]

    def within(self, experiment: Experiment) -> dict[str, str]:
        """The values of the variant on axes that an experiment sweeps."""
        return {axis: value for axis, value in self.where.items() if axis in experiment.axis_names}


@dataclass(frozen=True)
class Setup:
    """Other, equally plausible assumptions under which experiments are run and claims are judged again."""

    name: str
    title: str
    #: Parameters that the set-up sets.
    set: Mapping[str, str]
    #: Names of the experiments that the set-up concerns; empty: all.
    experiments: tuple[str, ...]

    def concerns(self, experiments: Iterable[str]) -> bool:
        """Whether the set-up concerns all of these experiments."""
        return not self.experiments or set(experiments) <= set(self.experiments)


@dataclass(frozen=True)
class Sensitivity:
    """The sensitivity analysis: claims under other plausible set-ups."""

    setups: tuple[Setup, ...] = ()
    #: The points of the experiments that are run under the set-ups.
    where: Filter = field(default_factory=dict)

    def where_in(self, experiment: Experiment) -> Filter:
        """The part of `where` on axes that an experiment sweeps."""
        return {axis: values for axis, values in self.where.items() if axis in experiment.axis_names}


@dataclass(frozen=True)
class Best:
    """An axis reduced to its best value: the one with the largest mean of a metric over the seeds."""

    axis: str
    metric: str

    @property
    def value(self) -> str:
        """Name of the added metric: the value of the axis that is best in each seed."""
        return f"best_{self.axis}"

    @property
    def near(self) -> str:
        """Name of the added metric: the number of values of the axis that are near the best in each seed."""
        return f"near_best_{self.axis}"


#: A value of the axis is near the best if its metric is at least this share of the best one's.
NEAR = 0.95


@dataclass(frozen=True)
class Predicted:
    """A closed form for a metric: an expression over a cell's resolved parameters, in SI."""

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
    #: All parameters that are set.
    overrides: tuple[tuple[str, str], ...]
    #: Name of the cell's set-up of the sensitivity analysis; empty: none.
    setup: str = ""

    def override(self, extra: Sequence[tuple[str, str]]) -> Cell:
        """The cell with these parameters replaced."""
        replaced = {name for name, _ in extra}
        kept = [(name, value) for name, value in self.overrides if name not in replaced]
        return replace(self, overrides=(*kept, *extra))

    def matches(self, where: Filter) -> bool:
        """Whether each axis named in `where` has the value (or one of the values) given there."""
        return all(
            self.at.get(axis) == wanted if isinstance(wanted, str) else self.at.get(axis) in wanted
            for axis, wanted in where.items()
        )

    def value_on(self, axis: str | None) -> str:
        """The value on an axis; empty without an axis."""
        return self.at[axis] if axis else ""

    def under(self, setup: Setup) -> Cell:
        """The cell in this set-up."""
        return replace(self.override(tuple(setup.set.items())), setup=setup.name)


@dataclass(frozen=True)
class Change:
    """What another set-up changes in the cells of an experiment."""

    #: For a parameter, the value that takes the place of each of its values.
    instead: Mapping[str, Mapping[str, str]]
    #: Parameters that the change sets, unless the experiment varies them.
    set: Mapping[str, str]

    def applied(self, parameters: Mapping[str, str], varied: Collection[str]) -> dict[str, str]:
        """The parameters of a cell after the change."""
        replaced = {name: self.instead.get(name, {}).get(value, value) for name, value in parameters.items()}
        return replaced | {name: value for name, value in self.set.items() if name not in varied}


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
    #: Parameters that `--quick` sets, and values to which it narrows axes.
    quick: Filter
    published: tuple[Published, ...]
    predicted: tuple[Predicted, ...]
    #: Whether nothing in the experiment is random, so that one run stands for all seeds.
    seedless: bool = False
    #: Named changes, swept like one more axis, if it is another study's experiment run again.
    setups: Mapping[str, Change] = field(default_factory=dict)

    def axis(self, name: str) -> tuple[str, ...]:
        """The values on an axis."""
        named = {CASE: tuple(self.cases), SETUP: tuple(self.setups)}
        return named.get(name) or self.axes[name]

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the axes; cases and set-ups come last."""
        return (*self.axes, *([CASE] if self.cases else ()), *([SETUP] if self.setups else ()))

    def quickened(self) -> Experiment:
        """The experiment that `--quick` runs."""
        axes = {
            name: tuple(v for v in values if v in self.quick.get(name, values)) for name, values in self.axes.items()
        }
        parameters = {name: value for name, value in self.quick.items() if isinstance(value, str)}
        return replace(self, axes=axes, set={**self.set, **parameters})

    def cells(self) -> Iterator[Cell]:
        """All combinations, the last axis varying fastest."""
        for values in itertools.product(*(self.axis(name) for name in self.axis_names)):
            at = dict(zip(self.axis_names, values, strict=True))
            parameters = dict(self.set)
            parameters.update((axis, value) for axis, value in at.items() if axis in self.axes)
            parameters.update(self.cases.get(at.get(CASE, ""), {}))
            if self.setups:
                parameters = self.setups[at[SETUP]].applied(parameters, self.axes)
            yield Cell(self.name, self.scenario, at, tuple(parameters.items()))

    def published_value(self, metric: str, cell: Cell) -> float | None:
        """The number that the paper prints for this cell, if any."""
        for entry in self.published:
            if entry.metric == metric and cell.matches(entry.where):
                return entry.value
        return None

    def formula(self, metric: str) -> str | None:
        """The closed form for a metric; `None` if there is none."""
        return next((entry.formula for entry in self.predicted if entry.metric == metric), None)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure: its cells, and the roles of their axes."""

    name: str
    title: str
    #: The figure of the paper that this one reproduces; empty if there is none.
    paper: str = ""
    caption: str
    experiment: str
    #: `line` over a numeric axis, `dots` with a row for each category, `trace` over the time of each first run, `flows`
    #: with a bar for each flow of each first run.
    kind: str = "line"
    #: The axis of the experiment that runs along the figure.
    x: str = ""
    #: Metrics; for a `trace` recorded quantities, for `flows` counts. If there are several, each has a panel.
    y: tuple[str, ...]
    #: The label of y, if it is not the metric's name.
    y_label: str = ""
    #: The axis to average over, seed by seed.
    mean_over: str | None = None
    #: The axis that is reduced to its best value, if any.
    best_over: Best | None
    #: Values of axes. Each point is divided, seed by seed, by the point with these values.
    over: Mapping[str, str]
    #: The axis shown by colour and shape.
    series: str | None = None
    #: The axis shown by panels, if there is one metric.
    panel: str | None = None
    #: Keep only these values of an axis.
    where: Filter
    #: The scale of the x axis: `linear` or `log`.
    x_scale: str = "linear"
    #: Whether the y axis starts at zero.
    zero: bool = True
    #: Whether the summary shows the picture, beside the numbers.
    show: bool = False
    #: Start and end of the time shown in a `trace`, in s.
    times: tuple[float, float] | None

    @property
    def panels(self) -> str | None:
        """The axis shown by panels; if there are several metrics, the metric."""
        return "metric" if len(self.y) > 1 else self.panel


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, paraphrased, and the tests that it must pass."""

    id: str
    #: Where the paper makes the claim.
    source: str
    sentence: str
    #: The tests, which must all hold; see `claims.py`.
    tests: tuple[Mapping[str, Any], ...]
    #: The explanation of a failure, by variant name; the key `""` is for every variant.
    notes: Mapping[str, str]
    #: Name of the study that the claim is taken from; empty: this study.
    paper: str = ""
    #: The reason why the claim is not judged; empty if it is.
    left_out: str = ""
    #: By set-up, the reason why the claim is not judged there.
    left_out_in: Mapping[str, str] = field(default_factory=dict)

    def left_out_at(self, at: Mapping[str, str]) -> str:
        """The reason why the claim is not judged at these values of axes; empty if it is judged."""
        return self.left_out or self.left_out_in.get(at.get(SETUP, ""), "")


@dataclass(frozen=True)
class Again:
    """Another study, whose claims this study judges again in set-ups of its own."""

    name: str
    title: str
    #: The points to run; an axis without an entry has all its values.
    where: Filter


@dataclass(frozen=True)
class Study:
    """A study of a paper: what to run, draw and judge."""

    name: str
    title: str
    source: str
    summary: str
    #: Description of the set-up, and of choices where the paper is silent.
    setup: tuple[str, ...]
    #: How the study reads words of the paper as numbers.
    readings: tuple[str, ...]
    seeds: int
    quick_seeds: int
    experiments: Mapping[str, Experiment]
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    variants: tuple[Variant, ...]
    sensitivity: Sensitivity
    #: Display names of parameters and metrics.
    labels: Mapping[str, str]
    #: Display names of values, by parameter.
    value_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: Other studies, whose claims this study judges again.
    again: tuple[Again, ...] = ()

    def quickened(self) -> Study:
        """The study that `--quick` runs."""
        return replace(self, experiments={name: e.quickened() for name, e in self.experiments.items()})

    def label(self, name: str) -> str:
        """The display name of a parameter or metric."""
        return self.labels.get(name) or (title(name) if name in every_metric() else name.replace("_", " "))

    def value_label(self, parameter: str, value: str) -> str:
        """The display name of a parameter's value."""
        return self.value_labels.get(parameter, {}).get(value, value)

    def name_on(self, axis: str | None, value: str) -> str:
        """The display name of a value on an axis of a figure, which may be `metric`; empty without an axis."""
        if axis is None:
            return ""
        return self.label(value) if axis == "metric" else self.value_label(axis, value)
