"""`python -m fidelity.ware`: BBR's share of a link beside a loss-based flow, against the model of Ware et al.

Ware, Mukerjee, Seshan & Sherry, "Modeling BBR's interactions with loss-based congestion control" (IMC 2019).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from rich.console import Console

import airfair
from fidelity import options, overview
from fidelity.references import HERE
from fidelity.report import Table
from fidelity.sample import Sample

SCENARIO = HERE / "scenarios" / "ware.toml"
BUFFERS = (1, 2, 4, 8, 16, 32)
#: Values of the scenario: bandwidth-delay product in packets, round-trip time in s, interval of PROBE_RTT in s.
BDP, RTT, INTERVAL = 33.3, 0.04, 10.0
PROBE_RTT = 0.2


@dataclass(frozen=True)
class Case:
    """The flows that share the link: one with `tcp`, and `flows` with `bbr`."""

    title: str
    tcp: str
    bbr: str
    flows: int = 1


CASES = (
    Case("CUBIC", "cubic", "bbr"),
    Case("Reno", "sack", "bbr"),
    Case("CUBIC, 5 of BBR", "cubic", "bbr", flows=5),
    Case("CUBIC, version 3", "cubic", "bbr3"),
)


def probing(buffer: float) -> float:
    """The share of time that PROBE_RTT takes: while the queue drains, 200 ms, and a round trip."""
    return (buffer * RTT + PROBE_RTT + RTT) / INTERVAL


def model(buffer: float, flows: int) -> float:
    """BBR's share of the link by the paper's model, with a buffer of X bandwidth-delay products, or q packets.

    The loss-based flow has the share p = 1/2 - 1/(2X) - 4N/q of the queue and of the rate, beside N flows of BBR.
    """
    loss_based = max(0.0, 0.5 - 1 / (2 * buffer) - 4 * flows / (buffer * BDP))
    return (1 - loss_based) * (1 - probing(buffer))


def conserved(buffer: float, flows: int) -> float:
    """Like `model`, but the loss-based flow's packets fill the pipe in PROBE_RTT, and only the rest of them queue.

    BBR with a share s finds a round trip of ((1 - s)(q + BDP) + 4N) / c, and twice that times s c in flight,
    which is s (q + BDP): s = 1/2 + 4N / (q + BDP).
    """
    share = 0.5 + 4 * flows / ((buffer + 1) * BDP)
    return min(1.0, share) * (1 - probing(buffer))


def shares(case: Case, buffer: float, seeds: int, jobs: int) -> Sample:
    """BBR's share of the throughput of all flows, in each seed."""
    result = airfair.run(
        SCENARIO, seeds=seeds, jobs=jobs, tcp=case.tcp, others=case.bbr, flows=case.flows, buffer=buffer
    )
    columns = result.flows.to_pydict()
    flows = list(zip(columns["seed"], columns["flow"], columns["throughput"], strict=True))
    found = []
    for seed in range(1, seeds + 1):
        rates = {name: rate for of, name, rate in flows if of == seed}
        found.append(1 - rates["loss-based"] / sum(rates.values()))
    return Sample(tuple(found))


FORMS = {"model": model, "conserved": conserved}


def table(seeds: int, jobs: int) -> Table:
    """A table of the model and each case, by buffer."""
    made = Table(
        "BBR's part of the link beside one loss-based flow",
        ["buffer, BDPs", *(f"{form}, {n} of BBR" for n in (1, 5) for form in FORMS), *(case.title for case in CASES)],
    )
    for buffer in BUFFERS:
        cells = [f"{buffer}", *(f"{form(buffer, flows):.2f}" for flows in (1, 5) for form in FORMS.values())]
        for case in CASES:
            found = shares(case, buffer, seeds, jobs)
            cells.append(f"{found.mean:.2f} ± {found.deviation:.2f}")
        made.rows.append(cells)
    return made


def main() -> int:
    """Run, show the table, and with `--write` put it into the documents."""
    arguments = options.parser("ware", __doc__, seeds=5).parse_args()
    made = table(arguments.seeds, arguments.jobs)
    made.show(Console())
    if arguments.write:
        text = options.dated(f"{arguments.seeds} seeds.\n\n{made.markdown()}")
        overview.write({"ware": text})
    return 0


if __name__ == "__main__":
    sys.exit(main())
