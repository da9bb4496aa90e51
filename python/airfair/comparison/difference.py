"""The differences of two sides: what they set, and what they measured, seed by seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from airfair import _engine
from airfair.catalogue import left_out
from airfair.catalogue.known import every_metric, scenarios
from airfair.catalogue.parameters import EXACT, equations, shown
from airfair.catalogue.units import number, plus_minus, quantity, scale_for
from airfair.catalogue.wording import of_seeds
from airfair.command import HEAD
from airfair.comparison.side import At, Kind, Setting, Side
from airfair.sweeps.difference import changes
from airfair.sweeps.recipe import template

#: Stands for the value of a parameter that a side lacks or leaves at its default.
NOT_SET = "not set"
#: Verdicts on a metric, from the pairs of values with the same seed.
SAME, HIGHER, LOWER, UNCLEAR, ONE_PAIR, UNPAIRED = "same", "higher", "lower", "unclear", "one pair", "unpaired"


@dataclass(frozen=True)
class Measured:
    """A metric on both sides, over the seeds that both sides have, in SI units."""

    metric: str
    unit: str
    #: The point's values by axis; empty unless a side is a sweep or a study.
    at: Mapping[str, Setting]
    a: float | None
    b: float | None
    #: Number of seeds with a value on both sides.
    n: int
    #: The mean of B - A over the pairs, and its 95 % interval by Student's t, which needs two pairs.
    difference: float | None
    ci95: tuple[float, float] | None
    #: `higher` or `lower`: the interval of B - A excludes zero; `unclear`: it does not. `same`: every pair is equal.
    #: `one pair`: there is no interval. `unpaired`: no seed has a value on both sides.
    verdict: str
    #: Of a mean over sessions, for A and for B: how many it leaves out as unfinished, of how many.
    left_out: tuple[tuple[int, int], tuple[int, int]] | None = None

    @property
    def place(self) -> str:
        """The point of the difference, for people: `stations = 4, tcp = reno`."""
        return equations((name, shown(entry["value"], entry["unit"], EXACT)) for name, entry in self.at.items())

    @property
    def relative(self) -> float | None:
        """The difference as a share of A."""
        return self.difference / abs(self.a) if self.a and self.difference is not None else None

    def document(self) -> dict[str, Any]:
        """The comparison as a JSON object."""
        return {
            "metric": self.metric,
            "unit": self.unit,
            "at": dict(self.at),
            "a": self.a,
            "b": self.b,
            "n": self.n,
            "difference": self.difference,
            "ci95": list(self.ci95) if self.ci95 else None,
            "verdict": self.verdict,
            **self._sessions(),
        }

    def _sessions(self) -> dict[str, dict[str, int]]:
        if self.left_out is None:
            return {}
        left_out, sessions = (dict(zip("ab", counts, strict=True)) for counts in zip(*self.left_out, strict=True))
        return {"sessions": sessions, "left_out": left_out}


@dataclass(frozen=True)
class Parameter:
    """A parameter that the two sides set to different values; `None` for a side that lacks it."""

    name: str
    a: Setting | None
    b: Setting | None

    @property
    def texts(self) -> tuple[str, str]:
        """Both values for people."""
        return _for_people(self.a), _for_people(self.b)


def _seeds(side: Side) -> set[int]:
    """The seeds of all runs of a side."""
    return {seed for point in side.points for values in point.metrics.values() for seed in values}


def _for_people(entry: Setting | None) -> str:
    return NOT_SET if entry is None else shown(entry["value"], entry["unit"], EXACT)


@dataclass(frozen=True)
class Difference:
    """Two runs, sweeps, studies or scenarios beside each other. Notebooks show it as tables."""

    a: Side
    b: Side
    parameters: Sequence[Parameter]
    #: Other keys in which the scenario files differ: path, value in A, value in B.
    settings: Sequence[tuple[str, str, str]]
    measured: Sequence[Measured]
    #: Number of points that only A has, and that only B has.
    alone: tuple[int, int]

    @property
    def differs(self) -> bool:
        """Whether anything differs."""
        # One model may have two names.
        named = self.a.scenario != self.b.scenario and not self.same_results
        if named or self.parameters or self.settings or any(self.alone):
            return True
        return any(one.verdict != SAME for one in self.measured)

    @property
    def same_results(self) -> bool | None:
        """Whether both sides give the same results with every seed; `None` if that is unknown."""
        return self.a.digest == self.b.digest if self.a.digest and self.b.digest else None

    @property
    def unpaired(self) -> str:
        """The reason why no seeds are paired; empty if some are, or if a side has no values by seed."""
        ours, theirs = (_seeds(side) for side in (self.a, self.b))
        if not self.measured or not ours or not theirs or not ours.isdisjoint(theirs):
            return ""
        return (
            f"no pairs: A has {of_seeds(sorted(ours))} and B {of_seeds(sorted(theirs))}; "
            "run both with the same --seed and --seeds"
        )

    @property
    def notes(self) -> list[str]:
        """The sessions that means leave out, over all points, and the reason for missing pairs."""
        by_note: dict[str, list[str]] = {}
        for metric, ones in self.metrics.items():
            counts = [one.left_out for one in ones if one.left_out]
            if not counts or all(one.verdict == SAME for one in ones):
                continue
            sums = [[sum(each) for each in zip(*side, strict=True)] for side in zip(*counts, strict=True)]
            texts = [f"{mark} {text}" for mark, side in zip("AB", sums, strict=True) if (text := left_out.told(*side))]
            if texts:
                by_note.setdefault("; ".join(texts), []).append(metric)
        notes = [f"{', '.join(metrics)}: {note}" for note, metrics in by_note.items()]
        return [*notes, *filter(None, [self.unpaired])]

    @property
    def metrics(self) -> dict[str, list[Measured]]:
        """For each metric, the comparison at each point."""
        found: dict[str, list[Measured]] = {}
        for one in self.measured:
            found.setdefault(one.metric, []).append(one)
        return found

    @property
    def document(self) -> dict[str, Any]:
        """The document that `airfair diff --json` prints, as a dictionary (SI units)."""
        return {
            **HEAD,
            "a": {"source": self.a.label, "scenario": self.a.scenario},
            "b": {"source": self.b.label, "scenario": self.b.scenario},
            "differs": self.differs,
            "same_results": self.same_results,
            "parameters": {one.name: {"a": one.a, "b": one.b} for one in self.parameters},
            "settings": {path: {"a": a, "b": b} for path, a, b in self.settings},
            "metrics": [one.document() for one in self.measured],
            "points_only_in": {"a": self.alone[0], "b": self.alone[1]},
        }

    def __repr__(self) -> str:
        lines = [f"<airfair.Difference A: {self.a.label}, B: {self.b.label}>"]
        lines += [f"{name}: {a}, {b}" for name, a, b in self.set_otherwise]
        lines += [": ".join(filter(None, (one.metric, one.place, " ".join(cells(one)[2:])))) for one in self.measured]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        from airfair.catalogue import notebook

        parts = [notebook.paragraph(f"A: {self.a.label}", f"B: {self.b.label}")]
        if self.set_otherwise:
            parts.append(notebook.table(("Set", "A", "B"), self.set_otherwise))
        if self.measured:
            point = ["Point"] if any(one.at for one in self.measured) else []
            rows = [(one.metric, *([one.place] if point else []), *cells(one)) for one in self.measured]
            parts.append(notebook.table(("Metric", *point, "A", "B", *ENDS), rows))
        parts += map(notebook.paragraph, self.notes)
        return "".join(parts if self.differs else [*parts, notebook.paragraph("No difference.")])

    @property
    def set_otherwise(self) -> list[tuple[str, str, str]]:
        """Parameters and other settings that differ: name, value in A, value in B, for people."""
        return [*((one.name, *one.texts) for one in self.parameters), *self.settings]


#: The columns that `cells` gives after those of A and B.
ENDS = ("B - A", "Relative", "B is")


def cells(one: Measured) -> tuple[str, str, str, str, str]:
    """A row for people: A, B, the difference with half its interval, its share of A, the verdict."""
    a, b = (quantity(value, one.unit) if value is not None else "none" for value in (one.a, one.b))
    if one.difference is None:
        return a, b, "", "", one.verdict
    scale = scale_for(one.difference, one.unit)
    sign = "+" if one.difference > 0 else ""
    change = number(one.difference / scale.factor)
    if one.ci95 and one.verdict != SAME:
        change = plus_minus(one.difference / scale.factor, (one.ci95[1] - one.ci95[0]) / 2 / scale.factor)
    change = f"{sign}{change} {scale.many}".rstrip()
    relative = "" if one.relative is None else f"{one.relative:+z.1%}".replace("%", " %")
    return a, b, change, relative, told(one)


def told(one: Measured) -> str:
    """The verdict for people: `better` or `worse` for a metric of which more, or less, is better."""
    larger = every_metric()[one.metric]["larger_is_better"] if one.metric in every_metric() else None
    if larger is None or one.verdict not in (HIGHER, LOWER):
        return one.verdict
    return "better" if larger == (one.verdict == HIGHER) else "worse"


def compare(a: Side, b: Side, metrics: Sequence[str] = ()) -> Difference:
    """Compare two sides in these metrics, by default in all that both sides have.

    Raises:
        InputError: A side lacks one of `metrics`, or only one of them is a study.
    """
    if (a.kind is Kind.STUDY) != (b.kind is Kind.STUDY):
        study, other = (a, b) if a.kind is Kind.STUDY else (b, a)
        raise _engine.InputError(f"{study.label} holds a study, and {other.label} does not: compare it with a study")
    parameters = [
        Parameter(name, a.fixed.get(name), b.fixed.get(name))
        for name in dict.fromkeys([*a.fixed, *b.fixed])
        if name not in (*a.axes, *b.axes) and a.fixed.get(name) != b.fixed.get(name)
    ]
    if a.axes != b.axes and a.kind is not Kind.STUDY:  # experiments of a study have axes of their own
        parameters += [
            Parameter(name, _varied(a, name), _varied(b, name))
            for name in dict.fromkeys([*a.axes, *b.axes])
            if (name in a.axes) != (name in b.axes)
        ]
    # A setting that only one side sets by its path may have another name, too, which both sides have.
    of_both = _written(a, b, [name for name in a.fixed if name in b.fixed])
    parameters = [
        one for one in parameters if (one.a and one.b) or not (at := _written(a, b, [one.name])) or at - of_both
    ]
    settings = _settings(a, b, parameters)
    measured, alone = _measured(a, b, metrics)
    # Drop the engine's scenarios: nothing is left to run.
    a, b = (replace(side, to_run=None) for side in (a, b))
    return Difference(a, b, parameters, settings, measured, alone)


def _varied(side: Side, name: str) -> Setting | None:
    """A side's value, or list of values, of a parameter that is an axis on only one of the sides."""
    if name not in side.axes:
        return side.fixed.get(name)
    values = [point.parameters[name] for point in side.points]
    texts = dict.fromkeys(shown(entry["value"], entry["unit"], EXACT) for entry in values)
    return {"value": ", ".join(texts), "unit": None}


