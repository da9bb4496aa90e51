"""The body of `airfair sweep`."""

from __future__ import annotations

import shlex
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from airfair import _engine, console
from airfair.catalogue.wording import counted
from airfair.command import HEAD, Common, output
from airfair.runs.cost import cost, warn_of_hours
from airfair.runs.cost import dry_run as tell_cost
from airfair.runs.engines import verifies
from airfair.runs.workers import Threads, Workers
from airfair.sweeps import asked
from airfair.sweeps.directory import FILES, Directory, command_line
from airfair.sweeps.plan import described
from airfair.sweeps.progress import checking, shown
from airfair.sweeps.runner import Ran, first_points, run


def sweep(
    given: str,
    changes: asked.Changes,
    common: Common,
    *,
    jobs: int | None,
    on: str,
    cache: Path | None,
    engine: str | None,
    dry_run: bool = False,
) -> int:
    """Run the sweep of a source with changes, or its missing points; write its tables; print a summary."""
    source = asked.read(given)
    wanted = asked.changed(source.sweep, changes)
    here = on == "local"
    with checking(wanted.name) as progress:
        threads = jobs if here else None
        found = asked.planned(source, wanted, engine, to_run=here and not dry_run, jobs=threads, progress=progress)
    workers = computing(on, jobs)
    place = source.directory or Path("airfair-results") / source.label
    points = first_points(found)
    bound = "at least" if wanted.until else "fixed"
    console.warn(found.warnings)
    if dry_run:
        there = common.out or place
        estimated = cost(points, there, jobs, verify=verifies(engine), bound=bound)
        return tell_cost(wanted.name, estimated, common)
    into = output(common, place, FILES, cache=cache)
    out = into.path
    resume = _resume(out, jobs, on, cache, engine)
    if here and not verifies(engine):
        warn_of_hours(points, out, jobs)
    directory = Directory(out, cache, into)
    before, held = directory.earlier()
    added = [metric for metric in found.metrics if before and metric not in before]
    try:
        with shown(wanted.name) as told:
            ran = run(
                found,
                directory=directory,
                command=command_line(),
                workers=workers,
                told=told,
                kept=False,
                describe=partial(written, folder=out),
            )
    except OSError as error:
        again = f"finished runs are kept, and `{resume}` continues"
        raise OSError(f"{error.filename or out}: cannot write: {error.strerror or error}; {again}") from None
    tell_failures(ran)
    if ran.execution.damaged:
        damaged = counted(ran.execution.damaged, "damaged result")
        console.err.line(f"{damaged} in {out}: computed again")
    if ran.execution.interrupted:
        console.err.line(f"{ran.execution.how}; kept in {out}: {counted(ran.runs, 'run')}. Continue with: {resume}")
        return ran.execution.status
    tell_added(added, ran)
    if held > ran.runs + len(ran.execution.failures):
        console.err.line(
            f"{out}: its tables had {counted(held, 'run')}, and have those of this command now; the others stay in the "
            "store, and a command that asks for them finds them"
        )
    if common.json:
        for piece in console.json_pieces(document(ran)):
            console.write(piece)
        console.write("\n")
    else:
        summary(ran, out)
    return 1 if ran.failed else 0


def computing(on: str, jobs: int | None) -> Workers:
    """The workers of `local`, `ray` or `ray:ADDRESS`.

    Raises:
        InputError: `on` is something else, or Ray is not installed or not running.
    """
    where, _, address = on.partition(":")
    if where == "local" and not address:
        return Threads(jobs)
    if where == "ray":
        try:
            from airfair.sweeps.on_ray import connected
        except ImportError:
            raise _engine.InputError(
                "--on ray: Ray is not installed here; in a checkout: pip install '.[ray]'"
            ) from None
        return connected(address or None, jobs)
    raise _engine.InputError(f"--on {on}: expected local, ray or ray:ADDRESS")


def _resume(out: Path, jobs: int | None, on: str, cache: Path | None, engine: str | None) -> str:
    """The command that continues the sweep."""
    words = ["airfair", "sweep", str(out)]
    words += ["--jobs", str(jobs)] if jobs else []
    words += ["--on", on] if on != "local" else []
    words += ["--cache", str(cache)] if cache else []
    words += ["--engine", engine] if engine else []
    return shlex.join(words)


def tell_failures(ran: Ran) -> None:
    """Print the points that failed, with reasons."""
    refused = [f"{described(entry.at)}: {entry.reason}" for entry in ran.plan.refused]
    failed = [
        f"{failure.point.scenario}, seed {failure.point.seed}: {failure.reason}" for failure in ran.execution.failures
    ]
    console.failed([*refused, *failed], "failures; all are in failures.parquet")


