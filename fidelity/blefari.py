"""The points of the study `blefari`: uploads and downloads through one access point, with and without rate control."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from fidelity import ns2, references
from fidelity.points import Measurements, Metric, PointSet, Source

FILE, MATCHED_FILE = "blefari.csv", "blefari_matched.csv"

PAYLOAD_BYTES, HEADER_BYTES = 1460, 40
WINDOW = 43
BUFFER = 100
#: Length of a run in s, after 20 s of warm-up.
DURATION = 100.0

#: Rates of control frames and PLCP headers, those of a real radio or 11 Mb/s: AirFair's parameters and ns-2's settings.
MEDIA: Mapping[str, tuple[Mapping[str, object], Mapping[str, object]]] = {
    "R": ({}, {"basic_rate": "2Mb", "plcp_rate": "1e6"}),
    "Rfast": ({"basic_rate": "11 Mb/s", "plcp_rate": "11 Mb/s"}, {"basic_rate": "11Mb", "plcp_rate": "11e6"}),
}


@dataclass(frozen=True, order=True)
class Hotspot:
    """A point: `stations` stations that upload, and as many that download."""

    #: A key of `MEDIA`.
    medium: str
    #: none, rate_limiter, fixed_window (the window of each flow is its share of the buffer) or lossless (the access
    #: point writes this window into passing ACKs; ns-2 has fixed windows instead).
    policy: str
    stations: int
    #: Round-trip time of the wire; 0 stands for a local host, with 0.2 ms.
    rtt_ms: int = 0
    #: Packets of the buffer that the flows share, with fixed_window and lossless.
    shared_buffer: int = BUFFER

    scenario = "blefari/hotspot"

    @property
    def group(self) -> str:
        """The point's group in pass rates: its policy."""
        return self.policy.replace("_", " ")

    @property
    def share(self) -> int:
        """The window in segments that keeps all flows together within the buffer."""
        return min(WINDOW, self.shared_buffer // (2 * self.stations))

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        policy: dict[str, object] = {"policy": self.policy}
        if self.policy == "fixed_window":
            policy = {"window": self.share}
        elif self.shared_buffer != BUFFER:
            policy |= {"window_buffer": self.shared_buffer}
        rtt = {"rtt": f"{self.rtt_ms} ms"} if self.rtt_ms else {}
        return {"up": self.stations, "down": self.stations, **policy, **rtt, **MEDIA[self.medium][0]}

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/wlan.tcl for this point."""
        return {
            "scenario": "hotspot",
            "up": self.stations,
            "down": self.stations,
            "wired_delay": f"{self.rtt_ms / 2 or 0.1:g}ms",
            "segment_bytes": PAYLOAD_BYTES,
            "window": self.share if self.policy in ("fixed_window", "lossless") else WINDOW,
            "ap_queue": BUFFER,
            "rts_threshold": 3000,
            "duration": DURATION,
            **({"limiter": "2.3Mb"} if self.policy == "rate_limiter" else {}),
            **MEDIA[self.medium][1],
        }

    def __str__(self) -> str:
        """The point's name in tables."""
        text = f"{self.medium} {self.group} N={self.stations}, {f'{self.rtt_ms} ms' if self.rtt_ms else 'local'}"
        return text + (f", shares of {self.shared_buffer}" if self.shared_buffer != BUFFER else "")


def points() -> list[Hotspot]:
    """The points of ns-2's first results, and the other points of the paper's figures."""
    return [
        *_points("R", ("none", "rate_limiter"), (1, 2, 3, 4, 5, 10, 15, 20, 30)),
        *_points("Rfast", ("none", "rate_limiter"), (1, 3, 4, 10, 30)),
        *_points("R", ("none", "rate_limiter"), (15,), (100, 150, 200, 250, 350, 400)),
        *_points("R", ("none", "rate_limiter"), (5, 30), (200, 400)),
        *_points("R", WINDOWS, (1, 2, 4, 5, 10, 15, 30)),
        *_points("R", WINDOWS, (1, 2, 4, 5, 10, 30), (200, 400)),
        *_points("R", WINDOWS, (15,), (50, 100, 150, 200, 250, 350, 400)),
        *_points("R", WINDOWS, (2, 5, 10), shared_buffer=98),
    ]


def measured_points() -> list[Hotspot]:
    """The points that ns-2 runs. Its results with fixed windows also stand for `lossless`."""
    return [point for point in points() if point.policy != "lossless"]


#: The policies that share results of ns-2.
WINDOWS = ("fixed_window", "lossless")


def _points(
    medium: str, policies: Iterable[str], stations: Iterable[int], rtts: Iterable[int] = (0,), **others: Any
) -> Iterator[Hotspot]:
    for policy, n, rtt in product(policies, stations, rtts):
        yield Hotspot(medium, policy, n, rtt, **others)


#: Number of stations each way from which on ns-2's nodes exchange so many routes that it shows behind the limiter.
CROWDED = 15


def matched_points() -> list[Hotspot]:
    """The points at which ns-2's routing traffic and address resolution show.

    Without rate control, for instance, they decide which flows starve first.
    """
    return [point for point in measured_points() if differs(point)]


def differs(point: Hotspot) -> bool:
    """Whether ns-2 also runs a point without routing traffic and address resolution."""
    return point.policy == "none" or (point.policy == "rate_limiter" and point.stations >= CROWDED)


#: Settings of ns-2 without routing traffic and without losses by address resolution.
QUIET = {"routing_period": "1e9", "resolved": "true"}


def run(matched: bool, point: Hotspot, seed: int) -> dict[str, float]:
    """The metrics of one run of ns2/wlan.tcl, by AirFair's names and in SI units."""
    quiet = QUIET if matched and differs(point) else {}
    lines = ns2.call("wlan.tcl", {**point.ns2_settings, "seed": seed, **quiet})
    flows = [(words[1], float(words[2]), float(words[3])) for words in lines if words and words[0] == "flow"]
    return metrics(flows)


def metrics(flows: Sequence[tuple[str, float, float]]) -> dict[str, float]:
    """The paper's metrics. Each flow is given by direction, payload in byte and number of timeouts."""
    found = {"timeouts": sum(timeouts for *_, timeouts in flows)}
    for direction in ("up", "down"):
        rates = [8 * payload / DURATION for way, payload, _ in flows if way == direction]
        mean = statistics.fmean(rates)
        found[f"throughput_{direction}_ip"] = sum(rates) * (PAYLOAD_BYTES + HEADER_BYTES) / PAYLOAD_BYTES
        found[f"sigma_over_mean_{direction}"] = statistics.pstdev(rates) / mean if mean > 0 else 0.0
        found[f"starved_{direction}"] = sum(rate < max(0.01 * mean, 1e3) for rate in rates)
    found["throughput_ip"] = found["throughput_up_ip"] + found["throughput_down_ip"]
    return found


def results(file: str) -> Measurements[Hotspot]:
    """Read ns-2's results in a file, for all points that they stand for."""
    found = references.read(file, _hotspot, METRICS)
    fixed = {point: samples for point, samples in found.items() if point.policy == "fixed_window"}
    return found | {replace(point, policy="lossless"): samples for point, samples in fixed.items()}


def matched() -> Measurements[Hotspot]:
    """ns-2's results, without the traffic that AirFair leaves out where that matters."""
    return results(FILE) | results(MATCHED_FILE)


def _hotspot(row: Mapping[str, str]) -> Hotspot:
    return Hotspot(row["medium"], row["policy"], int(row["stations"]), int(row["rtt_ms"]), int(row["shared_buffer"]))


#: A difference of 3 % of the mean throughput is a difference of 0.03 in sigma over mean.
METRICS = {
    "throughput_up_ip": Metric("up, Mb/s", relative=0.03, scale=1e-6),
    "throughput_down_ip": Metric("down, Mb/s", relative=0.03, scale=1e-6),
    "throughput_ip": Metric("total, Mb/s", relative=0.03, scale=1e-6),
    "sigma_over_mean_up": Metric("sigma/mean up", absolute=0.03),
    "sigma_over_mean_down": Metric("sigma/mean down", absolute=0.03),
    "starved_up": Metric("starved up", relative=0.03, rare=True),
    "starved_down": Metric("starved down", relative=0.03, rare=True),
    "timeouts": Metric("timeouts", relative=0.03, rare=True),
}

#: Number of stations each way up to which windows that share the buffer leave at most one run in ten with a timeout,
#: and the least number of seeds there.
QUIET_STATIONS, QUIET_SEEDS = 10, 30
#: Least number of seeds without rate control, where uploads differ as much between seeds as within a run.
UNCONTROLLED_SEEDS = 20


def seeds(point: Hotspot, n: int) -> int:
    """Number of seeds for a point: `n`, or more if timeouts are rare or seeds differ."""
    if point.policy == "none":
        return max(n, UNCONTROLLED_SEEDS)
    rare = point.policy in WINDOWS and point.stations <= QUIET_STATIONS
    return max(n, QUIET_SEEDS) if rare else n


SET: PointSet[Hotspot] = PointSet(
    name="blefari",
    metrics=METRICS,
    sources=(
        Source("recorded", partial(results, FILE), partial(run, False)),
        Source("matched", matched, partial(run, True)),
    ),
    seeds=seeds,
)
