"""What `import airfair` offers: run a scenario, find its best parameters, list the scenarios, describe one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue.known import describe, metrics, scenarios
from airfair.catalogue.parameters import names_of, overrides, written_axis
from airfair.runs.result import Metric, Result

if TYPE_CHECKING:
    from os import PathLike

    from airfair.figures.timeline.result import Timeline
    from airfair.optimizer.result import Optimum
    from airfair.sweeps.calls import SweepResult

__all__ = [
    "Metric",
    "Result",
    "describe",
    "metrics",
    "optimize",
    "run",
    "scenarios",
    "sweep",
    "timeline",
]


def _by_name(argument: str, values: object) -> Mapping[str, Any]:
    """An argument that names things. Raises `InputError` if it is no mapping."""
    if isinstance(values, Mapping):
        return values
    raise _engine.InputError(f'{argument}: {values!r}: a dictionary is needed, such as {{"tcp": ["reno", "vegas"]}}')


def run(
    scenario: str | PathLike[str] | _engine.Scenario,
    /,
    *,
    seed: int = 1,
    seeds: int = 1,
    traces: str | Iterable[str] = (),
    metrics: str | Iterable[str] = (),
    jobs: int | None = None,
    **parameters: object,
) -> Result:
    """Run a scenario.

    Args:
        scenario: A packaged scenario's name, the path of a scenario file, or a `Scenario`.
        seed: The first seed, 0 or more.
        seeds: How many seeds, 1 or more: `seed` to `seed + seeds - 1`.
        traces: What to record over time: `cwnd`, `ssthresh`, `rtt`, `queue`, `acked`, `drops`, `backlog`, `air`; names
            one by one, or as text, `"cwnd,queue"`.
        metrics: What to report instead of the scenario's own metrics, named in the same way; `"all"` that there are.
        jobs: Runs at the same time; by default one for each core that this process may use.
        parameters: The scenario's parameters, with units: `wired_delay="20 ms"`, `stations=4`.

    Raises:
        InputError: An unknown scenario or parameter, or a value out of its range.
        EngineError: The engine failed.
        KeyboardInterrupt: Ctrl-C was pressed; the run stops within a second.
    """
    if isinstance(scenario, _engine.Scenario):
        if parameters:
            raise _engine.InputError("parameters are given when a Scenario is loaded, not when it is run")
        if metrics:
            raise _engine.InputError("metrics are chosen when a Scenario is loaded, not when it is run")
        loaded = scenario
    else:
        loaded = _engine.Scenario.load(str(scenario), overrides(parameters), names_of(metrics) or None)
    if seeds < 1:
        raise _engine.InputError(f"seeds = {seeds}: must be 1 or more")
    names = names_of(traces)
    if seeds == 1:
        return Result(loaded, [loaded.run(seed, names)])

    from airfair.runs.executor import Point, execute

    points = [Point(loaded, s, tuple(names)) for s in range(seed, seed + seeds)]
    report = execute(points, jobs=jobs)
    report.raise_if_ended()
    for failure in report.failures:
        raise _engine.EngineError(f"seed {failure.point.seed}: {failure.reason}")
    return Result(loaded, [report.outcomes[point] for point in points])


def optimize(
    scenario: str | PathLike[str],
    /,
    *,
    over: Mapping[str, str | Iterable[object]],
    maximize: str | None = None,
    minimize: str | None = None,
    subject_to: str | Iterable[str] = (),
    seed: int = 1,
    seeds: int = 10,
    evaluations: int = 100,
    jobs: int | None = None,
    out: str | PathLike[str] | None = None,
    **parameters: object,
) -> Optimum:
    """Find the values of parameters at which a metric is best, and those that are as good.

    A candidate that the engine refuses, or fails in, is left out; `evaluations` says why.

    Args:
        scenario: A packaged scenario's name, or the path of a scenario file.
        over: What to choose and from which values: `{"cwnd": "1..40", "rate": "1..5 Mb/s:0.1 Mb/s", "tcp": ["reno",
            "vegas"]}`.
        maximize: The metric to make largest; either this or `minimize`.
        minimize: The metric to make smallest.
        subject_to: What must hold for the means over the seeds: `"throughput_total >= 4 Mb/s"`, one or several.
        seed: The first seed, 0 or more.
        seeds: How many seeds, 2 or more, the same for all candidates.
        evaluations: Candidates to evaluate at most, 2 or more; all of them, if they are fewer.
        jobs: Runs at the same time; by default one for each core that this process may use. Changes no result.
        out: Keep the runs' outcomes below this directory, and use those that are there.
        parameters: The scenario's other parameters.

    Raises:
        InputError: Bad input: nothing has been computed.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    from airfair.optimizer.evaluator import Evaluator, InterruptedSearchError
    from airfair.optimizer.problem import Asked, pose
    from airfair.optimizer.result import Optimum
    from airfair.optimizer.search import method, search
    from airfair.store.output import computing

    spelt = {name: ",".join(written_axis(values)) for name, values in _by_name("over", over).items()}
    problem = pose(
        Asked(
            str(scenario),
            list(spelt.items()),
            maximize=maximize,
            minimize=minimize,
            subject_to=[subject_to] if isinstance(subject_to, str) else list(subject_to),
            set=overrides(parameters),
            seed=seed,
            seeds=seeds,
            evaluations=evaluations,
        )
    )
    with computing(out) as store:
        try:
            judgement = search(Evaluator(problem, store=store, jobs=jobs))
        except InterruptedSearchError as error:
            error.execution.raise_if_ended()
            raise
    return Optimum(problem, judgement, method(problem))


