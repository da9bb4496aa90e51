"""Measuring users' fair shares: the rate that each user gets alone in the network, over the number of users."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from airfair import _engine, console
from airfair.catalogue import notebook, warned
from airfair.catalogue.units import quantity
from airfair.command import HEAD, Common, answer
from airfair.runs import engines
from airfair.runs.executor import Execution, Point, Progress, execute
from airfair.runs.loading import read
from airfair.runs.workers import Workers
from airfair.store.store import Store

#: Seeds with which each user runs alone if a scenario has `fair_share = "measured"`.
SEEDS: Final = tuple(_engine.ALONE_SEEDS)
#: Users count as alike if their rates differ by no more than this share of the largest.
_ALIKE = 0.05
#: The columns of the table of users.
_HEADS = ("Flow", "Direction", "Alone", "Fair share")


@dataclass(frozen=True)
class User:
    """A user: a flow that runs alone in the network."""

    flow: str
    #: Direction of the flow: `down`, `up` or `other`.
    direction: str
    #: The user's payload rate in bit/s, by seed.
    by_seed: Mapping[int, float]

    @property
    def alone(self) -> float:
        """The mean payload rate over the seeds, in bit/s."""
        return sum(self.by_seed.values()) / len(self.by_seed)


@dataclass(frozen=True)
class FairShare:
    """What each user gets alone, and its fair share."""

    scenario: str
    #: Number of users that share the network.
    users: int
    seeds: Sequence[int]
    each: Sequence[User]
    #: Rates that downloading and that uploading users get alone, in bit/s; `None` for a direction without users.
    rates: _engine.Alone

    @property
    def table(self) -> dict[str, Any]:
        """The table `[fair_share]` for a scenario file. It has no rates if there are none to share."""
        rates = zip(("download", "upload"), _engine.shared_rates(self.rates) or (), strict=False)
        return {"users": self.users} | {name: f"{rate} b/s" for name, rate in rates}

    @property
    def parameters(self) -> dict[str, Any]:
        """The fair share as parameters for `airfair.run` and others: `airfair.run(scenario, **share.parameters)`."""
        return {f"fair_share.{name}": str(value) for name, value in self.table.items()}

    @property
    def settings(self) -> list[str]:
        """The fair share as values of `--set PATH=VALUE`."""
        return [f"{name}={value}" for name, value in self.parameters.items()]

    @property
    def unlike(self) -> list[str]:
        """The directions in which users' rates differ too much for one rate, each with the range of rates."""
        found = []
        for direction in ("down", "up"):
            rates = [user.alone for user in self.each if user.direction == direction]
            if rates and max(rates) - min(rates) > _ALIKE * max(rates):
                found.append(f"{direction}: {quantity(min(rates), 'bit/s')} to {quantity(max(rates), 'bit/s')}")
        return found

    @property
    def warnings(self) -> list[str]:
        """A sentence for each of the directions that are `unlike`."""
        return [f"users differ, so one rate does not fit all of them ({direction})" for direction in self.unlike]

    @property
    def document(self) -> dict[str, Any]:
        """The document that `airfair fair-share --json` prints (SI units)."""
        return {
            **HEAD,
            "scenario": self.scenario,
            "users": self.users,
            "seeds": list(self.seeds),
            "warmup": _engine.ALONE_WARMUP,
            "duration": _engine.ALONE_DURATION,
            "flows": [
                {
                    "flow": user.flow,
                    "direction": user.direction,
                    "alone": user.alone,
                    "fair_share": user.alone / self.users,
                    "unit": "bit/s",
                }
                for user in self.each
            ],
            "fair_share": self.table,
        }

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """A row for each user, for people."""
        return [
            (user.flow, user.direction, quantity(user.alone, "bit/s"), quantity(user.alone / self.users, "bit/s"))
            for user in self.each
        ]

    def __repr__(self) -> str:
        return f"<airfair.FairShare {self.scenario}: {', '.join(self.settings)}>"

    def _repr_html_(self) -> str:
        return notebook.paragraph(self.scenario, ", ".join(self.settings)) + notebook.table(_HEADS, self.rows)


