"""What a sweep is asked to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from airfair import _engine
from airfair.catalogue.parameters import setting

#: Fewer seeds give no interval worth the name.
LEAST_SEEDS = 3
#: How many seeds a point gets at most with `--until-ci`, unless `--seeds` says otherwise.
MOST_SEEDS = 100
#: Runs of a sweep at most: each is held in memory.
MOST_RUNS = 10_000_000
#: Points of a sample at most.
MOST_SAMPLES = 100_000


@dataclass(frozen=True)
class Until:
    """Seeds are added to a point until a metric is known well enough."""

    metric: str
    #: The half width of the 95 % confidence interval, as a share of the mean.
    share: float

    @classmethod
    def read(cls, text: str) -> Until:
        """`METRIC=1%`.

        Raises:
            InputError: No metric, or no share.
        """
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
    """A scenario and what of it to run."""

    #: The scenario's name in messages and results.
    name: str
    #: The scenario's file.
    text: str
    #: Parameters that all points share, as text.
    set: Mapping[str, str] = field(default_factory=dict)
    #: The axes: lists and ranges as text. The last one varies fastest.
    over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Axes that vary together, value by value.
    zip: tuple[tuple[str, ...], ...] = ()
    #: The size of the Latin-hypercube sample; `None`: every combination.
    sample: int | None = None
    #: The first seed; of a sample it also decides the points.
    seed: int = 1
    #: Seeds of each point; with `until` the most that a point gets.
    seeds: int = 1
    until: Until | None = None
    #: What is reported of each run; empty: what the scenario's file names.
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what contradicts itself; what the scenario does not allow, the engine refuses."""
        for name, values in self.over.items():
            if not values:
                raise _engine.InputError(f"--over {name}: there are no values")
            if name in self.set:
                raise _engine.InputError(f"--set {name}: the sweep varies it")
        if self.seeds < 1:
            raise _engine.InputError(f"seeds = {self.seeds}: must be 1 or more")
        if self.sample is not None and not self.over:
            raise _engine.InputError("--sample: there is no axis to sample; give --over NAME=LOW..HIGH")
        if self.until and self.seeds < LEAST_SEEDS:
            raise _engine.InputError(f"--seeds {self.seeds}: --until-ci needs at least {LEAST_SEEDS}")
        zipped: set[str] = set()
        for group in self.zip:
            if len(group) < 2:
                raise _engine.InputError(f"--zip {','.join(group)}: name two axes or more, as in --zip A,B")
            for name in group:
                if name not in self.over:
                    raise _engine.InputError(f"--zip {name}: it is no axis; add --over {name}=...")
                if name in zipped:
                    raise _engine.InputError(f"--zip {name}: it is named twice")
                zipped.add(name)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The axes, those that vary together in one group, where the first of them stands."""
        together = {name: group for group in self.zip for name in group}
        return list(dict.fromkeys(together.get(name, (name,)) for name in self.over))


def named_values(option: str, texts: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` options.

    Raises:
        InputError: One is not of this form, or names what another has named.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, value = setting(option, text)
        if name in pairs:
            raise _engine.InputError(f"{option} {name}: it is given twice")
        pairs[name] = value
    return pairs


def group(names: str | Sequence[str]) -> tuple[str, ...]:
    """Zipped axes, from `A,B` or names one by one."""
    parts = names.split(",") if isinstance(names, str) else names
    if not isinstance(parts, Sequence) or not all(isinstance(name, str) for name in parts):
        raise _engine.InputError(f"zip: {names}: expected names of axes, as in A,B")
    return tuple(name.strip() for name in parts)
