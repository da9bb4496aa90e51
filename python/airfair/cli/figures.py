"""Commands that draw."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airfair.cli.app import command
from airfair.cli.options import (
    Scenario,
    Where,
    offers,
)

if TYPE_CHECKING:
    from airfair.command import Common


@command(
    "airfair plot DIR --x stations --y throughput_total",
    "airfair plot DIR --x stations --y finish_time_acked_mean --color tcp \\",
    "  --where 'session_bytes = 10000'",
    "airfair plot DIR --x stations --color session_bytes --y collision_rate \\",
    "  --kind heatmap",
    "airfair plot DIR --table sessions --y instantaneous_fairness_acked \\",
    "  --color tcp --format html",
    short_help="Draw a metric along the axes of a sweep.",
    seed=None,
    set=False,
    out="Write there, instead of DIR/figures.",
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
            help="The axis along x.  [default: the numeric one with the most values]",
            show_default=False,
            autocompletion=offers("axes_of_results"),
        ),
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option(
            "--y",
            metavar="METRIC",
            help="The metric to show; repeat for more, one above the other.",
            autocompletion=offers("metrics_of_results"),
        ),
    ] = None,
    color: Annotated[
        str | None,
        typer.Option(
            "--color",
            metavar="NAME",
            help="The axis shown by colour; in a heatmap the vertical one.  [default: the next that varies]",
            show_default=False,
            autocompletion=offers("axes_of_results"),
        ),
    ] = None,
    facet: Annotated[
        str | None,
        typer.Option(
            "--facet",
            metavar="NAME",
            help="The axis with a panel for each value.  [default: the third that varies]",
            show_default=False,
            autocompletion=offers("axes_of_results"),
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="line (dots if x is not numeric), heatmap, box or cdf.  [default: line; of sessions cdf]",
            show_default=False,
            autocompletion=offers("kinds"),
        ),
    ] = None,
    where: Where = "",
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
            help="Logarithmic axes: x, y, xy or none.  [default: those whose values span decades]",
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
    *,
    common: "Common",
) -> int:
    """Draw a metric along the axes of a sweep: means over the seeds with 95 % intervals.

    Axes that vary are shown by colour first, then by panels; no mean is ever taken over one of them.
    --json has the points, in SI.
    """
    from airfair.figures.charts.choice import Asked
    from airfair.sweeps.plot import plot as body

    asked = Asked(tuple(y or ()), x, color, facet, kind)
    return body(directory, asked, common, table=table, where=where, log=log, formats=tuple(format or ()))


class Format(StrEnum):
    """The format of a picture."""

    PNG = "png"
    SVG = "svg"
    HTML = "html"


@command(
    "airfair timeline jung/mixed --compare tcp=reno,vegas",
    "airfair timeline jung/mixed --set stations=10 --from 20s --to 40s \\",
    "  --format html",
    short_help="Draw one run over time: sessions, queue, air, windows.",
)
def timeline(
    scenario: Scenario,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="T", help="Start of the time shown, since the start of the run."),
    ] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="T", help="End of the time shown.")] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="NAME=V1,V2",
            help="A run for each of up to four values, side by side on the same axes.",
            autocompletion=offers("axes"),
        ),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="The format to write.")] = Format.PNG,
    *,
    common: "Common",
) -> int:
    """Draw one run over time: the air, the queue, congestion windows, sessions and their fair shares.

    Shows the time around the first measured session, or the first 30 s if there is none; with --from or --to
    alone, the time from there to the end, or from the end of the warm-up to there. Writes timeline.png and
    timeline.json below --out (airfair-results/timeline/SCENARIO).
    """
    from airfair.figures.timeline import command as body
    from airfair.figures.timeline.make import Asked, comparison

    asked = Asked(scenario, common.seed, common.overrides, start, end, comparison(compare))
    return body.timeline(asked, common, format.value)
