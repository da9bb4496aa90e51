"""`python -m fidelity.bbr3`: the test matrix of BBR's authors, with BBR version 3, 1 and CUBIC.

The rates, round trips, buffers, losses and numbers of flows are those of google/bbr, branch v3,
gtests/net/tcp/bbr/nsperf/run_tests.sh, which plots results and gives no numbers to compare with. What has to hold
follows from draft-ietf-ccwg-bbr. Each run has one seed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console

import airfair
from fidelity import options, overview
from fidelity.references import HERE
from fidelity.report import Table

SCENARIO = HERE / "scenarios" / "bbr3.toml"
CONTROLS = ("bbr3", "bbr", "cubic")
#: Bandwidth-delay products in packets, of 50 Mb/s and 30 ms and of 1 Gb/s and 100 ms.
SHORT, LONG = 125, 8333
#: Largest median round-trip time allowed, in ms: twice that of the shorter path.
LATE = 2 * 30
#: The draft's BBRLossThresh: the largest share of losses in a round trip that BBR tolerates.
THRESHOLD = 0.02
#: Shares that a flow must reach: of a link that two flows share, and of what random losses below `THRESHOLD` leave.
SHARE, GOODPUT = 0.25, 0.8


def verdict(holds: bool) -> str:
    """The verdict as tables show it."""
    return "pass" if holds else "**fail**"


def _run(**parameters: Any) -> airfair.Result:
    return airfair.run(SCENARIO, seeds=1, jobs=1, **parameters)


def _of_each(metric: str, **parameters: Any) -> list[float]:
    """A metric for each of `CONTROLS`, with all flows using that control."""
    return [float(_run(tcp=control, other=control, **parameters).metrics[metric]) for control in CONTROLS]


def coexist() -> Table:
    """BBR's share of the rate, when a CUBIC flow and a BBR flow share 50 Mb/s for 180 s."""
    made = Table("coexist", ["buffer, BDPs", "share of version 3", "of version 1", "none has less than a quarter"])
    for buffer in (0.1, 1, 2, 4, 8, 16):
        shares = []
        for control in ("bbr3", "bbr"):
            packets = max(1, round(buffer * SHORT))
            result = _run(tcp="cubic", other=control, flows=2, buffer=packets, duration="180 s")
            rates = result.flows.to_pydict()["throughput"]
            shares.append(rates[1] / sum(rates))
        made.rows.append([f"{buffer:g}", *(f"{one:.2f}" for one in shares), verdict(SHARE <= shares[0] <= 1 - SHARE)])
    return made


def random_loss() -> Table:
    """The goodput in Mb/s of one flow over 1 Gb/s and 100 ms for 60 s, by the rate of random loss."""
    made = Table("random_loss", ["loss", "version 3, Mb/s", "version 1", "CUBIC", "four fifths up to a loss of 1 %"])
    for loss in (1e-5, 1e-4, 1e-3, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2):
        path = {"rate": "1 Gb/s", "rtt": "100 ms", "buffer": LONG}
        goodputs = [one / 1e6 for one in _of_each("throughput_total", **path, loss=loss, duration="60 s")]
        asked = verdict(goodputs[0] >= GOODPUT * 1000 * (1 - loss)) if loss < THRESHOLD else ""
        made.rows.append([f"{loss:.3%}".replace("%", " %"), *(f"{one:.1f}" for one in goodputs), asked])
    return made


def shallow() -> Table:
    """The share of retransmissions at a buffer of 2 % of the BDP of 1 Gb/s and 100 ms, for 60 s."""
    made = Table("shallow", ["flows", "version 3, sent again", "version 1", "CUBIC", "no more than 2 %"])
    for flows in (1, 10, 30, 100):
        path = {"rate": "1 Gb/s", "rtt": "100 ms", "buffer": round(0.02 * LONG)}
        parts = _of_each("rexmit_fraction", **path, flows=flows, duration="60 s")
        shown = (f"{one:.2%}".replace("%", " %") for one in parts)
        made.rows.append([str(flows), *shown, verdict(parts[0] <= THRESHOLD)])
    return made


def bufferbloat() -> Table:
    """The median round-trip time in ms, when two flows share 50 Mb/s and 30 ms for 120 s, by buffer."""
    made = Table("bufferbloat", ["buffer, BDPs", "version 3, ms", "version 1", "CUBIC", "no more than two round trips"])
    for buffer in (1, 10, 50, 100):
        medians = [1e3 * one for one in _of_each("rtt_p50", flows=2, buffer=buffer * SHORT, duration="120 s")]
        made.rows.append([str(buffer), *(f"{one:.1f}" for one in medians), verdict(medians[0] <= LATE)])
    return made


TESTS: tuple[Callable[[], Table], ...] = (coexist, random_loss, shallow, bufferbloat)


def main() -> int:
    """Run the matrix, show its tables, and with `--write` put them into the documents."""
    arguments = options.parser("bbr3", __doc__).parse_args()
    for test in TESTS:
        table = test()
        table.show(Console())
        if arguments.write:
            text = f"{options.dated()}\n\n{table.markdown()}"
            overview.write({f"bbr3-{test.__name__.replace('_', '-')}": text})
    return 0


if __name__ == "__main__":
    sys.exit(main())
