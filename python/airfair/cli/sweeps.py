"""Commands on sweeps and their directories."""

from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli.app import command
from airfair.cli.options import DIRECTORY, DRY_RUN, ENGINE, JOBS, METRICS, RESULTS, WHERE, argument, option

if TYPE_CHECKING:
    from airfair.command import Common


@command(
    "airfair sweep jung/mixed --over stations=2..16 --over tcp=reno,vegas \\",
    "  --seeds 10 --out DIR",
    "airfair sweep DIR",
    "airfair sweep lee/path --over 'wireless=10..200 Mb/s:10 Mb/s' \\",
    "  --over loss=0,0.1%,1% --until-ci achieved_goodput=2%",
    "airfair sweep DIR --metrics throughput_total,jain",
    "airfair sweep jung/mixed --over stations=2..16 --seeds 100 --dry-run",
    short_help="Run a scenario at many points.",
    out=RESULTS,
)
def sweep(
    source: str = argument(
        "SCENARIO|SWEEP.toml|DIR",
        "A scenario's name or file (- is standard input), a sweep file, or the directory of a sweep to continue.",
        offers="scenarios",
    ),
    over: list[str] | None = option(
        "--over NAME=VALUES", "An axis: V1,V2,... or LOW..HIGH[:STEP]; repeat for more.", offers="axes"
    ),
    zip: list[str] | None = option("--zip A,B", "Let these axes vary together, value by value.", offers="zipped"),
    sample: int | None = option(
        "--sample N", "A Latin-hypercube sample of N points, instead of every combination.", min=1
    ),
    seeds: int | None = option(
        "--seeds N", "Seeds for each point; with --until-ci the maximum.", unset="1; with --until-ci 100", min=1
    ),
    until_ci: str | None = option(
        "--until-ci METRIC=1%",
        "Add seeds to a point until half the width of the metric's 95 % interval is this share of its mean.",
        offers="aims",
    ),
    metrics: str = METRICS,
    dry_run: bool = DRY_RUN,
    jobs: int | None = JOBS,
    on: str = option("--on local|ray[:ADDRESS]", "Where to compute: here, or on a Ray cluster.", "local"),
    engine: str | None = ENGINE,
    cache: Path | None = option("--cache DIR", "A store shared with other sweeps, besides the results' own."),
    seed: int | None = option("--seed S", "The first seed.", unset="1", min=0),
    *,
    common: "Common",
) -> int:
    """Run a scenario at many points: grids, lists, zipped axes, samples.

    Writes results, sessions, failures and timings as Parquet below --out (airfair-results/SCENARIO). The same command
    with the same DIR continues; a wider one, or one that reports other metrics, computes only missing runs.
    Ctrl-C once finishes the runs in progress, twice stops at once.
    """
    from airfair.catalogue.parameters import named_values, names_of
    from airfair.sweeps.asked import Changes
    from airfair.sweeps.command import sweep as body
    from airfair.sweeps.spec import group

    changes = Changes(
        over={name: (values,) for name, values in named_values("--over", over or ()).items()},
        set=named_values("--set", common.set),
        zip=tuple(map(group, zip or ())),
        sample=sample,
        seed=seed,
        seeds=seeds,
        until_ci=until_ci,
        metrics=tuple(names_of(metrics)),
    )
    return body(source, changes, common, jobs=jobs, on=on, cache=cache, engine=engine, dry_run=dry_run)


@command(
    "airfair results DIR --where \"stations > 4 AND tcp = 'vegas'\" \\",
    "  --group stations,tcp --select throughput_total",
    "airfair results DIR --group tcp \\",
    "  --select 'jain, quantile_cont(throughput_total, 0.05) AS worst'",
    "airfair results DIR --order-by 'throughput_total DESC' --limit 10",
    "airfair results DIR --table sessions --format csv > sessions.csv",
    seed=None,
    set=False,
    out=RESULTS,
)
def results(
    directory: Path = DIRECTORY,
    where: str = WHERE,
    select: str = option(
        "--select LIST", "These columns, or SQL expressions over them; with --group aggregates too: max(jain).", ""
    ),
    group: str = option("--group LIST", "One row for each value of these columns: means and 95 % intervals.", ""),
    order: str = option("--order-by LIST", "Order the rows by these columns: A, B DESC.", ""),
    limit: int | None = option("--limit N", "Maximum number of rows.", min=0),
    table: str = option(
        "--table NAME",
        "results, sessions, failures or timings. Of sessions, acked is also finish_time_acked.",
        "results",
    ),
    format: str = option("--format FORMAT", "table, csv, json or parquet.", "table"),
    *,
    common: "Common",
) -> int:
    """Show a sweep's results, one row for each point and seed.

    A table in readable units; csv, json and parquet in SI. With --out they go into a file there, and stdout has a
    table alone. Without --select a terminal shows the columns that fit, and names the rest; a pipe gets all.
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
def report(directory: Path = DIRECTORY, *, common: "Common") -> int:
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
    "airfair cache DIR --migrate",
    "airfair cache DIR --prune",
    short_help="Show, verify, repair or prune the results in a directory.",
    seed="Draws the points of --recompute.",
    set=False,
)
def cache(
    directory: Path = argument("DIR", "The directory of a sweep or study, or a shared store."),
    verify: bool = option("--verify", "Read every result and table to its last byte.", False),
    repair: bool = option(
        "--repair", "Restore tables from the store, and sweep.toml and manifest.json from each other.", False
    ),
    prune: bool = option(
        "--prune", "Remove damaged and half-written files, and results of other model versions.", False
    ),
    migrate: bool = option(
        "--migrate", "Pack results that earlier versions stored, a file for each, into segments.", False
    ),
    recompute: int | None = option(
        "--recompute N",
        "Run N stored points of the sweep again, drawn by --seed, and compare them byte for byte.",
        min=1,
    ),
    engine: str | None = ENGINE,
    *,
    common: "Common",
) -> int:
    """Show the results stored in a directory: their number and size, by model version."""
    from airfair.sweeps.upkeep import cache as body

    return body(
        directory,
        common,
        verify=verify,
        prune=prune,
        repair=repair,
        migrate=migrate,
        recompute=recompute,
        engine=engine,
    )
