"""`airfair optimize` in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from airfair import console
from airfair.catalogue.parameters import equations, is_number, shown
from airfair.catalogue.units import number, quantity, scale_for
from airfair.command import Common, answer, output
from airfair.optimizer.evaluator import Evaluator, InterruptedSearchError
from airfair.optimizer.problem import Asked, Problem, pose
from airfair.optimizer.result import Optimum, brief, columns, told
from airfair.optimizer.search import method, search
from airfair.store.output import place_for
from airfair.store.store import Store

if TYPE_CHECKING:
    from airfair.optimizer.judgement import Judged, Judgement
    from airfair.runs.estimate import Estimate
    from airfair.store.output import Output

#: The manifest's key for the question of a search.
KIND = "optimize"
FILES = ("evaluations.parquet", "optimum.svg", "optimum.png", "optimize.json")
#: Maximum number of candidates in the terminal's table.
_ROWS = 40
#: Maximum number of reasons printed one by one.
_REASONS = 5


def optimize(asked: Asked, common: Common, jobs: int | None) -> int:
    """Search, write, print."""
    problem = pose(asked)
    base = Path("airfair-results") / "optimize" / problem.name.replace("/", "-")
    into = output(common, place_for(base, KIND, settings(asked)), FILES)
    with into.computing():
        return _optimize(asked, problem, common, jobs, into, base)


def _optimize(asked: Asked, problem: Problem, common: Common, jobs: int | None, into: Output, base: Path) -> int:
    # Other searches in the scenario may have stored results that this one needs.
    shared = None if common.out or into.path == base else Store(base)
    into.publish({}, {KIND: settings(asked)})
    with console.progress(problem.name) as progress:
        evaluator = Evaluator(
            problem,
            store=into.store(shared),
            jobs=jobs,
            progress=progress,
            warn=console.warn,
            finishing=console.finishing,
        )
        try:
            judgement = search(evaluator)
        except InterruptedSearchError as error:
            console.interrupted(into.path)
            return error.execution.status
    optimum = Optimum(problem, judgement, method(problem))
    figure = _write(into, optimum, columns(problem, judgement))

    def show() -> None:
        _show(problem, judgement, optimum)
        if figure:
            console.out.print(f"\nfigure: {figure}", soft_wrap=True)

    console.failed(list(map(str, evaluator.failures)), "runs failed")
    answer(common, "optimize.json", optimum.document, show, into)
    if optimum.infeasible:
        console.err.print(Text.assemble(("error", "red"), f": {optimum.infeasible}"), soft_wrap=True)
    return 1 if optimum.infeasible or evaluator.failures else 0


def settings(asked: Asked) -> list[str]:
    """The question of a search, which distinguishes it from others in the scenario."""
    goal = [f"maximize={asked.maximize}"] if asked.maximize else [f"minimize={asked.minimize}"]
    fixed = [f"{name}={value}" for name, value in (*asked.over.items(), *asked.set)]
    counts = [f"seed={asked.seed}", f"seeds={asked.seeds}", f"evaluations={asked.evaluations}"]
    return [*goal, *fixed, *asked.subject_to, *counts]


def _write(into: Output, optimum: Optimum, table: dict[str, list[Any]]) -> Path | None:
    """Write the table and the figure; returns the figure's path."""
    import polars

    from airfair.runs.tables import parquet

    files = {"evaluations.parquet": parquet(polars.DataFrame(table, strict=False))}
    with console.status("drawing the figure"):
        figure = optimum.figure
    if figure is None:
        into.discard(["optimum.png", "optimum.svg"])  # left by another search
    else:
        files |= {"optimum.svg": figure.svg.encode(), "optimum.png": figure.png}
    into.publish(files)
    return into.path / "optimum.png" if figure else None


