"""The points of the study `ghosh`: windows that adapt and windows that do not, over lossy last hops."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product as every
from typing import TYPE_CHECKING, Any

import polars

from fidelity import ns2, references
from fidelity.points import Measurements, Metric, PointSet, Source

if TYPE_CHECKING:
    from airfair import _engine

FILES = ("ghosh.csv", "ghosh_matched.csv")
#: Length of a run in s.
DURATION = 450.0
#: ns-2's agent under `Agent/TCP/`, and AirFair's settings, for each sender that is compared.
SENDERS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "reno": ("Reno", {"tcp": "reno"}),
    "newreno": ("Newreno", {"tcp": "newreno"}),
    # After every loss it starts again with one segment, as Tahoe does. `window_` withholds segments that duplicate ACKs
    # release.
    "constant, segment": ("RFC793edu", {"tcp": "constant", "after_timeout": "segment", "recovery": "tahoe"}),
    "constant, window": ("Reno/Constant", {"tcp": "constant", "after_timeout": "window"}),
    "constant NewReno, window": (
        "Newreno/Constant",
        {"tcp": "constant", "after_timeout": "window", "recovery": "newreno"},
    ),
}
#: Senders that stock ns-2 lacks.
FROM_LIBRARY = ("constant, window", "constant NewReno, window")


@dataclass(frozen=True)
class Place:
    """The network in which the flows run."""

    topology: str
    hop: str
    pairs: int
    #: Rate of the wire between router and base station; then the router's queue for it, in packets.
    bottleneck_mbps: float = 0.6
    buffer: int = 8
    #: Transmission time of a packet on that wire in s, rounded up. As a random delay it breaks phase effects (Floyd &
    #: Jacobson 1992).
    jitter: float = 0.014


PLACES: Mapping[str, Place] = {
    "wireless": Place("wireless", "wifi", 1),
    "lossy link": Place("wireless", "link", 1),
    "mixed": Place("mixed", "wifi", 20),
    "mixed, lossy links": Place("mixed", "link", 20, bottleneck_mbps=10, buffer=121, jitter=0.001),
}


@dataclass(frozen=True, order=True)
class Lossy:
    """A point: flows over a lossy last hop."""

    place: str
    sender: str
    #: Congestion window in segments; 0 if the sender adapts it.
    cwnd: int
    error: float
    error_at: str = "above_mac"
    queue: str = "drop_tail"
    #: Interface queue of the base station, in packets.
    interface_queue: int = 13
    #: The receiver's window, in segments.
    window: int = 1000
    delayed_ack: bool = False
    #: Each segment waits a random time up to this, in s, before it is sent.
    jitter: float = 0.0

    @property
    def scenario(self) -> str:
        """Name of AirFair's packaged scenario for this point."""
        return f"ghosh/{PLACES[self.place].topology}"

    @property
    def group(self) -> str:
        """The point's group in pass rates: its place and sender."""
        return f"{self.place}: {self.sender}"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        place = PLACES[self.place]
        return {
            **SENDERS[self.sender][1],
            **({"cwnd": self.cwnd} if self.cwnd else {}),
            "pairs": place.pairs,
            "hop": place.hop,
            "error": self.error,
            "error_at": self.error_at,
            "queue": self.queue,
            "buffer" if place.topology == "wireless" else "interface_queue": self.interface_queue,
            "window": self.cwnd if self.sender == SEGMENT else self.window,
            **({"delayed_ack": True} if self.delayed_ack else {}),
            **({"jitter": f"{1e3 * self.jitter:g} ms"} if self.jitter else {}),
            **(self._red if self.queue == "red" else {}),
        }

    @property
    def _red(self) -> dict[str, object]:
        """Parameters of RED. ns-2's RED lets as many packets wait as its limit says, one more than its DropTail."""
        buffer = PLACES[self.place].buffer
        return {
            "buffer": buffer + 1,
            "red_min": buffer / 4 / (buffer + 1),
            "red_max": 3 * buffer / 4 / (buffer + 1),
            "red_lottery": "ns2",
        }

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/ghosh.tcl for this point."""
        place = PLACES[self.place]
        red = {"queue": "RED", "red_min": place.buffer / 4, "red_max": 3 * place.buffer / 4}
        return {
            "topology": place.topology,
            "hop": place.hop,
            "pairs": place.pairs,
            "bottleneck_mbps": place.bottleneck_mbps,
            "buffer": place.buffer,
            "tcp": SENDERS[self.sender][0],
            "cwnd": self.cwnd,
            "window": self.window,
            "error": self.error,
            "error_at": self.error_at.replace("_", "-"),
            "interface_queue": self.interface_queue,
            "delayed_ack": "true" if self.delayed_ack else "false",
            "jitter": self.jitter,
            **(red if self.queue == "red" else {}),
        }

    def __str__(self) -> str:
        """The point's name in tables."""
        text = f"{self.place}: {self.sender}"
        if self.cwnd:
            text += f" {self.cwnd}"
        text += f", loss {100 * self.error:g} %"
        if self.error_at == "mac":
            text += " of MAC frames"
        if self.queue != "drop_tail":
            text += f", {self.queue.upper()}"
        if self.interface_queue != 13:
            text += f", interface queue {self.interface_queue}"
        if self.window != 1000:
            text += f", receiver's window {self.window}"
        if self.delayed_ack:
            text += ", delayed ACKs"
        return text + (f", jitter {1e3 * self.jitter:g} ms" if self.jitter else "")


