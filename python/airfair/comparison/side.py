"""One side of a comparison: a scenario, a run, a sweep or a study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from os import PathLike
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.runs.executor import Execution, Point, Progress, execute
from airfair.runs.loading import ScenarioLike, loaded
from airfair.runs.result import Result
from airfair.runs.settled import settled
from airfair.runs.tables import METRICS, of_metrics
from airfair.store import received
from airfair.store.files import Folder
from airfair.store.reading import json_of, read_text, unreadable

if TYPE_CHECKING:
    import polars

    from airfair.sweeps.calls import SweepResult

#: A parameter's value in SI with its unit: `{"value": 4, "unit": "count"}`.
Setting = Mapping[str, Any]
#: The values of a metric by seed, in SI; `None` where the run has no value.
BySeed = Mapping[int, float | None]


class Kind(Enum):
    """What a side is."""

    #: A scenario, or a run of one.
    RUN = "run"
    SWEEP = "sweep"
    STUDY = "study"


@dataclass(frozen=True)
class At:
    """One point: its parameters, and what was measured there."""

    parameters: Mapping[str, Setting]
    metrics: Mapping[str, BySeed]
    #: By metric that is a mean over sessions: how many it leaves out as unfinished, of how many, over all seeds.
    left_out: Mapping[str, tuple[int, int]] = field(default_factory=dict)


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
    #: What the side is. Files are compared only of sides of one kind.
    kind: Kind = Kind.RUN


def read(source: object, own: Mapping[str, object], metrics: Sequence[str], engine: str | None = None) -> Side:
    """Read a side: a scenario in any form, a directory of results, or what `run` or `sweep` returned.

    Raises:
        InputError: The source is none of these, or `own` sets parameters of results.
    """
    from airfair.sweeps.calls import SweepResult  # it takes a while to import

    if isinstance(source, Mapping | _engine.Scenario):
        return of_scenario(source, own, metrics, engine)
    if not isinstance(source, str | PathLike | Result | SweepResult) or source == "":
        needed = "what `run` or `sweep` returned, a directory of results, or a scenario as `run` takes it"
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
    source: ScenarioLike, parameters: Mapping[str, object], metrics: Sequence[str], engine: str | None
) -> Side:
    """Make a side of a scenario without running it."""
    scenario = loaded(source, parameters, metrics, engine)
    shown = " ".join([scenario.name, *(f"{name}={value}" for name, value in parameters.items())])
    settings = scenario.parameters
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
    for side, scenario, asked in zip(sides, ready, points, strict=True):
        outcomes = [execution.outcomes[point] for point in asked if point in execution.outcomes]
        if scenario and outcomes:
            left_out = _left_out(json.loads(scenario.summary_json(outcomes)))
            side = replace(side, points=[At(side.fixed, _by_seed(of_metrics(outcomes)), left_out)])
        found.append(side)
    return found, execution


def of_result(result: Result) -> Side:
    """Make a side of what `airfair.run` returned."""
    settings = result.scenario.parameters
    points = [At(settings, _by_seed(of_metrics(result.outcomes)), _left_out(result.document))]
    scenario = result.scenario
    return Side(scenario.name, scenario.name, settings, scenario.toml, points=points, digest=scenario.digest)


def of_directory(directory: Path) -> Side:
    """Make a side of the directory of `airfair run --out`, of a sweep or of a study.

    Raises:
        InputError: The directory holds none of them, or its files are damaged.
    """
    from airfair.sweeps import study_directory as study
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
    if (directory / study.DOCUMENT).is_file():
        return _of_study(directory)
    raise _engine.InputError(
        f"{directory}: it holds no sweep (no {sweep_file.NAME}) and no result of `airfair reproduce` or of "
        "`airfair run --out`"
    )


def _of_run(directory: Path) -> Side:
    file = directory / "run.json"
    again = "run `airfair run --out` again"
    try:
        document = json_of(read_text(file))
        settings = {
            str(name): _setting(entry["value"], entry["unit"]) for name, entry in _items(document, "parameters")
        }
        means = {str(name): _number(entry["value"]) for name, entry in _items(document, "metrics")}
        name, seeds = str(document["scenario"]), [int(seed) for seed in document["seeds"]]
        left_out = _left_out(document)
    except PermissionError as error:
        raise unreadable(file, error) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
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
    points = [At(settings, found, left_out)]
    return Side(str(directory), name, settings, points=points, means={} if found else means)


def _of_study(directory: Path) -> Side:
    """Make a side of a study's directory. The axes are the experiment, the set-up, and what any experiment varies."""
    from airfair.sweeps import study_directory as study

    name, set_here = study.asked(directory)
    rows = study.rows(directory)
    study.check_points(directory, rows)
    axes = [name for name in rows.columns[: rows.columns.index("seed")] if name != "scenario"]
    counts: dict[tuple[str | None, ...], dict[str, tuple[int, int]]] = {}
    for *place, metric, left, every in study.counts(rows, axes).iter_rows():
        counts.setdefault(tuple(place), {})[metric] = left, every
    points = []
    for experiment in rows.partition_by("experiment", maintain_order=True):
        values = experiment.pivot("metric", index=[*axes, "seed"], values="value", maintain_order=True)
        for point in values.partition_by(axes, maintain_order=True):
            at = {axis: _written(value) for axis in axes if (value := point[axis][0])}
            points.append(At(at, _by_seed(point.drop(axes)), counts.get(point.select(axes).row(0), {})))
    fixed = {parameter: _written(value) for parameter, value in set_here.items()}
    return Side(str(directory), name, fixed, axes=tuple(axes), points=points, kind=Kind.STUDY)


