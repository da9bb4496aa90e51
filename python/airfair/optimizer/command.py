"""`airfair optimize` in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import console
from airfair.command import Common, answer, output
from airfair.optimizer import words
from airfair.optimizer.evaluator import Evaluator, InterruptedSearchError
from airfair.optimizer.problem import Asked, Problem, pose
from airfair.optimizer.result import Optimum, columns
from airfair.optimizer.search import method, search
from airfair.runs.cost import cost, warn_of_hours
from airfair.runs.cost import dry_run as tell_cost
from airfair.runs.engines import verifies
from airfair.store.output import place_for
from airfair.store.record import Record
from airfair.store.store import Store

if TYPE_CHECKING:
    from airfair.optimizer.judgement import Judgement
    from airfair.store.output import Output

#: The manifest's key for the settings of a search.
KIND = "optimize"
FILES = ("evaluations.parquet", "optimum.svg", "optimum.png", "optimum.html", "optimize.json")
#: The manifest's key for the scenario of a search.
_SCENARIO = "scenario"
#: Settings that change only the precision of the answer, not the question.
_EFFORT = ("seeds=", "evaluations=")
#: Maximum number of candidates in the terminal's table.
_ROWS = 40


def optimize(asked: Asked, common: Common, jobs: int | None, *, dry_run: bool = False) -> int:
    """Search, write the files, and print the result; returns the exit status."""
    problem = pose(asked)
    base = Path("airfair-results") / "optimize" / problem.name.replace("/", "-")
    place = place_for(base, KIND, settings(asked))
    points = problem.points(jobs)
    if dry_run:
        bound = "fixed" if problem.whole else "at most"
        found = cost(points, common.out or place, jobs, verify=verifies(asked.engine), bound=bound)
        return tell_cost(problem.name, found, common)
    into = output(common, place, FILES)
    _keep_other_answers(into, asked, problem)
    warn_of_hours(points, into.path, jobs)
    with into.computing():
        return _optimize(asked, problem, common, jobs, into, base)


def _optimize(asked: Asked, problem: Problem, common: Common, jobs: int | None, into: Output, base: Path) -> int:
    # Other searches in the scenario may have stored results that this search needs.
    shared = None if common.out or into.path == base else Store(base)
    into.publish({}, {_SCENARIO: problem.name, KIND: settings(asked)})
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
            console.ended(error.execution.how, into.path)
            return error.execution.status
    optimum = Optimum(problem, judgement, method(problem), evaluator.warnings)
    figure = _write(into, optimum, columns(problem, judgement))

    def show() -> None:
        _show(problem, judgement, optimum)
        console.out.line(f"\npage: {into.path / 'optimum.html'}")
        if figure:
            console.out.line(f"figure: {figure}")

    console.failed(list(map(str, evaluator.failures)), "runs failed")
    answer(common, "optimize.json", optimum.document, show, into)
    if optimum.infeasible:
        console.errors.line(("error", "red"), f": {optimum.infeasible}")
    return 1 if optimum.infeasible or evaluator.failures else 0


def _keep_other_answers(into: Output, asked: Asked, problem: Problem) -> None:
    """Refuse to replace the result of another search in the directory."""
    record = Record.of(into.folder)
    held = record.facts.get(KIND)
    if not isinstance(held, list) or FILES[-1] not in record.files:
        return
    scenario = record.facts.get(_SCENARIO, problem.name)  # earlier versions did not record it
    there = [f"scenario={scenario}", *map(str, held)]
    here = [f"scenario={problem.name}", *settings(asked)]
    into.keep_other_answer(*([word for word in words if not word.startswith(_EFFORT)] for words in (there, here)))


def settings(asked: Asked) -> list[str]:
    """The settings that distinguish a search from others in the same scenario."""
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
        files["optimum.html"] = optimum.html.encode()
    if figure is None:
        into.discard(["optimum.png", "optimum.svg"])  # left by another search
    else:
        files |= {"optimum.svg": figure.svg.encode(), "optimum.png": figure.png}
    into.publish(files)
    return into.path / "optimum.png" if figure else None


def _show(problem: Problem, judgement: Judgement, optimum: Optimum) -> None:
    tried = words.tried(problem, judgement, optimum.method)
    console.out.line((problem.name, "bold"), f", {tried}\n")
    console.out.print(_candidates(problem, judgement))
    for line in words.skipped(problem, judgement):
        console.out.line(line, style="dim")
    if judgement.best is None:
        return
    goal, *bounds = words.reached(problem, judgement)
    name, colon, value = goal.partition(":")
    console.out.line((f"\n{name}", "bold"), colon, value)
    for line in bounds:
        console.out.print(line)
    console.out.print(console.table(None, *words.SUMMARY, right=("Best",), rows=words.summary(problem, judgement)))
    if holes := words.holes(problem, judgement):
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
    heads = words.heads(problem)
    table = console.table(title, *heads, right=tuple(heads[:-1]))
    table.columns[len(problem.dimensions)].no_wrap = True
    for item in rows:
        style = "dim" if not item.feasible else "bold" if item is judgement.best else None
        table.add_row(*words.row(problem, judgement, item), style=style)
    return table
