"""The functions of `import airfair`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from airfair import _engine
from airfair.catalogue import warned
from airfair.catalogue.parameters import axes, names_of, overrides
from airfair.runs.arguments import checked
from airfair.runs.control import Controls, controlled
from airfair.runs.loading import ScenarioLike, loaded
from airfair.runs.result import Result
from airfair.runs.settled import settled

if TYPE_CHECKING:
    from os import PathLike

    from airfair.comparison.difference import Difference
    from airfair.figures.timeline.result import Timeline
    from airfair.optimizer.result import Optimum
    from airfair.runs.share import FairShare
    from airfair.sweeps.calls import SweepResult


@checked
def load(
    scenario: ScenarioLike,
    /,
    *,
    metrics: str | Iterable[str] = (),
    engine: str | None = None,
    **parameters: object,
) -> _engine.Scenario:
    """Load a scenario: to look at it, or to give it to the other functions.

        mine = af.load("mine.toml", stations=8)
        mine.parameters, mine.warnings
        af.sweep(mine, {"tcp": ["reno", "vegas"]})

    It has been read and checked, and never changes. Whatever takes it runs it with these parameters, metrics and engine
    unless it is given others.

    Args:
        scenario: As in `run`.
        metrics: As in `run`.
        engine: As in `run`.
        parameters: As in `run`.

    Raises:
        InputError: As in `run`.
    """
    return loaded(scenario, parameters, metrics, engine)


@checked
def run(
    scenario: ScenarioLike,
    /,
    *,
    seed: int = 1,
    seeds: int = 1,
    traces: str | Iterable[str] = (),
    metrics: str | Iterable[str] = (),
    jobs: int | None = None,
    engine: str | None = None,
    control: Controls | None = None,
    **parameters: object,
) -> Result:
    """Run a scenario.

    Args:
        scenario: A packaged scenario's name, the path of a scenario file, the contents of one as a dictionary, or a
            `Scenario`. The type `ScenarioLike` stands for all of these.
        seed: The first seed, 0 or more.
        seeds: How many seeds, 1 or more: `seed` to `seed + seeds - 1`.
        traces: Quantities to record over time: `cwnd`, `ssthresh`, `rtt`, `queue`, `acked`, `drops`, `backlog`, `air`;
            a list, or one text: `"cwnd,queue"`.
        metrics: Metrics to report instead of the scenario's own: a list, one text, or `"all"`.
        jobs: Number of parallel runs; by default one for each core that this process may use.
        engine: `fast`, the default, or `plain`, in which each step of each packet is an event. Both give the same
            results.
        control: A congestion control in Python, a `Control`, for all TCP flows, or a dictionary of flows and controls.
            Runs are slow then, and one after the other.
        parameters: The scenario's parameters, with units: `wired_delay="20 ms"`, `stations=4`.

    Raises:
        InputError: An unknown scenario, parameter or engine, or a value out of its range.
        EngineError: The engine failed.
        ControlError: The control failed: the exception is the cause.
        KeyboardInterrupt: Ctrl-C was pressed; the run stops within a second.
    """
    ready = controlled(loaded(scenario, parameters, metrics, engine), control)
    warned.tell(warned.texts([ready]))
    ready = settled(ready, jobs=jobs)
    names = names_of(traces)
    if seeds == 1 or control is not None:
        return Result(ready, [ready.run(s, names) for s in range(seed, seed + seeds)])

    from airfair.runs.executor import Point, execute

    points = [Point(ready, s, tuple(names)) for s in range(seed, seed + seeds)]
    execution = execute(points, jobs=jobs)
    execution.raise_if_failed()
    return Result(ready, [execution.outcomes[point] for point in points])


@checked
def optimize(
    scenario: ScenarioLike,
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
    engine: str | None = None,
    out: str | PathLike[str] | None = None,
    **parameters: object,
) -> Optimum:
    """Find the values of parameters at which a metric is best, and those that are as good.

    A candidate that the engine refuses, or whose runs fail, is left out; `evaluations` gives the reason.

    Args:
        scenario: As in `run`.
        over: The parameters to choose, and their values:
            `{"cwnd": "1..40", "rate": "1..5 Mb/s:0.1 Mb/s", "tcp": ["reno", "vegas"]}`.
        maximize: The metric to maximise; give either `maximize` or `minimize`.
        minimize: The metric to minimise.
        subject_to: Constraints on means over the seeds: `"throughput_total >= 4 Mb/s"`, one or several.
        seed: The first seed, 0 or more.
        seeds: How many seeds, 2 or more, the same for all candidates.
        evaluations: Maximum number of candidates to evaluate, 2 or more.
        jobs: Number of parallel runs; by default one for each core that this process may use. Changes no result.
        engine: As in `run`. `plain` runs every point; if a stored result differs, its point fails.
        out: Store outcomes below this directory, and reuse those already stored there.
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

    spelt = {name: ",".join(values) for name, values in axes(over).items()}
    problem = pose(
        Asked(
            scenario,
            spelt,
            maximize=maximize,
            minimize=minimize,
            subject_to=[subject_to] if isinstance(subject_to, str) else list(subject_to),
            set=overrides(parameters),
            seed=seed,
            seeds=seeds,
            evaluations=evaluations,
            engine=engine,
        )
    )
    with computing(out) as store:
        try:
            evaluator = Evaluator(problem, store=store, jobs=jobs, warn=warned.tell)
            judgement = search(evaluator)
        except InterruptedSearchError as error:
            error.execution.raise_if_ended()
            raise
    return Optimum(problem, judgement, method(problem), evaluator.warnings)


