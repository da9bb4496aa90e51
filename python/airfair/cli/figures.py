"""Commands that draw."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli.app import command
from airfair.cli.options import ENGINE, RESULTS, SCENARIO, WHERE, argument, option

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
    "airfair plot DIR --x stations --y jain --format pdf --width '88 mm'",
    short_help="Draw a metric along the axes of a sweep.",
    seed=None,
    set=False,
    out="Write there, instead of DIR/figures.",
)
def plot(
    directory: Path = argument("DIR", "The directory of a sweep, of a study, or of `airfair run --out`."),
    x: str | None = option(
        "--x NAME", "The axis along x.", unset="the numeric one with the most values", offers="axes_of_results"
    ),
    y: list[str] | None = option(
        "--y METRIC", "The metric to show; repeat for more, one above the other.", offers="metrics_of_results"
    ),
    color: str | None = option(
        "--color NAME",
        "The axis shown by colour; in a heatmap the vertical one.",
        unset="the next that varies",
        offers="axes_of_results",
    ),
    facet: str | None = option(
        "--facet NAME",
        "The axis with a panel for each value.",
        unset="the third that varies",
        offers="axes_of_results",
    ),
    kind: str | None = option(
        "--kind KIND",
        "line (dots if x is not numeric), heatmap, box or cdf.",
        unset="line; of sessions cdf",
        offers="kinds",
    ),
    where: str = WHERE,
    table: str | None = option("--table NAME", "results or sessions; of a study the experiment.", unset="results"),
    log: str | None = option(
        "--log AXES", "Logarithmic axes: x, y, xy or none.", unset="those whose values span decades"
    ),
    format: list[str] | None = option(
        "--format FORMAT", "png, svg, pdf or html; repeat for more.", unset="png and svg"
    ),
    width: str | None = option(
        "--width WIDTH", "The width on paper, such as '88 mm'; labels then have 8 pt.", unset="for screens"
    ),
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
    return body(directory, asked, common, table=table, where=where, log=log, formats=tuple(format or ()), width=width)


class Format(StrEnum):
    """The format of a picture."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"
    HTML = "html"


@command(
    "airfair timeline jung/mixed --compare tcp=reno,vegas",
    "airfair timeline jung/mixed --set stations=10 --from 20s --to 40s \\",
    "  --format html",
    short_help="Draw one run over time: sessions, queue, air, windows.",
    seed="The seed of all runs.",
    out=RESULTS,
)
def timeline(
    scenario: str = SCENARIO,
    start: str | None = option("--from T", "Start of the time shown, since the start of the run."),
    end: str | None = option("--to T", "End of the time shown."),
    compare: list[str] | None = option(
        "--compare NAME=V1,V2", "A run for each of up to four values, side by side on the same axes.", offers="axes"
    ),
    engine: str | None = ENGINE,
    format: Format = option("--format", "The format to write.", Format.PNG),
    *,
    common: "Common",
) -> int:
    """Draw one run over time: the air, the queue, congestion windows, sessions and their fair shares.

    Shows the time around the first measured session (the first of the longest), or the first 30 s if there is none;
    with --from or --to alone, the time from there to the end, or from the end of the warm-up to there.

    Below --out (airfair-results/timeline/SCENARIO) it writes timeline.png and timeline.json.
    """
    from airfair.figures.timeline import command as body
    from airfair.figures.timeline.make import Asked, comparison
    from airfair.runs.loading import File

    asked = Asked(File.of(scenario), common.seed, common.overrides, start, end, comparison(compare or ()), engine)
    return body.timeline(asked, common, format.value)


@command(
    "airfair playground",
    "airfair playground --no-browser",
    short_help="Open the simulator as a page in the browser.",
    seed=None,
    set=False,
)
def playground(
    browser: bool = option("--browser/--no-browser", "Open it, or only print where it is.", True),
    *,
    common: "Common",
) -> int:
    """Open the playground: the engine in a page, with a story, sliders for every parameter, and runs over time.

    The page is a file of the package. It needs no server and no network.
    """
    from airfair.pages import playground as body

    return body.playground(common, browser=browser)
