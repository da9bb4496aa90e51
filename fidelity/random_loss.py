"""`python -m fidelity.random_loss`: AirFair's TCP under random loss against closed forms.

Reno, NewReno and SACK are compared with the model of Padhye et al., TCP(alpha, beta) with the GAIMD equation.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

from fidelity import figure, options, ours, overview
from fidelity.closed_forms import gaimd, padhye
from fidelity.mamatas import PAYLOAD_BITS, VARIANTS
from fidelity.points import Measurements, PointSet
from fidelity.references import HERE
from fidelity.report import Table, percent

LOSSES = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2)
#: Receiver's windows in segments: one that limits nothing, and a small one.
MAX_WINDOWS = (1000, 32)
NAMES = {"reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
#: Round-trip time of scenarios/random_loss.toml, and T0, the least timeout of the `ns2` profile, in s.
RTT, T0 = 0.1, 0.2
#: Expected number of losses in one run, so that every rate is known equally well.
LOSSES_IN_A_RUN = 400.0


@dataclass(frozen=True)
class Lossy:
    """A point: one flow under random loss."""

    tcp: str
    loss: float
    max_window: int = 1000
    #: Parameters of TCP(alpha, beta): alpha, beta, and a key of `CUTS`.
    alpha: float = 1.0
    beta: float = 0.5
    other_cuts: str = "half"

    scenario = str(HERE / "scenarios" / "random_loss.toml")

    @property
    def group(self) -> str:
        """The TCP of the point, as tables name it."""
        return f"TCP({self.alpha:g}, {self.beta:g})" if self.tcp == "aimd" else NAMES[self.tcp]

    @property
    def predicted(self) -> float:
        """The closed form's send rate in segments per second."""
        if self.tcp == "aimd":
            return gaimd(self.loss, RTT, T0, self.alpha, self.beta)
        return padhye(self.loss, RTT, T0, self.max_window)

    @property
    def duration(self) -> float:
        """Length of the run in s."""
        return LOSSES_IN_A_RUN / self.loss / self.predicted

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        control = {"alpha": self.alpha, "beta": self.beta, "other_cuts": self.other_cuts}
        return {
            "tcp": self.tcp,
            "loss": self.loss,
            "window": self.max_window,
            "duration": f"{self.duration:.3f} s",
            **(control if self.tcp == "aimd" else {}),
        }


RENOS = [Lossy(tcp, loss, window) for window in MAX_WINDOWS for loss in LOSSES for tcp in NAMES]
#: How TCP(alpha, beta) cuts its window the first time, in slow start and after a timeout: as ns-2 or as the equation.
CUTS = {"half": "the first cut and timeouts halve, as in ns-2", "beta": "every cut to beta"}
AIMDS = [
    Lossy("aimd", loss, alpha=alpha, beta=beta, other_cuts=cuts)
    for cuts in CUTS
    for loss in LOSSES
    for alpha, beta in VARIANTS
]
SET: PointSet[Lossy] = PointSet(name="random loss", metrics={}, sources=())


def main() -> int:
    """Run, show the tables, and with `--write` put tables and figures into the documents."""
    arguments = options.parser("random_loss", __doc__, seeds=5).parse_args()
    measured = ours.measure_all(SET, RENOS + AIMDS, arguments.seeds, arguments.jobs)
    by_window = {window: [point for point in RENOS if point.max_window == window] for window in MAX_WINDOWS}
    sections = {f"padhye-{window}": reno_table(points, measured) for window, points in by_window.items()}
    by_cuts = {cuts: [point for point in AIMDS if point.other_cuts == cuts] for cuts in CUTS}
    sections |= {f"gaimd-{cuts}": gaimd_table(points, measured) for cuts, points in by_cuts.items()}
    for table in sections.values():
        table.show(Console())
    if arguments.write:
        made = options.dated(f"{arguments.seeds} seeds.")
        overview.write({section: f"{made}\n\n{table.markdown()}" for section, table in sections.items()})
        panels = {f"receiver's window {window}": points for window, points in by_window.items()}
        figure.draw("padhye", _rows(panels, measured), "model")
        figure.draw("gaimd", _rows({CUTS[cuts]: points for cuts, points in by_cuts.items()}, measured), "equation")
    return 0


def rate(point: Lossy, measured: Measurements[Lossy]) -> float:
    """Segments sent per second, retransmissions included."""
    return measured[point]["segments_sent"].mean / point.duration


def reno_table(points: Sequence[Lossy], measured: Measurements[Lossy]) -> Table:
    """A table of the model's rate, and of each TCP's rate and its difference."""
    table = Table(
        f"Padhye et al., receiver's window of {points[0].max_window} segments",
        ["loss", "model, segments/s", *NAMES.values()],
    )
    for loss in LOSSES:
        row = [point for point in points if point.loss == loss]
        table.rows.append(
            [_loss(loss), f"{row[0].predicted:.4g}", *(_against(rate(p, measured), p.predicted) for p in row)]
        )
    return table


def gaimd_table(points: Sequence[Lossy], measured: Measurements[Lossy]) -> Table:
    """A table of each variant's rate, and of its differences from the equation at the set and at the met loss."""
    groups = list(dict.fromkeys(point.group for point in points))
    header = [cell for group in groups for cell in (f"{group}, segments/s", "equation at what it met")]
    table = Table(f"GAIMD equation, {CUTS[points[0].other_cuts]}", ["loss", *header])
    for loss in LOSSES:
        cells: list[str] = []
        for point in (point for point in points if point.loss == loss):
            found = rate(point, measured)
            met = measured[point]["gaimd_throughput"].mean / PAYLOAD_BITS
            cells += [_against(found, point.predicted), percent(found - met, met)]
        table.rows.append([_loss(loss), *cells])
    return table


def _against(found: float, predicted: float) -> str:
    return f"{found:.4g} ({percent(found - predicted, predicted)})"


def _loss(loss: float) -> str:
    return f"{loss:.2%}".replace("%", " %")


def _rows(panels: dict[str, list[Lossy]], measured: Measurements[Lossy]) -> list[dict[str, object]]:
    return [
        {
            "panel": panel,
            "loss": point.loss,
            "series": point.group,
            "tcp": point.group if point.tcp == "aimd" else point.tcp,
            "measured": rate(point, measured),
            "predicted": point.predicted,
        }
        for panel, points in panels.items()
        for point in points
    ]


if __name__ == "__main__":
    sys.exit(main())