def written(ran: Ran, folder: Path) -> BinaryIO:
    """`sweep.json`, as a file without a name on the disk of a folder."""
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it stays open until it is copied
    for piece in console.json_pieces(document(ran)):
        file.write(piece.encode())
    file.write(b"\n")
    file.seek(0)
    return file


def document(ran: Ran) -> dict[str, Any]:
    """The document that `--json` prints and `sweep.json` holds; `json_pieces` writes it."""
    found, until = ran.plan, ran.plan.sweep.until
    failures = ran.tables["failures"].to_pydict()
    parameters = found.combinations[0].parameters
    return {
        **HEAD,
        "scenario": found.sweep.name,
        "warnings": found.warnings,
        "parameters": {name: parameters[name] for name in found.fixed},
        "axes": {name: {"unit": parameters[name]["unit"]} for name in found.axes},
        "until_ci": {"metric": until.metric, "share": until.share} if until else None,
        "points": _points(ran),
        "runs": ran.runs,
        "sessions": ran.heights["sessions"],
        **({"fair_share": {"measured": True, "seeds": _engine.ALONE_SEEDS}} if found.all.measures_share else {}),
        "failures": [dict(zip(failures, row, strict=True)) for row in zip(*failures.values(), strict=True)],
    }


def _points(ran: Ran) -> Iterator[str | dict[str, Any]]:
    """Yield the document's points for `json_pieces`: many at a time, unless they have many seeds."""
    found = ran.plan
    for start in range(0, len(found.combinations), _AT_A_TIME):
        places = range(start, min(start + _AT_A_TIME, len(found.combinations)))
        seeds = ran.seedings.spans(places)
        if max(count for _, count, _ in seeds) <= console.LONG:
            yield found.all.points_json(places, seeds)
        else:
            for place, (first, count, reached) in zip(places, seeds, strict=True):
                at = {name: setting.value for name, setting in found.combinations[place].at.items()}
                yield {"parameters": at, "seeds": range(first, first + count), "reached": reached}


def summary(ran: Ran, out: Path) -> None:
    """Print a summary of the sweep."""
    found = ran.plan
    points = len(found.combinations) + len(found.refused)
    over = f" over {', '.join(found.axes)}" if found.axes else ""
    counts = f"{counted(points, 'point')}{over}; {_runs(ran)}"
    console.out.line((found.sweep.name, "bold"), f": {counts}")
    if (sample := found.sweep.sample) and points < sample:
        console.out.line(f"{counted(points, 'point')} for a sample of {sample}: some fell on the same values")
    if found.all.measures_share:
        seeds = f"seeds {_engine.ALONE_SEEDS[0]} to {_engine.ALONE_SEEDS[-1]}"
        console.out.line(f"fair shares are measured: what each user gets alone over their number; {seeds}")
    for line in _seeds(ran):
        console.out.line(line)
    if ran.failed:
        failures = f"{ran.failed} of {counted(points, 'point')}, in {out / 'failures.parquet'}"
        console.out.line(("failed", "red"), f": {failures}")
    console.out.line(f"results: {out / 'results.parquet'}")
    place = shlex.quote(str(out))
    console.out.line(f"look at them with: airfair report {place}, airfair results {place}", style="dim")


def _runs(ran: Ran) -> str:
    """The number of runs in the tables, and where they come from: `20 runs: 12 computed, 8 found from before`."""
    execution = ran.execution
    shown = ran.runs
    origins = [f"{execution.computed} computed"] if execution.computed or not execution.reused else []
    origins += [f"{execution.reused} found from before"] if execution.reused else []
    spare = execution.answered - shown
    same = execution.answered - execution.computed - execution.reused
    if same > 0:
        origins.append(f"{same} the same as another of these")
    if spare > 0:
        origins.append(f"{spare} of all these not needed for the interval, and not counted")
    return f"{counted(shown, 'run')}: {', '.join(origins)}"


def tell_added(added: Sequence[str], ran: Ran) -> None:
    """Print where the values of metrics come from that are new in the directory's tables."""
    execution = ran.execution
    for metric in added:
        again = execution.lacking[metric]
        if again:
            origin = f"{counted(again, 'stored run')} did not record its source, and ran again"
        elif execution.reused:
            origin = f"taken from the {counted(execution.reused, 'stored run')}"
        else:
            continue
        console.err.line(f"added {metric}: {origin}")


def _seeds(ran: Ran) -> list[str]:
    """Lines on the numbers of seeds that the points took."""
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
            f"not reached within {counted(ran.plan.sweep.seeds, 'seed')}: {'; '.join(missed[:_NAMED])}"
            + (f" and {len(missed) - _NAMED} more" if len(missed) > _NAMED else "")
        )
    return lines


#: Maximum number of points printed by name.
_NAMED = 5
#: Number of points that are written to `sweep.json` at a time.
_AT_A_TIME = 64
