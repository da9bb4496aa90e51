"""What `import airfair` offers: run a scenario, find its best parameters, list the scenarios, describe one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair._engine import Table
from airfair.sweeps.spec import names_of, written, written_axis

if TYPE_CHECKING:
    from os import PathLike

    from airfair.optimizer.result import Optimum
    from airfair.sweeps.calls import SweepResult
    from airfair.timelines.result import Timeline


@dataclass(frozen=True)
class Metric:
    """One metric over the seeds of a run. `float(metric)` is its value."""

    name: str
    #: Mean over the seeds that define it, in `unit`; `None` where no seed does.
    value: float | None
    #: SI unit, or `1` for ratios and counts.
    unit: str
    #: 95 % confidence interval of the mean by Student's t; `None` for a single seed.
    ci95: tuple[float, float] | None
    #: Number of seeds that define it.
    n: int
    #: Why there is no value.
    reason: str | None = None

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"{self.name} has no value: {self.reason}")
        return self.value


class Metrics(Mapping[str, Metric]):
    """A run's metrics by name."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Take the `metrics` object of the document that `airfair run --json` prints."""
        self._metrics = {
            name: Metric(
                name,
                entry["value"],
                entry["unit"],
                None if entry.get("ci95") is None else (entry["ci95"][0], entry["ci95"][1]),
                entry["n"],
                entry.get("reason"),
            )
            for name, entry in document.items()
        }

    def __getitem__(self, name: str) -> Metric:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def __repr__(self) -> str:
        from airfair.units import quantity

        lines = (
            f"{m.name}: {'none' if m.value is None else quantity(m.value, m.unit)}" for m in self._metrics.values()
        )
        return "\n".join(lines)


class Result:
    """What a run gave, over one seed or several."""

    def __init__(self, scenario: _engine.Scenario, outcomes: list[_engine.Outcome]) -> None:
        """Sum up the outcomes of one scenario."""
        self.scenario = scenario
        self.outcomes = outcomes
        self._document: dict[str, Any] | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The document that `airfair run --json` prints, as a dictionary (SI units)."""
        if self._document is None:
            self._document = json.loads(self.scenario.summary_json(self.outcomes))
        return self._document

    @property
    def metrics(self) -> Metrics:
        """The metrics by name, each with value, unit, confidence interval and number of seeds."""
        return Metrics(self.document["metrics"])

    def _table(self, name: str) -> Table:
        return Table.of_seeds([(outcome.seed, getattr(outcome, name)) for outcome in self.outcomes])

    @property
    def sessions(self) -> Table:
        """One row for each seed and finite session: start, length (byte), times of its last byte (s)."""
        return self._table("sessions")

    @property
    def flows(self) -> Table:
        """One row for each seed and flow: bytes, segments, retransmissions, timeouts."""
        return self._table("flows")

    @property
    def stations(self) -> Table:
        """One row for each seed and wireless station: airtime (s), collisions, retries, drops, queue occupancy."""
        return self._table("stations")

    @property
    def links(self) -> Table:
        """One row for each seed and direction of a wired link: packets offered, dropped, lost; utilisation."""
        return self._table("links")

    @property
    def series(self) -> Table:
        """The time series that `traces` asked for: seed, time (s), what, of whom, value."""
        return self._table("series")

    @property
    def air(self) -> Table:
        """Each turn on the air, if `traces` asked for `air`: from, to, start, end (s), bytes, what came of it."""
        return self._table("air")

    def __repr__(self) -> str:
        seeds = ", ".join(str(outcome.seed) for outcome in self.outcomes)
        return f"<airfair.Result {self.scenario.name} seeds {seeds}>\n{self.metrics!r}"


def overrides(parameters: Mapping[str, object]) -> list[tuple[str, str]]:
    """Parameters as the engine takes them: text, which it alone reads and checks."""
    return [(name, written(value)) for name, value in parameters.items()]


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

    from airfair.executor import Point, execute

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
    from airfair.output import computing

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
    from airfair.timelines.make import Asked, FailedRunError, load, run, split
    from airfair.timelines.result import Timeline

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


def scenarios() -> list[dict[str, Any]]:
    """The packaged scenarios: name and what each is."""
    listing: list[dict[str, Any]] = json.loads(_engine.packaged_json())
    return listing


def describe(name: str) -> dict[str, Any]:
    """What has this name: a scenario, a metric, all `metrics`, or a parameter of scenarios or a value of one.

    Of a scenario its parameters (unit, default, range); of a metric its definition and source; of a parameter or a
    value such as `fq_codel`, the scenarios that have it.

    Raises:
        InputError: Nothing has.
    """
    known = {entry["name"]: entry for entry in metrics()}
    if name in known:
        return known[name]
    if name == "metrics":
        return {"name": name, "metrics": list(known.values())}
    try:
        scenario: dict[str, Any] = json.loads(_engine.describe_json(name))
    except _engine.InputError:
        if "/" in name or name.endswith(".toml"):
            raise
    else:
        return scenario
    uses = list(_uses())
    if found := [use for use in uses if name in (use["parameter"], use["value"])]:
        of_parameter = [use for use in found if use["value"] is None]
        return {"name": name, "used_by": of_parameter or found}
    words = dict.fromkeys(str(use["value"] or use["parameter"]) for use in uses)
    near = nearest(name, [*known, *(entry["name"] for entry in scenarios()), *words])
    raise _engine.InputError(
        f"{name}: neither a scenario, nor a metric, nor a parameter or a value of one{near}; "
        "`airfair scenarios` and `airfair describe metrics` list what there is"
    )


def _uses() -> Iterator[dict[str, Any]]:
    """Each parameter of each packaged scenario, and each word that it can be set to."""
    for scenario in scenarios():
        for parameter in json.loads(_engine.describe_json(scenario["name"]))["parameters"]:
            use = {"scenario": scenario["name"], "parameter": parameter["name"], "help": parameter["help"]}
            yield use | {"value": None}
            choices = (choice for choice in parameter["choices"] or () if isinstance(choice, str))
            yield from (use | {"value": choice} for choice in choices)


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean X?` for the name most like it, if there is one."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def metrics() -> list[dict[str, Any]]:
    """The metrics: name, unit, definition, source."""
    listing: list[dict[str, Any]] = json.loads(_engine.metrics_json())
    return listing
