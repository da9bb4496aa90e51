"""The points of a sweep: its axes expanded, each combination checked by the engine.

A million combinations take some tens of megabytes: what differs between them is kept in columns of indices, and a
`Combination` or `Refused` is made only on access.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar, overload

from airfair import _engine
from airfair.catalogue.wording import in_all
from airfair.runs.workers import default_jobs
from airfair.sweeps.columns import Column
from airfair.sweeps.grid import Grid, Setting, grid
from airfair.sweeps.recipe import Recipe, in_order, template
from airfair.sweeps.spec import Sweep

#: Maximum number of distinct warnings.
_MOST_WARNINGS = 100
#: Maximum number of combinations that a thread checks at a time.
_PIECE = 256
#: Number of bytes of `Scenario.digest`.
_DIGEST = 32

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Combination:
    """One value of each axis; with a seed it is a point."""

    _all: Combinations = field(repr=False)
    place: int

    @property
    def name(self) -> str:
        """The sweep's name."""
        return self._all.sweep.name

    @property
    def at(self) -> Mapping[str, Setting]:
        """The values on the axes."""
        return self._all.at(self.place)

    @property
    def recipe(self) -> Recipe:
        """The scenario with its parameters set."""
        return replace(recipe(self._all.sweep, self.at, self._all.engine), alone=self._all.alone(self.place))

    @property
    def source(self) -> _engine.Source:
        """The combination's scenario in the form that the engine loads."""
        return self._all.source(self.place)

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """Every parameter as the engine resolved it: `{"value": ..., "unit": ...}`, in SI."""
        return self._all.parameters(self.place)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the combination reports."""
        return self._all.metrics[self.place]

    def key(self, seed: int) -> str:
        """The key of the result with this seed."""
        return _engine.key(self._all.digest(self.place), seed)

    def run(self, seed: int, traces: list[str], stop: _engine.StopFlag | None) -> _engine.Outcome:
        """Run with one seed."""
        return self.recipe.run(seed, traces, stop)

    def __str__(self) -> str:
        return described(self.at) or self.name


class Refused(NamedTuple):
    """A combination of allowed values that the engine does not accept together."""

    at: Mapping[str, Setting]
    reason: str


class Made(Sequence[_T], Generic[_T]):
    """A sequence whose entries are made on access."""

    def __init__(self, size: Callable[[], int], make: Callable[[int], _T]) -> None:
        """`size` returns the number of entries, `make` makes the entry at a place."""
        self._size = size
        self._make = make

    def __len__(self) -> int:
        return self._size()

    @overload
    def __getitem__(self, place: int) -> _T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_T]: ...
    def __getitem__(self, place: int | slice) -> _T | Sequence[_T]:
        if isinstance(place, slice):
            return [self._make(one) for one in range(*place.indices(len(self)))]
        return self._make(range(len(self))[place])

    def __iter__(self) -> Iterator[_T]:
        return map(self._make, range(self._size()))


class Combinations:
    """The combinations of a grid with the engine's answers on them, in the grid's order.

    Methods take a `place`, the index among the accepted combinations, or `indices` among all combinations of the grid.
    """

    def __init__(self, sweep: Sweep, combined: Grid, engine: str | None, kept: _engine.Kept | None = None) -> None:
        """Start without answers. With `kept`, the engine keeps scenarios there from their check to their run."""
        self.sweep = sweep
        self.engine = engine
        self.metrics: Column[tuple[str, ...]] = Column()
        self._measure_share: Column[bool] = Column()
        #: By index in the grid, what the users of a combination get alone, where that was measured.
        self._alone: dict[int, _engine.Alone] = {}
        #: By name, a parameter's values in accepted combinations; `_OWN` stands for the value on the parameter's axis.
        self._values: dict[str, Column[Any]] = {}
        self._units: dict[str, str | None] = {}
        self._grid = combined
        self._kept = kept
        self._template = template(sweep.text, sweep.name)
        self._set = list(sweep.set.items())
        self._metrics = list(sweep.metrics) or None
        #: Indices in the grid of the accepted and of the refused combinations.
        self._accepted, self._refused = array("I"), array("I")
        self._digests = bytearray()
        self._loads = array("f")
        self._reasons: Column[str] = Column()
        self._warnings: dict[str, None] = {}
        #: Warnings of settings without effect in all combinations so far; `None` before the first.
        self._useless: list[str] | None = None
        self.accepted: Sequence[Combination] = Made(lambda: len(self._accepted), lambda place: Combination(self, place))
        self.refused: Sequence[Refused] = Made(
            lambda: len(self._refused), lambda place: Refused(combined.at(self._refused[place]), self._reasons[place])
        )

    def __reduce__(self) -> tuple[Callable[..., Combinations], tuple[object, ...]]:
        """Support `pickle`: the combinations are checked again when they are loaded."""
        return _checked_again, (self.sweep, self.engine)

    def sources(self, indices: Sequence[int]) -> list[_engine.Source]:
        """The combinations with these indices in the grid, for the engine."""
        of, kept = self._grid.text, self._kept
        return [
            (
                self._template,
                [*self._set, *of(index)],
                self._metrics,
                self.engine,
                None if kept is None else (kept, index),
                self._alone.get(index),
            )
            for index in indices
        ]

    def take(self, indices: range, found: _engine.Checks) -> None:
        """Store the engine's answers on the combinations with these indices in the grid."""
        accepted = array("I", (index for place, index in enumerate(indices) if place not in found.refused))
        self._accepted += accepted
        for place, reason in found.refused.items():
            self._refused.append(indices[place])
            self._reasons.append(reason)
        self._digests += found.digests
        self._extend(self.metrics, map(tuple, found.metrics), len(accepted))
        self._loads.extend(found.loads * (len(accepted) // max(1, len(found.loads))))
        self._extend(self._measure_share, found.measure_share, len(accepted))
        for name, parameter in json.loads(found.parameters_json).items():
            if name not in self._values:
                self._values[name], self._units[name] = Column(), parameter["unit"]
            values = parameter["values"]
            if name in self.sweep.over and _same(self._grid.values(name, accepted), values):
                values = [_OWN]
            self._extend(self._values[name], values, len(accepted))
        if accepted:
            self._useless = in_all([found.useless if self._useless is None else self._useless, found.useless])
        for text in found.warnings:
            if len(self._warnings) < _MOST_WARNINGS or text in self._warnings:
                self._warnings[text] = None
            else:
                self._warnings[f"there are more than {_MOST_WARNINGS} different warnings"] = None

    @staticmethod
    def _extend(column: Column[Any], values: Iterable[Any], size: int) -> None:
        """Append `size` values from `Checks`, which has a single value if all of them are equal."""
        found = list(values)
        for value in found:
            column.append(value, size // len(found))

    @property
    def measures_share(self) -> bool:
        """Whether the users' fair share of some combination is to be measured."""
        return any(self._measure_share.distinct)

    @property
    def measuring(self) -> Iterator[Combination]:
        """The accepted combinations whose users' fair share is to be measured and has not been."""
        if self.measures_share:
            places = range(len(self._accepted))
            yield from (
                self.accepted[place] for place in places if self._measure_share[place] and not self.alone(place)
            )

    @cached_property
    def loads(self) -> Sequence[float] | None:
        """A rough measure of how long each accepted combination runs; `None` if all take as long."""
        return self._loads if len(set(self._loads)) > 1 else None

    def alone(self, place: int) -> _engine.Alone | None:
        """What the users of a combination get alone, where that was measured."""
        return self._alone.get(self._accepted[place])

    def share(self, place: int, alone: _engine.Alone) -> None:
        """Store what the users of a combination get alone."""
        self._alone[self._accepted[place]] = alone

    @property
    def warnings(self) -> list[str]:
        """The engine's warnings, each once, up to a maximum number."""
        return [*self._warnings, *(self._useless or [])]

    def source(self, place: int) -> _engine.Source:
        """The scenario of an accepted combination, in the form that the engine loads."""
        return self.sources_at((place,))[0]

    def sources_at(self, places: Iterable[int]) -> list[_engine.Source]:
        """The scenarios of accepted combinations, in the form that the engine loads."""
        return self.sources([self._accepted[place] for place in places])

    def points_json(self, places: range, seeds: list[tuple[int, int, bool | None]]) -> str:
        """Accepted combinations with their seeds as JSON, see `_engine.points_json`."""
        return _engine.points_json(self._grid.columns(self._accepted[places.start : places.stop]), seeds)

    def at(self, place: int) -> dict[str, Setting]:
        """The values of an accepted combination on the axes."""
        return self._grid.at(self._accepted[place])

    def keys(self, places: Sequence[int], seeds: Sequence[int]) -> bytes:
        """The keys of results, one after the other.

        `places` should be close together: the digests of all combinations between them are copied.
        """
        first, last = min(places), max(places)
        digests = bytes(self._digests[first * _DIGEST : (last + 1) * _DIGEST])
        return _engine.keys(digests, [place - first for place in places], list(seeds))

    def digest(self, place: int) -> bytes:
        """The digest of everything that decides an accepted combination's results."""
        return bytes(self._digests[place * _DIGEST : (place + 1) * _DIGEST])

    def parameters(self, place: int) -> dict[str, dict[str, Any]]:
        """The parameters of an accepted combination, see `Combination.parameters`."""
        at = self.at(place)
        found = {}
        for name, column in self._values.items():
            value = column[place]
            found[name] = {"value": at[name].value if value is _OWN else value, "unit": self._units[name]}
        return found

    def unit(self, name: str) -> str | None:
        """A parameter's SI unit, if it has one."""
        return self._units[name]

    def is_flag(self, name: str) -> bool:
        """Whether a parameter takes the values true and false, whatever values it has here."""
        return self._template.is_flag(name)

    @property
    def names(self) -> list[str]:
        """The names of all parameters, in order."""
        return list(self._values)

    def values(self, name: str, places: range | None = None) -> list[Any]:
        """A parameter's value in each accepted combination, or in those at these places."""
        places = range(len(self._accepted)) if places is None else places
        column = self._values[name]
        if self.is_constant(name):
            return column.distinct * len(places)
        own = self._grid.values(name, self._accepted[places.start : places.stop]) if name in self.sweep.over else []
        if len(column.distinct) == 1:
            return own
        found = (column[place] for place in places)
        return [own[index] if value is _OWN else value for index, value in enumerate(found)]

    def is_constant(self, name: str) -> bool:
        """Whether a parameter is known to have one value in all combinations."""
        column = self._values[name]
        return len(column.distinct) == 1 and column.distinct[0] is not _OWN

    def distinct(self, name: str) -> list[Any]:
        """A parameter's distinct values, in the order in which the accepted combinations have them."""
        if self.is_constant(name):
            return self._values[name].distinct
        found: dict[Any, None] = {}
        for start in range(0, len(self._accepted), _PIECE):
            found |= dict.fromkeys(self.values(name, range(start, min(start + _PIECE, len(self._accepted)))))
        return list(found)


def _same(settings: list[Any], values: list[Any]) -> bool:
    """Whether a column of `Checks` has these values; 1, 1.0 and True differ."""
    found = values if len(values) == len(settings) else values * len(settings)
    return found == settings and list(map(type, found)) == list(map(type, settings))


class _Own:
    """The type of `_OWN`, which stands for the value of a parameter on its axis."""


_OWN = _Own()


@dataclass(frozen=True)
class Plan:
    """A sweep with its checked combinations."""

    sweep: Sweep
    all: Combinations

    @property
    def combinations(self) -> Sequence[Combination]:
        """The combinations that the engine accepts, in the order of the results' rows."""
        return self.all.accepted

    @property
    def refused(self) -> Sequence[Refused]:
        """The combinations that the engine refuses."""
        return self.all.refused

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes."""
        return tuple(self.sweep.over)

    @property
    def fixed(self) -> tuple[str, ...]:
        """The names of the parameters that are not axes, in alphabetical order."""
        return tuple(sorted(name for name in self.all.names if name not in self.sweep.over))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that any point reports."""
        return tuple(dict.fromkeys(name for metrics in self.all.metrics.distinct for name in metrics))

    @property
    def engine(self) -> str | None:
        """The engine that runs the sweep; `None`: the default engine."""
        return self.all.engine

    @property
    def warnings(self) -> list[str]:
        """The engine's warnings, each once."""
        return self.all.warnings


def described(at: Mapping[str, Setting]) -> str:
    """A combination as people write it: `stations=4, tcp=vegas`."""
    return ", ".join(f"{name}={setting.text}" for name, setting in at.items())


def plan(
    sweep: Sweep,
    engine: str | None = None,
    *,
    to_run: bool = False,
    jobs: int | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> Plan:
    """Expand the axes and have the engine check every combination. Nothing is run and nothing is written.

    With `to_run`, the engine keeps some of the scenarios that it loads, so that they need not be loaded again to run.
    Combinations are checked in `jobs` threads, by default one for each core. `progress` is called now and then with the
    number of combinations checked, with zero, and with the number of all combinations.

    Raises:
        InputError: A value that its parameter does not allow, an unknown engine, or an error in all combinations.
    """
    try:
        combined = grid(sweep)
    except _engine.InputError as error:
        if "unknown parameter `seed`" not in str(error):
            raise
        raise _engine.InputError("--over seed: seeds are no axis: give --seed FIRST and --seeds N") from None
    found = Combinations(sweep, combined, engine, _engine.Kept() if to_run else None)
    jobs = min(jobs or default_jobs(), math.ceil(len(combined) / _PIECE))
    pieces = _pieces(len(combined), jobs)
    answers = in_order(lambda piece: _engine.check_all(found.sources(piece)), pieces, jobs)
    for piece, answer in zip(pieces, answers, strict=True):
        found.take(piece, answer)
        if progress:
            progress(piece.stop, 0, len(combined))
    if not found.accepted:
        raise _engine.InputError(found.refused[0].reason)
    result = Plan(sweep, found)
    if sweep.until and (wanted := sweep.until.metric) not in result.metrics:
        known = ", ".join(result.metrics)
        raise _engine.InputError(f"--until-ci {wanted}: {sweep.name} measures {known}; add --metrics {wanted}")
    return result


def _pieces(size: int, jobs: int) -> list[range]:
    """Cut all indices into pieces of nearly equal length, as many for each job, so that all jobs end together."""
    number = math.ceil(size / (_PIECE * jobs)) * jobs
    return [range(size * piece // number, size * (piece + 1) // number) for piece in range(number)]


def _checked_again(sweep: Sweep, engine: str | None) -> Combinations:
    """Rebuild the combinations of a plan from what `Combinations.__reduce__` keeps."""
    return plan(sweep, engine).all


def recipe(sweep: Sweep, at: Mapping[str, Setting], engine: str | None = None) -> Recipe:
    """The scenario at one combination of a sweep."""
    overrides = (*sweep.set.items(), *((name, setting.text) for name, setting in at.items()))
    return Recipe(sweep.text, sweep.name, overrides, sweep.metrics, engine)
