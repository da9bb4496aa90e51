"""No argument of the compiled engine panics or aborts, however extreme."""

import inspect
import itertools
import math
import random

import pytest

from airfair import _engine

NUMBERS = [0, 1, -1, 2**31, 2**32, 2**63, 2**64 - 1, 2**64, -(2**63), 0.5, -0.0, 1e308, 5e-324, math.inf, math.nan]
TEXTS = ["", "jung/mixed", "stations", "\0", "1..9e300", "2..1e18:1e-9", "1 s", "nan", "{", "é" * 100, "[" * 5000]
LISTS = [
    [],
    [math.nan],
    [1.0, 2.0],
    [1e308] * 3,
    ["1..2"],
    ["default", ","],
    [("stations", "4")],
    [("a", "\0")],
    b"x" * 32,
]
VALUES = [*NUMBERS, *TEXTS, *LISTS, None]
#: Calls of each function with random arguments, in addition to each value in each place.
RANDOM = 150
FUNCTIONS = sorted(
    name for name in dir(_engine) if inspect.isbuiltin(getattr(_engine, name)) or name in ("Template", "StopFlag")
)


def called(function, arguments) -> None:
    """Call the function, which may raise an `Exception`. A Rust panic is not an `Exception`."""
    try:
        function(*arguments)
    except _engine.EngineError as error:
        raise AssertionError(f"{function.__name__}{arguments}: {error}") from None
    except Exception:
        pass


def usual(name: str, count: int) -> list:
    """Arguments close to valid ones, so that calls get past the checks of types."""
    text = _engine.scenario_text("jung/mixed")
    known = {
        "of_samples": [text, "f", "stations", ["2..8:2"], [0.5]],
        "of_values": [text, "f", "stations", ["2..8:2"]],
        "axis_values_json": [text, "f", "stations", ["2..8:2"]],
        "key": [b"x" * 32, 1],
        "latin_hypercube": [3, 2, 1],
        "quantity": ["1 s", "s"],
        "Template": [text, "f"],
    }
    return known.get(name, [1.0] * count)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_argument_panics(name):
    function = getattr(_engine, name)
    try:
        count = len(inspect.signature(function).parameters)
    except ValueError:
        count = len(usual(name, 2))
    base = usual(name, count)
    for place, value in itertools.product(range(count), VALUES):
        called(function, [*base[:place], value, *base[place + 1 :]])
    chance = random.Random(name)
    for _ in range(RANDOM):
        called(function, [chance.choice(NUMBERS if chance.random() < 0.7 else VALUES) for _ in range(count)])


def test_no_argument_of_a_scenario_panics():
    scenario = _engine.Scenario.load("jung/mixed", [("duration", "1 s"), ("warmup", "0 s")])
    stop = _engine.StopFlag()
    outcome = scenario.run(1)
    for value in VALUES:
        called(scenario.key, [value])
        called(scenario.window, [value, None, []])
        called(scenario.window, [None, value, [outcome]])
        called(scenario.summary_json, [value])
        called(scenario.run, [1, value, stop])
        called(_engine.Outcome.from_json, [value])
        called(_engine.Template(scenario.toml, "f").load, [value])


@pytest.mark.parametrize(("samples", "dimensions"), [(2**63, 2), (10**9, 1), (1, 10**9)])
def test_a_sample_that_fills_the_memory_is_bad_input(samples, dimensions):
    with pytest.raises(_engine.InputError, match="at most"):
        _engine.latin_hypercube(samples, dimensions, 1)
