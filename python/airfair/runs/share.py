"""A user's fair share, measured: the rate that each gets alone in the network, over the number of users."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airfair import _engine, console
from airfair.catalogue import notebook, toml
from airfair.catalogue.units import quantity
from airfair.command import HEAD, Common, answer
from airfair.runs import engines
from airfair.runs.executor import Execution, Point, Progress, execute
from airfair.runs.loading import read

#: The keys of a flow that has data to send all the time; those of other traffic are dropped.
_KEPT = frozenset({"name", "count", "when", "from", "to", "tcp", "access_category", "dscp"})
#: Seconds that a user has the network alone, before it is measured and while it is.
WARMUP, DURATION = 5.0, 20.0
#: Users whose rates differ by more than this share are not alike.
_ALIKE = 0.05
#: The columns of the table of users.
_HEADS = ("Flow", "Direction", "Alone", "Fair share")


@dataclass(frozen=True)
class User:
    """A flow with the network to itself."""

    flow: str
    #: `down`, `up` or `other`.
    direction: str
    #: Its payload rate in bit/s by seed.
    by_seed: Mapping[int, float]

    @property
    def alone(self) -> float:
        """The mean over the seeds in bit/s."""
        return sum(self.by_seed.values()) / len(self.by_seed)


@dataclass(frozen=True)
class FairShare:
    """What each user gets alone, and its fair share."""

    scenario: str
    #: The number of users that share.
    users: int
    seeds: Sequence[int]
    each: Sequence[User]

    def of(self, direction: str) -> float | None:
        """What the users of a direction get alone, their mean in bit/s; `None` without users."""
        rates = [user.alone for user in self.each if user.direction == direction]
        return sum(rates) / len(rates) if rates else None

    @property
    def table(self) -> dict[str, Any]:
        """`[fair_share]` for a scenario file; a direction without users has the rate of the other one."""
        down, up = self.of("down"), self.of("up")
        rates = {"download": down or up, "upload": up or down}
        return {"users": self.users} | {name: f"{rate:.0f} b/s" for name, rate in rates.items() if rate}

    @property
    def parameters(self) -> dict[str, str]:
        """The same for `airfair.run` and others: `airfair.run(scenario, **share.parameters)`."""
        return {f"fair_share.{name}": str(value) for name, value in self.table.items()}

    @property
    def settings(self) -> list[str]:
        """The same as `--set PATH=VALUE`."""
        return [f"{name}={value}" for name, value in self.parameters.items()]

    @property
    def unlike(self) -> list[str]:
        """The directions whose users differ, so that one rate does not fit all."""
        found = []
        for direction in ("down", "up"):
            rates = [user.alone for user in self.each if user.direction == direction]
            if rates and max(rates) - min(rates) > _ALIKE * max(rates):
                found.append(f"{direction}: {quantity(min(rates), 'bit/s')} to {quantity(max(rates), 'bit/s')}")
        return found

    @property
    def document(self) -> dict[str, Any]:
        """The document that `airfair fair-share --json` prints (SI units)."""
        return {
            **HEAD,
            "scenario": self.scenario,
            "users": self.users,
            "seeds": list(self.seeds),
            "warmup": WARMUP,
            "duration": DURATION,
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
    seeds: range,
    jobs: int | None = None,
    engine: str | None = None,
    progress: Progress | None = None,
) -> tuple[FairShare, Execution]:
    """Run each TCP flow alone, with data to send all the time.

    Raises:
        InputError: No flow uses TCP.
    """
    document = tomllib.loads(scenario.toml)
    alone = [engines.by(engine, one) for one in _alone(document, scenario.name)]
    if not alone:
        raise _engine.InputError(f"{scenario.name}: no flow uses TCP, so no user has a fair share")
    points = [Point(one, seed) for one in alone for seed in seeds]
    execution = execute(points, jobs=jobs, progress=progress)
    found: dict[_engine.Scenario, dict[int, dict[str, Any]]] = {}
    for point in points:
        if point in execution.outcomes:
            flows = execution.outcomes[point].flows.to_pydict()
            one = {name: values[0] for name, values in flows.items()}
            found.setdefault(point.scenario, {})[point.seed] = one  # type: ignore[arg-type]
    each = []
    for by_seed in found.values():
        first = next(iter(by_seed.values()))
        rates = {seed: float(one["throughput"]) for seed, one in by_seed.items()}
        each.append(User(str(first["flow"]), str(first["direction"]), rates))
    return FairShare(scenario.name, users or _size(document, scenario.name), list(seeds), each), execution


def _short(document: Mapping[str, Any], name: str) -> _engine.Scenario:
    """The scenario, of which a moment is run."""
    return _engine.Scenario.parse(toml.text(_timed(document, 0.0, 1e-3)), name, [], ["throughput_total"])


def _timed(document: Mapping[str, Any], warmup: float, duration: float) -> dict[str, Any]:
    return {**document, "run": {"warmup": f"{warmup} s", "duration": f"{duration} s"}}


def _alone(document: Mapping[str, Any], name: str) -> Iterator[_engine.Scenario]:
    """The scenario with each of its TCP flows alone."""
    for place, group in enumerate(document["flow"]):
        if "udp" in group or group.get("traffic") == "voice":
            continue
        greedy = {key: value for key, value in group.items() if key in _KEPT}
        for member in _members(document, place, name):
            alone = _only(document, place, _member(greedy, member))
            yield _engine.Scenario.parse(toml.text(_timed(alone, WARMUP, DURATION)), name, [], ["throughput_total"])


def _only(document: Mapping[str, Any], place: int, group: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario with one group of flows. The others stay, without members: parameters may name their settings."""
    flows = [group if other == place else {**flow, "when": False} for other, flow in enumerate(document["flow"])]
    return {**document, "flow": flows}


