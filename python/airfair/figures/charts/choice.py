"""The roles of axes in a figure: given by name, or chosen where only one choice does not mislead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars

from airfair import _engine
from airfair.catalogue.known import every_metric, nearest
from airfair.catalogue.parameters import names_of
from airfair.figures.charts.data import Data, is_numeric
from airfair.figures.charts.kinds import BOX, CDF, HEATMAP, KINDS, LINE

#: Maximum numbers of distinguishable colours, for words and for ordered numbers.
MOST_WORDS, MOST_NUMBERS = 8, 12
MOST_PANELS = 16
#: Maximum number of values listed one by one.
_NAMED = 6


@dataclass(frozen=True)
class Asked:
    """The roles that a user asks for. Roles that are `None` or empty are chosen."""

    y: tuple[str, ...] = ()
    x: str | None = None
    color: str | None = None
    facet: str | None = None
    kind: str | None = None


@dataclass(frozen=True)
class Choice:
    """The data of a figure, and the roles of its axes."""

    data: Data
    kind: str
    y: tuple[str, ...]
    #: The axis along x; `None` in a distribution, which has the metric along x.
    x: str | None
    #: The axis shown by colour; in a heatmap the vertical axis.
    color: str | None
    facet: str | None
    #: Axes that vary together with those shown: zipped with one, or sampled.
    along: tuple[str, ...]

    @property
    def shown(self) -> list[str]:
        """The axes that the figure shows."""
        return [name for name in (self.x, self.color, self.facet) if name]


def choose(data: Data, asked: Asked) -> Choice:
    """Assign the axes of a figure to their roles.

    Raises:
        InputError: An unknown name, a metric without values, or axes that the figure cannot show.
    """
    if data.frame.is_empty():
        why = f" ({data.note})" if data.note else ""
        raise _engine.InputError(f"no rows to plot: no run has succeeded, or no row satisfies --where{why}")
    asked = _read_otherwise(data, asked)
    kind = asked.kind or (CDF if data.of_sessions else LINE)
    if kind not in KINDS:
        raise _engine.InputError(f"--kind {kind}: expected {', '.join(KINDS)}{nearest(kind, KINDS)}")
    metrics = _metrics(data, asked.y)
    if data.of_sessions and "flow" in (asked.x, asked.color, asked.facet):
        data = replace(data, axes=(*data.axes, "flow"))
    for option, name in (("--x", asked.x), ("--color", asked.color), ("--facet", asked.facet)):
        if name is not None:
            _check_axis(data, option, name)
    if kind == CDF and asked.x:
        raise _engine.InputError(f"--x {asked.x}: along the x of a cdf lies the metric; use --color or --facet")
    x = None if kind == CDF else asked.x or _usual_x(data)
    given = [name for name in (x, asked.color, asked.facet) if name]
    if len(set(given)) < len(given):
        raise _engine.InputError(f"{', '.join(given)}: an axis can have one place only")
    color, facet, along = _places(data, kind, x, asked)
    _check_counts(data, kind, color, facet)
    return Choice(data, kind, metrics, x, color, facet, along)


def _read_otherwise(data: Data, asked: Asked) -> Asked:
    """Normalise a request that names the metric as the colour of a heatmap, or along x of a distribution."""
    if asked.kind == HEATMAP and len(asked.y) == 1 and asked.y[0] in data.axes and asked.color in data.metrics:
        return Asked((str(asked.color),), asked.x, asked.y[0], asked.facet, HEATMAP)
    if asked.kind == CDF and not asked.y and asked.x in data.metrics:
        return Asked((str(asked.x),), None, asked.color, asked.facet, CDF)
    return asked


def _metrics(data: Data, names: Sequence[str]) -> tuple[str, ...]:
    known = ", ".join(data.metrics)
    if not names:
        raise _engine.InputError(f"--y: name a metric; there are {known}")
    for name in names:
        if name not in data.metrics:
            if data.of_sessions and name in every_metric():
                raise _engine.InputError(
                    f"--y {name}: a run has one value of it, and here each session is a point; there are {known}"
                )
            if len(several := names_of(name)) > 1:
                raise _engine.InputError(f"--y {name}: repeat it, one metric each: --y {' --y '.join(several)}")
            near = nearest(name, data.metrics)
            raise _engine.InputError(f"--y {name}: it is not measured{near or f'; there are {known}'}")
        if data.frame[name].null_count() == data.frame.height:
            why = data.reason(name)
            raise _engine.InputError(f"--y {name}: it has no value at any point" + (f": {why}" if why else ""))
    return tuple(dict.fromkeys(names))


def _check_axis(data: Data, option: str, name: str) -> None:
    if name in data.axes:
        return
    if name in data.metrics:
        raise _engine.InputError(f"{option} {name}: it is measured; the axes are {_listed(data.axes)}")
    if name in data.frame.columns and data.frame[name].n_unique() == 1:
        value = data.frame[name][0]
        raise _engine.InputError(f"{option} {name}: it is {value} at all points; the axes are {_listed(data.axes)}")
    raise _engine.InputError(
        f"{option} {name}: unknown axis; the axes are {_listed(data.axes)}{nearest(name, data.axes)}"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none: the sweep has one point"


def _usual_x(data: Data) -> str:
    """The numeric axis with the most values, or the first axis with several."""
    counts = {name: data.frame[name].n_unique() for name in data.axes}
    numbers = [name for name in data.axes if is_numeric(data, name) and counts[name] > 1]
    if numbers:
        return max(numbers, key=lambda name: counts[name])
    several = [name for name in data.axes if counts[name] > 1]
    if not several and not data.axes:
        raise _engine.InputError("there is one point, so no axis to plot along: try --kind cdf")
    return (several or list(data.axes))[0]


def _places(data: Data, kind: str, x: str | None, asked: Asked) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Choose the axes for colour and for panels among those that vary.

    The third value names the axes that vary together with a shown axis, in a sample all others: they need no place.
    """
    color, facet = asked.color, asked.facet
    varying = [name for name in data.axes if data.frame[name].n_unique() > 1]
    if kind == HEATMAP and color is None:
        color = next((name for name in varying if name not in (x, facet)), None)
        if color is None:
            raise _engine.InputError("--kind heatmap: it needs two axes, --x and --color")
    left, along = [], []
    for name in varying:
        shown = [one for one in (x, color, facet) if one]
        if name in shown:
            continue
        if data.sampled or follows(data, name, shown):
            along.append(name)
        elif color is None:
            color = name
        elif facet is None:
            facet = name
        else:
            left.append(name)
    if left:
        raise _engine.InputError("; ".join(_no_place(data, name, kind) for name in left))
    if data.sampled and kind == BOX:
        raise _engine.InputError("--kind box: the points of a sample share no values to group them by; try line or cdf")
    return color, facet, tuple(along)


