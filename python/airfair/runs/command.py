"""The body of `airfair run`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from airfair import _engine, console
from airfair._engine import InputError
from airfair.catalogue import graded, known, warned
from airfair.catalogue.constraints import Constraint, constraint
from airfair.catalogue.left_out import told
from airfair.catalogue.parameters import names_of
from airfair.catalogue.wording import of_seeds
from airfair.command import Common, answer, capture_file, output
from airfair.runs import cost, engines, flent, loading
from airfair.runs.settled import settled
from airfair.runs.signals import ending

if TYPE_CHECKING:
    from airfair.runs.executor import Point
    from airfair.store.output import Output


class Asked(NamedTuple):
    """The options of `airfair run`, without those that all commands share."""

    seeds: int
    traces: tuple[str, ...]
    #: The capture file to write every frame on the air to.
    pcap: Path | None
    #: Metrics to report: comma-separated names, or `all`; empty: the scenario's own.
    metrics: str
    jobs: int | None
    engine: str | None
    #: Whether to print only how long the runs would take.
    dry_run: bool
    #: Whether to write each run as a data file of Flent, too.
    for_flent: bool
    #: Bounds on metrics: the status is 1 where one does not hold.
    require: Sequence[str] = ()


class _Ran(NamedTuple):
    """Runs that have ended."""

    #: Outcomes of the runs that succeeded; empty if a signal ended the runs.
    outcomes: list[_engine.Outcome]
    #: The exit status of the command.
    status: int = 0
    #: Data files of Flent, one for each outcome, if they were asked for.
    documents: Sequence[bytes] = ()


def run(scenario: str, common: Common, asked: Asked) -> int:
    """Run a scenario for some seeds, and return the exit status."""
    from airfair.runs.executor import Point

    required = [constraint("--require", text) for text in asked.require]
    loaded = _loaded(scenario, common, asked, [one.metric for one in required])
    seeds = range(common.seed, common.seed + asked.seeds)
    flent_names = [flent.file_name(loaded, seed) for seed in seeds] if asked.for_flent else []
    console.warn(warned.texts([loaded]))
    points = [Point(loaded, seed, asked.traces) for seed in seeds]
    kept = common.out if asked.seeds > 1 and not asked.traces else None
    if asked.dry_run:
        found = cost.cost(points, kept, asked.jobs, verify=engines.verifies(asked.engine))
        return cost.dry_run(loaded.name, found, common)
    each = cost.warn_of_hours(points, kept, asked.jobs)
    capture = None if asked.pcap is None else _capture_file(loaded, common, asked.pcap)
    into = None
    if common.out is not None:
        from airfair.runs.tables import names_of_run

        names = names_of_run(with_series=bool(asked.traces))
        into = output(common, common.out, ["run.json", *names, *flent_names])
    with contextlib.nullcontext() if into is None else into.computing():
        unsettled, loaded = loaded, _settled(loaded, asked.jobs, into)
        if loaded is not unsettled:
            points = [Point(loaded, seed, asked.traces) for seed in seeds]
        if asked.for_flent:
            ran = _for_flent(loaded, seeds, asked.traces, flent.title(common.set))
        elif capture is not None and asked.pcap is not None:
            ran = _Ran([_captured(loaded, common.seed, asked.traces, capture, asked.pcap.name)])
        elif asked.seeds == 1 and console.waits_for(each):
            ran = _Ran([_watched(loaded, common.seed, asked.traces)])
        else:
            ran = _executed(points, asked, into)
        if not ran.outcomes:
            return ran.status
        if into is not None:
            _save(into, ran, flent_names, with_series=bool(asked.traces))
    summary = loaded.summary_json(ran.outcomes)
    judged = [judge(one, json.loads(summary)["metrics"][one.metric]) for one in required]

    def show() -> None:
        ran_seeds = of_seeds([outcome.seed for outcome in ran.outcomes])
        console.out.line((loaded.name, "bold"), f", {ran_seeds}")
        _show(json.loads(summary), asked.metrics)
        for what, place in (("frames", asked.pcap), ("results", None if into is None else into.path)):
            if place is not None:
                console.out.line(f"{what}: {place}")
        for one in judged:
            if one.holds:
                console.out.line(f"holds: {one.told}")

    answer(common, "run.json", summary, show, into)
    broken = [one.told for one in judged if not one.holds]
    console.failed(broken, "requirements do not hold")
    return ran.status or int(bool(broken))


class Judged(NamedTuple):
    """A bound on a metric, and whether it holds."""

    holds: bool
    #: The bound and what was measured: `voice_mos_min >= 3.6: 3.12 (3.05 to 3.19)`.
    told: str


def judge(asked: Constraint, metric: Mapping[str, Any]) -> Judged:
    """Judge the mean over the seeds by a bound. A metric without a value does not hold."""
    value = metric["value"]
    if value is None:
        return Judged(False, f"{asked}: no value: {metric['reason']}")
    note = told(metric.get("left_out", 0), metric.get("sessions", 0))
    measured = f"{asked}: {console.measured(asked.metric, metric)}" + (f", {note}" if note else "")
    return Judged(not asked.violation(value), measured)


def _loaded(scenario: str, common: Common, asked: Asked, required: Sequence[str]) -> _engine.Scenario:
    """Load the scenario, which reports the required metrics, too. Raises `InputError` if it or an option is wrong."""
    if asked.pcap is not None and asked.seeds > 1:
        raise InputError(
            f"--pcap {asked.pcap}: a file holds the frames of one run, so it goes with one seed, not {asked.seeds}"
        )
    if asked.for_flent and (common.out is None or asked.pcap is not None):
        raise InputError(
            f"--format flent writes files of its own: {'add --out DIR' if asked.pcap is None else 'leave --pcap out'}"
        )
    loaded = engines.by(asked.engine, loading.read(scenario, common.overrides, names_of(asked.metrics), required))
    if asked.traces:
        _check_traces(loaded, asked.traces)
        if common.out is None:
            console.warn([f"--trace {','.join(asked.traces)}: the recorded series are kept only with --out DIR"])
    return loaded


def _settled(scenario: _engine.Scenario, jobs: int | None, into: Output | None) -> _engine.Scenario:
    """The scenario with its users' fair share. Measuring it shows progress, and is stored in `into`."""
    if not scenario.measures_share:
        return scenario
    with console.progress(f"{scenario.name}: fair share") as progress:
        return settled(scenario, jobs=jobs, store=None if into is None else into.store(), progress=progress)