def measured(
    scenario: _engine.Scenario,
    *,
    users: int | None = None,
    seeds: Sequence[int] = SEEDS,
    store: Store | None = None,
    verify: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[FairShare, Execution]:
    """Run each TCP flow alone, with data to send all the time. Runs whose outcomes are in `store` are not repeated.

    Raises:
        InputError: No flow uses TCP.
    """
    runs = [[Point(one, seed) for seed in seeds] for one in scenario.users_alone()]
    if not runs:
        raise _engine.InputError(f"{scenario.name}: no flow uses TCP, so no user has a fair share")
    execution = execute(
        [point for of_one in runs for point in of_one], store=store, verify=verify, jobs=jobs, progress=progress
    )
    outcomes = execution.outcomes
    each = [_user({point.seed: outcomes[point] for point in of_one if point in outcomes}) for of_one in runs]
    rates = _engine.alone(list(outcomes.values()))
    users = users or scenario.users
    return FairShare(scenario.name, users, list(seeds), [user for user in each if user], rates), execution


def _user(by_seed: Mapping[int, _engine.Outcome]) -> User | None:
    """The user whose runs alone have these outcomes; `None` if all of them have failed."""
    flows = {seed: outcome.flows.to_pydict() for seed, outcome in by_seed.items()}
    if not flows:
        return None
    rates = {seed: float(flow["throughput"][0]) for seed, flow in flows.items()}
    flow = next(iter(flows.values()))
    return User(str(flow["flow"][0]), str(flow["direction"][0]), rates)


def shared(
    scenarios: Iterable[_engine.Scenario],
    *,
    store: Store | None = None,
    verify: bool = False,
    jobs: int | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> tuple[list[_engine.Alone | None], Execution]:
    """Measure what the users of scenarios get alone, for `Scenario.sharing`.

    The rates are `None` for a scenario whose fair share is not to be measured, and for one with a failed run; the
    execution lists the failures.
    """
    runs = [
        [Point(one, seed) for one in scenario.users_alone() for seed in SEEDS] if scenario.measures_share else []
        for scenario in scenarios
    ]
    points = [point for of_one in runs for point in of_one]
    execution = execute(points, store=store, verify=verify, jobs=jobs, workers=workers, progress=progress)
    outcomes = execution.outcomes
    found = [
        _engine.alone([outcomes[point] for point in of_one]) if of_one and outcomes.keys() >= set(of_one) else None
        for of_one in runs
    ]
    return found, execution


def fair_share(
    source: str, common: Common, *, users: int | None, seeds: int, jobs: int | None, engine: str | None
) -> int:
    """Measure the fair share, print it as settings, and return the exit status."""
    scenario = engines.by(engine, read(source, common.overrides))
    console.warn(warned.texts([scenario]))
    with console.progress(scenario.name) as progress:
        found, execution = measured(
            scenario,
            users=users,
            seeds=range(common.seed, common.seed + seeds),
            jobs=jobs,
            progress=progress,
        )
    if execution.interrupted:
        console.ended(execution.how)
        return execution.status
    console.failed(list(map(str, execution.failures)), "runs failed")
    if not found.each:
        return 1
    console.warn(found.warnings)

    def show() -> None:
        import tomllib

        last = common.seed + seeds - 1
        ran = f"seed {last}" if seeds == 1 else f"seeds {common.seed} to {last}"
        console.out.line(f"{found.scenario}: each of {found.users} users alone for {_engine.ALONE_DURATION:g} s, {ran}")
        console.out.print(console.table(None, *_HEADS, right=_HEADS[2:], rows=found.rows))
        if len(found.table) == 1:
            why = "no flow crosses the air" if found.rates == (None, None) else "some users get nothing alone"
            console.out.print(f"{why}, so instantaneous fairness is undefined here")
        elif "fair_share" in tomllib.loads(scenario.toml):
            options = " ".join(f"--set '{text}'" for text in found.settings)
            console.out.line(f"set it with: {options}")
        else:
            console.out.line("put it into the file:")
            lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in found.table.items())
            console.out.line(f"[fair_share]\n{lines}")

    answer(common, "fair-share.json", found.document, show)
    return 1 if execution.failures else 0
