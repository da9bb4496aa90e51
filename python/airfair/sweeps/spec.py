"""The definition of a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from airfair import _engine

#: Minimum number of seeds for `--until-ci`: fewer give no useful interval.
LEAST_SEEDS = 3
#: Default maximum number of seeds of a point with `--until-ci`.
MOST_SEEDS = 100
#: Maximum number of runs of a sweep. A plan of as many points takes half a gigabyte.
MOST_RUNS = 10_000_000
#: Maximum number of points of a sample.
MOST_SAMPLES = 100_000
#: The largest seed.
_LAST_SEED = 2**64 - 1


class Until(NamedTuple):
    """The target of `--until-ci`: add seeds to a point until a metric's interval is narrow."""

    metric: str
    #: Half the width of the 95 % confidence interval, as a share of the mean.
    share: float

    @classmethod
    def read(cls, given: str | Mapping[str, object]) -> Until:
        """Read a target: `METRIC=1%`, or a table such as `{METRIC: "1 %"}`.

        Raises:
            InputError: The metric or the share is missing or invalid.
        """
        if isinstance(given, Mapping) and len(given) != 1:
            raise _engine.InputError('until_ci: expected one metric, as in { throughput_total = "1 %" }')
        text = given if isinstance(given, str) else "=".join(str(part) for part in next(iter(given.items())))
        metric, equals, share = text.partition("=")
        if not equals:
            raise _engine.InputError(f"--until-ci {text}: expected METRIC=SHARE, such as throughput_total=1%")
        metric = metric.strip()
        _engine.describe_metric_json(metric)
        try:
            return cls(metric, _engine.share(share))
        except _engine.InputError as error:
            raise _engine.InputError(f"--until-ci {metric}: {error}") from None


@dataclass(frozen=True)
class Sweep:
    """A scenario and the points of it to run."""

    #: The scenario's name in messages and results.
    name: str
    #: The text of the scenario file.
    text: str
    #: Parameters that all points share, as text.
    set: Mapping[str, str] = field(default_factory=dict)
    #: The axes: lists and ranges as text. The last one varies fastest.
    over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Axes that vary together, value by value.
    zip: tuple[tuple[str, ...], ...] = ()
    #: Size of the Latin-hypercube sample; `None`: every combination is run.
    sample: int | None = None
    #: The first seed; a sample also draws its points from it.
    seed: int = 1
    #: Number of seeds of each point; with `until`, the maximum number.
    seeds: int = 1
    until: Until | None = None
    #: Metrics to report; empty: those that the scenario file names.
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse contradictory settings. The engine refuses values that the scenario does not allow."""
        for name, values in self.over.items():
            if not values:
                raise _engine.InputError(f"--over {name}: no values are given")
            if name in self.set:
                raise _engine.InputError(f"--set {name}: the sweep varies it")
        if self.seeds < 1:
            raise _engine.InputError(f"seeds = {self.seeds}: must be 1 or more")
        if self.seed + min(self.seeds, MOST_RUNS) - 1 > _LAST_SEED:  # more runs are refused with their number
            raise _engine.InputError(f"seed = {self.seed}, seeds = {self.seeds}: the largest seed is {_LAST_SEED}")
        if self.sample is not None and not self.over:
            raise _engine.InputError("--sample: no axis to sample; give --over NAME=LOW..HIGH")
        if self.until and self.seeds < LEAST_SEEDS:
            raise _engine.InputError(f"--seeds {self.seeds}: --until-ci needs at least {LEAST_SEEDS}")
        zipped: set[str] = set()
        for group in self.zip:
            if len(group) < 2:
                raise _engine.InputError(f"--zip {','.join(group)}: name two axes or more, as in --zip A,B")
            for name in group:
                if name not in self.over:
                    raise _engine.InputError(f"--zip {name}: not an axis; add --over {name}=...")
                if name in zipped:
                    raise _engine.InputError(f"--zip {name}: named twice")
                zipped.add(name)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The axes in order. Axes that vary together form one group, at the place of the first of them."""
        together = {name: group for group in self.zip for name in group}
        return list(dict.fromkeys(together.get(name, (name,)) for name in self.over))


def groups(zipped: Iterable[str | Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Read groups of zipped axes, from a list as Python and sweep files give it."""
    found = list(zipped)
    if any(isinstance(names, str) and "," not in names for names in found):
        raise _engine.InputError('zip: expected a list of lists, as in [["stations", "session_bytes"]]')
    return tuple(map(group, found))


def group(names: str | Sequence[str]) -> tuple[str, ...]:
    """Read one group of zipped axes, from `A,B` or from a list of names."""
    parts = names.split(",") if isinstance(names, str) else names
    if not isinstance(parts, Sequence) or not all(isinstance(name, str) for name in parts):
        raise _engine.InputError(f"zip: {names}: expected names of axes, as in A,B")
    return tuple(name.strip() for name in parts)