def _for_flent(scenario: _engine.Scenario, seeds: range, traces: Sequence[str], title: str) -> _Ran:
    both = list(flent.runs(scenario, seeds, list(traces), title))
    return _Ran([outcome for outcome, _ in both], documents=[document for _, document in both])


def _executed(points: list[Point], asked: Asked, into: Output | None) -> _Ran:
    """Run points in parallel; with a directory, store their outcomes. Prints failures and an early end."""
    from airfair.runs.executor import execute

    several = len(points) > 1
    store = into.store() if into is not None and several else None
    with console.progress(points[0].scenario.name) if several else contextlib.nullcontext() as progress:
        execution = execute(
            points, store=store, verify=engines.verifies(asked.engine), jobs=asked.jobs, progress=progress
        )
    if execution.interrupted:
        console.ended(execution.how, None if store is None or into is None else into.path)
        return _Ran([], execution.status)
    console.failed(list(map(str, execution.failures)), "runs failed")
    outcomes = [execution.outcomes[point] for point in points if point in execution.outcomes]
    return _Ran(outcomes, 1 if execution.failures else 0)


def _save(into: Output, ran: _Ran, flent_names: list[str], *, with_series: bool) -> None:
    """Write the tables, and remove those that only an earlier run has written."""
    from airfair.runs.tables import names_of_run, of_run

    files = of_run(ran.outcomes, with_series=with_series) | dict(zip(flent_names, ran.documents, strict=True))
    into.publish(files)
    into.discard(name for name in names_of_run(with_series=True) if name not in files)


def _show(answered: dict[str, Any], asked: str) -> None:
    """Print the tables of a run's document.

    Of the scenario's own metrics, those of groups that have no flows are left out. If `all` are asked for, those
    without a value are only named.
    """
    described = known.every_metric()
    found = answered["metrics"]
    if not asked:
        found = {name: metric for name, metric in found.items() if not described[name]["group"] or _has_flows(metric)}
    if share := answered.get("fair_share"):
        console.out.line(console.measured_share(share))
    if answered["devices"]:
        console.out.print(console.devices_table(answered["devices"]))
        for line in (*graded.without(answered["devices"]), graded.RULE):
            console.out.print(line, style="dim")
    shown = {name: metric for name, metric in found.items() if metric["value"] is not None or asked != "all"}
    by_group = {name: metric for name, metric in shown.items() if described[name]["group"]}
    if by_group:
        console.out.print(console.groups_table(by_group, described))
    rest = {name: metric for name, metric in shown.items() if name not in by_group}
    if rest:
        console.out.print(console.metrics_table(rest, described))
    unfinished = console.what_is_unfinished(shown, described, answered["sessions"], len(answered["seeds"]))
    for line in (*console.what_is_counted(shown, described), *unfinished):
        console.out.print(line, style="dim")
    if without := [name for name in found if name not in shown]:
        console.out.print(f"without a value here: {', '.join(without)} (--json says why)", style="dim")


def _has_flows(metric: Mapping[str, Any]) -> bool:
    """Whether there are flows that a metric of a group is about."""
    return not (
        metric["value"] is None and metric["reason"].startswith(("there are no flows of ", "there are no such flows"))
    )


def _capture_file(scenario: _engine.Scenario, common: Common, pcap: Path) -> Output:
    """The directory that a capture goes to. Raises `InputError` if it cannot."""
    if not scenario.wlans:
        raise InputError(f"--pcap {pcap}: {scenario.name} has no wireless network, so no frames are on the air")
    return capture_file(common, pcap)


#: Number of steps in which a run that shows its progress advances.
_STEPS = 500


def _watched(scenario: _engine.Scenario, seed: int, traces: Sequence[str]) -> _engine.Outcome:
    """Run a long run in steps, and show how far it is. The pauses do not change the outcome."""
    world = _engine.World(scenario, seed, list(traces))
    with ending(), console.simulated(scenario.name, world.end) as told:
        for step in range(1, _STEPS + 1):
            world.run_until(world.end * step / _STEPS)
            told(world.now)
    return world.outcome()


def _captured(scenario: _engine.Scenario, seed: int, traces: Sequence[str], into: Output, name: str) -> _engine.Outcome:
    """Run once, and write the frames on the air to a file."""
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=into.path) as frames:
            with ending():
                outcome = scenario.capture(seed, list(traces), frames)
            into.publish({name: frames})
    except OSError as error:
        # Name the user's file in the error, not the temporary one that the frames go to first.
        raise OSError(error.errno, error.strerror, str(into.path / name)) from None
    return outcome


def _check_traces(scenario: _engine.Scenario, traces: Sequence[str]) -> None:
    """Check the names of traces before anything is written: even a run that is stopped at once checks them."""
    stop = _engine.StopFlag()
    stop.set()
    with contextlib.suppress(KeyboardInterrupt):
        scenario.run(1, list(traces), stop)
