"""Commands on sweeps and their directories."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airfair.cli.app import command
from airfair.cli.options import (
    Directory,
    Engine,
    Jobs,
    Metrics,
    Where,
    offers,
)

if TYPE_CHECKING:
    from airfair.command import Common


@command(
    "airfair sweep jung/mixed --over stations=2..16 --over tcp=reno,vegas \\",
    "  --seeds 10 --out DIR",
    "airfair sweep DIR",
    "airfair sweep lee/path --over 'wireless=10..200 Mb/s:10 Mb/s' \\",
    "  --over loss=0,0.1%,1% --until-ci achieved_goodput=2%",
    "airfair sweep DIR --metrics throughput_total,jain",
    short_help="Run a scenario at many points.",
)
def sweep(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|SWEEP.toml|DIR",
            help="A scenario's name or file, a sweep file, or the directory of a sweep to continue.",
            autocompletion=offers("scenarios"),
        ),
    ],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="NAME=VALUES",
            help="An axis: V1,V2,... or LOW..HIGH:STEP; repeat for more.",
            autocompletion=offers("axes"),
        ),
    ] = None,
    zip: Annotated[
        list[str] | None,
        typer.Option(
            "--zip",
            metavar="A,B",
            help="Let these axes vary together, value by value.",
            autocompletion=offers("zipped"),
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", metavar="N", min=1, help="A Latin-hypercube sample of N points, instead of every combination."
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            metavar="N",
            min=1,
            help="Seeds for each point; with --until-ci the maximum.  [default: 1; with --until-ci 100]",
            show_default=False,
        ),
    ] = None,
    until_ci: Annotated[
        str | None,
        typer.Option(
            "--until-ci",
            metavar="METRIC=1%",
            help="Add seeds to a point until half the width of the metric's 95 % interval is this share of its mean.",
            autocompletion=offers("aims"),
        ),
    ] = None,
    metrics: Metrics = "",
    jobs: Jobs = None,
    on: Annotated[
        str, typer.Option("--on", metavar="local|ray[:ADDRESS]", help="Where to compute: here, or on a Ray cluster.")
    ] = "local",
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="A store shared with other sweeps, besides the results' own."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", min=0, help="The first seed.  [default: 1]", show_default=False)
    ] = None,
    *,
    common: "Common",
) -> int:
    """Run a scenario at many points: grids, lists, zipped axes, samples.

    Writes results, sessions, failures and timings as Parquet below --out (airfair-results/SCENARIO). The same command
    with the same DIR continues; a wider one, or one that reports other metrics, computes only missing runs.
    Ctrl-C once finishes the runs in progress, twice stops at once.
    """
    from airfair.sweeps.command import Request
    from airfair.sweeps.command import sweep as body

    request = Request(source, tuple(over or ()), tuple(zip or ()), sample, seeds, until_ci, jobs, on, cache, metrics)
    return body(request, common, seed=seed)


@command(
    "airfair results DIR --where \"stations > 4 AND tcp = 'vegas'\" \\",
    "  --group stations,tcp --select throughput_total",
    "airfair results DIR --group tcp \\",
    "  --select 'jain, quantile_cont(throughput_total, 0.05) AS worst'",
    "airfair results DIR --order-by 'throughput_total DESC' --limit 10",
    "airfair results DIR --table sessions --format csv > sessions.csv",
    seed=None,
    set=False,
)
def results(
    directory: Directory,
    where: Where = "",
    select: Annotated[
        str,
        typer.Option(
            "--select",
            metavar="LIST",
            help="These columns, or SQL expressions over them; with --group aggregates too: max(jain).",
        ),
    ] = "",
    group: Annotated[
        str,
        typer.Option(
            "--group", metavar="LIST", help="One row for each value of these columns: means and 95 % intervals."
        ),
    ] = "",
    order: Annotated[
        str, typer.Option("--order-by", metavar="LIST", help="Order the rows by these columns: A, B DESC.")
    ] = "",
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=0, help="Maximum number of rows.")] = None,
    table: Annotated[
        str,
        typer.Option(
            "--table",
            metavar="NAME",
            help="results, sessions, failures or timings. Of sessions, acked is also finish_time_acked.",
        ),
    ] = "results",
    format: Annotated[str, typer.Option("--format", metavar="FORMAT", help="table, csv, json or parquet.")] = "table",
    *,
    common: "Common",
) -> int:
    """Show a sweep's results, one row for each point and seed.

    A table in readable units; csv, json and parquet in SI. With --out a file there, and only a table on stdout.
    """
    from airfair.sweeps.query import Query
    from airfair.sweeps.query import results as body

    return body(directory, Query(table, select, where, group, order, limit), format, common)


@command(
    "airfair report DIR",
    "airfair report DIR --out elsewhere",
    short_help="Write one page on a sweep.",
    seed=None,
    set=False,
    out="Write there, instead of DIR.",
)
def report(directory: Directory, *, common: "Common") -> int:
    """Write one page on a sweep: figures, effects of the axes, all points, failures, how to run it again.

    DIR/report.html opens in any browser and needs no network.
    """
    from airfair.sweeps.report import report as body

    return body(directory, common)


@command(
    "airfair cache DIR",
    "airfair cache DIR --verify",
    "airfair cache DIR --repair",
    "airfair cache DIR --recompute 20 --engine plain",
    "airfair cache DIR --prune",
    short_help="Show, verify, repair or prune the results in a directory.",
    seed="Draws the points of --recompute.",
    set=False,
)
def cache(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The directory of a sweep or study, or a shared store.")
    ],
    verify: Annotated[bool, typer.Option("--verify", help="Read every result and table to its last byte.")] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Restore tables from the store, and sweep.toml and manifest.json from each other."
        ),
    ] = False,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="Remove damaged and half-written files, and results of other model versions."),
    ] = False,
    recompute: Annotated[
        int | None,
        typer.Option(
            "--recompute",
            metavar="N",
            min=1,
            help="Run N stored points of the sweep again, drawn by --seed, and compare them byte for byte.",
            show_default=False,
        ),
    ] = None,
    engine: Engine = None,
    *,
    common: "Common",
) -> int:
    """Show the results stored in a directory: their number and size, by model version."""
    from airfair.sweeps.upkeep import cache as body

    return body(directory, common, verify=verify, prune=prune, repair=repair, recompute=recompute, engine=engine)