def _show(problem: Problem, judgement: Judgement, optimum: Optimum) -> None:
    verb = "Largest" if problem.goal.maximize else "Smallest"
    seeds = f"seeds {problem.seeds[0]} to {problem.seeds[-1]}"
    tried = f"{len(judgement.candidates)} of {problem.size} candidates"
    console.out.print(Text.assemble((problem.name, "bold"), f", {seeds}, {tried} ({optimum.method})\n"))
    console.out.print(_candidates(problem, judgement))
    for line in _skipped(problem, judgement):
        console.out.print(line, style="dim", soft_wrap=True)
    best = judgement.best
    if best is None:
        return
    value = told(best.estimate, problem.goal.unit)
    console.out.print(Text.assemble((f"\n{verb} {problem.goal.metric}", "bold"), f": {value}"))
    for constraint, found in zip(problem.constraints, best.constraints, strict=True):
        asked = f"{constraint.metric} {constraint.relation} {quantity(constraint.bound, constraint.unit)}"
        console.out.print(f"with {asked}: {told(found, constraint.unit)}")
    summary = console.table(None, "Parameter", "Best", "As good as the best", "Within 5 % of it", right=("Best",))
    good, near = optimum.as_good_as_best, optimum.within_5_percent
    for dimension in problem.dimensions:
        value = shown(best.evaluation.at[dimension.name], dimension.unit)
        ranges = (_range(values[dimension.name], dimension.unit) for values in (good, near))
        summary.add_row(dimension.name, value, *ranges)
    console.out.print(summary)
    holes = _holes(problem, judgement, good)
    if holes:
        console.out.print(f"In between, not as good: {holes}", style="dim")


def _candidates(problem: Problem, judgement: Judgement) -> Any:
    """A row for each candidate, or for the best of them."""
    rows = list(judgement.candidates)
    title = None
    if len(rows) > _ROWS:
        sign = problem.goal.sign
        ranked = sorted(
            rows, key=lambda item: (not item.feasible, -sign * item.estimate.mean if item.estimate else 0.0)
        )[:_ROWS]
        rows = [item for item in rows if item in ranked]
        title = f"The best {_ROWS} candidates; all are in evaluations.parquet"
    names = [dimension.name for dimension in problem.dimensions]
    metrics = list(dict.fromkeys(constraint.metric for constraint in problem.constraints))
    goal = problem.goal
    bounds = [metric for metric in metrics if metric != goal.metric]
    table = console.table(title, *names, goal.metric, *bounds, "", right=(*names, goal.metric, *bounds))
    table.columns[len(names)].no_wrap = True
    for item in rows:
        at = item.evaluation.at
        found = {
            c.metric: (estimate, c.unit) for c, estimate in zip(problem.constraints, item.constraints, strict=True)
        }
        table.add_row(
            *(shown(at[dimension.name], dimension.unit) for dimension in problem.dimensions),
            brief(item.estimate, goal.unit),
            *(_mean(*found[metric]) for metric in bounds),
            _remark(problem, judgement, item),
            style="dim" if not item.feasible else "bold" if item is judgement.best else None,
        )
    return table


def _remark(problem: Problem, judgement: Judgement, item: Judged) -> str:
    if item is judgement.best:
        return "best"
    if not item.counts:
        return "skipped"
    broken = [c.metric for c, fine in zip(problem.constraints, item.satisfied, strict=True) if not fine]
    if broken:
        return "violates" if len(problem.constraints) == 1 else "violates " + ", ".join(dict.fromkeys(broken))
    return "as good" if item.as_good else "within 5 %" if item.near else ""


def _skipped(problem: Problem, judgement: Judgement) -> list[str]:
    """The reasons for which candidates do not count, each once, with the first such candidate."""
    reasons: dict[str, list[Judged]] = {}
    for item in judgement.candidates:
        if not item.counts:
            reasons.setdefault(item.evaluation.reason, []).append(item)
    lines = []
    for reason, items in list(reasons.items())[:_REASONS]:
        first = equations(problem.values(items[0].evaluation.candidate))
        lines.append(f"skipped: {first}{f' and {len(items) - 1} more' if len(items) > 1 else ''}: {reason}")
    return lines


def _holes(problem: Problem, judgement: Judgement, good: dict[str, list[Any]]) -> str:
    """With one numeric parameter: values within the range that are worse or infeasible."""
    dimension = problem.dimensions[0]
    ends = good[dimension.name]
    if len(problem.dimensions) > 1 or not _is_range(ends):
        return ""
    others = [item.evaluation.at[dimension.name] for item in judgement.candidates if not item.as_good]
    inside = [value for value in others if is_number(value) and ends[0] < value < ends[1]]
    return ", ".join(shown(value, dimension.unit) for value in inside)


def _is_range(values: list[Any]) -> bool:
    return len(values) == 2 and all(is_number(value) for value in values)


def _range(values: list[Any], unit: str | None) -> str:
    if _is_range(values):
        low, high = values
        if low == high:
            return shown(low, unit)
        scales = [scale_for(end, unit or "") for end in values]
        start = number(low / scales[1].factor) if scales[0] == scales[1] else shown(low, unit)
        return f"{start} to {shown(high, unit)}"
    return ", ".join(shown(value, unit) for value in values)


def _mean(estimate: Estimate | None, unit: str) -> str:
    return "none" if estimate is None else quantity(estimate.mean, unit)
