"""The command that searches for the best parameters."""

from typing import TYPE_CHECKING

from airfair.cli.app import command
from airfair.cli.options import DRY_RUN, ENGINE, JOBS, RESULTS, SCENARIO, option
from airfair.runs import SEED_LIMIT

if TYPE_CHECKING:
    from airfair.command import Common


@command(
    "airfair optimize jung/mixed --set tcp=reno --over max_window=2..20 \\",
    "  --maximize instantaneous_fairness_acked \\",
    "  --subject-to 'throughput_total >= 4.8 Mb/s'",
    "airfair optimize jung/mixed --set tcp=vegas-fair \\",
    "  --over pause_interval=0.1..5s:0.1s --over intro_length=1..20kB:1kB \\",
    "  --maximize instantaneous_fairness_acked",
    short_help="Find the values of parameters at which a metric is best.",
    out=RESULTS,
)
def optimize(
    scenario: str = SCENARIO,
    over: list[str] | None = option(
        "--over NAME=VALUES",
        "A parameter to choose and its values, LOW..HIGH[:STEP] or A,B,C; repeat for more.",
        offers="axes",
    ),
    maximize: str | None = option("--maximize METRIC", "The metric to maximise.", offers="metrics"),
    minimize: str | None = option("--minimize METRIC", "The metric to minimise.", offers="metrics"),
    subject_to: list[str] | None = option(
        "--subject-to 'METRIC >= X'",
        "A constraint on the mean over the seeds, >= or <=; repeat for more.",
        offers="metrics",
    ),
    seeds: int = option("--seeds N", "Seeds for each candidate, the same for all.", 10, min=2, max=SEED_LIMIT),
    evaluations: int = option("--evaluations N", "Maximum number of candidates to evaluate.", 100, min=2),
    dry_run: bool = DRY_RUN,
    jobs: int | None = JOBS,
    engine: str | None = ENGINE,
    *,
    common: "Common",
) -> int:
    """Find the values of parameters at which a metric is best, and those that are as good.

    All candidates run with the same seeds. One is as good as the best unless a paired 95 % interval shows that
    it is worse.

    Below --out (airfair-results/optimize/SCENARIO) it writes optimum.html, optimum.png, optimum.svg,
    evaluations.parquet and optimize.json. After an interruption the same command continues. Ctrl-C once finishes the
    runs in progress, twice stops at once.
    """
    from airfair.catalogue.parameters import named_values
    from airfair.optimizer import command as body
    from airfair.optimizer.problem import Asked

    asked = Asked(
        scenario,
        named_values("--over", over or ()),
        maximize=maximize,
        minimize=minimize,
        subject_to=tuple(subject_to or ()),
        set=common.overrides,
        seed=common.seed,
        seeds=seeds,
        evaluations=evaluations,
        engine=engine,
    )
    return body.optimize(asked, common, jobs, dry_run=dry_run)
