"""Runs of a task side by side, with their observations and rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as shortened

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airfair import _engine, definitions
from airfair.gym.tasks import Task
from airfair.runs.loading import loaded
from airfair.runs.settled import settled
from airfair.runs.world import World

Array = NDArray[np.float32]
#: The numbers of an action: one array or list of numbers, or a list with an array for each number.
Numbers = ArrayLike | Sequence[ArrayLike]

#: The counters of a flow and of the station that observations are made of.
_FLOW = "delivered_bytes"
_STATION = ("offered", "delivered", "dropped_full", "dropped_early", "dropped_retries")

#: Number of waiting frames at which the observed load of the station is one half.
_HALF_LOAD = 100.0

#: The largest value in an observation: twice the capacity.
MOST = 2.0


class Runs:
    """`count` runs of a task. Each run has its own seed and its own simulated time."""

    def __init__(self, task: Task, count: int, parameters: Mapping[str, object]) -> None:
        """Load the task's scenario, with these parameters besides the task's own.

        Raises:
            InputError: A parameter is wrong, or a group has no flow.
        """
        if not isinstance(task, Task):
            raise _engine.InputError(f"task = {shortened(task)}: a Task is needed")
        self.task = task
        metrics = [reward.metric for reward in task.rewards]
        scenario = settled(loaded(task.scenario, {**task.parameters, **parameters}, metrics, None))
        world = World(scenario)
        names = world.counts()["flows"]
        self._groups = [[name for name in names if name.startswith(group)] for group in task.groups]
        for group, members in zip(task.groups, self._groups, strict=True):
            if not members:
                raise _engine.InputError(f"groups: no flow begins with {group!r}; there is {', '.join(names)}")
        flows = [name for group in self._groups for name in group]
        watched = [("flows", name, _FLOW) for name in flows]
        watched += [("stations", task.station, counter) for counter in _STATION]
        self._worlds = _engine.Worlds(scenario, count, watched, metrics)
        self._end = world.end
        self._start = self._worlds.warmup
        self._now = [0.0] * count
        self._steps = [0] * count
        self._counters = np.zeros((count, len(watched)))
        self._scores = [0.0] * count
        #: For each run, the metrics of the task's rewards since the end of the warm-up, as far as they have values.
        self.metrics: list[dict[str, float]] = [{} for _ in range(count)]
        self._actions = np.zeros((count, len(task.actions)), dtype=np.float32)

    @property
    def observation_length(self) -> int:
        """The length of an observation; see `_observed`."""
        return 2 * len(self._groups) + 2 + len(self.task.actions)

    def reset(self, seeds: Mapping[int, int]) -> dict[int, Array]:
        """Start these runs again with new seeds, and run their warm-up. Returns the observation of each run."""
        for number, seed in seeds.items():
            self._worlds.reset(number, seed)
            self._now[number] = 0.0
            self._steps[number] = 0
            self._scores[number] = 0.0
            self._counters[number] = 0.0
            self._actions[number] = 0.0
        interval = self.task.interval
        # The first observation covers the last interval of the warm-up.
        before = max(0.0, self._start - interval)
        self._go({number: (before, []) for number in seeds})
        return {number: seen for number, (seen, _) in self._go({n: (self._start, []) for n in seeds}).items()}

    def step(self, actions: Mapping[int, Numbers]) -> dict[int, tuple[Array, float, bool]]:
        """Advance each of these runs by one step. Returns its observation, its reward, and whether the run is over.

        Raises:
            InputError: An action is invalid. No run has advanced.
        """
        read = {number: self._read(action) for number, action in actions.items()}
        steps = {}
        for number, numbers in read.items():
            settings = [
                (action.setting, action.value(chosen))
                for action, chosen in zip(self.task.actions, numbers.tolist(), strict=True)
            ]
            self._actions[number] = np.clip(numbers, -1.0, 1.0)
            steps[number] = (min(self._end, self._now[number] + self.task.interval), settings)
        result = {}
        for number, (seen, score) in self._go(steps).items():
            self._steps[number] += 1
            total = score * self._steps[number]
            reward, self._scores[number] = total - self._scores[number], total
            result[number] = seen, reward, self._now[number] >= self._end
        return result

    def _read(self, action: Numbers) -> Array:
        """Convert an action to an array of its numbers. Raises `InputError`."""
        try:
            numbers = np.asarray(action, dtype=np.float32).ravel()
        except (TypeError, ValueError, OverflowError):
            numbers = np.empty(0, dtype=np.float32)
        names = [one.name for one in self.task.actions]
        if len(numbers) != len(names) or np.isnan(numbers).any():
            needed = f"a number from -1 to 1 is needed for {', '.join(names)}"
            raise _engine.InputError(f"action = {shortened(action)}: {needed}")
        return numbers

    def _go(self, steps: Mapping[int, tuple[float, list[tuple[str, str]]]]) -> dict[int, tuple[Array, float]]:
        """Advance these runs; returns for each the observation, and the weighted sum of its metrics up to now."""
        asked = [(number, until, settings) for number, (until, settings) in steps.items()]
        found = {}
        for (number, until, _), (counters, metrics) in zip(asked, self._worlds.advance(asked), strict=True):
            now = np.asarray(counters)
            seen = self._observed(now, now - self._counters[number], max(until - self._now[number], 1e-9), number)
            self._counters[number] = now
            self._now[number] = until
            measured = zip(self.task.rewards, metrics, strict=True)
            self.metrics[number] = {reward.metric: value for reward, value in measured if value is not None}
            score = sum(reward.weight * self.metrics[number].get(reward.metric, 0.0) for reward in self.task.rewards)
            found[number] = seen, score
        return found

    def _observed(self, now: NDArray[np.float64], change: NDArray[np.float64], time: float, number: int) -> Array:
        """The observation of a run.

        It has for each group of flows the throughput in the interval, divided by the capacity, and Jain's index of its
        flows. Then come the share of frames that the station refused, its load (w / (w + 100) for w waiting frames),
        and the last action, scaled to 0 to 1.
        """
        values: list[float] = []
        place = 0
        for group in self._groups:
            delivered = change[place : place + len(group)]
            place += len(group)
            values.append(8.0 * float(delivered.sum()) / time / self.task.capacity)
            values.append(definitions.jain(delivered.tolist()) if delivered.any() else 0.0)
        offered, *_ = change[place:]
        refused = change[place + 2] + change[place + 3]
        waiting = now[place] - now[place + 1 :].sum()
        values += [refused / offered if offered else 0.0, waiting / (waiting + _HALF_LOAD)]
        values += [(float(action) + 1.0) / 2.0 for action in self._actions[number]]
        return np.clip(np.asarray(values, dtype=np.float32), 0.0, MOST)
