"""`python -m fidelity.l4s`: coupled queues, Prague and DCTCP against closed forms and published numbers.

Sources: RFC 9332 (DualQ Coupled AQMs); De Schepper, Albisser, Tilmans & Briscoe, "Dual Queue Coupled AQM: Deployable
Very Low Queuing Delay for All" (arXiv 2209.01078); Alizadeh, Javanmard & Prabhakar, "Analysis of DCTCP"
(SIGMETRICS 2011).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

from rich.console import Console

import airfair
from fidelity import options, overview
from fidelity.references import HERE
from fidelity.report import Table
from fidelity.sample import Sample

DCTCP = HERE / "scenarios" / "dctcp.toml"
DELAY = HERE / "scenarios" / "dctcp_delay.toml"
#: Cases of ns-3's `tcp-validation`: round-trip time in ms, the span of the flow's life that is judged in s, and the
#: ranges of goodput in Mb/s and of alpha.
VALIDATED = ((10, (2, 10), (48, 49), (0.045, 0.095)), (80, (29, 35), (47.5, 48.5), (0.015, 0.025)))
#: Cases: rate in Mb/s, round-trip time in ms, and the number of flows of each kind.
CASES = ((40, 10, 1), (40, 50, 1), (120, 10, 1), (120, 50, 1), (120, 10, 10), (120, 20, 10), (120, 50, 10))
#: Least number of flows of each kind, and largest round-trip time in ms, at which the probabilities of marks and drops
#: are steady enough for the closed forms.
STEADY_FLOWS, STEADY_RTT = 10, 20
#: Relative tolerance of the closed forms in these cases.
TOLERANCE = 0.15
#: Prague's virtual round-trip time in s; with the `linux` profile, a packet's size in bit and its payload in byte.
VIRTUAL_RTT, PACKET, PAYLOAD = 0.025, 12_000, 1448
#: Window of a Reno flow in segments times the root of the share of losses (RFC 9332, appendix C); the coupling factor.
RENO, COUPLING = math.sqrt(1.5), 2


def prague(rtt: float) -> float:
    """Window of a Prague flow in segments times the share of marked segments, with a round-trip time of `rtt` in s.

    A mark in each round trip cuts the window by half of that share, and a round trip adds a segment: the product is 2.
    If the round-trip time is shorter than the virtual one, proportionally less is in flight.
    """
    return 2 * min(1, rtt / VIRTUAL_RTT)


def alpha(window: float) -> float:
    """The share of marked segments of a lone DCTCP flow, if marks begin at this window in segments.

    The segments of one round trip of a sawtooth are marked: alpha^2 (1 - alpha / 4) = (2 W + 1) / (W + 1)^2.
    """
    wanted = (2 * window + 1) / (window + 1) ** 2
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**2 * (1 - middle / 4) < wanted else (low, middle)
    return low


def marked(result: airfair.Result) -> Sample:
    """The share of marked packets at the bottleneck, in each seed."""
    links = result.links.to_pydict()
    there = [link == "bottleneck" for link in links["link"]]
    counts = zip(there, links["marked"], links["offered"], strict=True)
    return Sample(tuple(marks / offered for is_there, marks, offered in counts if is_there))


@dataclass(frozen=True)
class Law:
    """The value that a closed form predicts, and the measured value."""

    name: str
    measured: float
    expected: float

    @property
    def holds(self) -> bool:
        """Whether the measured value is within `TOLERANCE` of the prediction."""
        return abs(self.measured - self.expected) <= TOLERANCE * self.expected


@dataclass(frozen=True)
class Kind:
    """The flows of one kind in one run: segments sent by all, and mean rate of a flow in bit/s."""

    segments: int
    rate: float


def kinds(result: airfair.Result, seed: int) -> tuple[Kind, Kind]:
    """The low-latency flows and the Classic flows of one seed."""
    flows = result.flows.to_pydict()
    rows = zip(flows["seed"], flows["flow"], flows["segments"], flows["throughput"], strict=True)
    mine = [(flow, segments, rate) for of, flow, segments, rate in rows if of == seed]

    def kind(name: str) -> Kind:
        those = [(segments, rate) for flow, segments, rate in mine if flow.startswith(name)]
        return Kind(sum(segments for segments, _ in those), sum(rate for _, rate in those) / len(those))

    return kind("low"), kind("classic")


def laws(result: airfair.Result) -> list[Sample]:
    """By seed, the ratio of the rates, the product of Prague's law, that of Reno's, and the coupling."""
    links = result.links.to_pydict()
    counts = [
        (seed, marks, drops)
        for seed, link, marks, drops in zip(
            links["seed"], links["link"], links["marked"], links["dropped"], strict=True
        )
        if link == "bottleneck"
    ]
    low_rtt, classic_rtt = (float(result.metrics[f"rtt_{kind}_mean"]) for kind in ("low_latency", "classic"))
    found = []
    for seed, marks, drops in counts:
        low, classic = kinds(result, seed)
        marking, root = marks / low.segments, math.sqrt(drops / classic.segments)
        windows = low.rate * low_rtt / 8 / PAYLOAD, classic.rate * classic_rtt / 8 / PAYLOAD
        found.append((low.rate / classic.rate, windows[0] * marking, windows[1] * root, marking / root))
    return [Sample(values) for values in zip(*found, strict=True)]


def coupled(seeds: int, jobs: int) -> tuple[Table, list[Law]]:
    """Run flows of both kinds at a DualPI2; returns the table, and the laws that have to hold."""
    judged = []
    made = Table(
        "Prague beside Reno, and beside CUBIC",
        [
            *("rate, round trip, flows of each kind", "rates", "closed form", "Prague's W p", "closed form"),
            *("Reno's W √p", "coupling", "L queue p50, ms", "p99, ms", "C queue, ms", "rates beside CUBIC"),
        ],
    )
    for rate, rtt, flows in CASES:
        asked: dict[str, Any] = {
            "rate": f"{rate} Mb/s",
            "rtt": f"{rtt} ms",
            "low_latency_flows": flows,
            "classic_flows": flows,
            # With delayed ACKs the round-trip time would include the wait for a second segment.
            "tcp.delayed_ack": False,
            "metrics": ["rtt_low_latency_mean", "rtt_low_latency_p50", "rtt_low_latency_p99", "rtt_classic_mean"],
        }
        found = airfair.run("l4s/coupled", seeds=seeds, jobs=jobs, tcp="sack", **asked)
        cubic = airfair.run("l4s/coupled", seeds=seeds, jobs=jobs, tcp="cubic", **asked)
        low, classic = (float(found.metrics[f"rtt_{kind}_mean"]) for kind in ("low_latency", "classic"))
        at_rest = rtt / 1000 + PACKET / (rate * 1e6)
        queues = [1000 * (float(found.metrics[name]) - at_rest) for name in asked["metrics"][1:]]
        ratio, mine, reno, coupling = laws(found)
        case = f"{rate} Mb/s, {rtt} ms, {flows}"
        if flows >= STEADY_FLOWS and rtt <= STEADY_RTT:
            judged += [
                Law(f"Prague's W p, {case}", mine.mean, prague(low)),
                Law(f"Reno's W √p, {case}", reno.mean, RENO),
                Law(f"coupling, {case}", coupling.mean, COUPLING),
            ]
        made.rows.append(
            [
                case,
                f"{ratio.mean:.2f} ± {ratio.deviation:.2f}",
                f"{prague(low) / low / COUPLING / (RENO / classic):.2f}",
                f"{mine.mean:.2f}",
                f"{prague(low):.2f}",
                f"{reno.mean:.2f}",
                f"{coupling.mean:.2f}",
                *(f"{queue:.2f}" for queue in queues),
                f"{laws(cubic)[0].mean:.2f}",
            ]
        )
    return made, judged


def dctcp(seeds: int, jobs: int) -> tuple[Table, list[Law]]:
    """Run a lone flow of DCTCP, end to end; returns the table, and the laws that have to hold."""
    judged = []
    made = Table("One DCTCP flow", ["rate, round trip", "marks from", "goodput, Mb/s", "marked", "closed form"])
    for rate, rtt, threshold in ((50, 10, 4), (50, 10, 20), (100, 10, 20), (100, 20, 40)):
        found = airfair.run(DCTCP, seeds=seeds, jobs=jobs, rate=f"{rate} Mb/s", rtt=f"{rtt} ms", threshold=threshold)
        part = marked(found)
        window = rate * 1e6 * rtt / 1000 / PACKET + threshold
        judged.append(Law(f"DCTCP's marks, {rate} Mb/s, {rtt} ms, {threshold}", part.mean, alpha(window)))
        made.rows.append(
            [
                f"{rate} Mb/s, {rtt} ms",
                f"{threshold} packets",
                f"{float(found.metrics['throughput_total']) / 1e6:.2f}",
                f"{part.mean:.3f} ± {part.deviation:.3f}",
                f"{alpha(window):.3f}",
            ]
        )
    return made, judged


def by_delay(jobs: int) -> Table:
    """Run a lone flow of DCTCP at a queue that marks by delay; a table of the results and of ns-3's ranges."""
    columns = ["round trip", "from, s", "goodput, Mb/s", "ns-3 allows", "marked", "ns-3 allows", "closed form"]
    made = Table("One DCTCP flow, marked by delay", columns)
    for rtt, (begin, end), *allowed in VALIDATED:
        found = airfair.run(
            DELAY, seeds=1, jobs=jobs, rtt=f"{rtt} ms", warmup=f"{begin} s", duration=f"{end - begin} s"
        )
        window = 50e6 * (rtt + 1) / 1000 / PACKET
        goodput = f"{float(found.metrics['throughput_total']) / 1e6:.2f}"
        rates, parts = (f"{low:g} to {high:g}" for low, high in allowed)
        part = f"{marked(found).mean:.3f}"
        made.rows.append([f"{rtt} ms", f"{begin} to {end}", goodput, rates, part, parts, f"{alpha(window):.3f}"])
    return made


def compare(seeds: int, jobs: int, *, write: bool, console: Console) -> list[str]:
    """Run, show the tables, and with `write` put them into the documents; returns the laws that do not hold."""
    missed = []
    for section, make in (("l4s-coupled", coupled), ("l4s-dctcp", dctcp)):
        made, judged = make(seeds, jobs)
        made.show(console)
        missed += [f"{law.name}: {law.measured:.2f}, not {law.expected:.2f}" for law in judged if not law.holds]
        if write:
            held = f"{sum(law.holds for law in judged)} of {len(judged)} laws hold"
            text = options.dated(f"{seeds} seeds. {held}.\n\n{made.markdown()}")
            overview.write({section: text})
    delayed = by_delay(jobs)
    delayed.show(console)
    if write:
        overview.write({"l4s-dctcp-delay": f"{options.dated()}\n\n{delayed.markdown()}"})
    return missed


def main() -> int:
    """Run all comparisons, and return 1 if a law does not hold."""
    arguments = options.parser("l4s", __doc__, seeds=5).parse_args()
    console = Console()
    missed = compare(arguments.seeds, arguments.jobs, write=arguments.write, console=console)
    for law in missed:
        console.print(law, style="bold red")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
