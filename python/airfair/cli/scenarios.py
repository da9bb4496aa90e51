"""Commands on scenarios: run one, show it, check it, describe it."""

from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli.app import command
from airfair.cli.options import ENGINE, JOBS, METRICS, SCENARIO, SEED_LIMIT, argument, option

if TYPE_CHECKING:
    from airfair.command import Common


@command(
    "airfair run jung/mixed --set tcp=vegas --seeds 10 --out results",
    "airfair run lee/path --set 'wireless=20 Mb/s' --set loss=0.1% --json",
    "airfair run jung/mixed --metrics jain,finish_time_delivered_median",
    "airfair run jung/mixed --trace cwnd,queue --out results",
    "airfair run jung/mixed --set duration='5 s' --pcap run.pcapng",
    short_help="Run a scenario and show its metrics with 95 % intervals.",
)
def run(
    scenario: str = SCENARIO,
    seeds: int = option("--seeds N", "Number of seeds to run.", 1, min=1, max=SEED_LIMIT),
    trace: str = option(
        "--trace LIST", "Record over time: cwnd, ssthresh, rtt, acked, queue, drops, backlog, air.", ""
    ),
    pcap: Path | None = option(
        "--pcap FILE", "Write every frame on the air, headers only, as pcapng for Wireshark. One seed only."
    ),
    metrics: str = METRICS,
    jobs: int | None = JOBS,
    engine: str | None = ENGINE,
    *,
    common: "Common",
) -> int:
    """Run a scenario and show its metrics, with 95 % confidence intervals over the seeds.

    With --out: run.json, and sessions, flows, stations, links (and series) as Parquet.
    """
    from airfair.runs import command as body

    return body.run(scenario, common, seeds, trace, pcap, metrics, jobs, engine)


@command("airfair show jung/mixed > mine.toml", seed=None)
def show(scenario: str = SCENARIO, *, common: "Common") -> int:
    """Print a scenario as TOML: the place to start your own from."""
    from airfair.runs import command as body

    return body.show(scenario, common)


@command("airfair check mine.toml --set stations=8", seed=None)
def check(file: str = argument("FILE", "A scenario file."), *, common: "Common") -> int:
    """Check a scenario file without running it."""
    from airfair.runs import command as body

    return body.check(file, common)


@command("airfair schema > airfair.schema.json", seed=None, set=False)
def schema(*, common: "Common") -> int:
    """Print the JSON Schema of scenario files, for editors."""
    from airfair.runs import command as body

    return body.schema(common)


@command("airfair scenarios --json", seed=None, set=False)
def scenarios(*, common: "Common") -> int:
    """List the packaged scenarios."""
    from airfair.runs import command as body

    return body.scenarios(common)


@command(
    "airfair describe jung/mixed",
    "airfair describe instantaneous_fairness_sent",
    "airfair describe metrics",
    "airfair describe fq_codel",
    short_help="Describe a scenario's parameters, or a metric.",
    seed=None,
    set=False,
)
def describe(
    name: str = argument(
        "NAME",
        "A scenario's name or file, a metric, `metrics` for all of them, a parameter or a value of one.",
        offers="what_is_described",
    ),
    *,
    common: "Common",
) -> int:
    """Describe a scenario's parameters (unit, default, range), or a metric's definition and source.

    For a parameter, or a value such as vegas or fq_codel, list the scenarios that have it.
    """
    from airfair.runs import command as body

    return body.describe(name, common)
