"""The command `airfair diff`."""

from typing import TYPE_CHECKING

from airfair.cli.app import command
from airfair.cli.options import ENGINE, JOBS, argument, option
from airfair.runs import SEED_LIMIT

if TYPE_CHECKING:
    from airfair.command import Common


@command(
    "airfair diff jung/mixed --set-b tcp=vegas --seeds 10",
    "airfair diff blefari/hotspot mine.toml",
    "airfair diff DIR OTHER --metrics throughput_total",
    short_help="Compare two runs, sweeps, studies or scenarios.",
)
def diff(
    a: str = argument(
        "A", "A scenario's name or file, or a directory of `run --out`, of a sweep or of a study.", offers="scenarios"
    ),
    b: str | None = argument("B", "The other one.", None, unset="A", offers="scenarios"),
    set_a: list[str] | None = option(
        "--set-a NAME=VALUE", "Set a parameter of A only; repeat for more.", offers="settings"
    ),
    set_b: list[str] | None = option("--set-b NAME=VALUE", "The same for B.", offers="settings"),
    seeds: int = option(
        "--seeds N",
        "Run both scenarios with these seeds, to compare metrics. With 0 none is run.",
        0,
        min=0,
        max=SEED_LIMIT,
    ),
    metrics: str = option(
        "--metrics NAMES",
        "Compare these metrics: A,B. Of sweeps and studies at every point.",
        "",
        offers="metrics_listed",
    ),
    exit_code: bool = option("--exit-code", "Exit with status 1 if anything differs, as git diff does.", False),
    jobs: int | None = JOBS,
    engine: str | None = ENGINE,
    *,
    common: "Common",
) -> int:
    """Compare two runs, sweeps, studies or scenarios: what they set, and what they measured.

    Metrics are compared seed by seed: the mean of B - A over the pairs with its 95 % interval. Of sweeps and studies,
    points with the same values on the axes are compared. --set holds for both sides.

    The exit status is 0 whether they differ or not, unless --exit-code is given.
    """
    from airfair.catalogue.parameters import names_of, setting
    from airfair.comparison.command import diff as body

    own = (
        dict([*common.overrides, *(setting("--set-a", text) for text in set_a or ())]),
        dict([*common.overrides, *(setting("--set-b", text) for text in set_b or ())]),
    )
    return body(
        a, b or a, own, common, seeds=seeds, metrics=names_of(metrics), jobs=jobs, engine=engine, exit_code=exit_code
    )
