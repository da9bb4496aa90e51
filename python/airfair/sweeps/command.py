"""`airfair sweep`."""

from __future__ import annotations

import shlex
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.text import Text

from airfair import _engine, console
from airfair.commands import Common, answer, output
from airfair.sweeps import sweep_file
from airfair.sweeps.directory import FILES, Directory, command_line
from airfair.sweeps.plan import described, plan
from airfair.sweeps.progress import shown
from airfair.sweeps.runner import Ran, run
from airfair.sweeps.spec import MOST_SEEDS, Sweep, Until, group, named_values
from airfair.workers import Threads, Workers


@dataclass(frozen=True)
class Request:
    """What is asked for on the command line; `None` and empty: as in the sweep file."""

    source: str
    over: Sequence[str] = ()
    zip: Sequence[str] = ()
    sample: int | None = None
    seeds: int | None = None
    until_ci: str | None = None
    jobs: int | None = None
    on: str = "local"
    cache: Path | None = None


def sweep(request: Request, common: Common, *, seed: int | None) -> int:
    """Run a sweep, or what is missing of it; write its tables; say what came of it."""
    asked, place = asked_for(request, common, seed)
    found = plan(asked)
    workers = computing(request.on, request.jobs)
    into = output(common, place, FILES, cache=request.cache)
    out = into.path
    console.warn(found.warnings)
    directory = Directory(out, request.cache, into)
    try:
        with shown(asked.name) as progress:
            ran = run(found, directory=directory, command=command_line(), workers=workers, told=progress)
    except OSError as error:
        again = f"what was computed is kept, and `{resume(out, request)}` continues"
        raise OSError(f"{error.filename or out}: cannot write: {error.strerror or error}; {again}") from None
    tell_failures(ran)
    if ran.execution.damaged:
        damaged = ran.execution.damaged
        console.err.print(
            f"{damaged} damaged {'file' if damaged == 1 else 'files'} in {out}: computed again", soft_wrap=True
        )
    if not ran.complete:
        done = ran.tables["results"].height
        how = "interrupted" if ran.execution.ended_by == signal.SIGINT else "terminated"
        console.err.print(
            f"{how}; {done} runs are kept in {out}. Continue with: {resume(out, request)}",
            soft_wrap=True,
        )
        return ran.execution.status
    answer(common, "sweep.json", document(ran), lambda: summary(ran, out), into)
    return 1 if ran.failed else 0


def asked_for(request: Request, common: Common, seed: int | None) -> tuple[Sweep, Path]:
    """The sweep, and where its results go without `--out`."""
    source = Path(request.source)
    results = Path("airfair-results")
    if source.is_dir():
        base, place = Directory(source).sweep(), source
    elif sweep_file.is_sweep_file(source):
        base, place = sweep_file.read(source), results / source.stem
        if sweep_file.holds_its_scenario(source):
            place = source.parent
            base = Directory(place).sweep() if source.name == sweep_file.NAME else base
    else:
        label = source.name if source.is_file() else request.source
        base = Sweep(label, _engine.scenario_text(request.source))
        place = results / label.removesuffix(".toml").replace("/", "-")
    over = {name: (values,) for name, values in named_values("--over", request.over).items()}
    fixed = named_values("--set", common.set)
    until = Until.read(request.until_ci) if request.until_ci else base.until if request.seeds is None else None
    seeds = request.seeds or (MOST_SEEDS if request.until_ci else base.seeds)
    return (
        replace(
            base,
            set={name: value for name, value in base.set.items() if name not in over} | fixed,
            over={name: values for name, values in base.over.items() if name not in fixed} | over,
            zip=tuple(group(names) for names in request.zip) or base.zip,
            sample=request.sample or base.sample,
            seed=base.seed if seed is None else seed,
            seeds=seeds,
            until=until,
        ),
        place,
    )


def computing(on: str, jobs: int | None) -> Workers:
    """Those who compute: `local`, `ray` or `ray:ADDRESS`.

    Raises:
        InputError: Something else, or Ray is not installed or not there.
    """
    where, _, address = on.partition(":")
    if where == "local" and not address:
        return Threads(jobs)
    if where == "ray":
        try:
            from airfair.sweeps.on_ray import connected
        except ImportError:
            raise _engine.InputError("--on ray: Ray is not installed here; pip install 'airfair[ray]'") from None
        return connected(address or None, jobs)
    raise _engine.InputError(f"--on {on}: expected local, ray or ray:ADDRESS")


