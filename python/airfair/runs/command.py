"""The bodies of the commands on scenarios and single runs. `cli` declares them and imports this when one is called."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

from rich.text import Text

from airfair import _engine, console
from airfair._engine import InputError
from airfair.catalogue import known
from airfair.catalogue.parameters import names_of
from airfair.catalogue.wording import of_seeds
from airfair.command import Common, answer, output, output_file
from airfair.runs import cost, engines, flent, loading
from airfair.runs.settled import settled
from airfair.runs.signals import ending
from airfair.store.output import Output


def run(
    scenario: str,
    common: Common,
    seeds: int,
    trace: str,
    pcap: Path | None,
    metrics: str,
    jobs: int | None,
    engine: str | None,
    *,
    dry_run: bool = False,
    for_flent: bool = False,
) -> int:
    """Run a scenario for some seeds."""
    from airfair.runs.executor import Point, execute

    traces = names_of(trace)
    if pcap is not None and seeds > 1:
        raise InputError(f"--pcap {pcap}: a file holds the frames of one run, so it goes with one seed, not {seeds}")
    if for_flent and (common.out is None or pcap is not None):
        raise InputError(
            f"--format flent writes files of its own: {'add --out DIR' if pcap is None else 'leave --pcap out'}"
        )
    loaded = engines.by(engine, loading.read(scenario, common.overrides, names_of(metrics)))
    if traces:
        _check_traces(loaded, traces)
        if common.out is None:
            console.warn([f"--trace {trace}: the recorded series are kept only with --out DIR"])
    all_seeds = range(common.seed, common.seed + seeds)
    flent_names = [flent.file_name(loaded, seed) for seed in all_seeds] if for_flent else []
    console.warnings([loaded])
    points = [Point(loaded, seed, tuple(traces)) for seed in all_seeds]
    kept = common.out if seeds > 1 and not traces else None
    if dry_run:
        return cost.dry_run(loaded.name, cost.cost(points, kept, jobs, verify=engines.verifies(engine)), common)
    each = cost.warn_of_hours(points, len(points), kept, jobs)
    capture = None if pcap is None else _capture_file(loaded, common, pcap)
    into = None
    if common.out is not None:
        from airfair.runs.tables import names_of_run

        into = output(common, common.out, ["run.json", *names_of_run(with_series=bool(traces)), *flent_names])
    with contextlib.nullcontext() if into is None else into.computing():
        if loaded.measures_share:
            with console.progress(f"{loaded.name}: fair share") as progress:
                store = into.store() if into is not None else None
                loaded = settled(loaded, jobs=jobs, store=store, progress=progress)
            points = [Point(loaded, seed, tuple(traces)) for seed in all_seeds]
        failed = False
        documents: list[bytes] = []
        if for_flent:
            both = list(flent.runs(loaded, all_seeds, traces, flent.title(common.set)))
            outcomes, documents = [outcome for outcome, _ in both], [document for _, document in both]
        elif capture is not None and pcap is not None:
            outcomes = [_captured(loaded, common.seed, traces, capture, pcap.name)]
        elif seeds == 1 and console.waits_for(each):
            outcomes = [_watched(loaded, common.seed, traces)]
        else:
            store = into.store() if into is not None and seeds > 1 else None
            with console.progress(loaded.name) if seeds > 1 else contextlib.nullcontext() as progress:
                execution = execute(
                    points,
                    store=store,
                    verify=engines.verifies(engine),
                    jobs=jobs,
                    progress=progress,
                )
            if execution.interrupted:
                console.ended(execution.how, None if store is None or into is None else into.path)
                return execution.status
            console.failed(list(map(str, execution.failures)), "runs failed")
            failed = bool(execution.failures)
            outcomes = [execution.outcomes[point] for point in points if point in execution.outcomes]
        if not outcomes:
            return 1
        if into is not None:
            from airfair.runs.tables import names_of_run, of_run

            files = of_run(outcomes, with_series=bool(traces)) | dict(zip(flent_names, documents, strict=True))
            into.publish(files)
            # Remove what an earlier run recorded, and this one did not.
            earlier = [*names_of_run(with_series=True), *flent.names_in(into)]
            into.discard(name for name in earlier if name not in files)
    summary = loaded.summary_json(outcomes)

    def show() -> None:
        ran = of_seeds([outcome.seed for outcome in outcomes])
        console.out.print(Text.assemble((loaded.name, "bold"), f", {ran}"), soft_wrap=True)
        described = known.every_metric()
        answered = json.loads(summary)
        found = answered["metrics"]
        if share := answered.get("fair_share"):
            console.out.print(console.measured_share(share), soft_wrap=True)
        if answered["devices"]:
            console.out.print(console.devices_table(answered["devices"]))
        shown = {name: metric for name, metric in found.items() if metric["value"] is not None or metrics != "all"}
        by_group = {name: metric for name, metric in shown.items() if described[name]["group"]}
        if by_group:
            console.out.print(console.groups_table(by_group, described))
        rest = {name: metric for name, metric in shown.items() if name not in by_group}
        if rest:
            console.out.print(console.metrics_table(rest, described))
        for line in console.what_is_counted(shown, described):
            console.out.print(line, style="dim")
        if without := [name for name in found if name not in shown]:
            console.out.print(f"without a value here: {', '.join(without)} (--json says why)", style="dim")
        for what, place in (("frames", pcap), ("results", into.path if into is not None else None)):
            if place is not None:
                console.out.print(f"{what}: {place}", soft_wrap=True)

    answer(common, "run.json", summary, show, into)
    return 1 if failed else 0


def _capture_file(scenario: _engine.Scenario, common: Common, pcap: Path) -> Output:
    """The directory that a capture goes to. Raises `InputError` if it cannot."""
    if not scenario.wlans:
        raise InputError(f"--pcap {pcap}: {scenario.name} has no wireless network, so no frames are on the air")
    return output_file(common, pcap, "--pcap")


#: Steps of a run that shows its progress.
_STEPS = 500


def _watched(scenario: _engine.Scenario, seed: int, traces: list[str]) -> _engine.Outcome:
    """The outcome of a long run, which shows how far it is. Pauses change nothing."""
    world = _engine.World(scenario, seed, traces)
    with ending(), console.simulated(scenario.name, world.end) as told:
        for step in range(1, _STEPS + 1):
            world.run_until(world.end * step / _STEPS)
            told(world.now)
    return world.outcome()


def _captured(scenario: _engine.Scenario, seed: int, traces: list[str], into: Output, name: str) -> _engine.Outcome:
    """The outcome of a run, whose frames on the air go into a file."""
    with tempfile.TemporaryFile(dir=into.path) as frames:
        with ending():
            outcome = scenario.capture(seed, traces, frames)
        into.publish({name: frames})
    return outcome


def _check_traces(scenario: _engine.Scenario, traces: list[str]) -> None:
    """Have the engine check the names before anything is written: a run that is stopped at once checks them first."""
    stop = _engine.StopFlag()
    stop.set()
    with contextlib.suppress(KeyboardInterrupt):
        scenario.run(1, traces, stop)


def show(scenario: str, common: Common) -> int:
    """Print a scenario's TOML."""
    loaded = loading.read(scenario, common.overrides)
    document = {"scenario": loaded.name, "toml": loaded.toml}
    answer(common, "show.json", document, lambda: console.write(loaded.toml.removesuffix("\n") + "\n"))
    return 0


def check(file: str, common: Common) -> int:
    """Validate a scenario file without running it."""
    loaded = loading.read(file, common.overrides) if file == loading.STDIN else _engine.check(file, common.overrides)
    console.warnings([loaded])
    parameters = json.loads(loaded.parameters_json)
    document = {"scenario": loaded.name, "valid": True, "parameters": parameters}
    answer(
        common,
        "check.json",
        document,
        lambda: console.out.print(Text.assemble(f"{file}: ", ("valid", "green")), soft_wrap=True),
    )
    return 0


def schema(common: Common) -> int:
    """Print the JSON Schema of scenario files."""
    text = _engine.schema_json()
    answer(common, "schema.json", text, lambda: print(text))
    return 0


def scenarios(common: Common) -> int:
    """List the packaged scenarios."""
    listing = known.scenarios()
    table = console.table(None, "Scenario", "Title", rows=((entry["name"], entry["title"]) for entry in listing))
    answer(common, "scenarios.json", listing, lambda: console.out.print(table))
    return 0
