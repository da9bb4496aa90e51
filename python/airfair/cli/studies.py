"""Commands on studies."""

from typing import TYPE_CHECKING

from airfair.cli.app import command
from airfair.cli.options import DRY_RUN, ENGINE, JOBS, RESULTS, argument, option
from airfair.runs import SEED_LIMIT

if TYPE_CHECKING:
    from airfair.command import Common


@command("airfair studies", short_help="List the studies: published papers to recompute.", seed=None, set=False)
def studies(*, common: "Common") -> int:
    """List the studies: published papers whose figures and claims can be recomputed."""
    from airfair.studies import command as body

    return body.studies(common)


@command(
    "airfair reproduce jung --quick",
    "airfair reproduce jung --figure fig2a --seeds 20 --out results",
    "airfair reproduce jung --dry-run",
    out=RESULTS,
)
def reproduce(
    study: str = argument("STUDY", "A study's name.", offers="studies"),
    figure: list[str] | None = option("--figure NAME", "Only this figure; repeat for more.", offers="figures"),
    quick: bool = option("--quick", "Fewer seeds and shorter runs.", False),
    seeds: int | None = option("--seeds N", "Seeds for each point.", unset="the study's", min=1, max=SEED_LIMIT),
    dry_run: bool = DRY_RUN,
    jobs: int | None = JOBS,
    engine: str | None = ENGINE,
    *,
    common: "Common",
) -> int:
    """Recompute a paper's figures and judge its claims.

    Writes figures (PNG, SVG), results.parquet and report.html below --out (airfair-results/STUDY; with --set a
    directory beside it, named after what is set). After an interruption the same command continues. Ctrl-C once
    finishes the runs in progress, twice stops at once.
    """
    from airfair.studies.plan import Request
    from airfair.studies.reproduce import reproduce

    return reproduce(Request(study, tuple(figure or ()), quick, seeds, jobs, engine), common, dry_run=dry_run)