def sweep(
    scenario: str | PathLike[str],
    /,
    over: Mapping[str, object] | None = None,
    *,
    zip: Iterable[str | Sequence[str]] = (),
    sample: int | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    until_ci: str | None = None,
    metrics: str | Iterable[str] = (),
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    on: str = "local",
    cache: str | PathLike[str] | None = None,
    **parameters: object,
) -> SweepResult:
    """Run a scenario at many points. Needs the package `polars`.

        s = af.sweep("jung/mixed", {"stations": "2..16", "tcp": ["reno", "vegas"]}, seeds=10, out="mine")
        s.results.to_polars()
        af.sweep("mine").results.to_polars()   # reopens it, and computes what is missing

    Args:
        scenario: A packaged scenario's name, the path of a scenario file or of a sweep file, or the directory of a
            sweep, which is continued there. What is given besides changes what the file or the directory says.
        over: The axes: lists and ranges as text (`"2,4,8"`, `"10..200 Mb/s:10 Mb/s"`), or values one by one.
        zip: Axes that vary together, value by value: `[("stations", "session_bytes")]`.
        sample: Take a Latin-hypercube sample of so many points instead of every combination.
        seed: The first seed, 0 or more, by default 1; of a sample it also decides the points.
        seeds: How many seeds each point gets, by default 1; with `until_ci` the most that it gets, by default 100.
        until_ci: Add seeds to a point until half the width of a metric's 95 % interval is a share of its mean:
            `"throughput_total=1%"`. It takes 3 seeds at least.
        metrics: What to report instead of the scenario's own metrics: names one by one or as text, or `"all"`.
        out: The directory to write to; nothing is written without it, unless `scenario` is one. The same call
            continues what is there; a wider one computes what is new.
        jobs: Runs at the same time; by default one for each core that this process may use.
        on: `"local"`, `"ray"` or `"ray:ADDRESS"`.
        cache: A directory whose results are used, and which is given what is computed, besides `out`.
        parameters: Parameters that all points share, as in `run`.

    Raises:
        InputError: Bad input, or `out` holds the sweep of another scenario; nothing has been computed.
        OSError: `out` cannot be written. What was computed is kept.
        KeyboardInterrupt: Ctrl-C was pressed. What was running has been finished and kept; a second one stops at once.
    """
    from airfair.sweeps import calls

    return calls.sweep(
        scenario,
        None if over is None else _by_name("over", over),
        zip=zip,
        sample=sample,
        seed=seed,
        seeds=seeds,
        until_ci=until_ci,
        metrics=metrics,
        out=out,
        jobs=jobs,
        on=on,
        cache=cache,
        parameters=parameters,
    )


def timeline(
    scenario: str | PathLike[str],
    /,
    *,
    seed: int = 1,
    start: str | None = None,
    end: str | None = None,
    compare: Mapping[str, str | Iterable[object]] | None = None,
    **parameters: object,
) -> Timeline:
    """Draw one run over time: who has the air, the queue, congestion windows, and sessions against their fair share.

        af.timeline("jung/mixed", compare={"tcp": ["reno", "vegas"]}).save("timeline.svg")

    Notebooks show the picture; `document` has everything that is drawn, `svg`, `png` and `html` the picture.

    Args:
        scenario: A packaged scenario's name, or the path of a scenario file.
        seed: The run's seed, 0 or more.
        start: Begin here, in time since the start of the run: `"21.5 s"`. By default around the first session that is
            measured; of a run without sessions at the end of the warm-up.
        end: End here.
        compare: A parameter and two to four of its values, whose runs are drawn side by side.
        parameters: The scenario's parameters, with units: `wired_delay="20 ms"`, `stations=4`.

    Raises:
        InputError: Bad input: nothing has been computed.
        EngineError: The engine failed.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    from airfair.figures.timeline.make import Asked, FailedRunError, load, run, split
    from airfair.figures.timeline.result import Timeline

    compared = None
    if compare is not None:
        if len(_by_name("compare", compare)) != 1:
            raise _engine.InputError(f"compare: one parameter can be compared; got {len(compare)}")
        [compared] = ((name, split(values)) for name, values in compare.items())
    asked = Asked(str(scenario), seed, overrides(parameters), start, end, compared)
    try:
        return Timeline(run(asked, load(asked)))
    except FailedRunError as error:
        error.execution.raise_if_ended()
        raise _engine.EngineError(str(error)) from None
