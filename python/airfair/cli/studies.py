"""Commands on studies."""

from typing import TYPE_CHECKING, Annotated

import typer

from airfair.cli.app import command
from airfair.cli.options import (
    SEED_LIMIT,
    Jobs,
    offers,
)

if TYPE_CHECKING:
    from airfair.command import Common


@command("airfair studies", short_help="List the studies: published papers to recompute.", seed=None, set=False)
def studies(*, common: "Common") -> int:
    """List the studies: published papers whose figures and claims can be recomputed."""
    from airfair.studies import command as body

    return body.studies(common)


@command("airfair reproduce jung --quick", "airfair reproduce jung --figure fig2a --seeds 20 --out results")
def reproduce(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study's name.", autocompletion=offers("studies"))],
    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure",
            metavar="NAME",
            help="Only this figure; repeat for more.",
            autocompletion=offers("figures"),
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer seeds and shorter runs.")] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            metavar="N",
            min=1,
            max=SEED_LIMIT,
            help="Seeds for each point.  [default: the study's]",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = None,
    *,
    common: "Common",
) -> int:
    """Recompute a paper's figures and judge its claims.

    Writes figures (PNG, SVG), results.parquet and report.html below --out (airfair-results/STUDY). After
    an interruption the same command continues. Ctrl-C once finishes the runs in progress, twice stops at once.
    """
    from airfair.studies.plan import Request
    from airfair.studies.reproduce import reproduce

    return reproduce(Request(study, tuple(figure or ()), quick, seeds, jobs), common)
