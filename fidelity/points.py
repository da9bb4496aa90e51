"""Sets of points, their metrics, and the results of ns-2, ns-3 or Linux that they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from fidelity.sample import Sample

if TYPE_CHECKING:
    from airfair import _engine


class Point(Protocol):
    """A case that AirFair and the other simulator run. It is a dataclass; `str` gives its name in tables."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def scenario(self) -> str:
        """AirFair's scenario: a packaged name or the path of a file."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """Parameters of AirFair's scenario."""

    @property
    def group(self) -> str:
        """Name of the point's group, which has a pass rate of its own: the TCP and other settings that matter."""


P = TypeVar("P", bound=Point)

#: For each point, the values of each metric over seeds.
Measurements = dict[P, dict[str, Sample]]


@dataclass(frozen=True)
class Metric:
    """How a metric is compared and shown."""

    #: Name and unit in tables.
    label: str
    #: Allowed difference of the means, as a fraction of the other simulator's mean. The largest allowance of the three
    #: counts.
    relative: float = 0.0
    #: Allowed difference of the means, in the metric's SI unit.
    absolute: float = 0.0
    #: Allowed difference of the means, in standard deviations of the other simulator's seeds.
    deviations: float = 2.0
    #: Factor from the SI unit to the unit in `label`.
    scale: float = 1.0
    #: Whether the metric counts rare events. A few seeds often count the same number of them, although such a count
    #: varies, so its standard deviation is taken as no less than Poisson's.
    rare: bool = False


@dataclass(frozen=True)
class Source(Generic[P]):
    """One set of the other simulator's results."""

    name: str
    #: Reads the recorded results.
    recorded: Callable[[], Measurements[P]]
    #: Runs the simulator again with one seed.
    run: Callable[[P, int], dict[str, float]]


@dataclass(frozen=True)
class PointSet(Generic[P]):
    """Points of one study, with the values compared there and their tolerances."""

    name: str
    #: The metrics compared, by their names in AirFair's results.
    metrics: Mapping[str, Metric]
    #: Sets of results of the other simulator. The last one decides whether the bar holds.
    sources: tuple[Source[P], ...]
    #: Name of the other simulator: ns-2, ns-3, Linux or User-mode Linux.
    simulator: str = "ns-2"
    #: Returns the metrics compared at a point, given the other simulator's values there; by default all of them.
    compared: Callable[[P, Mapping[str, Sample]], Iterable[str]] = field(default=lambda _, theirs: theirs)
    #: Returns values of AirFair's outcome that are compared and are not metrics.
    counted: Callable[[_engine.Outcome], dict[str, float]] = field(default=lambda _: {})
    #: Returns the parameters of AirFair's scenario that depend on the seed.
    parameters: Callable[[P, int], Mapping[str, object]] = field(default=lambda *_: {})
    #: Returns the number of seeds for a point, on either side, if `n` are asked for.
    seeds: Callable[[P, int], int] = field(default=lambda _, n: n)
    #: Whether the installed simulator can run a point. If not, the recorded results are used.
    runnable: Callable[[P], bool] = field(default=lambda _: True)
    #: Number of seeds to run the other simulator with.
    simulator_seeds: int = 10
    #: Whether a seed is the same on both sides: the same packets are lost, and flows begin at the same moments. AirFair
    #: then runs only seeds that were recorded.
    paired: bool = False
    #: Whether a point is deterministic, so that its counts are compared one to one.
    deterministic: Callable[[P], bool] = field(default=lambda _: False)
    #: Names of these counts.
    counts: Sequence[str] = ()
    #: Share of points that must be within the bar, for each metric.
    all_points: float = 0.95
    #: Share of points that must be within the bar, for each metric and group.
    each_group: float = 0.95
