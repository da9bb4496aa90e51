"""Teaches an access point when to limit what stations send, and compares it with a limiter of one rate.

The policy is linear: the tanh of a weighted sum of what the agent sees. The cross-entropy method finds the weights: try
a population, keep the best, draw the next population around them. Then both are judged on 30 seeds that training never
saw.
"""

import sys
from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np

import airfair as af
import airfair.gym  # registers the environments
from airfair.gym import TASKS

NAME = "airfair/Hotspot-v0"
GENERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 25
POPULATION, BEST, EPISODES = 16, 4, 3
UNSEEN = range(1001, 1031)


def play(weights: np.ndarray, seeds: Iterable[int]) -> tuple[np.ndarray, dict[str, Any]]:
    """Total rewards and final metrics of one episode for each row of weights; each row has a seed."""
    envs = gymnasium.make_vec(NAME, num_envs=len(weights))
    seen, _ = envs.reset(seed=list(seeds))
    total, over = np.zeros(len(weights)), False
    while not over:
        actions = np.tanh((weights[:, 1:] * seen).sum(axis=1) + weights[:, 0])
        seen, rewards, _, truncated, infos = envs.step(actions[:, None].astype(np.float32))
        total += rewards
        over = truncated.all()
    return total, infos


def train() -> np.ndarray:
    """The weights that the cross-entropy method ends with."""
    random = np.random.default_rng(1)
    length = 1 + gymnasium.make(NAME).observation_space.shape[0]
    mean, spread = np.zeros(length), np.full(length, 0.5)
    for generation in range(GENERATIONS):
        tried = mean + spread * random.standard_normal((POPULATION, length))
        seeds = np.tile(np.arange(EPISODES) + 1 + generation * EPISODES, POPULATION)
        scores = play(np.repeat(tried, EPISODES, axis=0), seeds.tolist())[0].reshape(POPULATION, EPISODES).mean(axis=1)
        best = tried[np.argsort(scores)[-BEST:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        print(
            f"generation {generation + 1:2} of {GENERATIONS}: mean reward {scores.mean():.2f}, best {scores.max():.2f}"
        )
    return mean


if __name__ == "__main__":
    weights = train()
    _, learned = play(np.tile(weights, (len(UNSEEN), 1)), UNSEEN)
    task = TASKS[NAME]
    fixed = [af.run(task.scenario, seed=seed, **task.parameters).metrics for seed in UNSEEN]
    print(f"\n{len(UNSEEN)} unseen seeds: learned minus the limiter of 2.3 Mb/s, with 95 % intervals")
    for metric in ("sigma_over_mean_up", "throughput_total", "jain"):
        before = np.array([run[metric].value for run in fixed])
        difference = (learned[metric] - before).tolist()
        mean, half = np.mean(difference), 2.045 * np.std(difference, ddof=1) / np.sqrt(len(difference))
        print(f"{metric:20} {before.mean():12.4g} -> {learned[metric].mean():12.4g}  {mean:+.4g} ± {half:.2g}")
