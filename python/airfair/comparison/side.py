"""One side of a comparison: a scenario, a run or a sweep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.runs.executor import Execution, Point, Progress, execute
from airfair.runs.loading import FROM_PYTHON, loaded
from airfair.runs.result import Result
from airfair.runs.settled import settled
from airfair.runs.tables import METRICS, of_metrics
from airfair.store import received
from airfair.store.files import Folder
from airfair.store.reading import read_text, unreadable

if TYPE_CHECKING:
    import polars

    from airfair.sweeps.calls import SweepResult

#: A parameter's value in SI with its unit: `{"value": 4, "unit": "count"}`.
Setting = Mapping[str, Any]
#: The values of a metric by seed, in SI; `None` where the run has no value.
BySeed = Mapping[int, float | None]


@dataclass(frozen=True)
class At:
    """One point: its parameters, and what was measured there."""

    parameters: Mapping[str, Setting]
    metrics: Mapping[str, BySeed]


@dataclass(frozen=True)
class Side:
    """One side of a comparison: its parameters, and what was measured."""

    label: str
    scenario: str
    #: Parameters that have one value at all points.
    fixed: Mapping[str, Setting]
    #: The scenario file: of a sweep as it was given, else with the parameters set. Empty if it is not kept.
    text: str = ""
    axes: Sequence[str] = ()
    #: The points that were run.
    points: Sequence[At] = ()
    #: Means over several seeds, if the values by seed are not kept.
    means: Mapping[str, float | None] = field(default_factory=dict)
    #: Digest of everything that decides the results; empty if unknown.
    digest: bytes = b""
    #: The scenario, if it is still to be run.
    to_run: _engine.Scenario | None = None
    #: Whether this side is a sweep. Files are compared only if both sides are sweeps or neither is.
    of_sweep: bool = False


def read(source: object, own: Mapping[str, object], metrics: Sequence[str], engine: str | None = None) -> Side:
    """Read a side: a scenario (name, file or dictionary), a directory, or what `run` or `sweep` returned.

    Raises:
        InputError: The source is none of these, or `own` sets parameters of results.
    """
    from airfair.sweeps.calls import SweepResult  # it takes a while to import

    if isinstance(source, Mapping):
        return of_scenario(source, own, metrics, engine)
    if not isinstance(source, str | PathLike | Result | SweepResult):
        needed = "what `run` or `sweep` returned, a directory of theirs, or a scenario's name, file or dictionary"
        raise _engine.InputError(f"{shortened(source)}: {needed} is needed")
    if not isinstance(source, Result | SweepResult) and not Path(str(source)).is_dir():
        return of_scenario(str(source), own, metrics, engine)
    if own:
        label = source if isinstance(source, str | Path) else repr(source).partition("\n")[0]
        raise _engine.InputError(f"{label}: {', '.join(own)}: results have their parameters; set those of a scenario")
    if isinstance(source, Result):
        return of_result(source)
    return of_sweep(source) if isinstance(source, SweepResult) else of_directory(Path(str(source)))


def of_scenario(
    source: str | Mapping[str, object], parameters: Mapping[str, object], metrics: Sequence[str], engine: str | None
) -> Side:
    """Make a side of a scenario by name, by file or as a dictionary, without running it."""
    scenario = loaded(source, parameters, metrics, engine)
    shown = " ".join(
        [
            FROM_PYTHON if isinstance(source, Mapping) else source,
            *(f"{name}={value}" for name, value in parameters.items()),
        ]
    )
    settings = json.loads(scenario.parameters_json)
    return Side(shown, scenario.name, settings, scenario.toml, digest=scenario.digest, to_run=scenario)


def run(
    sides: Iterable[Side], seeds: range, jobs: int | None, progress: Progress | None
) -> tuple[list[Side], Execution]:
    """Run the scenarios among the sides with these seeds; return all sides, now with results."""
    sides = list(sides)
    ready = [settled(side.to_run, jobs=jobs) if side.to_run and seeds else None for side in sides]
    points = [[Point(scenario, seed) for seed in seeds] if scenario else [] for scenario in ready]
    execution = execute([point for each in points for point in each], jobs=jobs, progress=progress)
    found = []
    for side, asked in zip(sides, points, strict=True):
        outcomes = [execution.outcomes[point] for point in asked if point in execution.outcomes]
        measured = [At(side.fixed, _by_seed(of_metrics(outcomes)))] if outcomes else side.points
        found.append(replace(side, points=measured))
    return found, execution


def of_result(result: Result) -> Side:
    """Make a side of what `airfair.run` returned."""
    settings = json.loads(result.scenario.parameters_json)
    points = [At(settings, _by_seed(of_metrics(result.outcomes)))]
    scenario = result.scenario
    return Side(scenario.name, scenario.name, settings, scenario.toml, points=points, digest=scenario.digest)


def of_directory(directory: Path) -> Side:
    """Make a side of the directory of `airfair run --out` or of a sweep.

    Raises:
        InputError: The directory holds neither, or its files are damaged.
    """
    from airfair.sweeps import sweep_file

    Folder.given(directory)
    if (directory / sweep_file.NAME).is_file():
        from airfair.sweeps.directory import Directory
        from airfair.sweeps.query import opened

        source = opened(directory, "results")
        frame = source.frame if source.file is None else received.frame(directory, source.file.name, "airfair sweep")
        assert frame is not None  # a source has a frame or a file
        sweep = Directory(directory).sweep()
        return _of_table(str(directory), sweep.name, sweep.text, frame, source.axes, source.metrics, source.units)
    if (directory / "run.json").is_file():
        return _of_run(directory)
    raise _engine.InputError(
        f"{directory}: it holds no sweep (no {sweep_file.NAME}) and no result of `airfair run --out`"
    )


def _of_run(directory: Path) -> Side:
    file = directory / "run.json"
    again = "run `airfair run --out` again"
    try:
        document = json.loads(read_text(file))
        settings = {
            str(name): {key: entry[key] for key in ("value", "unit")} for name, entry in _items(document, "parameters")
        }
        means = {str(name): _number(entry["value"]) for name, entry in _items(document, "metrics")}
        name, seeds = str(document["scenario"]), [int(seed) for seed in document["seeds"]]
    except PermissionError as error:
        raise unreadable(file, error) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _engine.InputError(f"{file} is damaged; {again}") from None
    if (directory / f"{METRICS}.parquet").is_file():
        frame = received.frame(directory, f"{METRICS}.parquet", "airfair run --out")
        if "seed" not in frame.columns:
            raise _engine.InputError(f"{directory / METRICS}.parquet has no column `seed`; {again}")
        found = _by_seed(frame)
    elif len(seeds) == 1:
        found = {metric: {seeds[0]: value} for metric, value in means.items()}
    else:
        found = {}
    points = [At(settings, found)]
    return Side(str(directory), name, settings, points=points, means={} if found else means)


def _items(document: Any, key: str) -> Iterable[tuple[Any, Any]]:
    found: Mapping[Any, Any] = document[key]
    return found.items()


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def of_sweep(swept: SweepResult) -> Side:
    """Make a side of what `airfair.sweep` returned."""
    ran = swept._ran
    plan = ran.plan
    axes = tuple(json.loads(ran.facts["axes"]))
    return _of_table(
        str(swept.directory or plan.sweep.name),
        plan.sweep.name,
        plan.sweep.text,
        ran.tables["results"].to_polars(),
        axes,
        plan.metrics,
        ran.units,
    )


def _of_table(
    label: str,
    name: str,
    text: str,
    frame: polars.DataFrame,
    axes: Sequence[str],
    metrics: Sequence[str],
    units: Mapping[str, str],
) -> Side:
    """Make a side of a sweep's table of results."""
    from airfair.catalogue.left_out import all_columns

    set_here = [column for column in frame.columns if column not in (*metrics, "seed", *all_columns())]

    def settings(rows: polars.DataFrame, names: Iterable[str]) -> dict[str, Setting]:
        return {name: {"value": rows[name][0], "unit": units.get(name)} for name in names}

    parts = frame.partition_by(axes, maintain_order=True) if axes else [frame]
    points = [At(settings(rows, set_here), _by_seed(rows.select("seed", *metrics))) for rows in parts if rows.height]
    fixed = settings(frame, [name for name in set_here if name not in axes]) if frame.height else {}
    return Side(label, name, fixed, text, tuple(axes), points, of_sweep=True)


def _by_seed(frame: polars.DataFrame) -> dict[str, BySeed]:
    seeds = frame["seed"].to_list()
    return {
        name: dict(zip(seeds, map(_number, frame[name].to_list()), strict=True))
        for name in frame.columns
        if name != "seed"
    }
