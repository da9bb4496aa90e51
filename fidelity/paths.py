"""Single TCP flows over two wired links, without losses other than full queues: they are deterministic."""

from __future__ import annotations

import csv
import json
import tomllib
from dataclasses import dataclass

from airfair import Scenario
from airfair.api import overrides
from airfair.executor import Point as Run
from airfair.executor import execute
from fidelity import ns2
from fidelity.points import NS2_AGENT
from fidelity.references import HERE, REFERENCES
from fidelity.report import Table

#: What is counted on either side.
COUNTS = ("segments_sent", "retransmissions", "window_cuts")
#: How long ns-2's delaying sinks wait.
NS2_DELAY = "100 ms"
#: ns2/path.tcl turns timestamps on for Westwood, as ns-2's TCP/Linux wants it; they take 10 bytes.
WITH_TIMESTAMPS = {"timestamps": "true", "header_bytes": "50 B"}


@dataclass(frozen=True)
class Path:
    """One flow: its settings are those of ns2/path.tcl and the parameters of scenarios/path.toml."""

    tcp: str
    settings: tuple[tuple[str, str], ...]
    theirs: tuple[int, ...]

    def ns2_settings(self) -> dict[str, object]:
        """As ns2/path.tcl takes them."""
        return {"tcp": NS2_AGENT[self.tcp], **dict(self.settings)}

    def parameters(self) -> dict[str, object]:
        """As scenarios/path.toml takes them."""
        settings = dict(self.settings)
        capacity = settings.pop("capacity_mbps")
        if settings["delayed_ack"] == "true":
            settings["delayed_ack_timeout"] = NS2_DELAY
        if self.tcp == "westwood":
            settings |= WITH_TIMESTAMPS
        return {"tcp": self.tcp, "capacity": f"{capacity} Mb/s", **settings}

    def __str__(self) -> str:
        """As tables name it."""
        settings = dict(self.settings)
        queues = f"{settings['queue_access']}/{settings['queue_bottleneck']}"
        text = f"{self.tcp}, {settings['capacity_mbps']} Mb/s, window {settings['window']}, queues {queues}"
        if "initial_ssthresh" in settings:
            text += f", ssthresh {settings['initial_ssthresh']}"
        return text + (", delayed ACKs" if settings["delayed_ack"] == "true" else "")


def references() -> list[Path]:
    """Every flow that ns-2 was run for."""
    with (REFERENCES / "path.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("capacity_mbps", "window", "queue_access", "queue_bottleneck", "initial_ssthresh", "delayed_ack")
    return [
        Path(
            row["tcp"],
            tuple((name, row[name]) for name in names if row[name]),
            tuple(int(row[name]) for name in COUNTS),
        )
        for row in rows
    ]


def measure(paths: list[Path]) -> list[tuple[int, ...]]:
    """What AirFair counts, in the order of `COUNTS`."""
    source = str(HERE / "scenarios" / "path.toml")
    runs = [Run(Scenario.load(source, overrides(path.parameters())), 1) for path in paths]
    execution = execute(runs)
    if execution.interrupted:
        raise KeyboardInterrupt
    for failure in execution.failures:
        raise RuntimeError(failure.reason)
    metrics = [json.loads(execution.outcomes[run].metrics_json) for run in runs]
    return [tuple(int(entry[name]["value"]) for name in COUNTS) for entry in metrics]


def rerun(path: Path) -> tuple[int, ...]:
    """What the real ns-2 counts."""
    counted = ns2.values(ns2.call("path.tcl", path.ns2_settings()), COUNTS)
    return tuple(int(counted[name]) for name in COUNTS)


def agreement(paths: list[Path], ours: list[tuple[int, ...]]) -> Table:
    """How many flows of each TCP are equal in everything."""
    table = Table("Single flows", ["tcp", "flows", "equal", "largest difference in segments sent"])
    for tcp in dict.fromkeys(path.tcp for path in paths):
        pairs = [(path.theirs, mine) for path, mine in zip(paths, ours, strict=True) if path.tcp == tcp]
        equal = sum(theirs == mine for theirs, mine in pairs)
        worst = max(abs(mine[0] - theirs[0]) / theirs[0] for theirs, mine in pairs)
        table.rows.append([tcp, str(len(pairs)), str(equal), f"{worst:.3%}".replace("%", " %")])
    return table


def differences(paths: list[Path], ours: list[tuple[int, ...]]) -> Table:
    """Every flow that is not equal, AirFair / ns-2."""
    table = Table("Single flows that differ", ["flow", *COUNTS, "cause"])
    for path, mine in zip(paths, ours, strict=True):
        if mine != path.theirs:
            pairs = [f"{a} / {b}" for a, b in zip(mine, path.theirs, strict=True)]
            table.rows.append([str(path), *pairs, cause(path)])
    return table


def cause(path: Path) -> str:
    """What explanations.toml says."""
    for entry in tomllib.loads((HERE / "explanations.toml").read_text())["path"]:
        applies = entry.get("tcp", path.tcp) == path.tcp
        if applies and set(entry["settings"].items()) <= set(path.settings):
            return str(entry["cause"])
    return ""