@checked
def sweep(
    scenario: ScenarioLike,
    /,
    over: Mapping[str, object] | None = None,
    *,
    zip: Iterable[str | Sequence[str]] = (),
    sample: int | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    until_ci: str | Mapping[str, object] | None = None,
    metrics: str | Iterable[str] = (),
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    on: str = "local",
    engine: str | None = None,
    cache: str | PathLike[str] | None = None,
    **parameters: object,
) -> SweepResult:
    """Run a scenario at many points. Needs the package `polars`.

        s = af.sweep("jung/mixed", {"stations": "2..16", "tcp": ["reno", "vegas"]}, seeds=10, out="mine")
        s.results.to_polars()
        af.sweep("mine").results.to_polars()   # reopens it, and computes missing points

    Args:
        scenario: As in `run`; or the path of a sweep file, or the directory of a sweep to continue. The other
            arguments override the settings of the file or directory.
        over: The axes: lists and ranges as text (`"2,4,8"`, `"10..200 Mb/s:10 Mb/s"`), or values one by one.
        zip: Axes that vary together, value by value: `[("stations", "session_bytes")]`.
        sample: Size of a Latin-hypercube sample to run instead of every combination.
        seed: The first seed, 0 or more, by default 1; a sample also draws its points from it.
        seeds: Seeds of each point, by default 1; with `until_ci` the maximum, by default 100.
        until_ci: Add seeds to a point until half the width of a metric's 95 % interval is a share of its mean:
            `"throughput_total=1%"` or `{"throughput_total": "1 %"}`. Needs at least 3 seeds.
        metrics: Metrics to report instead of the scenario's own: a list, one text, or `"all"`.
        out: The directory to write to; nothing is written without it, unless `scenario` is a directory. The same
            call continues the sweep there; a wider one computes only new points.
        jobs: Number of parallel runs; by default one for each core that this process may use.
        on: `"local"`, `"ray"` or `"ray:ADDRESS"`.
        engine: As in `run`. `plain` runs every point; if a stored result differs, its point fails.
        cache: A second directory, besides `out`, to reuse results from and to store new ones in.
        parameters: Parameters that all points share, as in `run`.

    Raises:
        InputError: Bad input, or `out` holds the sweep of another scenario; nothing has been computed.
        OSError: `out` cannot be written. Results computed so far are kept.
        KeyboardInterrupt: Ctrl-C was pressed. Runs in progress have ended and are kept; a second Ctrl-C stops at once.
    """
    from airfair.sweeps.asked import Changes
    from airfair.sweeps.calls import sweep
    from airfair.sweeps.spec import groups

    changes = Changes(
        over=axes(over or {}),
        set=dict(overrides(parameters)),
        zip=groups(zip),
        sample=sample,
        seed=seed,
        seeds=seeds,
        until_ci=until_ci,
        metrics=tuple(names_of(metrics)),
    )
    return sweep(scenario, changes, out=out, jobs=jobs, on=on, cache=cache, engine=engine)


