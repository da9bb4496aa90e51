"""Commands on scenarios: run one, show it, check it, describe it."""

from typing import Annotated

import typer

from airfair.cli.app import app
from airfair.cli.options import (
    SEED_LIMIT,
    Force,
    Jobs,
    Json,
    Metrics,
    Out,
    Scenario,
    Seed,
    Set,
    UnusedSeed,
    UnusedSet,
    common_options,
    examples,
    offers,
)


@app.command(
    short_help="Run a scenario and show its metrics with 95 % intervals.",
    epilog=examples(
        "airfair run jung/mixed --set tcp=vegas --seeds 10 --out results",
        "airfair run lee/path --set 'wireless=20 Mb/s' --set loss=0.1% --json",
        "airfair run jung/mixed --metrics jain,finish_time_delivered_median",
        "airfair run jung/mixed --trace cwnd,queue --out results",
    ),
)
def run(
    scenario: Scenario,
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", min=1, max=SEED_LIMIT, help="How many seeds to run.")
    ] = 1,
    trace: Annotated[
        str,
        typer.Option(
            "--trace", metavar="LIST", help="What to record: cwnd, ssthresh, rtt, acked, queue, drops, backlog, air."
        ),
    ] = "",
    metrics: Metrics = "",
    jobs: Jobs = None,
    json: Json = False,
    out: Out = None,
    force: Force = False,
    seed: Seed = 1,
    set: Set = None,
) -> int:
    """Run a scenario and show its metrics, with 95 % confidence intervals over the seeds.

    With --out: run.json, and sessions, flows, stations, links (and series) as Parquet.
    """
    from airfair.runs import command

    return command.run(scenario, common_options(json, out, seed, set, force), seeds, trace, metrics, jobs)


@app.command(
    epilog=examples(
        "airfair show jung/mixed > mine.toml",
    ),
)
def show(
    scenario: Scenario, json: Json = False, out: Out = None, force: Force = False, seed: UnusedSeed = 1, set: Set = None
) -> int:
    """Print a scenario as TOML: the place to start your own from."""
    from airfair.runs import command

    return command.show(scenario, common_options(json, out, seed, set, force))


@app.command(
    epilog=examples(
        "airfair check mine.toml --set stations=8",
    ),
)
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A scenario file.")],
    json: Json = False,
    out: Out = None,
    force: Force = False,
    seed: UnusedSeed = 1,
    set: Set = None,
) -> int:
    """Check a scenario file without running it."""
    from airfair.runs import command

    return command.check(file, common_options(json, out, seed, set, force))


@app.command(
    epilog=examples(
        "airfair schema > airfair.schema.json",
    ),
)
def schema(
    json: Json = False, out: Out = None, force: Force = False, seed: UnusedSeed = 1, set: UnusedSet = None
) -> int:
    """Print the JSON Schema of scenario files, for editors."""
    from airfair.runs import command

    return command.schema(common_options(json, out, seed, set, force))


@app.command(
    epilog=examples(
        "airfair scenarios --json",
    ),
)
def scenarios(
    json: Json = False, out: Out = None, force: Force = False, seed: UnusedSeed = 1, set: UnusedSet = None
) -> int:
    """List the packaged scenarios."""
    from airfair.runs import command

    return command.scenarios(common_options(json, out, seed, set, force))


@app.command(
    short_help="Describe a scenario's parameters, or a metric.",
    epilog=examples(
        "airfair describe jung/mixed",
        "airfair describe instantaneous_fairness_sent",
        "airfair describe metrics",
        "airfair describe fq_codel",
    ),
)
def describe(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A scenario's name or file, a metric, `metrics` for all of them, a parameter or a value of one.",
            autocompletion=offers("what_is_described"),
        ),
    ],
    json: Json = False,
    out: Out = None,
    force: Force = False,
    seed: UnusedSeed = 1,
    set: UnusedSet = None,
) -> int:
    """Describe a scenario's parameters (unit, default, range), or a metric's definition and source.

    Of a parameter, or a value such as vegas or fq_codel, it says which scenarios have it.
    """
    from airfair.runs import command

    return command.describe(name, common_options(json, out, seed, set, force))
