"""A task as a Gymnasium environment, single and vectorised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import Space
from gymnasium.utils import seeding
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike

from airfair._engine import InputError
from airfair.gym.runs import MOST, Array, Runs
from airfair.gym.tasks import Task
from airfair.runs.arguments import taken

#: Drawn seeds of episodes are below this number.
SEEDS = 2**31


def spaces(task: Task, runs: Runs) -> tuple[Space[Array], Space[Array]]:
    """The spaces of observations and of actions."""
    return box(0.0, MOST, runs.observation_length), box(-1.0, 1.0, len(task.actions))


def box(low: float, high: float, length: int) -> Space[Array]:
    """Vectors of numbers between two bounds."""
    return cast("Space[Array]", gymnasium.spaces.Box(low, high, (length,), np.float32))


def taken_seed(seed: object) -> int | None:
    """Check a seed; `None` means that the environment draws one. Raises `InputError`."""
    return None if seed is None else cast("int", taken("seed", seed))


class Environment(gymnasium.Env[Array, Array]):
    """One run of a task. The same seed and the same actions give the same episode."""

    metadata = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(self, task: Task, render_mode: str | None = None, **parameters: object) -> None:
        """Load the task.

        Args:
            task: The task.
            render_mode: No mode is supported; `airfair timeline` draws runs.
            parameters: Parameters of the scenario besides the task's own.

        Raises:
            InputError: An unknown parameter, or a value out of its range.
        """
        self.render_mode = render_mode
        self._runs = Runs(task, 1, parameters)
        self.observation_space, self.action_space = spaces(task, self._runs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode at the end of the warm-up; without a seed, with one that the environment draws."""
        seed = taken_seed(seed)
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(SEEDS)) if seed is None else seed
        return self._runs.reset({0: drawn})[0], {"seed": drawn}

    def step(self, action: ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Apply an action, and advance the run by an interval. The episode is truncated at the end of the run.

        The information holds `metrics`: the metrics of the reward, in SI units, from the end of the warm-up up to now.

        Raises:
            InputError: The action has another length, or is not a number. The run has not advanced.
        """
        seen, reward, over = self._runs.step({0: action})[0]
        return seen, reward, False, over, {"metrics": self._runs.metrics[0]}


class VectorEnvironment(gymnasium.vector.VectorEnv[Array, Array, Array]):
    """Many runs of a task. The engine advances all of them in one call, on all cores.

    A run that is over begins a new episode at the next step, and ignores the action of that step (Gymnasium's
    autoreset in the next step).
    """

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(self, task: Task, num_envs: int = 1, render_mode: str | None = None, **parameters: object) -> None:
        """Load the task for `num_envs` runs, 10,000 at most; `parameters` and errors are those of `Environment`."""
        self.num_envs = num_envs = taken("num_envs", num_envs)
        self.render_mode = render_mode
        self._runs = Runs(task, num_envs, parameters)
        self.single_observation_space, self.single_action_space = spaces(task, self._runs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, dtype=np.bool_)
        #: Draws the seeds of each run's episodes, as a single environment does.
        self._draws = [seeding.np_random()[0] for _ in range(num_envs)]

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in each run: with these seeds, with `seed`, `seed` + 1 and so on, or with drawn ones.

        The information holds the seeds.

        Raises:
            InputError: There is not one seed for each run, or a seed is invalid.
        """
        if isinstance(seed, Iterable):
            given = [taken_seed(one) for one in seed]
        else:
            first = taken_seed(seed)
            given = [None if first is None else first + n for n in range(self.num_envs)]
        if len(given) != self.num_envs:
            raise InputError(f"seed: {self.num_envs} are needed, one for each run, not {len(given)}")
        for n, one in enumerate(given):
            if one is not None:
                self._draws[n] = seeding.np_random(one)[0]
        self._over[:] = False
        seen, infos = self._begun({n: self._drawn(n) if one is None else one for n, one in enumerate(given)}, {})
        return np.stack([seen[n] for n in range(self.num_envs)]), infos

    def step(self, actions: Array | Sequence[ArrayLike]) -> tuple[Array, Any, Any, Any, dict[str, Any]]:
        """Take a step in every run. The information holds a column for each metric of the reward, and the seeds of
        episodes that begin.

        Raises:
            InputError: There is not one action for each run, or `Environment.step` would refuse one. No run has
                advanced.
        """
        if len(actions) != self.num_envs:
            raise InputError(f"actions: {self.num_envs} are needed, one for each run, not {len(actions)}")
        seen: dict[int, Array] = {}
        infos: dict[str, Any] = {}
        rewards = np.zeros(self.num_envs)
        ended = [int(n) for n in np.flatnonzero(self._over)]
        stepped = self._runs.step({n: actions[n] for n in range(self.num_envs) if not self._over[n]})
        if ended:
            seen, infos = self._begun({n: self._drawn(n) for n in ended}, infos)
        self._over[:] = False
        for n, (observation, reward, over) in stepped.items():
            seen[n], rewards[n], self._over[n] = observation, reward, over
            infos = self._add_info(infos, self._runs.metrics[n], n)
        never = np.zeros(self.num_envs, dtype=np.bool_)
        return np.stack([seen[n] for n in range(self.num_envs)]), rewards, never, self._over.copy(), infos

    def _drawn(self, run: int) -> int:
        return int(self._draws[run].integers(SEEDS))

    def _begun(self, seeds: Mapping[int, int], infos: dict[str, Any]) -> tuple[dict[int, Array], dict[str, Any]]:
        """Begin episodes with these seeds; returns the observation of each, and the information with the seeds."""
        seen = self._runs.reset(seeds)
        for n, seed in seeds.items():
            infos = self._add_info(infos, {"seed": np.uint64(seed)}, n)
        return seen, infos
