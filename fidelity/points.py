"""Sets of points, their metrics, and the results of ns-2 or ns-3 that they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from fidelity.sample import Sample

if TYPE_CHECKING:
    from airfair import _engine


class Point(Protocol):
    """Something that both simulators run: a dataclass, of which `str` is the name in tables."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def scenario(self) -> str:
        """AirFair's scenario: a packaged name or a file."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """That scenario's parameters."""

    @property
    def group(self) -> str:
        """The groups of the pass rates: the TCP and other settings that matter."""


P = TypeVar("P", bound=Point)

#: Values of each metric over seeds, for each point.
Measurements = dict[P, dict[str, Sample]]


@dataclass(frozen=True)
class Metric:
    """How a metric is compared and shown."""

    #: Name and unit in tables.
    label: str
    #: Allowed difference of the means as a fraction of ns-2's, where so many deviations of its seeds are less.
    relative: float = 0.0
    #: The same as a plain difference.
    absolute: float = 0.0
    deviations: float = 2.0
    #: From the SI unit to the one in `label`.
    scale: float = 1.0
    #: Counts rare events: a few seeds often count the same number of them, but such a count varies, so its standard
    #: deviation is taken as no less than Poisson's.
    rare: bool = False


@dataclass(frozen=True)
class Source(Generic[P]):
    """One set of the other simulator's results."""

    name: str
    #: The recorded ones.
    recorded: Callable[[], Measurements[P]]
    #: Runs the simulator again with one seed.
    run: Callable[[P, int], dict[str, float]]


@dataclass(frozen=True)
class PointSet(Generic[P]):
    """Points of one study, with the values compared there and their tolerances."""

    name: str
    #: Names as in AirFair's results.
    metrics: Mapping[str, Metric]
    #: The last one decides whether the bar holds.
    sources: tuple[Source[P], ...]
    #: Whose results they are: ns-2, ns-3 or Linux.
    simulator: str = "ns-2"
    #: The metrics compared at a point where it gave these values; all of them unless set.
    compared: Callable[[P, Mapping[str, Sample]], Iterable[str]] = field(default=lambda _, theirs: theirs)
    #: Values of AirFair's outcome that are compared and are no metrics.
    counted: Callable[[_engine.Outcome], dict[str, float]] = field(default=lambda _: {})
    #: Seeds for a point where `n` were asked for, there and here.
    seeds: Callable[[P, int], int] = field(default=lambda _, n: n)
    #: Whether the simulator that is installed can run a point; where not, the recorded results stand.
    runnable: Callable[[P], bool] = field(default=lambda _: True)
    #: How many seeds to ask the simulator for.
    simulator_seeds: int = 10
    #: Both sides lose the same packets with the same seed: AirFair runs no others than were recorded.
    pairs_losses: bool = False
    #: Whether a point is deterministic, so that these metrics can be compared one to one.
    deterministic: Callable[[P], bool] = field(default=lambda _: False)
    counts: Sequence[str] = ()
    #: Share of the points that must be within, of each metric.
    all_points: float = 0.95
    #: Share of the points that must be within, of each group of a metric.
    each_group: float = 0.95
