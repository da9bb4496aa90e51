"""The points of the study `mamatas`: TCP(alpha, beta) flows that share a bottleneck, in each of its experiments."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fidelity import ns2, references
from fidelity.deliveries import realtime_index
from fidelity.points import Measurements, Metric, PointSet, Source

FILES = ("mamatas.csv", "mamatas_matched.csv")
#: The paper's three pairs of (alpha, beta).
VARIANTS = ((1.0, 0.5), (1.25, 0.25), (0.31, 0.875))
#: Length of a run in s.
DURATION = 60.0
#: Payload of a segment in bit; then the segment with the headers of TCP and IP.
PAYLOAD_BITS = 8 * ns2.SEGMENT_BYTES
SEGMENT_BITS = PAYLOAD_BITS + 8 * 40
#: Throughput_max in bit/s: the rate of the dumbbell's bottleneck, and of the last one of the complex topology.
THROUGHPUT_MAX = 10e6
#: A segment is in time if it arrives at most this many seconds after its flow's previous one.
DEADLINE = 0.1
#: Longest random wait in s of each of ns-2's packets before its first router, as in the set `ties`.
#:
#: ACKs clock packets so that they reach the bottleneck at the instant when others leave, in every experiment: errors
#: and outages are on links behind it, and `overhead_` does not delay fast retransmissions. So every point has matched
#: runs.
PACKET_JITTER = 1e-5


@dataclass(frozen=True)
class Experiment:
    """An experiment: what differs from flows that share the dumbbell without errors."""

    flows: Sequence[int]
    #: AirFair's parameters that differ.
    parameters: Mapping[str, object]
    #: Settings of ns2/dumbbell.tcl that differ.
    ns2_settings: Mapping[str, object]
    scenario: str = "mamatas/dumbbell"


#: Error rate of bytes in ns-2, and the error rate of bits in AirFair that loses as many packets.
PER_BYTE = 2e-5
PER_BIT = -math.expm1(math.log1p(-PER_BYTE) / 8)

#: Parameters of RED. With a `limit_` of 75, ns-2 takes a packet while fewer than 75 x 500 bytes wait. 36 segments of
#: 1040 bytes are fewer, so a 37th may wait behind the segment that is being sent: 38 are held at most.
RED = {"queue": "red", "red_byte_mode": True, "red_lottery": "ns2", "buffer_bytes": f"{38 * SEGMENT_BITS // 8} B"}

FEW, MANY, SOME = (1, 2, 5, 10), (10, 40, 80, 100), (10, 50, 100)


def _alike(flows: Sequence[int], **settings: object) -> Experiment:
    """An experiment whose settings have the same names on both sides."""
    return Experiment(flows, settings, settings)


def _errors(flows: Sequence[int], rate: float, **settings: object) -> Experiment:
    return _alike(flows, error_model="bernoulli", error_rate=rate, **settings)


EXPERIMENTS: Mapping[str, Experiment] = {
    "wired": _alike(MANY),
    "errors 2 %": _errors(MANY, 0.02),
    "errors 1 %, increasing contention": _errors(MANY, 0.01, contention="increase"),
    "long handoffs": Experiment((10, 40, 100), {"handoff": "long"}, {"outage": 1, "period": 10}),
    "short handoffs": Experiment(FEW, {"handoff": "short"}, {"outage": 0.1, "period": 1}),
    "complex": Experiment(
        (10, 40, 100),
        {},
        {"topology": "complex", "bottleneck_mbps": 5, "buffer": 39},
        "mamatas/complex",
    ),
    "wired, jitter": Experiment(SOME, {"jitter": "1 ms"}, {"jitter": 0.001}),
    "wired, buffer 15": _alike(SOME, buffer=15),
    "wired, window 20": _alike(SOME, window=20),
    "wired, delayed ACKs": _alike(SOME, delayed_ack="true"),
    "wired, 100 ms": Experiment(SOME, {"delay": "100 ms"}, {"bottleneck_delay_ms": 100, "buffer": 275}),
    "errors 2 % after the queue": _errors(SOME, 0.02, error_position="after-queue"),
    "errors 0.2 %": _errors(SOME, 0.002),
    "errors of bits": Experiment(
        (10, 100),
        {"error_model": "per_bit", "error_rate": PER_BIT},
        {"error_model": "bernoulli", "error_rate": PER_BYTE, "error_unit": "byte"},
    ),
    "wired, RED": Experiment(SOME, RED, {"queue": "RED"}),
    "on/off errors": Experiment(
        (10, 40, 100), {"error_model": "on_off", "error_rate": 0.5}, {"error_model": "on_off", "bad_rate": 0.5}
    ),
}


@dataclass(frozen=True, order=True)
class Shared:
    """A point: a number of TCP(alpha, beta) flows in one experiment."""

    experiment: str
    alpha: float
    beta: float
    flows: int

    @property
    def scenario(self) -> str:
        """Name of AirFair's packaged scenario for this point."""
        return EXPERIMENTS[self.experiment].scenario

    @property
    def group(self) -> str:
        """The point's group in pass rates: its TCP."""
        return f"TCP({self.alpha:g}, {self.beta:g})"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {**self._shared, **EXPERIMENTS[self.experiment].parameters}

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/dumbbell.tcl for this point."""
        return {**self._shared, "duration": DURATION, **EXPERIMENTS[self.experiment].ns2_settings}

    @property
    def _shared(self) -> dict[str, object]:
        """Values with the same name and unit on both sides."""
        return {"flows": self.flows, "alpha": self.alpha, "beta": self.beta}

    def __str__(self) -> str:
        """The point's name in tables."""
        return f"{self.experiment}: {self.flows} x {self.group}"