ALL_WINDOWS = (1, 2, 4, 8, 10, 14, 16, 20, 30, 40)
MOST_WINDOWS = ALL_WINDOWS[:-1]
SOME_WINDOWS = (1, 4, 8, 14, 20)
LOSSES = (0.0, 0.01, 0.02, 0.1)
THREE_LOSSES = (0.0, 0.02, 0.1)
NONE_AND_MOST = (0.0, 0.1)
SEGMENT, WINDOW, NEWRENO_WINDOW = "constant, segment", *FROM_LIBRARY


def points() -> list[Lossy]:
    """All points: each place with the senders, windows and losses that differ most there."""
    return [*_wireless(), *_links(), *_mixed(), *_mixed_links()]


def _wireless() -> Iterator[Lossy]:
    at = partial(_points, "wireless")
    yield from at("reno", LOSSES)
    yield from at("newreno", THREE_LOSSES)
    yield from at(SEGMENT, LOSSES, ALL_WINDOWS)
    yield from at(WINDOW, THREE_LOSSES, MOST_WINDOWS)
    yield from at(NEWRENO_WINDOW, (0.02, 0.1), SOME_WINDOWS)
    yield from at("reno", (0.02, 0.1), error_at="mac")
    yield from at(SEGMENT, (0.02, 0.1), ALL_WINDOWS, error_at="mac")
    yield from at(WINDOW, (0.02, 0.1), SOME_WINDOWS, error_at="mac")
    yield from at("reno", NONE_AND_MOST, delayed_ack=True)
    yield from at(SEGMENT, NONE_AND_MOST, (8,), delayed_ack=True)
    yield from at("reno", NONE_AND_MOST, interface_queue=50)
    yield from at(SEGMENT, NONE_AND_MOST, (8, 20, 30, 40), interface_queue=50)
    yield from at("reno", NONE_AND_MOST, window=20)


def _links() -> Iterator[Lossy]:
    at = partial(_points, "lossy link")
    yield from at("reno", LOSSES)
    yield from at(SEGMENT, THREE_LOSSES, ALL_WINDOWS)


def _mixed() -> Iterator[Lossy]:
    at = partial(_points, "mixed")
    for sender in ("reno", "newreno"):
        yield from at(sender, THREE_LOSSES)
        yield from at(sender, NONE_AND_MOST, queue="red")
    yield from at(SEGMENT, NONE_AND_MOST, (1, 2, 3, 4))
    yield from at(SEGMENT, NONE_AND_MOST, (1, 2), queue="red")
    yield from at(WINDOW, THREE_LOSSES, (1, 2, 4, 8, 16))
    yield from at(WINDOW, NONE_AND_MOST, (1, 2, 4), queue="red")
    for queue in ("drop_tail", "red"):
        yield from at("reno", (0.1,), error_at="mac", queue=queue, interface_queue=50)
        yield from at(SEGMENT, (0.1,), (1, 2), error_at="mac", queue=queue, interface_queue=50)


