"""The speed of the learning environments: steps in a second."""

from __future__ import annotations

import time

from bench.figures import Figure

ID = "airfair/Hotspot-v0"
#: Numbers of environments that are measured: one, and as many as a learner may use.
SIZES = (1, 16)
STEPS = 60
HEAD = ["| Environments | Steps per second | Lowest to highest |", "|---|---|---|"]


def name(size: int) -> str:
    return f"{ID}: steps per second, {size} at once"


def measure(runs: int) -> list[Figure]:
    """Measure steps of all environments per second. A step is 1 s of ten uploads and ten downloads on 802.11b."""
    return [Figure.of(name(size), [_once(size) for _ in range(runs)]) for size in SIZES]


def _once(size: int) -> float:
    import gymnasium

    import airfair.gym  # noqa: F401 (registers the environments)

    environments = gymnasium.make_vec(ID, num_envs=size)
    environments.reset(seed=1)
    actions = environments.action_space.sample()
    start = time.perf_counter()
    for _ in range(STEPS):
        environments.step(actions)
    return STEPS * size / (time.perf_counter() - start)


def rows(figures: list[Figure]) -> list[str]:
    return [
        f"| {size} | **{figure.median:,.0f}** | {figure.low:,.0f} to {figure.high:,.0f} |"
        for size, figure in zip(SIZES, figures, strict=True)
    ]
