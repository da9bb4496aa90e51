"""A task for several agents: a PettingZoo environment in which each action has an agent of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import Space
from numpy.typing import ArrayLike
from pettingzoo import ParallelEnv

from airfair.gym.environment import SEEDS, box, taken_seed
from airfair.gym.runs import MOST, Array, Runs
from airfair.gym.tasks import Task


class Agents(ParallelEnv[str, Array, Array]):  # type: ignore[misc]  # PettingZoo has no types
    """One run of a task. All agents see the same and share the reward; each chooses one setting."""

    def __init__(self, task: Task, render_mode: str | None = None, **parameters: object) -> None:
        """Load the task; `parameters` and errors are those of `Environment`."""
        self._runs = Runs(task, 1, parameters)
        self.metadata = {"name": task.scenario, "render_modes": []}
        self.render_mode = render_mode
        self.possible_agents = [action.name for action in task.actions]
        self.agents: list[str] = []
        length = self._runs.observation_length
        self.observation_spaces = {agent: box(0.0, MOST, length) for agent in self.possible_agents}
        self.action_spaces = {agent: box(-1.0, 1.0, 1) for agent in self.possible_agents}
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> Space[Array]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Array]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        """Begin an episode at the end of the warm-up; without a seed, with a drawn one."""
        seed = taken_seed(seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
        drawn = int(self._random.integers(SEEDS)) if seed is None else seed
        self.agents = list(self.possible_agents)
        seen = self._runs.reset({0: drawn})[0]
        return {agent: seen.copy() for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, ArrayLike]
    ) -> tuple[dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Apply the actions of all agents, and advance the run by an interval.

        Raises:
            InputError: An agent's action is missing, has another length, or is not a number. The run has not advanced.
        """
        chosen = [actions.get(agent, math.nan) for agent in self.possible_agents]
        seen, reward, over = self._runs.step({0: chosen})[0]
        acted = self.agents
        if over:
            self.agents = []
        return (
            {agent: seen.copy() for agent in acted},
            dict.fromkeys(acted, reward),
            dict.fromkeys(acted, False),
            dict.fromkeys(acted, over),
            {agent: {} for agent in acted},
        )
