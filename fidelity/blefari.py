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
#: In s, after 20 s of warm-up.
DURATION = 100.0

#: Control frames and PLCP header at the rates of a real radio, or all at 11 Mb/s: parameters here and in ns-2.
MEDIA: Mapping[str, tuple[Mapping[str, object], Mapping[str, object]]] = {
    "R": ({}, {"basic_rate": "2Mb", "plcp_rate": "1e6"}),
    "Rfast": ({"basic_rate": "11 Mb/s", "plcp_rate": "11 Mb/s"}, {"basic_rate": "11Mb", "plcp_rate": "11e6"}),
}


@dataclass(frozen=True, order=True)
class Hotspot:
    """So many stations that upload, and as many that download."""

    #: Of `MEDIA`.
    medium: str
    #: none, rate_limiter, fixed_window (every flow has its share of the buffer as its window) or lossless (the same,
    #: but the access point writes it into passing ACKs; ns-2 has fixed windows there too).
    policy: str
    stations: int
    #: Of the wire; 0 is the local host, with 0.2 ms.
    rtt_ms: int = 0
    #: fixed_window and lossless: packets that the flows share.
    shared_buffer: int = BUFFER

    scenario = "blefari/hotspot"

    @property
    def group(self) -> str:
        """Pass rates by policy."""
        return self.policy.replace("_", " ")

    @property
    def share(self) -> int:
        """The window in segments that keeps all flows together within the buffer."""
        return min(WINDOW, self.shared_buffer // (2 * self.stations))

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters."""
        policy: dict[str, object] = {"policy": self.policy}
        if self.policy == "fixed_window":
            policy = {"window": self.share}
        elif self.shared_buffer != BUFFER:
            policy |= {"window_buffer": self.shared_buffer}
        rtt = {"rtt": f"{self.rtt_ms} ms"} if self.rtt_ms else {}
        return {"up": self.stations, "down": self.stations, **policy, **rtt, **MEDIA[self.medium][0]}

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/wlan.tcl."""
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
        """As tables name it."""
        text = f"{self.medium} {self.group} N={self.stations}, {f'{self.rtt_ms} ms' if self.rtt_ms else 'local'}"
        return text + (f", shares of {self.shared_buffer}" if self.shared_buffer != BUFFER else "")


def points() -> list[Hotspot]:
    """Those of ns-2's first results, and the rest of the paper's figures."""
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
    """Those that ns-2 runs: fixed windows stand for the access point's rewriting as well."""
    return [point for point in points() if point.policy != "lossless"]


#: Both have the same ns-2 results.
WINDOWS = ("fixed_window", "lossless")


def _points(
    medium: str, policies: Iterable[str], stations: Iterable[int], rtts: Iterable[int] = (0,), **others: Any
) -> Iterator[Hotspot]:
    for policy, n, rtt in product(policies, stations, rtts):
        yield Hotspot(medium, policy, n, rtt, **others)


#: From so many stations up and down on ns-2's nodes tell each other of so many routes that it shows behind the limiter.
CROWDED = 15


def matched_points() -> list[Hotspot]:
    """Where ns-2's routing traffic and address resolution show: without control they decide who starves first."""
    return [point for point in measured_points() if differs(point)]


def differs(point: Hotspot) -> bool:
    """Whether ns-2 runs a point without these as well."""
    return point.policy == "none" or (point.policy == "rate_limiter" and point.stations >= CROWDED)


#: Without routing traffic and without losses by address resolution.
QUIET = {"routing_period": "1e9", "resolved": "true"}


def run(matched: bool, point: Hotspot, seed: int) -> dict[str, float]:
    """The metrics of one run of ns2/wlan.tcl, by AirFair's names and in SI units."""
    quiet = QUIET if matched and differs(point) else {}
    lines = ns2.call("wlan.tcl", {**point.ns2_settings, "seed": seed, **quiet})
    flows = [(words[1], float(words[2]), float(words[3])) for words in lines if words and words[0] == "flow"]
    return metrics(flows)


def metrics(flows: Sequence[tuple[str, float, float]]) -> dict[str, float]:
    """The paper's metrics of flows: each one's direction, payload in byte and timeouts."""
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
    """ns-2's results, by all points that they stand for."""
    found = references.read(file, _hotspot, METRICS)
    fixed = {point: samples for point, samples in found.items() if point.policy == "fixed_window"}
    return found | {replace(point, policy="lossless"): samples for point, samples in fixed.items()}


def matched() -> Measurements[Hotspot]:
    """The same without the traffic that AirFair leaves out."""
    return results(FILE) | results(MATCHED_FILE)


def _hotspot(row: Mapping[str, str]) -> Hotspot:
    return Hotspot(row["medium"], row["policy"], int(row["stations"]), int(row["rtt_ms"]), int(row["shared_buffer"]))


#: Of a mean throughput, 3 % is 0.03 of sigma over mean.
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

#: With windows that share the buffer, up to so many stations each way see a timeout in one run out of ten or fewer; and
#: so many seeds are taken there.
QUIET_STATIONS, QUIET_SEEDS = 10, 30
#: Without control uploads differ as much from seed to seed as they do within a run.
UNCONTROLLED_SEEDS = 20


def seeds(point: Hotspot, n: int) -> int:
    """More where timeouts are rare or seeds differ."""
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