def _settings(a: Side, b: Side, parameters: Sequence[Parameter]) -> list[tuple[str, str, str]]:
    """Keys in which the scenario files differ: path, value in A, value in B; without keys that `parameters` set."""
    if not a.text or not b.text or a.kind != b.kind:
        return []
    names = [one.name for one in parameters]
    told = _written(a, b, names) | {f"parameters.{name}{key}" for name in names for key in ("", ".default")}
    return [one for one in changes(a.text, b.text) if one.path not in told]


def _written(a: Side, b: Side, names: Sequence[str]) -> set[str]:
    """The paths of the keys that these parameters set in the files of both sides."""
    return {path for side in (a, b) for path in _written_in(side, names)}


def _written_in(side: Side, names: Sequence[str]) -> list[str]:
    packaged = side.scenario in (entry["name"] for entry in scenarios())
    try:  # a stored run does not keep its file
        file = template(side.text or (_engine.scenario_text(side.scenario) if packaged else ""), side.scenario)
    except _engine.InputError:
        return []  # there is no file, or another version of AirFair accepted it
    return [path for name in names for path in file.written_at(name)]


def _measured(a: Side, b: Side, metrics: Sequence[str]) -> tuple[list[Measured], tuple[int, int]]:
    axes = [*dict.fromkeys([*a.axes, *b.axes])]
    ours, theirs = ({_place(point, axes): point for point in side.points} for side in (a, b))
    if not ours or not theirs:
        return [], (0, 0)
    shared = [place for place in ours if place in theirs]
    for metric in metrics:
        for side, points in ((a, ours), (b, theirs)):
            if not any(metric in (*point.metrics, *side.means) for point in points.values()):
                raise _engine.InputError(f"--metrics {metric}: {side.label} does not have it")
    found = [one for place in shared for one in _at(ours[place], theirs[place], axes, a.means, b.means, set(metrics))]
    order = {name: number for number, name in enumerate(dict.fromkeys(one.metric for one in found))}
    found.sort(key=lambda one: order[one.metric])
    return found, (len(ours) - len(shared), len(theirs) - len(shared))