def resume(out: Path, request: Request) -> str:
    """The command that continues."""
    words = ["airfair", "sweep", str(out)]
    words += ["--jobs", str(request.jobs)] if request.jobs else []
    words += ["--on", request.on] if request.on != "local" else []
    words += ["--cache", str(request.cache)] if request.cache else []
    return shlex.join(words)


def tell_failures(ran: Ran) -> None:
    """Say which points failed and why."""
    refused = [f"{described(entry.at)}: {entry.reason}" for entry in ran.plan.refused]
    failed = [
        f"{failure.point.scenario}, seed {failure.point.seed}: {failure.reason}" for failure in ran.execution.failures
    ]
    console.failed([*refused, *failed], "failures; all are in failures.parquet")


def document(ran: Ran) -> dict[str, Any]:
    """What `--json` prints, and `sweep.json` holds."""
    found, until = ran.plan, ran.plan.sweep.until
    failures = ran.tables["failures"].to_dicts()
    parameters = found.combinations[0].parameters
    return {
        "schema_version": 1,
        "engine_version": _engine.__version__,
        "scenario": found.sweep.name,
        "parameters": {name: parameters[name] for name in found.fixed},
        "axes": {name: {"unit": parameters[name]["unit"]} for name in found.axes},
        "until_ci": {"metric": until.metric, "share": until.share} if until else None,
        "points": [
            {
                "parameters": {name: setting.value for name, setting in combination.at.items()},
                "seeds": list(seeding.seeds),
                "reached": seeding.reached,
            }
            for combination, seeding in zip(found.combinations, ran.seedings, strict=True)
        ],
        "runs": ran.tables["results"].height,
        "sessions": ran.tables["sessions"].height,
        "failures": failures,
    }


def summary(ran: Ran, out: Path) -> None:
    """Tell people what came of it."""
    found, execution = ran.plan, ran.execution
    points = len(found.combinations) + len(found.refused)
    over = f" over {', '.join(found.axes)}" if found.axes else ""
    runs = ran.tables["results"].height
    origin = f"{execution.computed} computed, {execution.reused} found"
    counts = f"{_of(points, 'point')}{over}; {_of(runs, 'run')} ({origin})"
    console.out.print(Text.assemble((found.sweep.name, "bold"), f": {counts}"), soft_wrap=True)
    if (sample := found.sweep.sample) and points < sample:
        console.out.print(f"{points} points for a sample of {sample}: some fell on the same values", soft_wrap=True)
    for line in _seeds(ran):
        console.out.print(line, soft_wrap=True)
    if ran.failed:
        failures = f"{ran.failed} of {_of(points, 'point')}, in {out / 'failures.parquet'}"
        console.out.print(Text.assemble(("failed", "red"), f": {failures}"), soft_wrap=True)
    console.out.print(f"results: {out / 'results.parquet'}", soft_wrap=True)
    place = shlex.quote(str(out))
    console.out.print(
        f"look at them with: airfair report {place}, airfair results {place}", soft_wrap=True, style="dim"
    )


def _of(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _seeds(ran: Ran) -> list[str]:
    """How many seeds the points took."""
    until = ran.plan.sweep.until
    if until is None:
        return []
    taken = Counter(len(seeding.seeds) for seeding in ran.seedings)
    counts = sorted(taken.elements())
    lines = [
        f"{until.metric} to {until.share * 100:g} %: {counts[0]} to {counts[-1]} seeds a point, "
        f"median {counts[len(counts) // 2]}"
    ]
    missed = [
        str(combination)
        for combination, seeding in zip(ran.plan.combinations, ran.seedings, strict=True)
        if not seeding.reached
    ]
    if missed:
        lines.append(
            f"not reached within {_of(ran.plan.sweep.seeds, 'seed')}: {'; '.join(missed[:_NAMED])}"
            + (f" and {len(missed) - _NAMED} more" if len(missed) > _NAMED else "")
        )
    return lines


#: Points that are told by name.
_NAMED = 5