def _mixed_links() -> Iterator[Lossy]:
    at = partial(_points, "mixed, lossy links")
    for sender in ("reno", "newreno"):
        yield from at(sender, THREE_LOSSES)
        yield from at(sender, NONE_AND_MOST, queue="red")
    yield from at(SEGMENT, NONE_AND_MOST, (2, 4, 8, 10, 15, 20, 30))
    yield from at(SEGMENT, NONE_AND_MOST, (8, 15), queue="red")
    yield from at(WINDOW, THREE_LOSSES, MOST_WINDOWS)
    yield from at(WINDOW, NONE_AND_MOST, (8, 10, 14), queue="red")


def _points(
    place: str, sender: str, losses: Iterable[float], windows: Iterable[int] = (0,), **settings: Any
) -> Iterator[Lossy]:
    for cwnd, error in every(windows, losses):
        yield Lossy(place, sender, cwnd, error, **settings)


def shares_router(point: Lossy) -> bool:
    """Whether many flows meet at one queue before the last hop."""
    return PLACES[point.place].pairs > 1


def in_phase(point: Lossy) -> bool:
    """Whether arrivals coincide at the router, and the order of simultaneous events decides which packet is dropped.

    Between wires only the starts of flows and errors are random, and before a WLAN little is without errors. RED is
    random, too.
    """
    regular = PLACES[point.place].hop == "link" or (point.error == 0 and point.queue == "drop_tail")
    return shares_router(point) and regular and not point.jitter


def third_parties_lose(point: Lossy) -> bool:
    """Whether ns-2's errors of MAC frames also hit stations that only overhear the frames.

    These stations then wait for an EIFS and miss the exchange. The medium is saturated there, and routing adds load.
    """
    return point.error_at == "mac" and shares_router(point)


def opens_at_once(point: Lossy) -> bool:
    """Whether it matters that the library's senders send their window before the SYN is acknowledged.

    Windows beyond the router's buffer make other flows lose their SYNs. If a SYN is lost, no segment of the window
    after it can be timed, and the timer starts from 3 s and doubles.
    """
    return shares_router(point) and point.sender in FROM_LIBRARY and point.cwnd > PLACES[point.place].buffer


def differs(point: Lossy) -> bool:
    """Whether ns-2 models something at a point that AirFair leaves out, or a detail outside both models decides.

    RFC793edu, older than ns-2's other agents, starts its timer before an ACK's sample and the end of its backoff
    count, doubles it at most to 64 times, and opens with two segments.
    """
    return third_parties_lose(point) or point.sender == SEGMENT or in_phase(point) or opens_at_once(point)


def matched_points() -> list[Lossy]:
    """Substitutes for the points that differ: run with other settings of ns-2, or with jitter on both sides."""
    return [
        replace(point, jitter=PLACES[point.place].jitter) if in_phase(point) else point
        for point in points()
        if differs(point)
    ]


#: Settings of ns-2 without routing traffic and with addresses resolved in advance.
QUIET = {"resolved": "true", "routing_period": "1e9"}


def opens_on_arp(point: Lossy, matched: bool) -> bool:
    """Whether ARP would make a constant window lose its first burst: of waiting packets, ARP keeps only the last.

    Behind a router the packets arrive one by one, so that for most of them the address is known.
    """
    alone = matched and point.sender == SEGMENT and not shares_router(point)
    return PLACES[point.place].hop == "wifi" and (point.sender in FROM_LIBRARY or alone)


def run(matched: bool, point: Lossy, seed: int) -> dict[str, float]:
    """The metrics of one run of ns2/ghosh.tcl, by AirFair's names and in SI units."""
    settings = {**point.ns2_settings, "seed": seed}
    if matched and point.sender == SEGMENT:
        settings |= {"tcp": "Constant", "window": point.cwnd}
    if matched and opens_at_once(point):
        settings["syn_alone"] = "true"
    if matched and point.error_at == "mac":
        # With one mobile nobody overhears frames, but a lost broadcast would leave it without a route for good.
        settings["error_at"] = "mac-addressed"
    if opens_on_arp(point, matched) or (matched and third_parties_lose(point)):
        settings |= QUIET
    if needs_library(settings):
        settings["library"] = ns2.library()
    lines = ns2.call("ghosh.tcl", settings)
    flows = [[float(word) for word in words[1:]] for words in lines if words[0] == "flow"]
    [(arrived, dropped)] = [(int(words[1]), int(words[2])) for words in lines if words[0] == "bottleneck"]
    return metrics(flows) | {"bottleneck_drop_rate": dropped / arrived if arrived else 0.0}