def follows(data: Data, name: str, shown: list[str]) -> bool:
    """Whether the shown axes determine this axis: it is zipped with one of them."""
    if not shown:
        return False
    counts = data.frame.group_by(shown).agg(polars.col(name).n_unique())
    return bool((counts[name] == 1).all())


def _no_place(data: Data, name: str, kind: str) -> str:
    values = data.frame[name].drop_nulls().unique().sort().to_list()
    few = ", ".join(_written(value) for value in values[:_NAMED]) + (", ..." if len(values) > _NAMED else "")
    places = "--color or --facet" if kind == CDF else "--x, --color or --facet"
    value = f"'{values[0]}'" if isinstance(values[0], str) else _written(values[0])
    return (
        f"{name} varies as well ({few}) and has no place in the figure: a mean over it would hide that; choose with "
        f'--where "{name} = {value}", or give it {places}'
    )


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _check_counts(data: Data, kind: str, color: str | None, facet: str | None) -> None:
    """Refuse a figure with more colours or panels than can be told apart. Raises `InputError`."""
    if color and kind != HEATMAP and not (data.sampled and is_numeric(data, color)):
        count, most = data.frame[color].n_unique(), MOST_NUMBERS if is_numeric(data, color) else MOST_WORDS
        if count > most:
            raise _engine.InputError(
                f"{color} has {count} values, more than the {most} colours that can be told apart: put it at --x, "
                "choose some with --where, or try --kind heatmap"
            )
    if facet and (count := data.frame[facet].n_unique()) > MOST_PANELS:
        raise _engine.InputError(
            f"{facet} has {count} values, more than {MOST_PANELS} panels: put it at --x, or choose some with --where"
        )