def points() -> list[Shared]:
    """All points: every experiment with every variant and number of flows."""
    return [
        Shared(name, alpha, beta, flows)
        for name, experiment in EXPERIMENTS.items()
        for alpha, beta in VARIANTS
        for flows in experiment.flows
    ]


def run(packet_jitter: float, point: Shared, seed: int) -> dict[str, float]:
    """The metrics of one run of ns2/dumbbell.tcl, by AirFair's names and in SI units."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "deliveries.tr"
        settings = {**point.ns2_settings, "packet_jitter": packet_jitter, "seed": seed, "deliveries": trace}
        lines = ns2.call("dumbbell.tcl", settings)
        flows = [[float(word) for word in words[1:]] for words in lines if words[0] == "flow"]
        with trace.open() as file:
            return metrics(flows) | {"realtime_index": realtime_index(file, DEADLINE)}


def metrics(flows: Sequence[Sequence[float]]) -> dict[str, float]:
    """The paper's metrics. A flow is given by start, segments sent, retransmissions, highest ACK and window cuts.

    The fairness indices compare the flows' sending rates since their starts.
    """
    rates = [segments / (DURATION - start) for start, segments, *_ in flows]
    sent = sum(segments for _, segments, *_ in flows)
    throughput = sent * SEGMENT_BITS / DURATION
    goodput = sum(max(highest, 0) for *_, highest, _ in flows) * PAYLOAD_BITS / DURATION
    used = throughput / THROUGHPUT_MAX
    return {
        "goodput": goodput,
        "throughput": throughput,
        "eee": (throughput - goodput) / THROUGHPUT_MAX + 0.3 * (1 - used),
        "uar": 1 - (0.5 * used + 0.5 * goodput / throughput),
        "overhead": 1 - goodput / throughput,
        "rexmit_fraction": sum(resent for _, _, resent, *_ in flows) / sent,
        "jain": sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates)),
        "worst_case_fairness": min(rates) / max(rates),
    }


def _shared(row: Mapping[str, str]) -> Shared:
    return Shared(row["experiment"], float(row["alpha"]), float(row["beta"]), int(row["flows"]))


def recorded() -> Measurements[Shared]:
    """Results of stock ns-2."""
    return references.read(FILES[0], _shared, METRICS)


def matched() -> Measurements[Shared]:
    """Results of ns-2 in which every packet waits; for points that were not run so, the results of stock ns-2."""
    return recorded() | references.read(FILES[1], _shared, METRICS)


METRICS = {
    "goodput": Metric("goodput, Mb/s", relative=0.03, scale=1e-6),
    "throughput": Metric("throughput, Mb/s", relative=0.03, scale=1e-6),
    "eee": Metric("EEE", relative=0.03),
    "uar": Metric("UAR", relative=0.03),
    "overhead": Metric("overhead", relative=0.03),
    "rexmit_fraction": Metric("resent", relative=0.03),
    "realtime_index": Metric("real-time index", relative=0.03),
    "jain": Metric("Jain", absolute=0.03),
    "worst_case_fairness": Metric("worst case", absolute=0.03),
}

#: Least number of seeds with short handoffs. If outages hit one or two flows each second, some runs lock into a cycle
#: of timeouts and outages and carry next to nothing; a few seeds do not show how often.
SEEDS_WITH_SHORT_HANDOFFS = 50


def seeds(point: Shared, n: int) -> int:
    """Number of seeds for a point: `n`, or more with short handoffs."""
    return max(n, SEEDS_WITH_SHORT_HANDOFFS) if point.experiment == "short handoffs" else n


SET: PointSet[Shared] = PointSet(
    name="mamatas",
    metrics=METRICS,
    sources=(
        Source("recorded", recorded, partial(run, 0.0)),
        Source("matched", matched, partial(run, PACKET_JITTER)),
    ),
    seeds=seeds,
)
