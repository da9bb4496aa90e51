"""The learning environments keep the rules of Gymnasium and PettingZoo, and say of a run what the engine says."""

import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import execute, first_code, interrupted

pytest.importorskip("gymnasium", reason="the extra `gym` is not installed")
pytest.importorskip("pettingzoo", reason="the extra `gym` is not installed")

import gymnasium
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

import airfair
import airfair.gym
from airfair.gym import TASKS, Action, Environment, Reward, VectorEnvironment

SHORT = {
    "airfair/Hotspot-v0": {"up": 2, "warmup": "12 s", "duration": "4 s"},
    "airfair/Delay-v0": {"up": 2, "warmup": "12 s", "duration": "4 s"},
    "airfair/Waking-v0": {"stations": 2, "warmup": "12 s", "duration": "8 s"},
    "airfair/Home-v0": {"duration": "3 s", "download_count": 1, "camera_count": 1, "warmup": "2 s"},
}


def test_every_task_has_a_short_form_here():
    assert set(SHORT) == set(TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_gymnasium_accepts_the_environment(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name, **SHORT[name])
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", TASKS)
def test_pettingzoo_accepts_the_agents(name):
    agents = airfair.gym.parallel(name, **SHORT[name])
    parallel_api_test(agents, num_cycles=12)
    assert agents.possible_agents == [action.name for action in TASKS[name].actions]


@pytest.mark.parametrize("count", [0, -1, 2**63, 10**12, "2", True])
def test_a_wrong_number_of_runs_is_refused(count):
    with pytest.raises(airfair.InputError, match=r"^num_envs = .*: a whole number from 1 to 10000 is needed$"):
        gymnasium.make_vec("airfair/Hotspot-v0", num_envs=count)


def episode(env, seed, number=0.2):
    seen, _ = env.reset(seed=seed)
    rows, total, over = [seen], 0.0, False
    while not over:
        seen, reward, _, over, _ = env.step(np.full(env.action_space.shape, number, dtype=np.float32))
        rows.append(seen)
        total += reward
    return np.array(rows), total


def test_the_rewards_of_an_episode_add_up_to_its_metrics():
    name = "airfair/Hotspot-v0"
    env = gymnasium.make(name, **SHORT[name])
    rows, total = episode(env, 7)
    assert len(rows) == 1 + 4
    task = TASKS[name]
    world = airfair.World(task.scenario, seed=7, **task.parameters | SHORT[name])
    world.run_until(12)
    for second in (13, 14, 15, 16):
        world.set("limiter_rate", task.actions[0].value(np.float32(0.2)))
        world.run_until(second)
    metrics = world.record().metrics
    asked = sum(reward.weight * metrics[reward.metric].value for reward in task.rewards)
    assert total == pytest.approx(4 * asked, rel=1e-9)


def test_actions_change_the_run_and_seeds_repeat_it():
    name = "airfair/Hotspot-v0"
    env = gymnasium.make(name, **SHORT[name])
    first, low = episode(env, 3, -1.0)
    again, same = episode(env, 3, -1.0)
    other, high = episode(env, 3, 1.0)
    assert np.array_equal(first, again) and low == same
    # The limiter at 1 Mb/s leaves uploads less than at 5 Mb/s; 0 is their throughput.
    assert first[-1][0] < other[-1][0] and low != high


def test_a_small_target_keeps_the_queue_of_the_delay_task_short():
    env = gymnasium.make("airfair/Delay-v0", up=5, duration="20 s")
    delays = []
    for number in (-1.0, 1.0):
        env.reset(seed=1)
        over = False
        while not over:
            _, _, _, over, info = env.step(np.array([number], dtype=np.float32))
        delays.append(info["metrics"]["ap_queue_delay_mean"])
    assert 2 * delays[0] < delays[1]


def test_the_vectorised_environment_has_the_episodes_of_single_ones():
    name = "airfair/Hotspot-v0"
    envs = gymnasium.make_vec(name, num_envs=3, **SHORT[name])
    seen, _ = envs.reset(seed=20)
    rows = [seen]
    actions = np.linspace(-1, 1, 3, dtype=np.float32)[:, None]
    for _ in range(4):
        seen, rewards, terminated, truncated, _ = envs.step(actions)
        rows.append(seen)
    assert truncated.all() and not terminated.any()
    env = gymnasium.make(name, **SHORT[name])
    for n in range(3):
        single, _ = episode(env, 20 + n, actions[n, 0])
        assert np.array_equal(single, np.array([row[n] for row in rows]))
    # The next step begins new episodes and rewards nothing.
    seen, rewards, _, truncated, infos = envs.step(actions)
    assert not truncated.any() and not rewards.any()
    for n in range(3):
        env.reset(seed=20 + n)
        first, info = env.reset()
        assert np.array_equal(seen[n], first) and infos["seed"][n] == info["seed"]


def test_a_list_of_seeds_gives_the_same_later_episodes():
    name = "airfair/Hotspot-v0"
    found = []
    for mode in ({}, {}, {"vectorization_mode": "sync"}):
        envs = gymnasium.make_vec(name, num_envs=2, **SHORT[name], **mode)
        _, infos = envs.reset(seed=[7, 3])
        steps = [envs.step(np.zeros((2, 1), dtype=np.float32))[:2] for _ in range(7)]
        found.append((infos["seed"].tolist(), *map(np.array, zip(*steps, strict=True))))
    assert found[0][0] == [7, 3]
    for _, *others in found[1:]:
        assert all(map(np.array_equal, found[0][1:], others))


def test_a_hopeless_task_warns_at_the_line_that_makes_it():
    with pytest.warns(airfair.ScenarioWarning, match="8 of 8 flows never send") as caught:
        gymnasium.make("airfair/Waking-v0", duration="1 s", warmup="1 s")
    [warning] = [one for one in caught if one.category is airfair.ScenarioWarning]
    assert warning.filename == __file__


def test_the_beginning_of_the_guide_runs():
    names = {}
    exec(first_code("gym.md"), names)
    assert set(names["info"]["metrics"]) == {reward.metric for reward in TASKS["airfair/Hotspot-v0"].rewards}


@pytest.mark.parametrize("written", [list, tuple, np.array, lambda numbers: np.float32(numbers[0])])
def test_an_action_is_whatever_has_its_numbers(written):
    name = "airfair/Hotspot-v0"
    envs = gymnasium.make_vec(name, num_envs=1, **SHORT[name])
    env = gymnasium.make(name, **SHORT[name])
    agents = airfair.gym.parallel(name, **SHORT[name])
    steps = []
    for action in (np.array([0.2], dtype=np.float32), written([0.2])):
        env.reset(seed=1), agents.reset(seed=1), envs.reset(seed=1)
        steps += [env.step(action)[0], agents.step({"limiter": action})[0]["limiter"], envs.step([action])[0][0]]
    assert all(np.array_equal(step, steps[0]) for step in steps)


@pytest.mark.parametrize("wrong", [[0.1, 0.2], [], [float("nan")], None, ["fast"], [[0.1], [0.2, 0.3]], [10**400]])
def test_an_action_that_is_none_is_refused_and_changes_nothing(wrong):
    name = "airfair/Hotspot-v0"
    env = gymnasium.make(name, **SHORT[name]).unwrapped
    envs = gymnasium.make_vec(name, num_envs=2, **SHORT[name])
    agents = airfair.gym.parallel(name, **SHORT[name])
    message = "^action = .*: a number from -1 to 1 is needed for limiter$"

    def begin():
        env.reset(seed=1), agents.reset(seed=1), envs.reset(seed=1)

    def step():
        return env.step([0.2])[0], agents.step({"limiter": [0.2]})[0]["limiter"], *envs.step([[0.2], [0.4]])[0]

    begin()
    expected = step()
    begin()
    for refused in (env.step, lambda one: agents.step({"limiter": one}), lambda one: envs.step([[0.2], one])):
        with pytest.raises(airfair.InputError, match=message):
            refused(wrong)
    assert all(map(np.array_equal, expected, step()))


def test_if_a_run_refuses_a_value_none_goes_on():
    name = "airfair/Hotspot-v0"
    far = replace(TASKS[name], actions=(Action("queue", "node.ap.queue.length", 1, 1e25, scale="whole"),))
    envs = VectorEnvironment(far, 2, **SHORT[name])

    def begin():
        envs.reset(seed=1)
        return envs.step([[-0.9], [-0.9]])

    begin()
    expected = envs.step([[-1.0], [-0.9]])[:2]
    begin()
    with pytest.raises(airfair.InputError, match="too large"):
        envs.step([[-0.8], [1.0]])
    assert all(map(np.array_equal, expected, envs.step([[-1.0], [-0.9]])[:2]))


@pytest.mark.parametrize("count", [1, 2])
def test_ctrl_c_ends_a_step_and_a_reset(count):
    name = "airfair/Hotspot-v0"
    envs = VectorEnvironment(replace(TASKS[name], interval=1e6), count, up=2, warmup="12 s", duration="1000000 s")
    endless = gymnasium.make(name, warmup="1000000 s")
    envs.reset(seed=1)
    for call in (lambda: envs.step([[0.2]] * count), lambda: endless.reset(seed=1)):
        with interrupted(0.2):
            call()  # takes far longer
    with pytest.raises(airfair.InputError, match="run 0 has not begun: reset it first"):
        envs.step([[0.2]] * count)
    envs.reset(seed=1)


def test_every_run_and_every_agent_needs_an_action():
    name = "airfair/Hotspot-v0"
    envs = gymnasium.make_vec(name, num_envs=3, **SHORT[name])
    envs.reset(seed=1)
    with pytest.raises(airfair.InputError, match="actions: 3 are needed, one for each run, not 2"):
        envs.step([[0.1], [0.2]])
    agents = airfair.gym.parallel("airfair/Home-v0", **SHORT["airfair/Home-v0"])
    agents.reset(seed=1)
    for actions in ({"cameras": [0.1], "callers": [0.2]}, {"cameras": [0.1, 0.2, 0.3]}):
        with pytest.raises(airfair.InputError, match="a number from -1 to 1 is needed for cameras, sensors, callers"):
            agents.step(actions)


def test_values_of_actions():
    action = TASKS["airfair/Hotspot-v0"].actions[0]
    assert (action.value(-1.0), action.value(5.0)) == ("1e+06 b/s", "5e+06 b/s")
    assert [TASKS["airfair/Home-v0"].actions[0].value(n) for n in (-1, 1)] == ["7", "1023"]
    assert [TASKS["airfair/Waking-v0"].actions[0].value(n) for n in (-1, 0, 1)] == ["2", "11", "64"]


def test_bad_input_is_refused():
    with pytest.raises(airfair.InputError, match="up"):
        gymnasium.make("airfair/Hotspot-v0", up="many")
    with pytest.raises(airfair.InputError, match="airfair/Nowhere-v0: unknown environment; did you mean airfair/"):
        airfair.gym.parallel("airfair/Nowhere-v0")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": ("up", "sideways")}, "groups: no flow begins with 'sideways'; there is up"),
        ({"interval": 0.0}, "interval = 0.0: a number of s above 0 is needed"),
        ({"interval": -1.0}, "interval = -1.0: a number of s"),
        ({"capacity": 0.0}, "capacity = 0.0: a number of bit/s above 0 is needed"),
        ({"interval": "1 s"}, "interval = '1 s': a number is needed"),
        ({"interval": 1e-12}, "interval = 1e-12: 1e-06 s at least is needed"),
        ({"actions": ()}, "actions: one at least is needed"),
    ],
)
def test_a_task_that_cannot_be_observed_is_refused(change, message):
    name = "airfair/Hotspot-v0"
    with pytest.raises(airfair.InputError, match=re.escape(message)):
        Environment(replace(TASKS[name], **change), **SHORT[name])