def needs_library(settings: Mapping[str, object]) -> bool:
    """Whether stock ns-2 lacks a feature that these settings of ns2/ghosh.tcl need."""
    return "Constant" in str(settings["tcp"]) or settings["error_at"] == "mac-addressed"


def metrics(flows: Sequence[Sequence[float]]) -> dict[str, float]:
    """The metrics of flows. Each is given by start, segments sent, retransmissions, highest ACK and timeouts."""
    received = [max(highest, 0) for _, _, _, highest, _ in flows]
    squares = sum(packets**2 for packets in received)
    return {
        "goodput_total": sum(received) * 8 * ns2.SEGMENT_BYTES / DURATION,
        "rexmit_fraction": sum(resent for _, _, resent, *_ in flows) / sum(sent for _, sent, *_ in flows),
        "timeouts": sum(timeouts for *_, timeouts in flows),
        "packets_stddev": statistics.pstdev(received),
        # If no flow gets anything, all are equal.
        "jain": sum(received) ** 2 / (len(received) * squares) if squares else 1.0,
    }


def counted(outcome: _engine.Outcome) -> dict[str, float]:
    """The values of a run of AirFair that are compared and are not metrics there.

    ns-2's queue monitor counts losses of the error model behind the link as drops.
    """
    flows, links = polars.DataFrame(outcome.flows), polars.DataFrame(outcome.links)
    bottleneck = links.filter(polars.col("link") == "bottleneck").sum()
    lost = 0.0
    if bottleneck["offered"].item():
        lost = (bottleneck["dropped"].item() + bottleneck["lost_errors"].item()) / bottleneck["offered"].item()
    return {"timeouts": float(flows["timeouts"].sum()), "bottleneck_drop_rate": lost}


def compared(point: Lossy, _theirs: Mapping[str, object]) -> tuple[str, ...]:
    """The metrics compared at a point. A single flow has no fairness, and no bottleneck but the last hop."""
    alone = ("goodput_total", "rexmit_fraction", "timeouts")
    return alone if PLACES[point.place].pairs == 1 else tuple(METRICS)


def runnable(point: Lossy) -> bool:
    """Whether ns-2 can run a point. Stock ns-2 lacks some of the senders and of the errors, which the library has."""
    stock = point.sender in ("reno", "newreno") and not third_parties_lose(point)
    return stock or ns2.library() != ""


def recorded() -> Measurements[Lossy]:
    """ns-2's results at all points."""
    return references.read(FILES[0], _lossy, METRICS)


def matched() -> Measurements[Lossy]:
    """ns-2's results, with substitutes for the points that differ."""
    alike = {point: samples for point, samples in recorded().items() if not differs(point)}
    return alike | references.read(FILES[1], _lossy, METRICS)


def _lossy(row: Mapping[str, str]) -> Lossy:
    return Lossy(
        row["place"],
        row["sender"],
        int(row["cwnd"]),
        float(row["error"]),
        row["error_at"],
        row["queue"],
        int(row["interface_queue"]),
        int(row["window"]),
        row["delayed_ack"] == "True",
        float(row["jitter"]),
    )


METRICS = {
    "goodput_total": Metric("goodput, Mb/s", relative=0.03, scale=1e-6),
    "rexmit_fraction": Metric("resent", relative=0.03),
    "timeouts": Metric("timeouts", relative=0.03, rare=True),
    "packets_stddev": Metric("deviation, packets", relative=0.03),
    "jain": Metric("Jain", absolute=0.03),
    "bottleneck_drop_rate": Metric("dropped", relative=0.03),
}

SET: PointSet[Lossy] = PointSet(
    name="ghosh",
    metrics=METRICS,
    sources=(Source("recorded", recorded, partial(run, False)), Source("matched", matched, partial(run, True))),
    compared=compared,
    counted=counted,
    runnable=runnable,
)
