"""The command `airfair`. Imports typer alone, so that help and shell completion answer at once."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class Commands(TyperGroup):
    """Turns the engine's errors into one message and an exit status: 2 bad input, 1 failed, 130 interrupted."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command."""
        from airfair._engine import EngineError, InputError

        try:
            raise typer.Exit(super().invoke(ctx) or 0)
        except InputError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(2) from None
        except BrokenPipeError:
            raise
        except (EngineError, OSError) as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from None


def _examples(*commands: str) -> str:
    """The end of a command's help: each example on lines of its own, which stay as they are, to be copied."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


app = typer.Typer(
    cls=Commands,
    name="airfair",
    epilog=_examples("airfair run jung/mixed --set tcp=vegas", "airfair reproduce jung --quick"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: importing rich for it takes longer than all the rest
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _offers(what: str) -> Callable[[str], list[str]]:
    """A function of `completion`, imported when the shell asks."""

    def complete(incomplete: str) -> list[str]:
        from airfair import completion

        offered: list[str] = getattr(completion, what)(incomplete)
        return offered

    return complete


#: Seeds at most: each run is held in memory.
_MOST = 1_000_000

Scenario = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO", help="A packaged scenario's name, or a file.", autocompletion=_offers("scenarios")
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout; everything else on stderr.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write the results below DIR.")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", min=0, help="The first seed.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Set a parameter; repeat for more.", autocompletion=_offers("settings")
    ),
]
UnusedSeed = Annotated[
    int, typer.Option("--seed", metavar="S", min=0, show_default=False, help="As in every command; of no use here.")
]
UnusedSet = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="As in every command; of no use here.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", min=1, help="Runs at the same time.  [default: one a core]", show_default=False
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        from airfair._engine import MODEL_VERSION, __version__

        typer.echo(f"airfair {__version__}, model version {MODEL_VERSION}")
        raise typer.Exit


@app.callback()
def _airfair(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the versions of the package and of its models, and exit.",
        ),
    ] = False,
) -> None:
    """A laboratory for fairness on shared air: how fast a device gets its fair share when it wakes."""


def _common(json: bool, out: Path | None, seed: int, set_: list[str] | None) -> Any:
    from airfair.commands import Common

    return Common(json, out, seed, tuple(set_ or ()))


@app.command(
    short_help="Run a scenario and show its metrics with 95 % intervals.",
    epilog=_examples(
        "airfair run jung/mixed --set tcp=vegas --seeds 10 --out results",
        "airfair run lee/path --set 'wireless=20 Mb/s' --set loss=0.1% --json",
    ),
)
def run(
    scenario: Scenario,
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", min=1, max=_MOST, help="How many seeds to run.")] = 1,
    trace: Annotated[
        str,
        typer.Option(
            "--trace", metavar="LIST", help="What to record: cwnd, ssthresh, rtt, acked, queue, drops, backlog, air."
        ),
    ] = "",
    jobs: Jobs = None,
    json: Json = False,
    out: Out = None,
    seed: Seed = 1,
    set: Set = None,
) -> int:
    """Run a scenario and show its metrics, with 95 % confidence intervals over the seeds.

    With --out: run.json, and sessions, flows, stations (and series) as Parquet.
    """
    from airfair import commands

    traces = [name.strip() for name in trace.split(",") if name.strip()]
    return commands.run(scenario, _common(json, out, seed, set), seeds, traces, jobs)


@app.command(
    epilog=_examples(
        "airfair show jung/mixed > mine.toml",
    ),
)
def show(scenario: Scenario, json: Json = False, out: Out = None, seed: UnusedSeed = 1, set: Set = None) -> int:
    """Print a scenario as TOML: the place to start your own from."""
    from airfair import commands

    return commands.show(scenario, _common(json, out, seed, set))


@app.command(
    epilog=_examples(
        "airfair check mine.toml --set stations=8",
    ),
)
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A scenario file.")],
    json: Json = False,
    out: Out = None,
    seed: UnusedSeed = 1,
    set: Set = None,
) -> int:
    """Check a scenario file without running it."""
    from airfair import commands

    return commands.check(file, _common(json, out, seed, set))


@app.command(
    epilog=_examples(
        "airfair schema > airfair.schema.json",
    ),
)
def schema(json: Json = False, out: Out = None, seed: UnusedSeed = 1, set: UnusedSet = None) -> int:
    """Print the JSON Schema of scenario files, for editors."""
    from airfair import commands

    return commands.schema(_common(json, out, seed, set))


@app.command(
    epilog=_examples(
        "airfair scenarios --json",
    ),
)
def scenarios(json: Json = False, out: Out = None, seed: UnusedSeed = 1, set: UnusedSet = None) -> int:
    """List the packaged scenarios."""
    from airfair import commands

    return commands.scenarios(_common(json, out, seed, set))


@app.command(
    short_help="Describe a scenario's parameters, or a metric.",
    epilog=_examples(
        "airfair describe jung/mixed",
        "airfair describe instantaneous_fairness_sent",
    ),
)
def describe(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|METRIC",
            help="A scenario's name or file, or a metric's name.",
            autocompletion=_offers("scenarios_and_metrics"),
        ),
    ],
    json: Json = False,
    out: Out = None,
    seed: UnusedSeed = 1,
    set: UnusedSet = None,
) -> int:
    """Describe a scenario's parameters (unit, default, range), or a metric's definition and source."""
    from airfair import commands

    return commands.describe(name, _common(json, out, seed, set))


@app.command(
    short_help="List the studies: published papers to recompute.",
    epilog=_examples(
        "airfair studies",
    ),
)
def studies(json: Json = False, out: Out = None, seed: UnusedSeed = 1, set: UnusedSet = None) -> int:
    """List the studies: published papers whose figures and claims can be recomputed."""
    from airfair import commands

    return commands.studies(_common(json, out, seed, set))


@app.command(
    epilog=_examples(
        "airfair reproduce jung --quick",
        "airfair reproduce jung --figure fig2a --seeds 20 --out results",
    ),
)
def reproduce(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study's name.", autocompletion=_offers("studies"))],
    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure",
            metavar="NAME",
            help="Only this figure; repeat for more.",
            autocompletion=_offers("figures"),
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer seeds and shorter runs.")] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            metavar="N",
            min=1,
            max=_MOST,
            help="Seeds for each point.  [default: the study's]",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = None,
    json: Json = False,
    out: Out = None,
    seed: Seed = 1,
    set: Set = None,
) -> int:
    """Recompute a paper's figures and judge its claims.

    Writes figures (PNG, SVG), results.parquet and report.html below --out (airfair-results/STUDY). Continues
    where it was if interrupted: Ctrl-C once finishes what runs, twice stops at once.
    """
    from airfair.reproduce import Request, reproduce

    common = _common(json, out, seed, set)
    return reproduce(Request(study, tuple(figure or ()), quick, seeds, jobs), common)


@app.command(
    short_help="Find the values of parameters at which a metric is best.",
    epilog=_examples(
        "airfair optimize jung/mixed --set tcp=reno --over max_window=2..20 \\",
        "  --maximize instantaneous_fairness_acked \\",
        "  --subject-to 'throughput_total >= 4.8 Mb/s'",
        "airfair optimize jung/mixed --set tcp=vegas-fair \\",
        "  --over pause_interval=0.1..5s:0.1s --over intro_length=1..20kB:1kB \\",
        "  --maximize instantaneous_fairness_acked",
    ),
)
def optimize(
    scenario: Scenario,
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="NAME=VALUES",
            help="A parameter to choose and its values, LOW..HIGH[:STEP] or A,B,C; repeat for more.",
            autocompletion=_offers("axes"),
        ),
    ] = None,
    maximize: Annotated[
        str | None,
        typer.Option("--maximize", metavar="METRIC", help="Make this largest.", autocompletion=_offers("metrics")),
    ] = None,
    minimize: Annotated[
        str | None,
        typer.Option("--minimize", metavar="METRIC", help="Make this smallest.", autocompletion=_offers("metrics")),
    ] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option(
            "--subject-to",
            metavar="'METRIC >= X'",
            help="What must hold for the mean over the seeds, >= or <=; repeat for more.",
            autocompletion=_offers("metrics"),
        ),
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", min=2, max=_MOST, help="Seeds for each candidate, the same for all.")
    ] = 10,
    evaluations: Annotated[
        int,
        typer.Option(
            "--evaluations", metavar="N", min=2, help="Candidates to evaluate at most; all, if they are fewer."
        ),
    ] = 100,
    jobs: Jobs = None,
    json: Json = False,
    out: Out = None,
    seed: Seed = 1,
    set: Set = None,
) -> int:
    """Find the values of parameters at which a metric is best, and those that are as good.

    All candidates run with the same seeds; one is as good as the best unless a paired 95 % interval says that it
    is worse.

    Below --out (airfair-results/optimize/SCENARIO) it writes optimum.png, optimum.svg, evaluations.parquet and
    optimize.json. Continues where it was if interrupted: Ctrl-C once finishes what runs, twice
    stops at once.
    """
    from airfair.optimizer import command
    from airfair.optimizer.problem import Asked

    common = _common(json, out, seed, set)
    asked = Asked(
        scenario,
        command.over(over or ()),
        maximize=maximize,
        minimize=minimize,
        subject_to=tuple(subject_to or ()),
        set=common.overrides,
        seed=seed,
        seeds=seeds,
        evaluations=evaluations,
    )
    return command.optimize(asked, common, jobs)


@app.command(
    short_help="Run a scenario at many points.",
    epilog=_examples(
        "airfair sweep jung/mixed --over stations=2..16 --over tcp=reno,vegas \\",
        "  --seeds 10 --out DIR",
        "airfair sweep DIR",
        "airfair sweep lee/path --over 'wireless=10..200 Mb/s:10 Mb/s' \\",
        "  --over loss=0,0.1%,1% --until-ci achieved_goodput=2%",
    ),
)
def sweep(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|SWEEP.toml|DIR",
            help="A scenario's name or file, a sweep file, or the directory of a sweep to continue.",
            autocompletion=_offers("scenarios"),
        ),
    ],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="NAME=VALUES",
            help="An axis: V1,V2,... or LOW..HIGH:STEP; repeat for more.",
            autocompletion=_offers("axes"),
        ),
    ] = None,
    zip: Annotated[
        list[str] | None,
        typer.Option(
            "--zip",
            metavar="A,B",
            help="Let these axes vary together, value by value.",
            autocompletion=_offers("zipped"),
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
            help="Seeds for each point; with --until-ci the most that a point gets.  [default: 1; with --until-ci 100]",
            show_default=False,
        ),
    ] = None,
    until_ci: Annotated[
        str | None,
        typer.Option(
            "--until-ci",
            metavar="METRIC=1%",
            help="Add seeds to a point until half the width of the metric's 95 % interval is this share of its mean.",
            autocompletion=_offers("aims"),
        ),
    ] = None,
    jobs: Jobs = None,
    on: Annotated[
        str, typer.Option("--on", metavar="local|ray[:ADDRESS]", help="Where to compute: here, or on a Ray cluster.")
    ] = "local",
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="A store shared with other sweeps, besides the results' own."),
    ] = None,
    json: Json = False,
    out: Out = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", min=0, help="The first seed.  [default: 1]", show_default=False)
    ] = None,
    set: Set = None,
) -> int:
    """Run a scenario at many points: grids, lists, zipped axes, samples.

    Writes results, sessions, failures and timings as Parquet below --out (airfair-results/SCENARIO). The same command
    with the same DIR continues; a wider one computes only what is new. Ctrl-C once finishes what runs, twice stops at
    once.
    """
    from airfair.sweeps.command import Request
    from airfair.sweeps.command import sweep as body

    request = Request(source, tuple(over or ()), tuple(zip or ()), sample, seeds, until_ci, jobs, on, cache)
    return body(request, _common(json, out, 1, set), seed=seed)


Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a sweep.")]


@app.command(
    epilog=_examples(
        "airfair results DIR --where \"stations > 4 AND tcp = 'vegas'\" \\",
        "  --group stations,tcp --select throughput_total",
        "airfair results DIR --table sessions --format csv > sessions.csv",
    ),
)
def results(
    directory: Directory,
    where: Annotated[
        str, typer.Option("--where", metavar="SQL", help="Only rows for which this holds; values are in SI.")
    ] = "",
    select: Annotated[
        str, typer.Option("--select", metavar="LIST", help="These columns, or SQL expressions over them.")
    ] = "",
    group: Annotated[
        str,
        typer.Option(
            "--group", metavar="LIST", help="One row for each value of these columns: means and 95 % intervals."
        ),
    ] = "",
    table: Annotated[
        str, typer.Option("--table", metavar="NAME", help="results, sessions, failures or timings.")
    ] = "results",
    format: Annotated[str, typer.Option("--format", metavar="FORMAT", help="table, csv, json or parquet.")] = "table",
    json: Json = False,
    out: Out = None,
    seed: UnusedSeed = 1,
    set: UnusedSet = None,
) -> int:
    """Show a sweep's results, one row for each point and seed.

    A table in people's units; csv, json and parquet in SI. With --out: a file there.
    """
    from airfair.sweeps.query import Query
    from airfair.sweeps.query import results as body

    return body(directory, Query(table, select, where, group), format, _common(json, out, seed, set))


@app.command(
    short_help="Draw a metric along the axes of a sweep.",
    epilog=_examples(
        "airfair plot DIR --x stations --y throughput_total",
        "airfair plot DIR --x stations --y finish_time_acked_mean --color tcp \\",
        "  --where 'session_bytes = 10000'",
        "airfair plot DIR --x stations --color session_bytes --y collision_rate \\",
        "  --kind heatmap",
        "airfair plot DIR --table sessions --y instantaneous_fairness_acked \\",
        "  --color tcp --format html",
    ),
)
def plot(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The directory of a sweep, of a study, or of `airfair run --out`.")
    ],
    x: Annotated[
        str | None,
        typer.Option(
            "--x",
            metavar="NAME",
            help="The axis along x.  [default: that of numbers with the most values]",
            show_default=False,
            autocompletion=_offers("axes_of_results"),
        ),
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option(
            "--y",
            metavar="METRIC",
            help="What to show; repeat for more, one above the other.",
            autocompletion=_offers("metrics_of_results"),
        ),
    ] = None,
    color: Annotated[
        str | None,
        typer.Option(
            "--color",
            metavar="NAME",
            help="The axis that colours tell; of a heatmap the one upwards.  [default: the next that varies]",
            show_default=False,
            autocompletion=_offers("axes_of_results"),
        ),
    ] = None,
    facet: Annotated[
        str | None,
        typer.Option(
            "--facet",
            metavar="NAME",
            help="The axis with a panel for each value.  [default: the third that varies]",
            show_default=False,
            autocompletion=_offers("axes_of_results"),
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="line (dots, where x is words), heatmap, box or cdf.  [default: line; of sessions cdf]",
            show_default=False,
            autocompletion=_offers("kinds"),
        ),
    ] = None,
    where: Annotated[
        str, typer.Option("--where", metavar="SQL", help="Only rows for which this holds; values are in SI.")
    ] = "",
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="results or sessions; of a study the experiment.  [default: results]",
            show_default=False,
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="AXES",
            help="Logarithmic: x, y, xy or none.  [default: where the values span decades]",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="png, svg or html; repeat for more.  [default: png and svg]",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write there, instead of DIR/figures.")
    ] = None,
    seed: UnusedSeed = 1,
    set: UnusedSet = None,
) -> int:
    """Draw a metric along the axes of a sweep: means over the seeds with 95 % intervals.

    Axes that vary get a place by themselves, colour first, then panels; no mean is ever taken over one of them.
    --json has the points, in SI.
    """
    from airfair.plots.choice import Asked
    from airfair.plots.command import plot as body

    asked = Asked(tuple(y or ()), x, color, facet, kind)
    common = _common(json, out, seed, set)
    return body(directory, asked, common, table=table, where=where, log=log, formats=tuple(format or ()))


@app.command(
    short_help="Write one page on a sweep.",
    epilog=_examples(
        "airfair report DIR",
        "airfair report DIR --out elsewhere",
    ),
)
def report(
    directory: Directory,
    json: Json = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write there, instead of DIR.")] = None,
    seed: UnusedSeed = 1,
    set: UnusedSet = None,
) -> int:
    """Write one page on a sweep: figures, which axis moves what, all points, failures, how to run it again.

    DIR/report.html opens in any browser and needs no network.
    """
    from airfair.sweeps.report import report as body

    return body(directory, _common(json, out, seed, set))


@app.command(
    short_help="Show, verify or prune what is stored in a directory.",
    epilog=_examples(
        "airfair cache DIR",
        "airfair cache DIR --verify",
        "airfair cache DIR --prune",
    ),
)
def cache(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The directory of a sweep or study, or a shared store.")
    ],
    verify: Annotated[bool, typer.Option("--verify", help="Read every result to its last byte.")] = False,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune", help="Remove what no command can use: damaged and half-written files, other model versions."
        ),
    ] = False,
    json: Json = False,
    out: Out = None,
    seed: UnusedSeed = 1,
    set: UnusedSet = None,
) -> int:
    """Show what is stored in a directory: how many results, how large, of which version of the models."""
    from airfair.sweeps.upkeep import cache as body

    return body(directory, _common(json, out, seed, set), verify=verify, prune=prune)


class Format(StrEnum):
    """What a picture is written as."""

    PNG = "png"
    SVG = "svg"
    HTML = "html"


@app.command(
    short_help="Draw one run over time: sessions, queue, air, windows.",
    epilog=_examples(
        "airfair timeline jung/mixed --compare tcp=reno,vegas",
        "airfair timeline jung/mixed --set stations=10 --from 20s --to 40s \\",
        "  --format html",
    ),
)
def timeline(
    scenario: Scenario,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="T", help="Begin here, in time since the start of the run."),
    ] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="T", help="End here.")] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="NAME=V1,V2",
            help="A run for each of up to four values, side by side on the same axes.",
            autocompletion=_offers("axes"),
        ),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.PNG,
    json: Json = False,
    out: Out = None,
    seed: Seed = 1,
    set: Set = None,
) -> int:
    """Draw one run over time: who has the air, the queue, congestion windows, and sessions against their fair share.

    Shows the time around the first session that is measured, or the first 30 s without any; with --from or --to
    alone, everything from there to the end, or from the end of the warm-up to there. Writes timeline.png and
    timeline.json below --out (airfair-results/timeline/SCENARIO).
    """
    from airfair.timelines import command
    from airfair.timelines.make import Asked, comparison

    common = _common(json, out, seed, set)
    asked = Asked(scenario, seed, common.overrides, start, end, comparison(compare))
    return command.timeline(asked, common, format.value)


def main() -> None:
    """Entry point."""
    app()