@pytest.mark.parametrize(
    ("scale", "low", "high", "message"),
    [
        ("log", 0.0, 5.0, "action window: low = 0.0, high = 5.0: low is above 0, below high"),
        ("whole", 5, 5, "low is above 0, below high"),
        ("power", -1, 5, "low is 0 or more, below high"),
        ("linear", 1, 5, "action window: scale = 'linear': log, whole, power are known"),
        ("log", "1", 2, "action window: low = '1': a number is needed"),
        ("log", 1, float("inf"), "action window: high = inf: a number is needed"),
    ],
)
def test_an_action_without_values_is_refused(scale, low, high, message):
    with pytest.raises(airfair.InputError, match=re.escape(message)):
        Action("window", "window", low, high, scale=scale)


@pytest.mark.parametrize("weight", ["x", float("nan"), None])
def test_a_reward_needs_a_weight(weight):
    with pytest.raises(airfair.InputError, match=r"^reward jain: weight = .*: a number is needed$"):
        Reward("jain", weight)


def test_a_task_is_needed():
    for make in (Environment, VectorEnvironment, airfair.gym.parallel):
        with pytest.raises(airfair.InputError, match=r"^task = 3: a Task is needed$"):
            make(3)
    agents = airfair.gym.parallel("airfair/Hotspot-v0", **SHORT["airfair/Hotspot-v0"])
    with pytest.raises(airfair.InputError, match="run 0 has not begun: reset it first"):
        agents.step({"limiter": [0.1]})