def _place(point: At, axes: Sequence[str]) -> tuple[Any, ...]:
    return tuple(point.parameters.get(name, {}).get("value") for name in axes)


def _at(
    ours: At,
    theirs: At,
    axes: Sequence[str],
    means_a: Mapping[str, float | None],
    means_b: Mapping[str, float | None],
    wanted: set[str],
) -> Iterator[Measured]:
    both = {**ours.parameters, **theirs.parameters}
    at = {name: both[name] for name in axes if name in both}
    for metric in [*ours.metrics, *means_a]:
        if wanted and metric not in wanted:
            continue
        unit = str(every_metric().get(metric, {}).get("unit", "1"))
        one, other = ours.metrics.get(metric), theirs.metrics.get(metric)
        if one is None or other is None:
            if metric in theirs.metrics or metric in means_b:
                a, b = _mean(one, means_a.get(metric)), _mean(other, means_b.get(metric))
                yield Measured(metric, unit, at, a, b, 0, None, None, SAME if a is b is None else UNPAIRED)
            continue
        counts = (ours.left_out.get(metric), theirs.left_out.get(metric))
        found = _paired(metric, unit, at, one, other)
        yield replace(found, left_out=(counts[0], counts[1])) if counts[0] and counts[1] else found


def _mean(values: Mapping[int, float | None] | None, mean: float | None) -> float | None:
    """The mean over the seeds that have a value; `mean` if no values by seed are kept."""
    if values is None:
        return mean
    found = [value for value in values.values() if value is not None]
    return _engine.mean_ci95(found)[0] if found else None


def _paired(
    metric: str,
    unit: str,
    at: Mapping[str, Setting],
    ours: Mapping[int, float | None],
    theirs: Mapping[int, float | None],
) -> Measured:
    seeds = [seed for seed in ours if seed in theirs]
    pairs = [(ours[seed], theirs[seed]) for seed in seeds]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not both:
        a, b = _mean(ours, None), _mean(theirs, None)
        same = a is b is None and bool(seeds)
        return Measured(metric, unit, at, a, b, 0, None, None, SAME if same else UNPAIRED)
    first, second = ([pair[side] for pair in both] for side in (0, 1))
    change, low, high = _engine.paired_difference(second, first)
    ci95 = (low, high) if low is not None and high is not None else None
    if all(a == b for a, b in pairs):
        verdict = SAME
    elif ci95 is None:
        verdict = ONE_PAIR
    else:
        verdict = HIGHER if ci95[0] > 0 else LOWER if ci95[1] < 0 else UNCLEAR
    a, b = (_engine.mean_ci95(values)[0] for values in (first, second))
    return Measured(metric, unit, at, a, b, len(both), change, ci95, verdict)