def _member(group: Mapping[str, Any], member: int) -> dict[str, Any]:
    """A group with one of its members."""
    if "count" not in group:
        return dict(group)
    when = f"({group['when']}) and i == {member}" if "when" in group else f"i == {member}"
    return {**group, "when": when}


def _members(document: Mapping[str, Any], place: int, name: str) -> list[int]:
    """The indices of a group's members; the engine alone evaluates `count` and `when`."""
    group = document["flow"][place]
    wanted = _size(_only(document, place, group), name)
    if "count" not in group:
        return [0][:wanted]
    found: list[int] = []
    member = 0
    while len(found) < wanted:
        if _size(_only(document, place, _member(group, member)), name):
            found.append(member)
        member += 1
    return found


def _size(document: Mapping[str, Any], name: str) -> int:
    """The number of flows."""
    try:
        return len(_short(document, name).run(1).flows)
    except _engine.InputError as error:
        if "there is no flow" in str(error):
            return 0
        raise


def fair_share(
    source: str, common: Common, *, users: int | None, seeds: int, jobs: int | None, engine: str | None
) -> int:
    """Measure, and print what to set."""
    scenario = read(source, common.overrides)
    console.warnings([scenario])
    with console.progress(scenario.name) as progress:
        found, execution = measured(
            scenario,
            users=users,
            seeds=range(common.seed, common.seed + seeds),
            jobs=jobs,
            engine=engine,
            progress=progress,
        )
    if execution.interrupted:
        return execution.status
    console.failed(list(map(str, execution.failures)), "runs failed")
    if not found.each:
        return 1
    for direction in found.unlike:
        console.warn([f"users differ, so one rate does not fit all of them ({direction})"])

    def show() -> None:
        last = common.seed + seeds - 1
        ran = f"seed {last}" if seeds == 1 else f"seeds {common.seed} to {last}"
        console.out.print(f"{found.scenario}: each of {found.users} users alone for {DURATION:g} s, {ran}")
        console.out.print(console.table(None, *_HEADS, right=_HEADS[2:], rows=found.rows))
        if len(found.table) == 1:
            console.out.print("no flow crosses the air, so instantaneous fairness is undefined here")
        elif "fair_share" in tomllib.loads(scenario.toml):
            options = " ".join(f"--set '{text}'" for text in found.settings)
            console.out.print(f"set it with: {options}", soft_wrap=True)
        else:
            console.out.print("put it into the file:", soft_wrap=True)
            lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in found.table.items())
            console.out.print(f"[fair_share]\n{lines}", soft_wrap=True)

    answer(common, "fair-share.json", found.document, show)
    return 1 if execution.failures else 0
