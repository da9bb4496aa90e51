"""A user's script with types: mypy checks it strictly (pyproject.toml), and tests/test_api.py runs it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars

import airfair as af


class Half(af.Control):
    """A control that defines only what it needs."""

    def on_ack(self, window: af.Window, ack: af.Ack) -> None:
        if ack.may_grow:
            window.open_adding(0.5, ack.acked)

    def on_loss(self, window: af.Window, loss: af.Loss) -> float:
        return loss.base / 2


class Fixed:
    """A control without a base class."""

    def on_ack(self, window: af.Window, ack: af.Ack) -> None:
        window.cwnd = 2

    def on_loss(self, window: af.Window, loss: af.Loss) -> af.Reduction:
        return af.Reduction(ssthresh=2, cwnd=2)


def total(scenario: af.ScenarioLike, seed: int = 1) -> float:
    """The throughput of any scenario in bit/s."""
    result: af.Result = af.run(scenario, seed=seed, stations=2, segment_bytes="1000 B")
    metric: af.Metric = result.metrics["throughput_total"]
    assert metric.ci95 is None
    frame: polars.DataFrame = result.flows.to_polars()
    assert frame.height
    return float(metric)


def main(place: Path) -> None:
    """Call every function."""
    mine: af.Scenario = af.load("bench/wlan", duration="2 s", metrics=["throughput_total", "jain"])
    assert mine.parameters["stations"]["value"] == 8
    assert total(mine) > 0
    swept: af.SweepResult = af.sweep(mine, {"stations": range(1, 3)}, seeds=2, out=place / "my sweep é")
    swept.plot("jain", x="stations").save(place / "jain.svg")
    swept.save(place / "sweep.html")
    best: af.Optimum = af.optimize(mine, over={"window": "1..4"}, maximize="jain", subject_to="jain >= 0", seeds=2)
    assert best.best is not None
    difference: af.Difference = af.diff(mine, set_b={"tcp": "vegas"}, seeds=2)
    assert difference.metrics["jain"]
    drawn: af.Timeline = af.timeline(mine, compare={"tcp": ["reno", "vegas"]})
    drawn.save(place / "timeline.html")
    share: af.FairShare = af.fair_share(mine, seeds=1)
    af.run(mine, **share.parameters)
    af.run(mine, control=Half())
    af.run(mine, control={"flow0": Fixed()}, stations=1)
    world: af.World = af.World(mine)
    world.run_until("1 s")
    world.run_for(1)
    assert world.counts()["flows"]
    assert af.describe(mine)["name"] == af.describe("bench/wlan")["name"]
    assert af.definitions.eee(9.9e6, 9.4e6, 10e6) < 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        main(Path(directory))
