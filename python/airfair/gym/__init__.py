"""Environments for reinforcement learning: an agent changes settings while a run goes on.

    import gymnasium
    import airfair.gym

    env = gymnasium.make("airfair/Hotspot-v0")
    envs = gymnasium.make_vec("airfair/Hotspot-v0", num_envs=16)  # one call steps all
    agents = airfair.gym.parallel("airfair/Home-v0")              # PettingZoo: one agent for each setting

Importing this package registers the environments. It needs the extra `gym`, in a checkout `pip install '.[gym]'`.
docs/gym.md describes observations, actions and rewards.
"""

try:
    import gymnasium
except ImportError as error:
    raise ImportError("airfair.gym needs gymnasium; in a checkout: pip install '.[gym]'") from error

from typing import TYPE_CHECKING

from airfair.catalogue.known import unknown
from airfair.gym.environment import Environment, VectorEnvironment
from airfair.gym.tasks import TASKS, Action, Reward, Task

if TYPE_CHECKING:
    from airfair.gym.agents import Agents

__all__ = ["TASKS", "Action", "Environment", "Reward", "Task", "VectorEnvironment", "parallel"]


def parallel(task: str | Task, /, **parameters: object) -> "Agents":
    """The PettingZoo environment of a task, by its id or as a `Task`. Each action has an agent; all share the reward.

    Raises:
        InputError: An unknown id or parameter.
    """
    from airfair.gym.agents import Agents

    return Agents(_task(task), None, **parameters)


def _task(task: str | Task) -> Task:
    if not isinstance(task, str):
        return task
    if task not in TASKS:
        raise unknown("environment", task, TASKS)
    return TASKS[task]


for _id, _known in TASKS.items():
    gymnasium.register(
        _id,
        entry_point="airfair.gym.environment:Environment",
        vector_entry_point="airfair.gym.environment:VectorEnvironment",
        kwargs={"task": _known},
    )