@checked
def fair_share(
    scenario: ScenarioLike,
    /,
    *,
    users: int | None = None,
    seed: int = 1,
    seeds: int = len(_engine.ALONE_SEEDS),
    jobs: int | None = None,
    engine: str | None = None,
    **parameters: object,
) -> FairShare:
    """Measure each user's fair share: the rate that its TCP flow gets alone in the network, over the number of users.

        share = af.fair_share("jung/mixed", stations=8)
        af.run("jung/mixed", stations=8, **share.parameters)

    Each flow runs alone with data to send all the time: 5 s, then 20 s that count.

    Args:
        scenario: As in `run`.
        users: How many users share; by default as many as the scenario says, or else one a flow.
        seed: The first seed, 0 or more.
        seeds: How many seeds for each user.
        jobs: As in `run`.
        engine: As in `run`.
        parameters: The scenario's parameters.

    Raises:
        InputError: Bad input, or no flow uses TCP.
        EngineError: The engine failed.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    from airfair.runs.share import measured

    ready = loaded(scenario, parameters, (), engine)
    warned.tell(warned.texts([ready]))
    found, execution = measured(ready, users=users, seeds=range(seed, seed + seeds), jobs=jobs)
    execution.raise_if_failed()
    warned.tell(found.warnings)
    return found


@checked
def timeline(
    scenario: ScenarioLike,
    /,
    *,
    seed: int = 1,
    start: str | None = None,
    end: str | None = None,
    compare: Mapping[str, str | Iterable[object]] | None = None,
    engine: str | None = None,
    **parameters: object,
) -> Timeline:
    """Draw one run over time: the air, the queue, congestion windows, sessions and their fair shares.

        af.timeline("jung/mixed", compare={"tcp": ["reno", "vegas"]}).save("timeline.svg")

    Notebooks show the picture. `document` holds the data drawn; `svg`, `png`, `pdf` and `html` hold the picture.

    Args:
        scenario: As in `run`.
        seed: The run's seed, 0 or more.
        start: Start of the time shown, since the start of the run: `"21.5 s"`. By default just before the first
            measured session; in a run without sessions the end of the warm-up.
        end: End of the time shown.
        compare: A parameter and two to four of its values; their runs are drawn side by side.
        engine: As in `run`.
        parameters: The scenario's parameters, with units: `wired_delay="20 ms"`, `stations=4`.

    Raises:
        InputError: Bad input: nothing has been computed.
        EngineError: The engine failed.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    from airfair.figures.timeline.make import Asked, load, run, split
    from airfair.figures.timeline.result import Timeline
    from airfair.runs.loading import File

    compared = None
    if compare is not None:
        if len(compare) != 1:
            raise _engine.InputError(f"compare: one parameter can be compared; got {len(compare)}")
        [compared] = ((name, split(values)) for name, values in compare.items())
    file = File.of(scenario)
    asked = Asked(file, seed, overrides(parameters), start, end, compared, engine or file.engine)
    scenarios = load(asked)
    warned.tell(warned.texts(scenarios))
    return Timeline(run(asked, scenarios))


@checked
def diff(
    a: object,
    b: object = None,
    /,
    *,
    set_a: Mapping[str, object] | None = None,
    set_b: Mapping[str, object] | None = None,
    seed: int = 1,
    seeds: int = 0,
    metrics: str | Iterable[str] = (),
    jobs: int | None = None,
    engine: str | None = None,
    **parameters: object,
) -> Difference:
    """Compare two runs, sweeps, studies or scenarios: what they set, and what they measured, seed by seed.

        af.diff("jung/mixed", set_b={"tcp": "vegas"}, seeds=10).metrics["throughput_total"]
        af.diff(af.run("jung/mixed", seeds=5), af.run("jung/mixed", tcp="vegas", seeds=5))

    Notebooks show the tables; `document` is what `airfair diff --json` prints. Needs the package `polars`. Runs with a
    control in Python are not compared: their results have no key.

    Args:
        a: What `run` or `sweep` returned, a directory of theirs or of a study, or a scenario as in `run`.
        b: What to compare `a` with, of any of these kinds; by default `a` itself.
        set_a: Parameters of `a` alone, if it is a scenario.
        set_b: Parameters of `b` alone, if it is a scenario.
        seed: The first seed, 0 or more.
        seeds: Run both scenarios with this number of seeds, to compare their metrics; with 0 none is run.
        metrics: Metrics to compare: a list, or one text.
        jobs: As in `run`.
        engine: As in `run`.
        parameters: Parameters of both scenarios.

    Raises:
        InputError: Bad input: nothing has been computed.
        EngineError: The engine failed.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    from airfair.comparison.command import between

    own = tuple({**parameters, **(given or {})} for given in (set_a, set_b))
    ran = range(seed, seed + seeds)
    other = a if b is None else b
    found, execution = between(
        *(a, other, (own[0], own[1])),
        seeds=ran,
        metrics=names_of(metrics),
        jobs=jobs,
        engine=engine,
        warn=warned.tell,
    )
    execution.raise_if_failed()
    return found
