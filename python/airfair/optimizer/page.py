"""A search as a self-contained HTML page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airfair import _engine, pages
from airfair.catalogue.parameters import seed_options, set_options
from airfair.catalogue.wording import title
from airfair.optimizer import words

if TYPE_CHECKING:
    from airfair.figures.drawing import Drawing
    from airfair.optimizer.judgement import Judgement
    from airfair.optimizer.problem import Problem


def render(
    problem: Problem,
    judgement: Judgement,
    figure: Drawing | None,
    *,
    method: str,
    infeasible: str,
    warnings: Sequence[str],
) -> str:
    """Render the page: the figure, the best and the equally good values, all candidates, the command of the search."""
    goal = problem.goal
    items = judgement.candidates
    best = judgement.best
    return pages.render(
        "optimum.html",
        script="sweep.js",
        model=_engine.MODEL_VERSION,
        name=problem.name,
        heading=f"{title(goal.metric)}: {'largest' if goal.maximize else 'smallest'} values",
        tried=words.tried(problem, judgement, method),
        constraints=words.constraints(problem),
        set=problem.set,
        infeasible=infeasible,
        warnings=warnings,
        reached=words.reached(problem, judgement),
        heads=words.SUMMARY,
        summary=words.summary(problem, judgement),
        holes=words.holes(problem, judgement),
        svg=pages.inline(figure.svg, "figure") if figure else "",
        along=", ".join(title(dimension.name) for dimension in problem.dimensions),
        columns=words.heads(problem),
        rows=[words.row(problem, judgement, item) for item in items[: pages.MOST_ROWS]],
        left=max(0, len(items) - pages.MOST_ROWS),
        skipped=words.skipped(problem, judgement),
        again=_again(problem),
        one=_best(problem, [] if best is None else problem.values(best.evaluation.candidate)) if best else "",
    )


def _again(problem: Problem) -> str:
    """The command that repeats the search."""
    over = [word for d in problem.dimensions for word in ("--over", f"{d.name}={d.asked or ','.join(d.values)}")]
    goal = ["--maximize" if problem.goal.maximize else "--minimize", problem.goal.metric]
    bounds = [word for text in words.constraints(problem) for word in ("--subject-to", text)]
    counts = [
        *seed_options(problem.seeds[0]),
        "--seeds",
        str(len(problem.seeds)),
        "--evaluations",
        str(problem.evaluations),
    ]
    return shlex.join(
        ["airfair", "optimize", problem.file.given, *set_options(problem.set), *over, *goal, *bounds, *counts]
    )


def _best(problem: Problem, values: list[tuple[str, str]]) -> str:
    """The command that runs the best candidate."""
    seeds = seed_options(problem.seeds[0], len(problem.seeds))
    return shlex.join(["airfair", "run", problem.file.given, *set_options([*problem.set, *values]), *seeds])