def _setting(value: Any, unit: Any) -> Setting:
    """A parameter of a run's document. Raises `TypeError` or `OverflowError` if it is none."""
    if not isinstance(value, str | int | float | None) or not isinstance(unit, str | None):
        raise TypeError
    if isinstance(value, int):
        float(value)
    return {"value": value, "unit": unit}


def _written(value: str) -> Setting:
    """A parameter's value as a study or an option has it."""
    return {"value": value, "unit": None}


def _items(document: Any, key: str) -> Iterable[tuple[Any, Any]]:
    found: Mapping[Any, Any] = document[key]
    return found.items()


def _left_out(document: Any) -> dict[str, tuple[int, int]]:
    """The sessions that the means of a run's document leave out."""
    entries = ((str(name), entry) for name, entry in _items(document, "metrics"))
    return {name: (int(entry["left_out"]), int(entry["sessions"])) for name, entry in entries if "left_out" in entry}


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
    from airfair.catalogue.left_out import all_columns, counted

    set_here = [column for column in frame.columns if column not in (*metrics, "seed", *all_columns())]

    def settings(rows: polars.DataFrame, names: Iterable[str]) -> dict[str, Setting]:
        return {name: {"value": rows[name][0], "unit": units.get(name)} for name in names}

    def left_out(rows: polars.DataFrame) -> dict[str, tuple[int, int]]:
        return {metric: counts for metric in metrics if (counts := counted(metric, rows))}

    parts = frame.partition_by(axes, maintain_order=True) if axes else [frame]
    points = [
        At(settings(rows, set_here), _by_seed(rows.select("seed", *metrics)), left_out(rows))
        for rows in parts
        if rows.height
    ]
    fixed = settings(frame, [name for name in set_here if name not in axes]) if frame.height else {}
    return Side(label, name, fixed, text, tuple(axes), points, kind=Kind.SWEEP)


def _by_seed(frame: polars.DataFrame) -> dict[str, BySeed]:
    seeds = frame["seed"].to_list()
    return {
        name: dict(zip(seeds, map(_number, frame[name].to_list()), strict=True))
        for name in frame.columns
        if name != "seed"
    }