def test_each_run_has_its_seed():
    name = "airfair/Hotspot-v0"
    envs = gymnasium.make_vec(name, num_envs=2, **SHORT[name])
    assert np.array_equal(envs.reset(seed=(1, 2))[0], envs.reset(seed=1)[0])
    assert np.array_equal(envs.reset(seed=np.array([1, 2]))[0], envs.reset(seed=np.int64(1))[0])
    with pytest.raises(airfair.InputError, match="seed: 2 are needed, one for each run, not 1"):
        envs.reset(seed=[1])
    agents = airfair.gym.parallel(name, **SHORT[name])
    for one in (envs, gymnasium.make(name, **SHORT[name]).unwrapped, agents):
        for wrong in (-1, 3.0, "1", [1, -1]):
            with pytest.raises(airfair.InputError, match=r"^seed = .*: a whole number from 0 on is needed"):
                one.reset(seed=wrong)


def test_without_gymnasium_the_message_names_the_extra():
    code = "import sys; sys.modules['gymnasium'] = None; import airfair.gym"
    run = execute([sys.executable, "-c", code])
    assert "in a checkout: pip install '.[gym]'" in run.stderr


@pytest.mark.long
def test_the_example_learns():
    script = Path(__file__).parent.parent / "docs/examples/learn_hotspot.py"
    run = execute([sys.executable, script], timeout=1000, check=True)
    rewards = [float(found) for found in re.findall(r"mean reward ([\d.]+)", run.stdout)]
    assert rewards[-1] > rewards[0] + 5
    # What docs/gym.md says of it.
    assert run.stdout in (script.parent.parent / "gym.md").read_text()
