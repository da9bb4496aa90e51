"""The function `airfair.describe`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue import known
from airfair.runs.arguments import checked
from airfair.runs.loading import ScenarioLike, loaded

if TYPE_CHECKING:
    from airfair.gym.tasks import Task

#: The namespace of the environments of `airfair.gym`.
_ENVIRONMENTS = "airfair/"
_LISTS = ("studies", "environments")


@checked
def describe(name: ScenarioLike) -> dict[str, Any]:
    """Describe whatever has a name: a scenario, a metric, a setting, a control, a counter, a study, or a list of them.

    A scenario, in any form that `run` takes, gives its parameters (unit, default, range), a metric its definition and
    source, a setting such as `tcp.rto_min` or `rto_min` its meaning, values and default, a table such as `outage` its
    keys, a control or discipline such as `fq_codel` its own settings, and these as well as a parameter the scenarios
    that have it. A value such as `web` or `minstrel` gives the settings that take it, a counter such as `dropped` the
    tables that have it, a study its claims and figures, an environment of `airfair.gym` its actions and rewards. The
    lists are `metrics`, `families` of metrics and each of them, `counters`, `grades`, `studies`, `environments`,
    `settings`, `controls`, `disciplines`, `recoveries` and `profiles`.

    Raises:
        InputError: The name is unknown.
    """
    from airfair.studies.file import load, packaged_names, packaged_studies

    if not isinstance(name, str):
        description: dict[str, Any] = json.loads(_engine.description_json(loaded(name, {}, (), None)))
        return description
    if name.startswith(_ENVIRONMENTS):
        return _environment(name)
    if name == "environments":
        return {"name": name, "environments": [{"name": id, "title": task.title} for id, task in _tasks().items()]}
    if name == "studies":
        return {"name": name, "studies": [{"name": one.name, "title": one.title} for one in packaged_studies()]}
    studies = packaged_names()
    if name not in studies:
        return known.describe(name, studies, _LISTS)
    study = load(name)
    return {
        "name": name,
        "title": study.title,
        "description": f"{study.summary}\n\n{study.source}\n\nRun it with `airfair reproduce {name}`.",
        "claims": [{"id": claim.id, "source": claim.source, "sentence": claim.sentence} for claim in study.claims],
        "figures": [{"name": figure.name, "title": figure.title} for figure in study.figures],
    }


def names() -> list[str]:
    """All names that `describe` knows, but for files, parameters, their values, and environments (slow to import)."""
    from airfair.studies.file import packaged_names

    return [*known.names(), *packaged_names(), *_LISTS]


def _tasks() -> Mapping[str, Task]:
    """The environments of `airfair.gym`. Raises `InputError` where gymnasium is not installed."""
    try:
        from airfair.gym.tasks import TASKS
    except ImportError as error:
        raise _engine.InputError(str(error)) from None
    return TASKS


def _environment(name: str) -> dict[str, Any]:
    tasks = _tasks()
    if name not in tasks:
        raise known.unknown("environment", name, tasks)
    task = tasks[name]
    parameters = ", ".join(f"{parameter} = {value}" for parameter, value in task.parameters.items())
    return {
        "name": name,
        "title": task.title,
        "description": f"Scenario: `{task.scenario}` with {parameters}; an action every {task.interval:g} s.",
        "actions": [asdict(action) for action in task.actions],
        "rewards": [asdict(reward) for reward in task.rewards],
    }
